package vet

import "go/ast"

// Discard reports operations whose result is dropped.
var Discard = analyzer("hdldiscard", `report hardware operations whose result is dropped

Signals are values: a.Add(b) changes neither a nor b, and as a statement it does
nothing. Set a target to it, or remove it.`, discard)

func discard(p *program) {
	p.each(func(n ast.Node) {
		var x ast.Expr
		switch n := n.(type) {
		case *ast.ExprStmt:
			x = n.X
		case *ast.DeferStmt:
			x = n.Call
		case *ast.GoStmt:
			x = n.Call
		}
		call, ok := ast.Unparen(x).(*ast.CallExpr)
		if !ok {
			return
		}
		if p.expression(call) {
			p.Reportf(call.Pos(), "the result of %s is dropped, and it changes none of its operands; assign it with Set, or remove the line", p.callee(call).Name())
		}
	}, (*ast.ExprStmt)(nil), (*ast.DeferStmt)(nil), (*ast.GoStmt)(nil))
}
