package midend_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/millrace-hdl/millrace/hdl/ir"
	"github.com/millrace-hdl/millrace/hdl/sim"
	"github.com/millrace-hdl/millrace/idma/midend"
)

func splitOf(t testing.TB, edits ...func(*midend.SplitConfig)) (midend.SplitConfig, *ir.Design) {
	t.Helper()
	c := midend.DefaultSplit()
	for _, e := range edits {
		e(&c)
	}
	d, err := midend.ElaborateSplit(c)
	require.NoError(t, err)
	return c, d
}

// cut is the specification, §3.3, byte by byte: a new piece begins where the reference
// address enters another part. A transfer of no bytes is one piece, refused below.
func cut(src, dst, length, id uint64, r midend.Region, addrWidth int) (all []linear) {
	if length == 0 {
		return []linear{{src, dst, 0, id, 1}}
	}
	mask := ^uint64(0) >> (64 - addrWidth)
	ref := dst
	if src >= r.Start && src < r.End {
		ref = src
	}
	for i := range length {
		at := (ref + i) & mask
		if i == 0 || at%r.Size == 0 {
			all = append(all, linear{(src + i) & mask, (dst + i) & mask, 0, id, 0})
		}
		all[len(all)-1].length++
	}
	all[len(all)-1].last = 1
	return all
}

// randomCuts are transfers around the region and its parts.
func randomCut(b *bench, r midend.Region, addrWidth int) request {
	mask := ^uint64(0) >> (64 - addrWidth)
	near := func() uint64 {
		base := []uint64{0, r.Start, r.End, b.rng.Uint64N(1<<20) * r.Size}[b.rng.IntN(4)]
		return (base + b.rng.Uint64N(4*r.Size) - 2*r.Size) & mask
	}
	q := request{"src_addr": near(), "dst_addr": near(), "length": b.rng.Uint64N(r.Size * 20), "id": b.rng.Uint64N(16), "last": b.rng.Uint64N(2), "src_burst": 1, "dst_burst": 1}
	switch b.rng.IntN(5) {
	case 0:
		q["length"] = 0
	case 1: // to the last byte of a part
		q["length"] = r.Size - q["dst_addr"]%r.Size
	}
	return q
}

// randomSplits runs transfers of which some pieces fail.
func randomSplits(t *testing.T, e sim.Engine, c midend.SplitConfig, seed uint64, n, stall int) {
	t.Helper()
	b := newBench(t, e, seed, stall)
	for range n {
		q := randomCut(b, c.Region, c.Backend.AddrWidth)
		b.ask(q, cut(q["src_addr"], q["dst_addr"], q["length"], q["id"], c.Region, c.Backend.AddrWidth), 10, only)
	}
	b.check()
}

var regions = []midend.Region{{Size: 64}, {Size: 16, Start: 0x1000, End: 0x9000}, {Size: 4, Start: 0x8000_0000, End: 0xffff_ffff}}

func TestSplitMakesWhatTheSpecificationSays(t *testing.T) {
	for i, r := range regions {
		for k, edit := range []func(*midend.SplitConfig){func(*midend.SplitConfig) {}, func(c *midend.SplitConfig) { c.Registered = true }, func(c *midend.SplitConfig) { c.InFlight = 1 }} {
			c, d := splitOf(t, func(c *midend.SplitConfig) { c.Region = r }, edit)
			for seed := uint64(1); seed <= 3; seed++ {
				randomSplits(t, model(t, d, seed), c, seed+uint64(10*i+100*k), 60, []int{0, 20, 80}[seed%3])
			}
		}
	}
	for _, width := range []int{12, 64} { // parts as large as half the addresses
		c, d := splitOf(t, func(c *midend.SplitConfig) {
			c.Backend.AddrWidth, c.Backend.LengthWidth = width, 12
			c.Region = midend.Region{Size: 1 << 11}
		})
		b := newBench(t, model(t, d, 1), 1, 0)
		b.todo = append(b.todo, request{"src_addr": 0, "dst_addr": 0x7ff, "length": 0x900, "src_burst": 1, "dst_burst": 1})
		b.run(1)
		require.Equal(t, cut(0, 0x7ff, 0x900, 0, c.Region, width), b.got[0])
	}
}

func TestSplitInLockstep(t *testing.T) {
	for i, handled := range []bool{false, true} {
		c, d := splitOf(t, func(c *midend.SplitConfig) {
			c.Region, c.Backend.ErrorHandling, c.Registered = regions[1], handled, handled
		})
		randomSplits(t, both(t, d, 5), c, uint64(5+i), 80, 30)
	}
}

// The first piece goes in the cycle of the request, the others follow one a cycle.
func TestSplitLatency(t *testing.T) {
	_, d := splitOf(t, func(c *midend.SplitConfig) { c.Region.Size = 16 })
	b := newBench(t, model(t, d, 1), 1, 0)
	for range 4 {
		b.todo = append(b.todo, request{"length": 80, "src_addr": 0, "dst_addr": 0})
	}
	b.run(4)
	require.Equal(t, b.offered[0], b.at[0])
	require.Len(t, b.at, 20)
	require.Equal(t, 19, b.at[19]-b.at[0])
}

// However many pieces a transfer has, it has one response.
func TestHazard28SplitAnswersOnce(t *testing.T) {
	_, d := splitOf(t, func(c *midend.SplitConfig) { c.Region.Size = 8 })
	for n := uint64(1); n < 60; n++ {
		b := newBench(t, model(t, d, n), n, 0)
		b.todo = append(b.todo, request{"length": n, "src_addr": 3, "dst_addr": 5, "last": 1})
		b.run(1) // which requires that no other comes
		require.Equal(t, []answer{{last: 1}}, b.answers)
	}
}

// No piece crosses a part when the stage below takes none for a while.
func TestHazard29SplitWaitsForItsFirstPiece(t *testing.T) {
	c, d := splitOf(t, func(c *midend.SplitConfig) { c.Region.Size = 16 })
	for stalled := range 5 {
		b := newBench(t, model(t, d, 1), 1, 0)
		for range 2 {
			b.todo = append(b.todo, request{"length": 50, "src_addr": 7, "dst_addr": 9})
		}
		b.stall = 100
		for range stalled {
			b.step()
		}
		b.stall = 0
		b.run(2)
		once := cut(7, 9, 50, 0, c.Region, 32)
		require.Equal(t, append(once, once...), b.got[0])
	}
}
