package differ

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"github.com/millrace-hdl/millrace/hdl/ir"
)

// TestProgramsDescribeTheSameDesigns compiles and runs the Go of random designs, and
// has the model compute both.
func TestProgramsDescribeTheSameDesigns(t *testing.T) {
	var cases []*Case
	for seed := *firstSeed; len(cases) < 12; seed++ {
		c := Random(seed, Full, 30)
		if !hasBoxes(c.Design) { // whose model has no text
			cases = append(cases, c)
		}
	}
	b := NewBatch(cases)
	d := elaborated(t, b.Design)
	again := &Batch{Cases: []*Case{{Design: d}}}
	for n := range b.cycles() {
		y := Cycle{In: make([]uint64, b.layout.InWords), Reset: b.reset(n), Ticks: b.ticks(n)}
		b.load(n, y.In)
		again.Cases[0].Cycles = append(again.Cases[0].Cycles, y)
	}
	whole := &Batch{Cases: []*Case{{Design: b.Design, Cycles: again.Cases[0].Cycles}}}
	want, err := Model().Trace(t.Context(), whole)
	require.NoError(t, err)
	got, err := Model().Trace(t.Context(), again)
	require.NoError(t, err)
	require.NoError(t, got[0].Err)
	require.Empty(t, cmp.Diff(want[0].Out, got[0].Out))
}

func hasBoxes(d *ir.Design) bool {
	for _, m := range d.Modules {
		if m.Extern != nil {
			return true
		}
	}
	return false
}

// elaborated is the design that the program of another one prints.
func elaborated(t *testing.T, d *ir.Design) *ir.Design {
	text, err := Program(d)
	require.NoError(t, err)
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "main.go"), text, 0o644))
	cmd := exec.Command("go", "run", filepath.Join(dir, "main.go"))
	var out, errs strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &errs
	require.NoError(t, cmd.Run(), "%s\n%s", errs.String(), text[:min(len(text), 0)])
	again, err := ir.Parse("program", out.String())
	require.NoError(t, err)
	return again
}
