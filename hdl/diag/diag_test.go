package diag_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/millrace-hdl/millrace/hdl/diag"
	"github.com/millrace-hdl/millrace/hdl/ir"
)

func TestADiagnosticIsOneLineAndItsRelatedPlacesAreIndented(t *testing.T) {
	d := diag.Diagnostic{
		Code: diag.Width, Pos: ir.At("a.go", 3), Message: "x is 8 bits, y is 7 bits", Fix: "use Ext",
		Related: []diag.Related{{Pos: ir.At("b.go", 4), Message: "x is declared here"}},
	}
	require.Equal(t, "a.go:3: x is 8 bits, y is 7 bits; use Ext [width]", d.String())
	require.Equal(t, d.String()+"\n    b.go:4: x is declared here", diag.List{d}.Error())
}

func TestAListShowsTenAndSaysHowManyMore(t *testing.T) {
	var l diag.List
	require.NoError(t, l.Err())
	for i := range diag.Limit + 3 {
		l = append(l, diag.Diagnostic{Code: diag.Name, Pos: ir.At("a.go", i+1), Message: fmt.Sprint("mistake ", i)})
	}
	lines := strings.Split(l.Err().Error(), "\n")
	require.Len(t, lines, diag.Limit+1)
	require.Equal(t, "a.go:10: mistake 9 [name]", lines[9])
	require.Equal(t, "… and 3 more", lines[10])
}

func TestPositionsArePathsFromTheWorkingDirectory(t *testing.T) {
	here := func() diag.Diagnostic { return diag.Diagnostic{Code: diag.Name, Pos: ir.Here(nil), Message: "m"} }
	require.Regexp(t, `^diag_test\.go:\d+: m \[name\]$`, here().String())

	dir, err := os.Getwd()
	require.NoError(t, err)
	t.Chdir("..")
	require.Regexp(t, `^diag/diag_test\.go:\d+: m \[name\]$`, here().String())
	t.Chdir("check")
	require.Regexp(t, `^\.\./diag/diag_test\.go:\d+: m \[name\]$`, here().String())
	t.Chdir(string(filepath.Separator))
	require.Regexp(t, `^\S+/diag_test\.go:\d+: m \[name\]$`, here().String())
	require.False(t, strings.HasPrefix(here().String(), ".."), "the shorter of both")

	// Where the source is not there, its name must do.
	gone := diag.Diagnostic{Code: diag.Name, Pos: ir.At(filepath.Join(dir, "gone.go"), 7), Message: "m"}
	require.Equal(t, "gone.go:7: m [name]", gone.String())
}
