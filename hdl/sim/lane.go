package sim

import (
	"math/bits"

	"github.com/millrace-hdl/millrace/hdl/ir"
)

// Places chosen by an index. The index becomes a shift: comparing it with every
// lane would take work for all lanes where one changes.

// scaled is the index times the stride, with all bits that it may take.
func (l *lowering) scaled(index id, stride int) id {
	w := l.width(index) + bits.Len(uint(stride))
	return l.mul(l.zext(index, w), l.small(w, uint64(stride)))
}

// pick lowers w bits, from lo up, of the selected ones.
func (l *lowering) pick(s *scope, e *ir.Select, lo, w int) id {
	in := e.X.Type().Width
	at := lo
	if k, ok := e.Index.(*ir.Const); ok {
		at += int(min(shiftCount(k.Words), uint64(in))) * e.Stride
	}
	if at >= in {
		return l.small(w, 0)
	}
	if _, ok := e.Index.(*ir.Const); ok {
		return l.zext(l.expr(s, e.X, at, min(w, in-at)), w)
	}
	x := l.shr(l.expr(s, e.X, at, in-at), l.scaled(l.all(s, e.Index), e.Stride), false)
	return l.zext(l.slice(x, 0, min(w, in-at)), w)
}

// lane is the value of the bits after an assignment to the lane of an index.
func (d *driver) lane(s *ir.Assign, before func() id) id {
	old := before()
	if old == none {
		old = d.small(d.w, 0)
	}
	first, last := d.lo/s.Width, (d.lo+d.w-1)/s.Width
	index := d.all(d.scope, s.Index)
	if first == last {
		if w := d.width(index); w < 63 && first >= 1<<w {
			return old
		}
		hit := d.eq(index, d.small(d.width(index), uint64(first)))
		if d.isZero(hit) {
			return old
		}
		return d.mux(hit, d.expr(d.scope, s.Value, d.lo-first*s.Width, d.w), old)
	}
	w, at := d.sig.Type.Width, d.scaled(index, s.Width)
	move := func(x id) id { return d.slice(d.shl(d.zext(x, w), at), d.lo, d.w) }
	return d.or(move(d.all(d.scope, s.Value)), d.and(old, d.not(move(d.ones(s.Width)))))
}

// saturated is the slot of a number as one word, all ones if it needs more.
func (a *assembler) saturated(x id) uint32 {
	v := a.value(x)
	if a.nodes[x].eff <= 64 {
		return v
	}
	s := uint32(a.alloc(1))
	a.emit(instr{op: opSat, d: s, a: v, n: uint32(words(a.width(x)))})
	return s
}

// computePick emits the choice of some bits of a long value.
func (a *assembler) computePick(nd *node, dest int) int {
	from := words(a.width(nd.args[0]))
	in := instr{op: opPick, n: uint32(words(nd.width)), m: spare(nd.width), k: uint8(nd.imm % 64)}
	in.a, in.b = a.value(nd.args[0])+uint32(nd.imm/64), a.saturated(nd.args[1])
	if dest < 0 {
		dest = a.alloc(words(nd.width))
	}
	in.d = uint32(dest)
	a.emitRaw(in, uint32(from-nd.imm/64))
	return dest
}

// computePut emits the replacement of some bits in place, where the rest is already
// or is brought first.
func (a *assembler) computePut(x id, dest int) int {
	nd := &a.nodes[x]
	n, old := words(nd.width), nd.args[0]
	if dest < 0 {
		dest = a.alloc(n)
	}
	at, bits := a.saturated(nd.args[1]), a.value(nd.args[2])
	if a.slot[old] < 0 && a.uses[old] == 1 && a.home(old) == a.home(x) {
		a.slot[old] = int32(a.emitNode(old, dest)) // nothing else needs its words
	}
	if s := int(a.value(old)); s != dest {
		a.move(dest, s, n)
	}
	in := instr{op: opPut, d: uint32(dest), n: uint32(n), a: bits, b: at, k: spare(nd.imm), m: spare(nd.width)}
	a.emitRaw(in, uint32(words(nd.imm)))
	return dest
}
