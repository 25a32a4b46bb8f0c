package backend

import (
	"github.com/millrace-hdl/millrace/hdl"
	"github.com/millrace-hdl/millrace/hdl/lib"
)

// attributes are the options of one side that bursts carry unchanged: those that
// the protocol of the port has.
type attributes struct {
	ID   []hdl.Var       `hdl:"opt,name=id"`
	Prot []hdl.Var       `hdl:"opt"`
	AXI  []axiAttributes `hdl:"opt,name="`
}

// axiAttributes are what AXI4 has besides.
type axiAttributes struct {
	Cache  hdl.Var
	QoS    hdl.Var `hdl:"name=qos"`
	Region hdl.Var
}

// attributesOf are the attributes that ports of the set take of a request.
func attributesOf(set PortSet, id hdl.Var, o SideOptions) attributes {
	return attributes{
		ID:   optional(set.any(AXI4, OBI, AXIStream), id),
		Prot: optional(set.any(AXI4, AXILite), o.Prot),
		AXI:  optional(set.any(AXI4), axiAttributes{Cache: o.Cache, QoS: o.QoS, Region: o.Region}),
	}
}

// narrow keeps what ports of the set take.
func (a attributes) narrow(set PortSet) attributes {
	if !set.any(AXI4, OBI, AXIStream) {
		a.ID = nil
	}
	if !set.any(AXI4, AXILite) {
		a.Prot = nil
	}
	if !set.any(AXI4) {
		a.AXI = nil
	}
	return a
}

// readTransfer is the source side of a request.
type readTransfer struct {
	Span      span `hdl:"name="`
	Attr      attributes
	Mode      []hdl.Var `hdl:"opt"` // with Init reads
	DstOffset hdl.Var   // byte lane of the first byte at the destination; 0 with two shifters
	Coupled   hdl.Var   // not DecoupleRW
}

func readTransferType(c Config, p Protocol) readTransfer {
	return readTransferOf(p, requestType(c), hdl.U(c.offsetBits()), hdl.Bool())
}

// readTransferOf is the part of a request that a port of the protocol takes. Streams
// are read without an identifier.
func readTransferOf(p Protocol, r Request, dstOffset, coupled hdl.Var) readTransfer {
	t := readTransfer{
		Span: span{Addr: r.SrcAddr, Length: r.Length, Limit: r.Src.Limit}, DstOffset: dstOffset, Coupled: coupled,
	}
	if p != AXIStream {
		t.Attr = attributesOf(PortsOf(p), r.ID, r.Src)
	}
	if p == Init {
		t.Mode = r.Src.Mode
	}
	return t
}

// readSide is what every read manager has besides its bus.
type readSide struct {
	In      hdl.Stream[readTransfer] `hdl:"in"`
	Out     hdl.Stream[readBeat]
	Blocked hdl.Var   `hdl:"in"`     // the write side was held up in the last cycle
	Used    []hdl.Var `hdl:"in,opt"` // with ReserveBuffer: bus words in use
	Stuck   []hdl.Var `hdl:"opt"`    // with ReserveBuffer and StoreTransfers: only room is missing to go on with a transfer
	Lost    []hdl.Var `hdl:"in,opt"` // OBI and TileLink with a watchdog: the response at hand was made by the guard
	Drop    []hdl.Var `hdl:"in,opt"` // with error handling: issue nothing new, give up what is not issued
	Idle    hdl.Var   // no burst is offered
	Drained hdl.Var   // no burst awaits data
}

func readSideType(c Config, p Protocol) readSide {
	return readSide{
		In: hdl.StreamOf(readTransferType(c, p)), Out: hdl.StreamOf(readBeatType(c.rows())),
		Blocked: hdl.Bool(), Used: optional(c.ReserveBuffer, hdl.U(c.roomBits())), Stuck: optional(c.ReserveBuffer && c.StoreTransfers && p != AXIStream && p != Init, hdl.Bool()),
		Lost: optional(c.Watchdog > 0 && (p == OBI || p == TileLink), hdl.Bool()), Drop: optional(c.ErrorHandling, hdl.Bool()), Idle: hdl.Bool(), Drained: hdl.Bool(),
	}
}

// readPorts declares the interface of a read manager with the bus on top.
func readPorts[B any](m *hdl.Module, c Config, p Protocol, t B) (readSide, B) {
	return hdl.Ports(m, "", hdl.Source, readSideType(c, p), hdl.MayBeUnused()), hdl.Ports(m, "", hdl.Source, t, hdl.MayBeUnused())
}

// readIO is the interface of a read manager.
type readIO[B any] struct {
	Side readSide `hdl:"name="`
	Bus  B        `hdl:"name="`
}

// readData is what a manager uses of the data that come back.
type readData struct{ Data, Resp, Last hdl.Var }

func readDataType(c Config) readData {
	return readData{Data: hdl.U(c.DataWidth), Resp: hdl.U(2), Last: hdl.Bool()}
}

// pending is what a read burst under way must remember.
type pending struct {
	Rotate hdl.Var   // lanes that its data rotates up
	Skip   hdl.Var   // its first beat has no bytes below the top
	Wraps  hdl.Var   // its last beat has bytes over the top
	Last   hdl.Var   // last burst of its transfer
	First  []hdl.Var `hdl:"opt"` // with ReserveBuffer: begins in the first bus word of its transfer
	Part   []part    `hdl:"opt"` // of TileLink
}

// asked is a burst that is offered to the bus.
type asked struct {
	burst burst
	attr  attributes
}

// askAndReceive issues the read bursts of transfers, of at most maxLen+1 beats,
// and aligns what they return. It assigns valid and the ready of the data and
// reads the ready and the data; the caller puts the burst on its bus.
func askAndReceive(m *hdl.Module, c Config, p Protocol, maxLen int, io readSide, valid, ready hdl.Var, data hdl.Stream[readData]) asked {
	off := c.offsetBits()
	bursts, drop := legalBursts(m, c, p, maxLen, hdl.Stream[piece]{
		Valid: io.In.Valid, Ready: io.In.Ready, Data: piece{Span: io.In.Data.Span, Skip: hdl.V(hdl.Const(1, 0))},
	})
	b := bursts.Data
	options := io.In.Data
	if c.Legalizer {
		held := hdl.Regs(m, "transfer", struct {
			Attr               attributes
			DstOffset, Coupled hdl.Var
		}{options.Attr, options.DstOffset, options.Coupled}, hdl.NoReset())
		m.If(io.In.Fire(), func() {
			hdl.Assign(held.Attr, options.Attr)
			held.DstOffset.Set(options.DstOffset)
			held.Coupled.Set(options.Coupled)
		})
		options.Attr, options.DstOffset, options.Coupled = held.Attr, held.DstOffset, held.Coupled
	}

	note := hdl.Wires(m, "note", hdl.StreamOf(pending{
		Rotate: hdl.U(off), Skip: hdl.Bool(), Wraps: hdl.Bool(), Last: hdl.Bool(), First: optional(c.ReserveBuffer, hdl.Bool()),
		Part: partType(c, p),
	}))
	rotate := m.Let("rotate", options.DstOffset.Sub(b.Offset))
	hdl.Assign(note.Data, pending{
		Rotate: hdl.V(rotate),
		Skip:   hdl.V(b.opens().And(options.DstOffset.Lt(b.Offset))),
		Wraps:  hdl.V(b.Tail.AddX(rotate).Bit(off)),
		Last:   b.Last,
		First:  optional(c.ReserveBuffer, hdl.V(b.opens())),
		Part:   b.part(),
	})
	under, waiting := lib.Queue(m, "u_pending", lib.FIFOParams{Depth: c.Outstanding}, note)

	m.Note("A burst waits for a free place among those under way. Once offered it stays offered.")
	offered := m.Reg("offered_q", hdl.Bool(), hdl.Doc("A burst waits to be accepted."))
	hold := m.Let("hold", options.Coupled.And(io.Blocked))
	promised := promise(m, c, io, b)
	if c.ReserveBuffer {
		hold = hold.Or(promised.short)
	}
	if c.ErrorHandling {
		hold = hold.Or(io.Drop[0])
	}
	valid.Set(bursts.Valid.And(note.Ready).And(offered.Or(hold.Not())))
	offered.Set(valid.AndNot(ready.Signal))
	sent := m.Let("sent", valid.And(ready))
	bursts.Ready.Set(sent)
	note.Valid.Set(sent)
	if c.ErrorHandling {
		drop[0].Set(io.Drop[0].And(offered.Not().Or(sent)))
	}

	m.Note("Every beat of a burst goes to the buffer; the last one ends the burst.")
	started := hdl.Const(1, 0)
	var begun hdl.Var
	if maxLen > 0 {
		begun = m.Reg("started_q", hdl.Bool(), hdl.Doc("The oldest burst has had its first beat."))
		started = begun.Signal
	}
	var cause hdl.Var
	if !c.ErrorHandling {
		cause = m.Reg("cause_q", hdl.U(2), hdl.Doc("First bus error of the transfer, or 0."))
	}
	word := joinParts(m, c, under.Data.Part, data)
	data.Ready.Set(under.Valid.And(word.goes(io.Out.Ready.Signal)))
	io.Out.Valid.Set(word.whole(under.Valid.And(data.Valid)))
	beat := m.Let("beat", data.Valid.And(data.Ready))
	under.Ready.Set(m.Let("ends", beat.And(data.Data.Last)))
	last := m.Let("last_beat", data.Data.Last.And(under.Data.Last))
	failed := word.failure(m, c, c.failure(data.Data.Resp), beat)
	now := failed
	if !c.ErrorHandling {
		now = m.Let("cause", hdl.Mux(cause.Any(), cause, failed))
	}
	m.If(beat, func() {
		if maxLen > 0 {
			begun.Set(data.Data.Last.Not())
		}
		if !c.ErrorHandling {
			cause.Set(now.And(hdl.Repeat(last.Not(), 2)))
		}
	})
	hdl.Assign(io.Out.Data, readBeat{
		Data: word.data, Rotate: under.Data.Rotate, Skip: hdl.V(under.Data.Skip.AndNot(started)),
		Wraps: hdl.V(hdl.Mux(last, under.Data.Wraps, under.Data.Rotate.Any())), Last: hdl.V(last), Cause: hdl.V(now),
		Burst: burstsBegin(m, c, io, word.whole(beat), last, optional(maxLen > 0, begun)),
	})
	if c.ReserveBuffer {
		promised.connect(sent, beat, under.Data.First[0].AndNot(started))
	}
	if len(io.Stuck) > 0 {
		io.Stuck[0].Set(bursts.Valid.AndNot(b.First.Signal).And(promised.short).AndNot(waiting))
	}
	io.Idle.Set(bursts.Valid.Not())
	io.Drained.Set(waiting.Not())
	return asked{b, options.Attr}
}

// burstsBegin is, with error handling, with which bus word of its transfer the burst at
// hand begins. Begun, where bursts may have several beats, is that it had its first.
func burstsBegin(m *hdl.Module, c Config, io readSide, beat, last hdl.Signal, begun []hdl.Var) []hdl.Var {
	if !c.ErrorHandling {
		return nil
	}
	index := m.Reg("index_q", hdl.U(c.indexBits()), hdl.Doc("Bus words received of the transfer."))
	m.If(beat, func() { index.Set(hdl.Mux(last, hdl.K(0), index.Add(hdl.K(1)))) })
	m.If(io.Drop[0], func() { index.Set(hdl.K(0)) })
	if len(begun) == 0 {
		return []hdl.Var{index}
	}
	first := m.Reg("burst_index_q", hdl.U(c.indexBits()), hdl.NoReset(), hdl.Doc("Of these before the burst at hand."))
	burst := m.Let("burst_index", hdl.Mux(begun[0], first, index))
	m.If(beat, func() { first.Set(burst) })
	return []hdl.Var{hdl.V(burst)}
}

// promises counts rows that bursts under way may still open.
type promises struct {
	short   hdl.Signal                          // the buffer may be too full for the burst at hand
	connect func(sent, beat, starts hdl.Signal) // starts: beat is the first of its transfer
}

// promise keeps, with ReserveBuffer, the account of bus words. In the store a beat
// takes one; without a store a burst may open one row a beat and, with the first
// beat of its transfer, one more.
func promise(m *hdl.Module, c Config, io readSide, b burst) promises {
	if !c.ReserveBuffer {
		return promises{}
	}
	w := max(c.roomBits(), 9) + 2
	owed := m.Reg("promised_q", hdl.U(w), hdl.Doc("Bus words that the bursts under way may still take."))
	need := b.Len.Ext(w).Add(hdl.K(1))
	if c.StoreDepth == 0 {
		need = b.Len.Ext(w).Add(b.opens().Ext(w)).Add(hdl.K(1))
	}
	need = m.Let("need", need)
	short := m.Let("short", io.Used[0].Ext(w).Add(owed).Add(need).Gt(hdl.K(c.room())))
	return promises{short, func(sent, beat, starts hdl.Signal) {
		add := hdl.Mux(sent, need, hdl.K(0))
		each := hdl.Const(w, 1)
		if c.StoreDepth == 0 {
			each = hdl.Mux(starts, hdl.Const(w, 2), hdl.K(1))
		}
		owed.Set(owed.Add(add).Sub(hdl.Mux(beat, each, hdl.K(0))))
	}}
}
