package compute_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"github.com/millrace-hdl/millrace/gen"
	"github.com/millrace-hdl/millrace/gen/lint"
	"github.com/millrace-hdl/millrace/hdl/check"
	"github.com/millrace-hdl/millrace/idma/compute"
)

// emitted is every operation, each at widths at which its unit has another shape.
func emitted() (ps []compute.Params) {
	for _, width := range []int{16, 32, 64, 256} {
		for _, f := range []compute.Float{compute.FP32, compute.FP16} {
			ps = append(ps, compute.Params{Op: compute.MXQuantise{From: f, SignedScale: width == 32}, DataWidth: width},
				compute.Params{Op: compute.MXDequantise{To: f, SignedScale: width == 32}, DataWidth: width})
		}
		ps = append(ps, compute.Params{Op: compute.Transpose{OneBank: width == 32}, DataWidth: width},
			compute.Params{Op: compute.CRC32C{}, DataWidth: width},
			compute.Params{Op: compute.ByteSwap{}, DataWidth: width},
			compute.Params{Op: compute.FillMask{}, DataWidth: width})
	}
	if !testing.Short() {
		ps = append(ps, compute.Params{Op: compute.MXQuantise{From: compute.FP16}, DataWidth: 1024},
			compute.Params{Op: compute.MXDequantise{To: compute.FP16}, DataWidth: 1024},
			compute.Params{Op: compute.CRC32C{}, DataWidth: 1024})
	}
	return ps
}

func TestToolsAcceptTheUnits(t *testing.T) {
	for _, p := range emitted() {
		t.Run(fmt.Sprintf("%s %d", p.Op.Name(), p.DataWidth), func(t *testing.T) {
			dir, d := t.TempDir(), unitDesign(t, p.Op, p.DataWidth)
			files, err := gen.Emit(d, gen.Options{})
			require.NoError(t, err)
			again, err := gen.Emit(unitDesign(t, p.Op, p.DataWidth), gen.Options{})
			require.NoError(t, err)
			require.Empty(t, cmp.Diff(files, again), "emission twice")
			require.NoError(t, gen.WriteDir(dir, files))
			for _, r := range lint.Lint(t.Context(), dir, d.Top.Name, lint.All()) {
				require.NoError(t, r.Err, "%s: %s", r.Tool, r.Output)
			}
		})
	}
}

// What a unit offers does not depend within a cycle on what comes or on whether it is taken.
func TestNothingPassesAUnitWithinACycle(t *testing.T) {
	for _, p := range emitted() {
		paths, err := check.CombPaths(unitDesign(t, p.Op, p.DataWidth))
		require.NoError(t, err)
		for _, x := range paths {
			if x.Output.Name != "in_ready" {
				t.Errorf("%s of %d bit: %s depends on %s", p.Op.Name(), p.DataWidth, x.Output.Name, x.Input.Name)
			}
			if mayWait := strings.HasPrefix(p.Op.Name(), "mx_"); !mayWait || p.DataWidth > 16 && !strings.HasPrefix(p.Op.Name(), "mx_dequantise") {
				t.Errorf("%s of %d bit: in_ready depends on %s", p.Op.Name(), p.DataWidth, x.Input.Name)
			}
		}
	}
}

// Each unit can be had by itself, under its name.
func TestCatalogue(t *testing.T) {
	for _, e := range compute.Catalogue() {
		cfg := e.Defaults()
		require.NoError(t, e.Check(cfg))
		d, err := e.Elaborate(cfg)
		require.NoError(t, err)
		require.Equal(t, e.Name, d.Top.Name)
	}
	e := compute.Catalogue()[0]
	cfg := e.Defaults().(*compute.MXConfig)
	cfg.DataWidth = 8
	require.ErrorContains(t, e.Check(cfg), "DataWidth is 8")
	require.ErrorContains(t, cfg.Numbers.UnmarshalText([]byte("fp64")), "choose from fp32 and fp16")
	for _, f := range []compute.Float{compute.FP32, compute.FP16} {
		text, err := f.MarshalText()
		require.NoError(t, err)
		require.NoError(t, cfg.Numbers.UnmarshalText(text))
		require.Equal(t, f, cfg.Numbers)
	}
}
