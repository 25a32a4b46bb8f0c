package backend

import (
	"fmt"

	"github.com/millrace-hdl/millrace/bus"
	"github.com/millrace-hdl/millrace/hdl"
)

// guardedPut is a beat on its way to the bus.
type guardedPut struct {
	Payload hdl.Var
	Filler  hdl.Var // it only ends its burst: its data are none
}

type putGuardIO struct {
	In     hdl.Stream[guardRequest] `hdl:"in"` // beats from the manager, each with the length of its burst
	Out    hdl.Stream[guardedPut]   // to the bus
	Answer hdl.Stream[nothing]      `hdl:"in"` // from the bus, one a burst
	Reply  hdl.Stream[writeReply]   // to the manager
}

// putGuard is the [guard] of a bus whose requests bring their data, in one beat or several, and are
// answered once, maybe before they have ended. A burst that the bus has seen in part when it
// is cut off is ended with fillers. The manager offers a burst that has begun to its end.
func putGuard(m *hdl.Module, p guardParams) putGuardIO {
	m.Doc(fmt.Sprintf("Isolates a port for Puts whose subordinate makes no progress for %d cycles.", p.Cycles))
	io := hdl.Ports(m, "", hdl.Source, putGuardIO{
		In:  hdl.StreamOf(guardRequest{hdl.U(p.Request), optional(p.Len > 0, hdl.U(max(p.Len, 1)))}),
		Out: hdl.StreamOf(guardedPut{hdl.U(p.Request), hdl.Bool()}), Answer: hdl.StreamOf(nothing{}), Reply: hdl.StreamOf(writeReply{hdl.Bool()}),
	})
	isolated := m.Reg("isolated_q", hdl.Bool(), hdl.Doc("The bus is cut off."))
	count := hdl.AddrBits(p.Depth + 2)
	asked := m.Reg("asked_q", hdl.U(count), hdl.Doc("Bursts that the manager has begun and that are not answered."))
	owed := m.Reg("owed_q", hdl.U(count), hdl.Doc("Bursts that the subordinate has to answer."))
	length := hdl.Const(1, 0)
	if p.Len > 0 {
		length = io.In.Data.Len[0].Signal
	}
	own := p.beats(m, "own", "the manager has given", io.In.Fire(), length)
	room := m.Let("room", asked.Ne(hdl.K(p.Depth)).Or(own.inside))
	offers := m.Let("offers", io.In.Valid.And(room))
	h := newHeld(m, "beat", offers, io.In.Data.Payload.Signal, hdl.V(hdl.Const(1, 0)), isolated)

	m.Note("What is offered when the bus is cut off stays, and fillers follow it to the end of its burst.")
	kept := hdl.V(length)
	if p.Len > 0 {
		kept = m.Reg("length_kept_q", hdl.U(p.Len), hdl.NoReset())
	}
	filler := m.Reg("filler_q", hdl.Bool(), hdl.Doc("The beat that was held has gone."))
	bus := p.beats(m, "bus", "the bus has taken", io.Out.Fire(), hdl.Mux(isolated, kept, length))
	io.Out.Valid.Set(hdl.Mux(isolated, h.held, offers))
	hdl.Assign(io.Out.Data, guardedPut{hdl.V(h.payload), hdl.V(isolated.And(filler))})

	m.Note("Nothing is owed any more: once the manager waits for nothing, the port is open again. Until then it only ends the burst that it has begun.")
	returns := m.Let("returns", isolated.AndNot(owed.Any()).AndNot(h.held.Signal))
	io.In.Ready.Set(room.And(hdl.Mux(isolated, returns.Not().Or(own.inside), io.Out.Ready)))
	io.Answer.Ready.Set(isolated.Or(io.Reply.Ready))
	io.Reply.Valid.Set(hdl.Mux(isolated, asked.Any(), io.Answer.Valid))
	io.Reply.Data.Lost.Set(isolated)
	begins := m.Let("begins", io.Out.Fire().AndNot(bus.inside))
	m.Note("An answer may come in the cycle in which its burst begins.")
	answered := m.Let("answered", io.Answer.Fire().And(owed.Any().Or(begins)))
	owed.Set(owed.Add(begins.Ext(count)).Sub(answered.Ext(count)))
	asked.Set(asked.Add(io.In.Fire().AndNot(own.inside).Ext(count)).Sub(io.Reply.Fire().Ext(count)))

	waiting := io.In.Valid.Or(owed.Any())
	expired := watch(m, p.Cycles, waiting.AndNot(isolated.Signal), io.Out.Fire().Or(io.Answer.Valid))
	m.If(expired, func() {
		h.held.Set(offers)
		h.kept.Set(io.In.Data.Payload)
		filler.Set(hdl.K(0))
		if p.Len > 0 {
			kept.Set(length)
		}
	}).ElseIf(isolated.And(io.Out.Fire()), func() {
		h.held.Set(bus.last.Not())
		filler.Set(hdl.K(1))
	})
	m.If(expired, func() { isolated.Set(hdl.K(1)) }).
		ElseIf(returns.AndNot(asked.Any()).AndNot(own.inside), func() { isolated.Set(hdl.K(0)) })
	m.Assume("a_burst_is_offered_to_its_end", hdl.Implies(own.inside.AndNot(isolated), io.In.Valid.Signal))
	return io
}

// burstBeats is where a burst is.
type burstBeats struct{ inside, last hdl.Signal }

// beats counts the beats of bursts as they go; length is that of the burst at hand.
func (p guardParams) beats(m *hdl.Module, name, who string, fires, length hdl.Signal) burstBeats {
	if p.Len == 0 {
		return burstBeats{hdl.Const(1, 0), hdl.Const(1, 1)}
	}
	beat := m.Reg(name+"_beat_q", hdl.U(p.Len), hdl.Doc("Beats of the burst at hand that "+who+"."))
	last := m.Let(name+"_last", beat.Eq(length))
	m.If(fires, func() { beat.Set(hdl.Mux(last, hdl.K(0), beat.Add(hdl.K(1)))) })
	return burstBeats{beat.Any(), last}
}

// tileLinkLen is one less than the beats of a message of the size, for ports whose messages
// may have several.
func (c Config) tileLinkLen(maxLen int, size hdl.Var) []hdl.Var {
	return optional(maxLen > 0, hdl.V(beatsOf(hdl.Const(c.offsetBits()+9, 1).Shl(size), c.offsetBits())))
}

// tileLinkLenBits is the width of that, or 0.
func (c Config) tileLinkLenBits(maxLen int) int {
	if maxLen == 0 {
		return 0
	}
	return 8
}

// guardTileLink guards the reads of TileLink. Late answers have beats of their own; the size
// of those that the guard makes follows from their number.
func guardTileLink(e *engine, name string, b, to bus.TileLink, lost hdl.Var) {
	m, c := e.m, e.c
	maxLen := c.maxGetLen()
	g := guardOf(e, name, guardParams{Len: c.tileLinkLenBits(maxLen), Depth: c.Outstanding, Early: true}, b.A, to.A, c.tileLinkLen(maxLen, to.A.Data.Size))
	last := hdl.Const(1, 1)
	size := b.D.Data.Size.Signal
	if maxLen > 0 {
		beats := guardParams{Len: 8}.beats(m, name[len("u_"):]+"_answer", "came", b.D.Fire(), c.tileLinkLen(maxLen, b.D.Data.Size)[0].Signal)
		last = beats.last
		made := hdl.Const(size.Width(), uint64(c.offsetBits()))
		for n := 1; n < 9; n++ {
			if 1<<n-1 <= maxLen {
				made = hdl.Mux(g.Reply.Data.Len[0].Bit(n-1), hdl.K(c.offsetBits()+n), made)
			}
		}
		size = hdl.Mux(g.Reply.Data.Lost, made, size)
	}
	hdl.Connect(g.Answer, hdl.Stream[guardAnswer]{Valid: b.D.Valid, Ready: b.D.Ready, Data: guardAnswer{hdl.V(last)}})
	to.D.Valid.Set(g.Reply.Valid)
	g.Reply.Ready.Set(to.D.Ready)
	answer := b.D.Data
	answer.Size = hdl.V(size)
	hdl.Assign(to.D.Data, answer)
	lost.Set(g.Reply.Data.Lost)
}

// guardPuts guards the writes of TileLink and returns the answers as the completion sees
// them. What ends a burst is marked as corrupt.
func (e *engine) guardPuts(name string, b bus.TileLink, in hdl.Stream[bus.TileLinkA]) hdl.Stream[writeResp] {
	c, maxLen := e.c, e.c.maxPutLen()
	g := hdl.Inst(e.m, name+"_guard", putGuard, guardParams{
		Request: hdl.WidthOf(in.Data), Len: c.tileLinkLenBits(maxLen), Depth: c.writeOutstanding(), Cycles: c.Watchdog,
	})
	hdl.Connect(g.In, hdl.Stream[guardRequest]{Valid: in.Valid, Ready: in.Ready, Data: guardRequest{hdl.V(hdl.Pack(in.Data)), c.tileLinkLen(maxLen, in.Data.Size)}})
	b.A.Valid.Set(g.Out.Valid)
	g.Out.Ready.Set(b.A.Ready)
	beat := hdl.Unpack(in.Data, g.Out.Data.Payload)
	beat.Data = hdl.V(beat.Data.And(hdl.Repeat(g.Out.Data.Filler.Not(), c.DataWidth)))
	beat.Corrupt = hdl.V(beat.Corrupt.Or(g.Out.Data.Filler))
	hdl.Assign(b.A.Data, beat)
	g.Answer.Valid.Set(b.D.Valid)
	b.D.Ready.Set(g.Answer.Ready)
	return hdl.Stream[writeResp]{Valid: g.Reply.Valid, Ready: g.Reply.Ready, Data: writeResp{guarded(tileLinkResp(b.D.Data), g.Reply.Data.Lost)}}
}
