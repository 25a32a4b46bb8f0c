package check_test

import "testing"

func TestUnused(t *testing.T) {
	run(t, []testCase{
		{"an input", `
(module m
  (input a u8) ; want "unused: input a is never read; remove it, or declare it with hdl.MayBeUnused.."
  (output y u1) (body (set y 1:u1)))`},
		{"an input that is marked", `
(module m (input a u8 unused) (output y u1) (body (set y 1:u1)))`},
		{"one bit read is read", `
(module m (input a u8) (output y u1) (body (set y a[3])))`},
		{"a wire", `
(module m (input a u1) (output y u1)
  (wire w u1) ; want "unused: wire w is assigned and never read"
  (body (set y a) (set w a)))`},
		{"exempt names", `
(module m (input a u1) (output y u1) (wire _w u1) (wire w u1 temp) (body (set y a) (set w a) (set _w a)))`},
		{"a register", `
(module m (input a u1) (output y u1)
  (reg r u1 (init 0:u1)) ; want "unused: register r is assigned and never read"
  (body (set y a) (set r a)))`},
		{"a register that reads itself", `
(module m (input en u1) (output y u1)
  (reg r u8 (init 0:u8)) ; want "unused: register r is read only to compute its own next value"
  (body (set y en) (if (when en (set r (add r 1:u8))))))`},
		{"two registers that share a computation", `
(module m (output y u8) (reg r u8 (init 0:u8)) (reg s u8 (init 0:u8))
  (body (let %1 (add r 1:u8)) (set r %1) (set s (not %1)) (set y s)))`},
		{"read as a condition", `
(module m (input a u1) (input b u2) (output y u1 (default 0:u1)) (body (if (when a (switch b (case 0:u2 (set y 1:u1)))))))`},
		{"read by a default", `
(module m (input a u1) (output y u1 (default a)) (body))`},
		{"an output may stay unread inside", `
(module m (input a u1) (output y u1) (body (set y a)))`},
		{"a memory", `
(module m (input a u2) (output y u1)
  (mem ram u8 4) ; want "unused: memory ram is never read"
  (body (set y a[0]) (write ram a 3:u8)))`},
		{"a synchronous memory", `
(module m (input a u2) (output y u1) (sync_read rd u8)
  (mem ram u8 4 (sync a a[0] rd old)) ; want "unused: memory ram is never read"
  (body (set y a[0]) (write ram a 3:u8)))`},
		{"read by the port of a memory", `
(module m (input a u2) (input en u1) (output y u8) (sync_read rd u8)
  (mem ram u8 4 (sync a en rd new)) (body (set y rd) (write ram 0:u2 3:u8)))`},
		{"one open output of an instance", `
(module c (output q u1) (output r u1) (body (set q 1:u1) (set r 1:u1)))
(module m (output y u1) (inst_out u_q u1) (inst_out u_r u1) (instance u c (port q u_q) (port r u_r)) (body (set y u_r)))`},
		{"all outputs of an instance", `
(module c (output q u1) (output r u1) (body (set q 1:u1) (set r 1:u1)))
(module m (inst_out u_q u1) (inst_out u_r u1)
  (instance u c (port q u_q) (port r u_r)) ; want "unused: no output of instance u is read"
  (body))`},
		{"all outputs, one marked", `
(module c (output q u1) (body (set q 1:u1)))
(module m (inst_out u_q u1 unused) (instance u c (port q u_q)) (body))`},
		{"a clock domain", `
(module c (domain in "in_clk" "") (output q u1 (on in)) (body (set q 1:u1)))
(module m (output y u1 async) (inst_out u_q u1)
  (domain io "io_clk" "") ; want "unused: nothing belongs to clock domain io; put registers or ports into it, or remove it"
  (domain used "used_clk" "") (domain mem "mem_clk" "")
  (mem ram u1 2)
  (instance u c (port q u_q) (clock in used)) (body (set y (xor u_q (read ram 0:u1))) (write ram 0:u1 1:u1 (on mem))))`},
		{"what belongs to a black box", `
(module BOX (extern) (domain C "CLK" "RST") (input P u1) (output Q u1 registered))
(module m (output y u1) (inst_in u_p u1) (inst_out u_q u1) (instance u BOX (port P u_p) (port Q u_q)) (body (set y u_q) (set u_p 0:u1)))`},
	})
}
