package gen

import (
	"fmt"
	"math/big"
	"testing"

	"github.com/millrace-hdl/millrace/hdl/ir"
)

// matrix is a design with every operator as an operand of every other, in each
// place and for each type: the width and the sign that SystemVerilog would give
// an operand there must never show.
type matrix struct {
	m       *ir.Module
	a, b, c *ir.Signal // of the type at hand
	n       *ir.Signal // a shift amount
	k       *ir.Signal // a condition
	wires   []ir.Expr
}

func newMatrix(types []ir.Type) *ir.Design {
	x := &matrix{m: &ir.Module{Name: "top"}}
	x.n = x.signal("n", ir.Input, ir.Type{Width: 4})
	x.k = x.signal("k", ir.Input, ir.Type{Width: 1})
	for _, t := range types {
		x.a, x.b, x.c = x.signal("a_"+t.String(), ir.Input, t), x.signal("b_"+t.String(), ir.Input, t), x.signal("c_"+t.String(), ir.Input, t)
		for i := range x.inner(t) {
			for j := range x.outer(x.inner(t)[i]) {
				e := x.outer(x.inner(t)[i])[j] // built anew, so that nothing is shared
				w := x.signal(fmt.Sprintf("w%d_%d_%s", i, j, t), ir.Wire, plainType(e.Type()))
				x.m.Body = append(x.m.Body, whole(w, e, ir.Pos{}))
				x.wires = append(x.wires, &ir.Ref{Signal: w})
			}
		}
	}
	for i := 0; i < len(x.wires); i += 40 {
		cat := &ir.Cat{Parts: x.wires[i:min(i+40, len(x.wires))]}
		out := x.signal(fmt.Sprintf("out%d", i), ir.Output, cat.Type())
		x.m.Body = append(x.m.Body, whole(out, cat, ir.Pos{}))
	}
	return &ir.Design{Top: x.m, Modules: []*ir.Module{x.m}}
}

func plainType(t ir.Type) ir.Type { return ir.Type{Width: t.Width, Signed: t.Signed} }

func (x *matrix) signal(name string, k ir.Kind, t ir.Type) *ir.Signal {
	s := &ir.Signal{Name: name, Kind: k, Type: t, Module: x.m}
	x.m.Signals = append(x.m.Signals, s)
	return s
}

// inner are expressions of type t.
func (x *matrix) inner(t ir.Type) []ir.Expr {
	a, b := func() ir.Expr { return ref(x.a) }, func() ir.Expr { return ref(x.b) }
	number := func(v int64) ir.Expr { return constant(t, big.NewInt(v), ir.Pos{}) }
	wider := func(e ir.Expr) ir.Expr { return &ir.Extend{X: e, Width: t.Width + 3} }
	sign := func(e ir.Expr) ir.Expr { return castTo(e, t.Signed) }
	list := []ir.Expr{
		a(), number(-1), number(1), constant(t, new(big.Int).Lsh(big.NewInt(1), uint(t.Width-1)), ir.Pos{}),
		&ir.Unary{Op: ir.Not, X: a()}, &ir.Unary{Op: ir.Neg, X: a()},
		&ir.Binary{Op: ir.Shl, X: a(), Y: ref(x.n)}, &ir.Binary{Op: ir.Shr, X: a(), Y: ref(x.n)},
		&ir.Mux{Cond: ref(x.k), Then: a(), Else: b()},
		sign(&ir.Cast{X: a(), Signed: !t.Signed}),
		sign(&ir.Slice{X: &ir.Binary{Op: ir.Add, X: wider(a()), Y: wider(b())}, Lo: 1, Width: t.Width}),
		sign(&ir.Slice{X: &ir.Binary{Op: ir.Sub, X: wider(a()), Y: wider(b())}, Width: t.Width}),
		sign(&ir.Binary{Op: ir.Add, X: castTo(a(), !t.Signed), Y: castTo(b(), !t.Signed)}),
	}
	for op := ir.And; op <= ir.Mul; op++ {
		list = append(list, &ir.Binary{Op: op, X: a(), Y: b()})
	}
	if t.Width > 2 {
		cat := &ir.Cat{Parts: []ir.Expr{&ir.Slice{X: a(), Width: 1}, &ir.Slice{X: b(), Lo: 1, Width: t.Width - 1}}}
		list = append(list, sign(cat),
			&ir.Extend{X: sign(&ir.Slice{X: &ir.Binary{Op: ir.Add, X: a(), Y: b()}, Lo: 1, Width: t.Width - 2}), Width: t.Width})
	}
	return list
}

func castTo(e ir.Expr, signed bool) ir.Expr {
	if e.Type().Signed == signed {
		return e
	}
	return &ir.Cast{X: e, Signed: signed}
}

// outer uses e in every place.
func (x *matrix) outer(e ir.Expr) []ir.Expr {
	t := plainType(e.Type())
	c := func() ir.Expr { return ref(x.c) }
	wide := func(e ir.Expr) ir.Expr { return &ir.Extend{X: e, Width: t.Width + 5} }
	list := []ir.Expr{
		e, &ir.Unary{Op: ir.Not, X: e}, &ir.Unary{Op: ir.Neg, X: e},
		&ir.Unary{Op: ir.RedAnd, X: e}, &ir.Unary{Op: ir.RedOr, X: e}, &ir.Unary{Op: ir.RedXor, X: e},
		&ir.Binary{Op: ir.Shl, X: e, Y: ref(x.n)}, &ir.Binary{Op: ir.Shr, X: e, Y: ref(x.n)},
		&ir.Binary{Op: ir.Shr, X: c(), Y: castTo(e, false)}, &ir.Binary{Op: ir.Shl, X: c(), Y: castTo(e, false)},
		&ir.Mux{Cond: ref(x.k), Then: e, Else: c()}, &ir.Mux{Cond: ref(x.k), Then: c(), Else: e},
		&ir.Mux{Cond: &ir.Unary{Op: ir.RedXor, X: e}, Then: c(), Else: ref(x.b)},
		&ir.Cat{Parts: []ir.Expr{e, c(), e}},
		wide(e), &ir.Binary{Op: ir.Add, X: wide(e), Y: wide(c())}, &ir.Binary{Op: ir.Lt, X: wide(e), Y: wide(c())},
		castTo(e, !t.Signed), &ir.Binary{Op: ir.Lt, X: castTo(e, !t.Signed), Y: castTo(c(), !t.Signed)},
		&ir.Binary{Op: ir.Shr, X: &ir.Cast{X: &ir.Cast{X: e, Signed: true}, Signed: true}, Y: ref(x.n)},
		&ir.Extend{X: &ir.Binary{Op: ir.Ge, X: e, Y: c()}, Width: 3},
	}
	for op := ir.And; op <= ir.Ge; op++ {
		list = append(list, &ir.Binary{Op: op, X: e, Y: c()}, &ir.Binary{Op: op, X: c(), Y: e})
	}
	return list
}

func TestEveryOperatorInEveryPlace(t *testing.T) {
	var types []ir.Type
	for _, w := range []int{1, 8, 33, 70} {
		types = append(types, ir.Type{Width: w}, ir.Type{Width: w, Signed: true})
	}
	t.Run("Icarus and Yosys", func(t *testing.T) { agree(t, newMatrix(types), 1, AsyncLow, viewIcarus, viewYosys) })
	t.Run("Verilator", func(t *testing.T) {
		agree(t, newMatrix([]ir.Type{{Width: 8, Signed: true}, {Width: 33}}), 1, AsyncLow, viewVerilator)
	})
}
