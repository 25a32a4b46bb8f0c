package main

import (
	"encoding/json"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestNewTellsWhatItMadeAndWhatIsNext(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "made")
	code, stdout, stderr := call(t, "new", "example.org/me/fir", "-o", dir)
	require.Zero(t, code, stderr)
	require.Contains(t, stdout, dir+", module example.org/me/fir, with millrace from ")
	require.Contains(t, stdout, "  rtl/fir.sv\n")
	require.Contains(t, stdout, "Next:\n  cd "+dir+"\n  go test\n")
	require.FileExists(t, filepath.Join(dir, "fir_test.go"))

	t.Chdir(t.TempDir())
	code, stdout, stderr = call(t, "new", "fir", "--json")
	require.Zero(t, code, stderr)
	var got struct {
		Name, Module, Dir, Millrace string
		Files                       []string
	}
	require.NoError(t, json.Unmarshal([]byte(stdout), &got))
	require.Equal(t, []string{"fir", "example.com/fir", "fir"}, []string{got.Name, got.Module, got.Dir})
	require.Contains(t, got.Files, "go.mod")
	require.DirExists(t, got.Millrace)
}
