package hdl_test

import (
	"errors"

	"github.com/millrace-hdl/millrace/hdl"
)

var buildCases = []hdl.Build[none, ports]{
	rightWidths, wrongOperandWidths, wrongAssignmentWidth, wrongCondition, wrongResizing, wrongMemoryWidths,
	rightSigns, wrongSigns,
	rightLiterals, wrongLiterals, wrongLiteralWithoutContext,
	wrongRanges,
	wrongTypeAsSignal, wrongZeroSignal,
	wrongOwnerRead, wrongOwnerWrite,
	wrongAssignmentOfInput, wrongChains, wrongCases, wrongInterface, wrongPanic, wrongFollowOn,
	wrongParameters, wrongChildParameters,
	wrongMemoryPorts,
}

func rightWidths(m *hdl.Module, _ none) ports {
	a, b, y := m.In("a", hdl.U(8)), m.In("b", hdl.U(7)), m.Out("y", hdl.U(9))
	y.Set(a.AddX(b.Ext(8)))
	return ports{a, b, y}
}

func wrongOperandWidths(m *hdl.Module, _ none) ports {
	a, b := m.In("a", hdl.U(8)), m.In("b", hdl.U(7))
	y := m.Out("y", hdl.U(8))
	y.Set(a.Add(b))            // want "width: add: a is 8 bits, b is 7 bits; use Trunc, Ext or Resize"
	hdl.Mux(a.Eq(b), a, a)     // want "width: eq: a is 8 bits, b is 7 bits"
	hdl.Mux(a.Bit(0), a, b)    // want "width: Mux: a is 8 bits, b is 7 bits"
	a.Bits(3, 0).And(b.Bit(2)) // want "width: and: a.3:0. is 4 bits, b.2.* is 1 bit"
	return ports{a, b, y}
}

func wrongAssignmentWidth(m *hdl.Module, _ none) ports {
	a, y := m.In("a", hdl.U(7)), m.Out("y", hdl.U(8))
	y.Set(a)            // want "width: assignment: y is 8 bits, a is 7 bits"
	y.Part(0, 4).Set(a) // want "width: assignment: y.3:0. is 4 bits, a is 7 bits"
	return ports{a, y}
}

func wrongCondition(m *hdl.Module, _ none) ports {
	a, y := m.In("a", hdl.U(7)), m.Out("y", hdl.U(1))
	m.If(a, func() { y.Set(hdl.K(1)) }). // want "width: the condition of If, a, is u7; it must be one unsigned bit; compare it, or use Any"
						Else(func() { y.Set(hdl.K(0)) })
	return ports{a, y}
}

func wrongResizing(m *hdl.Module, _ none) ports {
	a := m.In("a", hdl.U(8))
	a.Trunc(9) // want "width: Trunc to 9 bits of a, which has 8 bits; use Ext"
	a.Ext(7)   // want "width: Ext to 7 bits of a, which has 8 bits; use Trunc"
	return ports{a}
}

func wrongMemoryWidths(m *hdl.Module, _ none) ports {
	a, y := m.In("a", hdl.U(7)), m.Out("y", hdl.U(8))
	mem := m.Mem("ram", hdl.U(8), 16)
	y.Set(mem.Read(a))     // want "width: the address of memory ram is u4, a is u7"
	mem.Write(hdl.K(3), a) // want "width: the data of memory ram is u8, a is u7"
	return ports{a, y}
}

func rightSigns(m *hdl.Module, _ none) ports {
	a, b, y := m.In("a", hdl.S(8)), m.In("b", hdl.U(8)), m.Out("y", hdl.Bool())
	y.Set(a.Lt(b.AsSigned()))
	return ports{a, b, y}
}

func wrongSigns(m *hdl.Module, _ none) ports {
	a, b, y := m.In("a", hdl.S(8)), m.In("b", hdl.U(8)), m.Out("y", hdl.U(8))
	a.Lt(b)  // want "sign: lt: a is s8, b is u8; use AsSigned or AsUnsigned"
	y.Set(a) // want "sign: assignment: y is u8, a is s8"
	b.Shl(a) // want "sign: the shift amount a is signed; use AsUnsigned"
	return ports{a, b, y}
}

func rightLiterals(m *hdl.Module, _ none) ports {
	a, s := m.In("a", hdl.U(8)), m.In("s", hdl.S(8))
	y, z := m.Out("y", hdl.U(8)), m.Out("z", hdl.S(8))
	y.Set(a.And(hdl.K(255)).Xor(hdl.K(-1)))
	z.Set(s.Add(hdl.K(-128)))
	return ports{a, s, y, z}
}

func wrongLiterals(m *hdl.Module, _ none) ports {
	a, s := m.In("a", hdl.U(8)), m.In("s", hdl.S(8))
	y := m.Out("y", hdl.U(8))
	a.Add(hdl.K(256))                              // want "literal: the literal 256 does not fit in u8 .0 to 255.; widen the other operand"
	a.Add(hdl.K(-2))                               // want "literal: the literal -2 does not fit in u8"
	s.Add(hdl.K(128))                              // want "literal: the literal 128 does not fit in s8 .-128 to 127."
	m.Reg("r", hdl.U(2), hdl.Init(4))              // want "literal: the literal 4 does not fit in u2 .0 to 3."
	y.Set(hdl.Cat(a.Bits(3, 0), hdl.Const(4, 16))) // want "literal: the constant 16 does not fit in 4 bits; make it wider"
	return ports{a, s, y}
}

func wrongLiteralWithoutContext(m *hdl.Module, _ none) ports {
	a := m.In("a", hdl.U(8))
	hdl.Cat(a, hdl.K(1))                  // want "literal: the literal 1 has no width to take here; use hdl.Const.width, value."
	hdl.Mux(a.Bit(0), hdl.K(1), hdl.K(0)) // want "literal: the literal 0 has no width to take here"
	m.Switch(hdl.K(3)).Default(func() {}) // want "literal: the literal 3 has no width to take here"
	return ports{a}
}

func wrongRanges(m *hdl.Module, _ none) ports {
	a, y := m.In("a", hdl.U(8)), m.Out("y", hdl.U(8))
	a.Bit(8)                   // want "range: bits 8:8 of a, which has bits 7:0"
	a.Bits(8, 7)               // want "range: bits 8:7 of a, which has bits 7:0"
	a.Bit(-1)                  // want "range: bits -1:-1 of a"
	y.Part(6, 3).Set(hdl.K(0)) // want "range: bits 8:6 of y, which has bits 7:0"
	m.Mem("ram", hdl.U(8), 0)  // want "range: memory ram has 0 elements of 8 bits; both must be at least 1"
	return ports{a, y}
}

func wrongTypeAsSignal(m *hdl.Module, _ none) ports {
	a := m.In("a", hdl.U(8))
	a.Add(hdl.U(8))       // want "unbound: type u8 is used as a signal; bind it first with Ports, Wire or Reg"
	hdl.U(8).Set(a)       // want "unbound: Set on a type or a zero Var; bind it first"
	m.Wire("w", hdl.U(0)) // want "range: a type has 0 bits; widths are 1 to 1048576; leave out what has no bits"
	return ports{a}
}

func wrongZeroSignal(m *hdl.Module, _ none) ports {
	type pair struct{ X, Y hdl.Var }
	p := hdl.Ports(m, "p", hdl.Sink, pair{X: hdl.U(8)}) // want "unbound: field pair.Y has no type; give it one"
	var zero hdl.Signal
	p.X.Xor(zero) // want "unbound: a zero Signal is used; every field of an interface needs a type"
	return ports{p.X}
}

func wrongOwnerRead(m *hdl.Module, _ none) ports {
	a := m.In("a", hdl.U(8))
	hdl.Inst(m, "u", func(c *hdl.Module, _ none) ports {
		y := c.Out("y", hdl.U(8))
		y.Set(a) // want "owner: a belongs to module m and is used in m_u; pass it through a port"
		return ports{y}
	}, none{})
	return ports{a}
}

func wrongOwnerWrite(m *hdl.Module, _ none) ports {
	y := m.Out("y", hdl.U(8))
	hdl.Inst(m, "u", func(c *hdl.Module, _ none) ports {
		a := c.In("a", hdl.U(8))
		y.Set(a) // want "owner: y belongs to module m and is used in m_u; pass it through a port"
		return ports{a}
	}, none{})
	return ports{y}
}

func wrongAssignmentOfInput(m *hdl.Module, _ none) ports {
	a := m.In("a", hdl.U(8))
	a.Set(hdl.K(0))       // want "misuse: a is an? input and cannot be assigned; assign a wire, a register, an output or an instance's input"
	hdl.V(a.Not()).Set(a) // want "misuse: the value is an expression and cannot be assigned"
	return ports{a}
}

func wrongChains(m *hdl.Module, _ none) ports {
	a := m.In("a", hdl.Bool())
	c := m.If(a, func() {})
	c.Else(func() {})
	c.Else(func() {})      // want "misuse: a second Else of one If; remove it"
	c.ElseIf(a, func() {}) // want "misuse: ElseIf after Else; put Else last"
	s := m.Switch(a)
	s.Default(func() {})
	s.Default(func() {}) // want "misuse: a second Default of one Switch; remove it"
	return ports{a}
}

func wrongCases(m *hdl.Module, _ none) ports {
	a, b := m.In("a", hdl.U(2)), m.In("b", hdl.U(2))
	m.Switch(a).
		Case(hdl.K(1), func() {}).
		Case(hdl.K(1), func() {}). // want "misuse: the value 0x1 has a case already; remove one of them"
		Case(b, func() {}).        // want "misuse: Case on b, which is not a constant; use If"
		Case(hdl.K(4), func() {})  // want "literal: the literal 4 does not fit in u2"
	return ports{a, b}
}

func wrongInterface(m *hdl.Module, _ none) ports {
	m.In("a", hdl.U(2))        // want "misuse: port a of m is not in the interface that the function returns; return it, or an instance could not connect it"
	w := m.Wire("w", hdl.U(2)) // want "misuse: the interface of m holds w, which is no port; return what Ports, In and Out gave"
	return ports{w}
}

func wrongPanic(m *hdl.Module, _ none) ports {
	states := hdl.NewEnum("state", "idle", "busy")
	m.In("a", states.Type())
	states.K("done") // want "misuse: the description of m failed: enumeration state has no value .done."
	return nil
}

// wrongFollowOn makes one mistake whose result is used everywhere.
func wrongFollowOn(m *hdl.Module, _ none) ports {
	a, b, y := m.In("a", hdl.U(8)), m.In("b", hdl.U(7)), m.Out("y", hdl.U(9))
	sum := a.Add(b) // want "width: "
	more := hdl.Mux(sum.Lt(hdl.K(3)), sum.Not(), sum.Shl(b)).AddX(sum)
	m.If(more.Any(), func() { y.Set(more) })
	m.Switch(sum).Case(hdl.K(999), func() { y.Part(0, 3).Set(more.Bits(2, 0)) })
	mem := m.Mem("ram", hdl.U(8), 4)
	mem.Write(sum.Trunc(2), sum)
	m.RegNext("r", hdl.Cat(sum, more)).Neg()
	m.Let("l", sum.AsSigned()).Add(hdl.K(1))
	return ports{a, b, y}
}

type sized struct{ Width int }

func (p sized) Validate() error {
	if p.Width < 1 {
		return errors.New("Width is 0; the range is 1 to 64")
	}
	return nil
}

func sizedModule(m *hdl.Module, p sized) ports { return ports{m.In("a", hdl.U(p.Width))} }

func wrongParameters(m *hdl.Module, _ none) ports {
	hdl.Inst(m, "u", sizedModule, sized{}) // want "param: sized_module: Width is 0; the range is 1 to 64"
	return nil
}

func wrongChildParameters(m *hdl.Module, _ none) ports {
	u := hdl.Inst(m, "u", sizedModule, sized{}, hdl.Named("twice")) // want "param: twice: Width is 0"
	for _, p := range u {
		p.Set(hdl.K(99)) // the failed instance reports nothing more
	}
	return nil
}

func wrongMemoryPorts(m *hdl.Module, _ none) ports {
	a, y := m.In("a", hdl.U(2)), m.Out("y", hdl.U(8))
	mem := m.Mem("ram", hdl.U(8), 4)
	mem.Write(a, hdl.K(1))
	w := mem.Write(a, hdl.K(2), hdl.Init(3))                                         // want "misuse: option Init does not suit a write port of memory ram; it is for registers"
	other := m.Mem("rom", hdl.U(8), 2, hdl.Contents(1, 2, 3))                        // want "range: memory rom has 2 elements and contents for 3; leave the rest out"
	m.Mem("low", hdl.S(8), 2, hdl.Contents(128))                                     // want "literal: element 0 of memory low cannot be 128: elements are s8 .-128 to 127.; use a value in that range"
	other.SyncRead("o", a.Bit(0), a.Bit(1), hdl.OldData, hdl.During(w, hdl.NewData)) // want "misuse: During of o names a port of another memory; pass what Write of this memory returned"
	y.Set(mem.Read(a).Xor(mem.Read(a.Not())))
	return ports{a, y}
}
