package frontend

import (
	"github.com/millrace-hdl/millrace/bus"
	"github.com/millrace-hdl/millrace/hdl"
)

// markBytes are written at the begin of a descriptor when its transfer has ended: ones over
// the flags, and over the length ones, or with DescConfig.ErrorMarks how it failed.
const markBytes = 8

// toMark is a descriptor that is to be marked.
type toMark struct {
	Addr   hdl.Var
	Length []hdl.Var `hdl:"opt"` // with ErrorMarks: what is written over the length
}

// marking is what is common to the markers of descriptors: addresses in, and for each
// in their order that it was marked.
type marking struct {
	Mark   hdl.Stream[toMark] `hdl:"in"`
	Done   hdl.Var            // one was marked
	Failed hdl.Var            // with Done: the bus had an error
}

func (c DescConfig) markingType() marking {
	return marking{hdl.StreamOf(toMark{hdl.U(c.Backend.AddrWidth), optional(c.ErrorMarks, hdl.U(32))}), hdl.Bool(), hdl.Bool()}
}

// placeOf is the same stream without what is written.
func placeOf(mark hdl.Stream[toMark]) hdl.Stream[place] {
	return hdl.Stream[place]{Valid: mark.Valid, Ready: mark.Ready, Data: place{mark.Data.Addr}}
}

// word is the bus word of a mark, of which the flags can be the second one.
func (c DescConfig) word(mark toMark, second hdl.Signal) hdl.Signal {
	if !c.ErrorMarks {
		return hdl.Ones(c.FetchWidth)
	}
	flags := hdl.Ones(32)
	if c.FetchWidth == 32 {
		return hdl.Mux(second, flags, mark.Length[0])
	}
	return hdl.Repeat(hdl.Cat(flags, mark.Length[0]), c.FetchWidth/64)
}

// marks is how many bus words a mark takes.
func (c DescConfig) marks() int { return max(markBytes/c.lanes(), 1) }

// strobes are the lanes of a mark in a bus word: a descriptor begins at its first lane,
// or in wide words at one of several.
func (c DescConfig) strobes(addr hdl.Var) hdl.Signal {
	n := c.lanes()
	if n <= markBytes {
		return hdl.Ones(n)
	}
	one := hdl.Const(n, 1<<markBytes-1)
	if n <= descBytes {
		return one
	}
	return one.Shl(addr.Bits(len2(n)-1, 0))
}

// len2 is the logarithm of a power of two.
func len2(n int) int { return hdl.AddrBits(n) }

// together hands an element to two channels, each when it is ready, and returns when
// both have it.
func together(m *hdl.Module, valid hdl.Signal, aReady, bReady hdl.Signal) (aValid, bValid, both hdl.Signal) {
	aDone := m.Reg("addr_sent_q", hdl.Bool(), hdl.Doc("The address was taken."))
	bDone := m.Reg("data_sent_q", hdl.Bool(), hdl.Doc("The data were taken."))
	a, b := m.Let("addr_goes", aDone.Or(aReady)), m.Let("data_go", bDone.Or(bReady))
	both = m.Let("both", valid.And(a).And(b))
	m.If(valid, func() {
		aDone.Set(a.AndNot(both))
		bDone.Set(b.AndNot(both))
	})
	return valid.AndNot(aDone.Signal), valid.AndNot(bDone.Signal), both
}

type axi4MarkerIO struct {
	Side marking `hdl:"name="`
	Bus  bus.AXI4Writes
}

// descMarkAXI4 marks each descriptor with one INCR burst.
func descMarkAXI4(m *hdl.Module, c DescConfig) axi4MarkerIO {
	m.Doc("Marks descriptors over AXI4, a burst each.")
	io := hdl.Ports(m, "", hdl.Source, axi4MarkerIO{c.markingType(), c.axi4().AXI4Writes}, hdl.MayBeUnused())
	size := 3
	if c.lanes() < markBytes {
		size = len2(c.lanes())
	}
	last, second := hdl.Const(1, 1), hdl.Const(1, 0)
	if c.marks() > 1 {
		beat := m.Reg("beat_q", hdl.U(hdl.AddrBits(c.marks())))
		m.If(io.Bus.W.Valid.And(io.Bus.W.Ready), func() { beat.Set(beat.Add(hdl.K(1))) })
		last = m.Let("last_beat", beat.All())
		second = last
	}
	aw, w, both := together(m, io.Side.Mark.Valid.Signal, io.Bus.AW.Ready.Signal, io.Bus.W.Ready.And(last))
	io.Side.Mark.Ready.Set(both)
	io.Bus.AW.Valid.Set(aw)
	hdl.Assign(io.Bus.AW.Data, c.axi4Address(io.Side.Mark.Data.Addr, c.marks(), size))
	io.Bus.W.Valid.Set(w)
	hdl.Assign(io.Bus.W.Data, bus.AXI4Write{Data: hdl.V(c.word(io.Side.Mark.Data, second)), Strb: hdl.V(c.strobes(io.Side.Mark.Data.Addr)), Last: hdl.V(last), User: zero(1)})
	io.Bus.B.Ready.Set(hdl.K(1))
	io.Side.Done.Set(io.Bus.B.Valid)
	io.Side.Failed.Set(io.Bus.B.Data.Resp.Bit(1))
	return io
}

// answers tells of the last of a mark's answers, and whether one of them failed.
func answers(m *hdl.Module, c DescConfig, io marking, valid, failed hdl.Signal) {
	if c.marks() == 1 {
		io.Done.Set(valid)
		io.Failed.Set(failed)
		return
	}
	n := m.Reg("answer_q", hdl.U(hdl.AddrBits(c.marks())), hdl.Doc("Answers of the mark that are here."))
	bad := m.Reg("failed_q", hdl.Bool(), hdl.Doc("One of them was an error."))
	m.If(valid, func() {
		n.Set(n.Add(hdl.K(1)))
		bad.Set(n.All().Not().And(bad.Or(failed)))
	})
	io.Done.Set(valid.And(n.All()))
	io.Failed.Set(failed.Or(bad))
}

type liteMarkerIO struct {
	Side marking `hdl:"name="`
	Bus  bus.AXILiteWrites
}

// descMarkLite marks descriptors word by word.
func descMarkLite(m *hdl.Module, c DescConfig) liteMarkerIO {
	m.Doc("Marks descriptors over AXI4-Lite, word by word.")
	io := hdl.Ports(m, "", hdl.Source, liteMarkerIO{c.markingType(), c.lite().AXILiteWrites}, hdl.MayBeUnused())
	aw, w, both := together(m, io.Side.Mark.Valid.Signal, io.Bus.AW.Ready.Signal, io.Bus.W.Ready.Signal)
	io.Bus.AW.Valid.Set(aw)
	addr := wordwise(m, c, placeOf(io.Side.Mark), c.marks(), both)
	io.Bus.AW.Data.Addr.Set(addr)
	io.Bus.AW.Data.Prot.Set(hdl.K(0))
	io.Bus.W.Valid.Set(w)
	io.Bus.W.Data.Data.Set(c.word(io.Side.Mark.Data, addr.Bit(2)))
	io.Bus.W.Data.Strb.Set(hdl.Ones(c.lanes()))
	io.Bus.B.Ready.Set(hdl.K(1))
	answers(m, c, io.Side, io.Bus.B.Valid.Signal, io.Bus.B.Data.Resp.Bit(1))
	return io
}

type obiMarkerIO struct {
	Side marking `hdl:"name="`
	Bus  bus.OBI
}

// descMarkOBI marks descriptors word by word.
func descMarkOBI(m *hdl.Module, c DescConfig) obiMarkerIO {
	m.Doc("Marks descriptors over OBI, word by word.")
	io := hdl.Ports(m, "", hdl.Source, obiMarkerIO{c.markingType(), c.obi()}, hdl.MayBeUnused())
	io.Bus.Req.Set(io.Side.Mark.Valid)
	addr := wordwise(m, c, placeOf(io.Side.Mark), c.marks(), io.Bus.Req.And(io.Bus.Gnt))
	hdl.Assign(io.Bus.A, bus.OBIAddr{
		Addr: hdl.V(addr), WE: hdl.V(hdl.Const(1, 1)), BE: hdl.V(hdl.Ones(c.lanes())),
		WData: hdl.V(c.word(io.Side.Mark.Data, addr.Bit(2))), AID: zero(c.FetchIDWidth),
	})
	answers(m, c, io.Side, io.Bus.RValid.Signal, io.Bus.R.Err.Signal)
	return io
}
