package backend

import (
	"fmt"

	"github.com/millrace-hdl/millrace/hdl"
	"github.com/millrace-hdl/millrace/hdl/lib"
)

// naturalParams select a [naturalLegalizer].
type naturalParams struct {
	DataWidth, AddrWidth, LengthWidth int
	MaxSize                           int  // log2 of the bytes of the longest burst, at least a bus word
	Drop                              bool // what is offered can be taken back
}

func (p naturalParams) Suffix() string {
	s := fmt.Sprintf("%d_max%d", p.DataWidth, 1<<p.MaxSize)
	if p.Drop {
		s += "_drop"
	}
	return s
}

// access is what a burst of TileLink has besides: it may be less than a bus word, of
// which others are the rest.
type access struct {
	Low    hdl.Var // byte lane of its first byte
	Size   hdl.Var // log2 of its bytes
	Opens  hdl.Var // begins in the first bus word of its transfer
	Final  hdl.Var // lies in the last bus word of its transfer
	Closes hdl.Var // the transfer has no more bytes in its last bus word
}

// opens is whether the burst begins in the first bus word of its transfer.
func (b burst) opens() hdl.Signal {
	if len(b.Access) > 0 {
		return b.Access[0].Opens.Signal
	}
	return b.First.Signal
}

// naturalLegalizer cuts spans into naturally aligned bursts of a power of two of bytes,
// one byte up to 2^MaxSize, as TileLink wants them: each is as long as its address, what
// is left and the limits allow. So exactly the bytes of the span are accessed, and only
// both ends of a span that is not aligned cost accesses of their own. As in
// [legalizer] the burst offered lies in registers, while the next is computed.
func naturalLegalizer(m *hdl.Module, p naturalParams) legalizerIO {
	m.Doc("Cuts one side of a transfer into naturally aligned TileLink accesses.")
	off, top := (Config{DataWidth: p.DataWidth}).offsetBits(), p.MaxSize
	in := hdl.Ports(m, "in", hdl.Sink, hdl.StreamOf(piece{
		Span: spanType(Config{AddrWidth: p.AddrWidth, LengthWidth: p.LengthWidth, Legalizer: true}), Skip: hdl.Bool(),
	}), hdl.MayBeUnused())
	out := hdl.Ports(m, "out", hdl.Source, hdl.StreamOf(burst{
		Word: hdl.U(p.AddrWidth - off), Len: hdl.U(8), First: hdl.Bool(), Last: hdl.Bool(),
		Offset: hdl.U(off), Tail: hdl.U(off), Skip: hdl.Bool(),
		Access: []access{{hdl.U(off), hdl.U(hdl.AddrBits(top + 1)), hdl.Bool(), hdl.Bool(), hdl.Bool()}},
	}))
	valid := m.Reg("valid_q", hdl.Bool(), hdl.Doc("A burst is offered."))
	addr := m.Reg("addr_q", hdl.U(p.AddrWidth), hdl.NoReset(), hdl.Doc("Its first byte."))
	left := m.Reg("left_q", hdl.U(p.LengthWidth), hdl.NoReset(), hdl.Doc("Bytes left, this burst included."))
	step := m.Reg("step_q", hdl.U(top+1), hdl.NoReset(), hdl.Doc("Its bytes, a power of two."))
	q := hdl.Regs(m, "burst", struct{ First, Last, Opens, Final, Offset, Tail, Skip hdl.Var }{
		hdl.Bool(), hdl.Bool(), hdl.Bool(), hdl.Bool(), hdl.U(off), hdl.U(off), hdl.Bool(),
	}, hdl.NoReset())

	leaves := m.Let("leaves", valid.And(out.Ready))
	in.Ready.Set(valid.Not().Or(out.Ready.And(q.Last)))
	load := m.Let("load", in.Fire())
	after := m.Let("after", addr.Add(step.Resize(p.AddrWidth)), hdl.Doc("The first byte behind it."))
	closes := m.Let("closes", q.Last.Or(after.Bits(off-1, 0).None()))
	out.Valid.Set(valid)
	hdl.Assign(out.Data, burst{
		Word: hdl.V(addr.Bits(p.AddrWidth-1, off)), Len: hdl.V(beatsOf(step.Signal, off)), First: q.First, Last: q.Last,
		Offset: q.Offset, Tail: q.Tail, Skip: q.Skip,
		Access: []access{{hdl.V(addr.Bits(off-1, 0)), hdl.V(lib.Index(step.Signal)), q.Opens, q.Final, hdl.V(closes)}},
	})

	m.Note("Where the next burst starts: a new transfer, or behind the present burst.")
	span := in.Data.Span
	fromIn := m.Let("from_in", valid.Not().Or(q.Last))
	nextAddr := m.Let("next_addr", hdl.Mux(fromIn, span.Addr, after))
	nextLeft := m.Let("next_left", hdl.Mux(fromIn, span.Length, left.Sub(step.Resize(p.LengthWidth))))
	limited := p.limit(m, span.Limit[0], fromIn, load)

	m.Note("The longest size that address, bytes left and limit allow.")
	fits := make([]hdl.Value, top+2) // a size fits: so do all below it
	fits[0], fits[top+1] = hdl.Const(1, 1), hdl.Const(1, 0)
	for k := 1; k <= top; k++ {
		enough := hdl.Const(1, 0)
		if k < p.LengthWidth {
			enough = nextLeft.Bits(p.LengthWidth-1, k).Any()
		}
		fit := nextAddr.Bits(k-1, 0).None().And(enough)
		if k > off {
			fit = fit.And(limited.Bit(k - off - 1))
		}
		fits[k] = fit
	}
	reverse := func(vs []hdl.Value) hdl.Signal {
		var r []hdl.Value
		for i := range vs {
			r = append(r, vs[len(vs)-1-i])
		}
		return hdl.Cat(r...)
	}
	nextFits := m.Let("next_fits", reverse(fits[:top+1]))
	nextStep := m.Let("next_step", nextFits.AndNot(reverse(fits[1:])))
	lane := nextAddr.Bits(off-1, 0).Ext(off + 2)
	inside := lane.Add(nextLeft.Bits(off, 0).Ext(off + 2)).Le(hdl.K(1 << off))
	m.If(load.Or(leaves.AndNot(q.Last.Signal)), func() {
		addr.Set(nextAddr)
		left.Set(nextLeft)
		step.Set(nextStep)
		q.First.Set(fromIn)
		q.Last.Set(nextLeft.Eq(nextStep.Resize(p.LengthWidth)).Or(fromIn.And(in.Data.Skip)))
		q.Opens.Set(fromIn.Or(q.Opens.AndNot(closes)))
		q.Final.Set(nextLeft.Bits(p.LengthWidth-1, off+1).None().And(inside))
	})
	m.If(load, func() {
		valid.Set(hdl.K(1))
		q.Offset.Set(span.Addr.Bits(off-1, 0))
		q.Tail.Set(span.Addr.Bits(off-1, 0).Add(span.Length.Bits(off-1, 0)).Sub(hdl.K(1)))
		q.Skip.Set(in.Data.Skip)
	}).ElseIf(leaves.And(q.Last), func() { valid.Set(hdl.K(0)) })
	io := legalizerIO{In: in, Out: out}
	if p.Drop {
		io.Drop = []hdl.Var{m.In("drop", hdl.Bool())}
		m.If(io.Drop[0], func() { valid.Set(hdl.K(0)) })
	}
	return io
}

// limit is, for each size above a bus word, whether the transfer's burst limit allows it.
func (p naturalParams) limit(m *hdl.Module, asked BurstLimit, fromIn, load hdl.Signal) hdl.Signal {
	sizes := p.MaxSize - (Config{DataWidth: p.DataWidth}).offsetBits()
	if sizes == 0 {
		return hdl.Signal{}
	}
	bits := make([]hdl.Value, sizes)
	for j := range sizes {
		allowed := hdl.Const(1, 0)
		if j+1 < 1<<asked.MaxLLen.Width() {
			allowed = asked.MaxLLen.Ge(hdl.K(j + 1))
		}
		bits[sizes-1-j] = asked.ReduceLen.Not().Or(allowed)
	}
	limit := m.Reg("limit_q", hdl.U(sizes), hdl.NoReset(), hdl.Doc("Sizes above a bus word that the limit of this transfer allows."))
	next := m.Let("next_limit", hdl.Mux(fromIn, hdl.Cat(bits...), limit))
	m.If(load, func() { limit.Set(next) })
	return next
}

// beatsOf is the bus words that a power of two of bytes takes, minus one.
func beatsOf(bytes hdl.Signal, off int) hdl.Signal {
	bits := make([]hdl.Value, 8)
	for i := range bits {
		bits[7-i] = hdl.Const(1, 0)
		if lo := off + i + 1; lo < bytes.Width() {
			bits[7-i] = bytes.Bits(bytes.Width()-1, lo).Any()
		}
	}
	return hdl.Cat(bits...)
}
