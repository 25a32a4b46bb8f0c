package vet_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/analysistest"

	"github.com/millrace-hdl/millrace/hdl/vet"
)

// Each program says in its comments what must be reported and is silent where
// nothing may be.
func TestAnalyzers(t *testing.T) {
	root, err := filepath.Abs(filepath.Join("..", ".."))
	require.NoError(t, err)
	for folder, a := range map[string]*analysis.Analyzer{
		"branch": vet.Branch, "compare": vet.Compare, "discard": vet.Discard, "maprange": vet.MapRange, "unused": vet.Unused,
	} {
		t.Run(folder, func(t *testing.T) {
			analysistest.Run(t, root, a, "./hdl/vet/testdata/"+folder)
		})
	}
}

func TestAnalyzersAreValid(t *testing.T) {
	require.NoError(t, analysis.Validate(vet.Analyzers()))
}

// The command is what users run: it must find what the analyzers find, and say so
// with its exit code.
func TestUnderGoVet(t *testing.T) {
	tool := filepath.Join(t.TempDir(), "millracevet")
	out, err := exec.CommandContext(t.Context(), "go", "build", "-o", tool, "../../cmd/millracevet").CombinedOutput()
	require.NoError(t, err, "%s", out)
	out, err = exec.CommandContext(t.Context(), "go", "vet", "-vettool="+tool, "./testdata/discard").CombinedOutput()
	require.Error(t, err)
	require.Contains(t, string(out), "discard.go:16:2: the result of Add is dropped")
	out, err = exec.CommandContext(t.Context(), "go", "vet", "-vettool="+tool, "-hdlunused=false", "-hdldiscard=false", "./testdata/discard").CombinedOutput()
	require.NoError(t, err, "%s", out)
}

func TestDocumentNamesEveryAnalyzer(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "..", "docs", "vet.md"))
	require.NoError(t, err)
	for _, a := range vet.Analyzers() {
		require.Contains(t, string(text), "| `"+a.Name+"` |")
	}
}
