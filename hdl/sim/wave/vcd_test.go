package wave_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/millrace-hdl/millrace/hdl/irtest"
	"github.com/millrace-hdl/millrace/hdl/sim"
	"github.com/millrace-hdl/millrace/hdl/sim/wave"
)

func TestVCD(t *testing.T) {
	m := newModel(t, waved, sim.Options{})
	var b bytes.Buffer
	v := wave.NewVCD(&b, "top", m, nil)
	e := wave.Trace(m, v)
	traceRun(t, e, 0, 8)
	require.NoError(t, e.Run(2))
	require.NoError(t, v.Close())
	golden(t, "waves.vcd", b.String())
	require.Equal(t, uint64(12), m.Cycle())
}

// TestWavesHoldEveryValue reads files of random designs back and compares every value
// of every cycle with the engine's, elements of memories as well.
func TestWavesHoldEveryValue(t *testing.T) {
	total := 0
	for seed := range uint64(6) {
		d := irtest.Random(seed, irtest.Options{MaxWidth: 600, Signals: 4, Levels: 2}.Full())
		m, err := sim.New(d, sim.Options{Seed: seed})
		require.NoError(t, err)
		signals := wave.All(m)
		for _, x := range m.Mems() {
			one, err := wave.Find(m, fmt.Sprintf("%s[0:%d]", x.Path, x.Depth-1))
			require.NoError(t, err)
			signals = append(signals, one...)
		}
		var b bytes.Buffer
		v := wave.NewVCD(&b, "top", m, signals)
		r := rand.New(rand.NewPCG(seed, 4))
		want := map[string]string{} // "cycle path" → bits
		widths := map[string]int{}
		var ticks []uint64
		for cycle := range 12 {
			if r.IntN(3) > 0 {
				randomise(r, m)
			}
			require.NoError(t, m.Eval())
			domains := r.Uint64() & m.Layout().AllDomains()
			ticks = append(ticks, domains)
			require.NoError(t, v.Sample(wave.Edge{Domains: domains}))
			note := func(path string, width int, w []uint64) {
				want[fmt.Sprint(cycle, " top.", path)] = bits(w)
				widths["top."+path] = width
			}
			for _, p := range m.Layout().Inputs {
				note(p.Name, p.Type.Width, m.In()[p.Offset:][:p.Words()])
			}
			for _, p := range m.Layout().Outputs {
				note(p.Name, p.Type.Width, m.Out()[p.Offset:][:p.Words()])
			}
			for _, x := range m.Vars() {
				note(x.Path, x.Type.Width, value(m, x))
			}
			for _, x := range m.Mems() {
				for i := range x.Depth {
					w := make([]uint64, x.Type.Words())
					m.ReadMem(x, i, w)
					note(fmt.Sprintf("%s[%d]", x.Path, i), x.Type.Width, w)
				}
			}
			require.NoError(t, m.Tick(domains))
		}
		require.NoError(t, v.Close())
		got := read(t, b.String())
		require.Empty(t, got.repeats, "only changes are written")
		for _, c := range m.Layout().Clocks {
			require.Equal(t, 1, got.widths["top."+c.Clock])
			if c.Reset != "" {
				require.Equal(t, 1, got.widths["top."+c.Reset])
			}
			delete(got.widths, "top."+c.Clock)
			delete(got.widths, "top."+c.Reset)
		}
		require.Equal(t, widths, got.widths, "seed %d", seed)
		for k, v := range want {
			var cycle int
			var path string
			_, err := fmt.Sscan(k, &cycle, &path)
			require.NoError(t, err)
			require.Equal(t, v, got.at(cycle, path), "seed %d: %s", seed, k)
		}
		total += len(want)
		// The clock of a domain that ticks goes to its active level where the cycle ends,
		// and back in the middle of the next one.
		for cycle, domains := range ticks {
			for i, c := range m.Layout().Clocks {
				active, idle := "1", "0"
				if c.Falling {
					active, idle = idle, active
				}
				want := idle
				if domains>>i&1 == 1 {
					want = active
				}
				require.Equal(t, want, got.at(cycle+1, "top."+c.Clock), "seed %d cycle %d", seed, cycle)
				if v := got.values[fmt.Sprint(cycle*10+15, " top.", c.Clock)]; v != "" {
					require.Equal(t, idle, v)
				}
			}
		}
	}
	require.Greater(t, total, 5_000)
}

// TestNames: names that begin like others, wide values and deep hierarchies.
func TestNames(t *testing.T) {
	const depth = 30
	var text strings.Builder
	text.WriteString("(design top)\n(module m0 (input a u600) (input a_b u1) (output ab u600) (reg a_b_c u600) (body (set a_b_c a) (set ab a_b_c) (if (when a_b (set a_b_c (not a))))))\n")
	for i := range depth {
		name := fmt.Sprint("m", i+1)
		if i == depth-1 {
			name = "top"
		}
		fmt.Fprintf(&text, `(module %s (input a u600) (input a_b u1) (output ab u600) (inst_in i_a u600) (inst_in i_a_b u1) (inst_out i_ab u600)
			(instance a_u m%d (port a i_a) (port a_b i_a_b) (port ab i_ab)) (body (set i_a a) (set i_a_b a_b) (set ab i_ab)))`, name, i)
	}
	m := newModel(t, text.String(), sim.Options{})
	var b bytes.Buffer
	v := wave.NewVCD(&b, "top", m, nil)
	e := wave.Trace(m, v)
	p, err := m.Layout().Port("a")
	require.NoError(t, err)
	m.In()[p.Offset], m.In()[p.Offset+9] = 5, 1<<23
	require.NoError(t, e.Run(2))
	drive(t, m, map[string]uint64{"a_b": 1})
	require.NoError(t, e.Run(2))
	require.NoError(t, v.Close())
	got := read(t, b.String())
	deep := "top" + strings.Repeat(".a_u", depth)
	require.Equal(t, 600, got.widths[deep+".a_b_c"])
	require.Equal(t, "1"+strings.Repeat("0", 596)+"101", got.at(1, deep+".a_b_c"))
	require.Equal(t, strings.Repeat("1", 596)+"010", strings.TrimPrefix(got.at(3, deep+".a_b_c"), "0"))
	require.Equal(t, "0", got.at(1, deep+".a_b"))
	require.Equal(t, "1", got.at(2, deep+".a_b"))
	require.Equal(t, "reg", got.kinds[deep+".a_b_c"])
	require.Equal(t, "wire", got.kinds[deep+".a_b"])
}

// chunks is a writer that keeps what each call writes.
type chunks struct {
	pieces []string
	room   int // bytes until it fails; negative: never
}

func (w *chunks) Write(p []byte) (int, error) {
	if w.room >= 0 {
		if w.room -= len(p); w.room < 0 {
			return 0, errFull
		}
	}
	w.pieces = append(w.pieces, string(p))
	return len(p), nil
}

// TestReadableAtAnyTime: after every write the file so far is complete, and writes are
// never far apart.
func TestReadableAtAnyTime(t *testing.T) {
	m := newModel(t, waved, sim.Options{})
	w := &chunks{room: -1}
	v := wave.NewVCD(w, "top", m, nil)
	e := wave.Trace(m, v)
	require.NoError(t, e.Step())
	require.Len(t, w.pieces, 1, "the first cycle is written at once")
	require.NoError(t, e.Run(5000))
	require.Len(t, w.pieces, 1+4)
	var text strings.Builder
	for i, p := range w.pieces {
		text.WriteString(p)
		require.Equal(t, i*10240+5, read(t, text.String()).end)
	}
	for i := range 2000 {
		drive(t, e, map[string]uint64{"word": uint64(i) * 0x9e3779b97f4a7c15})
		require.NoError(t, e.Step())
	}
	require.NoError(t, v.Close())
	for _, p := range w.pieces {
		require.Less(t, len(p), 1<<16+4096)
	}
	require.Equal(t, 70010, read(t, strings.Join(w.pieces, "")).end)
}

func TestVCDErrorsStick(t *testing.T) {
	m := newModel(t, waved, sim.Options{})
	v := wave.NewVCD(&chunks{room: 100_000}, "top", m, nil)
	e := wave.Trace(m, v)
	var err error
	for i := 0; err == nil && i < 10_000; i++ {
		drive(t, e, map[string]uint64{"word": uint64(i) * 0x9e3779b97f4a7c15})
		err = e.Step()
	}
	require.ErrorIs(t, err, errFull)
	require.ErrorContains(t, err, "writing waves: no space left")
	at := m.Cycle()
	require.ErrorIs(t, e.Step(), errFull)
	require.Equal(t, at, m.Cycle(), "no step without its sample")
	require.ErrorIs(t, e.Run(1), errFull)
	require.ErrorIs(t, e.Reset(1), errFull)
	require.ErrorIs(t, v.Close(), errFull)
}

func TestSamplesGoForward(t *testing.T) {
	m := newModel(t, waved, sim.Options{})
	v := wave.NewVCD(new(bytes.Buffer), "top", m, nil)
	require.NoError(t, v.Sample(wave.Edge{}))
	require.ErrorContains(t, v.Sample(wave.Edge{}), "cycle 0 is sampled after a later one")
}

func TestAFileWithoutSamples(t *testing.T) {
	m := newModel(t, waved, sim.Options{})
	var b bytes.Buffer
	require.NoError(t, wave.NewVCD(&b, "top", m, nil).Close())
	require.Equal(t, 70, read(t, b.String()).widths["top.a.data"])
}
