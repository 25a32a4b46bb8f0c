package sim_test

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/millrace-hdl/millrace/hdl/irtest"
	"github.com/millrace-hdl/millrace/hdl/sim"
)

const sleepy = `(design top) (module top (input go u1) (input a u8) (output y u8) (output z u8)
	(reg n u8 (init 0:u8)) (reg held u8 (init 0:u8)) (mem m u8 4)
	(body (if (when go (set n (add n 1:u8)) (set held (read m n[1:0])) (write m n[1:0] (xor a n))))
		(set y (xor a n)) (set z held)))`

// TestSleep: a design in which nothing moves is not computed, and is again when an
// input, its state or a memory changes.
func TestSleep(t *testing.T) {
	both := func() []*sim.Model {
		return []*sim.Model{newModel(t, sleepy, sim.Options{Seed: 9, Kind: sim.Compiled}), newModel(t, sleepy, sim.Options{Seed: 9, Kind: sim.Interpreter})}
	}
	ms := both()
	same := func() {
		t.Helper()
		require.Equal(t, ms[1].Out(), ms[0].Out())
		require.Equal(t, ms[1].State()[:2], ms[0].State()[:2])
		require.Equal(t, ms[1].Cycle(), ms[0].Cycle())
	}
	all := func(f func(m *sim.Model)) {
		t.Helper()
		for _, m := range ms {
			f(m)
		}
		same()
	}
	step := func(m *sim.Model) { require.NoError(t, m.Step()) }
	idle := func() {
		t.Helper()
		for range 40 {
			all(step)
		}
		require.True(t, ms[0].Asleep())
		require.False(t, ms[1].Asleep())
	}
	all(func(m *sim.Model) { require.NoError(t, m.Reset(1)) })
	idle()
	all(func(m *sim.Model) { drive(t, m, map[string]uint64{"a": 77}); step(m) }) // an input
	require.False(t, ms[0].Asleep())
	idle()
	all(func(m *sim.Model) { // outputs for other inputs in between
		drive(t, m, map[string]uint64{"a": 3})
		require.NoError(t, m.Eval())
		drive(t, m, map[string]uint64{"a": 77})
		step(m)
	})
	idle()
	all(func(m *sim.Model) { m.Write(variable(t, m, "n"), []uint64{5}); step(m) })
	idle()
	all(func(m *sim.Model) { m.WriteMem(m.Mems()[0], 1, []uint64{200}); step(m) })
	idle()
	all(func(m *sim.Model) { require.NoError(t, m.Run(1000)) })
	for range 50 { // no sleep while memory or a counter moves
		all(func(m *sim.Model) { drive(t, m, map[string]uint64{"go": 1}); step(m) })
		require.False(t, ms[0].Asleep())
	}
	all(func(m *sim.Model) { require.NoError(t, m.Run(1001)) })
	all(func(m *sim.Model) { require.NoError(t, m.Reset(2)) })
}

// TestMemoryKeepsAwake: a write to memory is a change although no register has one.
func TestMemoryKeepsAwake(t *testing.T) {
	m := newModel(t, `(design top) (module top (input a u8) (output y u8) (mem m u8 4)
		(body (write m 1:u2 (add (read m 1:u2) 1:u8)) (set y (xor a (read m 1:u2)))))`, sim.Options{Kind: sim.Compiled})
	for i := range uint64(100) {
		require.NoError(t, m.Step())
		require.Equal(t, i&0xff, out(t, m, "y"))
	}
}

// TestSleepOnRandomDesigns: inputs rarely change.
func TestSleepOnRandomDesigns(t *testing.T) {
	asleep := 0
	for seed := range uint64(10) {
		d := irtest.Random(seed, irtest.Options{MaxWidth: 80, Levels: -1})
		a, err := sim.New(d, sim.Options{Seed: seed, Kind: sim.Compiled})
		require.NoError(t, err)
		b, err := sim.New(d, sim.Options{Seed: seed, Kind: sim.Interpreter})
		require.NoError(t, err)
		r := rand.New(rand.NewPCG(seed, 3))
		for range 300 {
			if r.IntN(25) == 0 {
				for _, p := range a.Layout().Inputs {
					stimulus(r, a.In()[p.Offset:][:p.Words()], p.Type.Width)
				}
				copy(b.In(), a.In())
			}
			require.NoError(t, a.Step())
			require.NoError(t, b.Step())
			require.Equal(t, b.Out(), a.Out(), "seed %d", seed)
			if a.Asleep() {
				asleep++
			}
		}
		require.NoError(t, a.Close())
	}
	require.Greater(t, asleep, 20)
}
