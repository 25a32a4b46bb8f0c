package check_test

import "testing"

func TestCrossings(t *testing.T) {
	run(t, []testCase{
		{"each domain for itself", `
(module m (domain io "io_clk" "io_rst") (input a u1) (output y u1) (input b u1 (on io)) (output z u1 (on io))
  (reg r u1) (reg q u1 (on io)) (body (set r a) (set y (and r a)) (set q b) (set z (or q b))))`},
		{"registers by a wire", `
(module m (domain io "io_clk" "io_rst") (input a u2 (on io)) (output y u1)
  (reg q u2 (on io))
  (reg r u1)
  (wire w u1)
  (body (set q a) (set w q[1]) (set y r)
    (set r (not w)))) ; want "crossing: register r of clock clk takes register q of clock io_clk without synchronisation: r ← w ← q.1.; put a synchroniser between them, such as lib.Sync, or say with hdl.Crosses why the register may take it . 4: register r is declared here . 3: register q is declared here$"
`},
		{"a condition, an index and a default", `
(module m (domain io "io_clk" "") (input a u1 (on io)) (output y u4)
  (reg r u4) (reg s u4) (wire w u1
    (default a)) ; position of w
  (body
    (if (when a
      (set r 1:u4))) ; want "crossing: register r of clock clk takes input a of clock io_clk without synchronisation: r.0. ← a; "
    (set s (lane a 2) 1:u2) ; want "crossing: register s of clock clk takes input a of clock io_clk without synchronisation: s.0. ← a; "
    (if (when s[0] (set w 0:u1)))
    (set y (cat (xor r s)[3:1] w)))) ; want "crossing: output y of clock clk takes input a of clock io_clk without .*: y.0. ← w ← a; put a synchroniser between them, such as lib.Sync, or say with hdl.On or hdl.Async what the output belongs to"
`},
		{"an asynchronous input", `
(module m (input a u1 async) (output y u1) (reg r u1) (body
  (set r a) ; want "crossing: register r of clock clk takes input a, which is asynchronous, without synchronisation: r ← a"
  (set y r)))`},
		{"an asynchronous output", `
(module m (domain io "io_clk" "") (input a u1 async) (input b u1 (on io)) (output y u1 async) (reg r u1) (body (set r r) (set y (xor r (xor a b)))))`},
		{"constants belong to all", `
(module m (domain io "io_clk" "") (output y u1) (output z u1 (on io)) (wire w u1) (body (set w 1:u1) (set y w) (set z w)))`},
		{"two domains side by side in one vector", `
(module m (domain io "io_clk" "") (input a u1) (input b u1 (on io)) (output y u2) (output z u2 (on io)) (wire w u4) (body
  (set w (cat b b a a)) (set y w[1:0]) (set z w[3:2])))`},
		{"a property and its shadow", `
(module m (domain io "io_clk" "") (input a u1 (on io)) (output y u1) (reg r u1) (reg was u1 ghost) (wire p u1 ghost)
  (assert "p" p) ; want "crossing: property p of clock clk takes input a of clock io_clk without synchronisation: p ← a; state it of values of its own clock domain"
  (body (set y r) (set r r) (set p (eq was a))
  (set was a))) ; want "crossing: register was of clock clk takes input a of clock io_clk"
`},
		{"a property of its own domain", `
(module m (domain io "io_clk" "") (input a u1 (on io)) (output y u1) (reg r u1) (reg was u1 ghost (on io)) (wire p u1 ghost)
  (assert "p" p (on io)) (body (set y r) (set r r) (set p (eq was a)) (set was a)))`},
	})
}

func TestCrossingsOfMemories(t *testing.T) {
	run(t, []testCase{
		{"a write port", `
(module m (domain io "io_clk" "") (input a u1) (input b u1 (on io)) (output y u1) (mem ram u1 2) (body (set y (read ram a))
  (write ram b a) ; want "crossing: a write port of memory ram of clock clk takes input b of clock io_clk without synchronisation: ram ← b"
  (if (when b
    (write ram a a))))) ; want "crossing: a write port of memory ram of clock clk takes input b"
`},
		{"an asynchronous read", `
(module m (domain io "io_clk" "") (input a u1) (input b u1 (on io)) (output y u1) (mem ram u1 2) (body
  (write ram b b (on io))
  (set y (read ram a)))) ; want "crossing: output y of clock clk takes memory ram, which clock io_clk writes, without synchronisation: y ← ram; .* . 2: memory ram is declared here"
`},
		{"an asynchronous read by a foreign address", `
(module m (domain io "io_clk" "") (input a u1) (input b u1 (on io)) (output y u1) (mem ram u1 2) (body
  (write ram a a)
  (set y (read ram b)))) ; want "crossing: output y of clock clk takes input b of clock io_clk without synchronisation: y ← b"
`},
		{"an asynchronous read into a register that may", `
(module m (domain io "io_clk" "") (input a u1) (input b u1 (on io)) (output y u1) (mem ram u1 2) (reg r u1 (crossing "Guarded by pointers.")) (body
  (write ram b b (on io)) (if (when a (set r (read ram a)))) (set y r)))`},
		{"an asynchronous read by a foreign address into a register that may", `
(module m (domain io "io_clk" "") (input b u1 (on io)) (output y u1) (mem ram u1 2) (reg r u1 (crossing "Wrongly.")) (body
  (write ram b b (on io))
  (set r (read ram b)) ; want "crossing: register r of clock clk takes input b of clock io_clk through logic, in which glitches arise: r ← b; take it as it is, or put the result into a register of its clock domain first"
  (set y r)))`},
		{"contents of a read port", `
(module m (domain io "io_clk" "") (input a u1) (input b u1 (on io)) (output y u1)
  (sync_read rd u1) ; want "crossing: read data rd of clock clk takes memory ram, which clock io_clk writes, without synchronisation: rd ← ram; say with hdl.Crosses why the port never reads an element while it is written"
  (mem ram u1 2 (sync a a rd undefined)) (body (write ram b b (on io)) (set y rd)))`},
		{"contents of a read port that may", `
(module m (domain io "io_clk" "") (input a u1) (input b u1 (on io)) (output y u1) (sync_read rd u1 (crossing "Guarded by pointers."))
  (mem ram u1 2 (sync a a rd undefined)) (body (write ram b b (on io)) (set y rd)))`},
		{"the address of a read port that may", `
(module m (domain io "io_clk" "") (input a u1) (input b u1 (on io)) (output y u1)
  (sync_read rd u1 (crossing "Guarded by pointers.")) ; want "crossing: read data rd of clock clk takes input b of clock io_clk without synchronisation: rd ← b; read with an address and an enable of the port's own clock domain"
  (mem ram u1 2 (sync b a rd undefined)) (body (write ram b b (on io)) (set y rd)))`},
		{"two write ports of two domains", `
(module m (domain io "io_clk" "") (input a u1) (input b u1 (on io)) (output y u1 async) (mem ram u1 2) (body
  (write ram b b (on io)) (write ram a a) (set y (read ram a))))`},
		{"contents that nothing writes", `
(module m (domain io "io_clk" "") (input a u1) (input b u1 (on io)) (output y u1) (output z u1 (on io)) (mem rom u1 2 (init 1:u1 0:u1)) (body
  (set y (read rom a)) (set z (read rom b))))`},
	})
}
