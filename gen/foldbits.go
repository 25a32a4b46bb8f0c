package gen

import (
	"math/big"

	"github.com/millrace-hdl/millrace/hdl/ir"
)

// slice is width bits of x from lo up, taken from the part of x that holds them.
func slice(x ir.Expr, lo, width int, pos ir.Pos) ir.Expr {
	t := x.Type()
	if lo == 0 && width == t.Width {
		return cast(x, false, pos)
	}
	switch x := x.(type) {
	case *ir.Const:
		return constant(ir.Type{Width: width}, new(big.Int).Rsh(bits(x), uint(lo)), pos)
	case *ir.Slice:
		return slice(x.X, x.Lo+lo, width, x.Pos)
	case *ir.Cast:
		return slice(x.X, lo, width, pos)
	case *ir.Cat:
		return sliceCat(x, lo, width, pos)
	case *ir.Extend:
		in := x.X.Type().Width
		switch {
		case lo+width <= in:
			return slice(x.X, lo, width, pos)
		case lo >= in && !t.Signed:
			return constant(ir.Type{Width: width}, new(big.Int), pos)
		case lo < in:
			return cast(foldExtend(&ir.Extend{X: cast(slice(x.X, lo, in-lo, pos), t.Signed, pos), Width: width, Pos: x.Pos}), false, pos)
		}
	case *ir.Unary:
		if x.Op == ir.Not && leaf(x.X) {
			return foldUnary(&ir.Unary{Op: ir.Not, X: slice(x.X, lo, width, pos), Pos: x.Pos}, false)
		}
	}
	return &ir.Slice{X: x, Lo: lo, Width: width, Pos: pos}
}

func sliceCat(x *ir.Cat, lo, width int, pos ir.Pos) ir.Expr {
	var parts []ir.Expr
	top := x.Type().Width
	for _, p := range x.Parts {
		w := p.Type().Width
		base := top - w
		from, to := max(lo, base), min(lo+width, top)
		if from < to {
			parts = append(parts, slice(p, from-base, to-from, pos))
		}
		top = base
	}
	return foldCat(&ir.Cat{Parts: parts, Pos: x.Pos})
}

// cast reads x as signed or unsigned.
func cast(x ir.Expr, signed bool, pos ir.Pos) ir.Expr {
	if x.Type().Signed == signed {
		return x
	}
	switch x := x.(type) {
	case *ir.Cast:
		return cast(x.X, signed, x.Pos)
	case *ir.Const:
		return constant(ir.Type{Width: x.Typ.Width, Signed: signed}, bits(x), x.Pos)
	}
	return &ir.Cast{X: x, Signed: signed, Pos: pos}
}

func foldExtend(e *ir.Extend) ir.Expr {
	if e.Width == e.X.Type().Width {
		return e.X
	}
	switch x := e.X.(type) {
	case *ir.Const:
		return constant(e.Type(), value(x), e.Pos)
	case *ir.Extend:
		return &ir.Extend{X: x.X, Width: e.Width, Pos: e.Pos}
	}
	return e
}

// foldCat flattens, and joins neighbours that are literals or adjacent bits.
func foldCat(e *ir.Cat) ir.Expr {
	var parts []ir.Expr
	for _, p := range e.Parts {
		p = cast(p, false, e.Pos)
		if in, ok := p.(*ir.Cat); ok {
			for _, q := range in.Parts {
				parts = joinPart(parts, q)
			}
			continue
		}
		parts = joinPart(parts, p)
	}
	if len(parts) == 1 {
		return parts[0]
	}
	// Zeros above a value widen it.
	if c, ok := parts[0].(*ir.Const); ok && c.IsZero() && len(parts) == 2 {
		return foldExtend(&ir.Extend{X: parts[1], Width: c.Typ.Width + parts[1].Type().Width, Pos: e.Pos})
	}
	return &ir.Cat{Parts: parts, Pos: e.Pos}
}

func joinPart(parts []ir.Expr, p ir.Expr) []ir.Expr {
	if len(parts) == 0 {
		return append(parts, p)
	}
	last := len(parts) - 1
	if j := joined(parts[last], p); j != nil {
		parts[last] = j
		return parts
	}
	return append(parts, p)
}

// joined is {hi, lo} as one operand, or nil if it takes two.
func joined(hi, lo ir.Expr) ir.Expr {
	if a, ok := hi.(*ir.Const); ok {
		if b, ok := lo.(*ir.Const); ok {
			w := a.Typ.Width + b.Typ.Width
			v := new(big.Int).Lsh(bits(a), uint(b.Typ.Width))
			return constant(ir.Type{Width: w}, v.Or(v, bits(b)), a.Pos)
		}
	}
	a, ok := hi.(*ir.Slice)
	b, ok2 := lo.(*ir.Slice)
	if ok && ok2 && sameSignal(a.X, b.X) && a.Lo == b.Lo+b.Width {
		return slice(a.X, b.Lo, a.Width+b.Width, a.Pos)
	}
	return nil
}

func sameSignal(a, b ir.Expr) bool {
	x, ok := a.(*ir.Ref)
	y, ok2 := b.(*ir.Ref)
	return a == b || ok && ok2 && x.Signal == y.Signal
}

// same reports whether two expressions are known to be equal: one node, or plain
// operands that read the same bits.
func same(a, b ir.Expr) bool {
	if sameSignal(a, b) || equalConst(a, b) {
		return true
	}
	switch x := a.(type) {
	case *ir.Slice:
		y, ok := b.(*ir.Slice)
		return ok && x.Lo == y.Lo && x.Width == y.Width && same(x.X, y.X)
	case *ir.Extend:
		y, ok := b.(*ir.Extend)
		return ok && x.Width == y.Width && same(x.X, y.X)
	case *ir.Cast:
		y, ok := b.(*ir.Cast)
		return ok && x.Signed == y.Signed && same(x.X, y.X)
	}
	return false
}
