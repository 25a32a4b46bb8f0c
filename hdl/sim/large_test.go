package sim_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/millrace-hdl/millrace/hdl/sim"
)

// A long priority chain must not nest as many branches as it has links.
func TestLongChainsOfConditions(t *testing.T) {
	const links = 3000
	var arms strings.Builder
	for i := range links {
		fmt.Fprintf(&arms, "(when (eq a %d:u12) (set y (xor b %d:u8)))", i, i%251)
	}
	d := parse(t, "(design m) (module m (input a u12) (input b u8) (output y u8) (body (if "+arms.String()+" (else (set y b)))))")
	start := time.Now()
	m, err := sim.New(d, sim.Options{})
	require.NoError(t, err)
	require.Less(t, time.Since(start), 20*time.Second)
	for _, a := range []uint64{0, 1, 63, 64, 65, 66, 1000, links - 1, links, 4095} {
		drive(t, m, map[string]uint64{"a": a, "b": 0xa5})
		require.NoError(t, m.Eval())
		want := uint64(0xa5)
		if a < links {
			want ^= a % 251
		}
		require.Equal(t, want, out(t, m, "y"), a)
	}
}
