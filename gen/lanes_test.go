package gen

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/millrace-hdl/millrace/gen/lint"
	"github.com/millrace-hdl/millrace/hdl/ir"
)

// maker builds small modules by hand.
type maker struct{ m *ir.Module }

func newMaker(name string) maker { return maker{&ir.Module{Name: name}} }

func (k maker) design() *ir.Design { return &ir.Design{Top: k.m, Modules: []*ir.Module{k.m}} }

func (k maker) signal(name string, kind ir.Kind, t ir.Type) *ir.Signal {
	s := &ir.Signal{Name: name, Kind: kind, Type: t, Module: k.m}
	k.m.Signals = append(k.m.Signals, s)
	return s
}

func (k maker) add(s ...ir.Stmt) { k.m.Body = append(k.m.Body, s...) }

// out makes an output of the value.
func (k maker) out(name string, e ir.Expr) *ir.Signal {
	s := k.signal(name, ir.Output, plainType(e.Type()))
	k.add(whole(s, e, ir.Pos{}))
	return s
}

func u(width int) ir.Type { return ir.Type{Width: width} }

// accepted has the tools read a design.
func accepted(t *testing.T, d *ir.Design, o Options) string {
	t.Helper()
	files, err := Emit(d, o)
	require.NoError(t, err)
	dir := t.TempDir()
	require.NoError(t, WriteDir(dir, files))
	for _, r := range lint.Lint(t.Context(), dir, d.Top.Name, lint.All()) {
		require.NoError(t, r.Err, "%s\n%s", r.Output, files[len(files)-2].Data)
	}
	return string(files[len(files)-2].Data)
}

// laneDesign selects and assigns lanes of vectors of many shapes by indices that
// are too narrow, exact and too wide.
func laneDesign() *ir.Design {
	k := newMaker("lanes")
	var indices []*ir.Signal
	for _, w := range []int{1, 3, 5, 33} {
		indices = append(indices, k.signal(fmt.Sprintf("i%d", w), ir.Input, u(w)))
	}
	var data []*ir.Signal
	for _, w := range []int{1, 3, 8, 12, 75} {
		data = append(data, k.signal(fmt.Sprintf("d%d", w), ir.Input, u(w)))
	}
	for _, t := range []ir.Type{u(1), {Width: 8, Signed: true}, u(24), u(32), {Width: 33, Signed: true}, u(600)} {
		x := k.signal("x_"+t.String(), ir.Input, t)
		for _, i := range indices {
			for _, s := range []struct{ stride, width int }{{1, 1}, {1, 4}, {8, 8}, {12, 12}, {3, 8}, {20, 1}, {75, 75}} {
				if s.width > t.Width {
					continue
				}
				name := fmt.Sprintf("o_%s_%s_%dx%d", t, i.Name, s.stride, s.width)
				k.out(name, &ir.Select{X: ref(x), Index: ref(i), Stride: s.stride, Width: s.width})
			}
			for _, d := range data {
				if t.Width%d.Type.Width != 0 {
					continue
				}
				name := fmt.Sprintf("%s_%s_%d", t, i.Name, d.Type.Width)
				w := k.signal("w_"+name, ir.Output, t)
				w.Default = ref(x)
				k.add(&ir.Assign{Target: w, Index: ref(i), Width: d.Type.Width, Value: ref(d)})
				r := k.signal("r_"+name, ir.Reg, t)
				r.Init = ir.NewConst(t, 1)
				k.add(&ir.If{Arms: []ir.Arm{{Cond: &ir.Unary{Op: ir.RedOr, X: ref(x)}, Body: []ir.Stmt{
					&ir.Assign{Target: r, Index: ref(i), Width: d.Type.Width, Value: ref(d)}}}}})
				k.out("q_"+name, ref(r))
			}
		}
	}
	return k.design()
}

func TestLanesByIndex(t *testing.T) {
	d := laneDesign()
	t.Run("Icarus and Yosys", func(t *testing.T) { agree(t, d, 1, AsyncLow, viewIcarus, viewYosys) })
	t.Run("Verilator", func(t *testing.T) { agree(t, d, 2, SyncLow, viewVerilator) })
	t.Run("lint", func(t *testing.T) { accepted(t, d, Options{}) })
}

// Operands that have no plain text, and indices known to be small or constant.
func TestLanesOfExpressions(t *testing.T) {
	k := newMaker("lanes")
	a, b := k.signal("a", ir.Input, u(32)), k.signal("b", ir.Input, u(32))
	i, j := k.signal("i", ir.Input, u(2)), k.signal("j", ir.Input, u(2))
	sum := func() ir.Expr { return &ir.Binary{Op: ir.Add, X: ref(a), Y: ref(b)} }
	sel := func(x, i ir.Expr) *ir.Select { return &ir.Select{X: x, Index: i, Stride: 8, Width: 8} }
	wrap := &ir.Binary{Op: ir.Add, X: ref(i), Y: ref(j)} // wraps at 4
	k.out("of_sum", sel(sum(), ref(i)))
	k.out("by_sum", sel(ref(a), wrap))
	k.out("of_table", sel(ir.NewConst(u(32), 0x80402010), ref(i)))
	k.out("of_part", sel(&ir.Slice{X: ref(a), Lo: 4, Width: 24}, ref(j)))
	k.out("by_wide", sel(ref(a), &ir.Extend{X: ref(i), Width: 40}))
	k.out("by_masked", sel(ref(a), &ir.Binary{Op: ir.And, X: ref(b), Y: ir.NewConst(u(32), 3)}))
	k.out("third", sel(ref(a), ir.NewConst(u(5), 2)))
	k.out("beyond", sel(ref(a), ir.NewConst(u(5), 4)))
	k.out("half_beyond", &ir.Select{X: ref(a), Index: ir.NewConst(u(5), 5), Stride: 6, Width: 4})
	k.out("nested", &ir.Slice{X: sel(sel2(a, i), &ir.Slice{X: ref(j), Width: 1}), Lo: 2, Width: 5})
	k.out("sum_of", &ir.Binary{Op: ir.Lt, X: &ir.Cast{X: sel(ref(a), ref(i)), Signed: true}, Y: &ir.Cast{X: sel(ref(b), ref(i)), Signed: true}})
	w := k.signal("w", ir.Output, ir.Type{Width: 32, Signed: true})
	k.add(whole(w, &ir.Cast{X: ref(a), Signed: true}, ir.Pos{}),
		&ir.Assign{Target: w, Index: wrap, Width: 8, Value: &ir.Slice{X: ref(b), Width: 8}},
		&ir.Assign{Target: w, Index: ir.NewConst(u(3), 1), Width: 8, Value: &ir.Slice{X: ref(b), Width: 8}},
		&ir.Assign{Target: w, Index: ir.NewConst(u(3), 4), Width: 8, Value: &ir.Slice{X: ref(b), Width: 8}},
		&ir.If{Arms: []ir.Arm{{Cond: &ir.Slice{X: ref(j), Width: 1}, Body: []ir.Stmt{
			&ir.Assign{Target: w, Index: ref(j), Width: 32, Value: ref(b)}}}}})
	sv := accepted(t, k.design(), Options{})
	require.Contains(t, sv, "assign by_wide = a[i*8 +: 8];")
	require.Contains(t, sv, "assign by_masked = a[b[1:0]*8 +: 8];")
	require.Contains(t, sv, "assign third = a[23:16];")
	require.Contains(t, sv, "assign beyond = 8'd0;")
	require.Contains(t, sv, "assign half_beyond = 4'(a[31:30]);")
	agree(t, k.design(), 3, AsyncLow, viewIcarus, viewYosys)
}

func sel2(a, i *ir.Signal) ir.Expr { return &ir.Select{X: ref(a), Index: ref(i), Stride: 8, Width: 16} }

// Lanes that feed lanes of the same vector are no loop.
func TestLanesInFalseLoops(t *testing.T) {
	k := newMaker("ripple")
	a, n := k.signal("a", ir.Input, u(8)), k.signal("n", ir.Input, u(2))
	x := k.signal("x", ir.Output, u(16))
	x.Default = ir.NewConst(u(16), 0)
	k.add(&ir.Assign{Target: x, Width: 8, Value: ref(a)},
		&ir.If{Arms: []ir.Arm{{Cond: &ir.Unary{Op: ir.RedXor, X: ref(a)}, Body: []ir.Stmt{&ir.Assign{Target: x, Lo: 8, Width: 8,
			Value: &ir.Binary{Op: ir.Add, X: &ir.Slice{X: ref(x), Width: 8}, Y: ref(a)}}}}}})
	y := k.signal("y", ir.Output, u(16))
	k.add(whole(y, &ir.Cat{Parts: []ir.Expr{
		&ir.Select{X: &ir.Slice{X: ref(y), Width: 8}, Index: ref(n), Stride: 2, Width: 8}, ref(a)}}, ir.Pos{}))
	accepted(t, k.design(), Options{})
	agree(t, k.design(), 4, AsyncLow, viewIcarus, viewYosys)
}
