package irtest

import (
	"fmt"

	"github.com/millrace-hdl/millrace/hdl/ir"
)

// properties adds ghosts: registers that shadow values in two ways, and wires that
// compare them. What is asserted and assumed holds; what is covered may happen.
func (b *builder) properties() {
	if !b.o.Properties {
		return
	}
	b.named = true
	for i := range b.r.IntN(3) {
		b.at = side{dom: b.anyDomain()}
		b.property(i)
	}
}

func (b *builder) property(i int) {
	t := ir.Type{Width: b.width(), Signed: b.r.IntN(3) == 0}
	value := b.expr(t, 2)
	twice := func(e ir.Expr) ir.Expr { return &ir.Unary{Op: ir.Not, X: &ir.Unary{Op: ir.Not, X: e}} }
	left, right := value, twice(value)
	if b.resets(b.at.dom) && b.r.IntN(2) == 0 {
		init := b.literal(t)
		shadow := func(name string, v ir.Expr) *ir.Ref {
			s := b.ghost(name, ir.Reg, t)
			s.Init, s.Domain = init, b.at.dom
			b.m.Body = append(b.m.Body, &ir.Assign{Target: s, Width: t.Width, Value: v})
			return &ir.Ref{Signal: s}
		}
		left, right = shadow(fmt.Sprintf("past%d", i), left), shadow(fmt.Sprintf("again%d", i), right)
	}
	p := &ir.Property{Kind: ir.PropertyKind(b.r.IntN(3)), Name: fmt.Sprintf("p%d", i), Domain: b.at.dom}
	one := ir.Type{Width: 1}
	cond := b.ghost(fmt.Sprintf("holds%d", i), ir.Wire, one)
	p.Cond = cond
	b.m.Properties = append(b.m.Properties, p)
	holds := ir.Expr(&ir.Binary{Op: ir.Eq, X: left, Y: right})
	cond.Default = ir.NewConst(one, 1)
	if p.Kind == ir.Cover {
		cond.Default = ir.NewConst(one, 0)
		holds = b.flag()
	}
	s := ir.Stmt(&ir.Assign{Target: cond, Width: 1, Value: holds})
	if b.r.IntN(2) == 0 {
		s = b.when(b.condition(), s, nil)
	}
	b.m.Body = append(b.m.Body, s)
}

func (b *builder) ghost(name string, k ir.Kind, t ir.Type) *ir.Signal {
	s := &ir.Signal{Name: name, Kind: k, Type: t, Ghost: true, Unused: true, Module: b.m}
	b.m.Signals = append(b.m.Signals, s)
	return s
}
