package check_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"github.com/millrace-hdl/millrace/hdl/check"
)

func TestLoop(t *testing.T) {
	run(t, []testCase{
		{"through itself", `
(module m (output y u1) (wire w u1) (body
  (set w (not w)) ; want "loop: combinational loop: w ← w; break it with a register . 3: w is computed from w here$"
  (set y w)))`},
		{"through two wires", `
(module m (input a u1) (output y u1) (wire v u1) (wire w u1) (body
  (set v (and w a)) ; want "loop: combinational loop: v ← w ← v; .* . 3: v is computed from w here . 4: w is computed from v here$"
  (set w v)
  (set y w)))`},
		{"through a condition", `
(module m (output y u1) (wire w u1 (default 0:u1)) (body
  (if (when (not w)
    (set w 1:u1))) ; want "loop: combinational loop: w ← w; .* . 4: w is assigned here under a condition on w"
  (set y w)))`},
		{"through an earlier condition of the if", `
(module m (input a u1) (output y u1) (wire w u1) (body
  (if (when w (set w 1:u1)) ; want "loop: combinational loop: w ← w"
    (else (set w a)))
  (set y w)))`},
		{"through a switch", `
(module m (output y u2) (wire w u2) (body
  (switch w (case 0:u2
     (set w 1:u2)) ; want "loop: combinational loop: w.0. ← w.0.; .*under a condition"
    (default (set w 0:u2)))
  (set y w)))`},
		{"through a default", `
(module m (output y u1)
  (wire w u1 (default (not w))) ; want "loop: combinational loop: w ← w"
  (body (set y w)))`},
		{"a register cuts", `
(module m (output y u1) (reg r u1 (init 0:u1)) (body (set r (not r)) (set y r)))`},
		{"a ripple through one vector", `
(module m (input a u4) (output y u5) (wire c u5) (body
  (set c[0] 0:u1) (set c[4:1] (or a c[3:0])) (set y c)))`},
		{"a ripple that closes", `
(module m (input a u4) (output y u4) (wire c u4) (body
  (set c[0] c[3]) ; want "loop: combinational loop: c.0. ← c.3. ← c.2. ← c.1. ← c.0."
  (set c[3:1] (or a[2:0] c[2:0])) (set y (xor a c))))`},
		{"carries go upwards only", `
(module m (input a u4) (output y u4) (wire w u4) (body
  (let %1 (add w a)) (set w[0] 0:u1) (set w[3:1] %1[2:0]) (set y w)))`},
		{"a carry from above", `
(module m (input a u4) (output y u4) (wire w u4) (body
  (let %1 (add w a))
  (set w[2:0] %1[3:1]) ; want "loop: combinational loop: w.0. ← w.0."
  (set w[3] 0:u1) (set y w)))`},
		{"a comparison reads all bits", `
(module m (input a u4) (output y u4) (wire w u4) (body
  (set w[3:1] a[2:0])
  (set w[0] (lt w a)) ; want "loop: combinational loop: w.0. ← w.0."
  (set y w)))`},
		{"a mask cuts", `
(module m (input a u4) (output y u4) (wire w u4) (body
  (set w[3:1] a[2:0]) (set w[0] (or_r (and w 14:u4))) (set y w)))`},
		{"a mask on the other side, with or", `
(module m (input a u4) (output y u4) (wire w u4) (body
  (set w[3:1] a[2:0]) (set w[0] (and_r (or 1:u4 w))) (set y w)))`},
		{"a mask that does not cut", `
(module m (input a u4) (output y u4) (wire w u4) (body
  (set w[3:1] a[2:0])
  (set w[0] (or_r (and w 13:u4))) ; want "loop: "
  (set y w)))`},
		{"shifts by a literal move", `
(module m (input a u1) (output y u4) (wire w u4) (body
  (set w (or (shl w 1:u2) (cat 0:u3 a))) (set y w)))`},
		{"right shifts by a literal move", `
(module m (input a u1) (output y u4) (wire w u4) (body
  (set w (or (shr w 1:u2) (cat a 0:u3))) (set y w)))`},
		{"signed right shifts keep the sign", `
(module m (input a s4) (output y s4) (wire w s4) (body
  (set w (or (shr w 1:u2) a)) ; want "loop: combinational loop: w.3. ← w.3."
  (set y w)))`},
		{"shifts by a literal beyond the width", `
(module m (input a u4) (output y u4) (wire w u4) (body
  (set w (or (shl w 0xfffffffffffffffff:u100) a)) (set y w)))`},
		{"left shifts go upwards only", `
(module m (input n u2) (output y u4) (wire w u4) (body
  (let %1 (shl w n)) (set w[0] 0:u1) (set w[3:1] %1[2:0]) (set y w)))`},
		{"right shifts go downwards only", `
(module m (input n u2) (output y u4) (wire w u4) (body
  (let %1 (shr w n)) (set w[3] 0:u1) (set w[2:0] %1[3:1]) (set y w)))`},
		{"a right shift from above", `
(module m (input n u2) (output y u4) (wire w u4) (body
  (let %1 (shr w n))
  (set w[3] %1[0]) ; want "loop: combinational loop: w.3. ← w.3."
  (set w[2:0] 1:u3) (set y w)))`},
		{"the amount of a shift", `
(module m (input a u4) (output y u2) (wire w u2) (body
  (let %1 (shl a w))
  (set w[0] %1[3]) ; want "loop: combinational loop: w.0. ← w.0."
  (set w[1] 0:u1) (set y w)))`},
		{"a mux with a literal condition", `
(module m (input a u1) (output y u1) (wire w u1) (body (set w (mux 1:u1 a w)) (set y w)))`},
		{"a mux with a zero condition", `
(module m (input a u1) (output y u1) (wire w u1) (body
  (set w (mux 0:u1 a w)) ; want "loop: "
  (set y w)))`},
		{"extensions with and without sign", `
(module m (input a u2) (output y u4) (wire w u4) (body
  (set w[1:0] a) (set w[3:2] (extend (signed w[1:0]) 4)[3:2]) (set y w)))`},
		{"a concatenation keeps bits apart", `
(module m (input a u1) (output y u2) (wire w u2) (body (set w (cat w[0] a)) (set y w)))`},
		{"a memory: data depends on the address", `
(module m (input a u2) (output y u2) (wire w u2) (mem ram u2 4) (body
  (write ram a w)
  (set w (read ram w)) ; want "loop: combinational loop: w.0. ← w.0."
  (set y w)))`},
		{"a memory: written data does not reach read data", `
(module m (input a u2) (output y u2) (wire w u2) (mem ram u2 4) (body
  (write ram a w) (set w (read ram a)) (set y w)))`},
		{"a synchronous memory cuts", `
(module m (output y u2) (sync_read rd u2) (mem ram u2 4 (sync rd 1:u1 rd old)) (body
  (write ram rd rd) (set y rd)))`},
		{"an overwritten assignment is no driver", `
(module m (input a u1) (output y u1) (wire w u1) (body
  (set w w) (if (when a (set w 0:u1)) (else (set w 1:u1))) (set y w)))`},
		{"through an instance", `
(module c (input p u1) (output q u1) (wire n u1) (body
  (set n (not p))
  (set q n)))
(module m (output y u1) (inst_in u_p u1) (inst_out u_q u1) (instance u c (port p u_p) (port q u_q)) (body
  (set u_p u_q) ; want "loop: combinational loop: u_p ← u_q ← u.q ← u.n ← u.p ← u_p; .* . 4: u.q is computed from u.n here . 3: u.n is computed from u.p here . 2: u.p is computed from u_p here"
  (set y u_q)))`},
		{"through an instance, bits apart", `
(module c (input p u2) (output q u2) (body (set q (not p))))
(module m (input a u1) (output y u1) (inst_in u_p u2) (inst_out u_q u2) (instance u c (port p u_p) (port q u_q)) (body
  (set u_p (cat u_q[0] a)) (set y u_q[1])))`},
		{"through an instance with a register", `
(module c (input p u1) (output q u1) (reg r u1) (body (set r p) (set q r)))
(module m (output y u1) (inst_in u_p u1) (inst_out u_q u1) (instance u c (port p u_p) (port q u_q)) (body (set u_p u_q) (set y u_q)))`},
		{"a lane by its own index", `
(module m (input a u2) (output y u4) (wire w u4 (default 0:u4)) (body
  (set w (lane w[0] 2) a) ; want "loop: combinational loop: w.0. ← w.0.; .* . 3: w.0. is assigned here under a condition on w.0."
  (set y w)))`},
		{"a lane by an index that is no lane's own", `
(module m (input a u1) (output y u4) (wire w u4) (wire v u2 (default 0:u2)) (body
  (set w[1:0] (cat a a)) (set v (lane w[0] 1) a) (set w[3:2] v) (set y w)))`},
		{"lanes that literals name", `
(module m (input a u2) (output y u6) (wire w u6) (body
  (set w (lane 0:u2 2) a) (set w (lane 1:u2 2) (not (select w 0:u2 2 2))) (set w (lane 2:u2 2) (select w 1:u2 2 2)) (set y w)))`},
		{"lanes that literals name, in a circle", `
(module m (output y u4) (wire w u4) (body
  (set w (lane 0:u2 2) (select w 1:u2 2 2)) ; want "loop: combinational loop: w.0. ← w.2. ← w.0."
  (set w (lane 1:u2 2) (not (select w 0:u2 2 2)))
  (set y w)))`},
		{"a selection keeps the bits of lanes apart", `
(module m (input i u2) (output y u2) (wire w u2) (body
  (let %1 (select (cat 0:u2 w 0:u2) i 2 2)) (set w[0] 1:u1) (set w[1] %1[0]) (set y w)))`},
		{"a selection of any lane", `
(module m (input i u2) (output y u2) (wire w u6) (body
  (let %1 (select w i 2 2)) (set w[4:0] 1:u5)
  (set w[5] %1[1]) ; want "loop: combinational loop: w.5. ← w.5."
  (set y w[5:4])))`},
		{"a part from a bit up takes no lower ones", `
(module m (input i u3) (output y u4) (wire w u8) (body
  (let %1 (select w i 1 4)) (set w[7:4] 1:u4) (set w[0] %1[1]) (set w[1] %1[2]) (set w[2] %1[3]) (set w[3] 0:u1) (set y w[3:0])))`},
		{"a part from a bit up", `
(module m (input i u3) (output y u4) (wire w u8) (body
  (let %1 (select w i 1 4)) (set w[6:0] 1:u7)
  (set w[7] %1[2]) ; want "loop: combinational loop: w.7. ← w.7."
  (set y w[7:4])))`},
		{"a part by an index too narrow to reach", `
(module m (input i u1) (output y u4) (wire w u8) (body
  (let %1 (select w i 1 4)) (set w[3:0] 1:u4) (set w[4] %1[0]) (set w[7:5] 0:u3) (set y w[7:4])))`},
		{"the index of a selection", `
(module m (input a u8) (output y u1) (wire w u1) (body
  (set w (select a w 2 1)) ; want "loop: combinational loop: w ← w"
  (set y w)))`},
		{"a black box", `
(module BOX (extern) (input P u1) (input R u1) (output Q u2))
(module m (output y u2) (inst_in u_p u1) (inst_in u_r u1) (inst_out u_q u2) (instance u BOX (port P u_p) (port R u_r) (port Q u_q)) (body
  (set u_p u_q[1]) ; want "loop: combinational loop: u_p ← u_q.1. ← .*u.P ← u_p"
  (set u_r 0:u1)
  (set y u_q)))`},
		{"a black box with a registered output", `
(module BOX (extern) (domain c "CLK" "") (input P u1 (on c)) (output Q u1 (on c) registered))
(module m (output y u1) (inst_in u_p u1) (inst_out u_q u1) (instance u BOX (port P u_p) (port Q u_q)) (body (set u_p u_q) (set y u_q)))`},
		{"two levels down and back", `
(module a (input p u1) (output q u1) (body (set q p)))
(module b (input p u1) (output q u1) (inst_in i_p u1) (inst_out i_q u1) (instance i a (port p i_p) (port q i_q)) (body (set i_p p) (set q i_q)))
(module m (output y u1) (inst_in u_p u1) (inst_out u_q u1) (inst_in v_p u1) (inst_out v_q u1)
  (instance u b (port p u_p) (port q u_q)) (instance v b (port p v_p) (port q v_q)) (body
  (set u_p v_q) ; want "loop: combinational loop: u_p ← v_q ← v.q ← v.i_q ← v.i.q ← v.i.p ← … ← u_p; .*u.i.q is computed"
  (set v_p u_q) (set y v_q)))`},
		{"a cycle inside a child is reported there only", `
(module c (input p u1) (output q u1) (body
  (set q (and p q)))) ; want "loop: combinational loop: q ← q"
(module m (output y u1) (inst_in u_p u1) (inst_out u_q u1) (instance u c (port p u_p) (port q u_q)) (body (set u_p u_q) (set y u_q)))`},
		{"two independent cycles", `
(module m (output y u2) (wire v u1) (wire w u1) (body
  (set v (not v)) ; want "loop: combinational loop: v ← v"
  (set w (not w)) ; want "loop: combinational loop: w ← w"
  (set y (cat v w))))`},
		{"the shortest of several", `
(module m (output y u1) (wire v u1) (wire w u1) (wire x u1) (body
  (set v (xor w x)) ; want "loop: combinational loop: v ← (w|x) ← v"
  (set w (xor x v))
  (set x (xor v w))
  (set y v)))`},
	})
}

const pathsText = `
(module c (input p u2) (output q u2) (body (set q (not p))))
(module m
  (input a u1) (input b u1) (input c u1) (input n u8)
  (output both u1) (output top u1) (output low u1) (output cond u1) (output held u1) (output k u1)
  (reg r u1)
  (inst_in u_p u2) (inst_out u_q u2)
  (instance u c (port p u_p) (port q u_q))
  (body
    (set u_p (cat a b))
    (set both (xor_r u_q))
    (set top u_q[1])
    (set low u_q[0])
    (if (when c (set cond 1:u1)) (else (set cond 0:u1)))
    (set r (or_r n))
    (set held r)
    (set k 1:u1)))`

func TestCombPaths(t *testing.T) {
	paths, err := check.CombPaths(parse(t, pathsText))
	require.NoError(t, err)
	var got []string
	for _, p := range paths {
		got = append(got, p.Output.Name+" from "+p.Input.Name)
	}
	require.Empty(t, cmp.Diff([]string{"both from a", "both from b", "top from a", "low from b", "cond from c"}, got))
	var names []string
	for _, h := range paths[2].Hops {
		names = append(names, h.Signal)
	}
	require.Empty(t, cmp.Diff([]string{"top", "u_q[1]", "u.q[1]", "u.p[1]", "u_p[1]", "a"}, names))
	require.Equal(t, "t.ir:12", paths[2].Hops[0].Pos.String())
	require.True(t, paths[4].Hops[0].Condition)
}

func TestCombPathsOfAnInvalidDesign(t *testing.T) {
	_, err := check.CombPaths(parse(t, "(module m (output y u2) (body (set y 0:u1)))"))
	require.ErrorContains(t, err, "y is 2 bits, 0 is 1 bit")
}
