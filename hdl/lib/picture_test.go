package lib_test

import (
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"github.com/millrace-hdl/millrace/hdl/lib"
	"github.com/millrace-hdl/millrace/hdl/sim"
	"github.com/millrace-hdl/millrace/hdl/sim/wave"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// TestFIFOPicture: how a queue of two fills, holds its producer up, and empties.
func TestFIFOPicture(t *testing.T) {
	for name, p := range map[string]lib.FIFOParams{
		"fifo.txt":  {Width: 8, Depth: 2},
		"block.txt": {Width: 8, Depth: 2, Block: true},
	} {
		m, err := sim.New(fifo(t, p), sim.Options{})
		require.NoError(t, err)
		d := wave.NewText(m, nil)
		b := newBench(t, p, wave.Trace(m, d))
		data := uint64(0xa0)
		for now := range 12 {
			if b.cycle(t, now, data, now < 7, now > 4) {
				data++
			}
		}
		file := filepath.Join("testdata", name)
		if *update {
			require.NoError(t, os.WriteFile(file, []byte(d.String()), 0o644))
		}
		want, err := os.ReadFile(file)
		require.NoError(t, err)
		require.Empty(t, cmp.Diff(string(want), d.String()))
	}
}
