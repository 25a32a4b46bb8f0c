package ir_test

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"github.com/millrace-hdl/millrace/hdl/ir"
)

var update = flag.Bool("update", false, "rewrite the golden files")

func golden(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join("testdata", "text", name)
	if *update {
		require.NoError(t, os.WriteFile(file, []byte(got), 0o644))
	}
	want, err := os.ReadFile(file)
	require.NoError(t, err)
	if d := cmp.Diff(string(want), got); d != "" {
		t.Errorf("%s (-want +got):\n%s", file, d)
	}
}

func parse(t *testing.T, text string) *ir.Design {
	t.Helper()
	d, err := ir.Parse("t.ir", text)
	require.NoError(t, err)
	return d
}

// shared is y = (a+1)*(a+1) + … with n levels of two users each.
func shared(n int) *ir.Design {
	m := &ir.Module{Name: "top"}
	a := &ir.Signal{Name: "a", Kind: ir.Input, Type: ir.Type{Width: 8}, Module: m}
	y := &ir.Signal{Name: "y", Kind: ir.Output, Type: ir.Type{Width: 8}, Module: m}
	m.Signals = []*ir.Signal{a, y}
	var e ir.Expr = &ir.Ref{Signal: a}
	for range n {
		e = &ir.Binary{Op: ir.Add, X: e, Y: e}
	}
	m.Body = []ir.Stmt{&ir.Assign{Target: y, Width: 8, Value: e}}
	return &ir.Design{Top: m, Modules: []*ir.Module{m}}
}

func TestTextReadsBackAsItself(t *testing.T) {
	b, err := os.ReadFile("testdata/text/features.txt")
	require.NoError(t, err)
	_, want, _ := strings.Cut(string(b), "\n") // without the comment
	require.Empty(t, cmp.Diff(want, parse(t, string(b)).String()))
}

func TestTextHoldsEveryKind(t *testing.T) {
	b, err := os.ReadFile("testdata/text/features.txt")
	require.NoError(t, err)
	for _, op := range []string{"input", "output", "wire", "reg", "inst_in", "inst_out", "sync_read",
		"not", "neg", "and_r", "or_r", "xor_r", "and", "or", "xor", "add", "sub", "mul", "eq", "lt", "shl", "shr",
		"mux", "cat", "signed", "unsigned", "extend", "read", "select", "lane", "domain", "extern", "assert", "on", "clock", "crossing", "set", "write", "if", "when", "else", "switch", "case", "default", "note", "let"} {
		require.Contains(t, string(b), "("+op, op)
	}
}

func TestSharedNodesArePrintedOnce(t *testing.T) {
	text := shared(200).String()
	require.Equal(t, 199, strings.Count(text, "(let "))
	require.Less(t, len(text), 10_000)
	require.Empty(t, cmp.Diff(text, parse(t, text).String()))
	golden(t, "shared.txt", shared(3).String())
}

func TestParsedGraphSharesNodes(t *testing.T) {
	d := parse(t, shared(2).String())
	b := d.Top.Body[0].(*ir.Assign).Value.(*ir.Binary)
	require.Same(t, b.X, b.Y)
}

func TestPositionsOnRequest(t *testing.T) {
	d := parse(t, `(design m) (module m (input a u1)
 (output y u1) (body
 (if (when a (set y 0:u1))
 (else (set y a)))))`)
	require.NotContains(t, d.String(), ";")
	var b strings.Builder
	require.NoError(t, ir.Printer{Positions: true}.Fprint(&b, d))
	golden(t, "positions.txt", b.String())
	again, err := ir.Parse("x", b.String())
	require.NoError(t, err)
	require.Equal(t, d.String(), again.String())
}

func TestLongExpressionsAreBroken(t *testing.T) {
	var b strings.Builder
	b.WriteString("(design m) (module m (input some_long_input_name u8) (output y u8) (body (set y ")
	for range 8 {
		b.WriteString("(add some_long_input_name ")
	}
	b.WriteString("1:u8" + strings.Repeat(")", 8) + ")))")
	golden(t, "long.txt", parse(t, b.String()).String())
}

// Equal names, foreign signals and missing nodes are mistakes that the text must
// still tell apart.
func TestTextOfWrongDesigns(t *testing.T) {
	m, o := &ir.Module{Name: "m"}, &ir.Module{Name: "Odd name"}
	x1 := &ir.Signal{Name: "x", Kind: ir.Wire, Type: ir.Type{Width: 2}, Module: m}
	x2 := &ir.Signal{Name: "x", Kind: ir.Wire, Type: ir.Type{Width: 2}, Module: m}
	far := &ir.Signal{Name: "far", Kind: ir.Wire, Type: ir.Type{Width: 2}, Module: o}
	o.Signals = []*ir.Signal{far}
	m.Signals = []*ir.Signal{x1, x2}
	m.Body = []ir.Stmt{
		&ir.Assign{Target: x2, Width: 2, Value: &ir.Ref{Signal: x1}},
		&ir.Assign{Target: far, Width: 2, Value: &ir.Ref{Signal: far}},
		&ir.Assign{Target: x1, Width: 2},
		&ir.Assign{Width: 1, Value: &ir.Ref{}},
		&ir.MemWrite{},
	}
	golden(t, "wrong.txt", (&ir.Design{Top: m, Modules: []*ir.Module{o, m}}).String())
}

func TestEnumsOfOneNameAreToldApart(t *testing.T) {
	text := `(design m)
(enum e (a 0))
(enum e#2 (b 0))
(module m
  (input x u1/e)
  (output y u1/e#2)
  (body
    (set y x)))
`
	require.Empty(t, cmp.Diff(text, parse(t, text).String()))
}

func TestModuleTextNamesChildrenOnly(t *testing.T) {
	b, err := os.ReadFile("testdata/text/features.txt")
	require.NoError(t, err)
	text := parse(t, string(b)).Top.String()
	require.Contains(t, text, "(instance u_child child (port a u_child_a)")
	require.NotContains(t, text, "(module child")
	require.True(t, strings.HasPrefix(text, "(enum state "))
}

func TestExprAndStmtText(t *testing.T) {
	d := shared(2)
	require.Equal(t, "(add (add a a) (add a a))", ir.ExprString(d.Top.Body[0].(*ir.Assign).Value))
	require.Equal(t, "(let %1 (add a a))\n(set y (add %1 %1))\n", ir.StmtString(d.Top.Body[0]))
}

func TestConstants(t *testing.T) {
	for _, c := range []struct{ in, out string }{
		{"255:u8", "255:u8"}, {"0xff:u8", "255:u8"}, {"-1:s8", "-1:s8"}, {"255:s8", "-1:s8"}, {"-128:s8", "-128:s8"},
		{"65536:u17", "0x10000:u17"}, {"65535:u16", "65535:u16"}, {"-65537:s64", "0xfffffffffffeffff:s64"},
		{"-2:s100", "-2:s100"}, {"0x123456789abcdef01:u68", "0x123456789abcdef01:u68"}, {"1:s1", "-1:s1"},
	} {
		d := parse(t, "(design m) (module m (body (if (when (eq "+c.in+" "+c.in+")))))")
		require.Equal(t, "(eq "+c.out+" "+c.out+")", ir.ExprString(d.Top.Body[0].(*ir.If).Arms[0].Cond))
	}
}

func TestParseErrorsNameTheLine(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"", "t.ir:1: the text needs (design name)"},
		{"(design m)", "t.ir:1: the text needs (design name)"},
		{"(design m) (module m (body)", "t.ir:1: this list is not closed"},
		{"(design m))", "t.ir:1: unexpected )"},
		{"\n(foo)", "t.ir:2: expected (design"},
		{"x", "t.ir:1: expected (design"},
		{"(design m)\n(module m (body))\n(module m (body))", "t.ir:3: module m appears twice"},
		{"(module m (wire x u8) (wire x u8) (body))", "signal x appears twice; write the second as x#2"},
		{"(module m (mem x u8 2) (mem x u8 2) (body))", "memory x appears twice"},
		{"(module m (wire x q8) (body))", `"q8" is no type; write u8 or s8`},
		{"(module m (wire x u) (body))", `"u" is no type`},
		{"(module m (wire x u2/e) (body))", "there is no enumeration e"},
		{"(module m (wire x) (body))", "(wire …) has 1 operands"},
		{"(module m (blob x u1) (body))", `no item of this kind: "blob"`},
		{"(module m (wire x u1 shiny) (body))", `a signal has no property "shiny"`},
		{"(module m (reg x u1 (init x)) (body))", "expected a literal such as 0:u8"},
		{"(module m (reg x u1 (init 2:u1)) (body))", "2 does not fit u1"},
		{"(module m (reg x s8 (init -129:s8)) (body))", "-129 does not fit s8"},
		{"(module m (reg x u1 (init 0:u9999999)) (body))", "literal 0:u9999999 is 9999999 bits wide"},
		{"(module m (reg x u1 (init 0q:u1)) (body))", `"0q" is no number`},
		{"(module m (mem x u1 q) (body))", `expected a number, found "q"`},
		{"(module m (mem x u1 2 (fast)) (body))", `a memory has no property "fast"`},
		{"(module m (wire a u1) (sync_read d u1) (mem x u1 2 (sync a a d odd)) (body))", `"odd" is none of old, new, undefined`},
		{"(module m (reg x u1 (on d)) (body))", "there is no domain d in module m"},
		{"(module m (domain d \"c\" \"r\") (domain d \"c\" \"r\") (body))", "domain d appears twice; write the second as d#2"},
		{"(module m (domain d \"c\" \"r\" rising) (body))", `a domain has no property "rising"`},
		{"(module m (extern (height \"3\")) (body))", `a black box has no property "height"`},
		{"(module m (wire x u1 ghost) (cover \"x\" x (soon)) (body))", `a property has no property "soon"`},
		{"(module c (body)) (module m (instance i c (clock d nil)) (body))", "module c has no domain d"},
		{"(module m (wire x u8) (body (set x (at 0:u3 1) 0:u1)))", "expected (lane …)"},
		{"(module m (mem x u1 2 (init y)) (body))", "expected a literal such as 0:u8"},
		{"(module m (instance i c) (body))", "there is no module c"},
		{"(module c (body)) (module m (wire w u1) (instance i c (port p w)) (body))", "module c has no port p"},
		{"(module c (body)) (module m (instance i c (big)) (body))", `an instance has no property "big"`},
		{"(module m (body (set x 0:u1)))", "there is no signal x in module m"},
		{"(module m (wire x u8) (body (set x[1:0][0] 0:u1)))", "a target has at most one range"},
		{"(module m (wire x u8) (body (set x[q] 0:u1)))", "[q] is no range; write [high:low] or [bit]"},
		{"(module m (wire x u8) (body (set x[0 0:u1)))", "a range is not closed"},
		{"(module m (body (write x 0:u1 0:u1)))", "there is no memory x in module m"},
		{"(module m (mem x u1 2) (body (write x 0:u1 0:u1 0:u1)))", "expected (mask …) or (on …)"},
		{"(module m (body (jump)))", `there is no statement "jump"`},
		{"(module m (body (if (unless 0:u1))))", "expected (when …) or (else …)"},
		{"(module m (body (if (else) (when 0:u1))))", "else is not last"},
		{"(module m (body (switch 0:u1 (default) (case 0:u1))))", "default is not last"},
		{"(module m (body (switch 0:u1 (x))))", "expected (case …) or (default …)"},
		{"(module m (body (if (when (frob 0:u1)))))", `there is no operator "frob"`},
		{"(module m (body (if (when (add 0:u1)))))", "(add …) has 1 operands"},
		{"(module m (body (if (when %1))))", "label %1 is used before its let"},
		{"(module m (body (let %1 0:u1) (let %1 0:u1)))", "label %1 is bound twice"},
		{"(module m (body (let x 0:u1)))", "a label starts with %"},
		{`(module m (doc "x`, "malformed string"},
		{`(module m (doc x) (body))`, "expected a string in double quotes"},
		{`(module (m) (body))`, "expected a name"},
		{"(enum e (a -1)) (module m (body))", `"-1" is no enumeration value`},
		{"(enum e a) (module m (body))", "expected (name value)"},
		{"(enum e) (enum e) (module m (body))", "enumeration e appears twice"},
		{strings.Repeat("(", 200_000), "lists are nested more than 100000 deep"},
	} {
		text := c.text
		if !strings.Contains(text, "(design") && text != "" && text[0] == '(' && text[1] != '(' {
			text = "(design m) " + text
		}
		_, err := ir.Parse("t.ir", text)
		require.Error(t, err, c.text)
		require.Contains(t, err.Error(), c.want, c.text)
		require.True(t, strings.HasPrefix(err.Error(), "t.ir:"), err.Error())
	}
}

// FuzzParse: any text gives a design or an error, and what is read prints to
// text that reads back as the same.
func FuzzParse(f *testing.F) {
	b, err := os.ReadFile("testdata/text/features.txt")
	require.NoError(f, err)
	f.Add(string(b))
	f.Add(shared(4).String())
	f.Fuzz(func(t *testing.T, text string) {
		d, err := ir.Parse("t", text)
		if err != nil {
			return
		}
		once := d.String()
		again, err := ir.Parse("t", once)
		require.NoError(t, err, once)
		require.Equal(t, once, again.String())
	})
}
