package check_test

import "testing"

// What a register that may cross takes.
func TestSynchronisers(t *testing.T) {
	with := func(name, body, comment string) testCase {
		return testCase{name, `
(module m (domain io "io_clk" "") (domain x "x_clk" "")
  (input en u2) (input a u4 (on io)) (input b u1 (on io) unused) (input c u4 (on x) unused) (input p u1 async unused) (output y u4) (wire w u4 unused)
  (reg r u4 (crossing "Said."))
  (body (set y (xor r (cat en en))) (set w a)
    ` + body + comment + `
  ))`}
	}
	right := func(name, body string) testCase { return with(name, body, "") }
	wrong := func(name, body, way string) testCase {
		return with(name, body, ` ; want "crossing: register r of clock clk takes input . of clock io_clk through logic, in which glitches arise: `+way+
			`; take it as it is, or put the result into a register of its clock domain first . 4: register r is declared here . 3: input . is declared here"`)
	}
	run(t, []testCase{
		right("as it is", "(set r w)"),
		right("when its own domain lets it", "(if (when en[0] (set r w)) (when en[1] (set r c)))"),
		right("in parts and in another order", "(set r (cat a[0] p w[3] b))"),
		right("inverted", "(set r (not w))"),
		right("gated and chosen", "(set r (or (and a (cat en en)) (cat en 0:u2)))"),
		right("chosen by a mux", "(set r (mux en[0] w c))"),
		right("chosen by a lane", "(set r (cat 0:u2 (select w en 2 2)))"),
		right("moved by an amount", "(set r (shl w en))"),
		right("into a lane", "(set r (lane en 1) b)"),
		right("with arithmetic of its own", "(set r (mux en[0] w (add r 1:u4)))"),
		wrong("two bits joined", "(set r (xor w (not a)))", "r.0. ← (w.0. ← )?a.0."),
		wrong("two bits reduced", "(set r (cat 0:u3 (or_r w)))", "r.0. ← w.0. ← a.0."),
		wrong("a sum", "(set r (add w (cat en en)))", "r.0. ← w.0. ← a.0."),
		wrong("a condition", "(if (when b (set r w)))", "r.0. ← b"),
		wrong("a choice", "(set r (mux b w r))", "r.0. ← b"),
		wrong("the index of a selection", "(set r (cat 0:u3 (select w a 1 1)))", "r.0. ← a.0."),
		wrong("the index of a lane", "(set r (lane a 1) p)", "r.0. ← a.0."),
		wrong("an amount", "(set r (shl r b))", "r.0. ← b"),
	})
}

const sync = `
(module sync (input d u1 async) (output q u1) (reg ff1 u1 (crossing "First stage.")) (reg ff2 u1) (body (set ff1 d) (set ff2 ff1) (set q ff2)))`

func TestCrossingsOfInstances(t *testing.T) {
	run(t, []testCase{
		{"a synchroniser in the right domain", sync + `
(module m (domain io "io_clk" "") (input a u1) (output y u1 (on io)) (reg r u1) (inst_in u_d u1) (inst_out u_q u1)
  (instance u sync (port d u_d) (port q u_q) (on io)) (body (set r a) (set u_d r) (set y u_q)))`},
		{"a synchroniser in the wrong domain", sync + `
(module m (domain io "io_clk" "") (input a u1) (output y u1 (on io)) (reg r u1) (inst_in u_d u1) (inst_out u_q u1)
  (instance u sync (port d u_d) (port q u_q))
  (body (set r a) (set u_d r)
    (set y u_q))) ; want "crossing: output y of clock io_clk takes output q of instance u of clock clk without synchronisation: y ← u_q; .* . 4: output q of instance u is declared here"
`},
		{"logic before a synchroniser", sync + `
(module m (domain io "io_clk" "") (input a u2) (output y u1 (on io)) (reg r u2) (inst_in u_d u1) (inst_out u_q u1)
  (instance u sync (port d u_d) (port q u_q) (on io)) (body (set r a) (set y u_q)
    (set u_d (and_r r)))) ; want "crossing: register ff1 of module sync, by input d of instance u, of clock io_clk takes register r of clock clk through logic, in which glitches arise: u_d ← r.0.; .* . 2: register ff1 of module sync is declared here . 3: register r is declared here"
`},
		{"logic before a synchroniser of the same domain", sync + `
(module m (input a u2) (output y u1) (inst_in u_d u1) (inst_out u_q u1)
  (instance u sync (port d u_d) (port q u_q)) (body (set y u_q) (set u_d (and_r a))))`},
		{"logic before a synchroniser, a level up", sync + `
(module w (domain o "o_clk" "") (input d u1) (output q u1 (on o)) (inst_in v_d u1) (inst_out v_q u1)
  (instance v sync (port d v_d) (port q v_q) (on o)) (body (set v_d d) (set q v_q)))
(module m (domain io "io_clk" "") (input a u2) (output y u1 (on io)) (inst_in u_d u1) (inst_out u_q u1)
  (instance u w (port d u_d) (port q u_q) (clock o io)) (body (set y u_q)
    (set u_d (and_r a)))) ; want "crossing: register ff1 of module sync, by input d of instance u, of clock io_clk takes input a of clock clk through logic"
`},
		{"logic before a synchroniser, in another instance", sync + `
(module both (input a u2) (output q u1) (body (set q (and_r a))))
(module m (domain io "io_clk" "") (input a u2) (output y u1 (on io)) (inst_in v_a u2) (inst_out v_q u1) (inst_in u_d u1) (inst_out u_q u1)
  (instance v both (port a v_a) (port q v_q))
  (instance u sync (port d u_d) (port q u_q) (on io)) (body (set v_a a) (set y u_q)
    (set u_d v_q))) ; want "crossing: .* through logic, in which glitches arise: u_d ← v_q ← v.q ← v.a.0. ← v_a.0. ← a.0.; "
`},
		{"logic before a module that passes on to a synchroniser", sync + `
(module wire_only (input a u1) (output q u1) (body (set q a)))
(module m (domain io "io_clk" "") (input a u2) (output y u1 (on io)) (inst_in v_a u1) (inst_out v_q u1) (inst_in u_d u1) (inst_out u_q u1)
  (instance v wire_only (port a v_a) (port q v_q))
  (instance u sync (port d u_d) (port q u_q) (on io)) (body (set v_a (and_r a)) (set y u_q)
    (set u_d v_q))) ; want "crossing: .* through logic, in which glitches arise: u_d ← v_q ← v.q ← v.a ← v_a ← a.0.; "
`},
		{"bits of an input that are sampled, and others", sync + `
(module w (domain o "o_clk" "") (input d u2) (output q u1 (on o)) (output p u1) (inst_in v_d u1) (inst_out v_q u1)
  (instance v sync (port d v_d) (port q v_q) (on o)) (body (set v_d d[1]) (set q v_q) (set p d[0])))
(module m (domain io "io_clk" "") (input a u2) (output y u1 (on io)) (output z u1) (inst_in u_d u2) (inst_out u_q u1) (inst_out u_p u1)
  (instance u w (port d u_d) (port q u_q) (port p u_p) (clock o io)) (body (set y u_q) (set z u_p)
    (set u_d (cat a[0] (xor_r a)))))`},
		{"an input of another domain", `
(module c (input p u1) (output q u1) (reg r u1) (body (set r p) (set q r)))
(module m (domain io "io_clk" "") (input a u1) (output y u1 (on io)) (inst_in u_p u1) (inst_out u_q u1)
  (instance u c (port p u_p) (port q u_q) (on io)) (body (set y u_q)
    (set u_p a))) ; want "crossing: input p of instance u of clock io_clk takes input a of clock clk without synchronisation: u_p ← a; put a synchroniser between them"
`},
		{"two domains of a child that are one outside", `
(module c (domain i "i_clk" "") (domain o "o_clk" "") (input p u1 (on i)) (output q u1 (on o)) (reg r u1 (on o) (crossing "Said.")) (body (set r p) (set q r)))
(module m (input a u2) (output y u1) (inst_in u_p u1) (inst_out u_q u1)
  (instance u c (port p u_p) (port q u_q)) (body (set u_p (and_r a)) (set y u_q)))`},
		{"an asynchronous child between", `
(module inv (input p u1 async) (output q u1 async) (body (set q (not p))))
(module m (domain io "io_clk" "") (input a u1) (input b u1 (on io)) (output y u1) (output z u1 (on io))
  (inst_in u_p u1) (inst_out u_q u1) (instance u inv (port p u_p) (port q u_q))
  (inst_in v_p u1) (inst_out v_q u1) (instance v inv (port p v_p) (port q v_q))
  (body (set u_p a) (set v_p a) (set y u_q)
    (set z (or b v_q)))) ; want "crossing: output z of clock io_clk takes input a of clock clk without synchronisation: z ← v_q ← v.q ← v.p ← v_p ← a"
`},
		{"state behind an asynchronous output", `
(module c (output q u1 async) (reg r u1) (body (set r r) (set q r)))
(module m (domain io "io_clk" "") (output y u1) (output z u1 (on io)) (inst_out u_q u1) (instance u c (port q u_q)) (body
    (set y u_q)
    (set z u_q))) ; want "crossing: output z of clock io_clk takes register r in u of clock clk without synchronisation: z ← u_q ← u.q ← u.r"
`},
		{"a black box", `
(module PLL (extern) (domain c "CK" "") (input P u1 (on c)) (output LOCK u1 async) (output Q u1 (on c)))
(module m (domain io "io_clk" "") (input a u1) (output y u1) (output z u1 (on io)) (inst_in u_p u1) (inst_out u_lock u1) (inst_out u_q u1)
  (instance u PLL (port P u_p) (port LOCK u_lock) (port Q u_q) (clock c io)) (body
    (set u_p a) ; want "crossing: input P of instance u of clock io_clk takes input a"
    (set z u_q)
    (set y u_lock))) ; want "crossing: output y of clock clk takes output LOCK of instance u, which is asynchronous, without"
`},
	})
}
