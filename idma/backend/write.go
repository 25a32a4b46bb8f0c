package backend

import (
	"github.com/millrace-hdl/millrace/hdl"
	"github.com/millrace-hdl/millrace/hdl/lib"
)

// writeTransfer is the destination side of a request.
type writeTransfer struct {
	Piece piece `hdl:"name="` // skipped if the request is refused: it only takes its turn to be answered
	Tags  tags  `hdl:"name="`
}

// tags are what a transfer's bursts need besides where they lie.
type tags struct {
	Attr    attributes
	User    []hdl.Var `hdl:"opt"` // AXI4 and AXI4-Stream
	Early   []hdl.Var `hdl:"opt"` // with the coupler, where addresses go alone: AW need not wait for data
	Last    hdl.Var   // of the request
	Refused hdl.Var   // why, if it is: a Refused code
	Empty   []hdl.Var `hdl:"opt"` // with operations: it is skipped because it writes nothing
}

// writeSide is what every write manager has besides its bus.
type writeSide struct {
	In      hdl.Stream[writeTransfer] `hdl:"in"`
	Row     takenRow                  `hdl:"in"`
	Realign []realign                 `hdl:"in,opt"`
	Halt    []halt                    `hdl:"in,opt"` // with error handling
	Done    hdl.Stream[written]
	Next    []nextWord `hdl:"opt"` // with error handling
	Ends    []hdl.Var  `hdl:"opt"` // with several ports: the last word of a transfer is taken
	Blocked hdl.Var    // a bus word was complete in the last cycle and did not go
	Idle    hdl.Var    // no burst is offered
	Waiting hdl.Var    // an address waits for data
	Drained hdl.Var    // no burst sends data
}

func writeSideType(c Config, p Protocol) writeSide {
	return writeSide{
		In:      hdl.StreamOf(writeTransferType(c, PortsOf(p))),
		Row:     takenRow{Ready: hdl.Bool(), Data: hdl.U(c.DataWidth), Cause: optional(!c.ErrorHandling, hdl.U(2)), Complete: optional(p == TileLink && c.maxPutLen() > 0, hdl.U(c.rows().countBits())), Take: hdl.Bool()},
		Realign: optional(!c.CombinedShifter, realignType(c.offsetBits())),
		Halt:    optional(c.ErrorHandling, haltType(p)),
		Next:    optional(c.ErrorHandling, nextWordType(c)),
		Done:    hdl.StreamOf(writtenType(c)), Ends: optional(c.WriteProtocols.count() > 1, hdl.Bool()),
		Blocked: hdl.Bool(), Idle: hdl.Bool(), Waiting: hdl.Bool(), Drained: hdl.Bool(),
	}
}

// writePorts declares the interface of a write manager with the bus on top.
func writePorts[B any](m *hdl.Module, c Config, p Protocol, t B) (writeSide, B) {
	return hdl.Ports(m, "", hdl.Source, writeSideType(c, p)), hdl.Ports(m, "", hdl.Source, t)
}

// writeIO is the interface of a write manager.
type writeIO[B any] struct {
	Side writeSide `hdl:"name="`
	Bus  B         `hdl:"name="`
}

// sending is what the data of a burst need to know of it.
type sending struct {
	Len, First, Last, Offset, Tail, Skip, User, Refused hdl.Var
	Empty                                               []hdl.Var `hdl:"opt"`
}

// writeTransferType is what ports of the set take of requests.
func writeTransferType(c Config, set PortSet) writeTransfer {
	return writeTransferOf(c, set, requestType(c), hdl.Bool(), hdl.U(2), optional(c.computes(), hdl.Bool()))
}

func writeTransferOf(c Config, set PortSet, r Request, skip, why hdl.Var, empty []hdl.Var) writeTransfer {
	return writeTransfer{
		Piece: piece{Span: span{Addr: r.DstAddr, Length: r.Length, Limit: r.Dst.Limit}, Skip: skip},
		Tags:  tags{Attr: attributesOf(set, r.ID, r.Dst), User: []hdl.Var{r.User}, Early: r.DecoupleAW, Last: r.Last, Refused: why, Empty: empty},
	}.narrow(set)
}

// narrow keeps what ports of the set take.
func (t writeTransfer) narrow(set PortSet) writeTransfer {
	t.Tags.Attr = t.Tags.Attr.narrow(set)
	if !set.any(AXI4, AXIStream) {
		t.Tags.User = nil
	}
	if !set.any(AXI4, AXILite) {
		t.Tags.Early = nil
	}
	return t
}

// onBus is what a manager puts on its bus.
type onBus struct {
	burst    burst // at the address
	tags     tags  // of that burst
	data     hdl.Var
	strb     hdl.Var
	lastBeat hdl.Var // of its burst
	lastWord hdl.Var // of its transfer
}

// transferOf cuts the transfers of a write manager into bursts of at most maxLen+1
// beats and keeps the tags of the one being cut. With error handling it also returns
// the wire that takes back the burst that is offered.
func transferOf(m *hdl.Module, c Config, p Protocol, maxLen int, io writeSide) (bursts hdl.Stream[burst], transfer tags, drop []hdl.Var) {
	bursts, drop = legalBursts(m, c, p, maxLen, hdl.Stream[piece]{Valid: io.In.Valid, Ready: io.In.Ready, Data: io.In.Data.Piece})
	if !c.Legalizer {
		return bursts, io.In.Data.Tags, drop
	}
	transfer = hdl.Regs(m, "transfer", io.In.Data.Tags, hdl.NoReset())
	m.If(io.In.Fire(), func() { hdl.Assign(transfer, io.In.Data.Tags) })
	return bursts, transfer, drop
}

// word is the row as the bus shows it, and its strobes. First and last are whether
// it is the first and the last word of its transfer.
func (c Config) word(m *hdl.Module, io writeSide, offset, tail hdl.Var, first, last hdl.Signal) (data, strb hdl.Var) {
	lanes := func(bits int) hdl.Signal {
		n := c.lanes() * bits
		return lib.FromLane(offset.Signal, bits).Or(hdl.Repeat(first.Not(), n)).
			And(lib.UpToLane(tail.Signal, bits).Or(hdl.Repeat(last.Not(), n)))
	}
	word := io.Row.Data.Signal
	if c.MaskInvalidLanes {
		word = word.And(m.Let("lane_mask", lanes(8)))
	}
	if !c.CombinedShifter {
		hdl.Assign(io.Realign[0], realign{Rotate: offset, First: hdl.V(first), Last: hdl.V(last), Short: hdl.V(tail.Lt(offset))})
	}
	return hdl.V(word), hdl.V(lanes(1))
}

// addressAndData issues the write bursts of transfers on a bus whose addresses and
// data have channels of their own. Address and data of a burst
// go independently: the burst at the legalizer offers its AW, at once or, coupled,
// when its first data is there; its data are sent from there too, or from the
// sending register, to which a burst moves when its address has gone, so that the
// next burst's address can go ahead.
func addressAndData(m *hdl.Module, c Config, p Protocol, maxLen int, io writeSide, aw, w handshake) onBus {
	bursts, transfer, drop := transferOf(m, c, p, maxLen, io)
	b := bursts.Data

	addressed := m.Reg("addressed_q", hdl.Bool(), hdl.Doc("AW of the legalizer's burst has gone."))
	sent := m.Reg("sent_q", hdl.Bool(), hdl.Doc("All data of the legalizer's burst has gone."))
	moved := m.Reg("sending_valid_q", hdl.Bool(), hdl.Doc("The sending register holds a burst."))
	beat := m.Reg("beat_q", hdl.U(8), hdl.Doc("Beats sent of the burst being sent."))

	present := sending{
		Len: b.Len, First: b.First, Last: b.Last, Offset: b.Offset, Tail: b.Tail, Skip: b.Skip,
		User: transfer.Last, Refused: transfer.Refused, Empty: transfer.Empty,
	}
	later := hdl.Regs(m, "sending", present, hdl.NoReset())
	s := hdl.Wires(m, "now", present)
	hdl.Assign(s, hdl.MuxOf(moved, later, present))
	active := m.Let("active", moved.Or(bursts.Valid.AndNot(sent.Signal)))

	m.Note("Data: a beat goes when its row is complete. The last one also needs room to note the burst.")
	lastBeat := m.Let("last_beat", beat.Eq(s.Len))
	first := m.Let("first_of_transfer", s.First.And(beat.None()))
	final := m.Let("last_of_transfer", s.Last.And(lastBeat))
	h := haltBursts(m, c, io, aw, w, addressed.Or(sent).Or(beat.Any().AndNot(moved)), moved.Signal)
	data := m.Let("has_data", h.data(active.AndNot(s.Skip.Signal), io.Row.Ready.Signal))
	w.valid.Set(data.And(io.Done.Ready))
	taken := m.Let("taken", w.fire())
	io.Row.Take.Set(h.take(taken))
	io.Done.Valid.Set(h.noted(io, active, s.Skip.Signal, taken.And(lastBeat))) // in the very cycle
	finished := m.Let("finished", io.Done.Fire())
	m.If(finished, func() { beat.Set(hdl.K(0)) }).
		ElseIf(taken, func() { beat.Set(beat.Add(hdl.K(1))) })
	hdl.Assign(io.Done.Data, written{
		Ends: s.Last, Last: s.User, Refused: s.Skip, Empty: s.Empty, Cause: io.cause(s.Skip, s.Refused),
		Len: optional(c.countsBeats(), s.Len), Part: optional(c.countsParts(), always(false)),
	})
	h.next(m, io, active.AndNot(s.Skip.Signal), taken, final)
	word, strb := h.word(c.word(m, io, s.Offset, s.Tail, first, final))
	if len(io.Ends) > 0 {
		io.Ends[0].Set(taken.And(final))
	}

	m.Note("Address.")
	released := hdl.Const(1, 1)
	if c.Coupler {
		begun := m.Let("begun", sent.Or(moved.Not().And(beat.Any().Or(io.Row.Ready))),
			hdl.Doc("The legalizer's burst has data, or has sent some."))
		released = transfer.Early[0].Or(begun)
	}
	due := m.Let("due", bursts.Valid.AndNot(b.Skip.Signal).AndNot(addressed.Signal))
	aw.valid.Set(h.address(due, released))

	m.Note("The legalizer's burst leaves when its address has gone and its data have gone or can move on.")
	fromLegalizer := m.Let("from_legalizer", moved.Not().And(finished))
	addressGone := b.Skip.Or(addressed).Or(aw.fire())
	leaves := m.Let("leaves", bursts.Valid.And(addressGone).And(sent.Or(moved.Not()).Or(finished)))
	bursts.Ready.Set(addressGone.And(sent.Or(moved.Not()).Or(finished)))
	h.giveUp(drop, leaves)
	moves := m.Let("moves", leaves.AndNot(sent.Signal).AndNot(fromLegalizer))
	addressed.Set(addressed.Or(aw.fire()).AndNot(leaves))
	sent.Set(sent.Or(fromLegalizer).AndNot(leaves))
	m.If(moves, func() {
		moved.Set(hdl.K(1))
		hdl.Assign(later, present)
	}).ElseIf(finished, func() { moved.Set(hdl.K(0)) })

	m.Note("An address that waits does not count: the subordinate may want the rest of the data first.")
	io.Blocked.Set(m.RegNext("blocked_q", io.Row.Ready.AndNot(taken)))
	io.Idle.Set(bursts.Valid.Not())
	io.Waiting.Set(due.AndNot(aw.valid.Signal))
	io.Drained.Set(active.Not())
	return onBus{burst: b, tags: transfer, data: word, strb: strb, lastBeat: hdl.V(lastBeat), lastWord: hdl.V(final)}
}

// cause is why a burst is answered with an error, as far as that is known when its
// data have gone.
func (io writeSide) cause(skip, refused hdl.Var) hdl.Var {
	if len(io.Row.Cause) == 0 {
		return refused // only read if the burst is skipped
	}
	return hdl.V(hdl.Mux(skip, refused, io.Row.Cause[0]))
}

// handshake is the valid and ready of a channel whose payload the caller knows.
type handshake struct{ valid, ready hdl.Var }

func (h handshake) fire() hdl.Signal { return h.valid.And(h.ready) }

// addressWithData issues the words of transfers on a bus that takes an address, if
// any, together with its data, one beat a burst.
func addressWithData(m *hdl.Module, c Config, io writeSide, out handshake) onBus {
	bursts, transfer, drop := transferOf(m, c, OBI, 0, io)
	b := bursts.Data
	m.Note("A word goes when its row is complete and there is room to note it.")
	h := haltWords(m, c, io, out)
	data := m.Let("has_data", h.data(bursts.Valid.AndNot(b.Skip.Signal), io.Row.Ready.Signal))
	out.valid.Set(data.And(io.Done.Ready))
	taken := m.Let("taken", out.fire())
	io.Row.Take.Set(taken)
	io.Done.Valid.Set(h.noted(io, bursts.Valid.Signal, b.Skip.Signal, taken))
	bursts.Ready.Set(io.Done.Fire())
	h.giveUp(drop, taken)
	hdl.Assign(io.Done.Data, written{
		Ends: b.Last, Last: transfer.Last, Refused: b.Skip, Empty: transfer.Empty, Cause: io.cause(b.Skip, transfer.Refused),
		Len: optional(c.countsBeats(), hdl.V(hdl.Const(8, 0))), Part: optional(c.countsParts(), always(false)),
	})
	h.next(m, io, bursts.Valid.AndNot(b.Skip.Signal), taken, b.Last.Signal)
	word, strb := c.word(m, io, b.Offset, b.Tail, b.First.Signal, b.Last.Signal)
	if len(io.Ends) > 0 {
		io.Ends[0].Set(taken.And(b.Last))
	}
	io.Blocked.Set(m.RegNext("blocked_q", data.AndNot(taken)))
	io.Idle.Set(bursts.Valid.Not())
	io.Waiting.Set(hdl.Const(1, 0))
	io.Drained.Set(bursts.Valid.Not())
	return onBus{burst: b, tags: transfer, data: word, strb: strb, lastBeat: always(true), lastWord: b.Last}
}
