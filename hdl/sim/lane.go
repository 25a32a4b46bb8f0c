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
