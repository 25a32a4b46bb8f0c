package frontend_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/millrace-hdl/millrace/idma/frontend"
)

func TestValidateNamesTheField(t *testing.T) {
	for _, l := range append(layouts, frontend.Reg32RT3D) {
		require.NoError(t, frontend.Default(l).Validate())
	}
	for _, c := range []struct {
		edit func(c *frontend.Config)
		want string
	}{
		{func(c *frontend.Config) { c.Layout = 9 }, "Layout is Layout(9); allowed: reg_32, reg_32_2d, reg_32_3d, reg_64, reg_64_2d, reg_32_rt_3d"},
		{func(c *frontend.Config) { c.Bus = 3 }, "Bus is Bus(3); allowed: apb, axi_lite, obi"},
		{func(c *frontend.Config) { c.PortIDWidth = 0 }, "PortIDWidth is 0; allowed: 1 to 32"},
		{func(c *frontend.Config) { c.Ports = 17 }, "Ports is 17; allowed: 1 to 16"},
		{func(c *frontend.Config) { c.Events = 1 }, "Events is 1; allowed: 0 for layouts without events"},
		{func(c *frontend.Config) { c.Layout = frontend.Reg32RT3D }, "Events is 0; allowed: 1 to 16"},
		{func(c *frontend.Config) { c.Layout, c.Events, c.Ports = frontend.Reg32RT3D, 1, 2 }, "Ports is 2; allowed: 1 with events"},
		{func(c *frontend.Config) { c.Streams = 0 }, "Streams is 0; allowed: 1 to 16"},
		{func(c *frontend.Config) { c.Queue = 65 }, "Queue is 65; allowed: 1 to 64"},
		{func(c *frontend.Config) { c.TransferIDBits = 7 }, "TransferIDBits is 7; allowed: 8 to 32"},
		{func(c *frontend.Config) { c.TransferIDBits, c.Backend.WriteOutstanding = 8, 200 }, "TransferIDBits is 8; allowed: 9 to 32"},
		{func(c *frontend.Config) { c.RepsWidth = 33 }, "RepsWidth is 33; allowed: 1 to 32"},
		{func(c *frontend.Config) { c.Backend.ErrorHandling = true }, "ErrorInfo is false; allowed: true where Backend has ErrorHandling"},
		{func(c *frontend.Config) { c.Backend.DataWidth = 7 }, "in Backend: DataWidth is 7; allowed: 16, 32"},
	} {
		cfg := frontend.Default(frontend.Reg32)
		c.edit(&cfg)
		require.ErrorContains(t, cfg.Validate(), c.want)
		_, err := frontend.Elaborate(cfg)
		require.ErrorContains(t, err, c.want)
	}
}

func TestNamesOfLayoutsAndBuses(t *testing.T) {
	for _, l := range layouts {
		text, err := l.MarshalText()
		require.NoError(t, err)
		var back frontend.Layout
		require.NoError(t, back.UnmarshalText(text))
		require.Equal(t, l, back)
	}
	var b frontend.Bus
	require.NoError(t, b.UnmarshalText([]byte("axi_lite")))
	require.Equal(t, frontend.AXILite, b)
	require.EqualError(t, b.UnmarshalText([]byte("axi")), `"axi" is no bus; choose from apb, axi_lite, obi`)
	var l frontend.Layout
	require.EqualError(t, l.UnmarshalText([]byte("reg")), `"reg" is no layout; choose from reg_32, reg_32_2d, reg_32_3d, reg_64, reg_64_2d, reg_32_rt_3d`)
}
