package gen

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/millrace-hdl/millrace/hdl/ir"
)

// TestLaneBeyondByItsLowBits: the low bits of the index are a literal beyond the
// lanes, whatever the others are.
func TestLaneBeyondByItsLowBits(t *testing.T) {
	d, err := ir.Parse("t.ir", `(design top)
(module top (input a u4) (output y u5) (body
  (set y 9:u5)
  (set y (lane (cat a 7:u3) 1) 1:u1)))`)
	require.NoError(t, err)
	files, err := Emit(d, Options{})
	require.NoError(t, err)
	require.Contains(t, string(files[0].Data), "assign y = 5'd9;")
}
