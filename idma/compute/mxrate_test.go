package compute_test

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/millrace-hdl/millrace/idma/compute"
)

// On the side that has more words one moves in every cycle, from the first transfer to
// the last. Quantising ends as many cycles later as a block has steps, because its scale
// comes with its last word: then follow the search of its largest exponent, a stage for
// each three levels of comparisons, two registers, and a cycle more where the last bytes
// do not fit into the bus word that they complete. Dequantising has two registers.
func TestMXRate(t *testing.T) {
	for _, u := range mxUnits(mxWidths...) {
		const seed = 3
		r := rand.New(rand.NewPCG(seed, 1))
		b := newUnitBench(t, unitModel(t, u.design(t), seed), u.width/8, seed)
		for _, shape := range []struct{ transfers, blocks int }{{1, 1}, {1, 2}, {1, 64}, {50, 1}, {50, 2}, {20, 7}} {
			var ts []unitTransfer
			in, out := 0, 0
			words := func(data []byte) int { return (8*len(data) + u.width - 1) / u.width }
			for range shape.transfers {
				x := u.transfer(compute.MXModeE5M2, u.mxData(r, shape.blocks))
				ts = append(ts, x)
				in, out = in+words(x.in), out+words(x.want)
			}
			want := max(in, out) + 2
			if !u.dequantise {
				want += u.lateness(len(ts[0].want))
			}
			require.Equal(t, want, b.run(t, ts, fullPace), "%s, %+v, words %d in and %d out", u, shape, in, out)
		}
	}
}

// Bytes gather while a bus word waits to be taken, so that quantising goes on at full rate
// where the destination takes a word in one of three cycles.
func TestMXQuantiseOutlastsASlowDestination(t *testing.T) {
	for _, width := range []int{32, 64, 128} {
		u := mxUnit{width: width, float: compute.FP32}
		r := rand.New(rand.NewPCG(4, 1))
		b := newUnitBench(t, unitModel(t, u.design(t), 1), width/8, 1)
		x := u.transfer(compute.MXModeE4M3, u.mxData(r, 200))
		slow := b.run(t, []unitTransfer{x}, pace{in: 100, out: 100, outEvery: 3})
		require.LessOrEqual(t, slow, len(x.in)*8/width+u.lateness(len(x.want))+2+6, "%d bit", width)
	}
}

// lateness is the cycles of the search and of the last block of some bytes.
func (u mxUnit) lateness(bytes int) int {
	size := u.block() / 32
	numbers := max(1, u.width/8/size)
	steps, levels := max(1, 32/numbers), 0
	for n := min(numbers, 32); n > 1; n /= 2 {
		levels++
	}
	late := steps + max(1, (levels+2)/3)
	chunk := numbers
	if steps == 1 { // of whole blocks, but for one that is left over
		chunk = min(bytes, 33*numbers/32)
		if bytes%(33*numbers/32) != 0 {
			chunk = bytes % (33 * numbers / 32)
		}
	}
	if (bytes-chunk)%(u.width/8)+chunk > u.width/8 {
		late++
	}
	return late
}
