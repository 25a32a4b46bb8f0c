package lib_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/millrace-hdl/millrace/hdl"
	"github.com/millrace-hdl/millrace/hdl/check"
	"github.com/millrace-hdl/millrace/hdl/lib"
)

func asyncVariants() (ps []lib.AsyncFIFOParams) {
	for _, depth := range []int{2, 4, 16} {
		for _, stages := range []int{2, 3} {
			for _, block := range []bool{false, true} {
				ps = append(ps, lib.AsyncFIFOParams{Width: 13, Depth: depth, Stages: stages, Block: block})
			}
		}
	}
	return ps
}

// Order, no loss, no duplicate, and the latency of a word that is alone, at every
// ratio of the clocks and under different pressure on either side.
func TestAsyncFIFOKeepsItsContract(t *testing.T) {
	for _, v := range asyncVariants() {
		d := built(t, lib.AsyncFIFO, v)
		for i, ratio := range ratios {
			for _, rates := range [][2]int{{100, 100}, {90, 20}, {5, 90}} {
				t.Run(fmt.Sprintf("%s_%d_%d_%d", v.Suffix(), ratio[0], ratio[1], rates[0]), func(t *testing.T) {
					seed := uint64(i)
					t.Logf("seed %d", seed)
					r := rand.New(rand.NewPCG(seed, 8))
					const instants = 600
					moved := words(t, model(t, d, seed), v.Stages+1, newClocks(r, ratio[0], ratio[1]), r, instants, rates[0], rates[1])
					require.Greater(t, moved, instants/150, "seed %d", seed)
				})
			}
		}
	}
}

// With equal clocks a queue that is deep enough moves a word every cycle, and the
// next smaller power of two does not.
func TestAsyncFIFOThroughput(t *testing.T) {
	const cycles = 200
	for _, c := range []struct {
		depth, stages int
		full          bool
	}{{8, 2, true}, {4, 2, false}, {8, 3, true}, {16, 4, true}, {8, 4, false}} {
		for _, block := range []bool{false, true} {
			v := lib.AsyncFIFOParams{Width: 13, Depth: c.depth, Stages: c.stages, Block: block}
			r := rand.New(rand.NewPCG(1, 1))
			moved := words(t, model(t, built(t, lib.AsyncFIFO, v), 1), c.stages+1, newClocks(r, 1, 1), r, cycles, 100, 100)
			first := c.stages + 2 // the cycle in which the first word leaves, from 0
			require.Equal(t, c.full, moved == cycles-first, "%s moved %d", v.Suffix(), moved)
		}
	}
}

// A queue that nothing leaves takes what its memory and its output register hold.
func TestAsyncFIFOFills(t *testing.T) {
	for _, v := range asyncVariants() {
		p := pinsOf(t, model(t, built(t, lib.AsyncFIFO, v), 3))
		taken := 0
		p.set("in_valid", 1)
		for range 60 {
			p.set("in_data", uint64(taken))
			p.tick(fromEdge | toEdge)
			taken += int(p.get("in_ready"))
		}
		require.Equal(t, v.Depth+1, taken, v.Suffix())
	}
}

func TestAsyncFIFOHasNoPathThrough(t *testing.T) {
	for _, v := range asyncVariants() {
		paths, err := check.CombPaths(built(t, lib.AsyncFIFO, v))
		require.NoError(t, err)
		require.Empty(t, paths, v.Suffix())
	}
}

func TestAsyncFIFOParams(t *testing.T) {
	for _, c := range []struct {
		p    lib.AsyncFIFOParams
		want string
	}{
		{lib.AsyncFIFOParams{Width: 0, Depth: 4}, "Width 0: it must be at least 1"},
		{lib.AsyncFIFOParams{Width: 8, Depth: 6}, "Depth 6: it must be a power of two from 2 to 2^30"},
		{lib.AsyncFIFOParams{Width: 8, Depth: 1}, "Depth 1"},
		{lib.AsyncFIFOParams{Width: 8, Depth: 4, Stages: 1}, "1 Stages"},
	} {
		_, err := hdl.Elaborate(lib.AsyncFIFO, c.p)
		require.ErrorContains(t, err, c.want)
	}
	require.Equal(t, "4x8_2_block", lib.AsyncFIFOParams{Width: 8, Depth: 4, Block: true}.Suffix())
}

func TestCrossingsInRTL(t *testing.T) {
	t.Run("fifo", func(t *testing.T) {
		for _, block := range []bool{false, true} {
			v := lib.AsyncFIFOParams{Width: 13, Depth: 4, Stages: 2, Block: block}
			r := rand.New(rand.NewPCG(4, 1))
			words(t, couple(t, built(t, lib.AsyncFIFO, v)), 3, newClocks(r, 3, 4), r, 500, 70, 60)
		}
	})
	t.Run("word", func(t *testing.T) {
		r := rand.New(rand.NewPCG(4, 2))
		words(t, couple(t, built(t, lib.WordSync, lib.WordSyncParams{Width: 13, Stages: 3})), 4, newClocks(r, 4, 3), r, 300, 70, 60)
	})
	t.Run("pulse", func(t *testing.T) {
		r := rand.New(rand.NewPCG(4, 3))
		pulses(t, couple(t, built(t, lib.PulseSync, lib.PulseSyncParams{})), 2, newClocks(r, 2, 5), r, 300)
	})
	t.Run("level", func(t *testing.T) {
		p := pinsOf(t, couple(t, built(t, levels, 3)))
		for i := range 20 {
			p.set("x", uint64(i)%8)
			p.tick(2)
		}
	})
	t.Run("reset", func(t *testing.T) {
		p := pinsOf(t, couple(t, built(t, lib.ResetSync, lib.ResetSyncParams{ActiveLow: true})))
		for range 5 {
			p.tick(2)
		}
	})
}
