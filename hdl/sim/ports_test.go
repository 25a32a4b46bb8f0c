package sim_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/millrace-hdl/millrace/hdl/sim"
)

// TestMemoriesOfManyPorts: any number of write and read ports, each pair with its
// own rule, with masks and conditions, for depths that leave addresses unused.
func TestMemoriesOfManyPorts(t *testing.T) {
	during := []string{"old", "new", "undefined"}
	for _, width := range []int{1, 8, 64, 96} {
		for _, depth := range []int{1, 3, 4, 7} {
			aw := map[int]int{1: 1, 3: 2, 4: 2, 7: 3}[depth]
			for k := range 27 {
				a, b, c := during[k%3], during[k/3%3], during[k/9]
				var mask string
				maskWidth := 1
				if width > 1 {
					mask, maskWidth = "(mask k)", width/4
				}
				against(t, fmt.Sprintf(`(design top) (module top (input a0 u%[2]d) (input a1 u%[2]d) (input a2 u%[2]d) (input ra u%[2]d) (input rb u%[2]d)
					(input d0 u%[1]d) (input d1 u%[1]d) (input d2 u%[1]d) (input k u%[4]d) (input en u3)
					(output y0 u%[1]d) (output y1 u%[1]d) (output y2 u%[1]d) (output y3 u%[1]d)
					(sync_read q0 u%[1]d) (sync_read q1 u%[1]d)
					(mem m u%[1]d %[3]d (init 1:u%[1]d) (sync ra en[2] q0 %[6]s %[7]s %[8]s) (sync rb en[0] q1 %[8]s %[6]s %[7]s))
					(body (if (when en[0] (write m a0 d0 %[5]s))) (write m a1 d1) (switch en (case 2:u3 5:u3 (write m a2 d2 %[5]s)) (default))
						(set y0 q0) (set y1 q1) (set y2 (read m ra)) (set y3 (read m rb))))`,
					width, aw, depth, maskWidth, mask, a, b, c))
			}
		}
	}
}

// TestMemoryOfDomains: each port of a memory acts at the edges of its domain.
func TestMemoryOfDomains(t *testing.T) {
	for _, during := range []string{"old", "new"} {
		against(t, fmt.Sprintf(`(design top) (module top (domain w "w_clk" "w_rst") (domain r "r_clk" "r_rst")
			(input wa u2) (input wd u8) (input we u1) (input ra u2) (input re u1) (output y u8) (output z u8) (output v u8)
			(sync_read q u8 (on r) (crossing "pointers are gray")) (sync_read p u8 (on w))
			(mem m u8 4 (sync ra re q undefined) (sync ra re p %s))
			(body (if (when we (write m wa wd (on w)))) (set y q) (set z p) (set v (read m ra))))`, during))
	}
}

// TestContents: contents are there at the start, whatever the seed, and are not
// restored by reset.
func TestContents(t *testing.T) {
	text := `(design top) (module top (input a u2) (input we u1) (output y u72) (output z u8)
		(mem m u72 4 (init 0x123456789abcdef012:u72 5:u72)) (mem rom u8 4 (init 10:u8 11:u8 12:u8 13:u8))
		(body (if (when we (write m a 77:u72))) (set y (read m a)) (set z (read rom a))))`
	for _, seed := range []uint64{0, 1, 9} {
		m := newModel(t, text, sim.Options{Seed: seed})
		got := make([]uint64, 8)
		m.ReadMem(m.Mems()[0], 0, got)
		require.Equal(t, []uint64{0x3456789abcdef012, 0x12, 5, 0}, got[:4])
		require.Equal(t, seed != 0, got[4] != 0, "what has no contents comes from the seed")
		drive(t, m, map[string]uint64{"a": 1, "we": 1})
		require.NoError(t, m.Step())
		drive(t, m, map[string]uint64{"we": 0})
		require.NoError(t, m.Reset(2))
		require.NoError(t, m.Eval())
		require.Equal(t, uint64(77), out(t, m, "y"))
		require.Equal(t, uint64(11), out(t, m, "z"))
	}
	against(t, text)
}

// TestNewDataIsFree: a port that takes the new data of all write ports needs no
// comparison of addresses.
func TestNewDataIsFree(t *testing.T) {
	text := `(design top) (module top (input a u4) (input b u4) (input d u64) (output y u64) (sync_read q u64)
		(mem m u64 16 (sync a 1:u1 q %s %s)) (body (write m a d) (write m b d) (set y q)))`
	require.NotContains(t, newModel(t, fmt.Sprintf(text, "new", "new"), sim.Options{Kind: sim.Interpreter}).Listing(), " eq ")
	require.NotContains(t, newModel(t, fmt.Sprintf(text, "old", "undefined"), sim.Options{Kind: sim.Interpreter}).Listing(), " eq ")
	require.Equal(t, 1, strings.Count(newModel(t, fmt.Sprintf(text, "old", "new"), sim.Options{Kind: sim.Interpreter}).Listing(), " eq "))
}
