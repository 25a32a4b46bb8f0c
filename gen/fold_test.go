package gen

import (
	"math/big"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/millrace-hdl/millrace/hdl/ir"
)

// shown is an expression after the first layer, as text.
func shown(e ir.Expr) string {
	uses := map[ir.Expr]int{}
	countUses(e, uses)
	p := &printer{u: &unit{}, flat: map[ir.Expr]text{}}
	return p.text(newFolder(uses).expr(e)).s
}

func TestFolding(t *testing.T) {
	u8, s8, u1 := ir.Type{Width: 8}, ir.Type{Width: 8, Signed: true}, ir.Type{Width: 1}
	a, b := ref(&ir.Signal{Name: "a", Type: u8}), ref(&ir.Signal{Name: "b", Type: u8})
	s, c := ref(&ir.Signal{Name: "s", Type: s8}), ref(&ir.Signal{Name: "c", Type: u1})
	k := func(t ir.Type, v int64) ir.Expr { return constant(t, big.NewInt(v), ir.Pos{}) }
	un := func(op ir.UnaryOp, x ir.Expr) ir.Expr { return &ir.Unary{Op: op, X: x} }
	bin := func(op ir.BinaryOp, x, y ir.Expr) ir.Expr { return &ir.Binary{Op: op, X: x, Y: y} }
	mux := func(c, x, y ir.Expr) ir.Expr { return &ir.Mux{Cond: c, Then: x, Else: y} }
	cat := func(parts ...ir.Expr) ir.Expr { return &ir.Cat{Parts: parts} }
	part := func(x ir.Expr, hi, lo int) ir.Expr { return &ir.Slice{X: x, Lo: lo, Width: hi - lo + 1} }
	for _, x := range []struct {
		e    ir.Expr
		want string
	}{
		// Literals, and what leaves one operand.
		{bin(ir.Add, k(u8, 250), k(u8, 10)), "8'd4"},
		{bin(ir.Shr, k(s8, -128), k(u8, 3)), "-8'sd16"},
		{bin(ir.Lt, k(s8, -1), k(s8, 0)), "1'b1"},
		{bin(ir.Add, a, k(u8, 0)), "a"},
		{bin(ir.Sub, k(u8, 0), a), "-a"},
		{bin(ir.And, a, k(u8, 255)), "a"},
		{bin(ir.And, k(u8, 0), a), "8'd0"},
		{bin(ir.Or, a, k(u8, 255)), "8'd255"},
		{bin(ir.Xor, a, k(u8, 255)), "~a"},
		{bin(ir.Mul, a, k(u8, 1)), "a"},
		{bin(ir.Shl, a, k(u8, 8)), "8'd0"},
		{bin(ir.Shr, s, k(u8, 200)), "s >>> 7"},
		{bin(ir.Xor, a, a), "8'd0"},
		{bin(ir.Le, a, a), "1'b1"},
		// Sums with the smaller literal.
		{bin(ir.Add, a, k(u8, 255)), "a - 8'd1"},
		{bin(ir.Sub, a, k(u8, 255)), "a + 8'd1"},
		{bin(ir.Add, s, k(s8, -1)), "s - 8'sd1"},
		{bin(ir.Add, a, k(u8, 200)), "a + 8'd200"},
		{bin(ir.Sub, k(u8, 255), a), "8'd255 - a"},
		// Negations.
		{un(ir.Not, un(ir.Not, a)), "a"},
		{un(ir.Neg, un(ir.Neg, a)), "a"},
		{un(ir.Not, bin(ir.Lt, a, b)), "a >= b"},
		{un(ir.Not, un(ir.RedOr, a)), "a == 8'd0"},
		{un(ir.RedAnd, c), "c"},
		// Bits of an operation are the operation on bits.
		{part(bin(ir.Or, bin(ir.Or, cat(k(u8, 0), a), cat(k(u8, 0), b)), cat(k(u1, 0), s, k(ir.Type{Width: 7}, 0))), 15, 15), "1'b0"},
		{part(bin(ir.And, cat(a, b), k(ir.Type{Width: 16}, 0xf00f)), 3, 0), "b[3:0]"},
		{part(bin(ir.Xor, cat(a, b), cat(b, b)), 7, 0), "8'd0"},
		{part(bin(ir.Add, cat(a, b), k(ir.Type{Width: 16}, 0x1200)), 7, 0), "b"},
		{part(mux(c, cat(a, b), cat(b, b)), 7, 0), "b"},
		// Comparisons that are decided, or say less than they seem to.
		{bin(ir.Lt, a, k(u8, 0)), "1'b0"},
		{bin(ir.Ge, k(u8, 255), a), "1'b1"},
		{bin(ir.Gt, a, k(u8, 0)), "a != 8'd0"},
		{bin(ir.Le, s, k(s8, -128)), "s == 8'sh80"},
		{bin(ir.Gt, k(u8, 9), a), "a < 8'd9"},
		{bin(ir.Eq, c, k(u1, 1)), "c"},
		{bin(ir.Eq, k(u1, 0), c), "!c"},
		// Choices.
		{mux(k(u1, 1), a, b), "a"},
		{mux(c, a, a), "a"},
		{mux(un(ir.Not, c), a, b), "c ? b : a"},
		{mux(c, k(u1, 0), k(u1, 1)), "!c"},
		// Bits.
		{part(cat(a, b), 11, 4), "{a[3:0], b[7:4]}"},
		{part(cat(a, b), 7, 0), "b"},
		{part(part(a, 6, 1), 3, 2), "a[4:3]"},
		{cat(part(a, 7, 4), part(a, 3, 0)), "a"},
		{cat(k(u8, 1), k(u8, 2), a), "{16'd258, a}"},
		{cat(c, c, c), "{{3{c}}}"},
		{cat(k(u8, 0), a), "16'(a)"},
		{part(&ir.Extend{X: a, Width: 20}, 15, 8), "8'd0"},
		{part(&ir.Extend{X: a, Width: 20}, 5, 2), "a[5:2]"},
		{&ir.Extend{X: &ir.Extend{X: s, Width: 10}, Width: 12}, "12'(s)"},
		{&ir.Cast{X: &ir.Cast{X: s}, Signed: true}, "s"},
	} {
		require.Equal(t, x.want, shown(x.e))
	}
}

func TestLiterals(t *testing.T) {
	for _, x := range []struct {
		width  int
		signed bool
		value  int64
		want   string
	}{
		{1, false, 1, "1'b1"}, {1, true, -1, "1'sb1"}, {8, false, 255, "8'd255"}, {16, false, 1000, "16'h3e8"},
		{16, true, -3, "-16'sd3"}, {8, true, -128, "8'sh80"}, {32, true, -5000, "32'shffffec78"}, {200, false, 0, "200'd0"},
	} {
		require.Equal(t, x.want, literal(constant(ir.Type{Width: x.width, Signed: x.signed}, big.NewInt(x.value), ir.Pos{})))
	}
}
