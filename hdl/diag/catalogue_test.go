package diag_test

import (
	"errors"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"github.com/millrace-hdl/millrace/hdl/diag"
	"github.com/millrace-hdl/millrace/hdl/testdata/mistakes"
)

var update = flag.Bool("update", false, "write docs/diagnostics.md and the golden of the mistakes anew")

// programs is the folder of the wrong programs, from here.
var programs = filepath.Join("..", "testdata", "mistakes")

// said is what elaboration says of a program, without the callers of the test.
func said(t *testing.T, m mistakes.Mistake) (diag.List, string) {
	t.Helper()
	var list diag.List
	require.True(t, errors.As(m.Elaborate(), &list), "%s elaborates", m.File)
	var lines []string
	for line := range strings.Lines(list.Error()) {
		if !strings.HasPrefix(line, "    called from ") {
			lines = append(lines, line)
		}
	}
	return list, strings.TrimSuffix(strings.Join(lines, ""), "\n")
}

// Each program has one mistake, found at the line that says so, with its code and a
// way out.
func TestMistakesAreFoundWhereTheyAre(t *testing.T) {
	t.Chdir(programs)
	var all strings.Builder
	for _, m := range mistakes.All() {
		text, err := os.ReadFile(m.File)
		require.NoError(t, err)
		line := slices.IndexFunc(strings.Split(string(text), "\n"), func(l string) bool { return strings.HasSuffix(l, "// mistake") }) + 1
		require.NotZero(t, line, "%s does not mark its mistake", m.File)
		list, text2 := said(t, m)
		require.Len(t, list, 1, "%s:\n%s", m.File, text2)
		require.Equal(t, m.Code, list[0].Code, text2)
		require.True(t, strings.HasPrefix(text2, m.File+":"+strconv.Itoa(line)+": "), "line %d: %s", line, text2)
		require.NotEmpty(t, list[0].Fix, text2)
		fmt.Fprintln(&all, text2)
	}
	compare(t, "mistakes.golden", all.String())
}

// Every code that the package declares is in the catalogue, in order, and has a
// program that produces it.
func TestCatalogueIsComplete(t *testing.T) {
	var declared, described []diag.Code
	f, err := parser.ParseFile(token.NewFileSet(), "diag.go", nil, parser.SkipObjectResolution)
	require.NoError(t, err)
	ast.Inspect(f, func(n ast.Node) bool {
		if s, ok := n.(*ast.ValueSpec); ok {
			if id, ok := s.Type.(*ast.Ident); ok && id.Name == "Code" {
				value, err := strconv.Unquote(s.Values[0].(*ast.BasicLit).Value)
				require.NoError(t, err)
				declared = append(declared, diag.Code(value))
			}
		}
		return true
	})
	for _, e := range diag.Catalogue() {
		described = append(described, e.Code)
		require.NotEmpty(t, e.Cause, e.Code)
		require.NotEmpty(t, e.Fix, e.Code)
		require.True(t, slices.ContainsFunc(mistakes.All(), func(m mistakes.Mistake) bool { return m.Code == e.Code }), "no program produces %s", e.Code)
	}
	require.Empty(t, cmp.Diff(declared, described))
	require.Greater(t, len(declared), 10)
}

func TestDiagnosticsDocument(t *testing.T) {
	document := filepath.Join("..", "..", "..", "docs", "diagnostics.md")
	t.Chdir(programs)
	var b strings.Builder
	b.WriteString("# Diagnostics\n\n<!-- Generated from the catalogue of hdl/diag and the programs of hdl/testdata/mistakes; " +
		"`go test ./hdl/diag -update` writes it. -->\n\n" +
		"What `hdl.Elaborate` finds in a description. A diagnostic starts with file and line and ends with a code, in brackets; the codes are\n" +
		"stable. All mistakes are found in one go, and the first ten are printed. Each example below is a program that the tests run: what it\n" +
		"prints stands under it, and the line that it names is marked.\n\n")
	for _, e := range diag.Catalogue() {
		fmt.Fprintf(&b, "- [`%s`](#%s)\n", e.Code, e.Code)
	}
	for _, e := range diag.Catalogue() {
		fmt.Fprintf(&b, "\n## %s\n\n%s\n\n**What to do.** %s\n", e.Code, e.Cause, e.Fix)
		for _, m := range mistakes.All() {
			if m.Code != e.Code {
				continue
			}
			source, err := os.ReadFile(m.File)
			require.NoError(t, err)
			_, text := said(t, m)
			fmt.Fprintf(&b, "\n```go %s\n%s```\n\n```text\n%s\n```\n", m.File, body(string(source)), text)
		}
	}
	compare(t, document, b.String())
}

// body is a program without what all of them have at their top.
func body(source string) string {
	if _, after, ok := strings.Cut(source, "hdl\"\n)\n\n"); ok {
		return after
	}
	_, after, _ := strings.Cut(source, "hdl\"\n\n")
	return after
}

func compare(t *testing.T, path, got string) {
	t.Helper()
	if *update {
		require.NoError(t, os.WriteFile(path, []byte(got), 0o644))
	}
	want, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Empty(t, cmp.Diff(string(want), got), "run with -update if the change is wanted")
}
