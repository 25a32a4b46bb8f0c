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

// TestPlainAlwaysKeepsNothingThatIsNeverRead: a block whose reads all stand under
// conditions that never hold would wait for ever as well, and show x in simulation.
// The condition below is zero, which only its bits tell.
func TestPlainAlwaysKeepsNothingThatIsNeverRead(t *testing.T) {
	for _, cond := range []string{
		"(or (extend a 31) (extend b 31))[27]",
		"(xor (cat a b) (cat b b))[0]",
		"(mux a (cat 0:u1 b) (cat 0:u1 a))[1]",
		"(not (add (cat b 3:u2) 4:u3))[0]",
	} {
		d, err := ir.Parse("t", "(design t) (module t (input a u1) (input b u1) (output y u1 (default 0:u1))"+
			"(body (if (when "+cond+" (set y a) (set y (xor b y))))))")
		require.NoError(t, err)
		files, err := Emit(d, Options{PlainAlways: true})
		require.NoError(t, err)
		text := string(files[0].Data)
		require.NotContains(t, text, "always", "%s", cond)
		require.Contains(t, text, "assign y = 1'b0;", "%s", cond)
	}
}
