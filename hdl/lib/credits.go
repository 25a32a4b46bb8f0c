package lib

import (
	"cmp"
	"fmt"

	"github.com/millrace-hdl/millrace/hdl"
)

// CreditParams are the parameters of [Credits].
type CreditParams struct {
	Credits int // how many there are, at least 1; all are available after reset
}

// Validate requires what the field says.
func (p CreditParams) Validate() error { return atLeast("credit counter", "Credits", p.Credits, 1) }

// CreditIO is the interface of [Credits].
type CreditIO struct {
	Take      hdl.Var `hdl:"in"` // one credit less, only while Available
	Give      hdl.Var `hdl:"in"` // one credit more, only of those taken
	Available hdl.Var // a credit can be taken
	Left      hdl.Var // credits that can be taken
}

// Credits counts the free places of a receiver on the sender's side. A credit that
// is given can be taken in the next cycle. No output depends on an input within a
// cycle.
func Credits(m *hdl.Module, p CreditParams) CreditIO {
	m.Doc(fmt.Sprintf("Counts %d credits.", p.Credits))
	io := hdl.Ports(m, "", hdl.Source, CreditIO{hdl.Bool(), hdl.Bool(), hdl.Bool(), hdl.U(hdl.AddrBits(p.Credits + 1))})
	left := m.Reg("left_q", io.Left, hdl.Init(hdl.K(p.Credits)))
	m.If(io.Take.AndNot(io.Give), func() { left.Set(left.Sub(hdl.K(1))) }).
		ElseIf(io.Give.AndNot(io.Take), func() { left.Set(left.Add(hdl.K(1))) })
	io.Left.Set(left)
	io.Available.Set(left.Any())
	m.Assume("take_what_is_available", hdl.Implies(io.Take.Signal, io.Available.Signal))
	m.Assume("give_what_was_taken", hdl.Implies(io.Give.Signal, left.Ne(hdl.K(p.Credits))))
	m.Assert("never_more_than_there_are", left.Le(hdl.K(p.Credits)))
	m.Cover("all_taken", left.None())
	return io
}

// CounterParams are the parameters of [Counter].
type CounterParams struct {
	Min, Max int  // the limits, 0 ≤ Min < Max; the count starts at Min
	Saturate bool // stays at a limit instead of going on at the other one
}

// Validate requires what the fields say.
func (p CounterParams) Validate() error {
	return cmp.Or(atLeast("counter", "Min", p.Min, 0), atLeast("counter", "Max", p.Max, p.Min+1))
}

// Suffix names the variant.
func (p CounterParams) Suffix() string {
	s := fmt.Sprintf("%d_%d", p.Min, p.Max)
	if p.Saturate {
		s += "_saturate"
	}
	return s
}

// CounterIO is the interface of [Counter].
type CounterIO struct {
	Up    hdl.Var `hdl:"in"` // one more; with Down it stays
	Down  hdl.Var `hdl:"in"` // one less
	Load  hdl.Var `hdl:"in"` // takes Value, whatever Up and Down say
	Value hdl.Var `hdl:"in"` // within the limits where Load is one
	Count hdl.Var
	AtMin hdl.Var
	AtMax hdl.Var
}

// Counter counts up and down between limits, both included. The outputs come from
// the register that the edge before has set.
func Counter(m *hdl.Module, p CounterParams) CounterIO {
	m.Doc(fmt.Sprintf("Counts from %d to %d.", p.Min, p.Max))
	t := hdl.U(hdl.AddrBits(p.Max + 1))
	io := hdl.Ports(m, "", hdl.Source, CounterIO{hdl.Bool(), hdl.Bool(), hdl.Bool(), t, t, hdl.Bool(), hdl.Bool()})
	count := m.Reg("count_q", t, hdl.Init(hdl.K(p.Min)))
	io.Count.Set(count)
	io.AtMin.Set(count.Eq(hdl.K(p.Min)))
	io.AtMax.Set(count.Eq(hdl.K(p.Max)))
	// step moves by one, or from one limit on to the other.
	step := func(at hdl.Var, next hdl.Signal, other int) {
		switch whole := p.Min == 0 && p.Max == 1<<t.Width()-1; {
		case p.Saturate:
			m.If(at.Not(), func() { count.Set(next) })
		case whole: // it wraps by itself
			count.Set(next)
		default:
			count.Set(hdl.Mux(at, hdl.K(other), next))
		}
	}
	m.If(io.Load, func() { count.Set(io.Value) }).
		ElseIf(io.Up.AndNot(io.Down), func() { step(io.AtMax, count.Add(hdl.K(1)), p.Min) }).
		ElseIf(io.Down.AndNot(io.Up), func() { step(io.AtMin, count.Sub(hdl.K(1)), p.Max) })
	within := func(x hdl.Signal) hdl.Signal {
		return hdl.AllOf(x.Ge(hdl.K(p.Min)), x.Le(hdl.K(p.Max)))
	}
	if p.Min > 0 || p.Max < 1<<t.Width()-1 {
		m.Assume("loads_within_limits", hdl.Implies(io.Load.Signal, within(io.Value.Signal)))
		m.Assert("within_limits", within(count.Signal))
	}
	m.Cover("reaches_max", io.AtMax)
	return io
}
