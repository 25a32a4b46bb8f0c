package backend

import "github.com/millrace-hdl/millrace/hdl"

// readInit is the read manager of Init: it makes the data of transfers itself, a
// bus word a cycle, as the request's mode says.
func readInit(m *hdl.Module, c Config) readIO[nothing] {
	m.Doc("Generator: makes the data of transfers, by a value, an increment or at random.")
	io, b := readPorts(m, c, Init, nothing{})
	in, off := io.In.Data, c.offsetBits()

	busy := m.Reg("busy_q", hdl.Bool(), hdl.Doc("A transfer is being made."))
	wordBits := c.LengthWidth - off
	left := m.Reg("left_q", hdl.U(wordBits), hdl.NoReset(), hdl.Doc("Bus words left, this one included, minus one."))
	tail := m.Reg("tail_q", hdl.U(off), hdl.NoReset(), hdl.Doc("Bytes of the last bus word minus one."))
	rotate := m.Reg("rotate_q", hdl.U(off), hdl.NoReset(), hdl.Doc("Byte lane of the first byte at the destination."))
	g := newGenerator(m, c)
	last := m.Let("last", left.None())
	io.Out.Valid.Set(busy)
	made := m.Let("made", io.Out.Fire())
	io.In.Ready.Set(busy.Not().Or(made.And(last)))
	m.If(io.In.Fire(), func() {
		end := m.Let("end_byte", in.Span.Length.Sub(hdl.K(1)))
		busy.Set(hdl.K(1))
		left.Set(end.Bits(c.LengthWidth-1, off))
		tail.Set(end.Bits(off-1, 0))
		rotate.Set(in.DstOffset)
		g.start(in.Mode[0].Signal, in.Span.Addr.Resize(32))
	}).ElseIf(made, func() {
		busy.Set(last.Not())
		left.Set(left.Sub(hdl.K(1)))
		g.advance()
	})
	if c.ErrorHandling {
		m.If(io.Drop[0], func() { busy.Set(hdl.K(0)) })
	}
	over := m.Let("last_wraps", tail.AddX(rotate).Bit(off))
	hdl.Assign(io.Out.Data, readBeat{
		Data: hdl.V(g.word), Rotate: rotate, Skip: always(false),
		Wraps: hdl.V(hdl.Mux(last, over, rotate.Any())), Last: hdl.V(last), Cause: hdl.V(hdl.Const(2, 0)), Burst: c.noBurst(),
	})
	io.Idle.Set(busy.Not())
	io.Drained.Set(busy.Not())
	return readIO[nothing]{io, b}
}

// generator is the sequence of 32-bit words that fills bus words.
type generator struct {
	m      *hdl.Module
	mode   hdl.Var
	value  hdl.Var
	half   hdl.Var // on a bus of 16 bits: the upper half comes next
	narrow bool
	next   hdl.Signal
	word   hdl.Signal
}

func newGenerator(m *hdl.Module, c Config) *generator {
	g := &generator{m: m, narrow: c.DataWidth < 32}
	g.mode = m.Reg("mode_q", hdl.U(2), hdl.NoReset(), hdl.Doc("What is made: InitRepeat, InitIncrement or InitRandom."))
	g.value = m.Reg("value_q", hdl.U(32), hdl.NoReset(), hdl.Doc("First 32-bit word of the bus word."))
	words := max(c.DataWidth/32, 1)
	parts := make([]hdl.Value, words)
	for i := range words {
		parts[words-1-i] = g.at(i)
	}
	g.next = m.Let("next_value", g.at(words))
	g.word = hdl.Cat(parts...)
	if g.narrow {
		g.half = m.Reg("half_q", hdl.Bool(), hdl.NoReset(), hdl.Doc("The upper half of the 32-bit word comes next."))
		g.word = hdl.Mux(g.half, g.value.Bits(31, 16), g.value.Bits(15, 0))
	}
	return g
}

// at is the 32-bit word n places on.
func (g *generator) at(n int) hdl.Signal {
	if n == 0 {
		return g.value.Signal
	}
	return hdl.FirstOf(g.value,
		hdl.Choice{When: g.mode.Eq(hdl.K(InitIncrement)), Then: g.value.Add(hdl.K(n))},
		hdl.Choice{When: g.mode.Eq(hdl.K(InitRandom)), Then: shifted(g.value.Signal, n)})
}

func (g *generator) start(mode, value hdl.Signal) {
	g.mode.Set(mode)
	g.value.Set(hdl.Mux(mode.Eq(hdl.K(InitRandom)).And(value.None()), hdl.Const(32, 1), value))
	if g.narrow {
		g.half.Set(hdl.K(0))
	}
}

func (g *generator) advance() {
	if !g.narrow {
		g.value.Set(g.next)
		return
	}
	g.half.Set(g.half.Not())
	g.m.If(g.half, func() { g.value.Set(g.next) })
}

// shifted is x after n steps of the shift register of [InitRandom], x ^= x<<13,
// x ^= x>>17, x ^= x<<5: each bit is the parity of some bits of x.
func shifted(x hdl.Signal, n int) hdl.Signal {
	var from [32]uint32 // bits of x that each bit of the result is the parity of
	for bit := range 32 {
		v := uint32(1) << bit
		for range n {
			v ^= v << 13
			v ^= v >> 17
			v ^= v << 5
		}
		for i := range 32 {
			from[i] |= v >> i & 1 << bit
		}
	}
	parts := make([]hdl.Value, 32)
	for i, mask := range from {
		parts[31-i] = x.And(hdl.Const(32, uint64(mask))).Parity()
	}
	return hdl.Cat(parts...)
}
