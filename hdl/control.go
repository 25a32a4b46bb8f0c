package hdl

import (
	"fmt"

	"github.com/millrace-hdl/millrace/hdl/diag"
	"github.com/millrace-hdl/millrace/hdl/ir"
)

// Set assigns v from here on, within the If and Switch around it: a wire carries
// it in this cycle, a register from the next. Widths and signedness are equal.
func (v Var) Set(x Value) {
	if v.bad || v.m == nil {
		if m := moduleOf(x); m != nil && !v.bad {
			m.report(diag.Unbound, "Set on a type or a zero Var", "bind it first with Ports, Wire or Reg")
		}
		return
	}
	m := v.m
	if v.sig == nil || !v.sig.Kind.Driven() {
		name, kind := describe(v.e), "an expression"
		if v.sig != nil {
			name, kind = v.sig.Name, "a "+v.sig.Kind.String()
		}
		m.report(diag.Misuse, fmt.Sprintf("%s is %s and cannot be assigned", name, kind), "assign a wire, a register, an output or an instance's input")
		return
	}
	t := ir.Type{Width: v.w, Signed: v.sig.Type.Signed && v.w == v.sig.Type.Width, Enum: v.sig.Type.Enum}
	y := x.resolve(m, &t)
	if y.bad || !m.sameType(v.Signal, y, "assignment") {
		return
	}
	var s ir.Stmt = &ir.Assign{Target: v.sig, Lo: v.lo, Width: v.w, Value: y.e, Pos: m.here()}
	if en := m.enables[v.sig]; en != nil {
		s = &ir.If{Arms: []ir.Arm{{Cond: en, Body: []ir.Stmt{s}, Pos: s.Position()}}, Pos: s.Position()}
	}
	m.add(s)
}

// Part is the assignable part of w bits from bit lo up.
func (v Var) Part(lo, w int) Var {
	s := v.slice(lo, w)
	if s.bad {
		return Var{Signal: s}
	}
	return Var{Signal: s, sig: v.sig, lo: v.lo + lo, w: w}
}

func (m *Module) condition(c Value, what string) Signal {
	t := ir.Type{Width: 1}
	s := c.resolve(m, &t)
	if !s.bad && !s.e.Type().Same(t) {
		m.report(diag.Width, fmt.Sprintf("the condition of %s, %s, is %s; it must be one unsigned bit", what, describe(s.e), s.e.Type()),
			"compare it, or use Any")
		return Signal{m: m, bad: true}
	}
	return s
}

// nested runs f with its statements collected apart.
func (m *Module) nested(f func()) []ir.Stmt {
	outer, list := m.body, []ir.Stmt{}
	m.body = &list
	defer func() { m.body = outer }()
	f()
	return list
}

// Chain continues an [Module.If].
type Chain struct {
	m    *Module
	stmt *ir.If
	done bool
}

// If runs the statements of body where the one-bit condition holds.
func (m *Module) If(cond Value, body func()) *Chain {
	c := &Chain{m: m, stmt: &ir.If{Pos: m.here()}}
	m.add(c.stmt)
	return c.arm(cond, body)
}

// ElseIf runs body where cond holds and no condition before it did.
func (c *Chain) ElseIf(cond Value, body func()) *Chain { return c.arm(cond, body) }

// Else runs body where no condition held.
func (c *Chain) Else(body func()) {
	if c.done {
		c.m.report(diag.Misuse, "a second Else of one If", "remove it")
		return
	}
	c.done = true
	c.stmt.Else = c.m.nested(body)
}

func (c *Chain) arm(cond Value, body func()) *Chain {
	if c.done {
		c.m.report(diag.Misuse, "ElseIf after Else", "put Else last")
		return c
	}
	pos := c.m.here()
	s := c.m.condition(cond, "If")
	stmts := c.m.nested(body)
	if s.bad {
		s.e = ir.NewConst(ir.Type{Width: 1}, 0) // keeps the arm's assignments known
	}
	c.stmt.Arms = append(c.stmt.Arms, ir.Arm{Cond: s.e, Body: stmts, Pos: pos})
	return c
}

// Switch continues with Case and Default.
type Switch struct {
	m    *Module
	x    Signal
	stmt *ir.Switch
	seen map[string]bool
}

// Switch selects by the value of x.
func (m *Module) Switch(x Value) *Switch {
	sw := &Switch{m: m, x: x.resolve(m, nil), stmt: &ir.Switch{Pos: m.here()}, seen: map[string]bool{}}
	sw.stmt.Subject = sw.x.e
	if !sw.x.bad {
		m.add(sw.stmt)
	}
	return sw
}

// Case runs body where x equals the constant.
func (sw *Switch) Case(v Value, body func()) *Switch { return sw.CaseIn([]Value{v}, body) }

// CaseIn runs body where x equals one of the constants.
func (sw *Switch) CaseIn(values []Value, body func()) *Switch {
	c := ir.Case{Pos: sw.m.here()}
	for _, v := range values {
		if sw.x.bad {
			break
		}
		t := sw.x.e.Type()
		s := v.resolve(sw.m, &t)
		if s.bad || !sw.m.sameType(sw.x, s, "Case") {
			continue
		}
		k, ok := s.e.(*ir.Const)
		if !ok {
			sw.m.report(diag.Misuse, fmt.Sprintf("Case on %s, which is not a constant", describe(s.e)), "use If")
			continue
		}
		key := fmt.Sprint(k.Words)
		if sw.seen[key] {
			sw.m.report(diag.Misuse, fmt.Sprintf("the value %#x has a case already", k.Words[0]), "remove one of them")
			continue
		}
		sw.seen[key] = true
		c.Values = append(c.Values, k)
	}
	c.Body = sw.m.nested(body)
	if len(c.Values) > 0 {
		sw.stmt.Cases = append(sw.stmt.Cases, c)
	}
	return sw
}

// Default runs body where x equals none of the cases.
func (sw *Switch) Default(body func()) {
	if sw.stmt.HasDefault {
		sw.m.report(diag.Misuse, "a second Default of one Switch", "remove it")
		return
	}
	sw.stmt.HasDefault = true
	sw.stmt.Default = sw.m.nested(body)
}
