package vet

import (
	"go/ast"
	"go/token"
	"go/types"
)

// Unused reports declared signals that nothing can read.
var Unused = analyzer("hdlunused", `report declared signals that are dropped or never read

A wire or register whose variable is dropped, or only ever Set, drives nothing.
Read it, remove it, or declare it with hdl.MayBeUnused().`, unused)

func unused(p *program) {
	uses := map[*types.Var][]ast.Expr{} // what to the left or around each use tells its kind
	var order []*types.Var
	declared := map[*types.Var]string{}
	p.syntax.WithStack([]ast.Node{(*ast.ExprStmt)(nil), (*ast.AssignStmt)(nil), (*ast.ValueSpec)(nil), (*ast.Ident)(nil)}, func(n ast.Node, push bool, stack []ast.Node) bool {
		if !push {
			return true
		}
		switch n := n.(type) {
		case *ast.ExprStmt:
			p.droppedDeclaration(n.X)
		case *ast.AssignStmt:
			if len(n.Lhs) == len(n.Rhs) {
				for i, x := range n.Lhs {
					if blank(x) {
						p.droppedDeclaration(n.Rhs[i])
					} else if v := p.newVariable(x, n.Tok); v != nil {
						if what := p.readable(n.Rhs[i]); what != "" {
							order, declared[v] = append(order, v), what
						}
					}
				}
			}
		case *ast.Ident:
			if v, ok := p.TypesInfo.Uses[n].(*types.Var); ok {
				if !p.onlyWritten(n, stack) {
					uses[v] = append(uses[v], n)
				}
			}
		}
		return true
	})
	for _, v := range order {
		if len(uses[v]) == 0 {
			p.Reportf(v.Pos(), "%s is declared by %s and never read; read it, remove it, or declare it with hdl.MayBeUnused()", v.Name(), declared[v])
		}
	}
}

// droppedDeclaration reports a declaration whose result nobody holds.
func (p *program) droppedDeclaration(x ast.Expr) {
	call, ok := ast.Unparen(x).(*ast.CallExpr)
	if !ok || !p.declaration(call) || p.mayBeUnused(call) {
		return
	}
	name, fix := p.callee(call).Name(), "keep it in a variable and use it, remove it, or declare it with hdl.MayBeUnused()"
	if ports[name] {
		fix = "keep it, and return it in the module's interface"
	}
	p.Reportf(call.Pos(), "what %s declares is dropped; %s", name, fix)
}

// ports are the declarations that belong into the interface.
var ports = map[string]bool{"In": true, "Out": true, "Ports": true}

// newVariable is the local variable that x declares, nil if it is none.
func (p *program) newVariable(x ast.Expr, tok token.Token) *types.Var {
	id, ok := x.(*ast.Ident)
	if !ok || tok != token.DEFINE {
		return nil
	}
	v, _ := p.TypesInfo.Defs[id].(*types.Var)
	return v
}

// readable is the name of the declaration that x is, empty if x is none or one that
// need not be read.
func (p *program) readable(x ast.Expr) string {
	call, ok := ast.Unparen(x).(*ast.CallExpr)
	if !ok || !p.declaration(call) || p.mayBeUnused(call) || ports[p.callee(call).Name()] {
		return ""
	}
	return p.callee(call).Name()
}

// parts are the methods that give an assignable part of a variable.
var parts = map[string]bool{"Part": true, "Lane": true, "At": true, "Elem": true}

// onlyWritten reports whether the use of a variable at the end of the stack is the
// receiver of Set, also through fields and parts, or the right side of _ =.
func (p *program) onlyWritten(id *ast.Ident, stack []ast.Node) bool {
	for i := len(stack) - 2; i > 0; i-- {
		inner := stack[i+1]
		switch n := stack[i].(type) {
		case *ast.ParenExpr:
		case *ast.SelectorExpr:
			if f, ok := p.TypesInfo.Uses[n.Sel].(*types.Func); ok {
				if ofLanguage(f) && f.Name() == "Set" {
					return true
				}
				if !ofLanguage(f) || !parts[f.Name()] {
					return false
				}
			}
		case *ast.IndexExpr:
			if n.X != inner {
				return false
			}
		case *ast.CallExpr:
			if n.Fun != inner { // an argument
				return false
			}
		case *ast.AssignStmt:
			for k, x := range n.Lhs {
				if blank(x) && k < len(n.Rhs) && n.Rhs[k] == inner {
					return true
				}
			}
			return false
		default:
			return false
		}
	}
	return false
}
