package hdl_test

import "github.com/millrace-hdl/millrace/hdl"

// What is wrong with clock domains while a module is built.
var domainCases = []hdl.Build[none, ports]{wrongDomains, wrongBinding, wrongMemoryAcross, wrongOldDataAcross, rightDomains}

func wrongDomains(m *hdl.Module, _ none) ports {
	a, y := m.In("a", hdl.U(8)), m.Out("y", hdl.U(8))
	io := m.Domain("io", hdl.WithoutReset())
	m.Domain("io")                                                   // want "name: two clock domains are called io; rename one of them"
	m.Domain("")                                                     // want "name: a clock domain has no name"
	m.Domain("x", hdl.NoReset())                                     // want "misuse: option NoReset does not suit domain x; it is for registers"
	m.Reg("r", hdl.U(8), hdl.On(nil), hdl.MayBeUnused()).Set(a)      // want "unbound: a clock domain is missing; pass what Domain or DefaultDomain returned"
	m.Wire("w", hdl.U(8), hdl.On(io), hdl.MayBeUnused()).Set(a)      // want "misuse: option On does not suit a wire, w; it is for registers"
	m.Wire("z", hdl.U(8), hdl.Crosses(""), hdl.MayBeUnused()).Set(a) // want "misuse: option Crosses does not suit a wire, z"
	y.Set(a)
	return ports{a, y}
}

func clocked(m *hdl.Module, _ none) ports {
	d := m.Domain("fast")
	a, y := m.In("a", hdl.U(8), hdl.On(d)), m.Out("y", hdl.U(8), hdl.On(d))
	y.Set(m.RegNext("q", a, hdl.On(d)))
	return ports{a, y}
}

func wrongBinding(m *hdl.Module, _ none) ports {
	var foreign *hdl.Domain
	hdl.Inst(m, "u_in", func(m *hdl.Module, _ none) none { foreign = m.Domain("fast"); return none{} }, none{}) // want "unbound: clock domain fast of instance u_in has no clock; use hdl.Bind.*or declare a domain of that name"
	u := hdl.Inst(m, "u", clocked, none{}, hdl.Bind("fast", foreign), hdl.Bind("slow", m.DefaultDomain()))      // want "owner: a clock domain of module m_u_in is used in m; declare it in this module too" "misuse: module clocked of instance u has no clock domain slow"
	_ = u
	return ports{}
}

func wrongMemoryAcross(m *hdl.Module, _ none) ports {
	io := m.Domain("io")
	a := m.In("a", hdl.U(2))
	ram := m.Mem("ram", hdl.U(8), 4) // want "crossing: memory ram promises new data to read port q for a write port of another clock domain; across domains only undefined can be promised"
	w := ram.Write(a, hdl.K(1))
	ram.SyncRead("q", a, a.Bit(0), hdl.OldData, hdl.On(io), hdl.Crosses("a test"), hdl.During(w, hdl.NewData))
	return ports{a}
}

func wrongOldDataAcross(m *hdl.Module, _ none) ports {
	io := m.Domain("io")
	a := m.In("a", hdl.U(2))
	ram := m.Mem("ram", hdl.U(8), 4) // want "crossing: memory ram promises old data to read port q"
	w := ram.Write(a, hdl.K(1))
	ram.SyncRead("q", a, a.Bit(0), hdl.Undefined, hdl.On(io), hdl.Crosses("a test"), hdl.During(w, hdl.OldData))
	return ports{a}
}

func rightDomains(m *hdl.Module, _ none) ports {
	io := m.Domain("io", hdl.Falling(), hdl.WithReset(hdl.AsyncLow), hdl.ClockName("clk_io"))
	a, y := m.In("a", hdl.U(8), hdl.On(io)), m.Out("y", hdl.U(8), hdl.On(io))
	u := hdl.Inst(m, "u", clocked, none{}, hdl.Bind("fast", io))
	u[0].Set(a)
	ram := m.Mem("ram", hdl.U(8), 4, hdl.Contents(1, 2, 3))
	m.Within(io, func() {
		ram.Write(a.Trunc(2), a)
		y.Set(ram.SyncRead("q", u[1].Trunc(2), a.Bit(7), hdl.NewData))
	})
	return ports{a, y}
}
