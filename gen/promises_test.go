package gen_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/millrace-hdl/millrace/gen"
	"github.com/millrace-hdl/millrace/gen/lint"
	"github.com/millrace-hdl/millrace/hdl"
)

// textsOf is the RTL of a module and of all below it, by file.
func textsOf[P, IO any](t *testing.T, build hdl.Build[P, IO], p P, opts ...hdl.Option) map[string]string {
	t.Helper()
	d, err := hdl.Elaborate(build, p, opts...)
	require.NoError(t, err)
	files, err := gen.Emit(d, gen.Options{})
	require.NoError(t, err)
	texts := map[string]string{}
	for _, f := range files {
		texts[f.Name] = string(f.Data)
	}
	return texts
}

type bankIO struct {
	Put, Index, Value hdl.Var `hdl:"in"`
	Got               hdl.Var
}

// bank is an array of so many bytes that is written and read by index.
func bank(m *hdl.Module, elements int) bankIO {
	width := hdl.AddrBits(elements)
	io := hdl.Ports(m, "", hdl.Source, bankIO{Put: hdl.Bool(), Index: hdl.U(width), Value: hdl.U(8), Got: hdl.U(8)})
	bytes := hdl.RegArray(m, "byte_q", elements, hdl.U(8))
	m.If(io.Put, func() { bytes.At(io.Index).Set(io.Value) })
	io.Got.Set(bytes.At(io.Index))
	return io
}

// An array 128 times as long takes a few more bytes of text, for longer numbers.
func TestTextDoesNotGrowWithTheElements(t *testing.T) {
	size := func(elements int) int { return len(textsOf(t, bank, elements)["bank.sv"]) }
	small, large := size(8), size(1024)
	require.Greater(t, small, 300)
	require.Less(t, large-small, 40)
	require.Less(t, size(1000), large+80, "with the check that an index is inside")
}

type sinkIO struct {
	In hdl.Var `hdl:"in"`
}

// sink reads nothing and drives nothing.
func sink(m *hdl.Module, _ none) sinkIO {
	return sinkIO{In: m.In("in", hdl.U(4), hdl.MayBeUnused())}
}

type oneIO struct{ Out hdl.Var }

// one gives a constant.
func one(m *hdl.Module, _ none) oneIO {
	io := hdl.Ports(m, "", hdl.Source, oneIO{Out: hdl.U(4)})
	io.Out.Set(hdl.K(1))
	return io
}

type hollowIO struct {
	In  hdl.Var `hdl:"in"`
	Out hdl.Var
}

// hollow places both.
func hollow(m *hdl.Module, _ none) hollowIO {
	io := hdl.Ports(m, "", hdl.Source, hollowIO{In: hdl.U(4), Out: hdl.U(4)})
	hdl.Inst(m, "u_sink", sink, none{}).In.Set(io.In)
	io.Out.Set(hdl.Inst(m, "u_one", one, none{}).Out)
	return io
}

// A module in which nothing happens has a statement all the same, so that no tool
// takes it for a black box.
func TestModulesWithoutLogicAreNoBlackBoxes(t *testing.T) {
	for name, text := range textsOf(t, hollow, none{}) {
		if body, found := strings.CutSuffix(name, ".sv"); found {
			_, inside, ok := strings.Cut(text, ");\n")
			require.True(t, ok, body)
			inside, _, ok = strings.Cut(inside, "endmodule")
			require.True(t, ok, body)
			require.NotEmpty(t, strings.TrimSpace(inside), "%s has no body:\n%s", body, text)
		}
	}
}

// An input that nothing reads stays a port, at its place.
func TestUnreadInputsStayPorts(t *testing.T) {
	require.Contains(t, textsOf(t, sink, none{})["sink.sv"], "input  logic [3:0] in")
}

type unsetIO struct {
	Once, Never hdl.Var `hdl:"in"`
	A, B        hdl.Var
}

// unset has registers without reset that only ever take one value.
func unset(m *hdl.Module, _ none) unsetIO {
	io := hdl.Ports(m, "", hdl.Source, unsetIO{Once: hdl.Bool(), Never: hdl.Bool(), A: hdl.U(4), B: hdl.U(4)})
	for _, x := range []struct {
		name    string
		en, out hdl.Var
	}{{"a_q", io.Once, io.A}, {"b_q", io.Never, io.B}} {
		q := m.Reg(x.name, hdl.U(4), hdl.NoReset())
		m.If(x.en, func() { q.Set(hdl.K(5)) })
		x.out.Set(q)
	}
	return io
}

// What is undefined until assigned is not taken to be what it is assigned.
func TestUndefinedStateIsNotFolded(t *testing.T) {
	text := textsOf(t, unset, none{})["unset.sv"]
	for _, x := range [][2]string{{"once", "a"}, {"never", "b"}} {
		require.Regexp(t, fmt.Sprintf(`if \(%s\) begin\s+%s_q <= 4'd5;`, x[0], x[1]), text)
		require.Contains(t, text, fmt.Sprintf("assign %s = %s_q;", x[1], x[1]))
	}
}

type nibblesIO struct {
	Swap, A hdl.Var `hdl:"in"`
	Y       hdl.Var
}

// nibbles assigns parts, from parts, in a block.
func nibbles(m *hdl.Module, _ none) nibblesIO {
	io := hdl.Ports(m, "", hdl.Source, nibblesIO{Swap: hdl.Bool(), A: hdl.U(8), Y: hdl.U(8)})
	io.Y.Set(io.A)
	m.If(io.Swap, func() {
		io.Y.Part(0, 4).Set(io.A.Bits(7, 4))
		io.Y.Part(4, 4).Set(io.A.Bits(3, 0))
	})
	return io
}

// Of constant selects in combinational blocks Icarus says, with all its warnings on,
// that it waits for more than it has to, and nothing else; in the plain form it says
// nothing.
func TestConstantSelectsInBlocksUnderIcarus(t *testing.T) {
	d, err := hdl.Elaborate(nibbles, none{})
	require.NoError(t, err)
	for _, plain := range []bool{false, true} {
		files, err := gen.Emit(d, gen.Options{PlainAlways: plain})
		require.NoError(t, err)
		require.Equal(t, !plain, strings.Contains(string(files[0].Data), "always_comb"))
		require.Contains(t, string(files[0].Data), "a[7:4]")
		dir := t.TempDir()
		require.NoError(t, gen.WriteDir(dir, files))
		for _, r := range lint.Lint(t.Context(), dir, d.Top.Name, lint.All()) {
			require.NoError(t, r.Err, "%s: %s", r.Tool, r.Output)
		}
		said, err := exec.CommandContext(t.Context(), "iverilog", "-g2012", "-Wall", "-o", os.DevNull, filepath.Join(dir, files[0].Name)).CombinedOutput()
		require.NoError(t, err, "%s", said)
		for line := range strings.Lines(string(said)) {
			require.False(t, plain, line)
			require.Contains(t, line, "sorry: constant selects in always_* processes are not currently supported (all bits will be included).")
		}
	}
}
