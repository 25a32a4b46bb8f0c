package backend

import (
	"github.com/millrace-hdl/millrace/bus"
	"github.com/millrace-hdl/millrace/hdl"
	"github.com/millrace-hdl/millrace/hdl/ir"
	"github.com/millrace-hdl/millrace/hdl/lib"
)

// attributes are the AXI options of one side that bursts carry unchanged.
type attributes struct {
	ID, Lock, Cache, Prot hdl.Var
	QoS                   hdl.Var `hdl:"name=qos"`
	Region                hdl.Var
}

func attributesOf(id hdl.Var, o SideOptions) attributes {
	return attributes{ID: id, Lock: o.Lock, Cache: o.Cache, Prot: o.Prot, QoS: o.QoS, Region: o.Region}
}

// readTransfer is the source side of a request.
type readTransfer struct {
	Span      span `hdl:"name="`
	Attr      attributes
	DstOffset hdl.Var // byte lane of the first byte at the destination; 0 with two shifters
	Coupled   hdl.Var // not DecoupleRW
}

// readData is what the manager uses of R.
type readData struct{ Data, Resp, Last hdl.Var }

type readIO struct {
	In      hdl.Stream[readTransfer] `hdl:"in"`
	AR      hdl.Stream[bus.AXI4Addr] `hdl:"name=ar,glue"`
	R       hdl.Stream[readData]     `hdl:"in,name=r,glue"`
	Out     hdl.Stream[readBeat]
	Blocked hdl.Var   `hdl:"in"`     // the write side was held up in the last cycle
	Used    []hdl.Var `hdl:"in,opt"` // with ReserveBuffer: rows in use
	Idle    hdl.Var   // no burst is offered
	Drained hdl.Var   // no burst awaits data
}

// pending is what a read burst under way must remember.
type pending struct {
	Rotate hdl.Var   // lanes that its data rotates up
	Skip   hdl.Var   // its first beat has no bytes below the top
	Wraps  hdl.Var   // its last beat has bytes over the top
	Last   hdl.Var   // last burst of its transfer
	First  []hdl.Var `hdl:"opt"` // with ReserveBuffer: first burst of its transfer
}

// readManager issues the read bursts of transfers and aligns what they return.
func readManager(m *hdl.Module, c Config) readIO {
	m.Doc("AXI4 read manager: legalizes the source side, issues AR, receives R.")
	off := c.offsetBits()
	axi := bus.NewAXI4(bus.AXI4Params{DataWidth: c.DataWidth, AddrWidth: c.AddrWidth, IDWidth: c.IDWidth, UserWidth: c.UserWidth})
	t := readIO{
		In: hdl.StreamOf(readTransfer{
			Span: spanType(c), Attr: attributesOf(hdl.U(c.IDWidth), requestType(c).Src),
			DstOffset: hdl.U(off), Coupled: hdl.Bool(),
		}),
		AR:      axi.AR,
		R:       hdl.StreamOf(readData{Data: axi.R.Data.Data, Resp: axi.R.Data.Resp, Last: axi.R.Data.Last}),
		Out:     hdl.StreamOf(readBeatType(c.rows())),
		Blocked: hdl.Bool(), Used: optional(c.ReserveBuffer, hdl.U(ir.AddrBits(c.rows().Depth+1))),
		Idle: hdl.Bool(), Drained: hdl.Bool(),
	}
	io := hdl.Ports(m, "", hdl.Source, t)

	bursts := legalBursts(m, c, c.maxReadLen(), hdl.Stream[piece]{
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
	}))
	rotate := m.Let("rotate", options.DstOffset.Sub(b.Offset))
	hdl.Assign(note.Data, pending{
		Rotate: hdl.V(rotate),
		Skip:   hdl.V(b.First.And(options.DstOffset.Lt(b.Offset))),
		Wraps:  hdl.V(b.Tail.AddX(rotate).Bit(off)),
		Last:   b.Last,
		First:  optional(c.ReserveBuffer, b.First),
	})
	under, waiting := lib.Queue(m, "u_pending", lib.FIFOParams{Depth: c.Outstanding}, note)

	m.Note("A burst waits for a free place among those under way. Once offered it stays offered.")
	offered := m.Reg("offered_q", hdl.Bool(), hdl.Doc("AR waits to be accepted."))
	hold := m.Let("hold", options.Coupled.And(io.Blocked))
	promised := promise(m, c, io, b)
	if c.ReserveBuffer {
		hold = hold.Or(promised.short)
	}
	io.AR.Valid.Set(bursts.Valid.And(note.Ready).And(offered.Or(hold.Not())))
	offered.Set(io.AR.Valid.AndNot(io.AR.Ready.Signal))
	sent := m.Let("sent", io.AR.Fire())
	bursts.Ready.Set(sent)
	note.Valid.Set(sent)
	axiAddress(io.AR.Data, c, b, options.Attr, hdl.Const(c.UserWidth, 0))

	m.Note("Every beat of a burst goes to the buffer; RLAST ends the burst.")
	started := m.Reg("started_q", hdl.Bool(), hdl.Doc("The oldest burst has had its first beat."))
	cause := m.Reg("cause_q", hdl.U(2), hdl.Doc("First bus error of the transfer, or 0."))
	io.R.Ready.Set(under.Valid.And(io.Out.Ready))
	io.Out.Valid.Set(under.Valid.And(io.R.Valid))
	beat := m.Let("beat", io.R.Fire())
	ends := m.Let("ends", beat.And(io.R.Data.Last))
	under.Ready.Set(ends)
	last := m.Let("last_beat", io.R.Data.Last.And(under.Data.Last))
	failed := io.R.Data.Resp.And(hdl.Repeat(io.R.Data.Resp.Bit(1), 2))
	now := m.Let("cause", hdl.Mux(cause.Any(), cause, failed))
	m.If(beat, func() {
		started.Set(io.R.Data.Last.Not())
		cause.Set(now.And(hdl.Repeat(last.Not(), 2)))
	})
	hdl.Assign(io.Out.Data, readBeat{
		Data: io.R.Data.Data, Rotate: under.Data.Rotate, Skip: hdl.V(under.Data.Skip.AndNot(started.Signal)),
		Wraps: hdl.V(hdl.Mux(last, under.Data.Wraps, under.Data.Rotate.Any())), Last: hdl.V(last), Cause: hdl.V(now),
	})
	if c.ReserveBuffer {
		promised.connect(sent, beat, under.Data.First[0].AndNot(started.Signal))
	}
	io.Idle.Set(bursts.Valid.Not())
	io.Drained.Set(waiting.Not())
	return io
}

// promises counts rows that bursts under way may still open.
type promises struct {
	short   hdl.Signal                          // the buffer may be too full for the burst at hand
	connect func(sent, beat, starts hdl.Signal) // starts: beat is the first of its transfer
}

// promise keeps, with ReserveBuffer, the account of rows: a burst may open one row
// a beat and, with the first beat of its transfer, one more.
func promise(m *hdl.Module, c Config, io readIO, b burst) promises {
	if !c.ReserveBuffer {
		return promises{}
	}
	w := max(ir.AddrBits(c.rows().Depth+1), 9) + 2
	owed := m.Reg("promised_q", hdl.U(w), hdl.Doc("Rows that the bursts under way may still open."))
	need := m.Let("need", b.Len.Ext(w).Add(b.First.Ext(w)).Add(hdl.K(1)))
	short := m.Let("short", io.Used[0].Ext(w).Add(owed).Add(need).Gt(hdl.K(c.rows().Depth)))
	return promises{short, func(sent, beat, starts hdl.Signal) {
		add := hdl.Mux(sent, need, hdl.K(0))
		sub := hdl.Mux(beat, hdl.Mux(starts, hdl.Const(w, 2), hdl.K(1)), hdl.K(0))
		owed.Set(owed.Add(add).Sub(sub))
	}}
}

// axiAddress assigns the payload of AR or AW.
func axiAddress(to bus.AXI4Addr, c Config, b burst, a attributes, user hdl.Signal) {
	off := c.offsetBits()
	hdl.Assign(to, bus.AXI4Addr{
		ID: a.ID, Addr: hdl.V(hdl.Cat(b.Word, hdl.Const(off, 0))), Len: b.Len,
		Size: hdl.V(hdl.Const(3, uint64(off))), Burst: hdl.V(hdl.Const(2, bus.BurstINCR)),
		Lock: a.Lock, Cache: a.Cache, Prot: a.Prot, QoS: a.QoS, Region: a.Region, User: hdl.V(user),
	})
}
