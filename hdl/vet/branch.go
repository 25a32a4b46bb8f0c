package vet

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
)

// Branch reports Go assignments that look conditional and are not.
var Branch = analyzer("hdlbranch", `report Go assignments of signals inside m.If, m.Switch and FSM.On

The function given to m.If always runs, once, while hardware is described. A Go
assignment in it therefore takes effect whatever the condition will be; only Set
is conditional. Declare a wire with a Default and Set it, or use hdl.Mux.`, branch)

// conditional are the language's methods whose functions describe what happens only
// under a condition.
var conditional = []string{"If", "ElseIf", "Else", "Case", "CaseIn", "Default", "On", "Illegal"}

func branch(p *program) {
	p.each(func(n ast.Node) {
		call := n.(*ast.CallExpr)
		if !p.conditional(call) {
			return
		}
		for _, a := range call.Args {
			if body, ok := ast.Unparen(a).(*ast.FuncLit); ok {
				p.branchBody(body, p.callee(call).Name())
			}
		}
	}, (*ast.CallExpr)(nil))
}

func (p *program) conditional(call *ast.CallExpr) bool {
	f := p.callee(call)
	return ofLanguage(f) && builds(f) && slices.Contains(conditional, f.Name())
}

// branchBody looks at the statements of a body, without those of the bodies inside
// it.
func (p *program) branchBody(body *ast.FuncLit, method string) {
	ast.Inspect(body.Body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			return !p.conditional(n)
		case *ast.AssignStmt:
			if n.Tok != token.ASSIGN || len(n.Lhs) != len(n.Rhs) {
				return true
			}
			for i, x := range n.Lhs {
				v := p.root(x)
				if v == nil || within(v, body) || !hardware(p.TypesInfo.TypeOf(x)) || p.declares(n.Rhs[i]) {
					continue
				}
				p.Reportf(n.Pos(), "this Go assignment to %s inside %s takes effect whatever the condition; Set a wire that has a Default, or use hdl.Mux",
					types.ExprString(x), method)
			}
		}
		return true
	})
}

// declares reports whether x may be a thing declared here, which exists whatever
// the condition: any call but one that only computes.
func (p *program) declares(x ast.Expr) bool {
	call, ok := ast.Unparen(x).(*ast.CallExpr)
	return ok && !p.expression(call)
}

// within reports whether the variable is declared inside the node.
func within(v *types.Var, n ast.Node) bool { return n.Pos() <= v.Pos() && v.Pos() < n.End() }
