// Package vet finds mistakes in descriptions of hardware that Go's compiler lets
// pass and that elaboration sees late or not at all, because they are mistakes of
// the Go program: a sum that is computed and dropped, hardware built in the random
// order of a map, a Go variable assigned inside m.If as if that were conditional.
// Each check is an analyzer of golang.org/x/tools/go/analysis; command millracevet
// runs all of them under go vet. Package hdl and its own tests, which misuse the
// language on purpose, are left out.
package vet

import (
	"go/ast"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/passes/inspect"
	"golang.org/x/tools/go/ast/inspector"
)

// Analyzers returns every check, in the order of their names.
func Analyzers() []*analysis.Analyzer {
	return []*analysis.Analyzer{Branch, Compare, Discard, MapRange, Unused}
}

// analyzer is a check that looks at the packages that use the language.
func analyzer(name, doc string, run func(p *program)) *analysis.Analyzer {
	return &analysis.Analyzer{
		Name:     name,
		Doc:      doc,
		Requires: []*analysis.Analyzer{inspect.Analyzer},
		Run: func(pass *analysis.Pass) (any, error) {
			if describes(pass.Pkg) {
				run(&program{pass, pass.ResultOf[inspect.Analyzer].(*inspector.Inspector)})
			}
			return nil, nil
		},
	}
}

// program is the package under analysis.
type program struct {
	*analysis.Pass
	syntax *inspector.Inspector
}

// each calls f for every node of the types of the examples given.
func (p *program) each(f func(ast.Node), examples ...ast.Node) { p.syntax.Preorder(examples, f) }
