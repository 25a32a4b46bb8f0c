package check

import (
	"flag"
	"fmt"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/millrace-hdl/millrace/hdl/ir"
	"github.com/millrace-hdl/millrace/hdl/irtest"
)

var (
	seed  = flag.Uint64("seed", 0, "first seed of the random tests")
	seeds = flag.Uint64("seeds", 0, "how many seeds the random tests take; 0: as many as each thinks right")
)

// randomly runs f for each seed and says how to repeat a failure.
func randomly(t *testing.T, n uint64, f func(t *testing.T, s uint64, r *rand.Rand)) {
	t.Helper()
	if *seeds > 0 {
		n = *seeds
	}
	for s := *seed; s < *seed+n; s++ {
		if !t.Run(fmt.Sprint(s), func(t *testing.T) { f(t, s, rand.New(rand.NewPCG(s, 7))) }) {
			t.Fatalf("replay with: go test ./hdl/check -run %s -seed %d -seeds 1", t.Name(), s)
		}
	}
}

func TestRandomDesignsReadBack(t *testing.T) {
	randomly(t, 15, func(t *testing.T, s uint64, _ *rand.Rand) {
		d := irtest.Random(s, irtest.Options{Levels: 1, FalseLoops: s%2 == 0})
		text := d.String()
		again, err := ir.Parse("random", text)
		require.NoError(t, err)
		require.Equal(t, text, again.String())
		require.NoError(t, Design(again).Err())
	})
}

// An output that changes with an input in one cycle has a path from it.
func TestRandomPathsAreSound(t *testing.T) {
	changes := 0
	randomly(t, 20, func(t *testing.T, s uint64, r *rand.Rand) {
		d := irtest.Random(s, irtest.Options{MaxWidth: 20, Levels: 1, Signals: 4, FalseLoops: s%2 == 0})
		paths, err := CombPaths(d)
		require.NoError(t, err)
		has := map[[2]string]bool{}
		for _, p := range paths {
			has[[2]string{p.Output.Name, p.Input.Name}] = true
		}
		ref := irtest.NewReference(d)
		var ins, outs []*ir.Signal
		for _, p := range d.Top.Ports() {
			if p.Kind == ir.Input {
				ins = append(ins, p)
			} else {
				outs = append(outs, p)
			}
		}
		outputs := func() (vs []*big.Int) {
			require.NoError(t, ref.Settle())
			for _, o := range outs {
				vs = append(vs, ref.Get(o.Name))
			}
			return vs
		}
		for range 12 {
			for _, in := range ins {
				v := new(big.Int)
				for i := range in.Type.Width {
					v.SetBit(v, i, uint(r.IntN(2)))
				}
				ref.Set(in.Name, v)
			}
			before := outputs()
			in := ins[r.IntN(len(ins))]
			i := r.IntN(in.Type.Width)
			v := new(big.Int).Set(ref.Get(in.Name))
			ref.Set(in.Name, v.SetBit(v, i, 1-v.Bit(i)))
			for k, after := range outputs() {
				if after.Cmp(before[k]) != 0 {
					changes++
					require.True(t, has[[2]string{outs[k].Name, in.Name}], "%s changed with %s", outs[k].Name, in.Name)
				}
			}
			ref.Edge(false)
		}
	})
	require.Positive(t, changes)
}
