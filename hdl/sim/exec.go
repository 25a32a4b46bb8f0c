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
func run(base unsafe.Pointer, code []instr, boxes []*box) {
	ip := unsafe.Pointer(&code[0])
	for {
		in := runNarrow(base, ip)
		switch in.op {
		case opEnd:
			return
		case opCall:
			boxes[in.b/8].eval()
		default:
			runWide(base, in)
		}
		ip = unsafe.Add(unsafe.Pointer(in), unsafe.Sizeof(instr{}))
	}
}

// ended is code with its end. The interpreter points one instruction ahead, so
// there is room for one more.
func ended(code []instr) []instr { return slices.Grow(append(code, instr{op: opEnd}), 1) }

// runNarrow executes instructions up to the first that ends the code or that
// runWide has to execute, and returns that one. It calls no function, so that
// the registers of the loop are never spilled. Instructions that often come in
// runs repeat without another dispatch: the jump through the table of the switch
// is what an interpreter waits for.
func runNarrow(base, ip unsafe.Pointer) *instr {
	const size = unsafe.Sizeof(instr{})
	for {
		in := (*instr)(ip)
		ip = unsafe.Add(ip, size)
		switch in.op {
		case opJump:
			ip = unsafe.Add(ip, uintptr(in.n)*size)
		case opIf:
			if *at(base, in.c)>>(in.k&63)&1 != 0 {
				ip = unsafe.Add(ip, uintptr(in.n)*size)
			}
		case opUnless:
			if *at(base, in.c)>>(in.k&63)&1 == 0 {
				ip = unsafe.Add(ip, uintptr(in.n)*size)
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
			*at(base, in.d) = *at(base, in.a) + *at(base, in.b)
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
			*at(base, in.d) = *at(base, in.a) * *at(base, in.b)
		case opMulM:
			*at(base, in.d) = (*at(base, in.a) * *at(base, in.b)) & (^uint64(0) >> (in.m & 63))
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
			*at(base, in.d) = bit(*at(base, in.a) < *at(base, in.b))
		case opLe:
			*at(base, in.d) = bit(*at(base, in.a) <= *at(base, in.b))
		case opLts:
			*at(base, in.d) = bit(int64(*at(base, in.a)<<(in.k&63)) < int64(*at(base, in.b)<<(in.k&63)))
		case opLes:
			*at(base, in.d) = bit(int64(*at(base, in.a)<<(in.k&63)) <= int64(*at(base, in.b)<<(in.k&63)))
		case opShl:
			*at(base, in.d) = *at(base, in.a) << *at(base, in.b) & (^uint64(0) >> (in.m & 63))
		case opShr:
			*at(base, in.d) = *at(base, in.a) >> *at(base, in.b)
		case opSar:
			x := int64(*at(base, in.a)<<(in.k&63)) >> (in.k & 63)
			*at(base, in.d) = uint64(x>>*at(base, in.b)) & (^uint64(0) >> (in.m & 63))
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
			a := at(base, in.a)
			hi := *(*uint64)(unsafe.Add(unsafe.Pointer(a), 8))
			*at(base, in.d) = (*a>>(in.k&63) | hi<<(-in.k&63)) & (^uint64(0) >> (in.m & 63))
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
			x, y := *at(base, in.a), *at(base, in.b)
			*at(base, in.d) = (x<<(y&63) | x>>(64-uint64(in.m)-y)) & (^uint64(0) >> (in.m & 63))
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
		case opMoveW:
			for ; ; in, ip = (*instr)(ip), unsafe.Add(ip, size) {
				for i := uint32(0); i < in.n*8; i += 8 {
					*at(base, in.d+i) = *at(base, in.a+i)
				}
				if (*instr)(ip).op != opMoveW {
					break
				}
			}
		case opAndW:
			for ; ; in, ip = (*instr)(ip), unsafe.Add(ip, size) {
				for i := uint32(0); i < in.n*8; i += 8 {
					*at(base, in.d+i) = *at(base, in.a+i) & *at(base, in.b+i)
				}
				if (*instr)(ip).op != opAndW {
					break
				}
			}
		case opAndNotW:
			for i := uint32(0); i < in.n*8; i += 8 {
				*at(base, in.d+i) = *at(base, in.a+i) &^ *at(base, in.b+i)
			}
		case opOrW:
			for ; ; in, ip = (*instr)(ip), unsafe.Add(ip, size) {
				for i := uint32(0); i < in.n*8; i += 8 {
					*at(base, in.d+i) = *at(base, in.a+i) | *at(base, in.b+i)
				}
				if (*instr)(ip).op != opOrW {
					break
				}
			}
		case opXorW:
			for i := uint32(0); i < in.n*8; i += 8 {
				*at(base, in.d+i) = *at(base, in.a+i) ^ *at(base, in.b+i)
			}
		case opBlendW:
			for ; ; in, ip = (*instr)(ip), unsafe.Add(ip, size) {
				for i := uint32(0); i < in.n*8; i += 8 {
					m := *at(base, in.c+i)
					*at(base, in.d+i) = *at(base, in.a+i)&m | *at(base, in.b+i)&^m
				}
				if (*instr)(ip).op != opBlendW {
					break
				}
			}
		case opMuxW:
			for ; ; in, ip = (*instr)(ip), unsafe.Add(ip, size) {
				s := in.b
				if *at(base, in.c)>>(in.k&63)&1 != 0 {
					s = in.a
				}
				for i := uint32(0); i < in.n*8; i += 8 {
					*at(base, in.d+i) = *at(base, s+i)
				}
				if (*instr)(ip).op != opMuxW {
					break
				}
			}
		case opKeepW:
			if *at(base, in.c)>>(in.k&63)&1 != 0 {
				for i := uint32(0); i < in.n*8; i += 8 {
					*at(base, in.d+i) = *at(base, in.a+i)
				}
			}
		case opOrIfW:
			for ; ; in, ip = (*instr)(ip), unsafe.Add(ip, size) {
				if *at(base, in.c)>>(in.k&63)&1 != 0 {
					for i := uint32(0); i < in.n*8; i += 8 {
						*at(base, in.d+i) = *at(base, in.a+i) | *at(base, in.b+i)
					}
				} else if in.d != in.a {
					for i := uint32(0); i < in.n*8; i += 8 {
						*at(base, in.d+i) = *at(base, in.a+i)
					}
				}
				if (*instr)(ip).op != opOrIfW {
					break
				}
			}
		default:
			return in
		}
	}
}
