package frontend_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"github.com/millrace-hdl/millrace/gen"
	"github.com/millrace-hdl/millrace/gen/lint"
	"github.com/millrace-hdl/millrace/hdl/check"
	"github.com/millrace-hdl/millrace/idma/frontend"
)

// spread is configurations from all over the parameter space.
func spread() []frontend.Config {
	var all []frontend.Config
	for i, l := range layouts {
		all = append(all, edit(l), edit(l, everything, sized(1+i%3, 1+(i+1)%3), on(frontend.Bus((i+1)%3))))
	}
	return append(all,
		edit(frontend.Reg32RT3D),
		edit(frontend.Reg32RT3D, everything, choices, on(frontend.OBI), func(c *frontend.Config) { c.Events, c.Streams = 3, 2 }),
		edit(frontend.Reg32x3D, on(frontend.OBI), sized(16, 16), func(c *frontend.Config) { c.PortIDWidth = 5 }),
		edit(frontend.Reg64x2D, everything, func(c *frontend.Config) {
			c.Backend.AddrWidth, c.Backend.LengthWidth, c.RepsWidth, c.TransferIDBits, c.Queue = 20, 12, 3, 8, 1
		}),
		edit(frontend.Reg64, func(c *frontend.Config) { c.Backend.AddrWidth, c.Backend.LengthWidth, c.ErrorInfo = 40, 36, true }),
		edit(frontend.Reg32x2D, on(frontend.AXILite), choices, func(c *frontend.Config) { c.Backend.AddrWidth, c.Queue = 48, 5 }),
		edit(frontend.Reg32, func(c *frontend.Config) {
			c.Backend.Coupler, c.Backend.Legalizer, c.Interrupts = false, false, true
		}),
	)
}

func TestToolsAcceptTheFrontEnds(t *testing.T) {
	for i, c := range spread() {
		t.Run(fmt.Sprintf("%d %s", i, c.Layout), func(t *testing.T) {
			t.Parallel()
			d := elaborate(t, c)
			files, err := gen.Emit(d, gen.Options{})
			require.NoError(t, err)
			again, err := gen.Emit(elaborate(t, c), gen.Options{})
			require.NoError(t, err)
			require.Empty(t, cmp.Diff(files, again))
			dir := t.TempDir()
			require.NoError(t, gen.WriteDir(dir, files))
			for _, r := range lint.Lint(t.Context(), dir, d.Top.Name, lint.All()) {
				require.NoError(t, r.Err, "%s: %s", r.Tool, r.Output)
				require.Empty(t, r.Output, r.Tool)
			}
		})
	}
}

// The ports of the front-ends are for users to rely on, names, widths and order.
func TestPorts(t *testing.T) {
	var b strings.Builder
	for _, c := range []frontend.Config{edit(frontend.Reg32), edit(frontend.Reg32x3D, everything, on(frontend.OBI), sized(2, 2))} {
		d := elaborate(t, c)
		fmt.Fprintf(&b, "%s\n", d.Top.Name)
		for _, p := range d.Top.Ports() {
			fmt.Fprintf(&b, "  %-6s %4d %s\n", p.Kind, p.Type.Width, p.Name)
		}
	}
	golden(t, "ports.golden", b.String())
}

// No request, and on AXI4-Lite no output of the bus, depends on an input within a cycle.
func TestNoPathsThroughTheFrontEnd(t *testing.T) {
	for _, c := range spread() {
		paths, err := check.CombPaths(elaborate(t, c))
		require.NoError(t, err)
		for _, p := range paths {
			in, out := p.Input.Name, p.Output.Name
			if !strings.HasPrefix(out, "s_apb") && !strings.HasPrefix(out, "s_obi") || !strings.HasPrefix(in, "s_apb") && !strings.HasPrefix(in, "s_obi") &&
				!strings.HasPrefix(in, "busy") && !strings.HasPrefix(in, "midend_busy") && !strings.HasPrefix(in, "count") {
				t.Errorf("%s %s: %s depends on %s", c.Layout, c.Bus, out, in)
			}
		}
	}
}

func TestFacts(t *testing.T) {
	desc, err := editDesc().Map().Facts()
	require.NoError(t, err)
	for _, f := range desc[:2] {
		golden(t, f.Name+".golden", string(f.Data))
	}
	for _, l := range append(layouts, frontend.Reg32RT3D) {
		files, err := edit(l).Map().Facts()
		require.NoError(t, err)
		for _, f := range files[:2] { // the others show the same
			golden(t, f.Name+".golden", string(f.Data))
		}
	}
}

// The references in the documentation have everything that a front-end can have.
func TestReferencesAreCurrent(t *testing.T) {
	for _, l := range append(layouts, frontend.Reg32RT3D) {
		files, err := edit(l, everything, sized(1, 16), choices).Map().Facts()
		require.NoError(t, err)
		golden(t, filepath.Join("..", "..", "..", "docs", "registers", l.String()+".md"), string(files[2].Data))
	}
	files, err := editDesc(handled).Map().Facts()
	require.NoError(t, err)
	golden(t, filepath.Join("..", "..", "..", "docs", "registers", "desc_64.md"), string(files[2].Data))
}
