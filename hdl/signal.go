package hdl

import (
	"fmt"

	"github.com/millrace-hdl/millrace/hdl/check"
	"github.com/millrace-hdl/millrace/hdl/diag"
	"github.com/millrace-hdl/millrace/hdl/ir"
)

// Value is what can be read: a [Signal], a [Var] or a literal [K].
type Value interface {
	// resolve is the value as a Signal; t is the type that the context asks for, nil
	// where it asks for none. Problems are reported to m; where m is nil, among
	// constants, the result carries them to its first use in a module.
	resolve(m *Module, t *ir.Type) Signal
	// owner is the module that the value belongs to, nil for a constant or a type.
	owner() *Module
}

// Signal is a readable value of a fixed width. The zero Signal is unbound; using
// it is an error. Signals cannot be compared with ==: use [Signal.Eq].
type Signal struct {
	_    [0]func()
	m    *Module // nil for a constant or an unbound type
	e    ir.Expr // nil if unbound or invalid
	typ  ir.Type // of an unbound or invalid signal
	bad  bool    // there is a mistake where this came from
	late *diag.Diagnostic
}

// Var is a Signal that can be assigned: a wire, a register, an output port or an
// input of an instance, or some bits of one. An unbound Var made by [U], [S],
// [Bool] or [Enum.Type] is a type.
type Var struct {
	Signal
	sig   *ir.Signal
	lo, w int
	index ir.Expr // of the lane of w bits that this is; nil for a fixed place
}

// U is the type of unsigned vectors of w bits.
func U(w int) Var { return vector(w, false) }

// S is the type of signed (two's complement) vectors of w bits.
func S(w int) Var { return vector(w, true) }

// vector is the type of that width, invalid if it has no bits.
func vector(w int, signed bool) Var {
	if w < 1 {
		return Var{Signal: fail(nil, ir.Type{Width: 1, Signed: signed}, diag.Range, fmt.Sprintf("a type has %s", counted(w, "bit")),
			fmt.Sprintf("widths are 1 to %d; leave out what has no bits", check.MaxWidth))}
	}
	return Var{Signal: Signal{typ: ir.Type{Width: w, Signed: signed}}}
}

// Bool is the type of one unsigned bit.
func Bool() Var { return U(1) }

// Width is the number of bits; it is 1 for an invalid signal.
func (s Signal) Width() int { return max(s.shape().Width, 1) }

// Signed reports whether the value is two's complement.
func (s Signal) Signed() bool { return s.shape().Signed }

// shape is the type, also of an unbound or invalid signal.
func (s Signal) shape() ir.Type {
	if s.e != nil {
		return s.e.Type()
	}
	return s.typ
}

func (s Signal) owner() *Module { return s.m }

func (s Signal) resolve(m *Module, _ *ir.Type) Signal {
	switch {
	case s.bad:
		if m != nil && s.late != nil {
			m.reportLate(s.late)
			s.late = nil
		}
		if s.m == nil {
			s.m = m
		}
		return s
	case s.e == nil && s.typ.Width > 0:
		return fail(m, s.typ, diag.Unbound, fmt.Sprintf("type %s is used as a signal", s.typ), "bind it first with Ports, Wire or Reg")
	case s.e == nil:
		return fail(m, s.typ, diag.Unbound, "a zero Signal is used", "every field of an interface needs a type such as hdl.U(8)")
	case s.m != nil && s.m != m:
		return fail(m, s.e.Type(), diag.Owner, fmt.Sprintf("%s belongs to module %s and is used in %s", describe(s.e), s.m.ir.Name, m.ir.Name),
			"pass it through a port")
	}
	s.m = m
	return s
}

// value resolves an operand that may be missing.
func value(v Value, m *Module, t *ir.Type) Signal {
	if v == nil {
		return fail(m, ir.Type{}, diag.Unbound, "a value is missing", "pass a Signal, a Var or a literal K")
	}
	return v.resolve(m, t)
}

// moduleOf is the module in which an operation on the values takes place: the one
// under construction, whichever module the values belong to. It is nil if all are
// constants or types.
func moduleOf(vs ...Value) *Module {
	var finished *Module
	for _, v := range vs {
		if v == nil {
			continue
		}
		if m := v.owner(); m != nil {
			if now := m.design.active; now != nil {
				return now
			}
			finished = m
		}
	}
	return finished
}

// fail reports a mistake and returns an invalid signal of the type that the value
// would have had.
func fail(m *Module, t ir.Type, code diag.Code, message, fix string) Signal {
	s := Signal{m: m, typ: t, bad: true}
	if m != nil {
		m.report(code, message, fix)
	} else {
		s.late = &diag.Diagnostic{Code: code, Pos: ir.Here(nil), Message: message, Fix: fix}
	}
	return s
}

// invalid is a signal of type t that follows from the invalid s.
func (s Signal) invalid(t ir.Type) Signal { return Signal{m: s.m, typ: t, bad: true, late: s.late} }

func (s Signal) here() ir.Pos {
	if s.m == nil {
		return ir.Here(nil)
	}
	return s.m.here()
}
