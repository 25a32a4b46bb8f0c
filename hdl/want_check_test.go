package hdl_test

import (
	"github.com/millrace-hdl/millrace/hdl"
	"github.com/millrace-hdl/millrace/hdl/ir"
)

var checkCases = []hdl.Build[none, ports]{
	wrongStraddle,
	rightModule, wrongUndriven, wrongUndrivenInstance,
	rightOrder, wrongOverlap, wrongOverlapInHelpers, wrongCrossing,
	rightPaths, wrongLatch, wrongLatchPath,
	rightVectors, wrongLoop, wrongLoopThroughInstance,
	rightUnused, wrongUnused,
	wrongNames, wrongClash, wrongReserved,
}

func rightModule(m *hdl.Module, _ none) ports {
	en, y := m.In("en", hdl.Bool()), m.Out("y", hdl.U(8))
	count := m.Reg("count", hdl.U(8))
	m.If(en, func() { count.Set(count.Add(hdl.K(1))) })
	y.Set(count)
	return ports{en, y}
}

func wrongUndriven(m *hdl.Module, _ none) ports {
	a := m.In("a", hdl.U(4))
	y := m.Out("y", hdl.U(8))                // want "undriven: bits 7:4 of output y .8 bits. are never assigned; assign it, or declare it with hdl.Default"
	z := m.Out("z", hdl.U(8))                // want "undriven: output z is never assigned"
	r := m.Reg("r", hdl.U(4))                // want "undriven: register r is never assigned: it stays at its reset value; assign it, or use a constant"
	q := m.Reg("q", hdl.U(4), hdl.NoReset()) // want "undriven: bit 3 of register q .4 bits. is never assigned and without reset"
	ram := m.Mem("ram", hdl.U(4), 16)        // want "undriven: memory ram is never written: its contents stay undefined"
	q.Part(0, 3).Set(a.Bits(2, 0))
	y.Part(0, 4).Set(a.Xor(r).Xor(q).Xor(ram.Read(a)))
	return ports{a, y, z}
}

func pass(m *hdl.Module, _ none) ports {
	a, y := m.In("a", hdl.U(4)), m.Out("y", hdl.U(4))
	y.Set(a.Not())
	return ports{a, y}
}

func wrongUndrivenInstance(m *hdl.Module, _ none) ports {
	y := m.Out("y", hdl.U(4))
	u := hdl.Inst(m, "u", pass, none{}) // want "undriven: input a of instance u is never assigned; connect it"
	y.Set(u[1])
	return ports{y}
}

func rightOrder(m *hdl.Module, _ none) ports {
	a, y := m.In("a", hdl.U(4)), m.Out("y", hdl.U(4))
	y.Set(hdl.K(0))
	y.Part(0, 1).Set(a.Bit(0))
	m.If(a.Bit(3), func() { y.Set(a) })
	return ports{a, y}
}

func wrongOverlap(m *hdl.Module, _ none) ports {
	a, y := m.In("a", hdl.U(4)), m.Out("y", hdl.U(4))
	m.If(a.Any(), func() { y.Set(a) })
	y.Set(hdl.K(0)) // want "overlap: this assignment of y hides an earlier one of y, which never takes effect; remove one of them, or put the later one under a condition . [0-9]+: the hidden assignment is here"
	y.Set(a)        // want "overlap: "
	return ports{a, y}
}

// The second call hides what the first one assigned.
func wrongOverlapInHelpers(m *hdl.Module, _ none) ports {
	a, b, y := m.In("a", hdl.U(4)), m.In("b", hdl.U(4)), m.Out("y", hdl.U(4))
	drive := func(v hdl.Signal) { m.Helper(); y.Set(v) }
	drive(a.Signal)
	drive(b.Signal) // want "overlap: this assignment of y hides an earlier one of y"
	return ports{a, b, y}
}

func wrongCrossing(m *hdl.Module, _ none) ports {
	a, y := m.In("a", hdl.U(8)), m.Out("y", hdl.U(8))
	y.Part(0, 5).Set(a.Bits(4, 0))
	y.Part(4, 4).Set(a.Bits(7, 4)) // want "multiple: y.4. is driven here and, as part of y.4:0., by an earlier assignment; assign each bit once . [0-9]+: the earlier assignment is here"
	return ports{a, y}
}

func rightPaths(m *hdl.Module, _ none) ports {
	a, y := m.In("a", hdl.U(1)), m.Out("y", hdl.U(4))
	z := m.Out("z", hdl.U(4), hdl.Default(hdl.K(3)))
	m.Switch(a).
		Case(hdl.K(0), func() { y.Set(hdl.K(1)) }).
		Case(hdl.K(1), func() { y.Set(hdl.K(2)); z.Set(hdl.K(2)) })
	return ports{a, y, z}
}

func wrongLatch(m *hdl.Module, _ none) ports {
	a := m.In("a", hdl.Bool())
	y := m.Out("y", hdl.U(4)) // want "latch: bits 1:0 of output y .4 bits. are not assigned on every path; assign it on every path, declare it with hdl.Default, or make it a register . [0-9]+: when no condition of this if holds, y.0. is not assigned: there is no else"
	y.Part(2, 2).Set(hdl.K(0))
	m.If(a, func() { y.Part(0, 2).Set(hdl.K(1)) })
	return ports{a, y}
}

func wrongLatchPath(m *hdl.Module, _ none) ports {
	states := hdl.NewEnum("state", "idle", "busy", "done")
	a, s := m.In("a", hdl.Bool()), m.In("s", states.Type())
	y := m.Out("y", hdl.Bool()) // want "latch: .* . [0-9]+: when the switch takes case busy .1., y is not assigned . [0-9]+: when no condition of this if holds"
	z := m.Out("z", hdl.Bool()) // want "latch: .* . [0-9]+: for value 3 this switch has no case and no default, and z is not assigned"
	m.Switch(s).
		Case(states.K("idle"), func() { y.Set(hdl.K(0)); z.Set(hdl.K(0)) }).
		Case(states.K("busy"), func() {
			z.Set(hdl.K(0))
			m.If(a, func() { y.Set(hdl.K(1)) })
		}).
		Case(states.K("done"), func() { y.Set(hdl.K(0)); z.Set(hdl.K(1)) })
	return ports{a, s, y, z}
}

// A carry through one vector is no loop, since no bit depends on itself.
func rightVectors(m *hdl.Module, _ none) ports {
	a, y := m.In("a", hdl.U(8)), m.Out("y", hdl.U(8))
	carry := m.Wire("carry", hdl.U(9))
	carry.Part(0, 1).Set(hdl.K(1))
	for i := range 8 {
		carry.Part(i+1, 1).Set(carry.Bit(i).And(a.Bit(i)))
	}
	y.Set(carry.Bits(8, 1))
	u := hdl.Inst(m, "u", pass, none{})
	u[0].Set(hdl.Cat(u[1].Bits(2, 0), a.Bit(0)))
	return ports{a, y}
}

func wrongLoop(m *hdl.Module, _ none) ports {
	a, y := m.In("a", hdl.Bool()), m.Out("y", hdl.Bool())
	v, w := m.Wire("v", hdl.U(2)), m.Wire("w", hdl.U(2), hdl.Default(hdl.K(0)))
	v.Set(hdl.Cat(w.Bit(0), a)) // want "loop: combinational loop: v.1. ← w.0. ← v.1.; break it with a register . [0-9]+: v.1. is computed from w.0. here . [0-9]+: w.0. is assigned here under a condition on v.1."
	m.If(v.Bit(1), func() { w.Part(0, 1).Set(hdl.K(1)) })
	y.Set(w.Bit(0).Xor(w.Bit(1)).Xor(v.Bit(0)))
	return ports{a, y}
}

func wrongLoopThroughInstance(m *hdl.Module, _ none) ports {
	y := m.Out("y", hdl.U(4))
	u := hdl.Inst(m, "u", pass, none{})
	u[0].Set(u[1]) // want "loop: combinational loop: u_a.0. ← u_y.0. ← u.y.0. ← u.a.0. ← u_a.0.;"
	y.Set(u[1])
	return ports{y}
}

func rightUnused(m *hdl.Module, _ none) ports {
	a, y := m.In("a", hdl.U(4), hdl.MayBeUnused()), m.Out("y", hdl.U(4))
	m.Let("_debug", y.Not())
	m.RegNext("shadow", y.Signal, hdl.MayBeUnused())
	y.Set(hdl.K(1))
	return ports{a, y}
}

func wrongUnused(m *hdl.Module, _ none) ports {
	a, b, y := m.In("a", hdl.U(4)), m.In("b", hdl.U(2)), m.Out("y", hdl.U(4)) // want "unused: input a is never read; remove it, or declare it with hdl.MayBeUnused.."
	m.Wire("w", hdl.U(4))                                                     // want "unused: wire w is neither assigned nor read"
	m.Let("v", y.Not())                                                       // want "unused: wire v is assigned and never read"
	r := m.Reg("r", hdl.U(4))                                                 // want "unused: register r is read only to compute its own next value"
	r.Set(r.Add(hdl.K(1)))
	m.Mem("ram", hdl.U(4), 4).Write(b, hdl.K(1)) // want "unused: memory ram is never read"
	lut := m.Mem("lut", hdl.U(4), 4)             // want "unused: memory lut is never read"
	lut.Write(b, hdl.K(1))
	lut.SyncRead("lut_data", b, b.Any(), ir.OldData)
	u := hdl.Inst(m, "u", pass, none{}) // want "unused: no output of instance u is read"
	u[0].Set(hdl.K(1))
	y.Set(hdl.K(1))
	return ports{a, b, y}
}

func wrongNames(m *hdl.Module, _ none) ports {
	a := m.In("Data", hdl.Bool()) // want "name: an input has a malformed name: .Data.; use lower-case letters, digits and single underscores"
	b := m.In("", hdl.Bool())     // want "name: an input has no name; name it"
	y := m.Out("y_", hdl.Bool())  // want "name: an output has a malformed name: .y_."
	y.Set(a.And(b))
	return ports{a, b, y}
}

func wrongClash(m *hdl.Module, _ none) ports {
	a := m.In("a", hdl.U(4))
	b := m.In("a", hdl.U(4)) // want "name: input a has the name of input a; rename one of them; case does not distinguish names . [0-9]+: the other is declared here"
	u := m.Out("u_y", hdl.U(4))
	c := hdl.Inst(m, "u", pass, none{}) // want "name: instance port u_y has the name of output u_y"
	c[0].Set(a.Xor(b))
	u.Set(c[1])
	return ports{a, b, u}
}

func wrongReserved(m *hdl.Module, _ none) ports {
	a := m.In("input", hdl.Bool()) // want "name: input input has a reserved name: a SystemVerilog keyword; rename it, for example to input_i"
	b := m.In("rst_n", hdl.Bool()) // want "name: input rst_n has the name of the implicit reset; rename it; clock and reset are not declared"
	y := m.Out("y", hdl.Bool())
	y.Set(a.And(b))
	return ports{a, b, y}
}

func wrongStraddle(m *hdl.Module, _ none) ports {
	a, y := m.In("a", hdl.U(8)), m.Out("y", hdl.U(8))
	y.Part(0, 5).Set(a.Bits(4, 0))
	y.Part(4, 4).Set(a.Bits(7, 4)) // want "multiple: y.4. is driven here and, as part of y.4:0., by an earlier assignment"
	return ports{a, y}
}
