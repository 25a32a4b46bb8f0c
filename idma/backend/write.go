package backend

import (
	"github.com/millrace-hdl/millrace/bus"
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
	User    hdl.Var
	Early   []hdl.Var `hdl:"opt"` // with the coupler: AW need not wait for data
	Last    hdl.Var   // of the request
	Refused hdl.Var   // why, if it is
}

type writeIO struct {
	In      hdl.Stream[writeTransfer] `hdl:"in"`
	AW      hdl.Stream[bus.AXI4Addr]  `hdl:"name=aw,glue"`
	W       hdl.Stream[bus.AXI4Write] `hdl:"name=w,glue"`
	Row     takenRow                  `hdl:"in"`
	Realign []realign                 `hdl:"in,opt"`
	Done    hdl.Stream[written]
	Blocked hdl.Var // a bus word was complete in the last cycle and did not go
	Idle    hdl.Var // no burst is offered
	Waiting hdl.Var // AW waits for data
	Drained hdl.Var // no burst sends data
}

// sending is what the data of a burst need to know of it.
type sending struct {
	Len, First, Last, Offset, Tail, Skip, User, Refused hdl.Var
}

func writeTransferType(c Config) writeTransfer {
	return writeTransfer{
		Piece: piece{Span: spanType(c), Skip: hdl.Bool()},
		Tags: tags{
			Attr: attributesOf(hdl.U(c.IDWidth), requestType(c).Dst), User: hdl.U(c.UserWidth),
			Early: optional(c.Coupler, hdl.Bool()), Last: hdl.Bool(), Refused: hdl.Bool(),
		},
	}
}

// writeManager issues the write bursts of transfers. Address and data of a burst
// go independently: the burst at the legalizer offers its AW, at once or, coupled,
// when its first data is there; its data are sent from there too, or from the
// sending register, to which a burst moves when its address has gone, so that the
// next burst's address can go ahead.
func writeManager(m *hdl.Module, c Config) writeIO {
	m.Doc("AXI4 write manager: legalizes the destination side, issues AW and W.")
	off := c.offsetBits()
	axi := bus.NewAXI4(bus.AXI4Params{DataWidth: c.DataWidth, AddrWidth: c.AddrWidth, IDWidth: c.IDWidth, UserWidth: c.UserWidth})
	t := writeIO{
		In: hdl.StreamOf(writeTransferType(c)), AW: axi.AW, W: axi.W,
		Row:     takenRow{Ready: hdl.Bool(), Data: hdl.U(c.DataWidth), Cause: hdl.U(2), Take: hdl.Bool()},
		Realign: optional(!c.CombinedShifter, realignType(off)),
		Done:    hdl.StreamOf(writtenType()),
		Blocked: hdl.Bool(), Idle: hdl.Bool(), Waiting: hdl.Bool(), Drained: hdl.Bool(),
	}
	io := hdl.Ports(m, "", hdl.Source, t)

	bursts := legalBursts(m, c, 255, hdl.Stream[piece]{Valid: io.In.Valid, Ready: io.In.Ready, Data: io.In.Data.Piece})
	b, transfer := bursts.Data, io.In.Data.Tags
	if c.Legalizer {
		transfer = hdl.Regs(m, "transfer", transfer, hdl.NoReset())
		m.If(io.In.Fire(), func() { hdl.Assign(transfer, io.In.Data.Tags) })
	}

	addressed := m.Reg("addressed_q", hdl.Bool(), hdl.Doc("AW of the legalizer's burst has gone."))
	sent := m.Reg("sent_q", hdl.Bool(), hdl.Doc("All data of the legalizer's burst has gone."))
	moved := m.Reg("sending_valid_q", hdl.Bool(), hdl.Doc("The sending register holds a burst."))
	beat := m.Reg("beat_q", hdl.U(8), hdl.Doc("Beats sent of the burst being sent."))

	present := sending{
		Len: b.Len, First: b.First, Last: b.Last, Offset: b.Offset, Tail: b.Tail, Skip: b.Skip,
		User: transfer.Last, Refused: transfer.Refused,
	}
	later := hdl.Regs(m, "sending", present, hdl.NoReset())
	s := hdl.Wires(m, "now", present)
	hdl.Assign(s, hdl.MuxOf(moved, later, present))
	active := m.Let("active", moved.Or(bursts.Valid.AndNot(sent.Signal)))

	m.Note("Data: a beat goes when its row is complete. The last one also needs room to note the burst.")
	lastBeat := m.Let("last_beat", beat.Eq(s.Len))
	first := m.Let("first_of_transfer", s.First.And(beat.None()))
	final := m.Let("last_of_transfer", s.Last.And(lastBeat))
	data := m.Let("has_data", active.AndNot(s.Skip.Signal).And(io.Row.Ready))
	io.W.Valid.Set(data.And(io.Done.Ready))
	taken := m.Let("taken", io.W.Fire())
	io.Row.Take.Set(taken)
	io.Done.Valid.Set(active.And(s.Skip.Or(io.Row.Ready.And(io.W.Ready).And(lastBeat))))
	finished := m.Let("finished", io.Done.Fire())
	m.If(finished, func() { beat.Set(hdl.K(0)) }).
		ElseIf(taken, func() { beat.Set(beat.Add(hdl.K(1))) })
	hdl.Assign(io.Done.Data, written{
		Ends: s.Last, Last: s.User, Refused: s.Skip,
		Cause: hdl.V(hdl.Mux(s.Skip, s.Refused.Ext(2), io.Row.Cause)),
	})
	lanes := func(bits int) hdl.Signal {
		n := c.lanes() * bits
		return lib.FromLane(s.Offset.Signal, bits).Or(hdl.Repeat(first.Not(), n)).
			And(lib.UpToLane(s.Tail.Signal, bits).Or(hdl.Repeat(final.Not(), n)))
	}
	word := io.Row.Data.Signal
	if c.MaskInvalidLanes {
		word = word.And(m.Let("lane_mask", lanes(8)))
	}
	hdl.Assign(io.W.Data, bus.AXI4Write{
		Data: hdl.V(word), Strb: hdl.V(lanes(1)), Last: hdl.V(lastBeat), User: hdl.V(hdl.Const(c.UserWidth, 0)),
	})
	if !c.CombinedShifter {
		hdl.Assign(io.Realign[0], realign{
			Rotate: s.Offset, First: hdl.V(first), Last: hdl.V(final), Short: hdl.V(s.Tail.Lt(s.Offset)),
		})
	}

	m.Note("Address.")
	released := hdl.Const(1, 1)
	if c.Coupler {
		begun := m.Let("begun", sent.Or(moved.Not().And(beat.Any().Or(io.Row.Ready))),
			hdl.Doc("The legalizer's burst has data, or has sent some."))
		released = transfer.Early[0].Or(begun)
	}
	due := m.Let("due", bursts.Valid.AndNot(b.Skip.Signal).AndNot(addressed.Signal))
	io.AW.Valid.Set(due.And(released))
	axiAddress(io.AW.Data, c, b, transfer.Attr, transfer.User.Signal)

	m.Note("The legalizer's burst leaves when its address has gone and its data have gone or can move on.")
	fromLegalizer := m.Let("from_legalizer", moved.Not().And(finished))
	addressGone := b.Skip.Or(addressed).Or(io.AW.Fire())
	leaves := m.Let("leaves", bursts.Valid.And(addressGone).And(sent.Or(moved.Not()).Or(finished)))
	bursts.Ready.Set(addressGone.And(sent.Or(moved.Not()).Or(finished)))
	moves := m.Let("moves", leaves.AndNot(sent.Signal).AndNot(fromLegalizer))
	addressed.Set(addressed.Or(io.AW.Fire()).AndNot(leaves))
	sent.Set(sent.Or(fromLegalizer).AndNot(leaves))
	m.If(moves, func() {
		moved.Set(hdl.K(1))
		hdl.Assign(later, present)
	}).ElseIf(finished, func() { moved.Set(hdl.K(0)) })

	m.Note("An address that waits does not count: the subordinate may want the rest of the data first.")
	io.Blocked.Set(m.RegNext("blocked_q", io.Row.Ready.AndNot(taken)))
	io.Idle.Set(bursts.Valid.Not())
	io.Waiting.Set(due.AndNot(io.AW.Valid.Signal))
	io.Drained.Set(active.Not())
	return io
}
