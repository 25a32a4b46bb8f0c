package hdl

import (
	"fmt"

	"github.com/millrace-hdl/millrace/hdl/diag"
	"github.com/millrace-hdl/millrace/hdl/ir"
)

// Set assigns v from here on, within the If and Switch around it: a wire carries
// it in this cycle, a register from the next. Widths and signedness are equal.
func (v Var) Set(x Value) {
	m := moduleOf(v, x)
	switch {
	case !v.bad && v.e == nil:
		const message, fix = "Set on a type or a zero Var", "bind it first with Ports, Wire or Reg"
		if m == nil {
			panic(message + "; " + fix) // elaboration reports it
		}
		m.report(diag.Unbound, message, fix)
		return
	case v.sig == nil && !v.bad:
		m.report(diag.Misuse, describe(v.e)+" is an expression and cannot be assigned", assignable)
		return
	}
	if v.resolve(m, nil).bad {
		return
	}
	if !v.sig.Kind.Driven() {
		m.report(diag.Misuse, fmt.Sprintf("%s is %s and cannot be assigned", v.sig.Name, kindOf(v.sig)), assignable)
		return
	}
	t := v.e.Type()
	y := value(x, m, &t)
	if y.bad || mismatch(m, v.Signal, y, "assignment").bad {
		return
	}
	a := &ir.Assign{Target: v.sig, Lo: v.lo, Width: v.w, Index: v.index, Value: y.e, Pos: m.here()}
	if a.Whole() { // a part is unsigned, even one of all bits
		a.Value = y.cast(v.sig.Type.Signed).e
	}
	var s ir.Stmt = a
	if en := m.enables[v.sig]; en != nil {
		s = &ir.If{Arms: []ir.Arm{{Cond: en, Body: []ir.Stmt{s}, Pos: a.Pos}}, Pos: a.Pos}
	}
	m.add(s)
}

const assignable = "assign a wire, a register, an output or an instance's input"

// Part is the assignable part of w bits from bit lo up. It is unsigned.
func (v Var) Part(lo, w int) Var {
	s := v.slice(lo, w)
	if v.index != nil && !s.bad {
		s = fail(s.m, s.shape(), diag.Misuse, "Part of a lane of "+v.sig.Name, "read the lane and set it as a whole")
	}
	if s.bad {
		return Var{Signal: s}
	}
	return Var{Signal: s, sig: v.sig, lo: v.lo + lo, w: w}
}

// nested runs f, the function given to what, with its statements collected apart.
func (m *Module) nested(what string, f func()) []ir.Stmt {
	outer, last, list := m.body, m.last, []ir.Stmt{}
	m.body = &list
	defer func() { m.body, m.last = outer, last }()
	m.run(what, f)
	return list
}

// run calls the function given to what, if there is one.
func (m *Module) run(what string, f func()) {
	if f == nil {
		m.report(diag.Misuse, what+" has no function", "give it one, if only func() {}")
		return
	}
	f()
}

// always runs f with its statements outside any If and Switch.
func (m *Module) always(f func()) {
	outer, last := m.body, m.last
	m.body = &m.ir.Body
	defer func() { m.body, m.last = outer, last }()
	f()
}

// Chain continues an [Module.If].
type Chain struct {
	m    *Module    // nil if nothing can follow
	in   *[]ir.Stmt // where the If stands
	stmt *ir.If
	done bool
}

// If runs the statements of body where the one-bit condition holds.
func (m *Module) If(cond Value, body func()) *Chain {
	if !m.live() {
		return &Chain{}
	}
	c := &Chain{m: m, in: m.body, stmt: &ir.If{Pos: m.here()}}
	m.add(c.stmt)
	c.arm("If", cond, body)
	return c
}

// ElseIf runs body where cond holds and no condition before it did.
func (c *Chain) ElseIf(cond Value, body func()) *Chain {
	if c.open("ElseIf") {
		c.arm("ElseIf", cond, body)
	}
	return c
}

// Else runs body where no condition held.
func (c *Chain) Else(body func()) {
	if c.open("Else") {
		c.done = true
		c.stmt.Else = c.m.nested("Else", body)
	}
}

// open reports whether the If can go on here.
func (c *Chain) open(with string) bool {
	switch {
	case c.m == nil || !c.m.live():
	case c.done && with == "Else":
		c.m.report(diag.Misuse, "a second Else of one If", "remove it")
	case c.done:
		c.m.report(diag.Misuse, "ElseIf after Else", "put Else last")
	case c.m.body != c.in:
		c.m.report(diag.Misuse, with+" stands in another block than its If", "put it right after the If", diag.Related{Pos: c.stmt.Pos, Message: "the If"})
	case c.m.last != c.stmt:
		c.m.report(diag.Misuse, "statements stand between "+with+" and its If", "put them before the If or after its last branch", diag.Related{Pos: c.stmt.Pos, Message: "the If"})
	default:
		return true
	}
	return false
}

func (c *Chain) arm(what string, cond Value, body func()) {
	pos := c.m.here()
	s := condition(c.m, cond, what)
	stmts := c.m.nested(what, body)
	if !s.bad {
		c.stmt.Arms = append(c.stmt.Arms, ir.Arm{Cond: s.e, Body: stmts, Pos: pos})
	}
}

// Switch continues with Case and Default.
type Switch struct {
	m    *Module    // nil if nothing can follow
	in   *[]ir.Stmt // where the Switch stands
	x    Signal
	stmt *ir.Switch
	seen map[string]bool
	done bool
}

// Switch selects by the value of x. Its cases act at its place, whatever stands
// between.
func (m *Module) Switch(x Value) *Switch {
	if !m.live() {
		return &Switch{}
	}
	sw := &Switch{m: m, in: m.body, x: value(x, m, nil), stmt: &ir.Switch{Pos: m.here()}, seen: map[string]bool{}}
	sw.stmt.Subject = sw.x.e
	if !sw.x.bad {
		m.add(sw.stmt)
	}
	return sw
}

// Case runs body where x equals the constant.
func (sw *Switch) Case(v Value, body func()) *Switch { return sw.CaseIn([]Value{v}, body) }

// CaseIn runs body where x equals one of the constants, of which there is at least
// one.
func (sw *Switch) CaseIn(values []Value, body func()) *Switch {
	if !sw.open("Case") {
		return sw
	}
	if len(values) == 0 {
		sw.m.report(diag.Misuse, "a case of no values", "give it one, or leave it out")
	}
	c := ir.Case{Pos: sw.m.here()}
	for _, v := range values {
		if k := sw.constant(v); k != nil {
			c.Values = append(c.Values, k)
		}
	}
	c.Body = sw.m.nested("Case", body)
	if len(c.Values) > 0 {
		sw.stmt.Cases = append(sw.stmt.Cases, c)
	}
	return sw
}

// constant is the value of a case, nil if it cannot be one.
func (sw *Switch) constant(v Value) *ir.Const {
	if sw.x.bad {
		return nil
	}
	t := sw.x.e.Type()
	s := value(v, sw.m, &t)
	if s.bad || mismatch(sw.m, sw.x, s, "Case").bad {
		return nil
	}
	k, ok := s.e.(*ir.Const)
	if !ok {
		sw.m.report(diag.Misuse, fmt.Sprintf("Case on %s, which is not a constant", describe(s.e)), "use If, or a K or Const")
		return nil
	}
	key := fmt.Sprint(k.Words)
	if sw.seen[key] {
		sw.m.report(diag.Misuse, fmt.Sprintf("the value %#x has a case already", k.Words[0]), "remove one of them")
		return nil
	}
	sw.seen[key] = true
	return k
}

// Default runs body where x equals none of the cases.
func (sw *Switch) Default(body func()) {
	if sw.open("Default") {
		sw.done = true
		sw.stmt.HasDefault = true
		sw.stmt.Default = sw.m.nested("Default", body)
	}
}

// open reports whether the Switch can go on here.
func (sw *Switch) open(with string) bool {
	switch {
	case sw.m == nil || !sw.m.live():
	case sw.done && with == "Default":
		sw.m.report(diag.Misuse, "a second Default of one Switch", "remove it")
	case sw.done:
		sw.m.report(diag.Misuse, "Case after Default", "put Default last")
	case sw.m.body != sw.in:
		sw.m.report(diag.Misuse, with+" stands in another block than its Switch", "put it right after the Switch", diag.Related{Pos: sw.stmt.Pos, Message: "the Switch"})
	default:
		return true
	}
	return false
}
