package tb

import (
	"fmt"
	"math/bits"
	"math/rand/v2"

	"github.com/millrace-hdl/millrace/tb/job"
)

// RandomConfig describes random transfers. They are legal for an AXI4 back-end of
// the given widths, and likely to meet what is rare: page boundaries, ends of
// the address space, caps, changes of the decouple flags, no bytes at all, bytes
// shared with other transfers.
type RandomConfig struct {
	Jobs        int
	Bytes       int    // data bus width in bytes
	AddrWidth   int    // bits, 12…64
	LengthWidth int    // bits
	MaxLength   uint64 // bytes; lengths are spread evenly over orders of magnitude
	Zero        int    // percent of transfers without bytes
	Refused     int    // percent of transfers that ask for a FIXED burst or an exclusive access
}

// Random makes a list from a seed. The transfers of a list may overlap each other, but
// none overlaps itself from above, so that the list runs on a shared memory.
func Random(seed uint64, c RandomConfig) *job.List {
	rng := rand.New(rand.NewPCG(seed, 0x6a6f6273))
	list := &job.List{Name: fmt.Sprintf("random transfers, seed %d", seed)}
	// Most addresses lie in a few windows, so that transfers meet.
	space := ^uint64(0) >> (64 - c.AddrWidth)
	window := min(space, max(4*c.MaxLength, 16<<10))
	var bases []uint64
	for range 4 {
		bases = append(bases, rng.Uint64N(space-window+1)&^4095)
	}
	bases = append(bases, 0, space-window)
	for len(list.Jobs) < c.Jobs {
		j := job.New(c.length(rng), 0, 0)
		j.Src = c.side(rng, j.Length, space, window, bases)
		j.Dst = c.side(rng, j.Length, space, window, bases)
		if j.OverlapsUpward() {
			continue
		}
		j.DecoupleAW, j.DecoupleRW, j.Last = flip(rng), flip(rng), flip(rng)
		j.User = rng.Uint64()
		if chance(rng, c.Refused) {
			side := []*job.Side{&j.Src, &j.Dst}[rng.IntN(2)]
			side.Burst = uint8(rng.IntN(2))
			side.Lock = side.Burst == 1
		}
		list.Jobs = append(list.Jobs, j)
	}
	return list
}

func flip(rng *rand.Rand) bool { return rng.IntN(2) == 0 }

// length is at most what widths allow, evenly spread over its number of bits.
func (c *RandomConfig) length(rng *rand.Rand) uint64 {
	if chance(rng, c.Zero) {
		return 0
	}
	most := min(c.MaxLength, ^uint64(0)>>(64-min(c.LengthWidth, c.AddrWidth)))
	n := uint64(1) << rng.IntN(bits.Len64(most))
	return min(most, n+rng.Uint64N(n))
}

// side is a random end of a transfer of so many bytes.
func (c *RandomConfig) side(rng *rand.Rand, length, space, window uint64, bases []uint64) job.Side {
	s := job.Side{MaxBeats: job.NoBeatLimit, Attributes: job.DefaultAttributes}
	if chance(rng, 50) {
		s.MaxBeats = 1 << rng.IntN(9)
	}
	s.Cache = uint8(rng.IntN(16))
	if s.Cache&0b0010 == 0 {
		s.Cache &= 0b0011 // allocation needs a modifiable request
	}
	s.Prot, s.QoS, s.Region = uint8(rng.IntN(8)), uint8(rng.IntN(16)), uint8(rng.IntN(16))
	s.Addr = bases[rng.IntN(len(bases))] + rng.Uint64N(window)
	switch rng.IntN(4) {
	case 0:
		s.Addr &^= uint64(c.Bytes) - 1
	case 1: // a few beats before a page
		s.Addr |= 4095
		s.Addr -= rng.Uint64N(uint64(4*c.Bytes)) % 4096
	}
	if last := max(length, 1) - 1; s.Addr > space-last {
		s.Addr = space - last
	}
	return s
}
