package midend_test

import (
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"github.com/millrace-hdl/millrace/idma/midend"
)

// Loops whose strides count from the base of each loop reach, turned into jumps, the
// addresses that nested loops of a program do.
func TestJumps(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for range 200 {
		var loops []midend.Loop
		var dims []dim
		for range 1 + rng.IntN(4) {
			loops = append(loops, midend.Loop{Reps: rng.Uint64N(4), SrcStride: rng.Int64N(2000) - 1000, DstStride: rng.Int64N(2000) - 1000})
		}
		loops[0].Reps++ // not all zero
		jumps := midend.Jumps(loops)
		require.Empty(t, cmp.Diff(loops, midend.BaseRelative(jumps)))
		for _, j := range jumps {
			dims = append(dims, dim{j.Reps, uint64(j.SrcStride), uint64(j.DstStride)})
		}
		got := tensor(1<<20, 1<<21, 1, 0, dims, 64)

		var want [][2]uint64
		var nest func(k int, src, dst uint64)
		nest = func(k int, src, dst uint64) {
			if k < 0 {
				want = append(want, [2]uint64{src, dst})
				return
			}
			for i := range max(loops[k].Reps, 1) {
				nest(k-1, src+i*uint64(loops[k].SrcStride), dst+i*uint64(loops[k].DstStride))
			}
		}
		nest(len(loops)-1, 1<<20, 1<<21)
		require.Len(t, got, len(want))
		for i, p := range got {
			require.Equal(t, want[i], [2]uint64{p.src, p.dst}, "%v", loops)
		}
	}
}
