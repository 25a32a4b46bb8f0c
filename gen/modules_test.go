package gen_test

import "github.com/millrace-hdl/millrace/hdl"

type counterParams struct{ Width int }

type counterIO struct {
	En  hdl.Var `hdl:"in"`
	Cnt hdl.Var
}

func counter(m *hdl.Module, p counterParams) counterIO {
	m.Doc("Counts the cycles in which it is enabled.")
	io := hdl.Ports(m, "", hdl.Source, counterIO{En: hdl.Bool(), Cnt: hdl.U(p.Width)})
	cnt := m.Reg("cnt_q", hdl.U(p.Width), hdl.Init(3), hdl.Doc("Present count."))
	m.Note("Wraps at the top.")
	m.If(io.En, func() { cnt.Set(cnt.Add(hdl.K(1))) })
	io.Cnt.Set(cnt)
	return io
}

type counterPairIO struct {
	En        hdl.Var `hdl:"in"`
	Low, High hdl.Var
}

// counterPair has two variants of one module.
func counterPair(m *hdl.Module, p counterParams) counterPairIO {
	io := hdl.Ports(m, "", hdl.Source, counterPairIO{En: hdl.Bool(), Low: hdl.U(p.Width), High: hdl.U(2 * p.Width)})
	low := hdl.Inst(m, "u_low", counter, p, hdl.WithAttr("keep_hierarchy", "yes"), hdl.Doc("The narrow one."))
	high := hdl.Inst(m, "u_high", counter, counterParams{2 * p.Width})
	low.En.Set(io.En)
	high.En.Set(io.En.And(low.Cnt.All()))
	io.Low.Set(low.Cnt)
	io.High.Set(high.Cnt)
	return io
}

type arithmeticIO struct {
	A, B       hdl.Var `hdl:"in"`
	N          hdl.Var `hdl:"in"`
	Carry      hdl.Var
	Less       hdl.Var
	Mean, Half hdl.Var
	Shifted    hdl.Var
	Product    hdl.Var
	Minus      hdl.Var
}

// arithmetic has the places where Verilog's sizing rules differ from exact widths.
func arithmetic(m *hdl.Module, _ none) arithmeticIO {
	io := hdl.Ports(m, "", hdl.Source, arithmeticIO{
		A: hdl.U(8), B: hdl.U(8), N: hdl.U(3), Carry: hdl.Bool(), Less: hdl.Bool(), Mean: hdl.U(8), Half: hdl.S(8),
		Shifted: hdl.S(8), Product: hdl.S(16), Minus: hdl.U(8),
	})
	a, b := io.A, io.B
	io.Carry.Set(a.AddX(b).Bit(8))
	m.Note("The sum wraps before it is compared.")
	io.Less.Set(a.Add(b).Lt(b))
	io.Mean.Set(a.AddX(b).Shr(hdl.K(1)).Trunc(8))
	io.Half.Set(a.AsSigned().Shr(hdl.K(1)))
	io.Shifted.Set(a.Sub(b).AsSigned().Shr(io.N))
	io.Product.Set(a.AsSigned().MulX(b.AsSigned()))
	io.Minus.Set(a.Sub(hdl.K(1)))
	return io
}

type lightIO struct {
	Car  hdl.Var `hdl:"in"`
	Go   hdl.Var
	Lamp hdl.Var
}

func trafficLight(m *hdl.Module, _ none) lightIO {
	state := hdl.NewEnum("light", "red", "amber", "green")
	io := hdl.Ports(m, "", hdl.Source, lightIO{Car: hdl.Bool(), Go: hdl.Bool(), Lamp: state.Type()})
	st := m.Reg("state_q", state.Type())
	wait := m.Reg("wait_q", hdl.U(4), hdl.NoReset(), hdl.WithAttr("keep", "true"))
	open := m.Wire("open", hdl.Bool(), hdl.Default(hdl.K(0)))
	m.Switch(st).
		Case(state.K("red"), func() {
			m.Note("A car starts the timer.")
			m.If(io.Car, func() {
				st.Set(state.K("amber"))
				wait.Set(hdl.K(9))
			})
		}).
		Case(state.K("amber"), func() {
			wait.Set(wait.Sub(hdl.K(1)))
			m.If(wait.None(), func() { st.Set(state.K("green")) })
		}).
		Default(func() {
			open.Set(hdl.K(1))
			m.If(io.Car.Not(), func() { st.Set(state.K("red")) })
		})
	io.Go.Set(open)
	io.Lamp.Set(st)
	return io
}

type scratchIO struct {
	WrEn, WrAddr, WrData, WrMask hdl.Var `hdl:"in"`
	RdEn, RdAddr                 hdl.Var `hdl:"in"`
	RdData                       hdl.Var
}

// scratchMemory has byte enables, a depth that is no power of two, and reads that
// see the write of the same cycle.
func scratchMemory(m *hdl.Module, _ none) scratchIO {
	io := hdl.Ports(m, "", hdl.Source, scratchIO{
		WrEn: hdl.Bool(), WrAddr: hdl.U(4), WrData: hdl.U(32), WrMask: hdl.U(4), RdEn: hdl.Bool(), RdAddr: hdl.U(4), RdData: hdl.U(32),
	})
	mem := m.Mem("words", hdl.U(32), 12, hdl.Style("block"))
	m.If(io.WrEn, func() { mem.WriteMask(io.WrAddr, io.WrData, io.WrMask) })
	io.RdData.Set(mem.SyncRead("word_q", io.RdAddr, io.RdEn, hdl.NewData))
	return io
}

type lookupIO struct {
	WrEn, Addr, Data hdl.Var `hdl:"in"`
	Out              hdl.Var
}

// lookup reads its memory in the same cycle.
func lookup(m *hdl.Module, _ none) lookupIO {
	io := hdl.Ports(m, "", hdl.Source, lookupIO{WrEn: hdl.Bool(), Addr: hdl.U(3), Data: hdl.U(5), Out: hdl.U(5)})
	mem := m.Mem("table_mem", hdl.U(5), 8, hdl.Style("distributed"))
	m.If(io.WrEn, func() { mem.Write(io.Addr, io.Data) })
	io.Out.Set(mem.Read(io.Addr).Xor(hdl.K(-1)))
	return io
}

type partsIO struct {
	Sel  hdl.Var `hdl:"in"`
	In   hdl.Var `hdl:"in,name=word"`
	Out  hdl.Var
	Hold hdl.Var
	Wide hdl.Var
}

// parts assigns bits of signals from several places.
func parts(m *hdl.Module, _ none) partsIO {
	io := hdl.Ports(m, "", hdl.Source, partsIO{Sel: hdl.U(2), In: hdl.U(8), Out: hdl.U(8), Hold: hdl.U(8), Wide: hdl.U(100)})
	io.Out.Part(4, 4).Set(io.In.Bits(3, 0))
	io.Out.Part(0, 4).Set(io.In.Bits(7, 4))
	hold := m.Reg("hold_q", hdl.U(8), hdl.NoReset(), hdl.Enable(io.Sel.Any()))
	m.If(io.Sel.Bit(0), func() { hold.Part(0, 4).Set(io.In.Bits(3, 0)) }).
		ElseIf(io.Sel.Bit(1), func() { hold.Part(4, 4).Set(io.In.Bits(7, 4)) })
	io.Hold.Set(hold)
	wide := m.Let("wide_sum", io.In.Ext(100).Add(hdl.Repeat(io.Sel, 50)))
	io.Wide.Set(hdl.Mux(io.Sel.Eq(hdl.K(2)), wide, wide.Not()))
	return io
}

type attributedIO struct {
	In  hdl.Var
	Out hdl.Var
}

// attributed has attributes and comments wherever there can be some.
func attributed(m *hdl.Module, _ none) attributedIO {
	m.Doc("Passes a bit on.\n\nAfter a cycle.")
	io := attributedIO{
		In:  m.In("in", hdl.Bool(), hdl.WithAttr("mark_debug", "true"), hdl.Doc("Sampled.\nAt each edge.")),
		Out: m.Out("out", hdl.Bool(), hdl.WithAttr("keep", "true"), hdl.WithAttr("note", `a "quoted" \ one`)),
	}
	q := m.Reg("q", hdl.Bool(), hdl.WithAttr("keep", "true"), hdl.Doc("A cycle old."))
	q.Set(io.In)
	io.Out.Set(q)
	return io
}
