package sim

import "math/bits"

// Arithmetic on little-endian words. Values are clean: bits above their width
// are zero. Results are cleaned by the caller with trim where they may not be.

func words(width int) int { return (width + 63) / 64 }

// topMask has the bits of the highest word of a value of the width.
func topMask(width int) uint64 { return ^uint64(0) >> (uint(-width) & 63) }

func trim(v []uint64, width int) []uint64 {
	v[len(v)-1] &= topMask(width)
	return v
}

func bitLen(v []uint64) int {
	for i := len(v) - 1; i >= 0; i-- {
		if v[i] != 0 {
			return i*64 + bits.Len64(v[i])
		}
	}
	return 0
}

func addWords(d, a, b []uint64) {
	var c uint64
	for i := range d {
		d[i], c = bits.Add64(a[i], b[i], c)
	}
}

func subWords(d, a, b []uint64) {
	var c uint64
	for i := range d {
		d[i], c = bits.Sub64(a[i], b[i], c)
	}
}

// mulWords needs d distinct from a and b.
func mulWords(d, a, b []uint64) {
	clear(d)
	for i, x := range a {
		if x == 0 {
			continue
		}
		var carry uint64
		for j := 0; i+j < len(d); j++ {
			hi, lo := bits.Mul64(x, b[j])
			var c uint64
			lo, c = bits.Add64(lo, carry, 0)
			hi += c
			d[i+j], c = bits.Add64(d[i+j], lo, 0)
			carry = hi + c
		}
	}
}

// shiftCount is the value of y, saturated.
func shiftCount(y []uint64) uint64 {
	for _, w := range y[1:] {
		if w != 0 {
			return ^uint64(0)
		}
	}
	return y[0]
}

func shlWords(d, a []uint64, n uint64) {
	k, s := n/64, n%64
	for i := len(d) - 1; i >= 0; i-- {
		var v uint64
		if j := uint64(i) - k; uint64(i) >= k {
			v = a[j] << s
			if s > 0 && j > 0 {
				v |= a[j-1] >> (64 - s)
			}
		}
		d[i] = v
	}
}

// shrWords shifts right with fill (all zeros or all ones) entering above the
// last word of a, whose own top bits the caller has filled.
func shrWords(d, a []uint64, n, fill uint64) {
	k, s := n/64, n%64
	at := func(i uint64) uint64 {
		if i < uint64(len(a)) {
			return a[i]
		}
		return fill
	}
	for i := range d {
		if k >= uint64(len(a)) {
			d[i] = fill
			continue
		}
		v := at(uint64(i)+k) >> s
		if s > 0 {
			v |= at(uint64(i)+k+1) << (64 - s)
		}
		d[i] = v
	}
}

// sarWords is the arithmetic right shift of a value of the width; d may not be a.
func sarWords(d, a []uint64, n uint64, width int) {
	var fill uint64
	top := a[len(a)-1]
	if top>>(uint(width-1)&63)&1 == 1 {
		fill = ^uint64(0)
		top |= ^topMask(width)
	}
	k, s := n/64, n%64
	at := func(i uint64) uint64 {
		switch {
		case i+1 < uint64(len(a)):
			return a[i]
		case i+1 == uint64(len(a)):
			return top
		}
		return fill
	}
	for i := range d {
		if k >= uint64(len(a)) {
			d[i] = fill
			continue
		}
		v := at(uint64(i)+k) >> s
		if s > 0 {
			v |= at(uint64(i)+k+1) << (64 - s)
		}
		d[i] = v
	}
}

func lessWords(a, b []uint64) bool {
	for i := len(a) - 1; i >= 0; i-- {
		if a[i] != b[i] {
			return a[i] < b[i]
		}
	}
	return false
}

func lessSigned(a, b []uint64, width int) bool {
	n := len(a) - 1
	s := uint(-width) & 63
	if x, y := int64(a[n]<<s), int64(b[n]<<s); x != y {
		return x < y
	}
	return lessWords(a[:n], b[:n])
}

// sliceWords copies bits of a from lo up into d; bits beyond a read as zero.
func sliceWords(d, a []uint64, lo int) {
	k, s := lo/64, uint(lo)%64
	for i := range d {
		var v uint64
		if i+k < len(a) {
			v = a[i+k] >> s
		}
		if s > 0 && i+k+1 < len(a) {
			v |= a[i+k+1] << (64 - s)
		}
		d[i] = v
	}
}

// orShifted ors a, shifted left by lo bits, into d.
func orShifted(d, a []uint64, lo int) {
	k, s := lo/64, uint(lo)%64
	for i, v := range a {
		if i+k < len(d) {
			d[i+k] |= v << s
		}
		if s > 0 && i+k+1 < len(d) {
			d[i+k+1] |= v >> (64 - s)
		}
	}
}

// extendSign fills d, of width to, from a of width from.
func extendSign(d, a []uint64, from, to int) {
	copy(d, a)
	n := len(a)
	if a[n-1]>>(uint(from-1)&63)&1 == 1 {
		d[n-1] |= ^topMask(from)
		for i := n; i < len(d); i++ {
			d[i] = ^uint64(0)
		}
	} else {
		clear(d[n:])
	}
	trim(d, to)
}

// rotateWords rotates a to the left by n, which is less than its bits; d may not
// be a.
func rotateWords(d, a []uint64, n uint) {
	k, s := int(n/64), n%64
	j := len(a) - k // of a, below word i of d
	prev := a[(j+len(a)-1)%len(a)]
	for i := range d {
		if j == len(a) {
			j = 0
		}
		d[i] = a[j]<<s | prev>>(64-s)
		prev = a[j]
		j++
	}
}

// spreadWords repeats each bit of a lane times.
func spreadWords(d, a []uint64, lane int) {
	if lane == 8 {
		const low = 0x0101010101010101
		for i := range d {
			b := a[i/8] >> (i % 8 * 8) & 0xff
			b = b * low & 0x8040201008040201        // bit j of b in byte j, anywhere
			d[i] = (b + 0x7f*low) >> 7 & low * 0xff // carried to the top, and to all bits
		}
		return
	}
	clear(d)
	for i := range len(a) * 64 {
		if a[i/64]>>(i%64)&1 == 1 {
			for j := i * lane; j < (i+1)*lane; j++ {
				d[j/64] |= 1 << (j % 64)
			}
		}
	}
}

// putBits replaces n bits of d from bit lo up by the lowest of a, as far as there
// are words for them.
func putBits(d, a []uint64, lo, n int) {
	for i := 0; i < len(a) && n > 0; i, n, lo = i+1, n-64, lo+64 {
		m := topMask(min(n, 64))
		k, s := lo/64, uint(lo)%64
		if k >= len(d) {
			return
		}
		d[k] = d[k]&^(m<<s) | a[i]&m<<s
		if s > 0 && k+1 < len(d) {
			d[k+1] = d[k+1]&^(m>>(64-s)) | a[i]&m>>(64-s)
		}
	}
}
