package gen_test

import (
	"bytes"
	"fmt"
	"testing"
	"time"

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

// emitted is the RTL of a design and how long it took; all tools accept it.
func emitted(t *testing.T, d *ir.Design) ([]byte, time.Duration) {
	t.Helper()
	start := time.Now()
	files, err := gen.Emit(d, gen.Options{})
	took := time.Since(start)
	require.NoError(t, err)
	dir := t.TempDir()
	require.NoError(t, gen.WriteDir(dir, files))
	for _, r := range lint.Lint(t.Context(), dir, d.Top.Name, lint.All()) {
		require.NoError(t, r.Err, r.Output)
	}
	return files[0].Data, took
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
	sv, took := emitted(t, d)
	require.Less(t, len(sv), 500_000)
	require.Less(t, took, 10*time.Second)
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
		sv, _ := emitted(t, d)
		require.Contains(t, string(sv), "*")
	}
}

// Each block looks at its own statements only.
func TestManyBlocksAreEmittedSoon(t *testing.T) {
	d := elaborated(t, func(m *hdl.Module, _ none) pairIO {
		io := pair(m, 8)
		x := io.A.Signal
		for i := range 2000 {
			r := m.Reg(fmt.Sprintf("r%d_q", i), hdl.U(8))
			m.Note(fmt.Sprintf("Stage %d.", i))
			m.If(io.B.Bit(i%8), func() { r.Set(x) })
			x = r.Signal
		}
		io.Y.Set(x)
		return io
	}, "many")
	start := time.Now()
	files, err := gen.Emit(d, gen.Options{})
	require.NoError(t, err)
	require.Less(t, time.Since(start), 5*time.Second)
	for i := range 2000 {
		require.Equal(t, 1, bytes.Count(files[0].Data, fmt.Appendf(nil, "  // Stage %d.\n", i)), i)
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
	sv, _ := emitted(t, d)
	require.Contains(t, string(sv), "\n// a path C:\n// endmodule endmodule ?\nmodule noted (")
	require.Contains(t, string(sv), "\n  // not the end:\n")
}
