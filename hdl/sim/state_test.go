package sim_test

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/millrace-hdl/millrace/hdl/irtest"
	"github.com/millrace-hdl/millrace/hdl/sim"
)

const stateful = `(design top)
	(module child (input a u8) (output y u8)
		(reg kept u8 (init 85:u8)) (reg free u70)
		(body (set kept a) (set free (extend a 70)) (set y (xor kept free[7:0]))))
	(module top (input a u8) (output y u8) (inst_in c_a u8) (inst_out c_y u8) (sync_read q u12)
		(mem m u12 6 (sync a[2:0] 1:u1 q old))
		(instance c child (port a c_a) (port y c_y))
		(body (set c_a a) (if (when a[7] (write m a[2:0] (extend a 12)))) (set y (xor c_y q[7:0]))))`

func TestReset(t *testing.T) {
	m := newModel(t, stateful, sim.Options{Seed: 3})
	require.Equal(t, uint64(85), value(t, m, "c.kept"), "a register with a reset value starts with it")
	drive(t, m, map[string]uint64{"a": 0x81})
	require.NoError(t, m.Step())
	require.Equal(t, uint64(0x81), value(t, m, "c.kept"))
	require.NoError(t, m.Reset(2))
	require.Equal(t, uint64(85), value(t, m, "c.kept"))
	require.Equal(t, uint64(0x81), value(t, m, "c.free"), "a reset cycle is an edge for registers without reset")
	got := make([]uint64, 1)
	m.ReadMem(m.Mems()[0], 1, got)
	require.Equal(t, uint64(0x81), got[0], "and for memories")
	require.Equal(t, uint64(3), m.Cycle())
	require.ErrorContains(t, m.Reset(0), "reset for 0 cycles: at least 1 is needed")
}

func TestSeeds(t *testing.T) {
	state := func(seed uint64, text string) map[string][]uint64 {
		m := newModel(t, text, sim.Options{Seed: seed})
		s := map[string][]uint64{}
		for _, v := range m.StateVars() {
			s[v.Path] = read(m, v)
			require.Zero(t, s[v.Path][len(s[v.Path])-1]>>((v.Type.Width-1)%64)>>1, "%s has bits above its width", v.Path)
		}
		for _, x := range m.Mems() {
			s[x.Path] = make([]uint64, x.Depth*x.Type.Words())
			m.ReadMem(x, 0, s[x.Path])
			for _, w := range s[x.Path] {
				require.Zero(t, w>>x.Type.Width, "%s has bits above its width", x.Path)
			}
		}
		return s
	}
	zero := state(0, stateful)
	require.Equal(t, map[string][]uint64{"c.kept": {85}, "c.free": {0, 0}, "q": {0}, "m": {0, 0, 0, 0, 0, 0}}, zero)
	require.Equal(t, state(7, stateful), state(7, stateful))
	one, two := state(1, stateful), state(2, stateful)
	for _, path := range []string{"c.free", "q", "m"} {
		require.NotEqual(t, one[path], two[path], path)
		require.NotEqual(t, zero[path], one[path], path)
	}
	require.Equal(t, []uint64{85}, one["c.kept"])
	more := state(1, `(design top) (module top (input a u8) (output y u8) (reg first u9) (sync_read q u12)
		(mem m u12 6 (sync a[2:0] 1:u1 q old))
		(body (set first 0:u9) (write m a[2:0] 0:u12) (set y q[7:0])))`)
	require.Equal(t, one["q"], more["q"], "the start of one register does not depend on the others")
	require.Equal(t, one["m"], more["m"])
}

// TestStateCopies: a model continues exactly like the one whose registers and
// memories it was given.
func TestStateCopies(t *testing.T) {
	for seed := range uint64(20) {
		d := irtest.Random(seed, irtest.Options{Levels: 1})
		a, err := sim.New(d, sim.Options{Seed: seed})
		require.NoError(t, err)
		b, err := sim.New(d, sim.Options{Seed: seed + 100})
		require.NoError(t, err)
		r := rand.New(rand.NewPCG(seed, 0))
		for cycle := range 30 {
			for _, p := range a.Layout().Inputs {
				stimulus(r, a.In()[p.Offset:][:p.Words()], p.Type.Width)
			}
			copy(b.In(), a.In())
			require.NoError(t, a.Step())
			require.NoError(t, b.Step())
			if cycle == 10 {
				for _, v := range a.StateVars() {
					b.Write(v, read(a, v))
				}
				for _, x := range a.Mems() {
					all := make([]uint64, x.Depth*x.Type.Words())
					a.ReadMem(x, 0, all)
					b.WriteMem(x, 0, all)
				}
			}
			if cycle > 10 {
				require.Equal(t, a.Out(), b.Out(), "seed %d cycle %d", seed, cycle)
			}
			if cycle >= 10 {
				require.Equal(t, a.State(), b.State(), "seed %d cycle %d", seed, cycle)
			}
		}
	}
}

func TestWriteCleansValues(t *testing.T) {
	m := newModel(t, stateful, sim.Options{})
	v := variable(t, m, "c.free")
	m.Write(v, []uint64{^uint64(0), ^uint64(0)})
	require.Equal(t, []uint64{^uint64(0), 63}, read(m, v))
	require.Equal(t, []uint64{^uint64(0), 63}, m.State()[m.StateOffset(v):][:2])
	x := m.Mems()[0]
	m.WriteMem(x, 4, []uint64{0xffff, 0xfffff})
	got := make([]uint64, 3)
	m.ReadMem(x, 3, got)
	require.Equal(t, []uint64{0, 0xfff, 0xfff}, got)
	require.NoError(t, m.Eval())
	require.Equal(t, uint64(85^255), out(t, m, "y"), "outputs follow what was written")
	require.Panics(t, func() { m.ReadMem(x, 4, got) }, "beyond the memory")
	require.Panics(t, func() { m.Write(variable(t, m, "c.y"), got) }, "a wire cannot be written")
}
