package backend_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/millrace-hdl/millrace/gen"
	"github.com/millrace-hdl/millrace/gen/lint"
	"github.com/millrace-hdl/millrace/hdl/sim"
	"github.com/millrace-hdl/millrace/idma/backend"
	"github.com/millrace-hdl/millrace/tb"
)

// refusal is what a subordinate does no more.
type refusal int

const (
	requests refusal = iota + 1 // take requests
	words                       // take write data
	replies                     // answer
)

// dying is a subordinate that does something no more for a while.
type dying struct {
	end      portEnd
	what     refusal
	from, to int // cycles
	lost     map[int]bool
}

// refuses reports whether a subordinate does not do something in this cycle.
func (d dying) refuses(b *portBench, end portEnd, what refusal) bool {
	return d.what == what && d.end == end && b.cycle >= d.from && b.cycle < d.to
}

// gave reports whether an answer says that the subordinate was given up, as it may of
// transfers that use it.
func (d dying) gave(b *portBench, i int, v move, at string) bool {
	if d.what == 0 || !b.pin("rsp_error").on() || b.pin("rsp_cause").get() != backend.CauseNoAnswer || b.pin("rsp_err_type").get() == backend.ErrRefused {
		return false
	}
	end, typ := portEnd{false, v.from}, uint64(backend.ErrBusRead)
	if d.end.write {
		end, typ = portEnd{true, v.to}, backend.ErrBusWrite
	}
	require.Equal(b.t, d.end, end, "%s: another port was given up", at)
	require.Equal(b.t, typ, b.pin("rsp_err_type").get(), at)
	d.lost[i] = true
	return true
}

// arrived is the bytes that may have arrived: of a packet that was given up any.
func (d dying) arrived(b *portBench, n int, v move, bytes []byte, packet int) []byte {
	if !d.lost[n] {
		return bytes
	}
	if s := b.sinks[v.to]; s != nil {
		require.Len(b.t, s.packets[packet], len(bytes), "packet of transfer %d", n)
		return s.packets[packet]
	}
	return bytes
}

// death is what happens to which port of an engine.
type death struct {
	read, write string
	end         portEnd
	what        refusal
}

// deaths are all refusals of every protocol, beside every other.
func deaths() []death {
	var ds []death
	for _, p := range []string{"axi4", "obi", "axi_lite"} {
		for _, other := range []string{"axi4", "obi", "axi_lite", "init", "axi_stream"} {
			for _, what := range []refusal{requests, replies} {
				ds = append(ds, death{p, other, portEnd{false, 0}, what}, death{other, p, portEnd{true, 0}, what})
			}
			if p != "obi" {
				ds = append(ds, death{other, p, portEnd{true, 0}, words})
			}
		}
	}
	several := "axi4, obi, axi_lite, init, axi_stream"
	for port := range 3 {
		ds = append(ds, death{several, several, portEnd{false, port}, replies}, death{several, several, portEnd{true, port}, replies})
	}
	return ds
}

// survive runs transfers while a subordinate refuses something, for ever or for a
// while. Those that use it end, with errors. When the subordinate goes on, and all that
// it owed has come, its port works again.
func survive(t *testing.T, k kind, d death, seed uint64, forEver bool, edit func(*backend.Config)) {
	t.Helper()
	rng := rand.New(rand.NewPCG(seed, 11))
	c := portConfig(t, rng, d.read, d.write)
	c.Watchdog = 300
	edit(&c)
	b := newPortBench(t, k, c, seed)
	b.stall, b.wait = rng.IntN(2)*rng.IntN(50), 1+rng.IntN(30)
	b.dying = dying{end: d.end, what: d.what, from: 20 + rng.IntN(200), lost: map[int]bool{}}
	b.dying.to = b.dying.from + 3000
	if forEver {
		b.dying.to = 1 << 40
	}
	require.NoError(t, b.eng.Reset(2))
	moves := b.random(100)
	b.through(moves)
	lost := len(b.dying.lost)
	require.Positive(t, lost)
	if !forEver {
		b.rest(max(0, b.dying.to+3000-b.cycle)) // all late answers come
		more := b.random(40)
		b.through(more)
		moves = append(moves, more...)
		require.Len(t, b.dying.lost, lost, "the port is still given up")
	}
	b.compare(moves)
	require.NoError(t, sim.Violations(b.eng))
}

func TestWatchdogGivesUpSubordinates(t *testing.T) {
	each(t, deaths(), func(t *testing.T, d death) {
		for seed := range uint64(4) {
			survive(t, goModel, d, seed, seed == 0, func(*backend.Config) {})
		}
	})
}

// With an error handler the end of the patience is an error like others: it is told of,
// and may be replayed until the port works again.
func TestWatchdogWithErrorHandler(t *testing.T) {
	each(t, deaths(), func(t *testing.T, d death) {
		if d.write == "axi_stream" || len(d.write) > 20 {
			t.Skip("what a packet is after an abort is left to the test of errors")
		}
		for seed := range uint64(3) {
			survive(t, goModel, d, seed, seed == 0, func(c *backend.Config) { c.ErrorHandling = true })
		}
	})
}

func TestWatchdogInLockstep(t *testing.T) {
	several := "axi4, obi, axi_lite, init, axi_stream"
	for port := range 3 {
		for _, write := range []bool{false, true} {
			survive(t, lockstep, death{several, several, portEnd{write, port}, replies}, 5, false, func(c *backend.Config) { c.DataWidth = 64 })
		}
	}
}

// The guards take no cycle while subordinates work, however slow they are within their
// time.
func TestWatchdogCostsNoCycle(t *testing.T) {
	for _, handler := range []bool{false, true} {
		c := edit(func(c *backend.Config) { c.ErrorHandling = handler })
		without := elaborate(t, c)
		c.Watchdog = 250
		with := elaborate(t, c)
		list := tb.Random(6, tb.RandomConfig{Jobs: 100, Bytes: 4, AddrWidth: 32, LengthWidth: 32, MaxLength: 3000, Zero: 5})
		for _, n := range []int{1, 3, 13, 100, 200} {
			a, b := run(t, start(t, goModel, without, 1), list, latency(n)), run(t, start(t, goModel, with, 1), list, latency(n))
			require.Equal(t, a.Cycles, b.Cycles, "latency %d", n)
			require.Zero(t, a.ErrorResponses-b.ErrorResponses)
		}
	}
}

func TestToolsAcceptTheWatchdog(t *testing.T) {
	for i, ports := range []string{"axi4", "axi4, obi, axi_lite, init, axi_stream"} {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			c := portConfig(t, rand.New(rand.NewPCG(1, 2)), ports, ports)
			c.Watchdog, c.ErrorHandling = 1000, i == 1
			dir := t.TempDir()
			require.NoError(t, gen.WriteDir(dir, emit(t, c, gen.Options{})))
			for _, r := range lint.Lint(t.Context(), dir, elaborate(t, c).Top.Name, lint.All()) {
				require.NoError(t, r.Err, "%s: %s", r.Tool, r.Output)
			}
		})
	}
}
