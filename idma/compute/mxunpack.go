package compute

import (
	"github.com/millrace-hdl/millrace/hdl"
	"github.com/millrace-hdl/millrace/hdl/lib"
)

// mxCodes is the elements of a step with the scales of their blocks.
type mxCodes struct {
	Codes []hdl.Var
	Scale []hdl.Var
	E4M3  hdl.Var   `hdl:"name=e4m3"`
	Half  []hdl.Var `hdl:"opt"` // where a step may be of two blocks: it is of one
	Last  hdl.Var
	Cause hdl.Var
}

func (p mxParams) codesType() mxCodes {
	c := mxCodes{Codes: make([]hdl.Var, p.numbers()), Scale: make([]hdl.Var, p.blocks()), E4M3: hdl.Bool(), Last: hdl.Bool(), Cause: hdl.U(2)}
	for i := range c.Codes {
		c.Codes[i] = hdl.U(8)
	}
	for i := range c.Scale {
		c.Scale[i] = hdl.U(8)
	}
	if p.blocks() > 1 {
		c.Half = []hdl.Var{hdl.Bool()}
	}
	return c
}

type mxUnpackIO struct {
	In   hdl.Stream[Word] `hdl:"in"`
	Mode hdl.Var          `hdl:"in"` // Options.Mode
	Out  hdl.Stream[mxCodes]
}

// mxUnpack finds the elements and scales of steps in bus words: it holds a bus word of
// which bytes are left, and turns it, and the next where that is needed, so that those
// bytes come to the lowest lanes. A step leaves in every cycle in which its last byte is
// there; what is offered comes from a register.
func mxUnpack(m *hdl.Module, p mxParams) mxUnpackIO {
	m.Doc("Takes MX blocks apart into elements and scales.")
	lanes := p.lanes()
	off := hdl.AddrBits(lanes)
	io := hdl.Ports(m, "", hdl.Source, mxUnpackIO{In: hdl.StreamOf(WordType(p.DataWidth)), Mode: hdl.Bool(), Out: hdl.StreamOf(p.codesType())})
	out := hdl.Wires(m, "step", hdl.StreamOf(p.codesType()))

	holds := m.Reg("holds_q", hdl.Bool(), hdl.Doc("Bytes are left of a bus word."))
	held := hdl.Regs(m, "held_q", WordType(p.DataWidth), hdl.NoReset())
	heldMode := m.Reg("held_mode_q", hdl.Bool(), hdl.NoReset())
	at := m.Reg("at_q", hdl.U(off), hdl.Doc("Lane of the first of them, else 0."))

	var started hdl.Var
	size := hdl.Const(off+1, uint64(p.chunk()))
	if p.steps() > 1 {
		started = m.Reg("started_q", hdl.Bool(), hdl.Doc("The scale of the block has gone."))
		size = hdl.Mux(started, hdl.K(p.numbers()), size)
	}
	sum := m.Let("sum", at.Ext(off+1).Add(size), hdl.Doc("Where the step ends, from lane 0 of the held bus word."))
	over := m.Let("over", sum.Gt(hdl.K(lanes)))
	takes := m.Let("takes", holds.Not().Or(over.AndNot(held.Last)), hdl.Doc("The step needs the next bus word."))
	out.Valid.Set(takes.Not().Or(io.In.Valid))
	io.In.Ready.Set(takes.And(out.Ready))
	goes := m.Let("goes", out.Fire())

	m.Note("The bus word in which the step ends, and where.")
	end := hdl.MuxOf(takes, io.In.Data, held)
	after := m.Let("after", hdl.Mux(holds.And(takes), sum.Sub(hdl.K(lanes)), sum))
	ends := m.Let("ends", end.Last.And(after.Ge(end.Bytes)), hdl.Doc("The step is the last of its transfer."))
	keeps := m.Let("keeps", ends.Not().And(after.Ne(hdl.K(lanes))))
	m.If(goes, func() {
		holds.Set(keeps)
		at.Set(hdl.Mux(keeps, after.Bits(off-1, 0), hdl.K(0)))
		m.If(takes, func() {
			hdl.Assign(held, io.In.Data)
			heldMode.Set(io.Mode)
		})
	})

	inHeld := m.Let("in_held", lib.FromLane(at.Signal, 8).And(hdl.Repeat(holds, p.DataWidth)))
	joined := m.Let("joined", held.Data.And(inHeld).Or(io.In.Data.Data.AndNot(inHeld)))
	window := lib.RotateBytes(m, "window", joined, at.Neg())
	if p.steps() > 1 {
		blockEnds := lastOf(m, "block", p.steps(), goes, ends)
		m.If(goes, func() { started.Set(blockEnds.Not()) })
	}
	step := mxCodes{E4M3: hdl.V(hdl.Mux(holds, heldMode, io.Mode)), Last: hdl.V(ends), Cause: end.Cause}
	if p.blocks() > 1 {
		step.Half = []hdl.Var{hdl.V(end.Last.And(after.Gt(end.Bytes)))}
	}
	p.split(m, &step, window, started.Signal, goes)
	hdl.Assign(out.Data, step)
	hdl.Connect(io.Out, registered(m, "found", out))
	return io
}

// split names the bytes of a step that lie in the lowest lanes.
func (p mxParams) split(m *hdl.Module, step *mxCodes, window, started, goes hdl.Signal) {
	lane := func(i int) hdl.Signal { return window.Bits(8*i+7, 8*i) }
	if p.steps() == 1 {
		for b := range p.blocks() {
			step.Scale = append(step.Scale, hdl.V(lane(b*mxBlockBytes)))
			for i := range mxElements {
				step.Codes = append(step.Codes, hdl.V(lane(b*mxBlockBytes+1+i)))
			}
		}
		return
	}
	scale := m.Reg("scale_q", hdl.U(8), hdl.NoReset(), hdl.Doc("Scale of the block."))
	m.If(goes.AndNot(started), func() { scale.Set(lane(0)) })
	step.Scale = []hdl.Var{hdl.V(hdl.Mux(started, scale, lane(0)))}
	for i := range p.numbers() {
		step.Codes = append(step.Codes, hdl.V(hdl.Mux(started, lane(i), lane(i+1))))
	}
}
