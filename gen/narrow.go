package gen

import "github.com/millrace-hdl/millrace/hdl/ir"

// narrow takes bits out of an operation by computing only those bits, or is nil
// where that is not possible or the operation has other users than e.
func narrow(e *ir.Slice, uses map[ir.Expr]int) ir.Expr {
	if uses[e.X] > 1 {
		return nil
	}
	part := func(x ir.Expr, lo, width int) ir.Expr {
		s := slice(x, lo, width, e.Pos)
		if sl, ok := s.(*ir.Slice); ok {
			if n := narrow(sl, uses); n != nil {
				return n
			}
		}
		return s
	}
	top := e.Lo + e.Width
	bits := func(x ir.Expr) ir.Expr { return part(x, e.Lo, e.Width) }
	low := func(x ir.Expr) ir.Expr { return part(x, 0, top) }
	switch x := e.X.(type) {
	case *ir.Unary:
		switch {
		case x.Op == ir.Not:
			return simplify(&ir.Unary{Op: x.Op, X: bits(x.X), Pos: x.Pos})
		case x.Op == ir.Neg && top < x.Type().Width:
			return slice(simplify(&ir.Unary{Op: x.Op, X: low(x.X), Pos: x.Pos}), e.Lo, e.Width, e.Pos)
		}
	case *ir.Binary:
		switch {
		case x.Op <= ir.Xor:
			return simplify(&ir.Binary{Op: x.Op, X: bits(x.X), Y: bits(x.Y), Pos: x.Pos})
		case x.Op <= ir.Mul && top < x.Type().Width: // carries only go up
			return slice(simplify(&ir.Binary{Op: x.Op, X: low(x.X), Y: low(x.Y), Pos: x.Pos}), e.Lo, e.Width, e.Pos)
		case x.Op == ir.Shl && top < x.Type().Width:
			return slice(simplify(&ir.Binary{Op: x.Op, X: low(x.X), Y: x.Y, Pos: x.Pos}), e.Lo, e.Width, e.Pos)
		}
	case *ir.Mux:
		return simplify(&ir.Mux{Cond: x.Cond, Then: bits(x.Then), Else: bits(x.Else), Pos: x.Pos})
	case *ir.Cast:
		return bits(x.X)
	}
	return nil
}
