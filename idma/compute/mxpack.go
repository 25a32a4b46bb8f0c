package compute

import (
	"fmt"

	"github.com/millrace-hdl/millrace/hdl"
	"github.com/millrace-hdl/millrace/hdl/lib"
)

// packParams select a [pack].
type packParams struct{ DataWidth, Chunk int }

func (p packParams) Suffix() string { return fmt.Sprintf("%dx8_%d", p.Chunk, p.DataWidth) }

// chunk is some bytes of a transfer.
type chunk struct {
	Data  hdl.Var
	Count hdl.Var // bytes, from lane 0 up; at least one
	Last  hdl.Var // last of its transfer
	Cause hdl.Var
}

// chunkType is the type of chunks of up to n bytes.
func chunkType(n int) chunk {
	return chunk{Data: hdl.U(8 * n), Count: hdl.U(hdl.AddrBits(n + 1)), Last: hdl.Bool(), Cause: hdl.U(2)}
}

type packIO struct {
	In  hdl.Stream[chunk] `hdl:"in"`
	Out hdl.Stream[Word]
}

// pack puts chunks of at most a bus word together to bus words. It takes a chunk in
// every cycle in which its output is taken; but where the end of a transfer leaves a
// rest behind a whole bus word, and the next chunk already makes one, that one waits for a
// cycle.
func pack(m *hdl.Module, p packParams) packIO {
	m.Doc("Packs groups of bytes into bus words.")
	lanes := p.DataWidth / 8
	off := hdl.AddrBits(lanes)
	io := hdl.Ports(m, "", hdl.Source, packIO{In: hdl.StreamOf(chunkType(p.Chunk)), Out: hdl.StreamOf(WordType(p.DataWidth))})
	in := io.In.Data

	held := m.Reg("held_q", hdl.U(p.DataWidth), hdl.NoReset(), hdl.Doc("Bytes that make no bus word yet, from lane 0 up."))
	fill := m.Reg("fill_q", hdl.U(off), hdl.Doc("How many."))
	rest := m.Reg("rest_q", hdl.Bool(), hdl.Doc("They are the last of their transfer."))
	cause := m.Reg("held_cause_q", hdl.U(2), hdl.NoReset())
	offered := m.Reg("out_valid_q", hdl.Bool())
	out := hdl.Regs(m, "out_q", WordType(p.DataWidth), hdl.NoReset())
	io.Out.Valid.Set(offered)
	hdl.Assign(io.Out.Data, out)

	at := m.Let("at", hdl.Mux(rest, hdl.K(0), fill), hdl.Doc("Lane of the first byte that comes."))
	sum := m.Let("sum", at.Ext(off+1).Add(in.Count.Resize(off+1)))
	whole := m.Let("whole", sum.Bit(off), hdl.Doc("A bus word is complete."))
	leaves := m.Let("leaves", whole.Or(in.Last))
	remains := m.Let("remains", in.Last.And(whole).And(sum.Bits(off-1, 0).Any()))
	free := m.Let("free", offered.Not().Or(io.Out.Ready))
	io.In.Ready.Set(hdl.Mux(rest, free.AndNot(leaves), free.Or(leaves.Not())))
	taken := m.Let("taken", io.In.Fire())

	turned := lib.RotateBytes(m, "turned", in.Data.Ext(p.DataWidth), at)
	above := m.Let("above", lib.FromLane(at, 8))
	merged := m.Let("merged", held.AndNot(above).Or(turned.And(above)))
	m.If(taken, func() {
		held.Set(hdl.Mux(whole, turned, merged))
		fill.Set(hdl.Mux(in.Last.AndNot(remains), hdl.K(0), sum.Bits(off-1, 0)))
		cause.Set(in.Cause)
	}).ElseIf(rest.And(free), func() { fill.Set(hdl.K(0)) })
	rest.Set(hdl.Mux(taken, remains, rest.AndNot(free)))
	m.If(free, func() {
		offered.Set(rest.Or(taken.And(leaves)))
		hdl.Assign(out, hdl.MuxOf(rest,
			Word{Data: held, Bytes: hdl.V(fill.Ext(off + 1)), Last: hdl.V(hdl.Const(1, 1)), Cause: cause},
			Word{Data: hdl.V(merged), Bytes: hdl.V(hdl.Mux(whole, hdl.K(lanes), sum)), Last: hdl.V(in.Last.AndNot(remains)), Cause: in.Cause}))
	})
	return io
}
