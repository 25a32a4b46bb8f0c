package sim_test

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/millrace-hdl/millrace/hdl/irtest"
	"github.com/millrace-hdl/millrace/hdl/sim"
)

const waved = `(design top)
	(enum state (IDLE 0) (BUSY 1) (LAST 2))
	(module stage (input in u70) (output busy u1) (reg data u70) (reg count s3 (init -1:s3)) (wire next u2/state)
		(body (set data in) (set count (add count 1:s3)) (set busy count[0])
			(switch count[1:0] (case 0:u2 (set next 0:u2)) (case 1:u2 (set next 1:u2)) (default (set next count[1:0])))))
	(module top (input en u1) (input word u70) (output busy u1) (output now u2/state)
		(inst_in a_in u70) (inst_out a_busy u1) (inst_in b_in u70) (inst_out b_busy u1) (reg st u2/state (init 0:u2))
		(instance a stage (port in a_in) (port busy a_busy))
		(instance b stage (port in b_in) (port busy b_busy))
		(body (set a_in word) (set b_in (not word)) (set busy (or a_busy b_busy)) (set now st) (if (when en (set st (add st 1:u2))))))`

// traceRun resets an engine and runs it with inputs that change now and then.
func traceRun(t *testing.T, e sim.Engine, from, to int) {
	t.Helper()
	if from == 0 {
		require.NoError(t, e.Reset(2))
	}
	for i := from; i < to; i++ {
		drive(t, e, map[string]uint64{"en": uint64(i) >> 1 & 1, "word": uint64(i / 3)})
		require.NoError(t, e.Step())
	}
}

func TestVCD(t *testing.T) {
	m := newModel(t, waved, sim.Options{})
	var b bytes.Buffer
	v := sim.NewVCD(&b, "top", m, nil)
	e := sim.Trace(m, v)
	traceRun(t, e, 0, 8)
	require.NoError(t, e.Run(2))
	require.NoError(t, v.Close())
	golden(t, "waves.vcd", b.String())
	require.Equal(t, uint64(12), m.Cycle())
}

// TestTracingChangesNothing: outputs and state are the same with and without.
func TestTracingChangesNothing(t *testing.T) {
	for seed := range uint64(15) {
		d := irtest.Random(seed, irtest.Options{Levels: 1})
		plain, err := sim.New(d, sim.Options{Seed: seed})
		require.NoError(t, err)
		m, err := sim.New(d, sim.Options{Seed: seed})
		require.NoError(t, err)
		traced := sim.Trace(m, sim.NewVCD(new(bytes.Buffer), "top", m, nil))
		r := rand.New(rand.NewPCG(seed, 0))
		for cycle := range 20 {
			for _, p := range plain.Layout().Inputs {
				stimulus(r, plain.In()[p.Offset:][:p.Words()], p.Type.Width)
			}
			copy(traced.In(), plain.In())
			if cycle%9 == 4 {
				require.NoError(t, plain.Reset(2))
				require.NoError(t, traced.Reset(2))
			} else {
				require.NoError(t, plain.Run(2))
				require.NoError(t, traced.Run(2))
			}
			require.Equal(t, plain.Out(), traced.Out(), "seed %d cycle %d", seed, cycle)
			require.Equal(t, plain.State(), m.State(), "seed %d cycle %d", seed, cycle)
			require.Equal(t, plain.Cycle(), traced.Cycle())
		}
	}
}

// TestWavesHoldEveryValue reads a file back and compares every value of every
// cycle with the engine's.
func TestWavesHoldEveryValue(t *testing.T) {
	d := irtest.Random(6, irtest.Options{Signals: 12, Levels: 2, NoEnums: true})
	m, err := sim.New(d, sim.Options{Seed: 4})
	require.NoError(t, err)
	var b bytes.Buffer
	v := sim.NewVCD(&b, "top", m, nil)
	r := rand.New(rand.NewPCG(4, 4))
	want := map[string]string{} // "cycle path" → bits
	require.Greater(t, len(m.Vars()), 100, "identifiers of more than one character")
	for cycle := range 20 {
		for _, p := range m.Layout().Inputs {
			if r.IntN(2) == 0 {
				stimulus(r, m.In()[p.Offset:][:p.Words()], p.Type.Width)
			}
		}
		require.NoError(t, m.Eval())
		require.NoError(t, v.Sample(false))
		note := func(path string, w []uint64) {
			want[fmt.Sprint(cycle, " top.", path)] = fmt.Sprintf("%b", irtest.Value(w))
		}
		for _, p := range m.Layout().Inputs {
			note(p.Name, m.In()[p.Offset:][:p.Words()])
		}
		for _, p := range m.Layout().Outputs {
			note(p.Name, m.Out()[p.Offset:][:p.Words()])
		}
		for _, x := range m.Vars() {
			note(x.Path, read(m, x))
		}
		require.NoError(t, m.Step())
	}
	require.NoError(t, v.Close())
	got, repeats := readVCD(t, b.String())
	require.Empty(t, repeats, "only changes are written")
	require.Equal(t, want, got)
}

// readVCD returns the value of each variable in each cycle, and the changes
// that change nothing.
func readVCD(t *testing.T, text string) (values map[string]string, repeats []string) {
	t.Helper()
	paths, now := map[string]string{}, map[string]string{}
	var scope []string
	values = map[string]string{}
	cycle := -1
	close := func() {
		if cycle >= 0 {
			for id, v := range now {
				values[fmt.Sprint(cycle, " ", paths[id])] = v
			}
		}
	}
	for _, line := range strings.Split(text, "\n") {
		f := strings.Fields(line)
		switch {
		case len(f) == 0 || f[0] == "$version" || f[0] == "$timescale" || f[0] == "$enddefinitions" || f[0] == "$dumpvars" || f[0] == "$end":
		case f[0] == "$scope":
			scope = append(scope, f[2])
		case f[0] == "$upscope":
			scope = scope[:len(scope)-1]
		case f[0] == "$var":
			if len(scope) > 0 {
				paths[f[3]] = strings.Join(append(scope[:len(scope):len(scope)], f[4]), ".")
			}
		case f[0][0] == '#':
			var at int
			_, err := fmt.Sscanf(f[0], "#%d", &at)
			require.NoError(t, err)
			if at%10 == 0 {
				close()
				cycle = at / 10
			}
		default:
			v, id := f[0][:1], f[0][1:]
			if f[0][0] == 'b' {
				v, id = f[0][1:], f[1]
			}
			if paths[id] == "" {
				continue // clock and reset
			}
			if now[id] == v {
				repeats = append(repeats, line)
			}
			now[id] = v
		}
	}
	return values, repeats
}

// TestRecorder: what a recorder holds is the end of the full file.
func TestRecorder(t *testing.T) {
	m := newModel(t, waved, sim.Options{})
	rec := sim.NewRecorder("top", m, 5, nil)
	traceRun(t, sim.Trace(m, rec), 0, 12)
	var window bytes.Buffer
	require.NoError(t, rec.WriteVCD(&window))
	got, _ := readVCD(t, window.String())

	full := newModel(t, waved, sim.Options{})
	var b bytes.Buffer
	v := sim.NewVCD(&b, "top", full, nil)
	traceRun(t, sim.Trace(full, v), 0, 12)
	require.NoError(t, v.Close())
	all, _ := readVCD(t, b.String())
	last := map[string]string{}
	for k, v := range all {
		var cycle int
		_, err := fmt.Sscan(k, &cycle)
		require.NoError(t, err)
		if cycle >= 9 {
			last[k] = v
		}
	}
	require.Equal(t, last, got)
	golden(t, "window.vcd", window.String())
}

func TestRecordersShareAFile(t *testing.T) {
	a, b := newModel(t, waved, sim.Options{}), newModel(t, waved, sim.Options{})
	ra, rb := sim.NewRecorder("go", a, 3, a.StateVars()), sim.NewRecorder("rtl", b, 3, b.StateVars())
	var out bytes.Buffer
	require.NoError(t, sim.WriteVCD(&out, ra, rb), "nothing recorded yet")
	traceRun(t, sim.Trace(a, ra), 0, 9)
	require.ErrorContains(t, sim.WriteVCD(&out, ra, rb), "go holds 3 cycles and rtl 0; sample them together")
	traceRun(t, sim.Trace(b, rb), 0, 8)
	require.ErrorContains(t, sim.WriteVCD(&out, ra, rb), "go was sampled in cycle 8 and rtl in 7; sample them together")
	traceRun(t, sim.Trace(b, rb), 8, 9)
	out.Reset()
	require.NoError(t, sim.WriteVCD(&out, ra, rb))
	values, _ := readVCD(t, out.String())
	for _, top := range []string{"go", "rtl"} {
		require.Equal(t, []string{"101", "110", "111"}, []string{values["8 "+top+".a.count"], values["9 "+top+".a.count"], values["10 "+top+".a.count"]})
	}
	require.NotContains(t, values, "9 go.a.next", "only the variables asked for")
	require.ErrorContains(t, sim.WriteVCD(&out), "no recorder given")
}

// full is a writer that takes some bytes and then fails.
type full struct{ room int }

var errFull = errors.New("no space left")

func (w *full) Write(p []byte) (int, error) {
	if w.room -= len(p); w.room < 0 {
		return 0, errFull
	}
	return len(p), nil
}

func TestVCDErrorsStick(t *testing.T) {
	m := newModel(t, waved, sim.Options{})
	v := sim.NewVCD(&full{room: 100_000}, "top", m, nil)
	e := sim.Trace(m, v)
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

// stuck is an engine that fails to evaluate.
type stuck struct{ sim.Engine }

func (stuck) Eval() error { return errFull }

func TestTracePassesErrors(t *testing.T) {
	m := stuck{newModel(t, waved, sim.Options{})}
	e := sim.Trace(m, sim.NewRecorder("top", m, 1, nil))
	require.ErrorIs(t, e.Step(), errFull)
	require.ErrorIs(t, e.Reset(1), errFull)
	require.Zero(t, m.Cycle())
	short := failsReset{newModel(t, waved, sim.Options{})}
	require.ErrorIs(t, sim.Trace(short, sim.NewRecorder("top", short, 1, nil)).Reset(2), errFull)
}

// failsReset is an engine that fails to reset.
type failsReset struct{ sim.Engine }

func (failsReset) Reset(int) error { return errFull }

func TestTraceReportsBadCounts(t *testing.T) {
	m := newModel(t, waved, sim.Options{})
	e := sim.Trace(m, sim.NewRecorder("top", m, 1, nil))
	require.ErrorContains(t, e.Run(-1), "run -1 cycles")
	require.ErrorContains(t, e.Reset(0), "reset for 0 cycles")
}

func TestSamplesGoForward(t *testing.T) {
	m := newModel(t, waved, sim.Options{})
	v := sim.NewVCD(new(bytes.Buffer), "top", m, nil)
	require.NoError(t, v.Sample(false))
	require.ErrorContains(t, v.Sample(false), "cycle 0 is sampled after a later one")
}
