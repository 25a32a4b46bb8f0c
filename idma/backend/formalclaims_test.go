package backend

import (
	"github.com/millrace-hdl/millrace/bus"
	"github.com/millrace-hdl/millrace/hdl"
	"github.com/millrace-hdl/millrace/hdl/lib"
)

// The managers with what they owe their buses, and what they may take for granted of
// the subordinate and of the rest of the engine. The properties are written from the
// specifications of the buses; they share nothing with the managers.

// countOf is a counter of what was opened and not closed.
func countOf(m *hdl.Module, name string, bits int, opens, closes hdl.Signal) hdl.Var {
	n := m.Reg(name, hdl.U(bits))
	n.Set(n.Add(opens.Ext(bits)).Sub(closes.Ext(bits)))
	return n
}

// addressClaims are those of an address channel of bursts: within a page, one behind
// the other, and as many beats as the span taken has bus words.
func addressClaims(m *hdl.Module, c Config, name string, taken hdl.Signal, s span, a hdl.Stream[bus.AXI4Addr], at cutting) {
	off := c.offsetBits()
	beats := m.Let(name+"_beats", a.Data.Len.Ext(9).Add(hdl.K(1)))
	words := m.Let(name+"_words", a.Data.Addr.Bits(11, off).Ext(13).Add(beats.Ext(13)))
	m.Assert(name+"_within_4k", hdl.Implies(a.Valid.Signal, words.Le(hdl.K(4096>>off))))
	m.Assert(name+"_aligned", hdl.Implies(a.Valid.Signal, a.Data.Addr.Bits(off-1, 0).None()))
	w := c.LengthWidth + 2
	total := s.Length.Ext(w).Add(s.Addr.Bits(off-1, 0).Ext(w)).Add(hdl.K(c.lanes()-1)).Bits(w-1, off).Ext(w)
	left, next := m.Reg(name+"_left", hdl.U(w)), m.Reg(name+"_next", hdl.U(c.AddrWidth-off))
	after := m.Let(name+"_after", left.Sub(hdl.Mux(a.Fire(), beats.Ext(w), hdl.K(0))))
	m.If(taken, func() {
		left.Set(total)
		next.Set(s.Addr.Bits(c.AddrWidth-1, off))
	}).ElseIf(a.Fire(), func() {
		left.Set(after)
		next.Set(next.Add(beats.Resize(c.AddrWidth - off)))
	})
	at.claims(m, name, left.Signal, next.Signal)
	m.Assert(name+"_no_more_than_asked", hdl.Implies(a.Valid.Signal, beats.Ext(w).Le(left)))
	m.Assert(name+"_no_less_than_asked", hdl.Implies(taken, after.None()))
	m.Assert(name+"_continues", hdl.Implies(a.Valid.Signal, a.Data.Addr.Bits(c.AddrWidth-1, off).Eq(next)))
}

// readTransferClaims are that each transfer ends once. They return the bursts under way.
func readTransferClaims(m *hdl.Module, c Config, in *sight, p Protocol, s readSide, at cutting) elements {
	n := countOf(m, "transfers", 6, s.In.Fire(), s.Out.Fire().And(s.Out.Data.Last))
	last := len(optional(c.ReserveBuffer, true))
	width := c.offsetBits() + 3 + last
	if p == TileLink {
		last, width = last+c.offsetBits()+2, width+c.offsetBits()+2
	}
	under := in.queue("u_pending", lib.FIFOParams{Width: width, Depth: c.Outstanding})
	ends := under.having(func(item hdl.Signal) hdl.Signal { return item.Bit(last) })
	m.Assert("pending_end_transfers", n.Eq(ends.Ext(6).Add(at.valid.Ext(6))))
	m.Assert("ends_what_began", hdl.Implies(s.Out.Valid.And(s.Out.Data.Last), n.Any()))
	m.Assert("every_transfer_ends", hdl.Implies(s.Idle.And(s.Drained), n.None()))
	return under
}

// readAXI4Claims is the read manager of AXI4 with its properties.
func readAXI4Claims(m *hdl.Module, c Config, in *sight) readIO[axiReads] {
	io := readAXI4(m, c)
	s, b := io.Side, io.Bus
	hdl.Obey(m, "in", hdl.Sink, s.In)
	hdl.Obey(m, "r", hdl.Sink, b.R)
	hdl.Obey(m, "ar", hdl.Source, b.AR)
	hdl.Obey(m, "out", hdl.Source, s.Out)
	m.Assume("spans_have_bytes", hdl.Implies(s.In.Valid.Signal, s.In.Data.Span.Length.Any()))
	at := in.legalizer(c, c.maxReadLen(), false)
	addressClaims(m, c, "ar", s.In.Fire(), s.In.Data.Span, b.AR, at)

	// The subordinate answers what was asked for, in order, with as many beats.
	n := countOf(m, "bursts", 9, b.AR.Fire(), b.R.Fire().And(b.R.Data.Last))
	depth := c.Outstanding
	w := hdl.AddrBits(depth)
	next, out, beat := m.Reg("asked_at", hdl.U(w)), m.Reg("answer_at", hdl.U(w)), m.Reg("answer_beat", hdl.U(8))
	lens := make([]hdl.Signal, depth)
	for i := range depth {
		l := m.Reg("asked_len"+string(rune('0'+i)), hdl.U(8))
		m.If(b.AR.Fire().And(next.Eq(hdl.K(i))), func() { l.Set(b.AR.Data.Len) })
		lens[i] = l.Signal
	}
	m.If(b.AR.Fire(), func() { next.Set(next.Add(hdl.K(1))) })
	m.If(b.R.Fire(), func() {
		beat.Set(hdl.Mux(b.R.Data.Last, hdl.K(0), beat.Add(hdl.K(1))))
		out.Set(out.Add(b.R.Data.Last.Ext(w)))
	})
	m.Assume("answers_what_was_asked", hdl.Implies(b.R.Valid.Signal, n.Any()))
	m.Assume("last_is_the_last", hdl.Implies(b.R.Valid.Signal, b.R.Data.Last.Eq(beat.Eq(hdl.Select(out, lens...)))))
	m.Assert("no_more_bursts_than_places", n.Le(hdl.K(depth)))
	m.Assert("drained_says_so", hdl.Implies(s.Drained.Signal, n.None()))

	under := readTransferClaims(m, c, in, AXI4, s, at)
	m.Assert("pending_are_bursts", n.Eq(under.count.Ext(9)))
	if c.ReserveBuffer {
		m.Assert("never_without_room", hdl.Implies(b.R.Valid.And(s.Out.Ready), b.R.Ready.Signal))
	}
	return io
}

// writeAXI4Claims is the write manager of AXI4 with its properties.
func writeAXI4Claims(m *hdl.Module, c Config, in *sight) writeIO[axiWrites] {
	io := writeAXI4(m, c)
	s, b := io.Side, io.Bus
	hdl.Obey(m, "aw", hdl.Source, b.AW)
	hdl.Obey(m, "w", hdl.Source, b.W)
	addressClaims(m, c, "aw", s.In.Fire(), spanOf(c, s.In.Data.Piece), b.AW, in.legalizer(c, 255, true, in.reg("addressed_q", 1)))

	// Addresses may be ahead of data and the other way round, by at most two bursts.
	ends := m.Let("w_ends", b.W.Fire().And(b.W.Data.Last))
	aAt, wAt, ahead := m.Reg("aw_at", hdl.U(2)), m.Reg("w_at", hdl.U(2)), m.Reg("aw_ahead", hdl.S(4))
	beat := m.Reg("w_beat", hdl.U(8))
	m.If(b.W.Fire(), func() { beat.Set(hdl.Mux(b.W.Data.Last, hdl.K(0), beat.Add(hdl.K(1)))) })
	aLens, wLens := make([]hdl.Signal, 4), make([]hdl.Signal, 4)
	for i := range 4 {
		a, w := m.Reg("aw_len"+string(rune('0'+i)), hdl.U(8)), m.Reg("w_len"+string(rune('0'+i)), hdl.U(8))
		m.If(b.AW.Fire().And(aAt.Eq(hdl.K(i))), func() { a.Set(b.AW.Data.Len) })
		m.If(ends.And(wAt.Eq(hdl.K(i))), func() { w.Set(beat) })
		aLens[i], wLens[i] = a.Signal, w.Signal
	}
	m.If(b.AW.Fire(), func() { aAt.Set(aAt.Add(hdl.K(1))) })
	m.If(ends, func() { wAt.Set(wAt.Add(hdl.K(1))) })
	m.If(b.AW.Fire().AndNot(ends), func() { ahead.Set(ahead.Add(hdl.K(1))) }).
		ElseIf(ends.AndNot(b.AW.Fire()), func() { ahead.Set(ahead.Sub(hdl.K(1))) })
	level, behind := ahead.Eq(hdl.K(0)), ahead.Lt(hdl.K(0))
	m.Assert("at_most_two_apart", ahead.Le(hdl.K(2)).And(ahead.Ge(hdl.K(-1))))
	m.Assert("beats_as_announced", hdl.Implies(ends.And(level.Or(behind).Not()), beat.Eq(hdl.Select(wAt, aLens...))))
	m.Assert("beats_as_announced_at_once", hdl.Implies(ends.And(b.AW.Fire()).And(level), beat.Eq(b.AW.Data.Len)))
	m.Assert("announced_as_sent", hdl.Implies(b.AW.Fire().And(behind), b.AW.Data.Len.Eq(hdl.Select(aAt, wLens...))))
	m.Assert("w_has_bytes", hdl.Implies(b.W.Valid.Signal, b.W.Data.Strb.Any()))
	writeSideClaims(m, c, s, b.W.Fire(), ends)
	return io
}

// completionClaims is the completion with its properties.
func completionClaims(m *hdl.Module, c Config, in *sight) completionIO {
	io := completion(m, c)
	hdl.Obey(m, "in", hdl.Sink, io.In)
	hdl.Obey(m, "b", hdl.Sink, io.B)
	hdl.Obey(m, "rsp", hdl.Source, io.Rsp)
	bursts := countOf(m, "bursts", 11, io.In.Fire().AndNot(io.In.Data.Refused.Signal), io.B.Fire())
	asked := countOf(m, "asked", 11, io.In.Fire().And(io.In.Data.Ends), io.Rsp.Fire())
	under := in.queue("u_written", lib.FIFOParams{Width: 5, Depth: c.writeOutstanding()})
	m.Assert("written_are_bursts", bursts.Eq(under.having(func(item hdl.Signal) hdl.Signal { return item.Bit(2).Not() }).Ext(11)))
	m.Assert("written_are_asked", asked.Eq(under.having(func(item hdl.Signal) hdl.Signal { return item.Bit(4) }).Ext(11)))
	m.Assume("only_whole_requests_are_refused", hdl.Implies(io.In.Valid.And(io.In.Data.Refused), io.In.Data.Ends.Signal))
	m.Assume("acknowledges_what_was_written", hdl.Implies(io.B.Valid.Signal, bursts.Any()))
	m.Assert("acknowledged_once", hdl.Implies(io.B.Ready.Signal, bursts.Any()))
	m.Assert("answers_what_was_asked", hdl.Implies(io.Rsp.Valid.Signal, asked.Any()))
	m.Assert("acknowledged_before_answered", hdl.Implies(io.Rsp.Fire().And(io.Rsp.Data.ErrType.Ne(hdl.K(ErrRefused))), io.B.Fire()))
	m.Assert("answers_everything", hdl.Implies(io.Idle.Signal, asked.None().And(bursts.None())))
	m.Assert("no_more_than_places", asked.Le(hdl.K(c.writeOutstanding())))
	return io
}
