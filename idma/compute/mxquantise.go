package compute

import (
	"strconv"

	"github.com/millrace-hdl/millrace/hdl"
	"github.com/millrace-hdl/millrace/hdl/lib"
)

// mxStep is a step of a block on its way to the elements.
type mxStep struct {
	Numbers []mxNumber
	End     hdl.Var   // last of its block
	Half    []hdl.Var `hdl:"opt"` // where a step may be of two blocks: it is of one
	Last    hdl.Var   // last of its transfer
	Cause   hdl.Var
}

func (p mxParams) stepType() mxStep {
	s := mxStep{Numbers: make([]mxNumber, p.numbers()), End: hdl.Bool(), Last: hdl.Bool(), Cause: hdl.U(2)}
	for i := range s.Numbers {
		s.Numbers[i] = mxNumberType()
	}
	if p.blocks() > 1 {
		s.Half = []hdl.Var{hdl.Bool()}
	}
	return s
}

// mxScales are the scales of the blocks of a step, or of the block that it is of.
type mxScales struct {
	Block []mxScale
	E4M3  hdl.Var `hdl:"name=e4m3"`
}

func (p mxParams) scalesType() mxScales {
	s := mxScales{Block: make([]mxScale, p.blocks()), E4M3: hdl.Bool()}
	for i := range s.Block {
		s.Block[i] = mxScaleType()
	}
	return s
}

// queueDepth is how many steps have to wait for the scale of their block so that one
// comes and one goes in every cycle: those of a block, while the search ends, and that which
// comes while the first goes. scaleDepth is of how many blocks they can be.
func (p mxParams) queueDepth() int {
	return p.steps() + searchStages(p.numbers()/p.blocks()) + 1
}
func (p mxParams) scaleDepth() int { return 1 + (p.queueDepth()-1)/p.steps() }

// mxQuantise is the unit that makes MX blocks of numbers. Steps wait in a queue while
// the largest exponent of their block is searched beside it; what leaves the queue is
// rounded, and the bytes packed.
func mxQuantise(m *hdl.Module, p mxParams) Unit {
	m.Doc("Quantises " + p.Float.String() + " numbers to MX blocks of 33 bytes.")
	io := UnitPorts(m, p.DataWidth)
	steps := p.gather(m, io.In)

	queue := hdl.Wires(m, "step", hdl.StreamOf(p.stepType()))
	end := lastOf(m, "in_step", p.steps(), queue.Fire(), steps.Data.Last.Signal)
	queue.Valid.Set(steps.Valid)
	steps.Ready.Set(queue.Ready)
	step := mxStep{Numbers: p.numbersOf(steps.Data.Data.Signal), End: hdl.V(end), Last: steps.Data.Last, Cause: steps.Data.Cause}
	if p.blocks() > 1 {
		step.Half = []hdl.Var{hdl.V(steps.Data.Bytes.Le(hdl.K(mxElements * p.Float.bytes())))}
	}
	hdl.Assign(queue.Data, step)
	waiting, _ := lib.Queue(m, "u_steps", lib.FIFOParams{Depth: p.queueDepth()}, queue)
	scales := p.scales(m, step, queue.Fire(), io.Options.Mode.Bit(0))

	m.Note("A step goes when its scale is there; the scale, with the last step of its block.")
	chunks := hdl.Wires(m, "made", hdl.StreamOf(chunkType(p.chunk())))
	chunks.Valid.Set(waiting.Valid.And(scales.Valid))
	waiting.Ready.Set(chunks.Ready.And(scales.Valid))
	scales.Ready.Set(chunks.Ready.And(waiting.Valid).And(waiting.Data.End))
	hdl.Assign(chunks.Data, p.encode(m, waiting.Data, scales.Data, chunks.Fire()))

	packer := hdl.Inst(m, "u_pack", pack, packParams{p.DataWidth, p.chunk()})
	hdl.Connect(packer.In, registered(m, "chunk", chunks))
	hdl.Connect(io.Out, packer.Out)
	return io
}

// gather makes words of at least one number of bus words.
func (p mxParams) gather(m *hdl.Module, in hdl.Stream[Word]) hdl.Stream[Word] {
	if p.words() == 1 {
		return in
	}
	low := m.Reg("low_q", hdl.U(p.DataWidth), hdl.NoReset(), hdl.Doc("First half of a number."))
	second := m.Reg("second_q", hdl.Bool(), hdl.Doc("The second half comes."))
	ready := m.Wire("number_ready", hdl.Bool())
	in.Ready.Set(second.Not().Or(ready))
	m.If(in.Fire(), func() {
		low.Set(in.Data.Data)
		second.Set(second.Not())
	})
	return hdl.Stream[Word]{Valid: hdl.V(in.Valid.And(second)), Ready: ready,
		Data: Word{Data: hdl.V(hdl.Cat(in.Data.Data, low)), Last: in.Data.Last, Cause: in.Data.Cause}}
}

func (p mxParams) numbersOf(word hdl.Signal) []mxNumber {
	all, w := make([]mxNumber, p.numbers()), 8*p.Float.bytes()
	for i := range all {
		all[i] = p.Float.shortened(word.Bits(w*i+w-1, w*i))
	}
	return all
}

// scales gives the scales of blocks as soon as they are known.
func (p mxParams) scales(m *hdl.Module, step mxStep, comes, e4m3Mode hdl.Signal) hdl.Stream[mxScales] {
	groups := make([][]hdl.Signal, p.blocks())
	for i, n := range step.Numbers {
		m.Note("Infinity and NaN do not count.")
		exp := m.Let("in_exp"+strconv.Itoa(i), hdl.Mux(n.Exp.All(), hdl.K(0), n.Exp))
		groups[i*len(groups)/len(step.Numbers)] = append(groups[i*len(groups)/len(step.Numbers)], exp)
	}
	found := searchTop(m, groups, hdl.Cat(e4m3Mode, step.End, comes))
	mode, end, valid := found.meta.Bit(2), found.meta.Bit(1), found.meta.Bit(0)
	if p.steps() > 1 {
		before := m.Reg("top_q", hdl.U(8), hdl.Doc("Largest exponent of the block so far."))
		top := m.Let("top", hdl.Mux(found.top[0].Gt(before), found.top[0], before))
		m.If(valid, func() { before.Set(hdl.Mux(end, hdl.K(0), top)) })
		found.top[0] = top
	}
	all := mxScales{E4M3: hdl.V(mode)}
	for i, top := range found.top {
		all.Block = append(all.Block, p.scaleFor(m, "scale"+strconv.Itoa(i), top, mode))
	}
	out := hdl.Wires(m, "scale", hdl.StreamOf(p.scalesType()))
	out.Valid.Set(valid.And(end))
	hdl.Assign(out.Data, all)
	scales, _ := lib.Queue(m, "u_scales", lib.FIFOParams{Depth: p.scaleDepth()}, out)
	m.Assert("room_for_scales", hdl.Implies(out.Valid.Signal, out.Ready.Signal))
	return scales
}

// encode is the bytes of a step.
func (p mxParams) encode(m *hdl.Module, step mxStep, scales mxScales, goes hdl.Signal) chunk {
	codes := make([]hdl.Value, p.numbers())
	for i, n := range step.Numbers {
		u := hdl.Inst(m, "u_encode"+strconv.Itoa(i), mxEncode, struct{}{})
		hdl.Assign(u.In, n)
		u.E4M3.Set(scales.E4M3)
		u.Floor.Set(scales.Block[i*len(scales.Block)/p.numbers()].Floor)
		codes[len(codes)-1-i] = u.Code
	}
	c := chunk{Last: step.Last, Cause: step.Cause}
	bits := hdl.AddrBits(p.chunk() + 1)
	if p.steps() > 1 {
		first := m.Reg("first_q", hdl.Bool(), hdl.Init(1), hdl.Doc("A block begins."))
		m.If(goes, func() { first.Set(step.End) })
		elements := hdl.Cat(codes...)
		c.Data = hdl.V(hdl.Mux(first, hdl.Cat(elements, scales.Block[0].Byte), hdl.Cat(hdl.Const(8, 0), elements)))
		c.Count = hdl.V(hdl.Mux(first, hdl.Const(bits, uint64(p.chunk())), hdl.K(p.numbers())))
		return c
	}
	var blocks []hdl.Value
	for i := range p.blocks() {
		part := codes[i*mxElements : (i+1)*mxElements]
		blocks = append(append(blocks, part...), scales.Block[p.blocks()-1-i].Byte)
	}
	c.Data, c.Count = hdl.V(hdl.Cat(blocks...)), hdl.V(hdl.Const(bits, uint64(p.chunk())))
	if len(step.Half) > 0 {
		c.Count = hdl.V(hdl.Mux(step.Half[0], hdl.K(mxBlockBytes), c.Count))
	}
	return c
}
