package hdl_test

import "github.com/millrace-hdl/millrace/hdl"

// What is wrong with state machines, arrays and lanes, properties and black boxes.
var constructCases = []hdl.Build[none, ports]{
	wrongStates, wrongStateList, rightMachine, wrongLanes, rightArrays, wrongProperties, wrongPropertyName, rightProperties, wrongExternal, rightExternal,
}

type light uint8

const (
	red light = iota
	amber
	green
	off
)

func (l light) String() string { return [...]string{"Red", "Amber", "Green", "Off"}[l] }

func wrongStates(m *hdl.Module, _ none) ports {
	go_, y := m.In("start", hdl.Bool()), m.Out("y", hdl.Bool())
	f := hdl.NewFSM(m, "light_q", []light{red, amber, green}) // want "state: state Amber of light_q has no On; say what happens in it, if only nothing"
	f.On(red, func() { m.If(go_, func() { f.Next(amber) }) })
	f.On(green, func() {}) // want "state: state Green of light_q cannot be reached from Red; add a Next that leads to it, or remove it"
	f.On(red, func() {})   // want "state: state Red of light_q has a second On; put all of it into one . [0-9]+: the first one"
	f.On(off, func() {})   // want "state: On of state Off, which the machine does not have; its states are Red, Amber, Green"
	y.Set(f.Is(off))       // want "state: Is of state Off"
	f.Next(off)            // want "state: Next of state Off"
	return ports{go_, y}
}

func wrongStateList(m *hdl.Module, _ none) ports {
	hdl.NewFSM(m, "none_q", []light{})               // want "state: state machine none_q has no states; list them, the one after reset first"
	f := hdl.NewFSM(m, "twice_q", []light{red, red}) // want "state: state machine twice_q lists state Red twice" "state: state Red of twice_q cannot be reached"
	f.On(red, func() {})                             //
	f.Illegal(func() { f.Next(red) })                // want "state: every value of twice_q is a state; remove Illegal"
	return ports{}
}

func rightMachine(m *hdl.Module, _ none) ports {
	go_, y := m.In("start", hdl.Bool()), m.Out("y", hdl.Bool())
	f := hdl.NewFSM(m, "light_q", []light{red, amber, green}, hdl.Doc("What the light shows."))
	f.On(red, func() { m.If(go_, func() { f.Next(amber) }) })
	f.On(amber, func() { f.Next(green) })
	f.On(green, func() {})
	f.Illegal(func() { f.Next(red) })
	m.If(go_.Not(), func() { f.Next(red) })
	y.Set(f.Is(green))
	return ports{go_, y}
}

func wrongLanes(m *hdl.Module, _ none) ports {
	i, y := m.In("i", hdl.U(2)), m.Out("y", hdl.U(8))
	s := m.In("s", hdl.S(2))
	v := m.Reg("v_q", hdl.U(12))
	y.Set(v.Lane(hdl.K(1), 8))                         // want "misuse: the index of Lane is the literal 1; use Bits or Part for a place that is known"
	y.Set(v.Lane(i, 13).Trunc(8))                      // want "range: Lane takes 13 bits of v_q, which has 12 bits"
	y.Set(v.PartAt(s, 8))                              // want "sign: the index of PartAt, s, is signed; use AsUnsigned"
	v.Lane(i, 8).Set(y)                                // want "range: lanes of 8 bits of v_q, which has 12 bits; the width of a lane divides that of the variable"
	v.Part(0, 8).Lane(i, 4).Set(hdl.K(1))              // want "misuse: Lane of a part of v_q; take it of the whole"
	v.Lane(i, 4).Part(0, 2).Set(hdl.K(1))              // want "misuse: Part of a lane of v_q; read the lane and set it as a whole"
	a := hdl.RegArray(m, "a_q", 0, hdl.U(8))           // want "range: array a_q has 0 elements; it needs at least one"
	a.Elem(1).Set(y)                                   // want "range: element 1 of an array of 1; elements are 0 to 0"
	hdl.WireArray(m, "b", 2, hdl.U(8), hdl.Default(i)) // want "width: the value of an element is u2, elements are u8; give it the type of an element"
	return ports{i, y, s}
}

type point struct{ X, Y hdl.Var }

func rightArrays(m *hdl.Module, _ none) ports {
	i, x, y, z := m.In("i", hdl.U(2)), m.In("x", hdl.S(8)), m.Out("y", hdl.S(8)), m.Out("z", hdl.U(5))
	a := hdl.RegArray(m, "pts_q", 3, point{hdl.S(8), hdl.U(5)}, hdl.Init(-1))
	hdl.Assign(a.At(i), point{x, hdl.V(x.AsUnsigned().Trunc(5))})
	w := hdl.WireArray(m, "sum", 2, hdl.U(5), hdl.Default(hdl.K(3)))
	w.At(i.Bit(0)).Set(a.At(i).Y)
	p := hdl.SelectOf(i.Bit(1), a.Elem(0), a.Elem(2))
	y.Set(p.X.Add(a.At(i).X))
	z.Set(hdl.FirstOf(p.Y.Signal, hdl.Choice{When: i.Bit(0), Then: w.Elem(0)}, hdl.Choice{When: i.Bit(1), Then: w.At(i)}))
	return ports{i, x, y, z}
}

func wrongProperties(m *hdl.Module, _ none) ports {
	a, y := m.In("a", hdl.U(4)), m.Out("y", hdl.U(4))
	y.Set(a)
	m.Assert("small", a)                          // want "width: the condition of assert small, a, is u4; it must be one unsigned bit"
	m.Cover("calm", hdl.Stable(a.Add(y)))         // want "misuse: Stable of a value without a name; name it with Let"
	m.AssertWithin("soon", 0, a.Bit(0), a.Bit(1)) // want "range: AssertWithin soon waits for 0 cycles"
	m.Assume("free", a.Any(), hdl.Init(3))        // want "misuse: option Init does not suit property free; it is for registers"
	return ports{a, y}
}

func wrongPropertyName(m *hdl.Module, _ none) ports {
	a, y := m.In("a", hdl.U(4)), m.Out("y", hdl.U(4))
	y.Set(a)
	m.Assert("y", a.Any()) // want "name: wire y has the name of output y"
	return ports{a, y}
}

func rightProperties(m *hdl.Module, _ none) ports {
	a, y := m.In("a", hdl.U(4)), m.Out("y", hdl.U(4))
	s := hdl.Ports(m, "out", hdl.Source, hdl.StreamOf(hdl.U(4)))
	q := m.Reg("q", hdl.U(4))
	m.If(s.Ready.Or(s.Valid.Not()), func() {
		q.Set(a)
		m.Cover("moved", hdl.Rose(s.Valid.Signal).Or(hdl.Fell(a.Bit(3))), hdl.Doc("A transfer after a pause."))
	})
	y.Set(q)
	s.Valid.Set(q.Any())
	s.Data.Set(q)
	hdl.Obey(m, "out", hdl.Source, s)
	m.Assume("steady", hdl.Stable(a.Bits(3, 2)))
	m.Assert("follows", hdl.ImpliesNext(a.Bit(0), hdl.Implies(s.Ready.Signal, hdl.Past(q.Signal).Eq(q))))
	m.AssertWithin("answered", 5, a.Bit(1), s.Valid)
	return ports{a, y, s.Valid, s.Ready, s.Data}
}

func wrongExternal(m *hdl.Module, _ none) ports {
	u := hdl.Inst(m, "u_pll", func(m *hdl.Module, _ none) ports { // want "name: a black box has a malformed name: .PLL-1." "misuse: black box PLL-1 has contents"
		m.External(hdl.External{Name: "PLL-1"})
		q := m.Out("LOCK", hdl.Bool())
		m.Wire("inner", hdl.Bool(), hdl.MayBeUnused()).Set(hdl.Const(1, 1)) // want "misuse: wire inner of black box PLL-1 is no port"
		return ports{q}
	}, none{})
	y := m.Out("y", hdl.Bool(), hdl.Registered()) // want "misuse: output y is marked as registered; only outputs of black boxes are"
	y.Set(u[0])
	return ports{y}
}

func rightExternal(m *hdl.Module, _ none) ports {
	box := func(depth string) hdl.Build[none, ports] {
		return func(m *hdl.Module, _ none) ports {
			m.External(hdl.External{Name: "VENDOR_DELAY", Params: []hdl.ExternParam{{Name: "DEPTH", Value: depth}}})
			d := m.Domain("c", hdl.ClockName("CLK"), hdl.WithoutReset())
			return ports{m.In("D", hdl.U(8), hdl.On(d)), m.Out("Q", hdl.U(8), hdl.On(d), hdl.Registered())}
		}
	}
	a, y := m.In("a", hdl.U(8)), m.Out("y", hdl.U(8))
	u := hdl.Inst(m, "u_a", box("3"), none{}, hdl.Bind("c", m.DefaultDomain()))
	v := hdl.Inst(m, "u_b", box("4"), none{}, hdl.Bind("c", m.DefaultDomain()))
	u[0].Set(a)
	v[0].Set(u[1])
	y.Set(v[1].Xor(u[1]))
	return ports{a, y}
}
