package backend_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/millrace-hdl/millrace/idma/backend"
	"github.com/millrace-hdl/millrace/idma/compute"
	"github.com/millrace-hdl/millrace/tb"
)

func TestFieldsOutOfRangeAreNamed(t *testing.T) {
	const widths = "16, 32, 64, 128, 256, 512 or 1024"
	for _, c := range []struct {
		edit    func(*backend.Config)
		field   string
		value   any
		allowed string
	}{
		{func(c *backend.Config) { c.DataWidth = 8 }, "DataWidth", 8, widths},
		{func(c *backend.Config) { c.DataWidth = 0 }, "DataWidth", 0, widths},
		{func(c *backend.Config) { c.DataWidth = -32 }, "DataWidth", -32, widths},
		{func(c *backend.Config) { c.DataWidth = 48 }, "DataWidth", 48, widths},
		{func(c *backend.Config) { c.DataWidth = 2048 }, "DataWidth", 2048, widths},
		{func(c *backend.Config) { c.AddrWidth, c.LengthWidth = 11, 11 }, "AddrWidth", 11, "12 to 64"},
		{func(c *backend.Config) { c.AddrWidth = 65 }, "AddrWidth", 65, "12 to 64"},
		{func(c *backend.Config) { c.IDWidth = 0 }, "IDWidth", 0, "1 to 32"},
		{func(c *backend.Config) { c.IDWidth = 33 }, "IDWidth", 33, "1 to 32"},
		{func(c *backend.Config) { c.UserWidth = 0 }, "UserWidth", 0, "1 to 1024"},
		{func(c *backend.Config) { c.UserWidth = 1025 }, "UserWidth", 1025, "1 to 1024"},
		{func(c *backend.Config) { c.Outstanding = 0 }, "Outstanding", 0, "1 to 256"},
		{func(c *backend.Config) { c.Outstanding = 257 }, "Outstanding", 257, "1 to 256"},
		{func(c *backend.Config) { c.WriteOutstanding = -1 }, "WriteOutstanding", -1, "0 to 1024"},
		{func(c *backend.Config) { c.WriteOutstanding = 1025 }, "WriteOutstanding", 1025, "0 to 1024"},
		{func(c *backend.Config) { c.BufferDepth = 0 }, "BufferDepth", 0, "1 to 64"},
		{func(c *backend.Config) { c.BufferDepth = 65 }, "BufferDepth", 65, "1 to 64"},
		{func(c *backend.Config) { c.LengthWidth = 11 }, "LengthWidth", 11, "12 to AddrWidth, which is 32"},
		{func(c *backend.Config) { c.ReadProtocols, c.Legalizer = backend.PortsOf(backend.OBI), false }, "Legalizer", false, "true, but for back-ends with AXI4 alone"},
		{func(c *backend.Config) {
			c.ReadProtocols, c.ReserveBuffer = backend.PortsOf(backend.AXI4, backend.OBI), true
		}, "ReserveBuffer", true, "false where there are several read ports"},
		{func(c *backend.Config) { c.WriteProtocols = backend.PortSet{} }, "WriteProtocols", backend.PortSet{}, "at least one of axi4, obi, axi_lite, tilelink, init, axi_stream, each up to 8 times"},
		{func(c *backend.Config) { c.TLMaxSize = 2 }, "TLMaxSize", 2, "0, or a power of two from a bus word, 4, to 1024"},
		{func(c *backend.Config) { c.TLMaxSize = 48 }, "TLMaxSize", 48, "0, or a power of two from a bus word, 4, to 1024"},
		{func(c *backend.Config) { c.DataWidth, c.TLMaxSize = 512, 8192 }, "TLMaxSize", 8192, "0, or a power of two from a bus word, 64, to 4096"},
		{func(c *backend.Config) { c.Legalizer, c.ErrorHandling = false, true }, "Legalizer", false, "true with ErrorHandling, which takes back what was not issued yet"},
		{func(c *backend.Config) { c.Watchdog = 1 }, "Watchdog", 1, "0, or 2 to 16777216"},
		{func(c *backend.Config) { c.Watchdog = -3 }, "Watchdog", -3, "0, or 2 to 16777216"},
		{func(c *backend.Config) { c.Compute[compute.CodeByteSwap], c.ErrorHandling = compute.ByteSwap{}, true }, "Compute", compute.Set{compute.CodeByteSwap: compute.ByteSwap{}},
			"none with ErrorHandling: what an operation has made of bytes cannot be taken up in the middle"},
		{func(c *backend.Config) { c.Compute[compute.CodeByteSwap], c.Legalizer = compute.ByteSwap{}, false }, "Compute", compute.Set{compute.CodeByteSwap: compute.ByteSwap{}},
			"none without Legalizer, which cuts what is written apart from what is read"},
		{func(c *backend.Config) { c.Compute[compute.CodeFillMask] = compute.ByteSwap{} }, "Compute", compute.Set{compute.CodeFillMask: compute.ByteSwap{}},
			"byte_swap is at the place of code 8, but has the code 7"},
		{func(c *backend.Config) { c.LengthWidth = 33 }, "LengthWidth", 33, "12 to AddrWidth, which is 32"},
	} {
		cfg := edit(c.edit)
		err := cfg.Validate()
		var field *backend.FieldError
		require.True(t, errors.As(err, &field), "%s %v: %v", c.field, c.value, err)
		require.Equal(t, backend.FieldError{Field: c.field, Value: c.value, Allowed: c.allowed}, *field)
		_, err = backend.Elaborate(cfg)
		require.ErrorContains(t, err, field.Error())
	}
}

func TestAllFieldsOutOfRangeAreNamedAtOnce(t *testing.T) {
	_, err := backend.Elaborate(backend.Config{AddrWidth: 32, UserWidth: 1, Outstanding: 300, LengthWidth: 40})
	for _, text := range []string{
		"DataWidth is 0; allowed: 16, 32, 64, 128, 256, 512 or 1024", "IDWidth is 0; allowed: 1 to 32",
		"Outstanding is 300; allowed: 1 to 256", "BufferDepth is 0; allowed: 1 to 64", "LengthWidth is 40; allowed: 12 to AddrWidth, which is 32",
	} {
		require.ErrorContains(t, err, text)
	}
	require.NotContains(t, err.Error(), "AddrWidth is", "it is in range")
}

// The ends of every range elaborate and move data.
func TestEndsOfTheRangesWork(t *testing.T) {
	axi := backend.PortsOf(backend.AXI4)
	for _, c := range []func(*backend.Config){
		func(c *backend.Config) {
			*c = backend.Config{ReadProtocols: axi, WriteProtocols: axi, DataWidth: 16, AddrWidth: 12, IDWidth: 1, UserWidth: 1, Outstanding: 1, WriteOutstanding: 1, BufferDepth: 1, LengthWidth: 12}
			c.Legalizer = true
		},
		func(c *backend.Config) {
			*c = backend.Config{ReadProtocols: axi, WriteProtocols: axi, DataWidth: 1024, AddrWidth: 64, IDWidth: 32, UserWidth: 1024, Outstanding: 256, WriteOutstanding: 1024, BufferDepth: 64, LengthWidth: 64,
				CombinedShifter: true, Coupler: true, MaskInvalidLanes: true, Legalizer: true, ReserveBuffer: true}
		},
		func(c *backend.Config) { c.AddrWidth = 64 },
		func(c *backend.Config) { c.AddrWidth, c.LengthWidth = 12, 12 },
	} {
		for _, handles := range []bool{false, true} {
			cfg := withHandling(edit(c), handles)
			list := randomListOf(1, cfg, 30)
			if handles {
				tb.AddErrors(1, list, tb.ErrorConfig{Bytes: cfg.DataWidth / 8, Percent: 40, Most: 3, Actions: allActions})
			}
			run(t, start(t, goModel, elaborate(t, cfg), 1), list, latency(7))
		}
	}
}
