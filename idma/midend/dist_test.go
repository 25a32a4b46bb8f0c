package midend_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/millrace-hdl/millrace/hdl/ir"
	"github.com/millrace-hdl/millrace/hdl/sim"
	"github.com/millrace-hdl/millrace/idma/midend"
)

func distOf(t testing.TB, outputs int, edits ...func(*midend.DistConfig)) (midend.DistConfig, *ir.Design) {
	t.Helper()
	c := midend.DefaultDist()
	c.Outputs = outputs
	for _, e := range edits {
		e(&c)
	}
	d, err := midend.ElaborateDist(c)
	require.NoError(t, err)
	return c, d
}

// distribute adds a request whose pieces each go to the output of their part.
func (b *bench) distribute(c midend.DistConfig, q request) {
	var to []int
	pieces := cut(q["src_addr"], q["dst_addr"], q["length"], q["id"], c.Region, c.Backend.AddrWidth)
	bySource := q["src_addr"] >= c.Region.Start && q["src_addr"] < c.Region.End
	for i, p := range pieces {
		ref := p.dst
		if bySource {
			ref = p.src
		}
		to = append(to, int(ref/c.Region.Size%uint64(c.Outputs)))
		if c.Tree && c.Outputs > 2 && to[i]%2 == 1 {
			pieces[i].last = 1 // of what the last node has
		}
	}
	next := 0
	b.ask(q, pieces, 10, func(linear) int { next++; return to[next-1] })
}

// distributed begins in each part, ends anywhere up to several times through all outputs, and
// goes over the edges of the region and of the address space.
func distributed(t *testing.T, e sim.Engine, c midend.DistConfig, seed uint64, stall int) {
	t.Helper()
	b := newBench(t, e, seed, stall)
	size, all := c.Region.Size, c.Region.Size*uint64(c.Outputs)
	add := func(src, dst, length uint64) {
		b.distribute(c, request{"src_addr": src, "dst_addr": dst, "length": length, "id": b.rng.Uint64N(16), "last": b.rng.Uint64N(2), "src_burst": 1, "dst_burst": 1})
	}
	base := func() uint64 { return 0x8000_0000 + b.rng.Uint64N(1<<10)*all }
	for part := range uint64(c.Outputs) {
		at := base() + part*size
		for _, length := range []uint64{size, size + 1, all, all + 2*size + 3, 3*all - 1} {
			add(uint64(b.rng.Uint32()>>1)&^1, at+b.rng.Uint64N(size), length-b.rng.Uint64N(2))
		}
		add(c.Region.Start+part*size+b.rng.Uint64N(size), base(), 2*all+b.rng.Uint64N(size)) // where there is a region, its source counts
	}
	for range 20 { // in and out of the region and over the end of memory, both ends of the transfer
		near := func() uint64 {
			edge := []uint64{c.Region.Start, c.Region.End, 0, base()}[b.rng.IntN(4)]
			return (edge + b.rng.Uint64N(4*all) - 2*all) & 0xffff_ffff
		}
		add(near(), near(), b.rng.Uint64N(4*all))
	}
	b.check()
	for i := range b.got {
		require.NotEmpty(t, b.got[i])
	}
	if stall > 0 {
		require.Positive(t, b.wants.failing)
	}
}

// distributions are regions, trees and error handling.
var distributions = []func(*midend.DistConfig){
	func(c *midend.DistConfig) { c.Region.Size = 32 },
	func(c *midend.DistConfig) {
		c.Region, c.InFlight = midend.Region{Size: 16, Start: 0x40_0000, End: 0x50_0040}, 2
	},
	func(c *midend.DistConfig) { c.Region.Size, c.Backend.ErrorHandling = 64, true },
	func(c *midend.DistConfig) { c.Region.Size, c.Tree = 32, true },
	func(c *midend.DistConfig) {
		c.Region, c.Backend.ErrorHandling, c.Tree = midend.Region{Size: 16, Start: 0x40_0000, End: 0x50_0040}, true, true
	},
}

func TestHazard30DistGivesEveryByteToItsOutput(t *testing.T) {
	for _, outputs := range []int{2, 4, 8, 16} {
		for k, edit := range distributions {
			t.Run(fmt.Sprintf("%d outputs, %d", outputs, k), func(t *testing.T) {
				t.Parallel()
				c, d := distOf(t, outputs, edit)
				for seed := uint64(1); seed <= 3; seed++ {
					distributed(t, model(t, d, seed), c, seed+uint64(100*k), []int{0, 20, 70}[seed%3])
				}
			})
		}
	}
}

func TestDistInLockstep(t *testing.T) {
	for _, outputs := range []int{2, 4, 8, 16} {
		for k, edit := range distributions {
			if outputs != 4 && k != 1 && k != 4 { // those with the most in them
				continue
			}
			t.Run(fmt.Sprintf("%d outputs, %d", outputs, k), func(t *testing.T) {
				t.Parallel()
				c, d := distOf(t, outputs, edit)
				distributed(t, both(t, d, 9), c, uint64(9+k), 30)
			})
		}
	}
}

// Pieces go one a cycle, the first in the cycle of the request, and over all outputs
// while none of them has answered.
func TestDistLatency(t *testing.T) {
	_, d := distOf(t, 4, func(c *midend.DistConfig) { c.Region.Size = 16 })
	b := newBench(t, model(t, d, 1), 1, 0)
	for range 4 {
		b.todo = append(b.todo, request{"length": 128, "src_addr": 0, "dst_addr": 0x50})
	}
	b.run(4)
	require.Len(t, b.at, 32)
	require.Equal(t, 0, b.at[0])
	require.Equal(t, 31, b.at[31])
	for i, got := range b.got {
		require.Len(t, got, 8)
		require.Equal(t, uint64(i), got[0].dst>>4%4)
	}
}

// In a tree of two levels and more the first piece comes a cycle later for each level but the
// first, and all nodes above the outputs issue one a cycle.
func TestDistTreeLatency(t *testing.T) {
	for levels := 1; levels <= 5; levels++ {
		outputs := 1 << levels
		_, d := distOf(t, outputs, func(c *midend.DistConfig) { c.Region.Size, c.Tree = 16, true })
		b := newBench(t, model(t, d, 1), 1, 0)
		for range 4 {
			b.todo = append(b.todo, request{"length": uint64(16 * outputs * 8), "src_addr": 0, "dst_addr": 0})
		}
		b.run(4)
		require.Len(t, b.at, 32*outputs)
		require.Equal(t, levels-1, b.at[0])
		require.Equal(t, 32*outputs/(outputs/2)-1+2*(levels-1), b.at[len(b.at)-1])
	}
}

func TestRegionsThatAreNone(t *testing.T) {
	c := midend.DefaultDist()
	c.Outputs, c.Region = 3, midend.Region{Size: 48, Start: 9, End: 8}
	require.EqualError(t, c.Validate(), "Outputs is 3; allowed: 2, 4, 8, 16 or 32\n"+
		"Region.Size is 48; allowed: a power of two from a bus word, 4, to half of what 32 bits of address hold\nRegion.End is 0x8; allowed: Region.Start, 0x9, or more")
	c = midend.DefaultDist()
	c.Outputs, c.Backend.AddrWidth, c.Backend.LengthWidth, c.Region.Size = 32, 12, 12, 256
	require.ErrorContains(t, c.Validate(), "Region.Size is 256; allowed: so little that a part for each of 32 outputs fits into 12 bits of address")
}
