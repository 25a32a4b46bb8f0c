package gen

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/millrace-hdl/millrace/hdl/ir"
)

// TestPlainAlwaysWaitsForNothing: always @* runs when something that it reads
// changes. A block that reads nothing is written otherwise.
func TestPlainAlwaysWaitsForNothing(t *testing.T) {
	one := ir.Type{Width: 1}
	a, y := &ir.Signal{Name: "a", Type: one}, &ir.Signal{Name: "y", Type: one}
	printed := func(cond ir.Expr) string {
		p := &printer{flat: map[ir.Expr]text{}, u: &unit{o: Options{PlainAlways: true}}}
		set := &ir.Assign{Target: y, Width: 1, Value: ir.NewConst(one, 0)}
		p.block(&comb{body: []ir.Stmt{&ir.If{Arms: []ir.Arm{{Cond: cond, Body: []ir.Stmt{set}}}, Else: []ir.Stmt{set}}}})
		return p.b.String()
	}
	require.Contains(t, printed(ref(a)), "always @* begin")
	require.Contains(t, printed(ir.NewConst(one, 0)), "always_comb begin")
}
