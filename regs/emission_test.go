package regs_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"github.com/millrace-hdl/millrace/gen"
	"github.com/millrace-hdl/millrace/gen/lint"
	"github.com/millrace-hdl/millrace/hdl"
	"github.com/millrace-hdl/millrace/hdl/check"
	"github.com/millrace-hdl/millrace/hdl/ir"
	"github.com/millrace-hdl/millrace/regs"
)

// blocks are the register block of the sample map on each bus.
func blocks(t testing.TB) map[string]*ir.Design {
	t.Helper()
	m := sample()
	all := map[string]*ir.Design{}
	var err error
	all["apb"], err = hdl.Elaborate(regs.OnAPB, m.File(), hdl.Named("sample_apb"))
	require.NoError(t, err)
	all["axil"], err = hdl.Elaborate(regs.OnAXILite, m.File(), hdl.Named("sample_axil"))
	require.NoError(t, err)
	for _, rready := range []bool{false, true} {
		name := map[bool]string{false: "obi", true: "obi_rready"}[rready]
		all[name], err = hdl.Elaborate(regs.OnOBI, regs.OBIFileParams{FileParams: m.File(), IDWidth: 3, RReady: rready}, hdl.Named("sample_"+name))
		require.NoError(t, err)
	}
	return all
}

func TestEmitted(t *testing.T) {
	for name, d := range blocks(t) {
		files, err := gen.Emit(d, gen.Options{})
		require.NoError(t, err)
		again, err := gen.Emit(blocks(t)[name], gen.Options{})
		require.NoError(t, err)
		require.Empty(t, cmp.Diff(files, again), "emission is the same every time")
		for _, f := range files {
			if file := filepath.Base(f.Name); name == "apb" && file == "sample_regs.sv" || strings.Contains(file, "from_") && !f.Checks {
				golden(t, file+".golden", string(f.Data))
			}
		}
	}
}

func TestToolsAcceptTheRTL(t *testing.T) {
	for name, d := range blocks(t) {
		files, err := gen.Emit(d, gen.Options{})
		require.NoError(t, err)
		dir := t.TempDir()
		require.NoError(t, gen.WriteDir(dir, files))
		for _, r := range lint.Lint(t.Context(), dir, d.Top.Name, lint.All()) {
			require.NoError(t, r.Err, "%s of %s: %s", r.Tool, name, r.Output)
			require.Empty(t, r.Output, "%s of %s", r.Tool, name)
		}
	}
}

// On AXI4-Lite no output may depend on an input within a cycle (IHI 0022, A3.2.1); on
// OBI with rready none on rready.
func TestBusOutputsDoNotDependOnBusInputs(t *testing.T) {
	for name, d := range blocks(t) {
		paths, err := check.CombPaths(d)
		require.NoError(t, err)
		for _, p := range paths {
			if name == "axil" && strings.HasPrefix(p.Output.Name, "s_axil_") {
				t.Errorf("%s: %s depends on %s", name, p.Output.Name, p.Input.Name)
			}
			if p.Input.Name == "s_obi_rready" {
				t.Errorf("%s: %s depends on rready", name, p.Output.Name)
			}
		}
	}
}
