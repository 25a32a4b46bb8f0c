package backend

import (
	"github.com/millrace-hdl/millrace/bus"
	"github.com/millrace-hdl/millrace/hdl"
)

// oneBeat is an address channel of words as one of bursts of one beat.
func oneBeat(valid, ready, addr hdl.Var) hdl.Stream[bus.AXI4Addr] {
	return hdl.Stream[bus.AXI4Addr]{Valid: valid, Ready: ready, Data: bus.AXI4Addr{Addr: addr, Len: hdl.V(hdl.Const(8, 0))}}
}

// readWordsClaims are those of a read manager that asks for one word at a time. The
// subordinate answers what was asked for.
func readWordsClaims(m *hdl.Module, c Config, in *sight, p Protocol, s readSide, a hdl.Stream[bus.AXI4Addr], came, taken hdl.Signal) {
	hdl.Obey(m, "in", hdl.Sink, s.In)
	m.Assume("spans_have_bytes", hdl.Implies(s.In.Valid.Signal, s.In.Data.Span.Length.Any()))
	at := in.legalizer(c, 0, false)
	addressClaims(m, c, "a", s.In.Fire(), s.In.Data.Span, a, at)
	n := countOf(m, "asked", 9, a.Fire(), taken)
	m.Assume("answers_what_was_asked", hdl.Implies(came, n.Any()))
	m.Assert("no_more_words_than_places", n.Le(hdl.K(c.Outstanding)))
	m.Assert("drained_says_so", hdl.Implies(s.Drained.Signal, n.None()))
	under := readTransferClaims(m, c, in, p, s, at)
	waits := hdl.Const(9, 0)
	if p == OBI {
		waits = in.reg("u_responses.count_q", hdl.AddrBits(c.Outstanding+1)).Ext(9)
	}
	m.Assert("pending_are_asked", n.Add(waits).Eq(under.count.Ext(9)))
}

func readAXILiteClaims(m *hdl.Module, c Config, in *sight) readIO[bus.AXILiteReads] {
	io := readAXILite(m, c)
	b := io.Bus
	hdl.Obey(m, "ar", hdl.Source, b.AR)
	hdl.Obey(m, "r", hdl.Sink, b.R)
	hdl.Obey(m, "out", hdl.Source, io.Side.Out)
	readWordsClaims(m, c, in, AXILite, io.Side, oneBeat(b.AR.Valid, b.AR.Ready, b.AR.Data.Addr), b.R.Valid.Signal, b.R.Fire())
	return io
}

// readOBIClaims is that of OBI without rready: what comes has to be taken. That nothing is
// lost is the property in_valid_stays of the queue of responses.
func readOBIClaims(m *hdl.Module, c Config, in *sight) readIO[bus.OBI] {
	io := readOBI(m, c)
	b := io.Bus
	hdl.Obey(m, "a", hdl.Source, hdl.Stream[bus.OBIAddr]{Valid: b.Req, Ready: b.Gnt, Data: b.A})
	hdl.Obey(m, "out", hdl.Source, io.Side.Out)
	readWordsClaims(m, c, in, OBI, io.Side, oneBeat(b.Req, b.Gnt, b.A.Addr), b.RValid.Signal, b.RValid.Signal)
	return io
}

// writeSideClaims are what every write manager that notes a burst with its last beat
// owes the rest of the engine, and what it may take for granted.
func writeSideClaims(m *hdl.Module, c Config, s writeSide, beat, ends hdl.Signal) {
	hdl.Obey(m, "in", hdl.Sink, s.In)
	skip := s.In.Data.Piece.Skip
	m.Assume("spans_have_bytes", hdl.Implies(s.In.Valid.AndNot(skip.Signal), s.In.Data.Piece.Span.Length.Any()))
	waits := m.Let("row_waits", s.Row.Ready.AndNot(s.Row.Take.Signal))
	m.Assume("rows_stay", hdl.ImpliesNext(waits, s.Row.Ready.And(hdl.Stable(s.Row.Data.Signal))))
	room := m.Let("room_waits", s.Done.Ready.AndNot(s.Done.Fire()))
	m.Assume("room_stays", hdl.ImpliesNext(room, s.Done.Ready.Signal))
	m.Assert("a_row_a_beat", s.Row.Take.Eq(beat))
	m.Assert("takes_what_is_there", hdl.Implies(s.Row.Take.Signal, s.Row.Ready.Signal))
	m.Assert("a_note_a_burst", s.Done.Fire().AndNot(s.Done.Data.Refused.Signal).Eq(ends))
	transfers := countOf(m, "transfers", 6, s.In.Fire(), s.Done.Fire().And(s.Done.Data.Ends))
	m.Assert("ends_what_began", hdl.Implies(s.Done.Valid.And(s.Done.Data.Ends), transfers.Any()))
	m.Assert("every_transfer_ends", hdl.Implies(s.Idle.And(s.Drained), transfers.None()))
}

// spanOf is the span of a transfer, empty if it is skipped.
func spanOf(c Config, p piece) span {
	s := p.Span
	s.Length = hdl.V(s.Length.And(hdl.Repeat(p.Skip.Not(), c.LengthWidth)))
	s.Addr = hdl.V(s.Addr.And(hdl.Repeat(p.Skip.Not(), c.AddrWidth)))
	return s
}

func writeAXILiteClaims(m *hdl.Module, c Config, in *sight) writeIO[liteWrites] {
	io := writeAXILite(m, c)
	s, b := io.Side, io.Bus
	hdl.Obey(m, "aw", hdl.Source, b.AW)
	hdl.Obey(m, "w", hdl.Source, b.W)
	writeSideClaims(m, c, s, b.W.Fire(), b.W.Fire())
	addressClaims(m, c, "aw", s.In.Fire(), spanOf(c, s.In.Data.Piece), oneBeat(b.AW.Valid, b.AW.Ready, b.AW.Data.Addr), in.legalizer(c, 0, true, in.reg("addressed_q", 1)))
	ahead := countOf(m, "aw_ahead", 4, b.AW.Fire(), b.W.Fire())
	m.Assert("at_most_two_apart", ahead.Add(hdl.K(1)).Le(hdl.K(3)))
	m.Assert("w_has_bytes", hdl.Implies(b.W.Valid.Signal, b.W.Data.Strb.Any()))
	return io
}

func writeOBIClaims(m *hdl.Module, c Config, in *sight) writeIO[obiWrites] {
	io := writeOBI(m, c)
	s, b := io.Side, io.Bus
	a := hdl.Stream[bus.OBIAddr]{Valid: b.Req, Ready: b.Gnt, Data: b.A}
	hdl.Obey(m, "a", hdl.Source, a)
	writeSideClaims(m, c, s, a.Fire(), a.Fire())
	addressClaims(m, c, "a", s.In.Fire(), spanOf(c, s.In.Data.Piece), oneBeat(b.Req, b.Gnt, b.A.Addr), in.legalizer(c, 0, true))
	m.Assert("has_bytes", hdl.Implies(b.Req.Signal, b.A.BE.Any()))
	return io
}
