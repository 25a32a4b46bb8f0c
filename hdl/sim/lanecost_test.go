package sim

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestLanesCostOneEach: a lane of a register is written and read as one thing,
// however many there are and however long they are.
func TestLanesCostOneEach(t *testing.T) {
	for _, s := range []struct{ lanes, lane int }{{16, 8}, {64, 8}, {32, 32}, {16, 512}, {1024, 8}, {100, 1}} {
		m := large(t, fmt.Sprintf(`(design top) (module top (input i u16) (input j u16) (input v u%[2]d) (input c u1) (output y u%[2]d) (reg r u%[1]d)
			(body (if (when c (set r (lane i %[2]d) v))) (set y (select r j %[2]d %[2]d))))`, s.lanes*s.lane, s.lane))
		require.LessOrEqual(t, len(m.low.nodes), 30, "%+v", s)
		require.LessOrEqual(t, len(m.settle)+len(m.advance), 7, "%+v", s)
		require.Contains(t, m.Listing(), " put ", "%+v", s)
		require.Contains(t, m.Listing(), " pick ", "%+v", s)
	}
}

// TestPlacesByHand: what shifts and masks of a description do is found to be the
// same.
func TestPlacesByHand(t *testing.T) {
	m := large(t, `(design top) (module top (input i u9) (input v u8) (output y u20) (reg r u500 (init 0:u500))
		(body (set r (or (and (not (shl 255:u500 i)) r) (shl (extend v 500) i))) (set y (shr r i)[21:2])))`)
	require.Contains(t, m.Listing(), " put ")
	require.Contains(t, m.Listing(), " pick ")
	for at := uint64(0); at < 512; at++ { // the last ones reach beyond the register
		m.In()[0], m.In()[1] = at, 0xff
		require.NoError(t, m.Reset(1))
		require.NoError(t, m.Step())
		require.NoError(t, m.Eval())
		want := uint64(0x3f)
		if at+8 > 500 {
			want = (uint64(1)<<max(0, 500-int(at)) - 1) >> 2
		}
		require.Equal(t, want, m.Out()[0], at)
	}
}
