package backend

import (
	"github.com/millrace-hdl/millrace/hdl"
	"github.com/millrace-hdl/millrace/hdl/ir"
	"github.com/millrace-hdl/millrace/hdl/lib"
)

// stored brings read beats through the store, a memory in front of the row buffer
// that makes the dataflow element as deep as RAM allows. It returns what comes out, and
// whether the store holds anything.
//
// With StoreTransfers a transfer's beats leave once the last one is in, or, of a transfer
// that is longer than the store, once no more can come: the store is full, or the
// next burst would have to wait for room in it.
func (e *engine) stored(beats hdl.Stream[readBeat]) (hdl.Stream[readBeat], hdl.Signal) {
	m, c := e.m, e.c
	if c.StoreDepth == 0 {
		return beats, hdl.Const(1, 0)
	}
	kept, busy := lib.Queue(m, "u_store", lib.FIFOParams{Depth: c.StoreDepth, Block: true}, withRoomOf(e.handler, m, "stored", beats))
	if c.ReserveBuffer {
		w := c.roomBits()
		used := m.Reg("store_used_q", hdl.U(w), hdl.Doc("Beats in the store."))
		used.Set(used.Add(beats.Fire().Ext(w)).Sub(kept.Fire().Ext(w)))
		e.readers[0].Used[0].Set(used)
	}
	kept = unlessDropped(e.handler, m, "from_store", kept)
	if !c.StoreTransfers {
		return kept, busy
	}
	count := ir.AddrBits(c.StoreDepth + 2)
	ends := func(s hdl.Stream[readBeat]) hdl.Signal { return s.Fire().And(s.Data.Last) }
	whole := m.Reg("whole_q", hdl.U(count), hdl.Doc("Transfers of which the store holds the last beat."))
	tooLong := m.Reg("too_long_q", hdl.Bool(), hdl.Doc("The oldest transfer is longer than the store and goes as it comes."))
	stuck := beats.Valid.AndNot(beats.Ready.Signal)
	if len(e.readers[0].Stuck) > 0 {
		stuck = stuck.Or(e.readers[0].Stuck[0])
	}
	out := hdl.Wires(m, "released", hdl.StreamOf(readBeatType(c.rows())))
	goes := m.Let("let_out", whole.Any().Or(tooLong))
	out.Valid.Set(kept.Valid.And(goes))
	kept.Ready.Set(out.Ready.And(goes))
	hdl.Assign(out.Data, kept.Data)
	whole.Set(whole.Add(ends(beats).Ext(count)).Sub(ends(out).Ext(count)))
	tooLong.Set(goes.Not().And(stuck).Or(tooLong.AndNot(ends(out))))
	if e.handler != nil {
		m.If(e.handler.rewind, func() {
			whole.Set(hdl.K(0))
			tooLong.Set(hdl.K(0))
		})
	}
	return out, busy
}

// roomBits is the width of the count of bus words that reads reserve.
func (c Config) roomBits() int { return ir.AddrBits(c.room() + 1) }

// room is how many bus words may be reserved by reads under way: the store's beats, or
// else the rows of the buffer.
func (c Config) room() int {
	if c.StoreDepth > 0 {
		return c.StoreDepth
	}
	return c.rows().Depth
}
