package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var (
	complaintRow = regexp.MustCompile(`(?m)^\| (\d+) \|(.*)\|(.*)\|(.*)\|$`)
	testName     = regexp.MustCompile("`([a-z0-9/]+)\\.(Test\\w+)`")
)

// TestComplaintsNameTheirTests requires each row of the list of complaints to name
// tests, and each of these to be in the package that it is said to be in.
func TestComplaintsNameTheirTests(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "..", "docs", "complaints.md"))
	require.NoError(t, err)
	have := map[string]map[string]bool{}
	rows := complaintRow.FindAllStringSubmatch(string(text), -1)
	for i, row := range rows {
		require.Equal(t, strconv.Itoa(i+1), row[1], "rows are numbered in order")
		tests := testName.FindAllStringSubmatch(row[4], -1)
		require.NotEmpty(t, tests, "complaint %s is held by nothing", row[1])
		require.Len(t, tests, strings.Count(row[4], "`")/2, "complaint %s: what is quoted are tests", row[1])
		for _, x := range tests {
			dir := filepath.Join("..", "..", filepath.FromSlash(x[1]))
			if have[dir] == nil {
				have[dir] = testsOf(t, dir)
			}
			require.True(t, have[dir][x[2]], "complaint %s: package %s has no %s", row[1], x[1], x[2])
		}
	}
	heads := strings.Count(string(text), "\n| | complaint |")
	require.Len(t, rows, strings.Count(string(text), "\n| ")-heads, "all rows but the heads are numbered")
}

// testsOf are the test functions of a package.
func testsOf(t *testing.T, dir string) map[string]bool {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*_test.go"))
	require.NoError(t, err)
	require.NotEmpty(t, files, "%s has no tests", dir)
	tests := map[string]bool{}
	for _, name := range files {
		for f := range functionsOf(t, name) {
			tests[f] = true
		}
	}
	return tests
}

// functionsOf are the functions and methods of a file.
func functionsOf(t *testing.T, name string) map[string]bool {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
	require.NoError(t, err)
	fs := map[string]bool{}
	for _, d := range file.Decls {
		if f, ok := d.(*ast.FuncDecl); ok {
			fs[f.Name.Name] = true
		}
	}
	return fs
}

var (
	checklistRow = regexp.MustCompile("(?m)^\\| (`[^|]*\\.go`) \\| `(\\w+)` \\|")
	sourceFile   = regexp.MustCompile("`([a-z0-9/_]+\\.go)`")
)

// TestExtendingNamesWhatIsThere requires the files that the page on extending names,
// and in those of its checklist the functions.
func TestExtendingNamesWhatIsThere(t *testing.T) {
	root := filepath.Join("..", "..")
	text, err := os.ReadFile(filepath.Join(root, "docs", "extending.md"))
	require.NoError(t, err)
	files := sourceFile.FindAllStringSubmatch(string(text), -1)
	require.NotEmpty(t, files)
	for _, f := range files {
		require.FileExists(t, filepath.Join(root, filepath.FromSlash(f[1])))
	}
	rows := checklistRow.FindAllStringSubmatch(string(text), -1)
	require.Greater(t, len(rows), 10)
	for _, row := range rows {
		for _, f := range sourceFile.FindAllStringSubmatch(row[1], -1) {
			require.True(t, functionsOf(t, filepath.Join(root, filepath.FromSlash(f[1])))[row[2]], "%s has no %s", f[1], row[2])
		}
	}
}

// TestIndexListsEveryPage requires each page below docs, and each folder with an index
// of its own, in the list of all pages and in the README, and every link of a page to
// lead somewhere.
func TestIndexListsEveryPage(t *testing.T) {
	docs := filepath.Join("..", "..", "docs")
	index, err := os.ReadFile(filepath.Join(docs, "README.md"))
	require.NoError(t, err)
	readme, err := os.ReadFile(filepath.Join(docs, "..", "README.md"))
	require.NoError(t, err)
	pages, err := filepath.Glob(filepath.Join(docs, "*.md"))
	require.NoError(t, err)
	inner, err := filepath.Glob(filepath.Join(docs, "*", "*.md"))
	require.NoError(t, err)
	for _, page := range append(pages, inner...) {
		name, err := filepath.Rel(docs, page)
		require.NoError(t, err)
		name = filepath.ToSlash(name)
		if name != "README.md" && (!strings.Contains(name, "/") || strings.HasSuffix(name, "/README.md")) {
			require.Contains(t, string(index), "("+name+")", "docs/README.md does not list a page")
			require.Contains(t, string(readme), "(docs/"+name+")", "README.md does not lead to a page")
		}
	}
	for _, page := range append(append(pages, inner...), filepath.Join(docs, "..", "README.md")) {
		text, err := os.ReadFile(page)
		require.NoError(t, err)
		for _, l := range pageLink.FindAllStringSubmatch(string(text), -1) {
			_, err := os.Stat(filepath.Join(filepath.Dir(page), filepath.FromSlash(l[1])))
			require.NoError(t, err, "%s links to %s", page, l[1])
		}
	}
}

var pageLink = regexp.MustCompile(`\]\(([a-zA-Z0-9_./-]+\.(?:md|svg))(?:#[a-z-]*)?\)`)

// TestCommandsWithinTextWork runs what the text of pages, between their blocks, says to
// generate or to list.
func TestCommandsWithinTextWork(t *testing.T) {
	root := filepath.Join("..", "..")
	pages, err := filepath.Glob(filepath.Join(root, "docs", "*.md"))
	require.NoError(t, err)
	commands := 0
	for _, page := range append(pages, filepath.Join(root, "README.md")) {
		text, err := os.ReadFile(page)
		require.NoError(t, err)
		for _, c := range commandInText.FindAllStringSubmatch(string(text), -1) {
			commands++
			args := strings.Fields(c[1])
			if i := slices.Index(args, "-o"); i >= 0 {
				args[i+1] = t.TempDir()
			}
			code, _, stderr := call(t, args...)
			require.Zero(t, code, "%s: millrace %s\n%s", page, c[1], stderr)
		}
	}
	require.Greater(t, commands, 5)
}

// commandInText finds commands with a design.
var commandInText = regexp.MustCompile("`millrace ((?:gen|list) [a-z][^`]*)`")
