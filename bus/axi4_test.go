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

type passageIO struct {
	M bus.AXI4 `hdl:"name=m_axi"`
	S bus.AXI4 `hdl:"in,name=s_axi"`
}

// passage passes a subordinate interface on to a manager interface.
func passage(m *hdl.Module, p bus.AXI4Params) passageIO {
	io := hdl.Ports(m, "", hdl.Source, passageIO{M: bus.NewAXI4(p), S: bus.NewAXI4(p)})
	hdl.Connect(io.M, io.S)
	return io
}

// The names and widths of IHI 0022, table A2, as a manager has them.
const managerPorts = `
out awvalid 1, in awready 1, out awid 4, out awaddr 40, out awlen 8, out awsize 3, out awburst 2, out awlock 1,
out awcache 4, out awprot 3, out awqos 4, out awregion 4, out awuser 2,
out wvalid 1, in wready 1, out wdata 64, out wstrb 8, out wlast 1, out wuser 2,
in bvalid 1, out bready 1, in bid 4, in bresp 2, in buser 2,
out arvalid 1, in arready 1, out arid 4, out araddr 40, out arlen 8, out arsize 3, out arburst 2, out arlock 1,
out arcache 4, out arprot 3, out arqos 4, out arregion 4, out aruser 2,
in rvalid 1, out rready 1, in rid 4, in rdata 64, in rresp 2, in rlast 1, in ruser 2`

func TestPortsAreNamedAsVendorToolsExpectThem(t *testing.T) {
	d, err := hdl.Elaborate(passage, bus.AXI4Params{DataWidth: 64, AddrWidth: 40, IDWidth: 4, UserWidth: 2})
	require.NoError(t, err)
	var want, got []string
	for _, side := range []string{"m_axi_", "s_axi_"} {
		for _, p := range strings.Split(managerPorts, ",") {
			f := strings.Fields(p)
			dir := f[0]
			if side == "s_axi_" { // the subordinate sees everything the other way round
				dir = map[string]string{"in": "out", "out": "in"}[dir]
			}
			want = append(want, dir+" "+side+f[1]+" u"+f[2])
		}
	}
	for _, s := range d.Top.Ports() {
		dir := "out"
		if s.Kind == ir.Input {
			dir = "in"
		}
		got = append(got, dir+" "+s.Name+" "+s.Type.String())
	}
	require.Empty(t, cmp.Diff(want, got))
}
