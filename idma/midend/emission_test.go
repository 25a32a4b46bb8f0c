package midend_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"github.com/millrace-hdl/millrace/gen"
	"github.com/millrace-hdl/millrace/gen/lint"
	"github.com/millrace-hdl/millrace/hdl/ir"
	"github.com/millrace-hdl/millrace/idma/midend"
)

// Every mid-end of the catalogue, with and without error handling, and a chain.
func TestToolsAcceptTheMidEnds(t *testing.T) {
	builds := map[string]func() (*ir.Design, error){"chain": func() (*ir.Design, error) { return arbitrated().Elaborate("arbitrated") }}
	for _, e := range midend.Catalogue() {
		builds[e.Name] = func() (*ir.Design, error) { return e.Elaborate(e.Defaults()) }
	}
	builds["arbiter, errors"] = func() (*ir.Design, error) {
		c := midend.DefaultArbiter()
		handling(&c)
		return midend.ElaborateArbiter(c)
	}
	builds["tensor_2d, errors"] = func() (*ir.Design, error) {
		c := midend.DefaultRows()
		c.Backend.ErrorHandling, c.Registered = true, true
		return midend.ElaborateRows(c)
	}
	region := midend.Region{Size: 64, Start: 0x40_0000, End: 0x50_0000}
	builds["mp_split, errors"] = func() (*ir.Design, error) {
		c := midend.DefaultSplit()
		c.Region, c.Backend.ErrorHandling, c.Registered = region, true, true
		return midend.ElaborateSplit(c)
	}
	builds["mp_dist, errors"] = func() (*ir.Design, error) {
		c := midend.DefaultDist()
		c.Outputs, c.Region, c.Backend.ErrorHandling = 4, region, true
		return midend.ElaborateDist(c)
	}
	builds["mp_dist, a tree"] = func() (*ir.Design, error) {
		c := midend.DefaultDist()
		c.Outputs, c.Region, c.Tree = 8, region, true
		return midend.ElaborateDist(c)
	}
	for name, build := range builds {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var emitted [2][]gen.File
			var d *ir.Design
			for i := range emitted {
				var err error
				d, err = build()
				require.NoError(t, err)
				emitted[i], err = gen.Emit(d, gen.Options{})
				require.NoError(t, err)
			}
			require.Empty(t, cmp.Diff(emitted[0], emitted[1]))
			dir := t.TempDir()
			require.NoError(t, gen.WriteDir(dir, emitted[0]))
			for _, r := range lint.Lint(t.Context(), dir, d.Top.Name, lint.All()) {
				require.NoError(t, r.Err, "%s: %s", r.Tool, r.Output)
				require.Empty(t, r.Output, r.Tool)
			}
		})
	}
}
