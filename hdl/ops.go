package hdl

import (
	"fmt"

	"github.com/millrace-hdl/millrace/hdl/diag"
	"github.com/millrace-hdl/millrace/hdl/ir"
)

// pair resolves two operands that must have the same type.
func (s Signal) pair(y Value, what string) (a, b Signal, ok bool) {
	m := s.m
	if m == nil {
		m = moduleOf(y)
	}
	if m == nil {
		return s, s, false
	}
	a = s.resolve(m, nil)
	if a.bad {
		return a, a, false
	}
	t := a.e.Type()
	b = y.resolve(m, &t)
	if b.bad {
		return a, b, false
	}
	return a, b, m.sameType(a, b, what)
}

func (m *Module) sameType(a, b Signal, what string) bool {
	ta, tb := a.e.Type(), b.e.Type()
	switch {
	case ta.Width != tb.Width:
		m.report(diag.Width, fmt.Sprintf("%s: %s is %d bits, %s is %d bits", what, describe(a.e), ta.Width, describe(b.e), tb.Width),
			"use Trunc, Ext or Resize")
		return false
	case ta.Signed != tb.Signed:
		m.report(diag.Sign, fmt.Sprintf("%s: %s is %s, %s is %s", what, describe(a.e), ta, describe(b.e), tb),
			"use AsSigned or AsUnsigned")
		return false
	}
	return true
}

func moduleOf(vs ...Value) *Module {
	for _, v := range vs {
		switch v := v.(type) {
		case Signal:
			if v.m != nil {
				return v.m
			}
		case Var:
			if v.m != nil {
				return v.m
			}
		}
	}
	return nil
}

func (s Signal) invalid(t ir.Type) Signal { return Signal{m: s.m, typ: t, bad: true} }

func (s Signal) binary(op ir.BinaryOp, y Value) Signal {
	a, b, ok := s.pair(y, op.String())
	if !ok {
		if op.Compare() {
			return a.invalid(ir.Type{Width: 1})
		}
		return a.invalid(ir.Type{Width: s.Width(), Signed: s.Signed()})
	}
	return a.make(&ir.Binary{Op: op, X: a.e, Y: b.e, Pos: a.m.here()})
}

func (s Signal) unary(op ir.UnaryOp) Signal {
	if s.m == nil || s.e == nil {
		return s.invalid(s.typ)
	}
	return s.make(&ir.Unary{Op: op, X: s.e, Pos: s.m.here()})
}

// make records an expression so that a result nobody uses can be reported.
func (s Signal) make(e ir.Expr) Signal { return Signal{m: s.m, e: e} }

// Not inverts every bit.
func (s Signal) Not() Signal { return s.unary(ir.Not) }

// Neg is the two's complement.
func (s Signal) Neg() Signal { return s.unary(ir.Neg) }

// Any is one bit: whether any bit is one.
func (s Signal) Any() Signal { return s.reduce(ir.RedOr) }

// All is one bit: whether every bit is one.
func (s Signal) All() Signal { return s.reduce(ir.RedAnd) }

// Parity is one bit: whether an odd number of bits is one.
func (s Signal) Parity() Signal { return s.reduce(ir.RedXor) }

// None is one bit: whether every bit is zero.
func (s Signal) None() Signal { return s.Any().Not() }

func (s Signal) reduce(op ir.UnaryOp) Signal {
	if s.e != nil && s.e.Type().Same(ir.Type{Width: 1}) {
		return s
	}
	return s.unary(op)
}

// And, Or and Xor are bitwise; operands have the same type.
func (s Signal) And(y Value) Signal { return s.binary(ir.And, y) }

// Or is bitwise; operands have the same type.
func (s Signal) Or(y Value) Signal { return s.binary(ir.Or, y) }

// Xor is bitwise; operands have the same type.
func (s Signal) Xor(y Value) Signal { return s.binary(ir.Xor, y) }

// AndNot clears the bits that are one in y.
func (s Signal) AndNot(y Signal) Signal { return s.And(y.Not()) }

// Add wraps modulo 2^width; operands and result have the same type.
func (s Signal) Add(y Value) Signal { return s.binary(ir.Add, y) }

// Sub wraps modulo 2^width; operands and result have the same type.
func (s Signal) Sub(y Value) Signal { return s.binary(ir.Sub, y) }

// Mul wraps modulo 2^width; operands and result have the same type.
func (s Signal) Mul(y Value) Signal { return s.binary(ir.Mul, y) }

// AddX adds without loss: the result is one bit wider than the operands.
func (s Signal) AddX(y Value) Signal { return s.grow(ir.Add, y, s.Width()+1) }

// SubX subtracts without loss in the sense of two's complement: the result is one
// bit wider than the operands, and its top bit is the borrow of an unsigned
// subtraction.
func (s Signal) SubX(y Value) Signal { return s.grow(ir.Sub, y, s.Width()+1) }

// MulX multiplies without loss: the result has twice the operands' width.
func (s Signal) MulX(y Value) Signal { return s.grow(ir.Mul, y, 2*s.Width()) }

func (s Signal) grow(op ir.BinaryOp, y Value, w int) Signal {
	a, b, ok := s.pair(y, op.String())
	if !ok {
		return a.invalid(ir.Type{Width: w, Signed: s.Signed()})
	}
	return a.Ext(w).binary(op, b.Ext(w))
}

// Eq is one bit: equality.
func (s Signal) Eq(y Value) Signal { return s.binary(ir.Eq, y) }

// Ne is one bit: inequality.
func (s Signal) Ne(y Value) Signal { return s.binary(ir.Ne, y) }

// Lt is one bit: less than, in the operands' signedness.
func (s Signal) Lt(y Value) Signal { return s.binary(ir.Lt, y) }

// Le is one bit: less than or equal, in the operands' signedness.
func (s Signal) Le(y Value) Signal { return s.binary(ir.Le, y) }

// Gt is one bit: greater than, in the operands' signedness.
func (s Signal) Gt(y Value) Signal { return s.binary(ir.Gt, y) }

// Ge is one bit: greater than or equal, in the operands' signedness.
func (s Signal) Ge(y Value) Signal { return s.binary(ir.Ge, y) }

// Shl shifts left by an unsigned amount of any width; zeros enter, and the width
// stays.
func (s Signal) Shl(amount Value) Signal { return s.shift(ir.Shl, amount) }

// Shr shifts right by an unsigned amount of any width; the sign enters if s is
// signed, zeros if not, and the width stays.
func (s Signal) Shr(amount Value) Signal { return s.shift(ir.Shr, amount) }

func (s Signal) shift(op ir.BinaryOp, amount Value) Signal {
	m := s.m
	if m == nil {
		m = moduleOf(amount)
	}
	if m == nil {
		return s.invalid(s.typ)
	}
	a := s.resolve(m, nil)
	t := ir.Type{Width: ir.AddrBits(s.Width() + 1)}
	n := amount.resolve(m, &t)
	if a.bad || n.bad {
		return a.invalid(ir.Type{Width: s.Width(), Signed: s.Signed()})
	}
	if n.Signed() {
		m.report(diag.Sign, fmt.Sprintf("the shift amount %s is signed", describe(n.e)), "use AsUnsigned")
		return a.invalid(a.e.Type())
	}
	return a.make(&ir.Binary{Op: op, X: a.e, Y: n.e, Pos: m.here()})
}

// Bit is bit i, from 0.
func (s Signal) Bit(i int) Signal { return s.slice(i, 1) }

// Bits is the unsigned value of bits hi down to lo, both included.
func (s Signal) Bits(hi, lo int) Signal { return s.slice(lo, hi-lo+1) }

func (s Signal) slice(lo, w int) Signal {
	if s.bad || s.e == nil {
		return s.invalid(ir.Type{Width: max(w, 1)})
	}
	if lo < 0 || w < 1 || lo+w > s.Width() {
		if s.m != nil {
			s.m.report(diag.Range, fmt.Sprintf("bits %d:%d of %s, which has bits %d:0", lo+w-1, lo, describe(s.e), s.Width()-1), "")
		}
		return s.invalid(ir.Type{Width: max(w, 1)})
	}
	return s.make(sliceExpr(s.e, lo, w, s.here()))
}

func (s Signal) here() ir.Pos {
	if s.m == nil {
		return ir.Pos{}
	}
	return s.m.here()
}

func sliceExpr(e ir.Expr, lo, w int, pos ir.Pos) ir.Expr {
	if in, ok := e.(*ir.Slice); ok {
		return sliceExpr(in.X, in.Lo+lo, w, pos)
	}
	if lo == 0 && e.Type().Same(ir.Type{Width: w}) {
		return e
	}
	return &ir.Slice{X: e, Lo: lo, Width: w, Pos: pos}
}

// Trunc keeps the low w bits and the signedness; w is at most the width.
func (s Signal) Trunc(w int) Signal {
	if s.e != nil && w > s.Width() && s.m != nil {
		s.m.report(diag.Width, fmt.Sprintf("Trunc to %d bits of %s, which has %d bits", w, describe(s.e), s.Width()), "use Ext")
		return s.invalid(ir.Type{Width: w, Signed: s.Signed()})
	}
	t := s.slice(0, w)
	if s.Signed() {
		return t.AsSigned()
	}
	return t
}

// Ext widens to w bits, by sign or by zeros according to the signedness; w is at
// least the width.
func (s Signal) Ext(w int) Signal {
	switch {
	case s.bad || s.e == nil:
		return s.invalid(ir.Type{Width: w, Signed: s.Signed()})
	case w < s.Width():
		if s.m != nil {
			s.m.report(diag.Width, fmt.Sprintf("Ext to %d bits of %s, which has %d bits", w, describe(s.e), s.Width()), "use Trunc")
		}
		return s.invalid(ir.Type{Width: w, Signed: s.Signed()})
	case w == s.Width():
		return s
	}
	return s.make(&ir.Extend{X: s.e, Width: w, Pos: s.here()})
}

// Resize is Ext or Trunc, whichever leads to w bits.
func (s Signal) Resize(w int) Signal {
	if w < s.Width() {
		return s.Trunc(w)
	}
	return s.Ext(w)
}

// AsSigned reads the same bits as two's complement.
func (s Signal) AsSigned() Signal { return s.cast(true) }

// AsUnsigned reads the same bits as an unsigned number.
func (s Signal) AsUnsigned() Signal { return s.cast(false) }

func (s Signal) cast(signed bool) Signal {
	switch {
	case s.bad || s.e == nil:
		return s.invalid(ir.Type{Width: s.Width(), Signed: signed})
	case s.Signed() == signed:
		return s
	}
	return s.make(&ir.Cast{X: s.e, Signed: signed, Pos: s.here()})
}

// Cat concatenates; the first part becomes the most significant bits. The result
// is unsigned. Every part needs a width of its own, so no K.
func Cat(parts ...Value) Signal {
	m := moduleOf(parts...)
	cat, w := &ir.Cat{}, 0
	for _, p := range parts {
		var s Signal
		if m == nil { // constants only
			s, _ = p.(Signal)
		} else {
			s = p.resolve(m, nil)
		}
		w += s.Width()
		if s.bad || s.e == nil {
			return Signal{m: m, bad: true, typ: ir.Type{Width: w}}
		}
		cat.Parts = append(cat.Parts, s.e)
	}
	switch len(cat.Parts) {
	case 0:
		return Signal{m: m, bad: true}
	case 1:
		return Signal{m: m, e: cat.Parts[0]}.AsUnsigned()
	}
	s := Signal{m: m, e: cat}
	cat.Pos = s.here()
	return s
}

// Repeat is n copies of s side by side.
func Repeat(s Signal, n int) Signal {
	parts := make([]Value, n)
	for i := range parts {
		parts[i] = s
	}
	return Cat(parts...)
}

// Mux is then where the one-bit cond is one, else els. Both have the same type;
// at most one of them may be a K.
func Mux(cond, then, els Value) Signal {
	m := moduleOf(cond, then, els)
	if m == nil {
		return Signal{bad: true}
	}
	c := m.condition(cond, "Mux")
	var a, b Signal
	if _, lit := then.(K); lit {
		b = els.resolve(m, nil)
		if b.bad {
			return b
		}
		t := b.e.Type()
		a = then.resolve(m, &t)
	} else {
		a = then.resolve(m, nil)
		if a.bad {
			return a
		}
		t := a.e.Type()
		b = els.resolve(m, &t)
	}
	if c.bad || a.bad || b.bad || !m.sameType(a, b, "Mux") {
		return Signal{m: m, bad: true, typ: ir.Type{Width: max(a.Width(), b.Width()), Signed: a.Signed()}}
	}
	return Signal{m: m, e: &ir.Mux{Cond: c.e, Then: a.e, Else: b.e, Pos: m.here()}}
}

// AnyOf is one bit: the OR of one-bit values; zero for none.
func AnyOf(vs ...Signal) Signal {
	if len(vs) == 0 {
		return Const(1, 0)
	}
	s := vs[0]
	for _, v := range vs[1:] {
		s = s.Or(v)
	}
	return s
}

// AllOf is one bit: the AND of one-bit values; one for none.
func AllOf(vs ...Signal) Signal {
	if len(vs) == 0 {
		return Const(1, 1)
	}
	s := vs[0]
	for _, v := range vs[1:] {
		s = s.And(v)
	}
	return s
}

// Select is items[index], a tree of multiplexers. The index is unsigned and wide
// enough for the items; beyond the last item it yields the last one of the tree's
// branch, so a description must not rely on it.
func Select(index Signal, items ...Signal) Signal {
	switch {
	case len(items) == 0:
		return Signal{m: index.m, bad: true}
	case len(items) == 1:
		return items[0]
	}
	bit := ir.AddrBits(len(items)) - 1
	half := 1 << bit
	return Mux(index.Bit(bit), Select(index, items[half:]...), Select(index, items[:half]...))
}
