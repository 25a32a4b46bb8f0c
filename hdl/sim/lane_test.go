package sim_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// against compares a design, given as text, with the reference under random inputs.
func against(t *testing.T, text string) {
	t.Helper()
	d := parse(t, text)
	for seed := range uint64(6) {
		compare(t, d, seed)
	}
}

// TestLanes writes and reads lanes chosen by an index: of registers and of wires,
// under conditions, over and under other assignments, of all shapes.
func TestLanes(t *testing.T) {
	shapes := []struct{ lanes, lane, index int }{
		{1, 8, 1}, {2, 1, 1}, {2, 32, 3}, {3, 5, 2}, {4, 8, 2}, {5, 8, 3}, {5, 13, 70}, {8, 64, 3}, {64, 1, 6}, {64, 8, 6}, {65, 1, 8}, {3, 200, 2}, {130, 1, 7},
	}
	for _, s := range shapes {
		w := s.lanes * s.lane
		head := fmt.Sprintf(`(design top) (module top (input i u%d) (input j u%[1]d) (input v u%d) (input v2 u%[2]d) (input all u%d) (input c u2)
			(output y u%[3]d) (output z u%[2]d)`, s.index, s.lane, w)
		for _, c := range []struct{ name, decl, body string }{
			{"register", "(reg r u%[1]d (init 0:u%[1]d))", "(set r (lane i %[2]d) v) (set y r)"},
			{"twice", "(reg r u%[1]d)", "(set r (lane i %[2]d) v) (set r (lane j %[2]d) v2) (set y r)"},
			{"wire", "(wire r u%[1]d (default all))", "(set r (lane i %[2]d) v) (set y r)"},
			{"over", "(wire r u%[1]d)", "(set r all) (set r (lane i %[2]d) v) (set r[0] c[0]) (set y r)"},
			{"hidden", "(reg r u%[1]d)", "(set r (lane i %[2]d) v) (if (when c[0] (set r all))) (set y r)"},
			{"conditions", "(reg r u%[1]d (init 1:u%[1]d))", `(if (when c[0] (set r (lane i %[2]d) v)) (when c[1] (set r[0] c[0]) (set r (lane j %[2]d) v2)))
				(switch c (case 0:u2 (set r (lane j %[2]d) (not v))) (case 3:u2 (set r (lane 0:u4 %[2]d) v2)) (default)) (set y r)`},
			{"constant", "(wire r u%[1]d (default all))", "(set r (lane 1:u9 %[2]d) v) (set r (lane 300:u9 %[2]d) v) (set r (lane 0:u1 %[2]d) v2) (set y r)"},
			{"all ones and zeros", "(reg r u%[1]d)", "(set r (lane i %[2]d) (not (xor v v))) (set r (lane j %[2]d) (xor v v)) (set y r)"},
		} {
			t.Run(fmt.Sprintf("%s/%dx%d", c.name, s.lanes, s.lane), func(t *testing.T) {
				body := fmt.Sprintf(c.decl+"(body "+c.body, w, s.lane)
				against(t, head+body+fmt.Sprintf("(set z (select r j %d %[1]d))))", s.lane))
			})
		}
	}
}

// TestSelect reads parts whose places are not those of lanes: they overlap, leave
// gaps, and reach beyond the value.
func TestSelect(t *testing.T) {
	for _, c := range []struct{ in, index, stride, width int }{
		{1, 1, 1, 1}, {8, 3, 1, 1}, {8, 4, 1, 3}, {8, 2, 3, 3}, {64, 6, 1, 64}, {64, 3, 8, 8}, {65, 9, 1, 2}, {200, 3, 24, 64}, {200, 200, 7, 9}, {512, 6, 8, 8}, {512, 9, 1, 128}, {8, 3, 5, 8}, {7, 63, 1 << 20, 1},
	} {
		for _, sign := range []string{"u", "s"} {
			against(t, fmt.Sprintf(`(design top) (module top (input a %[1]s%[2]d) (input i u%[3]d) (output y u%[5]d) (output z u%[5]d) (output part u1)
				(body (set y (select a i %[4]d %[5]d)) (set z (xor (select a 1:u3 %[4]d %[5]d) (select a 70:u9 %[4]d %[5]d))) (set part (select a i %[4]d %[5]d)[%[6]d])))`,
				sign, c.in, c.index, c.stride, c.width, c.width-1))
		}
	}
}

// TestLanesOfLoops: an array whose lanes depend on each other is no loop as long
// as places are fixed.
func TestLanesOfLoops(t *testing.T) {
	var body strings.Builder
	for i := range 7 {
		fmt.Fprintf(&body, "(set r (lane %d:u3 4) (add r[%d:%d] i))", i+1, 4*i+3, 4*i)
	}
	against(t, "(design top) (module top (input i u4) (output y u32) (wire r u32 (default 0:u32)) (body "+body.String()+"(set y r)))")
	_, err := simNew(t, `(design top) (module top (input i u3) (input v u4) (output y u32) (wire r u32 (default 0:u32))
		(body (set r (lane i 4) (add v r[3:0])) (set y r)))`)
	require.ErrorContains(t, err, "combinational loop: r[0] → r[0]")
}
