package verilator_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/millrace-hdl/millrace/hdl/ir"
	"github.com/millrace-hdl/millrace/verilator"
)

// TestViolatedPropertyOfTheRTLIsNamed: the properties are bound to the RTL, checked
// at the edges of their own domain and outside reset, and named when violated.
func TestViolatedPropertyOfTheRTLIsNamed(t *testing.T) {
	d, err := ir.Parse("claims.ir", `(design claims)
(module claims
  (domain b "b_clk" "b_rst" sync_high)
  (input a u1 (on b))
  (output y u1 (on b))
  (wire low u1 (default 1:u1) ghost unused)
  (reg r u1 (init 0:u1) (on b))
  (assert "stays_low" low (on b))
  (body
    (set r a)
    (set y r)
    (set low (not r))))`)
	require.NoError(t, err)
	e := start(t, build(t, d, verilator.Options{Quick: true, Assertions: true}), 0)
	set(t, e, "a", 1)
	require.NoError(t, e.Reset(2))
	require.NoError(t, e.Tick(2)) // r is 1 from here on
	require.NoError(t, e.Tick(1), "an edge of another domain")
	require.NoError(t, e.Reset(1), "an edge in reset")
	require.NoError(t, e.Tick(2))
	err = e.Tick(2)
	require.ErrorContains(t, err, "the RTL stopped")
	require.ErrorContains(t, err, "stays_low")
}
