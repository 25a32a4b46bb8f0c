package gen

import (
	"math/big"

	"github.com/millrace-hdl/millrace/hdl/ir"
)

// lanes takes from selections and assignments by index what reaches beyond the
// vector, where tools disagree: what is left always lies inside.
func (u *unit) lanes() {
	memo := map[ir.Expr]ir.Expr{}
	var f func(ir.Expr) ir.Expr
	f = func(e ir.Expr) ir.Expr {
		if r, ok := memo[e]; ok {
			return r
		}
		r := ir.MapOperands(e, f)
		if s, ok := r.(*ir.Select); ok {
			r = insideSelect(s)
		} else if r != e {
			r = simplify(r)
		}
		memo[e] = r
		return r
	}
	u.mapExprs(f)
	u.body = prune(mapList(u.body, insideAssign))
}

// foldSelect is a selection at a literal index as bits and zeros.
func foldSelect(e *ir.Select) ir.Expr {
	c, ok := e.Index.(*ir.Const)
	if !ok {
		return e
	}
	x := cast(e.X, false, e.Pos)
	w := x.Type().Width
	at := new(big.Int).Mul(bits(c), big.NewInt(int64(e.Stride)))
	if at.Cmp(big.NewInt(int64(w))) >= 0 {
		return constant(e.Type(), new(big.Int), e.Pos)
	}
	lo := int(at.Int64())
	in := slice(x, lo, min(e.Width, w-lo), e.Pos)
	return foldExtend(&ir.Extend{X: in, Width: e.Width, Pos: e.Pos})
}

// insideSelect reads zeros beyond the vector without selecting them: behind a
// condition where a lane is either inside or beyond, by a shift where one is partly
// inside.
func insideSelect(e *ir.Select) ir.Expr {
	if r := foldSelect(e); r != ir.Expr(e) {
		return r
	}
	x := cast(e.X, false, e.Pos)
	w := x.Type().Width
	whole := (w-e.Width)/e.Stride + 1     // lanes that lie inside
	some := (w + e.Stride - 1) / e.Stride // lanes of which a bit does
	beyond := !reaches(e.Index, whole)    // the index may be whole or more
	if beyond && whole < some {
		return slice(foldBinary(&ir.Binary{Op: ir.Shr, X: x, Y: bitOf(e), Pos: e.Pos}), 0, e.Width, e.Pos)
	}
	lane := slice(x, 0, e.Width, e.Pos)
	if whole > 1 {
		index := narrowed(e.Index, whole, e.Pos)
		if e.Stride == 1 { // Verilator wants the width that numbers the bits
			index = foldExtend(&ir.Extend{X: index, Width: max(index.Type().Width, ir.AddrBits(w)), Pos: e.Pos})
		}
		lane = foldSelect(&ir.Select{X: x, Index: index, Stride: e.Stride, Width: e.Width, Pos: e.Pos})
	}
	if !beyond {
		return lane
	}
	return foldMux(&ir.Mux{Cond: below(e.Index, whole, e.Pos), Then: lane, Else: constant(e.Type(), new(big.Int), e.Pos), Pos: e.Pos})
}

// bitOf is the lowest bit of the selected lane, in a width that holds it.
func bitOf(e *ir.Select) ir.Expr {
	stride := big.NewInt(int64(e.Stride))
	k := stride.BitLen() - 1
	switch {
	case e.Stride == 1:
		return e.Index
	case e.Stride == 1<<k:
		return foldCat(&ir.Cat{Parts: []ir.Expr{e.Index, constant(ir.Type{Width: k}, new(big.Int), e.Pos)}, Pos: e.Pos})
	}
	t := ir.Type{Width: e.Index.Type().Width + k + 1}
	wide := foldExtend(&ir.Extend{X: e.Index, Width: t.Width, Pos: e.Pos})
	return foldBinary(&ir.Binary{Op: ir.Mul, X: wide, Y: constant(t, stride, e.Pos), Pos: e.Pos})
}

// insideAssign drops assignments to lanes beyond the target.
func insideAssign(s ir.Stmt) []ir.Stmt {
	a, ok := s.(*ir.Assign)
	if !ok || a.Index == nil {
		return []ir.Stmt{s}
	}
	n := a.Target.Type.Width / a.Width
	c := *a
	c.Index = narrowed(a.Index, n, a.Pos)
	// Low bits may be known where the index is not: beyond the lanes, so is the index.
	for _, index := range []ir.Expr{a.Index, c.Index} {
		if k, ok := index.(*ir.Const); ok && bits(k).Cmp(big.NewInt(int64(n))) >= 0 {
			return nil
		}
	}
	k, ok := c.Index.(*ir.Const)
	switch {
	case n == 1:
		c.Index = nil
	case ok:
		c.Index, c.Lo = nil, int(bits(k).Int64())*a.Width
	case a.Width == 1: // Verilator wants the width that numbers the bits
		c.Index = foldExtend(&ir.Extend{X: c.Index, Width: max(c.Index.Type().Width, ir.AddrBits(n)), Pos: a.Pos})
	}
	if c.Whole() {
		c.Value = cast(c.Value, c.Target.Type.Signed, c.Pos)
	}
	if reaches(a.Index, n) {
		return []ir.Stmt{&c}
	}
	return []ir.Stmt{&ir.If{Arms: []ir.Arm{{Cond: below(a.Index, n, a.Pos), Body: []ir.Stmt{&c}, Pos: a.Pos}}, Pos: a.Pos}}
}

// reaches reports whether n lanes are all that the index can reach.
func reaches(index ir.Expr, n int) bool { return greatest(index).Cmp(big.NewInt(int64(n))) < 0 }

// greatest is a bound of an unsigned value.
func greatest(e ir.Expr) *big.Int {
	switch e := e.(type) {
	case *ir.Const:
		return bits(e)
	case *ir.Extend:
		return greatest(e.X)
	case *ir.Binary:
		if c, ok := e.Y.(*ir.Const); ok && e.Op == ir.And {
			return bits(c)
		}
	}
	return ones(e.Type().Width)
}

// below is whether the index is less than n.
func below(index ir.Expr, n int, pos ir.Pos) ir.Expr {
	return foldBinary(&ir.Binary{Op: ir.Lt, X: index, Y: constant(index.Type(), big.NewInt(int64(n)), pos), Pos: pos})
}

// narrowed is an index below n in no more bits than that takes.
func narrowed(index ir.Expr, n int, pos ir.Pos) ir.Expr {
	if w := ir.AddrBits(n); index.Type().Width > w {
		return slice(index, 0, w, pos)
	}
	return index
}

// expanded is an assignment by index as one for each lane.
func expanded(a *ir.Assign) []ir.Stmt {
	var list []ir.Stmt
	t := a.Index.Type()
	for i := range a.Target.Type.Width / a.Width {
		if t.Width < 31 && i>>t.Width != 0 {
			break // no index has this value
		}
		one := &ir.Assign{Target: a.Target, Lo: i * a.Width, Width: a.Width, Value: a.Value, Pos: a.Pos}
		is := foldBinary(&ir.Binary{Op: ir.Eq, X: a.Index, Y: constant(t, big.NewInt(int64(i)), a.Pos), Pos: a.Pos})
		list = append(list, &ir.If{Arms: []ir.Arm{{Cond: is, Body: []ir.Stmt{one}, Pos: a.Pos}}, Pos: a.Pos})
	}
	return list
}
