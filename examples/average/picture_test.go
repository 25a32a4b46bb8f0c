package average_test

import (
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"github.com/millrace-hdl/millrace/examples/average"
	"github.com/millrace-hdl/millrace/hdl/sim"
	"github.com/millrace-hdl/millrace/hdl/sim/wave"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// TestPicture: a run with pauses on either side, as a picture of all ports.
func TestPicture(t *testing.T) {
	m, err := sim.New(elaborate(t, average.Params{Width: 8, Taps: 4}), sim.Options{})
	require.NoError(t, err)
	text := wave.NewText(m, nil)
	drive(t, wave.Trace(m, text), []uint64{4, 8, 12, 16, 40, 40}, 3)
	file := filepath.Join("testdata", "average.txt")
	if *update {
		require.NoError(t, os.WriteFile(file, []byte(text.String()), 0o644))
	}
	want, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Empty(t, cmp.Diff(string(want), text.String()))
}
