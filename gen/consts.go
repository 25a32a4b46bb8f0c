package gen

import (
	"math/big"

	"github.com/millrace-hdl/millrace/hdl/ir"
)

// constant is the literal with the low bits of v; v may be negative.
func constant(t ir.Type, v *big.Int, pos ir.Pos) *ir.Const {
	m := new(big.Int).And(v, ones(t.Width))
	c := &ir.Const{Typ: ir.Type{Width: t.Width, Signed: t.Signed}, Words: make([]uint64, t.Words()), Pos: pos}
	mask := new(big.Int).SetUint64(1<<64 - 1)
	for i := range c.Words {
		c.Words[i] = new(big.Int).And(m, mask).Uint64()
		m.Rsh(m, 64)
	}
	return c
}

func ones(width int) *big.Int {
	one := big.NewInt(1)
	return new(big.Int).Sub(new(big.Int).Lsh(one, uint(width)), one)
}

// bits is the literal's bit pattern as a number.
func bits(c *ir.Const) *big.Int {
	v := new(big.Int)
	for i := len(c.Words) - 1; i >= 0; i-- {
		v.Lsh(v, 64).Or(v, new(big.Int).SetUint64(c.Words[i]))
	}
	return v
}

// value is the literal as a number, negative if its type and sign bit say so.
func value(c *ir.Const) *big.Int {
	v := bits(c)
	if c.Typ.Signed && c.Bit(c.Typ.Width-1) {
		v.Sub(v, new(big.Int).Lsh(big.NewInt(1), uint(c.Typ.Width)))
	}
	return v
}

func isOnes(c *ir.Const) bool { return bits(c).Cmp(ones(c.Typ.Width)) == 0 }

func truth(b bool, pos ir.Pos) *ir.Const {
	v := int64(0)
	if b {
		v = 1
	}
	return constant(ir.Type{Width: 1}, big.NewInt(v), pos)
}

// unaryConst and binaryConst are the operators on literals.
func unaryConst(e *ir.Unary, x *ir.Const) *ir.Const {
	v := bits(x)
	switch e.Op {
	case ir.Not:
		return constant(e.Type(), v.Not(v), e.Pos)
	case ir.Neg:
		return constant(e.Type(), v.Neg(v), e.Pos)
	case ir.RedAnd:
		return truth(isOnes(x), e.Pos)
	case ir.RedOr:
		return truth(v.Sign() != 0, e.Pos)
	}
	parity := false
	for i := range x.Typ.Width {
		parity = parity != x.Bit(i)
	}
	return truth(parity, e.Pos)
}

func binaryConst(e *ir.Binary, x, y *ir.Const) *ir.Const {
	a, b, order := bits(x), bits(y), value(x).Cmp(value(y))
	r := new(big.Int)
	switch e.Op {
	case ir.And:
		r.And(a, b)
	case ir.Or:
		r.Or(a, b)
	case ir.Xor:
		r.Xor(a, b)
	case ir.Add:
		r.Add(a, b)
	case ir.Sub:
		r.Sub(a, b)
	case ir.Mul:
		r.Mul(a, b)
	case ir.Eq:
		return truth(order == 0, e.Pos)
	case ir.Ne:
		return truth(order != 0, e.Pos)
	case ir.Lt:
		return truth(order < 0, e.Pos)
	case ir.Le:
		return truth(order <= 0, e.Pos)
	case ir.Gt:
		return truth(order > 0, e.Pos)
	case ir.Ge:
		return truth(order >= 0, e.Pos)
	case ir.Shl:
		r.Lsh(a, amount(y, x.Typ.Width))
	case ir.Shr:
		r.Rsh(value(x), amount(y, x.Typ.Width))
	}
	return constant(e.Type(), r, e.Pos)
}

// amount is a shift amount, with all that shift everything out taken as limit.
func amount(c *ir.Const, limit int) uint {
	if v, ok := c.Uint64(); ok && v < uint64(limit) {
		return uint(v)
	}
	return uint(limit)
}
