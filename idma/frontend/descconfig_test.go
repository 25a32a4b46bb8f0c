package frontend_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/millrace-hdl/millrace/gen"
	"github.com/millrace-hdl/millrace/gen/lint"
	"github.com/millrace-hdl/millrace/hdl/check"
	"github.com/millrace-hdl/millrace/idma/frontend"
)

func TestDescValidateNamesTheField(t *testing.T) {
	for _, c := range descSpread() {
		require.NoError(t, c.Validate())
	}
	for _, c := range []struct {
		edit func(c *frontend.DescConfig)
		want string
	}{
		{func(c *frontend.DescConfig) { c.Bus = 3 }, "Bus is Bus(3); allowed: apb, axi_lite, obi"},
		{func(c *frontend.DescConfig) { c.RegWidth = 16 }, "RegWidth is 16; allowed: 32 or 64"},
		{func(c *frontend.DescConfig) { c.PortIDWidth = 0 }, "PortIDWidth is 0; allowed: 1 to 32"},
		{func(c *frontend.DescConfig) { c.Fetch = 3 }, "Fetch is FetchBus(3); allowed: axi4, axi_lite, obi"},
		{func(c *frontend.DescConfig) { c.FetchWidth = 16 }, "FetchWidth is 16; allowed: a power of two, 32 to 1024"},
		{fetching(frontend.FetchOBI, 128), "FetchWidth is 128; allowed: a power of two, 32 to 64"},
		{func(c *frontend.DescConfig) { c.FetchIDWidth = 33 }, "FetchIDWidth is 33; allowed: 1 to 32"},
		{func(c *frontend.DescConfig) { c.Heads = 0 }, "Heads is 0; allowed: 1 to 64"},
		{func(c *frontend.DescConfig) { c.Pending = 65 }, "Pending is 65; allowed: 1 to 64"},
		{func(c *frontend.DescConfig) { c.Speculation = 17 }, "Speculation is 17; allowed: 0 to 16"},
		{func(c *frontend.DescConfig) { c.InFlight = -1 }, "InFlight is -1; allowed: 0 to 1024"},
		{func(c *frontend.DescConfig) { c.Backend.LengthWidth = 31 }, "Backend.LengthWidth is 31; allowed: 32 or more"},
		{func(c *frontend.DescConfig) { c.Backend.Outstanding = 0 }, "in Backend: Outstanding is 0"},
	} {
		require.ErrorContains(t, editDesc(c.edit).Validate(), c.want)
	}
	var b frontend.FetchBus
	require.NoError(t, b.UnmarshalText([]byte("obi")))
	require.EqualError(t, b.UnmarshalText([]byte("apb")), `"apb" is no bus of descriptors; choose from axi4, axi_lite, obi`)
}

func TestToolsAcceptTheDescriptorFrontEnd(t *testing.T) {
	for i, c := range descSpread() {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			t.Parallel()
			d, err := frontend.ElaborateDesc(c)
			require.NoError(t, err)
			files, err := gen.Emit(d, gen.Options{})
			require.NoError(t, err)
			dir := t.TempDir()
			require.NoError(t, gen.WriteDir(dir, files))
			for _, r := range lint.Lint(t.Context(), dir, d.Top.Name, lint.All()) {
				require.NoError(t, r.Err, "%s: %s", r.Tool, r.Output)
				require.Empty(t, r.Output, r.Tool)
			}
			// Hazard 35: a loop through prefetch. Elaboration refuses loops; a valid that depends
			// on a ready would close one outside.
			paths, err := check.CombPaths(d)
			require.NoError(t, err)
			for _, p := range paths {
				if name := p.Output.Name; name == "req_valid" || name == "m_axi_desc_arvalid" || name == "m_axi_desc_awvalid" || name == "m_axi_desc_wvalid" {
					t.Errorf("%s depends on %s", name, p.Input.Name)
				}
			}
		})
	}
}
