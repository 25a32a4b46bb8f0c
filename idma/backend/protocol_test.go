package backend_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/millrace-hdl/millrace/idma/backend"
)

var readable = []backend.Protocol{backend.AXI4, backend.OBI, backend.AXILite, backend.TileLink, backend.Init, backend.AXIStream}

func TestEveryPairOfProtocolsElaborates(t *testing.T) {
	for _, r := range readable {
		for _, w := range readable {
			for _, combined := range []bool{true, false} {
				for _, width := range []int{16, 32, 512} {
					c := backend.Default()
					c.ReadProtocols, c.WriteProtocols = backend.PortsOf(r), backend.PortsOf(w)
					c.CombinedShifter, c.DataWidth = combined, width
					_, err := backend.Elaborate(c)
					require.NoError(t, err, "%s to %s, %d bits, combined %v", r, w, width, combined)
				}
			}
		}
	}
}

func TestSeveralPortsElaborate(t *testing.T) {
	for i, s := range severalPorts {
		for _, combined := range []bool{true, false} {
			t.Run(fmt.Sprint(i, combined), func(t *testing.T) {
				c := backend.Default()
				c.CombinedShifter = combined
				require.NoError(t, c.ReadProtocols.UnmarshalText([]byte(s[0])))
				require.NoError(t, c.WriteProtocols.UnmarshalText([]byte(s[1])))
				_, err := backend.Elaborate(c)
				require.NoError(t, err)
			})
		}
	}
}

// portSets are sides of back-ends, single ports and several.
var portSets = []string{"axi4", "obi", "axi_lite", "tilelink", "init", "axi_stream"}

// severalPorts are back-ends with several ports on a side.
var severalPorts = [][2]string{
	{"axi4, obi", "axi4, obi"}, {"axi4, axi_stream", "axi4, axi_stream"}, {"axi4, init, obi", "axi4, obi, init"}, {"axi4, init", "obi"},
	{"axi4, axi4", "axi4, axi4, axi4"}, {"axi4, obi, axi_lite, tilelink, init, axi_stream", "axi4, obi, axi_lite, tilelink, init, axi_stream"},
	{"obi, obi, axi_lite", "axi_stream, axi_stream"}, {"axi4", "obi, obi, axi_lite, axi_lite"}, {"tilelink, axi4, tilelink", "tilelink, tilelink, axi_stream"},
}
