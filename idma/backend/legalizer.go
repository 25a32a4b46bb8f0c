package backend

import (
	"fmt"
	"math/bits"

	"github.com/millrace-hdl/millrace/hdl"
)

// legalizerParams select a [legalizer].
type legalizerParams struct {
	DataWidth, AddrWidth, LengthWidth int
	MaxLen                            int  // longest AxLEN, 2^n−1
	Drop                              bool // what is offered can be taken back
}

func (p legalizerParams) Suffix() string {
	s := fmt.Sprintf("%d_max%d", p.DataWidth, p.MaxLen+1)
	if p.Drop {
		s += "_drop"
	}
	return s
}

// span is one side of a transfer: where it lies and how it may be cut.
type span struct {
	Addr   hdl.Var
	Length hdl.Var
	Limit  []BurstLimit `hdl:"opt,name="` // with legalizers
}

// piece is a span on its way into a legalizer.
type piece struct {
	Span span    `hdl:"name="`
	Skip hdl.Var // no bus traffic: passes as one burst to be skipped
}

// burst is one legal burst of a span.
type burst struct {
	Word   hdl.Var // address of the first bus word, in words
	Len    hdl.Var // AxLEN
	First  hdl.Var // first burst of its transfer
	Last   hdl.Var // last burst of its transfer
	Offset hdl.Var // byte lane of the transfer's first byte
	Tail   hdl.Var // byte lane of the transfer's last byte
	Skip   hdl.Var
	Access []access `hdl:"opt,name="` // of TileLink
}

type legalizerIO struct {
	In   hdl.Stream[piece] `hdl:"in"`
	Out  hdl.Stream[burst]
	Drop []hdl.Var `hdl:"in,opt"` // nothing is offered in the next cycle
}

func spanType(c Config) span {
	return span{Addr: hdl.U(c.AddrWidth), Length: hdl.U(c.LengthWidth), Limit: limitType(c)}
}

// legalizer cuts spans into bursts (specification §2.3). All arithmetic is in bus
// words: a burst is the least of what is left, of the words up to the next 4 KiB
// boundary and of the longest burst allowed, counted from the burst's own start,
// so that a limit never cuts needlessly.
//
// The burst offered lies in registers. While it goes out the next one is computed,
// so no path runs from this arithmetic to a ready. A span is taken in the cycle in
// which the last burst of the previous one leaves.
func legalizer(m *hdl.Module, p legalizerParams) legalizerIO {
	m.Doc("Cuts one side of a transfer into legal AXI4 bursts.")
	off := (Config{DataWidth: p.DataWidth}).offsetBits()
	in := hdl.Ports(m, "in", hdl.Sink, hdl.StreamOf(piece{
		Span: spanType(Config{AddrWidth: p.AddrWidth, LengthWidth: p.LengthWidth, Legalizer: true}), Skip: hdl.Bool(),
	}))
	out := hdl.Ports(m, "out", hdl.Source, hdl.StreamOf(burst{
		Word: hdl.U(p.AddrWidth - off), Len: hdl.U(8), First: hdl.Bool(), Last: hdl.Bool(),
		Offset: hdl.U(off), Tail: hdl.U(off), Skip: hdl.Bool(),
	}))
	fresh := measure(m, in.Data.Span, off)
	beats := fresh.beats.Width()

	valid := m.Reg("valid_q", hdl.Bool(), hdl.Doc("A burst is offered."))
	q := hdl.Regs(m, "burst", out.Data, hdl.NoReset())
	left := m.Reg("left_q", hdl.U(beats), hdl.NoReset(), hdl.Doc("Beats left, this burst included, minus one."))
	limit := m.Reg("limit_q", hdl.U(8), hdl.NoReset(), hdl.Doc("Longest AxLEN of this transfer."))
	out.Valid.Set(valid)
	hdl.Assign(out.Data, q)

	leaves := m.Let("leaves", valid.And(out.Ready))
	in.Ready.Set(valid.Not().Or(out.Ready.And(q.Last)))
	load := m.Let("load", in.Fire())

	m.Note("Where the next burst starts: a new transfer, or behind the present burst.")
	fromIn := m.Let("from_in", valid.Not().Or(q.Last))
	nextWord := m.Let("next_word", hdl.Mux(fromIn, fresh.word, q.Word.Add(q.Len.Resize(p.AddrWidth-off)).Add(hdl.K(1))))
	nextLeft := m.Let("next_left", hdl.Mux(fromIn, fresh.beats, left.Sub(q.Len.Resize(beats)).Sub(hdl.K(1))))
	nextShort := short(m, in.Data.Span.Length.Signal, fresh.offset)
	if beats > 8 {
		less := left.Bits(7, 0).SubX(q.Len).Sub(hdl.K(1))
		high := left.Bits(beats-1, 8)
		nextShort = hdl.Mux(fromIn, nextShort, hdl.Mux(less.Bit(8), high.Eq(hdl.K(1)), high.None()))
	}
	nextShort = m.Let("next_short", nextShort, hdl.Doc("At most 256 beats are left then; known before the difference is."))
	longest := hdl.Const(8, uint64(p.MaxLen))
	limits := in.Data.Span.Limit[0]
	asked := hdl.Ones(8).Shl(limits.MaxLLen).Not()
	nextLimit := m.Let("next_limit", hdl.Mux(fromIn, hdl.Mux(limits.ReduceLen, asked.And(longest), longest), limit))

	m.Note("The burst's longest AxLEN: the limit or what is left of the 4 KiB page, whichever is less.")
	pageBits := 12 - off
	page := m.Let("page_left", nextWord.Bits(pageBits-1, 0).Not())
	pageLow := page.Resize(8)
	beyond := pageLow.AndNot(nextLimit).Any()
	if pageBits > 8 {
		beyond = beyond.Or(page.Bits(pageBits-1, 8).Any())
	}
	most := m.Let("most", hdl.Mux(beyond, nextLimit, pageLow))
	fits := m.Let("fits", nextLeft.Resize(8).Le(most).And(nextShort))

	m.If(load.Or(leaves.AndNot(q.Last.Signal)), func() {
		q.Word.Set(nextWord)
		left.Set(nextLeft)
		q.Len.Set(hdl.Mux(fits, nextLeft.Resize(8), most))
		q.First.Set(fromIn)
		q.Last.Set(fits.Or(fromIn.And(in.Data.Skip)))
	})
	m.If(load, func() {
		valid.Set(hdl.K(1))
		limit.Set(nextLimit)
		q.Offset.Set(fresh.offset)
		q.Tail.Set(fresh.tail)
		q.Skip.Set(in.Data.Skip)
	}).ElseIf(leaves.And(q.Last), func() { valid.Set(hdl.K(0)) })
	io := legalizerIO{In: in, Out: out}
	if p.Drop {
		io.Drop = []hdl.Var{m.In("drop", hdl.Bool())}
		m.If(io.Drop[0], func() { valid.Set(hdl.K(0)) })
	}
	return io
}

// extent is a span in bus words.
type extent struct {
	word         hdl.Signal // address of the first bus word
	beats        hdl.Signal // bus words touched, minus one
	offset, tail hdl.Signal // byte lanes of the first and the last byte
}

func measure(m *hdl.Module, s span, off int) extent {
	offset := s.Addr.Bits(off-1, 0)
	endBits := max(s.Length.Width(), off) + 1
	m.Note("Position of the last byte, counted from the start of the first bus word.")
	end := m.Let("end_byte", s.Length.Ext(endBits).Add(offset.Ext(endBits)).Sub(hdl.K(1)))
	return extent{
		word: s.Addr.Bits(s.Addr.Width()-1, off), beats: end.Bits(endBits-1, off),
		offset: offset, tail: end.Bits(off-1, 0),
	}
}

// short is whether a span of the given length and byte offset has at most 256
// beats. It does not wait for the carry of the whole length.
func short(m *hdl.Module, length, offset hdl.Signal) hdl.Signal {
	low := offset.Width() + 8
	if low > length.Width() {
		return hdl.Const(1, 1)
	}
	end := m.Let("end_low", length.Bits(low-1, 0).Ext(low+2).Add(offset.Ext(low+2)).Sub(hdl.K(1)))
	borrow, carry := end.Bit(low+1), end.Bit(low)
	if low == length.Width() {
		return carry.AndNot(borrow).Not()
	}
	high := length.Bits(length.Width()-1, low)
	return hdl.Mux(borrow, high.Eq(hdl.K(1)), carry.Not().And(high.None()))
}

// alreadyLegal takes spans for the legal bursts that they must be, in the same
// cycle: the engine without legalizers.
func alreadyLegal(m *hdl.Module, in hdl.Stream[piece], off, maxLen int) hdl.Stream[burst] {
	e := measure(m, in.Data.Span, off)
	span := in.Data.Span
	end := func(start hdl.Signal) hdl.Signal { // of the span, counted from where start counts
		w := max(span.Length.Width(), start.Width(), 12, off+bits.Len(uint(maxLen))) + 1
		return start.Ext(w).Add(span.Length.Ext(w))
	}
	legal := end(span.Addr.Bits(11, 0)).Le(hdl.K(4096)).And(end(e.offset).Le(hdl.K((maxLen + 1) << off)))
	m.Assume("a_transfer_is_one_legal_burst", hdl.Implies(in.Valid.AndNot(in.Data.Skip.Signal), legal), hdl.Doc("It stays within 4 KiB and within the longest burst."))
	one := hdl.V(hdl.Const(1, 1))
	return hdl.Stream[burst]{Valid: in.Valid, Ready: in.Ready, Data: burst{
		Word: hdl.V(e.word), Len: hdl.V(e.beats.Resize(8)), First: one, Last: one,
		Offset: hdl.V(e.offset), Tail: hdl.V(e.tail), Skip: in.Data.Skip,
	}}
}

// legalBursts cuts the spans of a stream, or takes them as they are where the
// engine has no legalizers; for TileLink naturally aligned. With error handling it also returns the wire that takes
// back what is offered.
func legalBursts(m *hdl.Module, c Config, p Protocol, maxLen int, in hdl.Stream[piece]) (hdl.Stream[burst], []hdl.Var) {
	if p == TileLink {
		size := c.offsetBits() + bits.Len(uint(maxLen))
		u := hdl.Inst(m, "u_legalizer", naturalLegalizer, naturalParams{c.DataWidth, c.AddrWidth, c.LengthWidth, size, c.ErrorHandling})
		hdl.Connect(u.In, in)
		return u.Out, u.Drop
	}
	if !c.Legalizer {
		return alreadyLegal(m, in, c.offsetBits(), maxLen), nil
	}
	u := hdl.Inst(m, "u_legalizer", legalizer, legalizerParams{c.DataWidth, c.AddrWidth, c.LengthWidth, maxLen, c.ErrorHandling})
	hdl.Connect(u.In, in)
	return u.Out, u.Drop
}
