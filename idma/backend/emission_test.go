package backend_test

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"github.com/millrace-hdl/millrace/gen"
	"github.com/millrace-hdl/millrace/gen/lint"
	"github.com/millrace-hdl/millrace/hdl/check"
	"github.com/millrace-hdl/millrace/hdl/ir"
	"github.com/millrace-hdl/millrace/idma/backend"
	"github.com/millrace-hdl/millrace/idma/compute"
)

// spread is configurations from all over the parameter space.
func spread() []backend.Config {
	all := variants()
	for _, w := range []int{16, 64, 1024} {
		all = append(all, edit(func(c *backend.Config) {
			c.DataWidth, c.Outstanding, c.CombinedShifter, c.Coupler, c.MaskInvalidLanes = w, 5, false, false, false
		}))
	}
	return append(all,
		edit(func(c *backend.Config) { c.AddrWidth, c.LengthWidth, c.DataWidth = 12, 12, 1024 }),
		edit(func(c *backend.Config) { c.AddrWidth, c.LengthWidth, c.Outstanding, c.UserWidth = 64, 64, 64, 100 }),
		edit(func(c *backend.Config) {
			c.Legalizer, c.Coupler, c.ReserveBuffer, c.Outstanding = false, false, true, 1
		}),
		store(512, true, true, true), store(2, true, false, false),
		withOperations(edit()), edit(func(c *backend.Config) {
			c.Compute[compute.CodeByteSwap], c.CombinedShifter, c.ReserveBuffer = compute.ByteSwap{}, false, true
		}),
	)
}

func emit(t testing.TB, c backend.Config, o gen.Options) []gen.File {
	t.Helper()
	files, err := gen.Emit(elaborate(t, c), o)
	require.NoError(t, err)
	return files
}

func TestEmissionIsTheSameEveryTime(t *testing.T) {
	for _, c := range spread() {
		require.Empty(t, cmp.Diff(emit(t, c, gen.Options{}), emit(t, c, gen.Options{})))
	}
}

// The ports of the engine are for users to rely on, names, widths and order.
func TestPorts(t *testing.T) {
	var b strings.Builder
	for _, p := range elaborate(t, edit()).Top.Ports() {
		fmt.Fprintf(&b, "%-6s %4d %s\n", p.Kind, p.Type.Width, p.Name)
	}
	golden(t, "ports.golden", b.String())
}

func TestToolsAcceptTheEngine(t *testing.T) {
	each(t, spread(), func(t *testing.T, c backend.Config) {
		dir := t.TempDir()
		d := elaborate(t, c)
		require.NoError(t, gen.WriteDir(dir, emit(t, c, gen.Options{})))
		for _, r := range lint.Lint(t.Context(), dir, d.Top.Name, lint.All()) {
			require.NoError(t, r.Err, "%s in %s: %s", r.Tool, filepath.Base(dir), r.Output)
		}
	})
}

// lines is what a configuration's modules consist of, without the comments that
// list parameters.
func lines(t testing.TB, c backend.Config) map[string][]string {
	all := map[string][]string{}
	for _, f := range emit(t, c, gen.Options{}) {
		for l := range strings.Lines(string(f.Data)) {
			if !strings.HasPrefix(l, "// Parameters:") {
				all[f.Name] = append(all[f.Name], l)
			}
		}
	}
	return all
}

// A change of the description in one place changes the text in that place.
func TestOneOptionChangesOnlyItsLines(t *testing.T) {
	with, without := lines(t, edit()), lines(t, edit(func(c *backend.Config) { c.MaskInvalidLanes = false }))
	const module = "idma_write_axi4_32.sv"
	differ := func(a, b []string) []string {
		return slices.DeleteFunc(slices.Clone(a), func(l string) bool { return slices.Contains(b, l) })
	}
	require.Empty(t, differ(without[module], with[module])[1:], "nothing but the assignment of the data is new")
	for _, l := range differ(with[module], without[module]) {
		require.Regexp(t, "lane_mask|wdata|32'hffffffff", l)
	}
	delete(with, module)
	delete(without, module)
	require.Empty(t, cmp.Diff(with, without))
}

// Hazard 6: a VALID depends on a READY within the cycle.
func TestHazard06NoPathFromReadyToValid(t *testing.T) {
	for _, c := range spread() {
		d := elaborate(t, c)
		for i, m := range d.Modules {
			if m != d.Top && !strings.HasPrefix(m.Name, "idma_legalizer") {
				continue
			}
			paths, err := check.CombPaths(&ir.Design{Top: m, Modules: d.Modules[:i+1]})
			require.NoError(t, err)
			for _, p := range paths {
				if strings.HasSuffix(p.Input.Name, "ready") && !strings.HasSuffix(p.Output.Name, "ready") {
					t.Errorf("%s: %s depends on %s in\n%+v", m.Name, p.Output.Name, p.Input.Name, c)
				}
			}
		}
	}
}
