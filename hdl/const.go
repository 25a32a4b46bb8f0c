package hdl

import (
	"fmt"
	"math/big"

	"github.com/millrace-hdl/millrace/hdl/check"
	"github.com/millrace-hdl/millrace/hdl/diag"
	"github.com/millrace-hdl/millrace/hdl/ir"
)

// K is a literal that takes width and signedness from its context, where it must
// fit. Negative values need a signed context, except -1, which stands for all ones.
type K int64

func (k K) owner() *Module { return nil }

func (k K) resolve(m *Module, t *ir.Type) Signal {
	if t == nil {
		return fail(m, ir.Type{}, diag.Literal, fmt.Sprintf("the literal %d has no width to take here", int64(k)), "use hdl.Const(width, value)")
	}
	if !k.fits(*t) {
		return fail(m, *t, diag.Literal, fmt.Sprintf("the literal %d does not fit in %s (%s)", int64(k), *t, span(*t)),
			"widen the other operand or the target")
	}
	c := bigConst(*t, big.NewInt(int64(k)))
	s := Signal{m: m, e: c}
	c.Pos = s.here()
	return s
}

// fits reports whether the literal is a value of the type, or -1.
func (k K) fits(t ir.Type) bool {
	switch {
	case k == -1:
		return true
	case t.Signed:
		return t.Width > 63 || k >= -1<<(t.Width-1) && k < 1<<(t.Width-1)
	}
	return k >= 0 && (t.Width > 62 || k < 1<<t.Width)
}

// span is the range of a type's values, for messages.
func span(t ir.Type) string {
	w := t.Width
	switch {
	case t.Signed && w > 32:
		return fmt.Sprintf("-2^%d to 2^%d-1", w-1, w-1)
	case t.Signed:
		return fmt.Sprintf("%d to %d", -1<<(w-1), 1<<(w-1)-1)
	case w > 32:
		return fmt.Sprintf("0 to 2^%d-1", w)
	}
	return fmt.Sprintf("0 to %d", 1<<w-1)
}

// Const is the unsigned constant v of w bits; v must fit.
func Const(w int, v uint64) Signal {
	if w > 0 && w < 64 && v>>w != 0 {
		return fail(nil, ir.Type{Width: w}, diag.Literal, fmt.Sprintf("the constant %d does not fit in %d bits", v, w), "make it wider")
	}
	return BigConst(w, new(big.Int).SetUint64(v))
}

// BigConst is the unsigned constant v modulo 2^w.
func BigConst(w int, v *big.Int) Signal {
	if w < 1 || w > check.MaxWidth {
		return fail(nil, ir.Type{}, diag.Range, fmt.Sprintf("a constant has %d bits", w), fmt.Sprintf("widths are 1 to %d", check.MaxWidth))
	}
	if v == nil {
		return fail(nil, ir.Type{Width: w}, diag.Literal, "a constant has no value", "pass a number: big.NewInt(0) for zero")
	}
	c := bigConst(ir.Type{Width: w}, v)
	c.Pos = ir.Here(nil)
	return Signal{e: c}
}

// Ones is the constant of w bits that are all one.
func Ones(w int) Signal { return BigConst(w, big.NewInt(-1)) }

// bigConst is v modulo 2^width.
func bigConst(t ir.Type, v *big.Int) *ir.Const {
	mod := new(big.Int).Mod(v, new(big.Int).Lsh(big.NewInt(1), uint(t.Width)))
	c := ir.NewConst(t, 0)
	word, mask := new(big.Int), new(big.Int).SetUint64(^uint64(0))
	for i := range c.Words {
		c.Words[i] = word.And(mod, mask).Uint64()
		mod.Rsh(mod, 64)
	}
	return c
}
