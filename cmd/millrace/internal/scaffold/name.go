package scaffold

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"regexp"
	"strings"

	"github.com/millrace-hdl/millrace/cmd/millrace/internal/scaffold/starter"
	"github.com/millrace-hdl/millrace/hdl"
	"github.com/millrace-hdl/millrace/hdl/diag"
	"github.com/millrace-hdl/millrace/internal/snake"
)

// Name is the name of a block, in the form that RTL uses: my_block.
type Name struct{ text string }

var nameForm = regexp.MustCompile(`^[a-z][a-z0-9]*(_[a-z0-9]+)*$`)

// NewName checks that the text can name the block in RTL, its function in Go and
// the package.
func NewName(text string) (Name, error) {
	n := Name{text}
	if !nameForm.MatchString(text) || len(text) > 64 {
		return Name{}, fmt.Errorf("%q cannot name a block; a name is up to 64 lower-case letters and digits, words joined by single underscores, "+
			"and starts with a letter, like my_block", text)
	}
	if back := snake.Case(n.Function()); back != text {
		return Name{}, fmt.Errorf("the block %s would be the Go function %s, and that is %s in RTL; call it %s", text, n.Function(), back, back)
	}
	switch pkg := n.Package(); {
	case token.IsKeyword(pkg), types.Universe.Lookup(pkg) != nil, pkg == "main", pkg == "init":
		return Name{}, fmt.Errorf("%q cannot name a Go package, since it means something in Go; add a word, such as %s_block", text, text)
	case declared()[n.Function()]:
		return Name{}, fmt.Errorf("%q would clash with the type %s of the block's parameters or interface; add a word, such as %s_block", text, n.Function(), text)
	}
	// The language knows what RTL reserves.
	_, err := hdl.Elaborate(starter.Starter, starter.Params{Width: 8, Shift: 2}, hdl.Named(text))
	var found diag.List
	switch {
	case errors.As(err, &found):
		return Name{}, fmt.Errorf("%q cannot name a block: %s; %s", text, found[0].Message, found[0].Fix)
	case err != nil:
		return Name{}, err
	}
	return n, nil
}

// String is the name in RTL.
func (n Name) String() string { return n.text }

// Package is the name of the Go package.
func (n Name) Package() string { return strings.ReplaceAll(n.text, "_", "") }

// Function is the name of the Go function.
func (n Name) Function() string {
	var b strings.Builder
	for w := range strings.SplitSeq(n.text, "_") {
		b.WriteString(strings.ToUpper(w[:1]) + w[1:])
	}
	return b.String()
}

// declared are the names that the starter's own file declares, but for the block.
func declared() map[string]bool {
	names := map[string]bool{}
	text, err := starterFiles.ReadFile("starter/starter.go")
	if err != nil {
		panic(err) // it is embedded
	}
	f, err := parser.ParseFile(token.NewFileSet(), "starter.go", text, parser.SkipObjectResolution)
	if err != nil {
		panic(err) // it is compiled
	}
	for _, d := range f.Decls {
		if g, ok := d.(*ast.GenDecl); ok {
			for _, s := range g.Specs {
				if t, ok := s.(*ast.TypeSpec); ok {
					names[t.Name.Name] = true
				}
			}
		}
	}
	return names
}
