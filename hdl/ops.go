package hdl

import (
	"fmt"

	"github.com/millrace-hdl/millrace/hdl/diag"
	"github.com/millrace-hdl/millrace/hdl/ir"
)

// pair resolves two operands that must have the same type; if they cannot be
// used, fault says why.
func (s Signal) pair(y Value, what string) (a, b, fault Signal) {
	m := moduleOf(s, y)
	if a = s.resolve(m, nil); a.bad {
		return a, b, a
	}
	t := a.e.Type()
	if b = value(y, m, &t); b.bad {
		return a, b, b
	}
	return a, b, mismatch(m, a, b, what)
}

// mismatch is valid if two resolved values have the same type, else the fault.
func mismatch(m *Module, a, b Signal, what string) Signal {
	ta, tb := a.e.Type(), b.e.Type()
	switch {
	case ta.Width != tb.Width:
		return fail(m, ta, diag.Width, fmt.Sprintf("%s: %s is %s, %s is %s", what, describe(a.e), counted(ta.Width, "bit"), describe(b.e), counted(tb.Width, "bit")),
			"use Trunc, Ext or Resize")
	case ta.Signed != tb.Signed:
		return fail(m, ta, diag.Sign, fmt.Sprintf("%s: %s is %s, %s is %s", what, describe(a.e), ta, describe(b.e), tb),
			"use AsSigned or AsUnsigned")
	}
	return Signal{}
}

func (s Signal) binary(op ir.BinaryOp, y Value) Signal {
	a, b, fault := s.pair(y, op.String())
	if fault.bad {
		if op.Compare() {
			return fault.invalid(ir.Type{Width: 1})
		}
		return fault.invalid(s.shape())
	}
	return Signal{m: a.m, e: &ir.Binary{Op: op, X: a.e, Y: b.e, Pos: a.here()}}
}

func (s Signal) unary(op ir.UnaryOp) Signal {
	a := s.resolve(moduleOf(s), nil)
	if a.bad {
		if op >= ir.RedAnd {
			return a.invalid(ir.Type{Width: 1})
		}
		return a
	}
	return Signal{m: a.m, e: &ir.Unary{Op: op, X: a.e, Pos: a.here()}}
}

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

// And is bitwise; operands have the same type.
func (s Signal) And(y Value) Signal { return s.binary(ir.And, y) }

// Or is bitwise; operands have the same type.
func (s Signal) Or(y Value) Signal { return s.binary(ir.Or, y) }

// Xor is bitwise; operands have the same type.
func (s Signal) Xor(y Value) Signal { return s.binary(ir.Xor, y) }

// AndNot clears the bits that are one in y; operands have the same type.
func (s Signal) AndNot(y Value) Signal {
	a, b, fault := s.pair(y, "and")
	if fault.bad {
		return fault.invalid(s.shape())
	}
	return a.And(b.Not())
}

// Add wraps modulo 2^width; operands and result have the same type.
func (s Signal) Add(y Value) Signal { return s.binary(ir.Add, y) }

// Sub wraps modulo 2^width; operands and result have the same type.
func (s Signal) Sub(y Value) Signal { return s.binary(ir.Sub, y) }

// Mul wraps modulo 2^width; operands and result have the same type.
func (s Signal) Mul(y Value) Signal { return s.binary(ir.Mul, y) }

// AddX adds without loss: the result is one bit wider than the operands and of
// their signedness.
func (s Signal) AddX(y Value) Signal { return s.grow(ir.Add, y, s.Width()+1) }

// SubX subtracts into a result that is one bit wider than the operands and of
// their signedness. Read as two's complement it is the exact difference; the top
// bit is whether s is less than y.
func (s Signal) SubX(y Value) Signal { return s.grow(ir.Sub, y, s.Width()+1) }

// MulX multiplies without loss: the result has twice the operands' width and
// their signedness.
func (s Signal) MulX(y Value) Signal { return s.grow(ir.Mul, y, 2*s.Width()) }

func (s Signal) grow(op ir.BinaryOp, y Value, w int) Signal {
	a, b, fault := s.pair(y, op.String())
	if fault.bad {
		return fault.invalid(ir.Type{Width: w, Signed: s.Signed()})
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
	m := moduleOf(s, amount)
	a := s.resolve(m, nil)
	t := ir.Type{Width: ir.AddrBits(s.Width() + 1)}
	n := value(amount, m, &t)
	switch k, literal := amount.(K); {
	case a.bad:
		return a
	case n.bad:
		return n.invalid(a.e.Type())
	case literal && k < 0:
		return fail(m, a.e.Type(), diag.Literal, fmt.Sprintf("the shift amount %d is negative", int64(k)), "shift the other way")
	case n.Signed():
		return fail(m, a.e.Type(), diag.Sign, fmt.Sprintf("the shift amount %s is signed", describe(n.e)), "use AsUnsigned")
	}
	return Signal{m: m, e: &ir.Binary{Op: op, X: a.e, Y: n.e, Pos: a.here()}}
}
