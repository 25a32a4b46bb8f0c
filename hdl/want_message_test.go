package hdl_test

import (
	"math/big"

	"github.com/millrace-hdl/millrace/hdl"
)

// What Go or an earlier check would tell in a way that helps nobody.
var messageCases = []hdl.Build[none, ports]{
	wrongMissingBodies, wrongMissingBodyOfState, wrongNil, wrongEmptyTypes, wrongBetween, rightBetween, wrongGenericInstances,
}

func wrongMissingBodies(m *hdl.Module, _ none) ports {
	a := m.In("a", hdl.Bool())
	m.If(a, nil). // want "misuse: If has no function; give it one, if only func.. ..$"
			ElseIf(a.Not(), nil). // want "misuse: ElseIf has no function"
			Else(nil)             // want "misuse: Else has no function"
	m.Switch(a).
		Case(hdl.K(0), nil). // want "misuse: Case has no function"
		Default(nil)         // want "misuse: Default has no function"
	m.Within(m.DefaultDomain(), nil) // want "misuse: Within has no function"
	return ports{a}
}

type lamp int

func (l lamp) String() string { return "lit" }

func wrongMissingBodyOfState(m *hdl.Module, _ none) ports {
	f := hdl.NewFSM(m, "lamp_q", []lamp{0}, hdl.MayBeUnused())
	f.On(0, nil) // want "misuse: On has no function"
	return nil
}

func wrongNil(m *hdl.Module, _ none) ports {
	y := m.Out("y", hdl.U(8))
	y.Set(hdl.BigConst(8, nil)) // want "literal: a constant has no value; pass a number: big.NewInt.0. for zero"
	y.Set(hdl.BigConst(8, big.NewInt(0)))
	return ports{y}
}

func wrongEmptyTypes(m *hdl.Module, _ none) ports {
	type io struct {
		A hdl.Var `hdl:"in"`
		Y hdl.Var
	}
	p := hdl.Ports(m, "", hdl.Source, io{A: hdl.U(0), Y: hdl.U(1)}) // want "range: a type has 0 bits; widths are 1 to 1048576; leave out what has no bits"
	p.Y.Set(p.A)
	p.Y.And(hdl.S(-1))                  // want "range: a type has -1 bits"
	m.Mem("t", hdl.U(0), 4)             // want "range: a type has 0 bits"
	m.Reg("r", hdl.S(0))                // want "range: a type has 0 bits"
	hdl.Regs(m, "p", io{p.A, hdl.U(0)}) // want "range: a type has 0 bits"
	return ports{p.A, p.Y}
}

// wrongBetween has statements where a reader of the RTL would not look for them.
func wrongBetween(m *hdl.Module, _ none) ports {
	a, b, y, z := m.In("a", hdl.Bool()), m.In("b", hdl.Bool()), m.Out("y", hdl.Bool()), m.Out("z", hdl.Bool())
	c := m.If(a, func() { y.Set(hdl.K(1)) })
	z.Set(b)
	c.Else(func() { y.Set(hdl.K(0)) }) // want "misuse: statements stand between Else and its If; put them before the If or after its last branch . [0-9]+: the If"
	d := m.If(a, func() {
		m.If(b, func() {})
	})
	m.If(b, func() {})
	d.ElseIf(b, func() {}) // want "misuse: statements stand between ElseIf and its If"
	return ports{a, b, y, z}
}

// rightBetween declares between an If and its Else, which is no statement.
func rightBetween(m *hdl.Module, _ none) ports {
	a, b, y, z := m.In("a", hdl.Bool()), m.In("b", hdl.Bool()), m.Out("y", hdl.Bool()), m.Out("z", hdl.Bool(), hdl.Default(hdl.K(0)))
	c := m.If(a, func() {
		inner := m.If(b, func() { z.Set(m.Let("named", a.And(b))) })
		inner.Else(func() { z.Set(a) })
		y.Set(m.RegNext("kept_q", b))
	})
	both := m.Let("both", a.Not().And(b))
	c = c.ElseIf(both, func() { y.Set(hdl.K(0)) })
	c.Else(func() { y.Set(hdl.K(1)) })
	return ports{a, b, y, z}
}

type narrow struct{}

type wide struct{}

// inverter is a generic module whose contents depend on its type argument.
func inverter[T any](m *hdl.Module, _ none) ports {
	a, y := m.In("a", hdl.U(4)), m.Out("y", hdl.U(4))
	if _, ok := any(*new(T)).(wide); ok {
		y.Set(a.Not())
	} else {
		y.Set(a)
	}
	return ports{a, y}
}

func wrongGenericInstances(m *hdl.Module, _ none) ports {
	a, y := m.In("a", hdl.U(4)), m.Out("y", hdl.U(4))
	u := hdl.Inst(m, "u", inverter[narrow], none{})
	v := hdl.Inst(m, "v", inverter[narrow], none{}) // the same module
	w := hdl.Inst(m, "w", inverter[wide], none{})   // want "name: two different modules are called inverter: instances of one generic function with equal parameters; name one of them with hdl.Named, or let its parameters have a field that tells the types apart"
	u[0].Set(a)
	v[0].Set(u[1])
	w[0].Set(v[1])
	y.Set(w[1])
	return ports{a, y}
}
