package irtest

import (
	"fmt"
	"math/big"

	"github.com/millrace-hdl/millrace/hdl/ir"
)

func ones(width int) *big.Int {
	one := big.NewInt(1)
	return new(big.Int).Sub(new(big.Int).Lsh(one, uint(width)), one)
}

func truth(b bool) *big.Int {
	if b {
		return big.NewInt(1)
	}
	return new(big.Int)
}

// Words is a value as little-endian words, as many as the width needs.
func Words(v *big.Int, width int) []uint64 {
	w := make([]uint64, (width+63)/64)
	for i := range w {
		w[i] = new(big.Int).And(new(big.Int).Rsh(v, uint(64*i)), ones(64)).Uint64()
	}
	return w
}

// Value is the inverse of [Words].
func Value(words []uint64) *big.Int {
	v := new(big.Int)
	for i := len(words) - 1; i >= 0; i-- {
		v.Lsh(v, 64).Or(v, new(big.Int).SetUint64(words[i]))
	}
	return v
}

func constant(c *ir.Const) *big.Int { return Value(c.Words) }

// signed is the number that the bits of v mean.
func signed(v *big.Int, t ir.Type) *big.Int {
	if t.Signed && v.Bit(t.Width-1) == 1 {
		return new(big.Int).Sub(v, new(big.Int).Lsh(big.NewInt(1), uint(t.Width)))
	}
	return v
}

// bits is the number as width bits.
func bits(v *big.Int, width int) *big.Int { return new(big.Int).And(v, ones(width)) }

func (p *place) eval(e ir.Expr) *big.Int {
	v, ok := p.memo[e]
	if !ok {
		v = p.compute(e)
		p.memo[e] = v
	}
	return v
}

func (p *place) compute(e ir.Expr) *big.Int {
	w := e.Type().Width
	switch e := e.(type) {
	case *ir.Ref:
		return p.value[e.Signal]
	case *ir.Const:
		return constant(e)
	case *ir.Unary:
		x := p.eval(e.X)
		switch e.Op {
		case ir.Not:
			return new(big.Int).Xor(x, ones(w))
		case ir.Neg:
			return bits(new(big.Int).Neg(x), w)
		case ir.RedAnd:
			return truth(x.Cmp(ones(e.X.Type().Width)) == 0)
		case ir.RedOr:
			return truth(x.Sign() != 0)
		case ir.RedXor:
			n := uint(0)
			for i := range e.X.Type().Width {
				n += x.Bit(i)
			}
			return truth(n%2 == 1)
		}
	case *ir.Binary:
		return binary(e, p.eval(e.X), p.eval(e.Y))
	case *ir.Mux:
		if p.eval(e.Cond).Sign() != 0 {
			return p.eval(e.Then)
		}
		return p.eval(e.Else)
	case *ir.Cat:
		v := new(big.Int)
		for _, x := range e.Parts {
			v = new(big.Int).Or(new(big.Int).Lsh(v, uint(x.Type().Width)), p.eval(x))
		}
		return v
	case *ir.Slice:
		return bits(new(big.Int).Rsh(p.eval(e.X), uint(e.Lo)), w)
	case *ir.Select:
		return bits(new(big.Int).Rsh(p.eval(e.X), lane(p.eval(e.Index), e.Stride, e.X.Type().Width)), w)
	case *ir.Extend:
		return bits(signed(p.eval(e.X), e.X.Type()), w)
	case *ir.Cast:
		return p.eval(e.X)
	case *ir.MemRead:
		return p.read(e.Mem, p.eval(e.Addr))
	}
	panic(fmt.Sprintf("irtest: cannot evaluate %T", e))
}

// lane is the lowest bit of a lane, or the width where that is beyond it.
func lane(index *big.Int, stride, width int) uint {
	at := new(big.Int).Mul(index, big.NewInt(int64(stride)))
	if at.Cmp(big.NewInt(int64(width))) >= 0 {
		return uint(width)
	}
	return uint(at.Uint64())
}

func binary(e *ir.Binary, xv, yv *big.Int) *big.Int {
	w := e.Type().Width
	x, y := signed(xv, e.X.Type()), signed(yv, e.Y.Type())
	switch e.Op {
	case ir.And:
		return new(big.Int).And(xv, yv)
	case ir.Or:
		return new(big.Int).Or(xv, yv)
	case ir.Xor:
		return new(big.Int).Xor(xv, yv)
	case ir.Add:
		return bits(new(big.Int).Add(x, y), w)
	case ir.Sub:
		return bits(new(big.Int).Sub(x, y), w)
	case ir.Mul:
		return bits(new(big.Int).Mul(x, y), w)
	case ir.Eq:
		return truth(x.Cmp(y) == 0)
	case ir.Ne:
		return truth(x.Cmp(y) != 0)
	case ir.Lt:
		return truth(x.Cmp(y) < 0)
	case ir.Le:
		return truth(x.Cmp(y) <= 0)
	case ir.Gt:
		return truth(x.Cmp(y) > 0)
	case ir.Ge:
		return truth(x.Cmp(y) >= 0)
	}
	n := uint(w) // a shift by more is a shift by the width
	if yv.Cmp(big.NewInt(int64(w))) < 0 {
		n = uint(yv.Uint64())
	}
	if e.Op == ir.Shl {
		return bits(new(big.Int).Lsh(x, n), w)
	}
	return bits(new(big.Int).Rsh(x, n), w)
}
