package vet

import (
	"go/ast"
	"go/types"
	"strings"

	"golang.org/x/tools/go/types/typeutil"
)

// language is the import path of the language.
const language = "github.com/millrace-hdl/millrace/hdl"

// describes reports whether the package uses the language, and is not the language
// itself.
func describes(pkg *types.Package) bool {
	if strings.TrimSuffix(pkg.Path(), "_test") == language {
		return false
	}
	for _, p := range pkg.Imports() {
		if p.Path() == language {
			return true
		}
	}
	return false
}

// named reports whether t is the type of that name of the language.
func named(t types.Type, name string) bool {
	n, ok := types.Unalias(t).(*types.Named)
	return ok && n.Obj().Name() == name && n.Obj().Pkg() != nil && n.Obj().Pkg().Path() == language
}

// signal reports whether t is a Signal, a Var or the interface Value.
func signal(t types.Type) bool { return named(t, "Signal") || named(t, "Var") || named(t, "Value") }

// hardware reports whether t is a signal, or holds signals as a bundle, an array or
// a slice does.
func hardware(t types.Type) bool { return holds(t, map[types.Type]bool{}) }

func holds(t types.Type, seen map[types.Type]bool) bool {
	if signal(t) {
		return true
	}
	if seen[t] {
		return false
	}
	seen[t] = true
	switch u := t.Underlying().(type) {
	case *types.Array:
		return holds(u.Elem(), seen)
	case *types.Slice:
		return holds(u.Elem(), seen)
	case *types.Struct:
		for f := range u.Fields() {
			if holds(f.Type(), seen) {
				return true
			}
		}
	}
	return false
}

// builder reports whether t is a pointer to a thing of the language through which
// hardware is built, such as a Module or a Mem.
func builder(t types.Type) bool {
	p, ok := types.Unalias(t).(*types.Pointer)
	if !ok {
		return false
	}
	n, ok := types.Unalias(p.Elem()).(*types.Named)
	return ok && n.Obj().Pkg() != nil && n.Obj().Pkg().Path() == language
}

// callee is the function or method that the call names, nil if it is computed.
func (p *program) callee(call *ast.CallExpr) *types.Func {
	f, _ := typeutil.Callee(p.TypesInfo, call).(*types.Func)
	return f
}

// ofLanguage reports whether the language declares f.
func ofLanguage(f *types.Func) bool { return f != nil && f.Pkg() != nil && f.Pkg().Path() == language }

// builds reports whether f has a receiver or a parameter through which it can
// build.
func builds(f *types.Func) bool {
	sig := f.Signature()
	if r := sig.Recv(); r != nil && builder(r.Type()) {
		return true
	}
	for v := range sig.Params().Variables() {
		if builder(v.Type()) {
			return true
		}
	}
	return false
}

// givesHardware reports whether the call's result is hardware.
func (p *program) givesHardware(call *ast.CallExpr) bool {
	t := p.TypesInfo.TypeOf(call)
	return t != nil && hardware(t)
}

// expression reports whether the call only computes a signal: the language's
// operators do, its declarations do not.
func (p *program) expression(call *ast.CallExpr) bool {
	f := p.callee(call)
	return ofLanguage(f) && p.givesHardware(call) && (!builds(f) || asks[f.Name()])
}

// asks are methods of builders that only give a value: of a Mem and of an FSM.
var asks = map[string]bool{"Read": true, "Is": true, "State": true}

// declaration reports whether the call declares signals and returns them.
// Instances have a life of their own.
func (p *program) declaration(call *ast.CallExpr) bool {
	f := p.callee(call)
	return ofLanguage(f) && p.givesHardware(call) && builds(f) && !asks[f.Name()] && f.Name() != "Inst"
}

// mayBeUnused reports whether the call has the option that says so.
func (p *program) mayBeUnused(call *ast.CallExpr) bool {
	for _, a := range call.Args {
		if c, ok := ast.Unparen(a).(*ast.CallExpr); ok {
			if f := p.callee(c); ofLanguage(f) && f.Name() == "MayBeUnused" {
				return true
			}
		}
	}
	return false
}

// root is the variable that x is, or is a part of: a for a.B[i].C.
func (p *program) root(x ast.Expr) *types.Var {
	switch x := ast.Unparen(x).(type) {
	case *ast.Ident:
		v, _ := p.TypesInfo.ObjectOf(x).(*types.Var)
		return v
	case *ast.SelectorExpr:
		return p.root(x.X)
	case *ast.IndexExpr:
		return p.root(x.X)
	case *ast.StarExpr:
		return p.root(x.X)
	}
	return nil
}

func blank(x ast.Expr) bool {
	id, ok := ast.Unparen(x).(*ast.Ident)
	return ok && id.Name == "_"
}
