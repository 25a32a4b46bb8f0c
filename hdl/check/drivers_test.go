package check_test

import "testing"

func TestUndriven(t *testing.T) {
	run(t, []testCase{
		{"a driven output", `
(module m (input a u8) (output y u8) (body (set y a)))`},
		{"an output", `
(module m (input a u8 unused)
  (output y u8) ; want "undriven: output y is never assigned; assign it, or declare it with hdl.Default"
  (body))`},
		{"bits of an output", `
(module m (input a u1)
  (output y u8) ; want "undriven: bits 7:4, 2:1 of output y .8 bits. are never assigned"
  (body (set y[3] a) (set y[0] a)))`},
		{"one bit, in all branches", `
(module m (input a u1)
  (output y u2) ; want "undriven: bit 1 of output y .2 bits. is never assigned"
  (body (if (when a (set y[0] a)) (else (set y[0] a)))))`},
		{"a default drives", `
(module m (input a u1) (output y u8 (default 7:u8)) (body (if (when a (set y[0] a)))))`},
		{"a wire that is read", `
(module m (output y u8)
  (wire w u8) ; want "undriven: wire w is never assigned"
  (body (set y w)))`},
		{"an instance input", `
(module c (input p u1) (output q u1) (body (set q p)))
(module m (output y u1)
  (inst_in u_p u1) ; want "undriven: input p of instance u is never assigned; connect it"
  (inst_out u_q u1)
  (instance u c (port p u_p) (port q u_q)) (body (set y u_q)))`},
		{"a register that is never assigned", `
(module m (output y u8)
  (reg r u8 (init 3:u8)) ; want "undriven: register r is never assigned: it stays at its reset value"
  (body (set y r)))`},
		{"constant bits of a register with reset", `
(module m (input a u1) (output y u8) (reg r u8 (init 3:u8)) (body (set r[0] a) (set y r)))`},
		{"bits of a register without reset", `
(module m (input a u1) (output y u8)
  (reg r u8) ; want "undriven: bits 7:1 of register r .8 bits. are never assigned and without reset: the value stays undefined; assign it, or give it a reset value"
  (body (set r[0] a) (set y r)))`},
		{"a register that holds on some paths", `
(module m (input a u1) (output y u1) (reg r u1) (body (if (when a (set r a))) (set y r)))`},
		{"a memory that is never written", `
(module m (input a u2) (output y u8)
  (mem ram u8 4) ; want "undriven: memory ram is never written: its contents stay undefined"
  (body (set y (read ram a))))`},
		{"neither assigned nor read is one mistake", `
(module m
  (wire w u8) ; want "unused: wire w is neither assigned nor read"
  (body))`},
		{"more runs than are listed", `
(module m (input a u1)
  (output y u12) ; want "undriven: bits 11, 9, 7, 5, … of output y"
  (body (set y[0] a) (set y[2] a) (set y[4] a) (set y[6] a) (set y[8] a) (set y[10] a)))`},
	})
}

func TestMultiple(t *testing.T) {
	run(t, []testCase{
		{"adjacent parts", `
(module m (input a u4) (output y u8) (body (set y[3:0] a) (set y[7:4] a)))`},
		{"parts that cross", `
(module m (input a u4) (input b u6) (output y u8) (body
  (set y[5:0] b)
  (set y[7:4] a))) ; want "multiple: y.5:4. is driven here and, as part of y.5:0., by an earlier assignment; assign each bit once . 3: the earlier assignment is here"`},
		{"parts that cross in branches that exclude each other", `
(module m (input c u1) (input a u4) (input b u6) (output y u8 (default 0:u8)) (body
  (if (when c (set y[5:0] b)) (else (set y[7:4] a)))))`},
		{"an input", `
(module m (input a u1) (output y u1) (body (set y a)
  (set a 0:u1))) ; want "multiple: input a is driven from outside the module and assigned here; assign a signal of your own"`},
		{"an instance output", `
(module c (output q u1) (body (set q 1:u1)))
(module m (output y u1) (inst_out u_q u1) (instance u c (port q u_q)) (body (set y u_q)
  (set u_q 0:u1))) ; want "multiple: output q of instance u is driven from its instance and assigned here"`},
		{"read data", `
(module m (input a u1) (output y u8) (sync_read rd u8) (mem ram u8 2 (sync a a rd old)) (body (set y rd)
  (write ram a y)
  (set rd 0:u8))) ; want "multiple: read data rd is driven from its memory and assigned here"`},
		{"two write ports of a memory", `
(module m (input a u2) (output y u8) (mem ram u8 4) (body (set y (read ram a))
  (write ram a 1:u8)
  (if (when (eq a 0:u2)
    (write ram a 2:u8)))))`},
		{"two writes in branches that exclude each other", `
(module m (input a u2) (output y u8) (mem ram u8 4) (body (set y (read ram a))
  (switch a (case 0:u2 (write ram a 1:u8)) (case 1:u2 (write ram a 2:u8)) (default (if (when a[0] (write ram a 3:u8)))))))`},
		{"one signal at two ports", `
(module c (output q u1) (output r u1) (body (set q 1:u1) (set r 1:u1)))
(module m (output y u1) (inst_out u_q u1)
  (instance u c (port q u_q) (port r u_q)) ; want "misuse: signal u_q does not stand for port q" "multiple: signal u_q stands for two ports"
  (body (set y u_q)))`},
	})
}

func TestOverlap(t *testing.T) {
	run(t, []testCase{
		{"the whole twice", `
(module m (input a u1) (output y u1) (body
  (set y a)
  (set y 0:u1))) ; want "overlap: this assignment of y hides an earlier one of y, which never takes effect; remove one .* . 3: the hidden assignment is here"`},
		{"a part by the whole", `
(module m (input a u1) (output y u2) (body
  (set y[0] a)
  (set y 0:u2))) ; want "overlap: this assignment of y hides an earlier one of y.0."`},
		{"a conditional one by an unconditional one", `
(module m (input a u1) (output y u1) (body
  (if (when a (set y a)))
  (set y 0:u1))) ; want "overlap: this assignment of y hides an earlier one of y"`},
		{"both in one branch", `
(module m (input a u1) (output y u1 (default 0:u1)) (body
  (if (when a
    (set y a)
    (set y 0:u1))))) ; want "overlap: .* . 4: the hidden"`},
		{"a register", `
(module m (input a u1) (output y u1) (reg r u1) (body (set y r)
  (set r a)
  (set r 0:u1))) ; want "overlap: "`},
		{"an exception to a general assignment", `
(module m (input a u1) (output y u8) (body (set y 0:u8) (set y[0] a)))`},
		{"a conditional one after an unconditional one", `
(module m (input a u1) (output y u1) (body (set y 0:u1) (if (when a (set y a)))))`},
		{"branches that exclude each other", `
(module m (input a u1) (output y u1) (body (if (when a (set y a)) (else (set y 0:u1)))))`},
		{"a complete branching after a general assignment", `
(module m (input a u1) (output y u1) (body (set y 0:u1) (if (when a (set y a)) (else (set y 1:u1)))))`},
		{"under the same condition", `
(module m (input a u1) (input d u8) (output y u8) (reg r u8 (init 0:u8)) (body (set y r)
  (let %1 (not a))
  (if (when %1 (set r d)))
  (if (when %1
    (set r 3:u8))))) ; want "overlap: this assignment of r hides an earlier one of r, which never takes effect.* . 4: the hidden"`},
		{"under the same conditions in a chain", `
(module m (input a u1) (input b u1) (output y u1 (default 0:u1)) (body
  (if (when a) (when b (set y 0:u1)))
  (if (when a) (when b
    (set y 1:u1))))) ; want "overlap: .* . 3: the hidden"`},
		{"under conditions that differ", `
(module m (input a u1) (input b u1) (output y u1 (default 0:u1)) (body
  (if (when a (if (when b (set y 0:u1)))) (when b (set y 1:u1)) (else (set y 0:u1)))
  (if (when a) (else (set y 1:u1)))
  (if (when b (set y 0:u1)))
  (switch a (case 0:u1 (set y 1:u1)) (default))
  (switch a (case 0:u1) (default (set y 0:u1)))))`},
		{"lanes one after the other", `
(module m (input i u2) (input j u2) (input a u2) (output y u8) (reg r u8 (init 0:u8)) (body (set y r)
  (set r (lane i 2) a) (set r (lane j 2) 3:u2)))`},
		{"a lane after the whole", `
(module m (input i u2) (input a u2) (output y u8) (body (set y 0:u8) (set y (lane i 2) a)))`},
		{"a lane by the whole", `
(module m (input i u2) (input a u2) (output y u8) (body
  (set y (lane i 2) a)
  (set y 0:u8))) ; want "overlap: this assignment of y hides an earlier one of a lane of y, which never takes effect; .* . 3: the hidden"`},
		{"a lane in part", `
(module m (input i u2) (input a u2) (output y u8 (default 0:u8)) (body (set y (lane i 2) a) (set y[4:0] 0:u5)))`},
		{"a lane that a literal names", `
(module m (input a u2) (output y u4) (body
  (set y[1:0] a)
  (set y (lane 1:u1 2) a)
  (set y (lane 0:u7 2) a))) ; want "overlap: this assignment of y.1:0. hides an earlier one of y.1:0., .* . 3: the hidden"`},
		{"each hidden assignment once", `
(module m (input a u1) (output y u1) (body
  (set y a)
  (set y 0:u1) ; want "overlap: .* . 3:"
  (set y 1:u1))) ; want "overlap: .* . 4:"`},
	})
}

func TestLatch(t *testing.T) {
	run(t, []testCase{
		{"an if without else", `
(module m (input a u1)
  (output y u1) ; want "latch: output y is not assigned on every path; assign it on every path, declare it with hdl.Default, or make it a register . 4: when no condition of this if holds, y is not assigned: there is no else"
  (body (if (when a (set y a)))))`},
		{"bits of an output", `
(module m (input a u1)
  (output y u4) ; want "latch: bits 3, 1 of output y .4 bits. are not assigned on every path.* y.1. is not assigned"
  (body (set y[0] a) (set y[2] a) (if (when a (set y[1] a) (set y[3] a)))))`},
		{"a branch that forgets", `
(module m (input a u2)
  (output y u1) ; want "latch: .* . 6: when this condition holds, y is not assigned$"
  (body (if
    (when a[0] (set y 0:u1))
    (when a[1])
    (else (set y 1:u1)))))`},
		{"an else that forgets", `
(module m (input a u1)
  (output y u1) ; want "latch: .* . 4: when this if takes its else branch, y is not assigned$"
  (body (if (when a (set y 0:u1)) (else))))`},
		{"a switch without default", `
(module m (input a u2)
  (output y u1) ; want "latch: .* . 4: for value 2 this switch has no case and no default, and y is not assigned"
  (body (switch a (case 0:u2 1:u2 (set y 0:u1)) (case 3:u2 (set y 1:u1)))))`},
		{"a value with a name", `
(enum st (idle 0) (busy 1))
(module m (input a u1/st)
  (output y u1) ; want "latch: .*for value busy .1. this switch has no case"
  (body (switch a (case 0:u1/st (set y 0:u1)))))`},
		{"a complete switch without default", `
(module m (input a u2) (output y u1)
  (body (switch a (case 0:u2 1:u2 2:u2 (set y 0:u1)) (case 3:u2 (set y 1:u1)))))`},
		{"a case that forgets", `
(enum st (idle 0) (busy 1))
(module m (input a u1/st)
  (output y u1) ; want "latch: .* . 7: when the switch takes case busy .1., y is not assigned"
  (body (switch a
    (case 0:u1/st (set y 0:u1))
    (case 1:u1/st)
    (default (set y 0:u1)))))`},
		{"a default that forgets", `
(module m (input a u1)
  (output y u1) ; want "latch: .* . 4: when this switch takes its default, y is not assigned"
  (body (switch a (case 0:u1 (set y 0:u1)) (default))))`},
		{"nested, with the whole path", `
(module m (input a u1) (input b u1)
  (output y u1) ; want "latch: .* . 5: when this condition holds, y is not assigned . 6: when no condition of this if holds, y is not assigned: there is no else$"
  (body (if
    (when a
      (if (when b (set y 0:u1))))
    (else (set y 1:u1)))))`},
		{"two ifs in a row", `
(module m (input a u1) (input b u1)
  (output y u1) ; want "latch: .* . 5: when no condition .* . 6: when no condition"
  (body
    (if (when a (set y 0:u1)))
    (if (when b (set y 1:u1)))))`},
		{"covered by a later statement", `
(module m (input a u1) (input b u1) (output y u2) (body
    (if (when a (set y[0] 0:u1)))
    (if (when b (set y 1:u2)) (else (set y 2:u2)))))`},
		{"lanes alone", `
(module m (input i u2) (input a u2)
  (output y u8) ; want "latch: output y is not assigned on every path; .* . 5: only one lane of y is assigned here, by an index: that need not be the one of y.0.$"
  (body
    (set y (lane i 2) a)))`},
		{"a lane in a branch", `
(module m (input i u2) (input a u2)
  (output y u8) ; want "latch: output y .* . 6: when this condition holds, y.0. is not assigned . 7: only one lane .* . 8: when no"
  (body
    (if
      (when a[0]
        (set y (lane i 2) a)) (else (set y 0:u8)))
    (if (when a[1] (set y 1:u8)))))`},
		{"a lane beyond the target that a literal names", `
(module m (input a u2)
  (output y u4) ; want "undriven: bits 3:2 of output y .4 bits. are never assigned"
  (body (set y[1:0] a) (set y (lane 2:u2 2) a)))`},
		{"an instance input", `
(module c (input p u1) (output q u1) (body (set q p)))
(module m (input a u1) (output y u1)
  (inst_in u_p u1) ; want "latch: input p of instance u is not assigned on every path"
  (inst_out u_q u1)
  (instance u c (port p u_p) (port q u_q)) (body (set y u_q) (if (when a (set u_p a)))))`},
		{"an undriven bit beside it is another mistake", `
(module m (input a u1)
  (output y u2) ; want "latch: bit 0 of output y" "undriven: bit 1 of output y"
  (body (if (when a (set y[0] a)))))`},
	})
}
