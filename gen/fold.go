package gen

import (
	"math/big"

	"github.com/millrace-hdl/millrace/hdl/ir"
)

// folder rewrites expressions into equal ones that read better. Each rule keeps
// the type and the value for every input.
type folder struct {
	memo map[ir.Expr]ir.Expr
	uses map[ir.Expr]int        // users of each node of the input
	subs map[*ir.Signal]ir.Expr // temporaries to replace by their values
}

func newFolder(uses map[ir.Expr]int) *folder {
	return &folder{map[ir.Expr]ir.Expr{}, uses, map[*ir.Signal]ir.Expr{}}
}

// expr folds e and all below it; one node has one result.
func (f *folder) expr(e ir.Expr) ir.Expr {
	if r, ok := f.memo[e]; ok {
		return r
	}
	var r ir.Expr
	switch e := e.(type) {
	case *ir.Ref:
		r = e
		if v, ok := f.subs[e.Signal]; ok {
			r = f.expr(v)
		}
	case *ir.Unary:
		single := f.uses[e.X] <= 1
		r = foldUnary(ir.MapOperands(e, f.expr).(*ir.Unary), single)
	case *ir.Slice:
		// Before its operands are folded: their users are known as they are.
		if n := narrow(f.through(e), f.uses); n != nil {
			r = f.expr(n)
		} else {
			r = simplify(ir.MapOperands(e, f.expr))
		}
	default:
		r = simplify(ir.MapOperands(e, f.expr))
	}
	f.memo[e] = r
	return r
}

// through is e with the value of a temporary that is to be replaced.
func (f *folder) through(e *ir.Slice) *ir.Slice {
	if r, ok := e.X.(*ir.Ref); ok && f.uses[e.X] <= 1 {
		if v, ok := f.subs[r.Signal]; ok {
			return f.through(&ir.Slice{X: v, Lo: e.Lo, Width: e.Width, Pos: e.Pos})
		}
	}
	return e
}

// simplify applies the rules to e, whose operands are folded already.
func simplify(e ir.Expr) ir.Expr {
	switch e := e.(type) {
	case *ir.Unary:
		return foldUnary(e, false)
	case *ir.Binary:
		return foldBinary(e)
	case *ir.Mux:
		return foldMux(e)
	case *ir.Cat:
		return foldCat(e)
	case *ir.Slice:
		return slice(e.X, e.Lo, e.Width, e.Pos)
	case *ir.Select:
		return foldSelect(e)
	case *ir.Extend:
		return foldExtend(e)
	case *ir.Cast:
		return cast(e.X, e.Signed, e.Pos)
	}
	return e
}

// negated is the comparison that holds where op does not.
var negated = map[ir.BinaryOp]ir.BinaryOp{
	ir.Eq: ir.Ne, ir.Ne: ir.Eq, ir.Lt: ir.Ge, ir.Ge: ir.Lt, ir.Gt: ir.Le, ir.Le: ir.Gt,
}

// foldUnary may take the operand apart if it has no other user.
func foldUnary(e *ir.Unary, single bool) ir.Expr {
	if c, ok := e.X.(*ir.Const); ok {
		return unaryConst(e, c)
	}
	if e.Op >= ir.RedAnd && e.X.Type().Width == 1 {
		return cast(e.X, false, e.Pos)
	}
	switch x := e.X.(type) {
	case *ir.Unary:
		if (e.Op == ir.Not || e.Op == ir.Neg) && e.Op == x.Op {
			return x.X
		}
		if e.Op == ir.Not && x.Op == ir.RedOr && (single || leaf(x.X)) {
			return &ir.Binary{Op: ir.Eq, X: x.X, Y: constant(x.X.Type(), new(big.Int), x.Pos), Pos: x.Pos}
		}
	case *ir.Binary:
		if n, ok := negated[x.Op]; ok && e.Op == ir.Not && (single || leaf(x.X) && leaf(x.Y)) {
			return &ir.Binary{Op: n, X: x.X, Y: x.Y, Pos: x.Pos}
		}
	}
	return e
}

func foldBinary(e *ir.Binary) ir.Expr {
	x, xc := e.X.(*ir.Const)
	y, yc := e.Y.(*ir.Const)
	switch {
	case xc && yc:
		return binaryConst(e, x, y)
	case same(e.X, e.Y) && foldSame(e) != nil:
		return foldSame(e)
	case e.Op.Compare() && xc:
		return foldCompare(e, x, true)
	case e.Op.Compare() && yc:
		return foldCompare(e, y, false)
	case e.Op.Compare():
		return e
	case e.Op == ir.Shl || e.Op == ir.Shr:
		if yc {
			return foldShift(e, y)
		}
		if xc && x.IsZero() {
			return x
		}
	case yc:
		return foldOperand(e, e.X, y, false)
	case xc:
		return foldOperand(e, e.Y, x, true)
	}
	return e
}

// foldSame folds an operation on two equal operands, or returns nil.
func foldSame(e *ir.Binary) ir.Expr {
	switch e.Op {
	case ir.And, ir.Or:
		return e.X
	case ir.Xor, ir.Sub:
		return constant(e.Type(), new(big.Int), e.Pos)
	case ir.Eq, ir.Le, ir.Ge:
		return truth(true, e.Pos)
	case ir.Ne, ir.Lt, ir.Gt:
		return truth(false, e.Pos)
	}
	return nil
}

// foldOperand folds e, whose one operand is v and other the literal c; first
// says that the literal is the first one.
func foldOperand(e *ir.Binary, v ir.Expr, c *ir.Const, first bool) ir.Expr {
	zero, one, full := c.IsZero(), bits(c).Cmp(big.NewInt(1)) == 0, isOnes(c)
	switch e.Op {
	case ir.And:
		if zero {
			return constant(e.Type(), new(big.Int), e.Pos)
		}
		if full {
			return v
		}
	case ir.Or:
		if zero {
			return v
		}
		if full {
			return constant(e.Type(), ones(e.Type().Width), e.Pos)
		}
	case ir.Xor:
		if zero {
			return v
		}
		if full {
			return foldUnary(&ir.Unary{Op: ir.Not, X: v, Pos: e.Pos}, false)
		}
	case ir.Mul:
		if zero {
			return constant(e.Type(), new(big.Int), e.Pos)
		}
		if one {
			return v
		}
	case ir.Add, ir.Sub:
		if zero && e.Op == ir.Add || zero && !first {
			return v
		}
		if zero {
			return foldUnary(&ir.Unary{Op: ir.Neg, X: v, Pos: e.Pos}, false)
		}
		return foldSum(e, v, c, first)
	}
	return e
}

// foldSum writes a + 255 as a - 1 and a - 255 as a + 1 where the other literal is
// much the smaller one.
func foldSum(e *ir.Binary, v ir.Expr, c *ir.Const, first bool) ir.Expr {
	w := c.Typ.Width
	neg := constant(c.Typ, new(big.Int).Neg(bits(c)), c.Pos)
	if w < 2 || bits(neg).BitLen() > (w+1)/2 || bits(neg).Cmp(bits(c)) >= 0 || first && e.Op == ir.Sub {
		return e
	}
	op := ir.Sub
	if e.Op == ir.Sub {
		op = ir.Add
	}
	return &ir.Binary{Op: op, X: v, Y: neg, Pos: e.Pos}
}

func foldShift(e *ir.Binary, y *ir.Const) ir.Expr {
	w := e.Type().Width
	n := int(amount(y, w))
	switch {
	case n == 0:
		return e.X
	case n < w:
		return e
	case e.Op == ir.Shr && e.Type().Signed: // only the sign is left
		return &ir.Binary{Op: ir.Shr, X: e.X, Y: constant(ir.Type{Width: ir.AddrBits(w)}, big.NewInt(int64(w-1)), y.Pos), Pos: e.Pos}
	}
	return constant(e.Type(), new(big.Int), e.Pos)
}

// foldCompare decides what a comparison with the least or greatest value decides,
// and drops comparisons of one bit with a literal. Tools warn about both.
func foldCompare(e *ir.Binary, c *ir.Const, first bool) ir.Expr {
	v, op := e.X, e.Op
	if first {
		v, op = e.Y, mirrored(op)
	}
	t := c.Typ
	if t.Width == 1 && !t.Signed && v.Type().Enum == nil && (op == ir.Eq || op == ir.Ne) {
		if c.IsZero() == (op == ir.Ne) {
			return v
		}
		return foldUnary(&ir.Unary{Op: ir.Not, X: v, Pos: e.Pos}, false)
	}
	low, high := new(big.Int), ones(t.Width)
	if t.Signed {
		high = ones(t.Width - 1)
		low = new(big.Int).Not(high)
	}
	least, greatest := value(c).Cmp(low) == 0, value(c).Cmp(high) == 0
	equal := func(op ir.BinaryOp) ir.Expr { return foldBinary(&ir.Binary{Op: op, X: v, Y: c, Pos: e.Pos}) }
	switch {
	case op == ir.Lt && least, op == ir.Gt && greatest:
		return truth(false, e.Pos)
	case op == ir.Ge && least, op == ir.Le && greatest:
		return truth(true, e.Pos)
	case op == ir.Le && least, op == ir.Ge && greatest:
		return equal(ir.Eq)
	case op == ir.Gt && least, op == ir.Lt && greatest:
		return equal(ir.Ne)
	}
	return &ir.Binary{Op: op, X: v, Y: c, Pos: e.Pos}
}

// mirrored is the comparison with the operands exchanged.
func mirrored(op ir.BinaryOp) ir.BinaryOp {
	switch op {
	case ir.Lt:
		return ir.Gt
	case ir.Gt:
		return ir.Lt
	case ir.Le:
		return ir.Ge
	case ir.Ge:
		return ir.Le
	}
	return op
}

func foldMux(e *ir.Mux) ir.Expr {
	if c, ok := e.Cond.(*ir.Const); ok {
		if c.IsZero() {
			return e.Else
		}
		return e.Then
	}
	if same(e.Then, e.Else) {
		return e.Then
	}
	if n, ok := e.Cond.(*ir.Unary); ok && n.Op == ir.Not {
		return foldMux(&ir.Mux{Cond: n.X, Then: e.Else, Else: e.Then, Pos: e.Pos})
	}
	t, tc := e.Then.(*ir.Const)
	o, oc := e.Else.(*ir.Const)
	if e.Type().Width == 1 && tc && oc && t.Typ.Enum == nil && o.Typ.Enum == nil {
		c := e.Cond
		if t.IsZero() {
			c = foldUnary(&ir.Unary{Op: ir.Not, X: c, Pos: e.Pos}, false)
		}
		return cast(cast(c, false, e.Pos), e.Type().Signed, e.Pos)
	}
	return e
}

func equalConst(a, b ir.Expr) bool {
	x, ok := a.(*ir.Const)
	y, ok2 := b.(*ir.Const)
	return ok && ok2 && x.Typ.Same(y.Typ) && bits(x).Cmp(bits(y)) == 0
}

// leaf reports whether e prints as a plain operand.
func leaf(e ir.Expr) bool {
	switch e := e.(type) {
	case *ir.Ref, *ir.Const:
		return true
	case *ir.Slice:
		_, ok := e.X.(*ir.Ref)
		return ok
	case *ir.Cast:
		return leaf(e.X)
	}
	return false
}
