package compute_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/millrace-hdl/millrace/idma/compute"
)

// swapTransfers are random transfers of whole elements and, as the oracle, each element reversed.
func swapTransfers(r *rand.Rand, lanes, count int) (ts []unitTransfer) {
	for range count {
		mode := r.Uint64N(4)
		for 1<<mode > lanes {
			mode--
		}
		x := unitTransfer{mode: mode, m: r.Uint64N(4096), n: r.Uint64N(4096), cause: r.Uint64N(2) * 2}
		x.inCause = x.cause
		for range 1 + r.IntN(4*lanes>>mode) {
			element := make([]byte, 1<<mode)
			for i := range element {
				element[i] = byte(r.Uint32())
			}
			x.in = append(x.in, element...)
			slices.Reverse(element)
			x.want = append(x.want, element...)
		}
		ts = append(ts, x)
	}
	return ts
}

func TestByteSwapUnit(t *testing.T) {
	for _, width := range []int{16, 32, 64, 128, 256, 512, 1024} {
		t.Run(fmt.Sprintf("%d bit", width), func(t *testing.T) {
			const seed = 41
			r := rand.New(rand.NewPCG(seed, uint64(width)))
			b := newUnitBench(t, unitModel(t, unitDesign(t, compute.ByteSwap{}, width), seed), width/8, seed)
			for _, p := range []pace{{in: 100, out: 30}, {in: 30, out: 100}, {in: 60, out: 60}} {
				b.run(t, swapTransfers(r, width/8, 60), p)
			}
			ts := swapTransfers(r, width/8, 60)
			require.Equal(t, len(b.words(ts))+1, b.run(t, ts, fullPace), "cycles, seed %d", seed)
		})
	}
}

func TestByteSwapInLockstep(t *testing.T) {
	for _, width := range []int{16, 32, 64, 1024} {
		t.Run(fmt.Sprintf("%d bit", width), func(t *testing.T) {
			const seed = 53
			r := rand.New(rand.NewPCG(seed, uint64(width)))
			b := newUnitBench(t, unitLockstep(t, unitDesign(t, compute.ByteSwap{}, width), seed), width/8, seed)
			for _, p := range []pace{{in: 100, out: 30}, {in: 60, out: 60}} {
				b.run(t, swapTransfers(r, width/8, 60), p)
			}
			ts := swapTransfers(r, width/8, 60)
			require.Equal(t, len(b.words(ts))+1, b.run(t, ts, fullPace), "cycles, seed %d", seed)
		})
	}
}

func TestByteSwapLengths(t *testing.T) {
	for _, width := range []int{16, 32, 64} {
		call := ask(t, compute.ByteSwap{}, 12, width)
		for mode := range uint64(4) {
			for length := uint64(1); length < 70; length++ {
				out, violated := call(map[string]uint64{"length": length, "opt_mode": mode})
				require.Equal(t, length, out)
				require.Equal(t, 8<<mode > width || length%(1<<mode) != 0, violated, "width %d, mode %d, length %d", width, mode, length)
			}
		}
	}
}
