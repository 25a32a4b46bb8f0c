package hdl_test

import (
	"math/big"

	"github.com/millrace-hdl/millrace/hdl"
)

var misuseCases = []hdl.Build[none, ports]{
	rightConstants, wrongConstants, wrongConstantReused, wrongConstantsAlone, wrongTypesAsOperands, wrongMissingValues,
	wrongCounts, wrongFolds, wrongSelect, wrongShifts,
	wrongOptions, wrongRegisters, wrongWidthsOfSignals,
	wrongBlocks, wrongCaseLists,
	wrongOwnerEverywhere, wrongModule, wrongInterfaces, wrongPartInInterface,
	wrongTags, wrongOptional, wrongKinds, wrongHidden,
	wrongConnect, wrongLengths, wrongUnpack,
	wrongRecursion, wrongEqualRecursion, wrongMissingFunction, wrongClashingModules, wrongChildPanics, wrongValidatePanic,
	wrongMemoryUse, rightMemoryReads, rightPartOfAll, rightLetInside,
	wrongEnum, wrongAttributes,
}

func rightConstants(m *hdl.Module, _ none) ports {
	y, s, r := m.Out("y", hdl.U(16)), m.Out("s", hdl.S(4)), m.Out("r", hdl.U(100))
	c := hdl.Cat(hdl.Const(4, 3).Not(), hdl.Ones(8).Bits(3, 0)).Add(hdl.K(1)).Xor(hdl.Const(8, 7)).Shl(hdl.K(2))
	y.Set(hdl.Mux(hdl.Const(1, 1), c.Ext(16), hdl.Repeat(hdl.Const(2, 2), 8)))
	s.Set(hdl.Const(8, 200).AsSigned().Trunc(4).Neg())
	wide := m.Reg("wide_q", hdl.U(100), hdl.InitTo(hdl.BigConst(100, new(big.Int).Lsh(big.NewInt(5), 90))))
	wide.Set(wide.Add(hdl.K(1)))
	r.Set(wide)
	return ports{y, s, r}
}

func wrongConstants(m *hdl.Module, _ none) ports {
	y := m.Out("y", hdl.U(8))
	y.Set(hdl.Ones(0))                           // want "range: a constant has 0 bits; widths are 1 to 1048576"
	y.Set(hdl.BigConst(-1, big.NewInt(1)))       // want "range: a constant has -1 bits"
	y.Set(hdl.Const(0, 0))                       // want "range: a constant has 0 bits"
	y.Set(hdl.Const(8, 255).Bits(9, 2))          // want "range: bits 9:2 of the constant 255, which has bits 7:0"
	y.Set(hdl.Const(9, 0))                       // want "width: assignment: y is 8 bits, the constant 0 is 9 bits"
	y.And(hdl.Const(4, 17).Not().Ext(8).Shl(y))  // want "literal: the constant 17 does not fit in 4 bits"
	hdl.Mux(y.Any(), hdl.Const(2, 4), hdl.K(0))  // want "literal: the constant 4 does not fit in 2 bits"
	m.Let("l", hdl.Const(3, 1).Ext(2))           // want "width: Ext to 2 bits of the constant 1, which has 3 bits; use Trunc"
	m.Let("k", hdl.Const(3, 1).Trunc(4))         // want "width: Trunc to 4 bits of the constant 1, which has 3 bits; use Ext"
	y.Set(hdl.Const(3, 1).Eq(hdl.Const(3, 9)))   // want "literal: the constant 9 does not fit in 3 bits"
	m.If(hdl.Const(2, 1), func() {})             // want "width: the condition of If, the constant 1, is u2"
	hdl.Mux(hdl.Const(2, 1), hdl.K(0), y)        // want "width: the condition of Mux, the constant 1, is u2"
	m.RegNext("n", hdl.K(1))                     // want "literal: the literal 1 has no width to take here"
	y.Set(hdl.K(-2))                             // want "literal: the literal -2 does not fit in u8 .0 to 255."
	m.Wire("w64", hdl.U(64)).Set(hdl.K(-2))      // want "literal: the literal -2 does not fit in u64 .0 to 2.64-1."
	m.Wire("s40", hdl.S(40)).Set(hdl.K(1 << 39)) // want "literal: the literal 549755813888 does not fit in s40 .-2.39 to 2.39-1."
	return ports{y}
}

// wrongConstantReused uses a constant that does not fit in two places: it is one
// mistake.
func wrongConstantReused(m *hdl.Module, _ none) ports {
	a, y := m.In("a", hdl.U(4)), m.Out("y", hdl.U(4))
	c := hdl.Const(4, 16) // want "literal: the constant 16 does not fit in 4 bits; make it wider"
	y.Set(a.Add(c).Xor(c))
	m.If(a.Eq(c), func() { y.Set(c) })
	return ports{a, y}
}

func wrongConstantsAlone(m *hdl.Module, _ none) ports {
	a, y := m.In("a", hdl.U(4)), m.Out("y", hdl.U(4))
	y.Set(hdl.Const(4, 1).Add(hdl.Const(5, 1)))        // want "width: add: the constant 1 is 4 bits, the constant 1 is 5 bits"
	y.Set(hdl.Cat(hdl.Const(2, 1), hdl.K(1)))          // want "literal: the literal 1 has no width to take here"
	y.Set(hdl.Mux(hdl.K(1), hdl.K(2), hdl.K(3)))       // want "literal: the literal 3 has no width to take here"
	y.Set(hdl.Const(4, 1).AsSigned().Xor(hdl.Ones(4))) // want "sign: xor: the value is s4, the constant 15 is u4"
	y.Set(a.And(hdl.Const(4, 1).Shl(hdl.K(-1))))       // want "literal: the shift amount -1 is negative"
	y.Set(hdl.Const(4, 2).AndNot(hdl.Const(3, 2)))     // want "width: and: the constant 2 is 4 bits, the constant 2 is 3 bits"
	y.Set(hdl.Const(2, 1).MulX(hdl.Const(3, 2)))       // want "width: mul: the constant 1 is 2 bits"
	return ports{a, y}
}

func wrongTypesAsOperands(m *hdl.Module, _ none) ports {
	y := m.Out("y", hdl.U(8))
	y.Set(hdl.U(8).Not())            // want "unbound: type u8 is used as a signal; bind it first with Ports, Wire or Reg"
	y.Set(hdl.U(9).Bits(7, 0))       // want "unbound: type u9 is used as a signal"
	y.Set(hdl.S(8).AsUnsigned())     // want "unbound: type s8 is used as a signal"
	y.Set(hdl.U(4).Ext(8))           // want "unbound: type u4 is used as a signal"
	y.Set(hdl.Cat(hdl.U(4), y))      // want "unbound: type u4 is used as a signal"
	hdl.U(8).Part(0, 4).Set(y)       // want "unbound: type u8 is used as a signal"
	m.If(hdl.Bool(), func() {})      // want "unbound: type u1 is used as a signal"
	var zero hdl.Signal              //
	y.Set(zero.Not())                // want "unbound: a zero Signal is used"
	m.Let("l", zero)                 // want "unbound: a zero Signal is used"
	hdl.Var{}.Set(y)                 // want "unbound: Set on a type or a zero Var"
	m.Wire("w", hdl.U(8).Part(0, 1)) // want "unbound: type u8 is used as a signal"
	hdl.U(8).Set(hdl.K(1))           // want "misuse: the description of m failed: Set on a type or a zero Var; bind it first"
	return nil
}

func wrongMissingValues(m *hdl.Module, _ none) ports {
	y := m.Out("y", hdl.U(8))
	y.Set(nil)                       // want "unbound: a value is missing; pass a Signal, a Var or a literal K"
	y.Add(nil)                       // want "unbound: a value is missing"
	hdl.Mux(nil, y, y)               // want "unbound: a value is missing"
	hdl.Cat(y, nil)                  // want "unbound: a value is missing"
	m.If(nil, func() {})             // want "unbound: a value is missing"
	m.Switch(nil)                    // want "unbound: a value is missing"
	m.Switch(y).Case(nil, func() {}) // want "unbound: a value is missing"
	y.Shl(nil)                       // want "unbound: a value is missing"
	return ports{y}
}

func wrongCounts(m *hdl.Module, _ none) ports {
	a := m.In("a", hdl.U(8))
	m.Let("x", hdl.Cat())            // want "range: a concatenation of nothing; it needs a part"
	hdl.Repeat(a, 0)                 // want "range: Repeat of a makes 0 copies; there must be at least 1"
	hdl.Repeat(a, -3)                // want "range: Repeat of a makes -3 copies"
	a.Trunc(0)                       // want "range: Trunc to 0 bits of a; keep at least one bit"
	a.Ext(-1)                        // want "width: Ext to -1 bits of a"
	a.Bits(3, 4)                     // want "range: bits 3:4 of a"
	a.Bits(int(^uint(0)>>1), 1)      // want "range: bits "
	a.Bit(int(^uint(0) >> 1))        // want "range: bits "
	m.Let("p", hdl.Pack(struct{}{})) // want "range: a concatenation of nothing"
	return ports{a}
}

func wrongFolds(m *hdl.Module, _ none) ports {
	a, b := m.In("a", hdl.U(8)), m.In("b", hdl.Bool())
	hdl.AnyOf(a.Signal)           // want "width: the condition of AnyOf, a, is u8; it must be one unsigned bit; compare it, or use Any"
	hdl.AllOf(b.Signal, a.Signal) // want "width: the condition of AllOf, a, is u8"
	return ports{a, b}
}

func wrongSelect(m *hdl.Module, _ none) ports {
	a, b, s := m.In("a", hdl.U(8)), m.In("b", hdl.Bool()), m.In("s", hdl.S(2))
	hdl.Select(b, a.Signal, a.Signal, a.Signal) // want "width: the index of Select, b, is 1 bit; 3 items need 2; widen it"
	hdl.Select(b)                               // want "range: Select of no items"
	hdl.Select(s, a.Signal, a.Signal)           // want "sign: the index of Select, s, is signed; use AsUnsigned"
	hdl.Select(b, a.Signal, b.Signal)           // want "width: Mux: b is 1 bit, a is 8 bits"
	return ports{a, b, s}
}

func wrongShifts(m *hdl.Module, _ none) ports {
	a := m.In("a", hdl.U(8))
	a.Shl(hdl.K(-1))  // want "literal: the shift amount -1 is negative; shift the other way"
	a.Shr(hdl.K(100)) // want "literal: the literal 100 does not fit in u4"
	return ports{a}
}

func wrongOptions(m *hdl.Module, _ none) ports {
	a := m.In("a", hdl.U(8), hdl.Default(hdl.K(1))) // want "misuse: option Default does not suit an input, a; it is for wires and outputs"
	y := m.Out("y", hdl.U(8), hdl.Init(1))          // want "misuse: option Init does not suit an? output, y; it is for registers"
	m.Wire("w", hdl.U(8), hdl.NoReset())            // want "misuse: option NoReset does not suit a wire, w; it is for registers"
	m.Wire("v", hdl.U(8), hdl.Enable(a.Bit(0)))     // want "misuse: option Enable does not suit a wire, v"
	m.Reg("r", hdl.U(8), hdl.Default(hdl.K(0)))     // want "misuse: option Default does not suit a reg"
	m.Reg("q", hdl.U(8), hdl.Style("block"))        // want "misuse: option Style does not suit a reg.*; it is for memories"
	m.Mem("ram", hdl.U(8), 4, hdl.MayBeUnused())    // want "misuse: option MayBeUnused does not suit memory ram; it is for signals"
	hdl.Inst(m, "u", pass, none{}, hdl.Prefix("x")) // want "misuse: option Prefix does not suit instance u; it is for elaborations"
	m.Let("l", a.Not(), hdl.Named("x"))             // want "misuse: option Named does not suit a wire, l"
	return ports{a, y}
}

func wrongRegisters(m *hdl.Module, _ none) ports {
	a := m.In("a", hdl.U(8))
	m.Reg("p", hdl.U(8), hdl.NoReset(), hdl.Init(3))    // want "misuse: register p has both NoReset and a reset value; remove one of them"
	m.Reg("q", hdl.U(8), hdl.InitTo(a))                 // want "misuse: the reset value of q is a, which is not a constant; use a K, Const, BigConst or Ones"
	m.Reg("r", hdl.U(8), hdl.InitTo(hdl.Const(9, 1)))   // want "width: reset value: r is 8 bits, the constant 1 is 9 bits"
	m.Reg("s", hdl.U(8), hdl.Enable(a))                 // want "width: the condition of Enable, a, is u8"
	m.Reg("t", hdl.S(8), hdl.Init(128))                 // want "literal: the literal 128 does not fit in s8"
	m.Wire("w", hdl.U(8), hdl.Default(hdl.Const(7, 1))) // want "width: Default: w is 8 bits, the constant 1 is 7 bits"
	return ports{a}
}

func wrongWidthsOfSignals(m *hdl.Module, _ none) ports {
	w := m.Wire("w", hdl.U(-4))              // want "range: a type has -4 bits; widths are 1 to 1048576"
	m.Wire("x", w)                           // follows
	m.Wire("z", hdl.U(1<<40))                // want "unbound: z has width 1099511627776; widths are 1 to 1048576"
	m.Mem("ram", w, 4)                       // follows
	m.Mem("rom", hdl.U(8), int(^uint(0)>>1)) // want "range: memory rom has 9223372036854775807 elements; depths are 1 to 4294967296"
	return nil
}

func wrongBlocks(m *hdl.Module, _ none) ports {
	a := m.In("a", hdl.Bool())
	c := m.If(a, func() {})
	s := m.Switch(a)
	m.If(a.Not(), func() {
		c.Else(func() {})           // want "misuse: Else stands in another block than its If; put it right after the If . [0-9]+: the If"
		c.ElseIf(a, func() {})      // want "misuse: ElseIf stands in another block than its If"
		s.Case(hdl.K(1), func() {}) // want "misuse: Case stands in another block than its Switch; put it right after the Switch"
		s.Default(func() {})        // want "misuse: Default stands in another block than its Switch"
	})
	return ports{a}
}

func wrongCaseLists(m *hdl.Module, _ none) ports {
	a := m.In("a", hdl.U(2))
	m.Switch(a).CaseIn(nil, func() {}) // want "misuse: a case of no values; give it one, or leave it out"
	s := m.Switch(a)
	s.Default(func() {})
	s.Case(hdl.K(1), func() {}) // want "misuse: Case after Default; put Default last"
	m.Switch(a).
		Case(hdl.Const(3, 1), func() {}).           // want "width: Case: a is 2 bits, the constant 1 is 3 bits"
		Case(hdl.Const(2, 1).AsSigned(), func() {}) // want "sign: Case: a is u2, the value is s2"
	return ports{a}
}

func wrongOwnerEverywhere(m *hdl.Module, _ none) ports {
	a := m.In("a", hdl.Bool())
	hdl.Inst(m, "u", func(c *hdl.Module, _ none) ports {
		y := c.Out("y", hdl.Bool(), hdl.Default(a)) // want "owner: a belongs to module m and is used in m_u"
		c.If(a, func() {}).                         // want "owner: a belongs to module m and is used in m_u"
								ElseIf(a, func() {}) // want "owner: a belongs to module m"
		c.Switch(a)                           // want "owner: a belongs to module m"
		c.Reg("r", hdl.Bool(), hdl.Enable(a)) // want "owner: a belongs to module m"
		mem := c.Mem("ram", hdl.Bool(), 2)    //
		mem.Write(a, y)                       // want "owner: a belongs to module m"
		mem.SyncRead("d", y, a, hdl.OldData)  // want "owner: a belongs to module m"
		y.Set(a.Not())                        // want "owner: a belongs to module m"
		y.Set(hdl.Mux(a, y, y))               // want "owner: a belongs to module m"
		y.Set(hdl.Cat(a))                     // want "owner: a belongs to module m"
		c.Let("l", a.Bit(0))                  // want "owner: a belongs to module m"
		a.And(y)                              // want "owner: a belongs to module m and is used in m_u"
		a.Set(y)                              // want "owner: a belongs to module m"
		return ports{y}
	}, none{})
	return ports{a}
}

func wrongModule(m *hdl.Module, _ none) ports {
	a := m.In("a", hdl.Bool())
	var child *hdl.Module
	hdl.Inst(m, "u", func(c *hdl.Module, _ none) ports {
		child = c
		m.Wire("w", hdl.Bool()).Set(hdl.K(1)) // want "misuse: module m is used while m_u is under construction; use the Module that the build function receives"
		m.Note("n")                           // want "misuse: module m is used while"
		m.If(a, func() {}).Else(func() {})    // want "misuse: module m is used while"
		m.Switch(a).Default(func() {})        // want "misuse: module m is used while"
		m.Mem("ram", hdl.U(8), 4)             // want "misuse: module m is used while"
		m.Doc("d")                            // want "misuse: module m is used while"
		hdl.Inst(m, "v", pass, none{})        // want "misuse: module m is used while"
		return nil
	}, none{})
	child.Wire("w", hdl.Bool()) // want "misuse: module m_u is used while m is under construction"
	return ports{a}
}

type level int

func deeper(m *hdl.Module, l level) ports {
	hdl.Inst(m, "u_a", deeper, l+1) // want "misuse: the hierarchy is deeper than 64 levels; a module that instantiates itself needs a parameter that ends it"
	hdl.Inst(m, "u_b", deeper, l+2)
	return nil
}

func wrongRecursion(m *hdl.Module, _ none) ports {
	hdl.Inst(m, "u", deeper, 1)
	return nil
}

func mirror(m *hdl.Module, _ none) ports {
	hdl.Inst(m, "u", mirror, none{}) // want "misuse: module mirror instantiates itself with equal parameters; a parameter must end the recursion"
	return nil
}

func wrongEqualRecursion(m *hdl.Module, _ none) ports {
	hdl.Inst(m, "u", mirror, none{})
	return nil
}

func wrongMissingFunction(m *hdl.Module, _ none) ports {
	hdl.Inst[none, ports](m, "u", nil, none{}, hdl.Named("x")) // want "misuse: the build function of x is missing; pass a function"
	return nil
}

func wrongClashingModules(m *hdl.Module, _ none) ports {
	a, y := m.In("a", hdl.U(4)), m.Out("y", hdl.U(4))
	u := hdl.Inst(m, "u", pass, none{}, hdl.Named("same"))
	v := hdl.Inst(m, "v", func(c *hdl.Module, _ none) ports { // want "name: two different modules are called same; name one of them with hdl.Named, or let its parameters have a Suffix . [0-9]+: the other one"
		a, y := c.In("a", hdl.U(4)), c.Out("y", hdl.U(4))
		y.Set(a.Neg())
		return ports{a, y}
	}, none{}, hdl.Named("same"))
	u[0].Set(a)
	v[0].Set(u[1])
	y.Set(v[1])
	return ports{a, y}
}

// wrongChildPanics fails in a child; what the parent cannot do without its ports
// is no second mistake.
func wrongChildPanics(m *hdl.Module, _ none) ports {
	u := hdl.Inst(m, "u", func(c *hdl.Module, _ none) ports {
		var widths []int
		c.In("a", hdl.U(widths[3])) // want "misuse: the description of m_u failed: runtime error: index out of range .3. with length 0"
		return nil
	}, none{})
	u[0].Set(hdl.K(1))
	return nil
}

type fragile struct{ Divisor int }

func (f fragile) Validate() error { _ = 1 / f.Divisor; return nil } // want "misuse: the description of fragile_module failed: runtime error: integer divide by zero"

func fragileModule(*hdl.Module, fragile) ports { return nil }

func wrongValidatePanic(m *hdl.Module, _ none) ports {
	_ = fragile.Validate
	hdl.Inst(m, "u", fragileModule, fragile{})
	return nil
}

func wrongMemoryUse(m *hdl.Module, _ none) ports {
	a, s := m.In("a", hdl.U(2)), m.In("s", hdl.S(8))
	ram := m.Mem("ram", hdl.U(8), 4)
	ram.Write(a, s)                                   // want "sign: the data of memory ram is u8, s is s8; use AsSigned or AsUnsigned"
	ram.SyncRead("d", a, a, hdl.OldData)              // want "width: the condition of SyncRead, a, is u2"
	ram.SyncRead("d", a, a.Bit(0), 7)                 // want "misuse: memory ram has the read-during-write behaviour 7; use OldData, NewData or Undefined"
	rom := m.Mem("rom", hdl.U(8), 4)                  //
	rom.WriteMask(a, s.AsUnsigned(), hdl.Const(3, 1)) // want "width: the mask of memory rom is u3; the element has 8 bits; use an unsigned mask"
	lut := m.Mem("lut", hdl.U(8), 4)                  //
	lut.WriteMask(a, s.AsUnsigned(), hdl.K(1))        // want "literal: the literal 1 has no width to take here"
	return ports{a, s}
}

// rightMemoryReads reads one address in two places.
func rightMemoryReads(m *hdl.Module, _ none) ports {
	a, y, z := m.In("a", hdl.U(3)), m.Out("y", hdl.U(8)), m.Out("z", hdl.U(8))
	ram, rom := m.Mem("ram", hdl.U(8), 4), m.Mem("rom", hdl.U(8), 4)
	ram.Write(a.Trunc(2), a.Ext(8))
	rom.Write(a.Trunc(2), a.Ext(8))
	y.Set(ram.Read(a.Bits(2, 1)).Xor(ram.Read(a.Bits(2, 1))))
	z.Set(rom.Read(hdl.K(3)).Add(rom.Read(hdl.K(3))))
	return ports{a, y, z}
}

// rightPartOfAll assigns all bits of a signed register as a part, which is
// unsigned.
func rightPartOfAll(m *hdl.Module, _ none) ports {
	a, y := m.In("a", hdl.U(8)), m.Out("y", hdl.S(8))
	r := m.Reg("r", hdl.S(8))
	r.Part(0, 8).Set(a)
	y.Set(r)
	return ports{a, y}
}

// rightLetInside names a value inside a branch.
func rightLetInside(m *hdl.Module, _ none) ports {
	a, y := m.In("a", hdl.U(8)), m.Out("y", hdl.U(8), hdl.Default(hdl.K(0)))
	m.If(a.Any(), func() {
		m.If(a.All(), func() { y.Set(m.Let("sum", a.Add(hdl.K(1))).Xor(m.RegNext("last_q", a))) })
	})
	return ports{a, y}
}

func wrongEnum(m *hdl.Module, _ none) ports {
	a := m.In("a", hdl.NewEnum("state", "idle", "busy", "idle").Type(), hdl.MayBeUnused()) // want "name: enumeration state has two values named idle"
	none := m.In("none", hdl.NewEnum("nothing").Type(), hdl.MayBeUnused())                 // want "name: enumeration nothing has no values; name at least one"
	return ports{a, none}
}

func wrongAttributes(m *hdl.Module, _ none) ports { // want "name: module m has an attribute with a reserved name: begin"
	m.Attr("begin", "1")
	m.Attr("_keep_hierarchy2", "yes")
	a := m.In("a", hdl.Bool(), hdl.MayBeUnused(), hdl.WithAttr("a b", "x"))                                                 // want "name: input a has an attribute with a malformed name: .a b.; use letters"
	m.Reg("r", hdl.Bool(), hdl.MayBeUnused(), hdl.WithAttr("", "x"))                                                        // want "name: register r has an attribute with a malformed name: .."
	m.Wire("w", hdl.Bool(), hdl.Default(hdl.K(0)), hdl.MayBeUnused(), hdl.WithAttr("keep", "1"), hdl.WithAttr("keep", "2")) // want "name: wire w has two attributes named keep; keep one of them"
	mem := m.Mem("mem", hdl.Bool(), 2, hdl.WithAttr("x*)", "x"))                                                            // want "name: memory mem has an attribute with a malformed name: .x.... "
	mem.Write(a, a)
	m.Let("back", mem.Read(a), hdl.MayBeUnused())
	hdl.Inst(m, "u", func(m *hdl.Module, _ none) ports { return nil }, none{}, hdl.WithAttr("é", "x")) // want "name: instance u has an attribute with a malformed name"
	return ports{a}
}
