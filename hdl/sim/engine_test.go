package sim_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/millrace-hdl/millrace/hdl/irtest"
	"github.com/millrace-hdl/millrace/hdl/sim"
)

// TestEvalHasNoMemory: any number of evaluations with other inputs before a step
// leave no trace in it.
func TestEvalHasNoMemory(t *testing.T) {
	for seed := range uint64(20) {
		d := irtest.Random(seed, irtest.Options{Levels: 1})
		a, err := sim.New(d, sim.Options{Seed: seed})
		require.NoError(t, err)
		b, err := sim.New(d, sim.Options{Seed: seed})
		require.NoError(t, err)
		r := rand.New(rand.NewPCG(seed, 0))
		inputs := func() {
			for _, p := range a.Layout().Inputs {
				stimulus(r, a.In()[p.Offset:][:p.Words()], p.Type.Width)
			}
		}
		for range 20 {
			for range 3 {
				inputs()
				require.NoError(t, a.Eval())
				for _, v := range a.Vars() {
					read(a, v)
				}
			}
			inputs()
			copy(b.In(), a.In())
			require.NoError(t, a.Step())
			require.NoError(t, b.Step())
			require.Equal(t, b.Out(), a.Out())
			require.Equal(t, b.State(), a.State())
		}
	}
}

func TestRunIsSteps(t *testing.T) {
	d := irtest.Random(5, irtest.Options{})
	a, err := sim.New(d, sim.Options{Seed: 1})
	require.NoError(t, err)
	b, err := sim.New(d, sim.Options{Seed: 1})
	require.NoError(t, err)
	r := rand.New(rand.NewPCG(1, 1))
	for n := range 6 {
		for _, p := range a.Layout().Inputs {
			stimulus(r, a.In()[p.Offset:][:p.Words()], p.Type.Width)
		}
		copy(b.In(), a.In())
		require.NoError(t, a.Run(n))
		for range n {
			require.NoError(t, b.Step())
		}
		require.Equal(t, b.Out(), a.Out())
		require.Equal(t, b.State(), a.State())
		require.Equal(t, b.Cycle(), a.Cycle())
	}
	require.Equal(t, uint64(15), a.Cycle())
	require.ErrorContains(t, a.Run(-1), "run -1 cycles")
	require.NoError(t, a.Close())
}

// TestWiresArePresent: a wire follows registers and inputs without an Eval.
func TestWiresArePresent(t *testing.T) {
	m := newModel(t, `(design top) (module top (input a u4) (output y u4) (wire w u4) (reg r u4 (init 1:u4))
		(body (set w (add a r)) (set r w) (set y r)))`, sim.Options{})
	for _, a := range []uint64{3, 5, 5, 2} {
		drive(t, m, map[string]uint64{"a": a})
		r := value(t, m, "r")
		require.Equal(t, (a+r)&15, value(t, m, "w"))
		require.NoError(t, m.Step())
		require.Equal(t, (a+r)&15, value(t, m, "r"))
		require.Equal(t, (a+a+r)&15, value(t, m, "w"))
	}
	m.Write(variable(t, m, "r"), []uint64{9})
	require.Equal(t, uint64(11), value(t, m, "w"))
}

// TestWiresOfManyPieces: wires that take more intermediate words than they have.
func TestWiresOfManyPieces(t *testing.T) {
	body, wires := "", ""
	for i := range 20 { // pieces that lie across two words each
		wires += fmt.Sprintf("(wire w%d u64)", i)
		body += fmt.Sprintf("(set w%d (cat %s a[%d:0]))", i, strings.Repeat(fmt.Sprintf(" (add a %d:u128)[64:63]", i), 30), 3)
	}
	m := newModel(t, "(design top) (module top (input a u128) (output y u1)"+wires+"(body (set y a[0])"+body+"))", sim.Options{})
	m.In()[0], m.In()[1] = 1<<63|5, 1
	for i := range 20 {
		require.Equal(t, ^uint64(0)&^15|5, value(t, m, fmt.Sprintf("w%d", i)))
	}
}

func TestHierarchy(t *testing.T) {
	m := newModel(t, `(design top)
		(module leaf (input a u4) (output now u4) (output late u4) (reg r u4 (init 0:u4)) (wire inner u4)
			(body (set inner (add a 1:u4)) (set now inner) (set r a) (set late r)))
		(module pair (input a u4) (output y u8)
			(inst_in u0_a u4) (inst_out u0_now u4) (inst_out u0_late u4)
			(inst_in u1_a u4) (inst_out u1_now u4) (inst_out u1_late u4)
			(instance u0 leaf (port a u0_a) (port now u0_now) (port late u0_late))
			(instance u1 leaf (port a u1_a) (port now u1_now) (port late u1_late))
			(body (set u0_a (add a u1_late)) (set u1_a u0_now) (set y (cat u1_now u0_late))))
		(module top (input a u4) (output y u8) (inst_in p_a u4) (inst_out p_y u8) (wire t1 u4 temp)
			(instance p pair (port a p_a) (port y p_y))
			(body (set p_a a) (set t1 a) (set y p_y)))`, sim.Options{})
	var paths []string
	for _, v := range m.Vars() {
		paths = append(paths, v.Path)
	}
	require.Equal(t, []string{
		"p.a", "p.y",
		"p.u0.a", "p.u0.now", "p.u0.late", "p.u0.r", "p.u0.inner",
		"p.u1.a", "p.u1.now", "p.u1.late", "p.u1.r", "p.u1.inner",
	}, paths, "ports of the top, instance connections and temporary names are left out")
	r0, r1 := uint64(0), uint64(0)
	for a := range uint64(40) {
		drive(t, m, map[string]uint64{"a": a % 16})
		require.NoError(t, m.Step())
		in0 := (a + r1) % 16
		in1 := (in0 + 1) % 16
		require.Equal(t, (in1+1)%16<<4|r0, out(t, m, "y"))
		r0, r1 = in0, in1
		require.Equal(t, r0, value(t, m, "p.u0.r"))
		require.Equal(t, r1, value(t, m, "p.u1.late"))
	}
}

// TestModelsAreIndependent runs models of one design side by side; with the race
// detector it shows that they share nothing that changes.
func TestModelsAreIndependent(t *testing.T) {
	d := irtest.Random(8, irtest.Options{})
	var wg sync.WaitGroup
	states := make([][]uint64, 4)
	for i := range states {
		wg.Add(1)
		go func() {
			defer wg.Done()
			m, err := sim.New(d, sim.Options{Seed: 1})
			if err != nil || m.Run(50) != nil {
				return
			}
			for _, v := range m.Vars() {
				read(m, v)
			}
			states[i] = m.State()
		}()
	}
	wg.Wait()
	for _, s := range states {
		require.NotNil(t, s)
		require.Equal(t, states[0], s)
	}
}

func TestUnknownPort(t *testing.T) {
	m := newModel(t, stateful, sim.Options{})
	_, err := m.Layout().Port("b")
	require.ErrorContains(t, err, `the design has no port "b"`)
}
