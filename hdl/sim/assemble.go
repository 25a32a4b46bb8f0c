package sim

// assembler turns the nodes of a plan into instructions, each after what it
// reads, and gives every node a slot. Slots here are in words; instructions hold
// bytes.
type assembler struct {
	*plan
	mems   []*memory
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

func newAssembler(p *plan, mems []*memory, free int) *assembler {
	a := &assembler{plan: p, mems: mems, slot: make([]int32, len(p.nodes)), free: free}
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
			s := uint32(a.alloc(1))
			a.emit(instr{op: opSat, d: s, a: in.b, n: uint32(words(a.width(args[1])))})
			in.b = s
		}
	case nMux:
		in.c = a.value(args[0])
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
	case nParity:
		w := a.width(args[0])
		wide, in.n = words(w) > 1, uint32(words(w))
		pick(opParity, opParityW)
		in.a = a.value(args[0])
	case nRead:
		m := a.mems[nd.imm]
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

func (a *assembler) computeSlice(nd *node, dest int) int {
	x, lo, w := nd.args[0], nd.imm, nd.width
	src := int(a.value(x)) + lo/64
	k := uint8(lo % 64)
	whole := lo+w >= a.nodes[x].eff // nothing above to remove
	if k == 0 && (whole || w%64 == 0) {
		return src
	}
	n := words(w)
	if dest < 0 {
		dest = a.alloc(n)
	}
	in := instr{op: opSlice, d: uint32(dest), a: uint32(src), k: k, m: spare(w), n: uint32(n)}
	switch {
	case n > 1:
		in.op = opSliceW
	case int(k)+w > 64:
		in.op = opFunnel
	case whole || int(k)+w == 64:
		in.op = opShift
	}
	a.emit(in)
	return dest
}

// computeCat builds a concatenation word by word.
func (a *assembler) computeCat(nd *node, dest int) int {
	if low := nd.args[0]; len(nd.args) == 2 && a.isZero(nd.args[1]) && words(a.width(low)) == words(nd.width) {
		return int(a.value(low))
	}
	slots := make([]int, len(nd.args))
	for i, p := range nd.args {
		if slots[i] = -1; !a.isConst(p) {
			slots[i] = int(a.value(p))
		}
	}
	n := words(nd.width)
	if dest < 0 {
		dest = a.alloc(n)
	}
	for j := range n {
		a.catWord(nd, slots, j*64, dest+j)
	}
	return dest
}

// catWord emits the word of a concatenation whose lowest bit is base.
func (a *assembler) catWord(nd *node, slots []int, base, d int) {
	dest, have := uint32(d), false
	var fixed uint64
	at := 0
	for i, p := range nd.args {
		w := a.width(p)
		from, to := max(base, at), min(base+64, at+w)
		lo := from - at // first bit of the part
		at += w
		if from >= to {
			continue
		}
		o := uint8(from - base)
		if slots[i] < 0 {
			var v [1]uint64
			sliceWords(v[:], a.nodes[p].value, lo)
			fixed |= v[0] << o
			continue
		}
		src, k := uint32(slots[i]+lo/64), uint8(lo%64)
		switch {
		case k > 0 && int(k)+to-from > 64:
			a.emit(instr{op: opFunnel, d: dest, a: src, k: k, m: spare(to - from)})
		case k > 0: // the part began in the word before, so this is the first piece
			a.emit(instr{op: opShift, d: dest, a: src, k: k})
		case have:
			a.emit(instr{op: opCat, d: dest, a: dest, b: src, k: o})
		case o > 0:
			a.emit(instr{op: opLeft, d: dest, a: src, k: o})
		default:
			a.emit(instr{op: opMove, d: dest, a: src})
		}
		have = true
	}
	if fixed != 0 || !have {
		s := a.alloc(1)
		a.consts = append(a.consts, placed{s, []uint64{fixed}})
		if have {
			a.emit(instr{op: opOr, d: dest, a: dest, b: uint32(s)})
		} else {
			a.emit(instr{op: opMove, d: dest, a: uint32(s)})
		}
	}
}
