package gen_test

import (
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/millrace-hdl/millrace/gen"
	"github.com/millrace-hdl/millrace/gen/lint"
)

// The list says how to read it, and tools that know -F can do so from any folder.
func TestFileListIsRelativeToItself(t *testing.T) {
	d, err := design(counterPair, counterParams{4})()
	require.NoError(t, err)
	files, err := gen.Emit(d, gen.Options{})
	require.NoError(t, err)
	dir := filepath.Join(t.TempDir(), "rtl")
	require.NoError(t, gen.WriteDir(dir, files))
	list := files[len(files)-1]
	require.Equal(t, "// Modules before those that use them. Names are relative to this file:\n//   verilator -F "+list.Name+"\n"+
		"counter_width4.sv\ncounter_width8.sv\ncounter_pair.sv\n", string(list.Data))

	names, err := lint.Files(filepath.Join(dir, list.Name))
	require.NoError(t, err)
	require.Equal(t, []string{"counter_width4.sv", "counter_width8.sv", "counter_pair.sv"}, names)

	cmd := exec.CommandContext(t.Context(), "verilator", "--lint-only", "-Wall", "--top-module", d.Top.Name, "-F", filepath.Join(dir, list.Name))
	cmd.Dir = t.TempDir()
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
}
