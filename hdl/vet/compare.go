package vet

import (
	"go/ast"
	"go/token"
	"go/types"
)

// Compare reports comparisons that Go makes while hardware is described, where one
// in hardware was meant.
var Compare = analyzer("hdlcompare", `report comparisons of signals in Go

Signals do not compare with ==, but through an interface, a pointer, a map key or a
generic function Go compiles it, and it panics or compares the wrong thing. What a
signal carries is known only in hardware: use Eq, and m.If or hdl.Mux on it.`, compare)

func compare(p *program) {
	p.each(func(n ast.Node) {
		switch n := n.(type) {
		case *ast.BinaryExpr:
			if n.Op == token.EQL || n.Op == token.NEQ {
				p.equality(n)
			}
		case *ast.SwitchStmt:
			if n.Tag != nil && p.incomparable(n.Tag) != "" {
				p.Reportf(n.Tag.Pos(), "a Go switch compares %s while hardware is described, not what it carries; use m.Switch", p.incomparable(n.Tag))
			}
		case *ast.CallExpr:
			p.comparingCall(n)
			p.knownWidth(n)
		case *ast.MapType:
			if t := p.TypesInfo.TypeOf(n.Key); named(t, "Value") {
				p.Reportf(n.Key.Pos(), "a map with hdl.Value as key panics for signals, which Go cannot compare; use a name or an index as key")
			}
		case *ast.IndexExpr:
			if t := p.TypesInfo.TypeOf(n.X); t != nil {
				if m, ok := t.Underlying().(*types.Map); ok && !named(m.Key(), "Value") && p.incomparable(n.Index) != "" {
					p.Reportf(n.Index.Pos(), "%s as a map key panics, since Go cannot compare signals; use a name or an index as key", p.incomparable(n.Index))
				}
			}
		}
	}, (*ast.BinaryExpr)(nil), (*ast.SwitchStmt)(nil), (*ast.CallExpr)(nil), (*ast.MapType)(nil), (*ast.IndexExpr)(nil))
}

func (p *program) equality(b *ast.BinaryExpr) {
	if p.isNil(b.X) || p.isNil(b.Y) { // of an optional value
		return
	}
	for _, x := range []ast.Expr{b.X, b.Y} {
		if what := p.incomparable(x); what != "" {
			p.Reportf(b.Pos(), "%s compares %s while hardware is described, not what it carries; use Eq or Ne, and m.If or hdl.Mux on the result", b.Op, what)
			return
		}
	}
}

// incomparable describes an expression that stands for hardware where Go compares,
// empty if it is none: a signal in an interface, or a pointer to one.
func (p *program) incomparable(x ast.Expr) string {
	x = ast.Unparen(x)
	t := p.TypesInfo.TypeOf(x)
	if t == nil {
		return ""
	}
	if call, ok := x.(*ast.CallExpr); ok && p.TypesInfo.Types[call.Fun].IsType() && len(call.Args) == 1 && types.IsInterface(t) {
		return p.incomparable(call.Args[0])
	}
	if ptr, ok := types.Unalias(t).(*types.Pointer); ok && signal(ptr.Elem()) {
		return "the pointer " + types.ExprString(x)
	}
	if hardware(t) {
		return types.ExprString(x)
	}
	return ""
}

func (p *program) isNil(x ast.Expr) bool { return p.TypesInfo.Types[x].IsNil() }

// comparingCall reports calls that compare their arguments: reflect.DeepEqual, and
// generic functions whose comparable type parameter stands for hdl.Value.
func (p *program) comparingCall(call *ast.CallExpr) {
	f := p.callee(call)
	if f == nil || f.Pkg() == nil {
		return
	}
	if f.Pkg().Path() == "reflect" && f.Name() == "DeepEqual" {
		for _, a := range call.Args {
			if p.incomparable(a) != "" {
				p.Reportf(call.Pos(), "DeepEqual compares how %s was described, not what it carries; use Eq or Ne, and m.If or hdl.Mux on the result", types.ExprString(a))
				return
			}
		}
	}
	params := f.Origin().Signature().TypeParams()
	args := p.TypesInfo.Instances[calledName(call.Fun)].TypeArgs
	for i := range min(params.Len(), args.Len()) {
		bound, ok := params.At(i).Constraint().Underlying().(*types.Interface)
		if ok && bound.IsComparable() && named(args.At(i), "Value") {
			p.Reportf(call.Pos(), "%s compares hdl.Values in Go, which panics for signals; use Eq or Ne, and m.If or hdl.Mux on the result", f.Name())
			return
		}
	}
}

// calledName is the identifier of a called function.
func calledName(fun ast.Expr) *ast.Ident {
	switch fun := ast.Unparen(fun).(type) {
	case *ast.Ident:
		return fun
	case *ast.SelectorExpr:
		return fun.Sel
	case *ast.IndexExpr:
		return calledName(fun.X)
	case *ast.IndexListExpr:
		return calledName(fun.X)
	}
	return nil
}

// oneBit are the operations whose result has one bit, whatever the operands.
var oneBit = map[string]bool{"Eq": true, "Ne": true, "Lt": true, "Le": true, "Gt": true, "Ge": true,
	"Any": true, "All": true, "None": true, "Parity": true, "Fire": true, "Is": true,
	"AnyOf": true, "AllOf": true, "Implies": true, "Rose": true, "Fell": true, "Stable": true}

// knownWidth reports the width of a comparison, which is no way to learn its result.
func (p *program) knownWidth(call *ast.CallExpr) {
	f := p.callee(call)
	if !ofLanguage(f) || f.Name() != "Width" && f.Name() != "Signed" {
		return
	}
	sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr)
	if !ok {
		return
	}
	of, ok := ast.Unparen(sel.X).(*ast.CallExpr)
	if !ok {
		return
	}
	if g := p.callee(of); ofLanguage(g) && oneBit[g.Name()] {
		p.Reportf(call.Pos(), "%s of %s says nothing of its result, which only hardware knows; use m.If or hdl.Mux on it", f.Name(), g.Name())
	}
}
