package check_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/millrace-hdl/millrace/hdl/check"
	"github.com/millrace-hdl/millrace/hdl/diag"
	"github.com/millrace-hdl/millrace/hdl/ir"
)

func TestNames(t *testing.T) {
	run(t, []testCase{
		{"good names", `
(design m2_x)
(module m2_x (input s_axi_awaddr u1) (output y0 u1) (wire _z9 u1) (body (set y0 _z9) (set _z9 s_axi_awaddr)))`},
		{"malformed", `
(module m (output y u1 (default 0:u1))
  (input Data u1 unused) ; want "name: an input has a malformed name: .Data.; use lower-case letters, digits and single underscores"
  (input a__b u1 unused) ; want "name: an input has a malformed name: .a__b."
  (input end_ u1 unused) ; want "name: an input has a malformed name: .end_."
  (input 0a u1 unused) ; want "name: an input has a malformed name: .0a."
  (input "a b" u1 unused) ; want "name: an input has a malformed name: .a b."
  (input "" u1 unused) ; want "name: an input has no name; name it"
  (output q_ u1 (default 0:u1)) ; want "name: an output has a malformed name"
  (body))`},
		{"reserved", `
(module m (output y u1 (default 0:u1))
  (input end u1 unused) ; want "name: input end has a reserved name: a SystemVerilog keyword; rename it, for example to end_i"
  (input logic u1 unused) ; want "name: input logic has a reserved name"
  (body))`},
		{"reserved by tools", `
(module m (output y u1)
  (input delete u1) ; want "name: input delete has a reserved name: a word of C.., which Verilator does not accept as a port; rename it, for example to delete_i"
  (output public u1) ; want "name: output public has a reserved name: a word of C.."
  (wire wreal u1) ; want "name: wire wreal has a reserved name: a keyword of Icarus; rename it, for example to wreal_i"
  (wire process u1 unused) ; want "name: wire process has a reserved name: a class of SystemVerilog; rename it, for example to process_i"
  (input map u1 unused) ; want "name: input map has a reserved name: a word of C"
  (wire switch u1)
  (body (set y wreal) (set public switch) (set wreal delete) (set switch delete)))`},
		{"the module's own name", `
(module m (input a u1)
  (output m u1) ; want "name: output m has the name of module m; rename one of them; case does not distinguish names . 2: the other is declared here"
  (body (set m a)))`},
		{"reserved module, memory, instance", `
(module table ; want "name: module table has a reserved name"
  (output q u1) (body (set q 1:u1)))
(module m (output y u2) (inst_out cover_q u1)
  (mem bit u1 2) ; want "name: memory bit has a reserved name"
  (instance cover table (port q cover_q)) ; want "name: instance cover has a reserved name"
  (body (set y (cat cover_q (read bit 0:u1))) (write bit 0:u1 1:u1)))`},
		{"implicit clock and reset", `
(module m (output y u1 (default 0:u1))
  (input clk u1 unused) ; want "name: input clk has the name of the implicit clock; rename it; clock and reset are not declared"
  (input rst u1 unused) ; want "name: input rst has the name of the implicit reset"
  (input rst_n u1 unused) ; want "name: input rst_n has the name of the implicit reset"
  (input clk_en u1 unused)
  (body))`},
		{"clashes", `
(module c (output q u1) (body (set q 1:u1)))
(module m (input x u1) (output y u4)
  (wire x#2 u1) ; want "name: wire x has the name of input x; rename one of them; case does not distinguish names . 3: the other is declared here"
  (wire u_q u1)
  (inst_out u_q#2 u1) ; want "name: instance port u_q has the name of wire u_q; .* . 5:"
  (mem y u1 2) ; want "name: memory y has the name of output y"
  (instance u c (port q u_q#2))
  (body (set y (cat x x#2 u_q (read y u_q#2))) (set x#2 x) (set u_q x) (write y x x)))`},
		{"an instance and a signal", `
(module c (output q u1) (body (set q 1:u1)))
(module m (input u u1) (output y u2) (inst_out u_q u1)
  (instance u c (port q u_q)) ; want "name: instance u has the name of input u"
  (body (set y (cat u u_q))))`},
		{"a derived name that takes a user's", `
(module m (input x u1) (output y u1)
  (wire X u1 temp) ; want "name: wire X has the name of input x"
  (body (set y x)))`},
		{"clocks and resets", `
(module m
  (domain io "X_" "rst_n") ; want "name: a clock has a malformed name: .X_." "name: reset rst_n has the name of the implicit reset"
  (domain slow "clk" "double") ; want "name: clock clk has the name of the implicit clock" "name: reset double has a reserved name: a word of C.."
  (domain fast "x" "module") ; want "name: clock x has the name of input x" "name: reset module has a reserved name"
  (domain "Up-1" "u" "u") ; want "name: a clock domain has a malformed name: .Up-1." "name: reset u has the name of clock u"
  (input x u1 (on io)) (output y u1 (on io)) (output z u1 (on slow)) (output a u1 (on fast)) (output b u1 (on "Up-1"))
  (body (set y x) (set z 0:u1) (set a 0:u1) (set b 0:u1)))`},
		{"clock domains", `
(module m
  (domain io "io_clk" "")
  (domain ip "Io_clk" "") ; want "name: clock domains io and ip have the same clock, Io_clk; use one domain for both, .* . 3: clock domain io is declared here"
  (domain io#2 "c" "") ; want "name: two clock domains are named io; rename"
  (output x u1 (on io)) (output y u1 (on ip)) (output z u1 (on io#2)) (body (set x 0:u1) (set y 0:u1) (set z 0:u1)))`},
		{"clocks of a black box", `
(module BOX (extern)
  (domain C "CLK" "RST") ; want "name: clock CLK has the name of input CLK; .* . 4: the other"
  (input CLK u1)
  (output Q u1 (on C) registered))
(module m (output y u1) (inst_in u_c u1) (inst_out u_q u1) (instance u BOX (port CLK u_c) (port Q u_q)) (body (set y u_q) (set u_c 0:u1)))`},
		{"properties", `
(module m (input a u1) (output y u1) (wire p u1 ghost) (wire q u1 ghost)
  (assert "p" p)
  (assume "P" q) ; want "name: two properties are named P; rename one of them; .* . 3: the other is here, as p"
  (cover "a" q) ; want "name: property a has the name of input a"
  (cover "x_" q) ; want "name: a property has a malformed name: .x_."
  (cover "ok" q)
  (body (set y a) (set p a) (set q a)))`},
		{"two modules", `
(module c (output q u1) (body (set q 1:u1)))
(module c#2 ; want "name: two modules are named c; rename one of them . 2: the other is here, as c"
  (output q u1) (body (set q 0:u1)))
(module m (output y u2) (inst_out u_q u1) (inst_out v_q u1) (instance u c (port q u_q)) (instance v c#2 (port q v_q)) (body (set y (cat u_q v_q))))`},
		{"enumerations", `
(enum State (idle 0) (Busy 1))
(enum st (case 0) ("a-b" 1) (ok 2))
(module m
  (input a u2/State) ; want "name: an enumeration has a malformed name: .State."
  (input b u2/st) ; want "name: value of enumeration st case has a reserved name" "name: value of enumeration st has a malformed name: .a-b."
  (output y u2) (body (set y (xor a b))))`},
		{"enumeration values that coincide", `
(enum st (a 0) (b 0) (a 1) (c 4))
(module m
  (input s u2/st) ; want "misuse: enumeration st gives value 0 to both a and b" "name: enumeration st has two values named a" "literal: input s is 2 bits, and value 4 of c needs more"
  (output y u2) (body (set y s)))`},
	})
}

func TestReserved(t *testing.T) {
	for _, w := range []string{"module", "reg", "logic", "END", "Checker", "s_until_with", "xor", "uwire", "nettype"} {
		require.True(t, check.Reserved(w), w)
	}
	for _, w := range []string{"data", "clk", "architecture", "end_i", ""} {
		require.False(t, check.Reserved(w), w)
	}
}

func TestNamesAreReportedBesideStructure(t *testing.T) {
	d := parse(t, "(module m (input END u1 unused) (output y u2) (body (set y 0:u1)))")
	var codes []diag.Code
	for _, g := range check.Design(d) {
		codes = append(codes, g.Code)
	}
	require.Equal(t, []diag.Code{diag.Width, diag.Name}, codes)
}

// Modules come in the order of the design and mistakes in the order of lines.
func TestOrderOfDiagnostics(t *testing.T) {
	d := parse(t, `(design m)
(module z (output q u1)
  (output r u1) (wire w u1)
  (body (set w (not w))))
(module a (input i u1) (inst_out u_q u1) (inst_out u_r u1)
  (instance u z (port q u_q) (port r u_r)) (body))
(module m (inst_in v_i u1) (instance v a (port i v_i)) (body))`)
	var got []string
	for _, g := range check.Design(d) {
		got = append(got, g.Module+" "+string(g.Code)+" "+g.Pos.String())
	}
	require.Equal(t, []string{
		"z undriven t.ir:2", "z undriven t.ir:3", "z unused t.ir:3", "z loop t.ir:4",
		"a unused t.ir:5", "a unused t.ir:6", "m undriven t.ir:7"}, got)
}

func TestUnknownPositionsFallBackToTheModule(t *testing.T) {
	m := &ir.Module{Name: "m", Pos: ir.At("t.ir", 3)}
	m.Signals = []*ir.Signal{{Name: "y", Kind: ir.Output, Type: ir.Type{Width: 1}, Module: m}}
	l := check.Design(&ir.Design{Top: m, Modules: []*ir.Module{m}})
	require.Len(t, l, 1)
	require.Equal(t, "t.ir:3", l[0].Pos.String())
}
