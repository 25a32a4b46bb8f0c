package sim_test

import (
	"flag"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/millrace-hdl/millrace/hdl/ir"
	"github.com/millrace-hdl/millrace/hdl/irtest"
	"github.com/millrace-hdl/millrace/hdl/sim"
)

var (
	seed    = flag.Uint64("seed", 0, "first seed of the random designs")
	designs = flag.Int("designs", 40, "number of random designs")
)

// TestRandomDesigns compares the model with the reference on random designs:
// all ports, registers, wires and memories, in every cycle.
func TestRandomDesigns(t *testing.T) {
	for i := range *designs {
		s := *seed + uint64(i)
		o := irtest.Options{FalseLoops: s%4 == 0, MaxWidth: []int{8, 64, 160, 600}[s%4], Levels: int(s%5) - 2}
		if s%3 > 0 {
			o = o.Full()
		}
		compare(t, irtest.Random(s, o), s)
		if t.Failed() {
			t.Fatalf("replay with: go test ./hdl/sim -run %s -seed %d -designs 1", t.Name(), s)
		}
	}
}

// compare runs a design under random inputs, interpreted, and compiled if
// it has no black box.
func compare(t *testing.T, d *ir.Design, seed uint64) {
	t.Helper()
	for _, kind := range []sim.Kind{sim.Interpreter, sim.Auto} {
		m, err := sim.New(d, sim.Options{Seed: seed, Kind: kind})
		require.NoError(t, err, "seed %d", seed)
		compareModel(t, d, m, seed)
		require.NoError(t, m.Close())
	}
}

func compareModel(t *testing.T, d *ir.Design, m *sim.Model, seed uint64) {
	t.Helper()
	ref := irtest.NewReference(d)
	for _, v := range m.StateVars() {
		ref.Set(v.Path, irtest.Value(read(m, v)))
	}
	for _, x := range m.Mems() {
		w := x.Type.Words()
		all := make([]uint64, x.Depth*w)
		m.ReadMem(x, 0, all)
		for i, e := range ref.Mem(x.Path) {
			e.Set(irtest.Value(all[i*w:][:w]))
		}
	}
	r := rand.New(rand.NewPCG(seed, 1))
	observing := seed%2 == 0
	for cycle := range 24 {
		for _, p := range m.Layout().Inputs {
			in := m.In()[p.Offset:][:p.Words()]
			stimulus(r, in, p.Type.Width)
			ref.Set(p.Name, irtest.Value(in))
		}
		require.NoError(t, ref.Settle())
		if observing {
			require.NoError(t, m.Eval())
			for _, v := range m.Vars() {
				require.Equal(t, irtest.Words(ref.Get(v.Path), v.Type.Width), read(m, v), "seed %d cycle %d: %s", seed, cycle, v.Path)
			}
		}
		reset := cycle%7 == 3
		domains := m.Layout().AllDomains()
		switch {
		case reset:
			require.NoError(t, m.Reset(1))
		case len(m.Layout().Domains) > 1 && r.IntN(4) > 0:
			domains = r.Uint64() & domains
			require.NoError(t, m.Tick(domains))
		default:
			require.NoError(t, m.Step())
		}
		for _, p := range m.Layout().Outputs {
			got := m.Out()[p.Offset:][:p.Words()]
			require.Equal(t, irtest.Words(ref.Get(p.Name), p.Type.Width), got, "seed %d cycle %d: output %s", seed, cycle, p.Name)
		}
		ref.Tick(reset, ticking(d, domains)...)
		for _, c := range m.Checks() {
			at, hit := ref.Hit(c.Path)
			require.Equal(t, hit, c.Hit, "seed %d cycle %d: %s", seed, cycle, c.Path)
			require.Equal(t, at, c.Cycle, "seed %d: %s", seed, c.Path)
		}
		for _, v := range m.StateVars() {
			require.Equal(t, irtest.Words(ref.Get(v.Path), v.Type.Width), read(m, v), "seed %d cycle %d: register %s", seed, cycle, v.Path)
		}
		for _, x := range m.Mems() {
			got := make([]uint64, x.Type.Words())
			for i, e := range ref.Mem(x.Path) {
				m.ReadMem(x, i, got)
				require.Equal(t, irtest.Words(e, x.Type.Width), got, "seed %d cycle %d: %s[%d]", seed, cycle, x.Path, i)
			}
		}
	}
}

// ticking are the domains of the top whose bit is set.
func ticking(d *ir.Design, domains uint64) []*ir.Domain {
	var ds []*ir.Domain
	for i, c := range append([]*ir.Domain{nil}, d.Top.Domains...) {
		if domains>>i&1 == 1 {
			ds = append(ds, c)
		}
	}
	return ds
}

func read(e sim.Engine, v sim.Var) []uint64 {
	w := make([]uint64, v.Type.Words())
	e.Read(v, w)
	return w
}

// stimulus is a random value, often an extreme or a small one.
func stimulus(r *rand.Rand, w []uint64, width int) {
	clear(w)
	switch r.IntN(4) {
	case 0:
		w[0] = uint64(r.IntN(8))
	case 1:
		for i := range w {
			w[i] = ^uint64(0)
		}
	default:
		for i := range w {
			w[i] = r.Uint64()
		}
	}
	w[len(w)-1] &= ^uint64(0) >> (uint(-width) & 63)
}
