package vet

import (
	"go/ast"
	"go/token"
	"go/types"
)

// MapRange reports hardware built in the order of a map.
var MapRange = analyzer("hdlmaprange", `report hardware that is built while ranging over a map

Go runs through a map in another order each time, so the emitted RTL would differ
from run to run. Range over the sorted keys: slices.Sorted(maps.Keys(m)).`, mapRange)

func mapRange(p *program) {
	p.each(func(n ast.Node) {
		loop := n.(*ast.RangeStmt)
		if !p.unordered(loop.X) {
			return
		}
		if what := p.builtIn(loop); what != "" {
			p.Reportf(loop.Pos(), "%s in the order of a map, which differs from run to run; range over slices.Sorted(maps.Keys(%s))",
				what, types.ExprString(mapOf(loop.X)))
		}
	}, (*ast.RangeStmt)(nil))
}

// unordered reports whether x is a map or what package maps makes of one.
func (p *program) unordered(x ast.Expr) bool {
	if call, ok := ast.Unparen(x).(*ast.CallExpr); ok {
		f := p.callee(call)
		return f != nil && f.Pkg() != nil && f.Pkg().Path() == "maps"
	}
	t := p.TypesInfo.TypeOf(x)
	if t == nil {
		return false
	}
	_, ok := t.Underlying().(*types.Map)
	return ok
}

// mapOf is the map behind a call of package maps.
func mapOf(x ast.Expr) ast.Expr {
	if call, ok := ast.Unparen(x).(*ast.CallExpr); ok && len(call.Args) == 1 {
		return call.Args[0]
	}
	return x
}

// builtIn says what the loop does to hardware that lives longer than a round, empty
// if nothing. A function literal with a module of its own starts another design.
func (p *program) builtIn(loop *ast.RangeStmt) (what string) {
	ast.Inspect(loop.Body, func(n ast.Node) bool {
		if what != "" {
			return false
		}
		switch n := n.(type) {
		case *ast.FuncLit:
			return !p.buildFunction(n.Type)
		case *ast.CallExpr:
			what = p.effect(n)
		case *ast.AssignStmt:
			if n.Tok == token.DEFINE {
				return true
			}
			for _, x := range n.Lhs {
				v := p.root(x)
				_, keyed := ast.Unparen(x).(*ast.IndexExpr)
				if v != nil && !keyed && !within(v, loop) && hardware(p.TypesInfo.TypeOf(x)) {
					what = types.ExprString(x) + " is put together"
				}
			}
		}
		return true
	})
	return what
}

// buildFunction reports whether a function receives a module.
func (p *program) buildFunction(f *ast.FuncType) bool {
	for _, field := range f.Params.List {
		if builder(p.TypesInfo.TypeOf(field.Type)) {
			return true
		}
	}
	return false
}

// effect says which call builds, empty if it does not.
func (p *program) effect(call *ast.CallExpr) string {
	f := p.callee(call)
	switch {
	case f == nil:
		return ""
	case ofLanguage(f) && setters[f.Name()]:
		return f.Name() + " is called"
	case ofLanguage(f) && builds(f) && !readers[f.Name()]:
		return f.Name() + " is called"
	case !ofLanguage(f):
		for _, a := range call.Args {
			if builder(p.TypesInfo.TypeOf(a)) {
				return f.Name() + " builds"
			}
		}
	}
	return ""
}

// setters add statements without a module at hand; readers have one at hand and
// add nothing.
var (
	setters = map[string]bool{"Set": true, "Assign": true, "Connect": true}
	readers = map[string]bool{"Is": true, "State": true, "AddrWidth": true, "Helper": true}
)
