package backend_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/millrace-hdl/millrace/idma/backend"
)

func TestScratchElaborate(t *testing.T) {
	for _, set := range [][2]string{{"axi4", "axi4"}, {"obi", "obi"}, {"axi_lite", "axi_lite"}, {"axi_stream", "axi_stream"}, {"init", "axi4"}, {"axi4", "axi4, obi"}, {"axi4, obi", "axi4"}, {"axi4", "axi4, axi_stream"}, {"axi4", "axi4, init"}, {"axi4, obi, axi_lite, init, axi_stream", "axi4, obi, axi_lite, init, axi_stream"}} {
		for _, comb := range []bool{true, false} {
			c := backend.Default()
			require.NoError(t, c.ReadProtocols.UnmarshalText([]byte(set[0])))
			require.NoError(t, c.WriteProtocols.UnmarshalText([]byte(set[1])))
			c.ErrorHandling, c.CombinedShifter = true, comb
			_, err := backend.Elaborate(c)
			if err != nil {
				t.Errorf("%v %v", set, err)
			}
		}
	}
}

func TestScratchNoErrors(t *testing.T) {
	for _, comb := range []bool{true, false} {
		c := backend.Default()
		c.CombinedShifter = comb
		off := elaborate(t, c)
		c.ErrorHandling = true
		on := elaborate(t, c)
		for _, l := range ownJobs(t) {
			for _, lat := range []int{1, 13, 100} {
				a := run(t, start(t, goModel, off, 1), l, latency(lat))
				b := run(t, start(t, goModel, on, 1), l, latency(lat))
				require.Equal(t, a.Cycles, b.Cycles, "%s %d", l.Name, lat)
			}
		}
	}
}
