package lint_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/millrace-hdl/millrace/gen/lint"
)

const clean = `module m (input logic a, input logic b, output logic y);
  assign y = a & b;
endmodule
`

// design writes a module m and its file list.
func design(t *testing.T, text string) string {
	t.Helper()
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "m.sv"), []byte(text), 0o644))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "m.f"), []byte("m.sv\n"), 0o644))
	return dir
}

func TestEachToolAcceptsACleanModule(t *testing.T) {
	for _, r := range lint.Lint(t.Context(), design(t, clean), "m", lint.All()) {
		require.NoError(t, r.Err, r.Tool)
		require.Empty(t, r.Output, r.Tool)
	}
}

func TestToolsRefuseWhatIsWrong(t *testing.T) {
	for _, c := range []struct {
		name, text string
		tool       lint.Tool
	}{
		{"a width that does not fit", `module m (input logic [3:0] a, output logic y);
  assign y = a;
endmodule
`, lint.Verilator},
		{"an input that nothing reads", `module m (input logic a, input logic b, output logic y);
  assign y = a;
endmodule
`, lint.Verilator},
		{"a combinational loop", `module m (input logic a, output logic y);
  logic z;
  assign z = y ^ a;
  assign y = z ^ a;
endmodule
`, lint.Yosys},
		{"two drivers", `module m (input logic a, input logic b, output logic y);
  assign y = a;
  assign y = b;
endmodule
`, lint.Yosys},
		{"a module that is not there", `module m (input logic a, output logic y);
  absent u (.a(a), .y(y));
endmodule
`, lint.Icarus},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := lint.Lint(t.Context(), design(t, c.text), "m", []lint.Tool{c.tool})
			require.Len(t, r, 1)
			require.Error(t, r[0].Err)
		})
	}
}

func TestAnAbsentToolIsSaidToBeMissing(t *testing.T) {
	dir := design(t, clean)
	t.Setenv("PATH", t.TempDir())
	for _, r := range lint.Lint(t.Context(), dir, "m", lint.All()) {
		require.True(t, errors.Is(r.Err, lint.ErrMissing), "%s: %v", r.Tool, r.Err)
	}
}

func TestAFileListThatIsNotThere(t *testing.T) {
	for _, r := range lint.Lint(t.Context(), t.TempDir(), "m", lint.All()) {
		require.ErrorIs(t, r.Err, os.ErrNotExist)
	}
}
