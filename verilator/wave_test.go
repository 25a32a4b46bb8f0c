package verilator_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/millrace-hdl/millrace/gen"
	"github.com/millrace-hdl/millrace/hdl/irtest"
	"github.com/millrace-hdl/millrace/hdl/sim"
	"github.com/millrace-hdl/millrace/hdl/sim/wave"
	"github.com/millrace-hdl/millrace/verilator"
)

// TestTracingChangesNothing: each engine gives the same outputs and has the same
// registers with a tracer and without.
func TestTracingChangesNothing(t *testing.T) {
	d := irtest.Random(11, irtest.Options{Levels: 1})
	rtl := build(t, d, verilator.Options{Quick: true, State: true})
	model := func() sim.Engine {
		m, err := sim.New(d, sim.Options{Seed: 3})
		require.NoError(t, err)
		return m
	}
	for name, engine := range map[string]func() sim.Engine{
		"go":        model,
		"verilator": func() sim.Engine { return start(t, rtl, 3) },
		"lockstep": func() sim.Engine {
			l, err := verilator.NewLockstep(model(), start(t, rtl, 3), verilator.LockstepOptions{Window: -1})
			require.NoError(t, err)
			return l
		},
	} {
		t.Run(name, func(t *testing.T) {
			plain, bare := engine(), engine()
			text := new(strings.Builder)
			v := wave.NewVCD(text, "top", bare, nil)
			traced := wave.Trace(bare, v)
			r := rand.New(rand.NewPCG(1, 2))
			require.NoError(t, plain.Reset(2))
			require.NoError(t, traced.Reset(2))
			for cycle := range 40 {
				for _, p := range plain.Layout().Inputs {
					w := plain.In()[p.Offset:][:p.Words()]
					for i := range w {
						w[i] = r.Uint64()
					}
					if n := p.Type.Width % 64; n != 0 {
						w[len(w)-1] &= 1<<n - 1
					}
				}
				copy(traced.In(), plain.In())
				require.NoError(t, plain.Step())
				require.NoError(t, traced.Step())
				require.Equal(t, plain.Out(), traced.Out(), "cycle %d", cycle)
				for _, x := range plain.Vars() {
					a, b := make([]uint64, x.Type.Words()), make([]uint64, x.Type.Words())
					plain.Read(x, a)
					bare.Read(x, b)
					require.Equal(t, a, b, "cycle %d: %s", cycle, x.Path)
				}
			}
			require.NoError(t, v.Close())
			require.Contains(t, text.String(), "\n#420\n")
		})
	}
}

// TestTheRTLPrintsNothing: waves come from outside, so what is emitted has nothing
// that prints or dumps.
func TestTheRTLPrintsNothing(t *testing.T) {
	for seed := range uint64(10) {
		files, err := gen.Emit(irtest.Random(seed, irtest.Options{Levels: 1}.Full()), gen.Options{})
		require.NoError(t, err)
		require.NotEmpty(t, files)
		for _, f := range files {
			for _, word := range []string{"$display", "$write", "$monitor", "$strobe", "$dump", "$fopen"} {
				require.NotContains(t, string(f.Data), word, "seed %d: %s", seed, f.Name)
			}
		}
	}
}
