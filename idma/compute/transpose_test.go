package compute_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/millrace-hdl/millrace/hdl/ir"
	"github.com/millrace-hdl/millrace/idma/compute"
	"github.com/millrace-hdl/millrace/tb/computed"
)

// tileTransfers is a tile as the unit has it, rows in and rows out. A cause comes with
// row failsAt, if there is one.
func tileTransfers(r *rand.Rand, m, n int, mode, cause uint64, failsAt int) (ts []unitTransfer) {
	size := 1 << mode
	in := make([][]byte, m)
	for i := range in {
		for range n * size {
			in[i] = append(in[i], byte(r.Uint32()))
		}
	}
	out := computed.Transpose(in, size)
	for i := range max(m, n) {
		x := unitTransfer{mode: mode, m: uint64(m), n: uint64(n)}
		if i < m {
			x.in = in[i]
			if i == failsAt {
				x.inCause = cause
			}
		}
		if i < n {
			x.want, x.cause = out[i], cause
		}
		ts = append(ts, x)
	}
	return ts
}

func transposer(t testing.TB, width, banks int) *ir.Design {
	t.Helper()
	return unitDesign(t, compute.Transpose{OneBank: banks == 1}, width)
}

// Every shape of tile, at the edges of a matrix and inside it.
func TestTransposeUnit(t *testing.T) {
	for _, width := range mxWidths {
		for _, banks := range []int{1, 2} {
			t.Run(fmt.Sprintf("%d bit, %d banks", width, banks), func(t *testing.T) {
				t.Parallel()
				const seed = 5
				r := rand.New(rand.NewPCG(seed, uint64(width)))
				b := newUnitBench(t, unitModel(t, transposer(t, width, banks), seed), width/8, seed)
				for mode := uint64(0); mode < 4 && 8<<mode <= width; mode++ {
					var ts []unitTransfer
					most := width / 8 >> mode
					shapes := [][2]int{{1, 1}, {most, most}, {most, 1}, {1, most}}
					for range 40 {
						shapes = append(shapes, [2]int{1 + r.IntN(most), 1 + r.IntN(most)})
					}
					if most <= 8 {
						for i := range most * most {
							shapes = append(shapes, [2]int{1 + i/most, 1 + i%most})
						}
					}
					for _, s := range shapes {
						cause := uint64(r.IntN(8))
						if cause == 1 || cause > 3 {
							cause = 0
						}
						ts = append(ts, tileTransfers(r, s[0], s[1], mode, cause, r.IntN(s[0]))...)
					}
					for _, p := range []pace{fullPace, {in: 100, out: 30}, {in: 30, out: 100}, {in: 60, out: 60}} {
						b.run(t, ts, p)
					}
				}
			})
		}
	}
}

// With two banks a bus word comes and one goes in every cycle; with one a tile waits for
// the one before.
func TestTransposeRate(t *testing.T) {
	for _, width := range mxWidths {
		for mode := uint64(0); mode < 4 && 8<<mode <= width; mode++ {
			const tiles = 20
			side := width / 8 >> mode
			r := rand.New(rand.NewPCG(3, uint64(width)))
			var ts []unitTransfer
			for range tiles {
				ts = append(ts, tileTransfers(r, side, side, mode, 0, -1)...)
			}
			at := fmt.Sprintf("%d bit, mode %d", width, mode)
			two := newUnitBench(t, unitModel(t, transposer(t, width, 2), 1), width/8, 1)
			require.Equal(t, tiles*side+side+1, two.run(t, ts, fullPace), at)
			one := newUnitBench(t, unitModel(t, transposer(t, width, 1), 1), width/8, 1)
			require.Equal(t, tiles*2*side+1, one.run(t, ts, fullPace), at)
		}
	}
}

func TestTransposeInLockstep(t *testing.T) {
	for _, c := range []struct{ width, banks int }{{64, 2}, {32, 1}} {
		const seed = 29
		r := rand.New(rand.NewPCG(seed, uint64(c.width)))
		b := newUnitBench(t, unitLockstep(t, transposer(t, c.width, c.banks), seed), c.width/8, seed)
		var ts []unitTransfer
		for range 60 {
			mode := r.Uint64N(4)
			most := max(1, c.width/8>>mode)
			if c.width/8>>mode == 0 {
				mode = 0
			}
			ts = append(ts, tileTransfers(r, 1+r.IntN(most), 1+r.IntN(most), mode, 0, -1)...)
		}
		for _, p := range []pace{fullPace, {in: 60, out: 60}} {
			b.run(t, ts, p)
		}
	}
}
