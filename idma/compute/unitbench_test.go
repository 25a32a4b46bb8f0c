package compute_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/millrace-hdl/millrace/hdl"
	"github.com/millrace-hdl/millrace/hdl/ir"
	"github.com/millrace-hdl/millrace/hdl/sim"
	"github.com/millrace-hdl/millrace/idma/compute"
	"github.com/millrace-hdl/millrace/verilator"
)

// unitDesign is the unit of an operation.
func unitDesign(t testing.TB, op compute.Op, width int) *ir.Design {
	t.Helper()
	d, err := hdl.Elaborate(compute.Compute, compute.Params{Op: op, DataWidth: width})
	require.NoError(t, err)
	return d
}

// unitTransfer is a transfer through a unit and what must come of it.
type unitTransfer struct {
	mode, m, n uint64
	in, want   []byte // either may be empty, if nothing goes in or out
	inCause    uint64
	failsAt    int    // the word from which on inCause is told
	cause      uint64 // of the last word out
}

// pace is how often either side is ready, in percent.
type pace struct {
	in, out  int
	outEvery int // if not 0, words are taken in every so-manieth cycle at the most
}

var fullPace = pace{in: 100, out: 100}

// unitBench drives a unit through its ports.
type unitBench struct {
	e     sim.Engine
	ports map[string]sim.Port
	lanes int
	r     *rand.Rand
}

func newUnitBench(t testing.TB, e sim.Engine, lanes int, seed uint64) *unitBench {
	t.Helper()
	b := &unitBench{e: e, ports: map[string]sim.Port{}, lanes: lanes, r: rand.New(rand.NewPCG(seed, 1))}
	l := e.Layout()
	for _, p := range append(append([]sim.Port{}, l.Inputs...), l.Outputs...) {
		b.ports[p.Name] = p
	}
	require.NoError(t, e.Reset(2))
	return b
}

func (b *unitBench) set(name string, v uint64) {
	if p, ok := b.ports[name]; ok { // a unit without options has no such ports
		b.e.In()[p.Offset] = v
	}
}

func (b *unitBench) get(name string) uint64 { return b.e.Out()[b.ports[name].Offset] }

// word is a bus word on its way into the unit.
type word struct {
	transfer *unitTransfer
	data     []byte
	last     bool
	cause    uint64
}

func (b *unitBench) words(ts []unitTransfer) (ws []word) {
	for i := range ts {
		x := &ts[i]
		for n, at := 0, 0; at < len(x.in); n, at = n+1, at+b.lanes {
			end := min(at+b.lanes, len(x.in))
			w := word{transfer: x, data: x.in[at:end], last: end == len(x.in)}
			if n >= x.failsAt {
				w.cause = x.inCause
			}
			ws = append(ws, w)
		}
	}
	return ws
}

func (b *unitBench) offer(w word) {
	b.set("in_valid", 1)
	words := b.e.In()[b.ports["in_data"].Offset:]
	for i := range max(1, b.lanes/8) { // lanes beyond the last byte carry anything
		words[i] = b.r.Uint64()
		if b.lanes < 8 {
			words[i] &= 1<<(8*b.lanes) - 1
		}
	}
	for i, x := range w.data {
		shift := 8 * (i % 8)
		words[i/8] = words[i/8]&^(0xff<<shift) | uint64(x)<<shift
	}
	b.set("in_bytes", uint64(len(w.data)))
	b.set("in_last", bit(w.last))
	b.set("in_cause", w.cause)
	b.set("opt_mode", w.transfer.mode)
	b.set("opt_m", w.transfer.m)
	b.set("opt_n", w.transfer.n)
}

func bit(v bool) uint64 {
	if v {
		return 1
	}
	return 0
}

// run sends the transfers and checks everything that comes. It returns the cycles from
// the first word offered to the last word taken, both included.
func (b *unitBench) run(t testing.TB, ts []unitTransfer, p pace) (cycles int) {
	t.Helper()
	in := b.words(ts)
	ts = slices.DeleteFunc(slices.Clone(ts), func(x unitTransfer) bool { return len(x.want) == 0 })
	var out []byte
	next, done := 0, 0
	offering, quiet := false, 0
	for done < len(ts) || next < len(in) {
		if !offering && next < len(in) && b.r.IntN(100) < p.in {
			offering = true
			b.offer(in[next])
		}
		if !offering {
			b.set("in_valid", 0)
		}
		b.set("out_ready", bit(b.r.IntN(100) < p.out && cycles%max(1, p.outEvery) == 0))
		require.NoError(t, b.e.Step())
		cycles++
		quiet++
		if offering && b.get("in_ready") == 1 {
			offering, quiet = false, 0
			next++
		}
		if b.get("out_valid") == 1 && b.e.In()[b.ports["out_ready"].Offset] == 1 {
			quiet = 0
			require.Less(t, done, len(ts), "a word comes after all transfers, cycle %d", cycles)
			x := &ts[done]
			at := fmt.Sprintf("transfer %d of %d, byte %d, cycle %d", done, len(ts), len(out), cycles)
			n := int(b.get("out_bytes"))
			last := b.get("out_last") == 1
			require.Equal(t, min(b.lanes, len(x.want)-len(out)), n, "bytes; %s", at)
			data := b.e.Out()[b.ports["out_data"].Offset:]
			for i := range n {
				out = append(out, byte(data[i/8]>>(8*(i%8))))
			}
			require.Equal(t, len(out) == len(x.want), last, "last; %s", at)
			require.Equal(t, x.want[len(out)-n:len(out)], out[len(out)-n:], "data; %s", at)
			if last {
				require.Equal(t, x.cause, b.get("out_cause"), "cause; %s", at)
				out = out[:0]
				done++
			}
		}
		require.Less(t, quiet, 2000, "nothing moves: transfer %d, word %d of %d", done, next, len(in))
	}
	b.set("in_valid", 0)
	b.set("out_ready", 1)
	return cycles
}

func unitModel(t testing.TB, d *ir.Design, seed uint64) sim.Engine {
	t.Helper()
	e, err := sim.New(d, sim.Options{Seed: seed})
	require.NoError(t, err)
	t.Cleanup(func() {
		require.NoError(t, sim.Violations(e))
		require.NoError(t, e.Close())
	})
	return e
}

func unitLockstep(t testing.TB, d *ir.Design, seed uint64) sim.Engine {
	t.Helper()
	e, err := verilator.Couple(t.Context(), d, seed, verilator.Options{Quick: true}, verilator.LockstepOptions{Dir: t.TempDir()})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, e.Close()) })
	return e
}
