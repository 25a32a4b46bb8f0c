package sim

import "unsafe"

// runWide executes one of the other instructions, most of them on values of
// several words.
func runWide(base unsafe.Pointer, in *instr) {
	switch in.op {
	case opParity:
		*at(base, in.d) = parity(*at(base, in.a))
	case opSpread:
		spreadWords(span(base, in.d, in.n), span(base, in.a, in.c), int(in.k))
	case opSat:
		*at(base, in.d) = shiftCount(span(base, in.a, in.n))
	case opNotW:
		d, a := span(base, in.d, in.n), span(base, in.a, in.n)
		for i := range d {
			d[i] = ^a[i]
		}
		d[len(d)-1] &= ^uint64(0) >> (in.m & 63)
	case opOrNotW:
		d, a, b := span(base, in.d, in.n), span(base, in.a, in.n), span(base, in.b, in.n)
		for i := range d {
			d[i] = a[i] | ^b[i]
		}
		d[len(d)-1] &= ^uint64(0) >> (in.m & 63)
	case opAddW:
		d := span(base, in.d, in.n)
		addWords(d, span(base, in.a, in.n), span(base, in.b, in.n))
		d[len(d)-1] &= ^uint64(0) >> (in.m & 63)
	case opSubW:
		d := span(base, in.d, in.n)
		subWords(d, span(base, in.a, in.n), span(base, in.b, in.n))
		d[len(d)-1] &= ^uint64(0) >> (in.m & 63)
	case opMulW:
		d := span(base, in.d, in.n)
		mulWords(d, span(base, in.a, in.n), span(base, in.b, in.n))
		d[len(d)-1] &= ^uint64(0) >> (in.m & 63)
	case opEqW, opNeW:
		a, b := span(base, in.a, in.n), span(base, in.b, in.n)
		var x uint64
		for i := range a {
			x |= a[i] ^ b[i]
		}
		*at(base, in.d) = bit((x == 0) == (in.op == opEqW))
	case opLtW:
		*at(base, in.d) = bit(lessWords(span(base, in.a, in.n), span(base, in.b, in.n)))
	case opLeW:
		*at(base, in.d) = bit(!lessWords(span(base, in.b, in.n), span(base, in.a, in.n)))
	case opLtsW:
		*at(base, in.d) = bit(lessSigned(span(base, in.a, in.n), span(base, in.b, in.n), 64-int(in.k)))
	case opLesW:
		*at(base, in.d) = bit(!lessSigned(span(base, in.b, in.n), span(base, in.a, in.n), 64-int(in.k)))
	case opShlW:
		d := span(base, in.d, in.n)
		shlWords(d, span(base, in.a, in.n), *at(base, in.b))
		d[len(d)-1] &= ^uint64(0) >> (in.m & 63)
	case opShrW:
		shrWords(span(base, in.d, in.n), span(base, in.a, in.n), *at(base, in.b), 0)
	case opSarW:
		d := span(base, in.d, in.n)
		sarWords(d, span(base, in.a, in.n), *at(base, in.b), 64-int(in.k))
		d[len(d)-1] &= ^uint64(0) >> (in.m & 63)
	case opSliceW:
		d, a := span(base, in.d, in.n), span(base, in.a, in.n+1)
		if s := in.k & 63; s == 0 {
			copy(d, a)
		} else {
			for i := range d {
				d[i] = a[i]>>s | a[i+1]<<(-s&63)
			}
		}
		d[len(d)-1] &= ^uint64(0) >> (in.m & 63)
	case opSextW:
		d := span(base, in.d, in.n)
		extendSign(d, span(base, in.a, in.c), int(in.c)*64-int(in.k), int(in.n)*64-int(in.m))
	case opParityW:
		var x uint64
		for _, w := range span(base, in.a, in.n) {
			x ^= w
		}
		*at(base, in.d) = parity(x)
	case opReadW:
		d := span(base, in.d, in.c)
		if i := *at(base, in.a); i < uint64(in.n) {
			copy(d, span(base, in.b+uint32(i)*in.c*8, in.c))
		} else {
			clear(d)
		}
	case opPick:
		d, a := span(base, in.d, in.n), span(base, in.a, in.c)
		if at := *at(base, in.b); at < uint64(len(a))*64 {
			sliceWords(d, a, int(at)+int(in.k))
			d[len(d)-1] &= ^uint64(0) >> (in.m & 63)
		} else {
			clear(d)
		}
	case opPut:
		d, a := span(base, in.d, in.n), span(base, in.a, in.c)
		if at := *at(base, in.b); at < uint64(len(d))*64 {
			putBits(d, a, int(at), len(a)*64-int(in.k))
			d[len(d)-1] &= ^uint64(0) >> (in.m & 63)
		}
	case opRotW:
		rotateWords(span(base, in.d, in.n), span(base, in.a, in.n), uint(*at(base, in.b)))
	}
}
