package snake_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/millrace-hdl/millrace/internal/snake"
)

func TestCase(t *testing.T) {
	for name, want := range map[string]string{
		"DataWidth": "data_width", "IDWidth": "id_width", "AXI": "axi", "MaxLLen": "max_l_len", "AXIPort": "axi_port",
		"Outstanding": "outstanding", "UseAXIID": "use_axiid", "Read0Latency": "read0_latency", "A_B": "a_b", "": "", "readAXI4": "read_axi4", "AXI4Addr": "axi4_addr",
	} {
		require.Equal(t, want, snake.Case(name))
	}
}
