package gen_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/millrace-hdl/millrace/gen"
)

// Whatever the order of several writers, the directory holds one set in the end,
// and no traces of writers that died.
func TestWritersWaitForEachOther(t *testing.T) {
	dir := t.TempDir()
	dead := filepath.Join(dir, ".millrace-stage-1")
	require.NoError(t, os.MkdirAll(dead, 0o755))
	set := func(variant int) []gen.File {
		var files []gen.File
		for i := range 20 {
			files = append(files, gen.File{Name: fmt.Sprintf("f%d.sv", i), Data: fmt.Appendf(nil, "variant %d\n", variant)})
		}
		own := gen.File{Name: fmt.Sprintf("only%d.sv", variant), Data: []byte("\n")}
		return append(files, own, gen.File{Name: "top.f", Data: fmt.Appendf(nil, "variant %d\n", variant)})
	}
	for range 5 {
		var all sync.WaitGroup
		for variant := range 4 {
			all.Go(func() {
				if err := gen.WriteDir(dir, set(variant)); err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
		list, err := os.ReadFile(filepath.Join(dir, "top.f"))
		require.NoError(t, err)
		for i := range 20 {
			data, err := os.ReadFile(filepath.Join(dir, fmt.Sprintf("f%d.sv", i)))
			require.NoError(t, err)
			require.True(t, bytes.Equal(list, data), "f%d.sv is of %s, the list of %s", i, data, list)
		}
		entries, err := os.ReadDir(dir)
		require.NoError(t, err)
		require.Len(t, entries, 20+2+2, "files, list, manifest and lock: %v", entries)
	}
	require.NoDirExists(t, dead)
}
