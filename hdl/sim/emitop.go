package sim

import "github.com/millrace-hdl/millrace/hdl/sim/internal/wasm"

// inline reports whether a node is computed where it is used.
func (e *emitter) inline(x id) bool {
	op := e.plan.nodes[x].op
	return op != nConst && op != nLoc && e.part[x] < 0
}

// push64 pushes a value as an i64.
func (e *emitter) push64(x id) {
	if nd := &e.plan.nodes[x]; nd.op == nConst {
		e.b.Const64(nd.value[0])
		return
	}
	e.push(x)
	if e.plan.nodes[x].width == 1 {
		e.b.Op(wasm.I64ExtendI32U)
	}
}

// condition pushes an i32 that is not zero if the single bit x is one, or, if
// inverted, zero.
func (e *emitter) condition(x id, inverted bool) {
	nd := &e.plan.nodes[x]
	if nd.op == nSlice && e.inline(x) && nd.imm < 31 {
		e.push64(nd.args[0])
		e.b.Const64(1 << nd.imm)
		e.b.Op(wasm.I64And)
		if inverted {
			e.b.Op(wasm.I64Eqz)
		} else {
			e.b.Const64(0)
			e.b.Op(wasm.I64Ne)
		}
		return
	}
	e.push(x)
	if inverted {
		e.b.Op(wasm.I32Eqz)
	}
}

// mask clears the bits of an i64 at and above a width.
func (e *emitter) mask(width int) {
	switch {
	case width == 32:
		e.b.Op(wasm.I32WrapI64)
		e.b.Op(wasm.I64ExtendI32U)
	case width < 64:
		e.b.Const64(topMask(width))
		e.b.Op(wasm.I64And)
	}
}

func (e *emitter) shift(op wasm.Op, by int) {
	if by > 0 {
		e.b.Const64(uint64(by))
		e.b.Op(op)
	}
}

// compute pushes the value of an operation.
func (e *emitter) compute(x id) {
	nd := &e.plan.nodes[x]
	b, args := e.b, nd.args
	pair := func(narrow, wide wasm.Op) {
		e.push(args[0])
		e.push(args[1])
		if e.plan.nodes[args[0]].width == 1 {
			b.Op(narrow)
		} else {
			b.Op(wide)
		}
	}
	eff := func(i int) int { return e.plan.nodes[args[i]].eff }
	switch nd.op {
	case nNot:
		e.complement(nd)
	case nAnd:
		pair(wasm.I32And, wasm.I64And)
	case nOr:
		pair(wasm.I32Or, wasm.I64Or)
	case nXor:
		pair(wasm.I32Xor, wasm.I64Xor)
	case nAdd:
		pair(wasm.I32Xor, wasm.I64Add)
		if max(eff(0), eff(1)) == nd.width {
			e.mask(nd.width)
		}
	case nSub:
		pair(wasm.I32Xor, wasm.I64Sub)
		e.mask(nd.width)
	case nMul:
		pair(wasm.I32And, wasm.I64Mul)
		if eff(0)+eff(1) > nd.width {
			e.mask(nd.width)
		}
	case nEq:
		if e.plan.isZero(args[1]) && e.plan.nodes[args[0]].width > 1 {
			e.push(args[0])
			b.Op(wasm.I64Eqz)
			break
		}
		pair(wasm.I32Eq, wasm.I64Eq)
	case nLt:
		pair(wasm.I32LtU, wasm.I64LtU)
	case nLts:
		w := e.plan.nodes[args[0]].width
		for _, a := range args {
			e.push64(a)
			e.shift(wasm.I64Shl, 64-w)
		}
		b.Op(wasm.I64LtS)
	case nMux:
		if leg := e.reads(x); len(leg) == 1 {
			e.push(leg[0])
			break
		}
		e.push(args[1])
		e.push(args[2])
		e.condition(args[0], false)
		b.Op(wasm.Select)
	case nCat:
		e.cat(nd)
	case nSlice:
		e.push64(args[0])
		e.shift(wasm.I64ShrU, nd.imm)
		top := nd.imm+nd.width >= eff(0) // nothing above to remove
		if nd.width == 1 {
			if b.Op(wasm.I32WrapI64); !top {
				b.Const32(1)
				b.Op(wasm.I32And)
			}
		} else if !top {
			e.mask(nd.width)
		}
	case nSext:
		e.extend(nd)
	case nParity:
		e.push64(args[0])
		b.Op(wasm.I64Popcnt)
		b.Op(wasm.I32WrapI64)
		b.Const32(1)
		b.Op(wasm.I32And)
	case nShl, nShr, nSar:
		e.shiftBy(nd)
	case nRot:
		e.rotate(nd)
	case nSpread:
		e.spreadBits(nd)
	case nRead:
		e.read(nd)
	default:
		panic("unreachable: scalars hold no other operation")
	}
}

func (e *emitter) complement(nd *node) {
	x := nd.args[0]
	if nd.width > 1 {
		e.push(x)
		e.b.Const64(topMask(nd.width))
		e.b.Op(wasm.I64Xor)
		return
	}
	in := &e.plan.nodes[x]
	if e.inline(x) && e.plan.nodes[in.args[0]].width > 1 {
		var op wasm.Op
		switch in.op {
		case nEq:
			op = wasm.I64Ne
		case nLt:
			op = wasm.I64GeU
		}
		if op != 0 {
			e.push(in.args[0])
			e.push(in.args[1])
			e.b.Op(op)
			return
		}
	}
	e.push(x)
	e.b.Op(wasm.I32Eqz)
}

// cat ors the parts of a concatenation, each moved to its place.
func (e *emitter) cat(nd *node) {
	at, have := 0, false
	var fixed uint64
	for _, x := range nd.args {
		in := &e.plan.nodes[x]
		if in.op == nConst {
			fixed |= in.value[0] << at
		} else {
			e.part64(x, at)
			if have {
				e.b.Op(wasm.I64Or)
			}
			have = true
		}
		at += in.width
	}
	if fixed != 0 {
		e.b.Const64(fixed)
		e.b.Op(wasm.I64Or)
	}
}

// part64 pushes a value moved up. Of a slice, only the difference is moved.
func (e *emitter) part64(x id, at int) {
	nd := &e.plan.nodes[x]
	if nd.op != nSlice || !e.inline(x) || nd.imm == 0 && nd.width >= e.plan.nodes[nd.args[0]].eff {
		e.push64(x)
		e.shift(wasm.I64Shl, at)
		return
	}
	src, lo := nd.args[0], nd.imm
	above := lo+nd.width < e.plan.nodes[src].eff && at+nd.width < 64
	e.push64(src)
	if above && at > 0 && at+nd.width <= 31 { // a mask that fits into an instruction
		if lo >= at {
			e.shift(wasm.I64ShrU, lo-at)
		} else {
			e.shift(wasm.I64Shl, at-lo)
		}
		e.b.Const64(topMask(nd.width) << at)
		e.b.Op(wasm.I64And)
		return
	}
	e.shift(wasm.I64ShrU, lo)
	if above {
		e.mask(nd.width)
	}
	e.shift(wasm.I64Shl, at)
}

func (e *emitter) extend(nd *node) {
	x := nd.args[0]
	if from := e.plan.nodes[x].width; from == 1 {
		e.b.Const64(0)
		e.push64(x)
		e.b.Op(wasm.I64Sub)
	} else {
		e.push(x)
		e.shift(wasm.I64Shl, 64-from)
		e.shift(wasm.I64ShrS, 64-from)
	}
	e.mask(nd.width)
}

// shiftBy shifts by a number that may exceed what the machine's shifts take.
func (e *emitter) shiftBy(nd *node) {
	x, y := nd.args[0], nd.args[1]
	w, big := nd.width, e.plan.nodes[y].eff > 6
	var by uint32
	if big {
		by = e.b.Local(wasm.I64)
		e.push64(y)
		e.b.Set(by)
	}
	count := func() {
		if big {
			e.b.Get(by)
		} else {
			e.push64(y)
		}
	}
	e.push64(x)
	if nd.op == nSar {
		e.shift(wasm.I64Shl, 64-w)
		e.shift(wasm.I64ShrS, 64-w)
		if count(); big {
			e.b.Const64(63)
			count()
			e.b.Const64(64)
			e.b.Op(wasm.I64LtU)
			e.b.Op(wasm.Select)
		}
		e.b.Op(wasm.I64ShrS)
	} else {
		count()
		if nd.op == nShl {
			e.b.Op(wasm.I64Shl)
		} else {
			e.b.Op(wasm.I64ShrU)
		}
		if big {
			e.b.Const64(0)
			count()
			e.b.Const64(64)
			e.b.Op(wasm.I64LtU)
			e.b.Op(wasm.Select)
		}
	}
	if nd.op != nShr {
		e.mask(w)
	}
	if w == 1 {
		e.b.Op(wasm.I32WrapI64)
	}
}

func (e *emitter) rotate(nd *node) {
	w := nd.width
	if w == 64 {
		e.push(nd.args[0])
		e.push64(nd.args[1])
		e.b.Op(wasm.I64Rotl)
		return
	}
	x, by := e.b.Local(wasm.I64), e.b.Local(wasm.I64)
	e.push64(nd.args[1])
	e.b.Set(by)
	e.push64(nd.args[0])
	e.b.Tee(x)
	e.b.Get(by)
	e.b.Op(wasm.I64Shl)
	e.b.Get(x)
	e.b.Const64(uint64(w))
	e.b.Get(by)
	e.b.Op(wasm.I64Sub)
	e.b.Op(wasm.I64ShrU)
	e.b.Op(wasm.I64Or)
	e.mask(w)
	if w == 1 {
		e.b.Op(wasm.I32WrapI64)
	}
}

// spreadBits moves the bits of a value apart, by halves, and then fills the lanes.
func (e *emitter) spreadBits(nd *node) {
	lane := nd.imm
	e.push64(nd.args[0])
	if lane == 1 {
		return
	}
	x := e.b.Local(wasm.I64)
	half := 1
	for 2*half < nd.width/lane {
		half *= 2
	}
	for ; half >= 1; half /= 2 {
		// Of every 2*half bits that are together, the upper half moves on.
		var keep uint64
		for i := 0; i < 64; i += half * lane {
			keep |= topMask(half) << i
		}
		e.b.Tee(x)
		e.b.Get(x)
		e.shift(wasm.I64Shl, half*(lane-1))
		e.b.Op(wasm.I64Or)
		e.b.Const64(keep)
		e.b.Op(wasm.I64And)
	}
	e.b.Const64(topMask(lane))
	e.b.Op(wasm.I64Mul)
	e.mask(nd.width)
}
