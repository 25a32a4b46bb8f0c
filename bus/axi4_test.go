package bus_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"github.com/millrace-hdl/millrace/bus"
	"github.com/millrace-hdl/millrace/hdl"
	"github.com/millrace-hdl/millrace/hdl/ir"
)

// passageIO is a manager and a subordinate interface of one bus.
type passageIO[B any] struct {
	M B `hdl:"name=m"`
	S B `hdl:"in,name=s"`
}

// passage passes a subordinate interface on to a manager interface.
func passage[B any](m *hdl.Module, types B) passageIO[B] {
	io := hdl.Ports(m, "", hdl.Source, passageIO[B]{M: types, S: types})
	hdl.Connect(io.M, io.S)
	return io
}

// elaborate finds the ports of a passage.
func elaborate[B any](types B) func(*testing.T) *ir.Design {
	return func(t *testing.T) *ir.Design {
		d, err := hdl.Elaborate(func(m *hdl.Module, _ struct{}) passageIO[B] { return passage(m, types) }, struct{}{}, hdl.Named("passage"))
		require.NoError(t, err)
		return d
	}
}

// Names, directions and widths as the specifications have them, seen by a manager.
func TestPortsAreNamedAsTheSpecificationsAndVendorToolsHaveThem(t *testing.T) {
	for _, c := range []struct {
		name   string
		design func(*testing.T) *ir.Design
		ports  string
	}{
		{"AXI4, table A2", elaborate(bus.NewAXI4(bus.AXI4Params{DataWidth: 64, AddrWidth: 40, IDWidth: 4, UserWidth: 2})), `
			out awvalid 1, in awready 1, out awid 4, out awaddr 40, out awlen 8, out awsize 3, out awburst 2, out awlock 1,
			out awcache 4, out awprot 3, out awqos 4, out awregion 4, out awuser 2,
			out wvalid 1, in wready 1, out wdata 64, out wstrb 8, out wlast 1, out wuser 2,
			in bvalid 1, out bready 1, in bid 4, in bresp 2, in buser 2,
			out arvalid 1, in arready 1, out arid 4, out araddr 40, out arlen 8, out arsize 3, out arburst 2, out arlock 1,
			out arcache 4, out arprot 3, out arqos 4, out arregion 4, out aruser 2,
			in rvalid 1, out rready 1, in rid 4, in rdata 64, in rresp 2, in rlast 1, in ruser 2`},
		{"AXI4-Lite, table B1-1", elaborate(bus.NewAXILite(bus.AXILiteParams{DataWidth: 32, AddrWidth: 16})), `
			out awvalid 1, in awready 1, out awaddr 16, out awprot 3, out wvalid 1, in wready 1, out wdata 32, out wstrb 4,
			in bvalid 1, out bready 1, in bresp 2, out arvalid 1, in arready 1, out araddr 16, out arprot 3,
			in rvalid 1, out rready 1, in rdata 32, in rresp 2`},
		{"AXI4-Stream, table 2-1", elaborate(bus.NewAXIStream(bus.AXIStreamParams{DataWidth: 32, IDWidth: 3, DestWidth: 4, UserWidth: 2})), `
			out tvalid 1, in tready 1, out tdata 32, out tstrb 4, out tkeep 4, out tlast 1, out tid 3, out tdest 4, out tuser 2`},
		{"AXI4-Stream, only data", elaborate(bus.NewAXIStream(bus.AXIStreamParams{DataWidth: 16})), `
			out tvalid 1, in tready 1, out tdata 16, out tstrb 2, out tkeep 2, out tlast 1`},
		{"OBI", elaborate(bus.NewOBI(bus.OBIParams{DataWidth: 32, AddrWidth: 24, IDWidth: 2, RReady: true})), `
			out req 1, in gnt 1, out addr 24, out we 1, out be 4, out wdata 32, out aid 2,
			in rvalid 1, out rready 1, in rdata 32, in err 1, in rid 2`},
		{"OBI without rready", elaborate(bus.NewOBI(bus.OBIParams{DataWidth: 32, AddrWidth: 24, IDWidth: 2})), `
			out req 1, in gnt 1, out addr 24, out we 1, out be 4, out wdata 32, out aid 2, in rvalid 1, in rdata 32, in err 1, in rid 2`},
		{"TileLink", elaborate(bus.NewTileLink(bus.TileLinkParams{DataWidth: 64, AddrWidth: 32, SourceWidth: 5, SinkWidth: 1, SizeWidth: 4})), `
			out a_valid 1, in a_ready 1, out a_opcode 3, out a_param 3, out a_size 4, out a_source 5, out a_address 32, out a_mask 8,
			out a_data 64, out a_corrupt 1,
			in d_valid 1, out d_ready 1, in d_opcode 3, in d_param 2, in d_size 4, in d_source 5, in d_sink 1, in d_denied 1,
			in d_data 64, in d_corrupt 1`},
		{"APB4", elaborate(bus.NewAPB(bus.APBParams{DataWidth: 32, AddrWidth: 12})), `
			out psel 1, out penable 1, out pwrite 1, out paddr 12, out pprot 3, out pwdata 32, out pstrb 4,
			in pready 1, in prdata 32, in pslverr 1`},
	} {
		t.Run(c.name, func(t *testing.T) {
			var want, got []string
			for _, side := range []string{"m_", "s_"} {
				for _, p := range strings.Split(c.ports, ",") {
					f := strings.Fields(p)
					dir := f[0]
					if side == "s_" { // the subordinate sees everything the other way round
						dir = map[string]string{"in": "out", "out": "in"}[dir]
					}
					want = append(want, dir+" "+side+f[1]+" u"+f[2])
				}
			}
			for _, s := range c.design(t).Top.Ports() {
				dir := "out"
				if s.Kind == ir.Input {
					dir = "in"
				}
				got = append(got, dir+" "+s.Name+" "+s.Type.String())
			}
			require.Empty(t, cmp.Diff(want, got))
		})
	}
}
