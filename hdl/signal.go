package hdl

import (
	"fmt"
	"math/big"

	"github.com/millrace-hdl/millrace/hdl/diag"
	"github.com/millrace-hdl/millrace/hdl/ir"
)

// Value is what can be read: a [Signal], a [Var] or a literal [K].
type Value interface {
	// resolve is the value as a Signal; t is the type that the context asks for, nil
	// where it asks for none. The receiver of problems is m.
	resolve(m *Module, t *ir.Type) Signal
}

// Signal is a readable value of a fixed width. The zero Signal is unbound; using
// it is an error. Signals cannot be compared with ==: use [Signal.Eq].
type Signal struct {
	_   [0]func()
	m   *Module // nil for a constant or an unbound type
	e   ir.Expr // nil if unbound or invalid
	typ ir.Type // of an unbound signal
	bad bool    // an error was reported where this came from
}

// Var is a Signal that can be assigned: a wire, a register, an output port or an
// input of an instance, or some bits of one. An unbound Var made by [U], [S],
// [Bool] or [Enum.Type] is a type.
type Var struct {
	Signal
	sig   *ir.Signal
	lo, w int
}

// K is a literal that takes width and signedness from its context, where it must
// fit. Negative values need a signed context, except -1, which stands for all ones.
type K int64

// U is the type of unsigned vectors of w bits.
func U(w int) Var { return Var{Signal: Signal{typ: ir.Type{Width: w}}} }

// S is the type of signed (two's complement) vectors of w bits.
func S(w int) Var { return Var{Signal: Signal{typ: ir.Type{Width: w, Signed: true}}} }

// Bool is the type of one unsigned bit.
func Bool() Var { return U(1) }

// Const is the unsigned constant v of w bits; v must fit.
func Const(w int, v uint64) Signal {
	if w < 64 && w > 0 && v>>w != 0 {
		return Signal{typ: ir.Type{Width: w}, bad: true}
	}
	return Signal{e: ir.NewConst(ir.Type{Width: w}, v)}
}

// BigConst is the unsigned constant v modulo 2^w.
func BigConst(w int, v *big.Int) Signal {
	mod := new(big.Int).Mod(v, new(big.Int).Lsh(big.NewInt(1), uint(w)))
	c := ir.NewConst(ir.Type{Width: w}, 0)
	word, mask := new(big.Int), new(big.Int).SetUint64(^uint64(0))
	for i := range c.Words {
		c.Words[i] = word.And(mod, mask).Uint64()
		mod.Rsh(mod, 64)
	}
	return Signal{e: c}
}

// Ones is the constant of w bits that are all one.
func Ones(w int) Signal {
	return BigConst(w, big.NewInt(-1))
}

// Width is the number of bits; it is 1 for an invalid signal.
func (s Signal) Width() int {
	switch {
	case s.e != nil:
		return s.e.Type().Width
	case s.typ.Width > 0:
		return s.typ.Width
	}
	return 1
}

// Signed reports whether the value is two's complement.
func (s Signal) Signed() bool {
	if s.e != nil {
		return s.e.Type().Signed
	}
	return s.typ.Signed
}

func (s Signal) resolve(m *Module, _ *ir.Type) Signal {
	switch {
	case s.bad:
		if s.m == nil && s.e == nil && s.typ.Width > 0 {
			m.report(diag.Literal, fmt.Sprintf("the constant does not fit in %d bits", s.typ.Width), "make it wider")
		}
		return Signal{bad: true, m: m, typ: s.typ}
	case s.e == nil && s.typ.Width > 0:
		m.report(diag.Unbound, fmt.Sprintf("type %s is used as a signal", s.typ), "bind it first with Ports, Wire or Reg")
		return Signal{bad: true, m: m, typ: s.typ}
	case s.e == nil:
		m.report(diag.Unbound, "a zero Signal is used", "every field of an interface needs a type such as hdl.U(8)")
		return Signal{bad: true, m: m}
	case s.m != nil && s.m != m:
		m.report(diag.Owner, fmt.Sprintf("%s belongs to module %s and is used in %s", describe(s.e), s.m.ir.Name, m.ir.Name),
			"pass it through a port")
		return Signal{bad: true, m: m, typ: s.e.Type()}
	}
	s.m = m
	return s
}

func (k K) resolve(m *Module, t *ir.Type) Signal {
	if t == nil {
		m.report(diag.Literal, fmt.Sprintf("the literal %d has no width to take here", int64(k)), "use hdl.Const(width, value)")
		return Signal{bad: true, m: m}
	}
	lo, hi := int64(0), int64(-1) // hi -1: no upper limit in int64
	if t.Signed {
		if t.Width < 64 {
			lo, hi = -1<<(t.Width-1), 1<<(t.Width-1)-1
		} else {
			lo = -1 << 63
		}
	} else if t.Width < 63 {
		hi = 1<<t.Width - 1
	}
	v := int64(k)
	allOnes := !t.Signed && v == -1
	if !allOnes && (v < lo || hi >= 0 && v > hi) {
		m.report(diag.Literal, fmt.Sprintf("the literal %d does not fit in %s (%d to %d)", v, *t, lo, hi), "widen the other operand")
		return Signal{bad: true, m: m, typ: *t}
	}
	c := ir.NewConst(ir.Type{Width: t.Width, Signed: t.Signed, Enum: t.Enum}, uint64(v))
	if v < 0 {
		for i := 1; i < len(c.Words); i++ {
			c.Words[i] = ^uint64(0)
		}
		c = &ir.Const{Typ: c.Typ, Words: c.Words}
		maskTop(c)
	}
	c.Pos = m.here()
	return Signal{m: m, e: c}
}

func maskTop(c *ir.Const) {
	if r := c.Typ.Width % 64; r != 0 {
		c.Words[len(c.Words)-1] &= 1<<r - 1
	}
}

// describe names an expression in messages.
func describe(e ir.Expr) string {
	switch e := e.(type) {
	case *ir.Ref:
		return e.Signal.Name
	case *ir.Slice:
		if r, ok := e.X.(*ir.Ref); ok {
			return fmt.Sprintf("%s[%d:%d]", r.Signal.Name, e.Lo+e.Width-1, e.Lo)
		}
	}
	return "the value"
}
