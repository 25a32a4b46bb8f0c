package hdl_test

import "github.com/millrace-hdl/millrace/hdl"

// What is wrong with clock domains while a module is built.
var domainCases = []hdl.Build[none, ports]{wrongDomains, wrongBinding, wrongMemoryAcross, wrongOldDataAcross, wrongResetName, rightDomains, wrongAcross, wrongAcrossInstances, rightSynchroniser}

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

func wrongAcross(m *hdl.Module, _ none) ports {
	io := m.Domain("io")
	a, y := m.In("a", hdl.U(4), hdl.On(io)), m.Out("y", hdl.U(4))
	flags := m.Reg("flags_q", hdl.U(4), hdl.On(io))
	flags.Set(a)
	any := m.Let("any", flags.Any())
	seen := m.Reg("seen_q", hdl.Bool())
	m.If(any, func() { seen.Set(hdl.K(1)) }) // want "crossing: register seen_q of clock clk takes register flags_q of clock io_clk without synchronisation: seen_q ← any ← flags_q.0.; put a synchroniser between them, such as lib.Sync, or say with hdl.Crosses why the register may take it . [0-9]+: register seen_q is declared here . [0-9]+: register flags_q is declared here$"
	late := m.Reg("late_q", hdl.Bool(), hdl.Crosses("A first stage."))
	late.Set(any) // want "crossing: register late_q of clock clk takes register flags_q of clock io_clk through logic, in which glitches arise: late_q ← any ← flags_q.0.; take it as it is, or put the result into a register of its clock domain first"
	y.Set(hdl.Cat(seen, late, hdl.Const(2, 0)))
	return ports{a, y}
}

func wrongAcrossInstances(m *hdl.Module, _ none) ports {
	io := m.Domain("io")
	a, y := m.In("a", hdl.U(8), hdl.On(io)), m.Out("y", hdl.U(8))
	u := hdl.Inst(m, "u", clocked, none{}, hdl.Bind("fast", io))
	v := hdl.Inst(m, "v", clocked, none{}, hdl.Bind("fast", m.DefaultDomain()))
	u[0].Set(a)
	v[0].Set(u[1]) // want "crossing: input a of instance v of clock clk takes output y of instance u of clock io_clk without synchronisation: v_a.0. ← u_y.0.; put a synchroniser between them, such as lib.Sync"
	y.Set(v[1])
	return ports{a, y}
}

// A synchroniser of one bit, and data that wait for it.
func rightSynchroniser(m *hdl.Module, _ none) ports {
	io := m.Domain("io")
	go_, data, y := m.In("start", hdl.Bool(), hdl.On(io)), m.In("data", hdl.U(8), hdl.On(io)), m.Out("y", hdl.U(8))
	req := m.RegNext("req_q", go_, hdl.On(io))
	first := m.RegNext("first_q", req, hdl.Crosses("The first stage of a synchroniser."))
	second := m.RegNext("second_q", first)
	taken := m.Reg("taken_q", hdl.U(8), hdl.Crosses("The data wait until the request has been seen."))
	m.If(second, func() { taken.Set(data) })
	y.Set(taken)
	return ports{go_, data, y}
}

func wrongResetName(m *hdl.Module, _ none) ports {
	m.Domain("io", hdl.ResetName("io_reset")) // want "misuse: the reset of domain io is called io_reset, and the emission chooses its level; say its kind with WithReset too, or leave the name to the language"
	return ports{}
}
