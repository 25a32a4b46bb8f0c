package gen_test

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/millrace-hdl/millrace/gen"
	"github.com/millrace-hdl/millrace/gen/lint"
	"github.com/millrace-hdl/millrace/hdl"
	"github.com/millrace-hdl/millrace/hdl/ir"
)

type pairIO struct {
	A, B hdl.Var `hdl:"in"`
	Y    hdl.Var
}

func pair(m *hdl.Module, width int) pairIO {
	return hdl.Ports(m, "", hdl.Source, pairIO{A: hdl.U(width), B: hdl.U(width), Y: hdl.U(width)})
}

// emitted is the RTL of a design; all tools accept it.
func emitted(t *testing.T, d *ir.Design) []byte {
	t.Helper()
	files, err := gen.Emit(d, gen.Options{})
	require.NoError(t, err)
	dir := t.TempDir()
	require.NoError(t, gen.WriteDir(dir, files))
	for _, r := range lint.Lint(t.Context(), dir, d.Top.Name, lint.All()) {
		require.NoError(t, r.Err, r.Output)
	}
	return files[0].Data
}

func elaborated(t *testing.T, build hdl.Build[none, pairIO], name string) *ir.Design {
	t.Helper()
	d, err := hdl.Elaborate(build, none{}, hdl.Named(name))
	require.NoError(t, err)
	return d
}

// Tools cannot read expressions that nest thousands deep, and indented ones grow
// with the square of their depth.
func TestDeepExpressionsAreCut(t *testing.T) {
	d := elaborated(t, func(m *hdl.Module, _ none) pairIO {
		io := pair(m, 33)
		x := io.A.Signal
		for range 2000 {
			x = x.Add(io.B).Xor(io.A)
		}
		io.Y.Set(x)
		return io
	}, "deep")
	sv := emitted(t, d)
	require.Less(t, len(sv), 500_000)
	require.True(t, bytes.Contains(sv, []byte("wire [32:0] y_xor = ")))
}

func TestWideSignedProducts(t *testing.T) {
	for _, width := range []int{256, 512, 513, 1000} {
		d := elaborated(t, func(m *hdl.Module, _ none) pairIO {
			io := pair(m, width)
			a, b := io.A.AsSigned(), io.B.AsSigned()
			io.Y.Set(a.Mul(b).AsUnsigned().Xor(a.MulX(b).Bits(2*width-1, width)))
			return io
		}, "product")
		sv := emitted(t, d)
		require.Contains(t, string(sv), "*")
	}
}

// stages is a chain of registers, each in a block of its own.
func stages(t *testing.T, n int) *ir.Design {
	return elaborated(t, func(m *hdl.Module, _ none) pairIO {
		io := pair(m, 8)
		x := io.A.Signal
		for i := range n {
			r := m.Reg(fmt.Sprintf("r%d_q", i), hdl.U(8))
			m.Note(fmt.Sprintf("Stage %d.", i))
			m.If(io.B.Bit(i%8), func() { r.Set(x) })
			x = r.Signal
		}
		io.Y.Set(x)
		return io
	}, "many")
}

// Each block looks at its own statements only: twice the blocks take about twice the
// memory, which grows with the work, and not four times as much.
func TestManyBlocksAreLittleWork(t *testing.T) {
	work := func(n int) float64 {
		d := stages(t, n)
		return testing.AllocsPerRun(1, func() {
			files, err := gen.Emit(d, gen.Options{})
			require.NoError(t, err)
			for i := range n {
				require.Contains(t, string(files[0].Data), fmt.Sprintf("  // Stage %d.\n", i))
			}
		})
	}
	few, many := work(500), work(1000)
	require.Less(t, many, 2.5*few)
}

// Conditions that nest deeply do not move the text to the right for ever.
func TestDeepConditionsStayInSight(t *testing.T) {
	d := elaborated(t, func(m *hdl.Module, _ none) pairIO {
		io := pair(m, 9)
		r := m.Reg("r_q", hdl.U(9))
		var nest func(n int)
		nest = func(n int) {
			r.Set(io.B)
			if n > 0 {
				m.If(io.A.Ne(hdl.K(n)), func() { nest(n - 1) })
			}
		}
		m.If(io.A.Any(), func() { nest(100) })
		io.Y.Set(r)
		return io
	}, "nested")
	sv := emitted(t, d)
	for line := range bytes.Lines(sv) {
		require.Less(t, len(line), 120)
	}
}

// Whatever a comment holds, it stays a comment.
func TestCommentsEndWithTheirLine(t *testing.T) {
	d := elaborated(t, func(m *hdl.Module, _ none) pairIO {
		m.Doc("a path C:\\\nendmodule\rendmodule\x00\xff\\ \\")
		io := pair(m, 8)
		m.Note("not the end: \\")
		io.Y.Set(io.A.Xor(io.B))
		return io
	}, "noted")
	sv := emitted(t, d)
	require.Contains(t, string(sv), "\n// a path C:\n// endmodule endmodule ?\nmodule noted (")
	require.Contains(t, string(sv), "\n  // not the end:\n")
}

// Whatever a comment starts with, no tool obeys it.
func TestCommentsAreNoDirectives(t *testing.T) {
	for _, word := range []string{"verilator", "verilator_x", "synopsys translate_off", "synthesis translate_off", "pragma protect", "  verilator: on", "Verilators", "verilator"} {
		t.Run(word, func(t *testing.T) {
			d := elaborated(t, func(m *hdl.Module, _ none) pairIO {
				m.Doc("Says a word.\n" + word + " is how this line starts.")
				io := pair(m, 8)
				m.Note(word)
				io.Y.Set(io.A.Xor(io.B))
				return io
			}, "noted")
			emitted(t, d)
		})
	}
}
