package check

import "math/bits"

// bitset is a set of bits of one signal, all sets of a signal equally long.
type bitset []uint64

func newBits(width int) bitset { return make(bitset, (width+63)/64) }

// words calls f for the words that the range touches, with the bits of it.
func words(lo, width int, f func(i int, mask uint64)) {
	for i := lo / 64; i*64 < lo+width; i++ {
		mask := ^uint64(0)
		if lo > i*64 {
			mask <<= lo - i*64
		}
		if end := lo + width - i*64; end < 64 {
			mask &= 1<<end - 1
		}
		f(i, mask)
	}
}

func (b bitset) set(lo, width int) { words(lo, width, func(i int, m uint64) { b[i] |= m }) }

func (b bitset) meets(lo, width int) bool {
	any := uint64(0)
	words(lo, width, func(i int, m uint64) { any |= b[i] & m })
	return any != 0
}

func (b bitset) has(i int) bool { return b[i/64]>>(i%64)&1 == 1 }

func (b bitset) or(o bitset) {
	for i := range o {
		b[i] |= o[i]
	}
}

func (b bitset) and(o bitset) {
	for i := range b {
		b[i] &= o[i]
	}
}

func (b bitset) count() int {
	n := 0
	for _, w := range b {
		n += bits.OnesCount64(w)
	}
	return n
}

// without returns the bits of b that are not in o.
func (b bitset) without(o bitset) bitset {
	r := make(bitset, len(b))
	for i := range b {
		r[i] = b[i] &^ o[i]
	}
	return r
}

// ranges calls f for each run of bits, lowest first.
func (b bitset) ranges(width int, f func(lo, n int)) {
	for i := 0; i < width; {
		if !b.has(i) {
			i++
			continue
		}
		lo := i
		for i < width && b.has(i) {
			i++
		}
		f(lo, i-lo)
	}
}
