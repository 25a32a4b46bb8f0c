package gen

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/millrace-hdl/millrace/hdl/ir"
)

// TestShiftsOfRepetitions: a computed bit that is repeated and shifted stands on a wire
// of its own, as Verilator without its optimiser would take it for a signed number.
func TestShiftsOfRepetitions(t *testing.T) {
	k := newMaker("repeated")
	a, b, c := k.signal("a", ir.Input, u(3)), k.signal("b", ir.Input, u(3)), k.signal("c", ir.Input, u(1))
	repeat := func(e ir.Expr, n int) ir.Expr {
		cat := &ir.Cat{}
		for range n {
			cat.Parts = append(cat.Parts, e)
		}
		return cat
	}
	k.out("equal", &ir.Binary{Op: ir.Shr, X: repeat(&ir.Binary{Op: ir.Eq, X: ref(a), Y: ref(b)}, 32), Y: ref(a)})
	k.out("any", &ir.Binary{Op: ir.Shr, X: repeat(&ir.Unary{Op: ir.RedOr, X: ref(a)}, 32), Y: ref(b)})
	k.out("plain", &ir.Binary{Op: ir.Shr, X: repeat(ref(c), 32), Y: ref(b)})
	k.out("left", &ir.Binary{Op: ir.Shl, X: repeat(&ir.Unary{Op: ir.RedOr, X: ref(a)}, 32), Y: ref(b)})
	sv := accepted(t, k.design(), Options{})
	require.Contains(t, sv, "wire [31:0] equal_cat = {{32{a == b}}};\n  assign equal = equal_cat >> a;")
	require.Contains(t, sv, "wire [31:0] any_cat = {{32{|a}}};\n  assign any = any_cat >> b;")
	require.Contains(t, sv, "assign plain = {{32{c}}} >> b;")
	require.Contains(t, sv, "assign left = {{32{|a}}} << b;")
	agree(t, k.design(), 1, AsyncLow, viewVerilator)
}
