package compute_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/millrace-hdl/millrace/idma/compute"
)

// maskTransfers are random transfers of any length and, as the oracle, the definition a byte at a time.
func maskTransfers(r *rand.Rand, lanes, count int) (ts []unitTransfer) {
	for range count {
		x := unitTransfer{mode: r.Uint64N(4), m: r.Uint64N(4096), n: r.Uint64N(4096), cause: r.Uint64N(2) * 3}
		x.inCause = x.cause
		for i := range 1 + r.IntN(4*lanes) {
			b, p := byte(r.Uint32()), byte(x.m)
			if i%2 == 1 {
				p = byte(x.n)
			}
			x.in = append(x.in, b)
			x.want = append(x.want, []byte{p, b & p, b | p, b ^ p}[x.mode])
		}
		ts = append(ts, x)
	}
	return ts
}

func TestFillMaskUnit(t *testing.T) {
	for _, width := range []int{16, 32, 64, 128, 256, 512, 1024} {
		t.Run(fmt.Sprintf("%d bit", width), func(t *testing.T) {
			const seed = 43
			r := rand.New(rand.NewPCG(seed, uint64(width)))
			b := newUnitBench(t, unitModel(t, unitDesign(t, compute.FillMask{}, width), seed), width/8, seed)
			for _, p := range []pace{{in: 100, out: 30}, {in: 30, out: 100}, {in: 60, out: 60}} {
				b.run(t, maskTransfers(r, width/8, 60), p)
			}
			ts := maskTransfers(r, width/8, 60)
			require.Equal(t, len(b.words(ts))+1, b.run(t, ts, fullPace), "cycles, seed %d", seed)
		})
	}
}

func TestFillMaskInLockstep(t *testing.T) {
	for _, width := range []int{16, 64, 1024} {
		t.Run(fmt.Sprintf("%d bit", width), func(t *testing.T) {
			const seed = 59
			r := rand.New(rand.NewPCG(seed, uint64(width)))
			b := newUnitBench(t, unitLockstep(t, unitDesign(t, compute.FillMask{}, width), seed), width/8, seed)
			for _, p := range []pace{{in: 100, out: 30}, {in: 60, out: 60}} {
				b.run(t, maskTransfers(r, width/8, 60), p)
			}
			ts := maskTransfers(r, width/8, 60)
			require.Equal(t, len(b.words(ts))+1, b.run(t, ts, fullPace), "cycles, seed %d", seed)
		})
	}
}

// Every transfer is taken, and as many bytes leave as came.
func TestFillMaskLengths(t *testing.T) {
	call := ask(t, compute.FillMask{}, 12, 32)
	for mode := range uint64(4) {
		for length := range uint64(70) {
			out, violated := call(map[string]uint64{"length": length, "opt_mode": mode, "opt_m": length, "opt_n": mode})
			require.Equal(t, length, out)
			require.False(t, violated)
		}
	}
}
