package sim

import (
	"slices"
	"unsafe"
)

func at(base unsafe.Pointer, slot uint32) *uint64 {
	return (*uint64)(unsafe.Add(base, slot))
}

func span(base unsafe.Pointer, slot, n uint32) []uint64 {
	return unsafe.Slice(at(base, slot), n)
}

func bit(b bool) uint64 {
	var x uint64
	if b {
		x = 1
	}
	return x
}

// run executes code, which ends with opEnd, over the slots at base. All slots
// that instructions name lie within the array: the assembler is their only
// source.
func run(base unsafe.Pointer, code []instr) {
	ip := unsafe.Pointer(&code[0])
	for {
		in := runNarrow(base, ip)
		if in.op == opEnd {
			return
		}
		runWide(base, in)
		ip = unsafe.Add(unsafe.Pointer(in), unsafe.Sizeof(instr{}))
	}
}

// ended is code with its end. The interpreter points one instruction ahead, so
// there is room for one more.
func ended(code []instr) []instr { return slices.Grow(append(code, instr{op: opEnd}), 1) }

// runNarrow executes instructions up to the first that ends the code or that
// runWide has to execute, and returns that one. It calls no function, so that
// the registers of the loop are never spilled.
func runNarrow(base, ip unsafe.Pointer) *instr {
	const size = unsafe.Sizeof(instr{})
	for {
		in := (*instr)(ip)
		ip = unsafe.Add(ip, size)
		switch in.op {
		case opJump:
			ip = unsafe.Add(ip, uintptr(in.n)*unsafe.Sizeof(instr{}))
		case opIf:
			if *at(base, in.c)>>(in.k&63)&1 != 0 {
				ip = unsafe.Add(ip, uintptr(in.n)*unsafe.Sizeof(instr{}))
			}
		case opUnless:
			if *at(base, in.c)>>(in.k&63)&1 == 0 {
				ip = unsafe.Add(ip, uintptr(in.n)*unsafe.Sizeof(instr{}))
			}
		case opMove:
			for ; ; in, ip = (*instr)(ip), unsafe.Add(ip, size) {
				*at(base, in.d) = *at(base, in.a)
				if (*instr)(ip).op != opMove {
					break
				}
			}
		case opMove2:
			for ; ; in, ip = (*instr)(ip), unsafe.Add(ip, size) {
				*at(base, in.d) = *at(base, in.a)
				*at(base, in.b) = *at(base, in.c)
				if (*instr)(ip).op != opMove2 {
					break
				}
			}
		case opNot:
			for ; ; in, ip = (*instr)(ip), unsafe.Add(ip, size) {
				*at(base, in.d) = ^*at(base, in.a) & (^uint64(0) >> (in.m & 63))
				if (*instr)(ip).op != opNot {
					break
				}
			}
		case opAnd:
			for ; ; in, ip = (*instr)(ip), unsafe.Add(ip, size) {
				*at(base, in.d) = *at(base, in.a) & *at(base, in.b)
				if (*instr)(ip).op != opAnd {
					break
				}
			}
		case opAndNot:
			for ; ; in, ip = (*instr)(ip), unsafe.Add(ip, size) {
				*at(base, in.d) = *at(base, in.a) &^ *at(base, in.b)
				if (*instr)(ip).op != opAndNot {
					break
				}
			}
		case opOr:
			for ; ; in, ip = (*instr)(ip), unsafe.Add(ip, size) {
				*at(base, in.d) = *at(base, in.a) | *at(base, in.b)
				if (*instr)(ip).op != opOr {
					break
				}
			}
		case opOrNot:
			for ; ; in, ip = (*instr)(ip), unsafe.Add(ip, size) {
				*at(base, in.d) = *at(base, in.a) | ^*at(base, in.b)&(^uint64(0)>>(in.m&63))
				if (*instr)(ip).op != opOrNot {
					break
				}
			}
		case opXor:
			for ; ; in, ip = (*instr)(ip), unsafe.Add(ip, size) {
				*at(base, in.d) = *at(base, in.a) ^ *at(base, in.b)
				if (*instr)(ip).op != opXor {
					break
				}
			}
		case opAdd:
			for ; ; in, ip = (*instr)(ip), unsafe.Add(ip, size) {
				*at(base, in.d) = *at(base, in.a) + *at(base, in.b)
				if (*instr)(ip).op != opAdd {
					break
				}
			}
		case opAddM:
			for ; ; in, ip = (*instr)(ip), unsafe.Add(ip, size) {
				*at(base, in.d) = (*at(base, in.a) + *at(base, in.b)) & (^uint64(0) >> (in.m & 63))
				if (*instr)(ip).op != opAddM {
					break
				}
			}
		case opSub:
			for ; ; in, ip = (*instr)(ip), unsafe.Add(ip, size) {
				*at(base, in.d) = (*at(base, in.a) - *at(base, in.b)) & (^uint64(0) >> (in.m & 63))
				if (*instr)(ip).op != opSub {
					break
				}
			}
		case opMul:
			for ; ; in, ip = (*instr)(ip), unsafe.Add(ip, size) {
				*at(base, in.d) = *at(base, in.a) * *at(base, in.b)
				if (*instr)(ip).op != opMul {
					break
				}
			}
		case opMulM:
			for ; ; in, ip = (*instr)(ip), unsafe.Add(ip, size) {
				*at(base, in.d) = (*at(base, in.a) * *at(base, in.b)) & (^uint64(0) >> (in.m & 63))
				if (*instr)(ip).op != opMulM {
					break
				}
			}
		case opEq:
			for ; ; in, ip = (*instr)(ip), unsafe.Add(ip, size) {
				*at(base, in.d) = bit(*at(base, in.a) == *at(base, in.b))
				if (*instr)(ip).op != opEq {
					break
				}
			}
		case opNe:
			for ; ; in, ip = (*instr)(ip), unsafe.Add(ip, size) {
				*at(base, in.d) = bit(*at(base, in.a) != *at(base, in.b))
				if (*instr)(ip).op != opNe {
					break
				}
			}
		case opLt:
			for ; ; in, ip = (*instr)(ip), unsafe.Add(ip, size) {
				*at(base, in.d) = bit(*at(base, in.a) < *at(base, in.b))
				if (*instr)(ip).op != opLt {
					break
				}
			}
		case opLe:
			for ; ; in, ip = (*instr)(ip), unsafe.Add(ip, size) {
				*at(base, in.d) = bit(*at(base, in.a) <= *at(base, in.b))
				if (*instr)(ip).op != opLe {
					break
				}
			}
		case opLts:
			for ; ; in, ip = (*instr)(ip), unsafe.Add(ip, size) {
				*at(base, in.d) = bit(int64(*at(base, in.a)<<(in.k&63)) < int64(*at(base, in.b)<<(in.k&63)))
				if (*instr)(ip).op != opLts {
					break
				}
			}
		case opLes:
			for ; ; in, ip = (*instr)(ip), unsafe.Add(ip, size) {
				*at(base, in.d) = bit(int64(*at(base, in.a)<<(in.k&63)) <= int64(*at(base, in.b)<<(in.k&63)))
				if (*instr)(ip).op != opLes {
					break
				}
			}
		case opShl:
			for ; ; in, ip = (*instr)(ip), unsafe.Add(ip, size) {
				*at(base, in.d) = *at(base, in.a) << *at(base, in.b) & (^uint64(0) >> (in.m & 63))
				if (*instr)(ip).op != opShl {
					break
				}
			}
		case opShr:
			for ; ; in, ip = (*instr)(ip), unsafe.Add(ip, size) {
				*at(base, in.d) = *at(base, in.a) >> *at(base, in.b)
				if (*instr)(ip).op != opShr {
					break
				}
			}
		case opSar:
			for ; ; in, ip = (*instr)(ip), unsafe.Add(ip, size) {
				x := int64(*at(base, in.a)<<(in.k&63)) >> (in.k & 63)
				*at(base, in.d) = uint64(x>>*at(base, in.b)) & (^uint64(0) >> (in.m & 63))
				if (*instr)(ip).op != opSar {
					break
				}
			}
		case opMux:
			for ; ; in, ip = (*instr)(ip), unsafe.Add(ip, size) {
				x := *at(base, in.b)
				if *at(base, in.c)>>(in.k&63)&1 != 0 {
					x = *at(base, in.a)
				}
				*at(base, in.d) = x
				if (*instr)(ip).op != opMux {
					break
				}
			}
		case opShift:
			for ; ; in, ip = (*instr)(ip), unsafe.Add(ip, size) {
				*at(base, in.d) = *at(base, in.a) >> (in.k & 63)
				if (*instr)(ip).op != opShift {
					break
				}
			}
		case opSlice:
			for ; ; in, ip = (*instr)(ip), unsafe.Add(ip, size) {
				*at(base, in.d) = *at(base, in.a) >> (in.k & 63) & (^uint64(0) >> (in.m & 63))
				if (*instr)(ip).op != opSlice {
					break
				}
			}
		case opFunnel:
			for ; ; in, ip = (*instr)(ip), unsafe.Add(ip, size) {
				a := at(base, in.a)
				hi := *(*uint64)(unsafe.Add(unsafe.Pointer(a), 8))
				*at(base, in.d) = (*a>>(in.k&63) | hi<<(-in.k&63)) & (^uint64(0) >> (in.m & 63))
				if (*instr)(ip).op != opFunnel {
					break
				}
			}
		case opLeft:
			for ; ; in, ip = (*instr)(ip), unsafe.Add(ip, size) {
				*at(base, in.d) = *at(base, in.a) << (in.k & 63)
				if (*instr)(ip).op != opLeft {
					break
				}
			}
		case opCat:
			for ; ; in, ip = (*instr)(ip), unsafe.Add(ip, size) {
				*at(base, in.d) = *at(base, in.a) | *at(base, in.b)<<(in.k&63)
				if (*instr)(ip).op != opCat {
					break
				}
			}
		case opField:
			for ; ; in, ip = (*instr)(ip), unsafe.Add(ip, size) {
				*at(base, in.d) = *at(base, in.a) >> (in.k & 63) & (^uint64(0) >> (in.m & 63)) << (in.n & 63)
				if (*instr)(ip).op != opField {
					break
				}
			}
		case opCatField:
			for ; ; in, ip = (*instr)(ip), unsafe.Add(ip, size) {
				*at(base, in.d) = *at(base, in.a) | *at(base, in.b)>>(in.k&63)&(^uint64(0)>>(in.m&63))<<(in.n&63)
				if (*instr)(ip).op != opCatField {
					break
				}
			}
		case opSext:
			for ; ; in, ip = (*instr)(ip), unsafe.Add(ip, size) {
				*at(base, in.d) = uint64(int64(*at(base, in.a)<<(in.k&63))>>(in.k&63)) & (^uint64(0) >> (in.m & 63))
				if (*instr)(ip).op != opSext {
					break
				}
			}
		case opRead:
			for ; ; in, ip = (*instr)(ip), unsafe.Add(ip, size) {
				var x uint64
				if i := *at(base, in.a); i < uint64(in.n) {
					x = *at(base, in.b+uint32(i)*8)
				}
				*at(base, in.d) = x
				if (*instr)(ip).op != opRead {
					break
				}
			}
		case opKeep:
			for ; ; in, ip = (*instr)(ip), unsafe.Add(ip, size) {
				if *at(base, in.c)>>(in.k&63)&1 != 0 {
					*at(base, in.d) = *at(base, in.a)
				}
				if (*instr)(ip).op != opKeep {
					break
				}
			}
		case opOrIf:
			for ; ; in, ip = (*instr)(ip), unsafe.Add(ip, size) {
				x := *at(base, in.a)
				if *at(base, in.c)>>(in.k&63)&1 != 0 {
					x |= *at(base, in.b)
				}
				*at(base, in.d) = x
				if (*instr)(ip).op != opOrIf {
					break
				}
			}
		case opBlend:
			for ; ; in, ip = (*instr)(ip), unsafe.Add(ip, size) {
				m := *at(base, in.c)
				*at(base, in.d) = *at(base, in.a)&m | *at(base, in.b)&^m
				if (*instr)(ip).op != opBlend {
					break
				}
			}
		case opRot:
			for ; ; in, ip = (*instr)(ip), unsafe.Add(ip, size) {
				x, y := *at(base, in.a), *at(base, in.b)
				*at(base, in.d) = (x<<(y&63) | x>>(64-uint64(in.m)-y)) & (^uint64(0) >> (in.m & 63))
				if (*instr)(ip).op != opRot {
					break
				}
			}
		case opTable3:
			for ; ; in, ip = (*instr)(ip), unsafe.Add(ip, size) {
				i := *at(base, in.a) + 2*(*at(base, in.b)+2**at(base, in.c))
				*at(base, in.d) = uint64(in.k) >> (i & 63) & 1
				if (*instr)(ip).op != opTable3 {
					break
				}
			}
		case opTable4:
			for ; ; in, ip = (*instr)(ip), unsafe.Add(ip, size) {
				i := *at(base, in.a) + 2*(*at(base, in.b)+2*(*at(base, in.c)+2**at(base, in.n)))
				*at(base, in.d) = (uint64(in.k) | uint64(in.m)<<8) >> (i & 63) & 1
				if (*instr)(ip).op != opTable4 {
					break
				}
			}
		default:
			return in
		}
	}
}

// runWide executes one of the other instructions, most of them on values of
// several words.
func runWide(base unsafe.Pointer, in *instr) {
	switch in.op {
	case opParity:
		*at(base, in.d) = parity(*at(base, in.a))
	case opSat:
		*at(base, in.d) = shiftCount(span(base, in.a, in.n))
	case opMoveW:
		copy(span(base, in.d, in.n), span(base, in.a, in.n))
	case opNotW:
		d, a := span(base, in.d, in.n), span(base, in.a, in.n)
		for i := range d {
			d[i] = ^a[i]
		}
		d[len(d)-1] &= ^uint64(0) >> (in.m & 63)
	case opAndW:
		d, a, b := span(base, in.d, in.n), span(base, in.a, in.n), span(base, in.b, in.n)
		for i := range d {
			d[i] = a[i] & b[i]
		}
	case opAndNotW:
		d, a, b := span(base, in.d, in.n), span(base, in.a, in.n), span(base, in.b, in.n)
		for i := range d {
			d[i] = a[i] &^ b[i]
		}
	case opOrW:
		d, a, b := span(base, in.d, in.n), span(base, in.a, in.n), span(base, in.b, in.n)
		for i := range d {
			d[i] = a[i] | b[i]
		}
	case opOrNotW:
		d, a, b := span(base, in.d, in.n), span(base, in.a, in.n), span(base, in.b, in.n)
		for i := range d {
			d[i] = a[i] | ^b[i]
		}
		d[len(d)-1] &= ^uint64(0) >> (in.m & 63)
	case opXorW:
		d, a, b := span(base, in.d, in.n), span(base, in.a, in.n), span(base, in.b, in.n)
		for i := range d {
			d[i] = a[i] ^ b[i]
		}
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
	case opMuxW:
		s := in.b
		if *at(base, in.c)>>(in.k&63)&1 != 0 {
			s = in.a
		}
		copy(span(base, in.d, in.n), span(base, s, in.n))
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
	case opOrIfW:
		if d, a := span(base, in.d, in.n), span(base, in.a, in.n); *at(base, in.c)>>(in.k&63)&1 != 0 {
			b := span(base, in.b, in.n)
			for i := range d {
				d[i] = a[i] | b[i]
			}
		} else if in.d != in.a {
			copy(d, a)
		}
	case opBlendW:
		d, a, b, m := span(base, in.d, in.n), span(base, in.a, in.n), span(base, in.b, in.n), span(base, in.c, in.n)
		for i := range d {
			d[i] = a[i]&m[i] | b[i]&^m[i]
		}
	case opRotW:
		rotateWords(span(base, in.d, in.n), span(base, in.a, in.n), uint(*at(base, in.b)))
	case opKeepW:
		if *at(base, in.c)>>(in.k&63)&1 != 0 {
			copy(span(base, in.d, in.n), span(base, in.a, in.n))
		}
	}
}
