package check_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/millrace-hdl/millrace/hdl/check"
	"github.com/millrace-hdl/millrace/hdl/diag"
	"github.com/millrace-hdl/millrace/hdl/ir"
)

func TestWidth(t *testing.T) {
	run(t, []testCase{
		{"fitting", `
(module m (input a u8) (output y u9) (body (set y (extend (add a a) 9))))`},
		{"operands", `
(module m (input a u8) (input b u7) (output y u8) (body
  (set y (add a b)))) ; want "width: a is 8 bits, b is 7 bits; extend or truncate one of them"`},
		{"comparison", `
(module m (input a u8) (input b u7) (output y u1) (body
  (set y (lt a b[6:0])))) ; want "width: a is 8 bits, b.6:0. is 7 bits"`},
		{"assignment", `
(module m (input a u7) (output y u8) (body
  (set y a))) ; want "width: y is 8 bits, a is 7 bits"`},
		{"assignment of a part", `
(module m (input a u7) (output y u8) (body
  (set y[7:2] (not a)) ; want "width: y.7:2. is 6 bits, value is 7 bits"
  (set y[1:0] a[1:0])))`},
		{"branches of a mux", `
(module m (input a u7) (output y u8) (body
  (set y (mux a[0] y a)))) ; want "width: y is 8 bits, a is 7 bits"`},
		{"conditions", `
(module m (input a u7) (output y u8 (default 0:u8)) (body
  (set y[0] (mux a 0:u1 1:u1)) ; want "width: the condition of a mux is 1 bit, a is 7 bits; compare it with a value, or reduce it"
  (if
    (when (add a a))))) ; want "width: the condition of an if is 1 bit, a add a is 7 bits"`},
		{"extension to less", `
(module m (input a u7) (output y u3) (body
  (set y (extend a 3)))) ; want "width: a is 7 bits and is extended to 3; truncate it instead"`},
		{"default and reset value", `
(module m (input a u7)
  (output y u8 (default a)) ; want "width: output y is 8 bits, its default a is 7 bits"
  (reg r u8 (init 0:u7)) ; want "width: register r is 8 bits, its reset value is 7 bits"
  (body (set r r)))`},
		{"case", `
(module m (input a u7) (output y u1 (default 0:u1)) (body
  (switch a
    (case 3:u8)))) ; want "width: the subject of the switch is 7 bits, case 3 is 8 bits"`},
		{"memory", `
(module m (input a u7) (output y u8)
  (sync_read rd u7)
  (mem ram u8 4 (sync a a rd)) ; want "width: the address of memory ram is 2 bits, a is 7 bits" "width: the read enable of memory ram is 1 bit, a is 7 bits" "width: read data rd is 7 bits, memory ram is 8 bits"
  (mem lut u8 4)
  (body
    (set y (read lut a)) ; want "width: the address of memory lut is 2 bits, a is 7 bits"
    (write lut 0:u3 a (mask a[2:0])))) ; want "width: the address of memory lut is 2 bits, 0 is 3 bits" "width: memory lut is 8 bits, a is 7 bits" "width: the mask is 3 bits, elements of memory lut are 8 bits; the mask has one bit for each"`},
		{"instance port", `
(module c (input p u2) (output q u2) (body (set q p)))
(module m (inst_in u_p u2) (inst_out u_q u3)
  (instance u c (port p u_p) (port q u_q)) ; want "width: output q of instance u is 3 bits, port q of module c is 2 bits"
  (body (set u_p u_p)))`},
		{"what follows from a mistake is silent", `
(module m (input a u8) (input b u7) (output y u8) (body
  (let %1 (add a b)) ; want "width: a is 8 bits, b is 7 bits"
  (set y[3:0] (add %1 1:u8))
  (set y[7:4] (mux (eq %1 0:u5) (not %1) 3:u9))))`},
	})
}

func TestSign(t *testing.T) {
	run(t, []testCase{
		{"equal signs", `
(module m (input a s8) (input b s8) (output y s8) (body (set y (add a b))))`},
		{"operands", `
(module m (input a s8) (input b u8) (output y s8) (body
  (set y (add a b)))) ; want "sign: a is signed, b is unsigned; cast one of them"`},
		{"assignment", `
(module m (input a s8) (output y u8) (body
  (set y a))) ; want "sign: y is unsigned, a is signed"`},
		{"parts have no sign", `
(module m (input a s4) (output y s8) (body (set y[3:0] a) (set y[7:4] (unsigned a))))`},
		{"amount of a shift", `
(module m (input a u8) (input b s2) (output y u8) (body
  (set y (shl a b)))) ; want "sign: a is shifted by b, which is signed; cast the amount to unsigned"`},
	})
}

func TestRange(t *testing.T) {
	run(t, []testCase{
		{"inside", `
(module m (input a u8) (output y u8) (body (set y[7:0] a[7:0])))`},
		{"slice", `
(module m (input a u8) (output y u4) (body
  (set y[1:0] a[8:7]) ; want "range: bits.8:7. of a, which is 8 bits; bits are 0 to 7"
  (set y[3:2] (not a)[-1:-2]))) ; want "range: bits.-1:-2. of not of a"`},
		{"empty slice", `
(module m (input a u8) (output y u4) (body
  (set y a[0:1]))) ; want "range: 0 bits of a are taken; take at least 1 bit"`},
		{"target", `
(module m (input a u8) (output y u4) (body
  (set y[4:1] a[3:0]))) ; want "range: bits.4:1. of y, which is 4 bits; bits are 0 to 3"`},
		{"widths", `
(module m
  (input a u0) ; want "range: input a is 0 bits wide; widths are 1 to 1048576"
  (input b u1048577) ; want "range: input b is 1048577 bits wide"
  (mem ram u0 4) ; want "range: memory ram is 0 bits wide"
  (mem lut u1 0) ; want "range: memory lut has 0 elements; depths are 1 to 4294967296"
  (body (write lut 0:u1 1:u1)))`},
		{"value that grows without bound", `
(module m (input a u1) (output y u1) (body
  (let %1 (cat a a a a a a a a a a a a a a a a))
  (let %2 (cat %1 %1 %1 %1 %1 %1 %1 %1 %1 %1 %1 %1 %1 %1 %1 %1))
  (let %3 (cat %2 %2 %2 %2 %2 %2 %2 %2 %2 %2 %2 %2 %2 %2 %2 %2))
  (let %4 (cat %3 %3 %3 %3 %3 %3 %3 %3 %3 %3 %3 %3 %3 %3 %3 %3))
  (let %5 (cat %4 %4 %4 %4 %4 %4 %4 %4 %4 %4 %4 %4 %4 %4 %4 %4))
  (let %6 (cat %5 %5)) ; want "range: the concatenation is 1048577 bits wide"
  (set y (xor_r %6))))`},
	})
}

func TestOwner(t *testing.T) {
	run(t, []testCase{
		{"own signals", `
(module m (input a u1) (output y u1) (body (set y a)))`},
		{"a foreign signal read", `
(module c (input p u1) (output q u1) (body (set q p)))
(module m (output y u1) (body
  (set y c::p))) ; want "owner: signal p belongs to module c and is read in module m; pass it through a port . 2: it is declared here"`},
		{"a foreign signal assigned", `
(module c (wire w u1) (output q u1) (body (set q w) (set w 1:u1)))
(module m (input a u1) (body
  (set c::w a))) ; want "owner: signal w belongs to module c and is assigned in module m; pass the value through a port"`},
		{"a foreign memory", `
(module c (input p u1) (output q u1) (mem ram u1 2) (body (set q (read ram p)) (write ram p p)))
(module m (input a u1) (output y u1) (body
  (set y (read c::ram a)) ; want "owner: memory ram belongs to module c and is read in module m; access it through ports"
  (write c::ram a a))) ; want "owner: memory ram belongs to module c and is written in module m"`},
		{"a foreign signal at a port", `
(module c (input p u1) (output q u1) (body (set q p)))
(module m (input a u1) (inst_out u_q u1)
  (instance u c (port p c::p) (port q u_q)) ; want "owner: signal p at port p of instance u is not of module m"
  (body))`},
	})
}

func TestMisuse(t *testing.T) {
	run(t, []testCase{
		{"duplicate cases", `
(module m (input a u2) (output y u1 (default 0:u1)) (body
  (switch a
    (case 1:u2 2:u2)
    (case 3:u2 1:u2)))) ; want "misuse: case 1 is listed twice; remove one of them . 4: it is listed first here"`},
		{"reset value of a wire", `
(module m (output y u1)
  (wire w u1 (init 0:u1)) ; want "misuse: wire w has a reset value; only registers have one"
  (body (set y w) (set w w)))`},
		{"default of a register", `
(module m (output y u1)
  (reg r u1 (default 0:u1)) ; want "misuse: register r has a default; only wires, outputs and inputs of instances have one"
  (body (set y r) (set r r)))`},
		{"style", `
(module m
  (mem ram u8 2 (style tape)) ; want "misuse: memory ram has style .tape., which is none of block, distributed, registers"
  (body))`},
		{"ports that are missing", `
(module c (input p u1) (output q u1) (body (set q p)))
(module m (inst_out u_q u1)
  (instance u c (port q u_q)) ; want "misuse: instance u connects 1 port, module c has 2"
  (body))`},
		{"ports in another order", `
(module c (input p u1) (output q u1) (body (set q p)))
(module m (inst_in u_p u1) (inst_out u_q u1)
  (instance u c (port q u_q) (port p u_p)) ; want "misuse: signal u_q does not stand for port p" "misuse: signal u_p does not stand for port q"
  (body (set u_p 1:u1)))`},
		{"read data of no memory", `
(module m
  (sync_read rd u8) ; want "misuse: read data rd belongs to no synchronous read port"
  (inst_in x u8) ; want "misuse: input x of an instance is no connection of an instance"
  (body (set x rd)))`},
		{"read data of another kind", `
(module m (input a u1) (wire w u8)
  (mem ram u8 2 (sync a a w)) ; want "misuse: data signal w of memory ram is not its read data in this module"
  (body))`},
		{"a child after its parent", `
(module m (inst_out u_q u1)
  (instance u c (port q u_q)) ; want "misuse: module c of instance u is not listed before its parent m; list each module once, children before parents"
  (body))
(module c (output q u1) (body (set q 1:u1)))`},
		{"a case without value", `
(module m (input a u2) (body (switch a
  (case)))) ; want "misuse: a case has no value"`},
		{"an if without condition", `
(module m (body
  (if))) ; want "misuse: an if has no condition"`},
	})
}

// No data structure, however broken, makes the checks panic.
func TestBrokenData(t *testing.T) {
	bit := ir.Type{Width: 1}
	build := func(f func(m *ir.Module, a, y *ir.Signal)) *ir.Design {
		m := &ir.Module{Name: "m"}
		a := &ir.Signal{Name: "a", Kind: ir.Input, Type: bit, Module: m}
		y := &ir.Signal{Name: "y", Kind: ir.Output, Type: bit, Module: m}
		m.Signals = []*ir.Signal{a, y}
		f(m, a, y)
		return &ir.Design{Top: m, Modules: []*ir.Module{m}}
	}
	set := func(e ir.Expr) func(m *ir.Module, a, y *ir.Signal) {
		return func(m *ir.Module, _, y *ir.Signal) {
			m.Body = []ir.Stmt{&ir.Assign{Target: y, Width: 1, Value: e}}
		}
	}
	self := &ir.Unary{Op: ir.Not}
	self.X = self
	for _, c := range []struct {
		name string
		d    *ir.Design
		want string
	}{
		{"nil", nil, "the design has no top module"},
		{"no top", &ir.Design{}, "the design has no top module"},
		{"top not listed", &ir.Design{Top: &ir.Module{Name: "m"}}, "the top module m is not the last of the module list"},
		{"nil module", &ir.Design{Top: &ir.Module{Name: "m"}, Modules: []*ir.Module{nil}}, "entry 0 of the module list is nil"},
		{"nil signal", build(func(m *ir.Module, a, y *ir.Signal) { m.Signals[0] = nil }), "signal 0 of module m is nil"},
		{"signal twice", build(func(m *ir.Module, a, y *ir.Signal) { m.Signals = append(m.Signals, a) }), "input a is listed twice"},
		{"signal of another", build(func(m *ir.Module, a, y *ir.Signal) { a.Module = nil }), "input a is listed in module m and belongs to no module"},
		{"kind", build(func(m *ir.Module, a, y *ir.Signal) { a.Kind = 77 }), "signal a has kind 77"},
		{"nil memory", build(func(m *ir.Module, a, y *ir.Signal) { m.Mems = []*ir.Mem{nil} }), "memory 0 of module m is nil"},
		{"nil instance", build(func(m *ir.Module, a, y *ir.Signal) { m.Instances = []*ir.Instance{nil} }), "instance 0 of module m is of no module"},
		{"instance of nothing", build(func(m *ir.Module, a, y *ir.Signal) { m.Instances = []*ir.Instance{{}} }), "instance 0 of module m is of no module"},
		{"instance of itself", build(func(m *ir.Module, a, y *ir.Signal) { m.Instances = []*ir.Instance{{Name: "u", Of: m}} }), "module m of instance u is not listed before its parent m"},
		{"nil statement", build(func(m *ir.Module, a, y *ir.Signal) { m.Body = []ir.Stmt{nil} }), "a statement is missing in module m"},
		{"no target", build(func(m *ir.Module, a, y *ir.Signal) {
			m.Body = []ir.Stmt{&ir.Assign{Value: &ir.Ref{Signal: a}}}
		}), "an assignment has no target"},
		{"no memory", build(func(m *ir.Module, a, y *ir.Signal) { m.Body = []ir.Stmt{&ir.MemWrite{}} }), "a memory is missing"},
		{"nil case value", build(func(m *ir.Module, a, y *ir.Signal) {
			m.Body = []ir.Stmt{&ir.Switch{Subject: &ir.Ref{Signal: a}, Cases: []ir.Case{{Values: []*ir.Const{nil}}}}}
		}), "a value of a case is missing"},
		{"default without", build(func(m *ir.Module, a, y *ir.Signal) {
			m.Body = []ir.Stmt{&ir.Switch{Subject: &ir.Ref{Signal: a}, Default: []ir.Stmt{&ir.Note{}}}}
		}), "a switch has statements for a default that it does not have"},
		{"nil value", build(set(nil)), "an expression is missing in module m"},
		{"nil reference", build(set(&ir.Ref{})), "a reference names no signal"},
		{"nil operand", build(set(&ir.Mux{})), "an expression is missing in module m"},
		{"nil memory read", build(set(&ir.MemRead{})), "a memory is missing"},
		{"no parts", build(set(&ir.Cat{})), "a concatenation has no parts"},
		{"unary operator", build(set(&ir.Unary{Op: 99, X: ir.NewConst(bit, 0)})), "a unary operator does not exist"},
		{"binary operator", build(set(&ir.Binary{Op: 99, X: ir.NewConst(bit, 0), Y: ir.NewConst(bit, 0)})), "a binary operator does not exist"},
		{"cycle", build(set(self)), "is an operand of itself"},
		{"literal without words", build(set(&ir.Const{Typ: bit})), "a literal of 1 bit has 0 words, not 1"},
		{"literal too large", build(set(&ir.Const{Typ: bit, Words: []uint64{2}})), "literal 2 does not fit 1 bit"},
		{"connection missing", func() *ir.Design {
			d := build(set(ir.NewConst(bit, 0)))
			top := &ir.Module{Name: "top", Instances: []*ir.Instance{{Name: "u", Of: d.Top, Conns: []*ir.Signal{nil, nil}}}}
			return &ir.Design{Top: top, Modules: []*ir.Module{d.Top, top}}
		}(), "port a of instance u has no signal"},
	} {
		t.Run(c.name, func(t *testing.T) {
			require.ErrorContains(t, check.Valid(c.d).Err(), c.want)
			require.ErrorContains(t, check.Design(c.d).Err(), c.want)
			_, err := check.CombPaths(c.d)
			require.ErrorContains(t, err, c.want)
		})
	}
}

// An expression node used in two modules is foreign in the second.
func TestNodeUsedInTwoModules(t *testing.T) {
	d := parse(t, `(design m)
(module c (input p u1) (output q u1) (body (set q p)))
(module m (output y u1) (inst_in u_p u1) (inst_out u_q u1) (instance u c (port p u_p) (port q u_q)) (body (set y u_q) (set u_p 0:u1)))`)
	value := d.Modules[0].Body[0].(*ir.Assign).Value
	d.Top.Body[0].(*ir.Assign).Value = value
	l := check.Design(d)
	require.Len(t, l, 1)
	require.Equal(t, diag.Owner, l[0].Code)
	d.Top.Body[0].(*ir.Assign).Value = &ir.Unary{Op: ir.Not, X: value}
	require.Len(t, check.Design(d), 1)
}
