package sim

// assembler turns the nodes of a plan into instructions, each after what it
// reads, and gives every node a slot. Slots here are in words; instructions hold
// bytes.
type assembler struct {
	*plan
	h      *hierarchy
	slot   []int32 // of each node, -1 while it has none
	code   []instr
	free   int      // next unused slot
	consts []placed // slots to fill once, before the first run
	branching
}

type placed struct {
	slot  int
	value []uint64
}

func newAssembler(p *plan, h *hierarchy, free int) *assembler {
	a := &assembler{plan: p, h: h, slot: make([]int32, len(p.nodes)), free: free}
	for i := range a.slot {
		a.slot[i] = -1
	}
	a.branching.init(p)
	return a
}

func (a *assembler) alloc(n int) int {
	s := a.free
	a.free += n
	return s
}

func (a *assembler) emit(in instr) {
	in.d, in.a, in.b, in.c = in.d*8, in.a*8, in.b*8, in.c*8
	a.code = append(a.code, in)
}

// condition is the slot and bit of a single bit, which need not have been taken
// out of the value that it is part of.
func (a *assembler) condition(x id) (slot uint32, bit uint8) {
	if src, lo := a.origin(x); src != x {
		return a.value(src) + uint32(lo/64), uint8(lo % 64)
	}
	return a.value(x), 0
}

// origin is where to take a value from: if it is a slice that has no words of
// its own yet, what it is a slice of, and its lowest bit there.
func (a *assembler) origin(x id) (src id, lo int) {
	if nd := &a.nodes[x]; nd.op == nSlice && a.slot[x] < 0 {
		return nd.args[0], nd.imm
	}
	return x, 0
}

// value is the slot of a node, after emitting what computes it if need be.
func (a *assembler) value(x id) uint32 {
	if a.slot[x] < 0 {
		dest, ok := a.prefer[x]
		if !ok {
			dest = -1
		}
		a.slot[x] = int32(a.emitNode(x, dest))
	}
	return uint32(a.slot[x])
}

// into leaves the value of a node at a given slot.
func (a *assembler) into(x id, dest int) {
	if a.slot[x] < 0 {
		a.slot[x] = int32(a.emitNode(x, dest))
	}
	if got := int(a.slot[x]); got != dest {
		a.move(dest, got, words(a.width(x)))
	}
}

// emitNode emits a node. The result is at dest if that is not negative and the
// node is more than another name for existing words.
func (a *assembler) emitNode(x id, dest int) int {
	if a.nodes[x].op == nMux {
		if leg, ok := a.settled(x); ok {
			if a.slot[leg] < 0 {
				a.slot[leg] = int32(a.emitNode(leg, dest))
			}
			return int(a.slot[leg])
		}
		if a.forks[x] {
			return a.fork(x, dest)
		}
	}
	return a.compute(x, dest)
}

func (a *assembler) move(d, s, n int) {
	if a.holds(d, s) {
		return
	}
	if n == 1 {
		a.emit(instr{op: opMove, d: uint32(d), a: uint32(s)})
	} else {
		a.emit(instr{op: opMoveW, d: uint32(d), a: uint32(s), n: uint32(n)})
	}
}

func spare(width int) uint8 { return uint8(-width & 63) }

// compute emits the instructions of one node, other than a branch.
func (a *assembler) compute(x id, dest int) int {
	nd := &a.nodes[x]
	n := words(nd.width)
	to := func() uint32 {
		if dest < 0 {
			dest = a.alloc(n)
		}
		return uint32(dest)
	}
	switch nd.op {
	case nLoc:
		return nd.imm
	case nConst:
		s := a.alloc(n)
		a.consts = append(a.consts, placed{s, nd.value})
		return s
	case nSlice:
		return a.computeSlice(nd, dest)
	case nCat:
		return a.computeCat(nd, dest)
	case nOrIf:
		return a.computeOrIf(x, dest)
	case nCall:
		return a.computeCall(nd)
	case nPick:
		return a.computePick(nd, dest)
	case nPut:
		return a.computePut(x, dest)
	}
	in := instr{n: uint32(n), m: spare(nd.width)}
	wide := n > 1
	pick := func(narrow, w opcode) {
		if in.op = narrow; wide {
			in.op = w
		}
	}
	ab := func(p, q id) { in.a, in.b = a.value(p), a.value(q) }
	eff := func(i int) int { return a.nodes[nd.args[i]].eff }
	args := nd.args
	switch nd.op {
	case nNot:
		pick(opNot, opNotW)
		in.a = a.value(args[0])
	case nAnd:
		pick(opAnd, opAndW)
		ab(args[0], args[1])
	case nAndNot:
		pick(opAndNot, opAndNotW)
		ab(args[0], args[1])
	case nOr:
		pick(opOr, opOrW)
		ab(args[0], args[1])
	case nOrNot:
		pick(opOrNot, opOrNotW)
		ab(args[0], args[1])
	case nXor:
		pick(opXor, opXorW)
		ab(args[0], args[1])
	case nAdd:
		if pick(opAddM, opAddW); !wide && (max(eff(0), eff(1)) < nd.width || in.m == 0) {
			in.op = opAdd
		}
		ab(args[0], args[1])
	case nSub:
		pick(opSub, opSubW)
		ab(args[0], args[1])
	case nMul:
		if pick(opMulM, opMulW); !wide && (eff(0)+eff(1) <= nd.width || in.m == 0) {
			in.op = opMul
		}
		ab(args[0], args[1])
	case nEq, nNe, nLt, nLe, nLts, nLes:
		w := a.width(args[0])
		wide, in.n, in.k = words(w) > 1, uint32(words(w)), spare(w)
		switch nd.op {
		case nEq:
			pick(opEq, opEqW)
		case nNe:
			pick(opNe, opNeW)
		case nLt:
			pick(opLt, opLtW)
		case nLe:
			pick(opLe, opLeW)
		case nLts:
			pick(opLts, opLtsW)
		case nLes:
			pick(opLes, opLesW)
		}
		ab(args[0], args[1])
	case nShl, nShr, nSar:
		in.k = in.m
		switch nd.op {
		case nShl:
			pick(opShl, opShlW)
		case nShr:
			pick(opShr, opShrW)
		case nSar:
			pick(opSar, opSarW)
		}
		in.a, in.b = a.value(args[0]), a.value(args[1])
		if eff(1) > 64 {
			in.b = a.saturated(args[1])
		}
	case nTable:
		in.op, in.k = opTable3, uint8(nd.imm)
		ab(args[0], args[1])
		in.c = in.b
		if len(args) > 2 {
			in.c = a.value(args[2])
		} else {
			in.k |= in.k << 4 // the third input is the second
			in.k = in.k&0b00110011 | uint8(nd.imm)&0b1100<<4
		}
		if len(args) > 3 {
			in.op, in.m, in.n = opTable4, uint8(nd.imm>>8), 8*a.value(args[3])
		}
	case nBlend:
		pick(opBlend, opBlendW)
		in.c = a.value(args[0])
		ab(args[1], args[2])
	case nRot:
		pick(opRot, opRotW)
		ab(args[0], args[1])
	case nMux:
		in.c, in.k = a.condition(args[0])
		if hold := args[2]; a.nodes[hold].op == nLoc && dest >= 0 && a.holds(dest, a.nodes[hold].imm) {
			pick(opKeep, opKeepW)
			in.a = a.value(args[1])
			break
		}
		pick(opMux, opMuxW)
		ab(args[1], args[2])
	case nSext:
		from := a.width(args[0])
		pick(opSext, opSextW)
		in.a, in.k = a.value(args[0]), spare(from)
		if wide {
			in.d = to()
			a.emitRaw(in, uint32(words(from)))
			return dest
		}
	case nSpread:
		in.op, in.a, in.k, in.d = opSpread, a.value(args[0]), uint8(nd.imm), to()
		a.emitRaw(in, uint32(words(a.width(args[0]))))
		return dest
	case nParity:
		w := a.width(args[0])
		wide, in.n = words(w) > 1, uint32(words(w))
		pick(opParity, opParityW)
		in.a = a.value(args[0])
	case nRead:
		m := a.h.mems[nd.imm]
		pick(opRead, opReadW)
		in.a, in.b, in.n = a.value(args[0]), uint32(m.slot), uint32(m.mem.Depth)
		if wide {
			in.d = to()
			a.emitRaw(in, uint32(n))
			return dest
		}
	}
	in.d = to()
	a.emit(in)
	return dest
}

// emitRaw emits an instruction whose c is a count, not a slot.
func (a *assembler) emitRaw(in instr, c uint32) {
	in.c = 0
	a.emit(in)
	a.code[len(a.code)-1].c = c
}
