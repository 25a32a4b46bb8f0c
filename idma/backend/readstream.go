package backend

import (
	"github.com/millrace-hdl/millrace/bus"
	"github.com/millrace-hdl/millrace/hdl"
	"github.com/millrace-hdl/millrace/hdl/lib"
)

// readAXIStream is the read manager of AXI4-Stream: a transfer takes the next bytes
// of the stream, as many as its length says, whatever its source address and
// however packets are cut. Null bytes (TKEEP zero) are no data. A beat is taken
// run by run, a run being the bytes between null bytes, so a beat without null
// bytes inside takes one cycle; what a transfer leaves of a beat is the next one's.
//
// Runs are gathered into bus words aligned as at the destination.
func readAXIStream(m *hdl.Module, c Config) readIO[bus.AXIStream] {
	m.Doc("AXI4-Stream read manager: gathers the bytes of transfers from the stream.")
	n, off := c.lanes(), c.offsetBits()
	side := hdl.Ports(m, "", hdl.Source, readSideType(c, AXIStream), hdl.MayBeUnused())
	b := hdl.Ports(m, "", hdl.Sink, c.axiStream(), hdl.MayBeUnused())
	t, in := b.T, side.In.Data

	busy := m.Reg("busy_q", hdl.Bool(), hdl.Doc("A transfer takes bytes."))
	left := m.Reg("left_q", hdl.U(c.LengthWidth), hdl.NoReset(), hdl.Doc("Bytes that it still takes."))
	lane := m.Reg("lane_q", hdl.U(off), hdl.NoReset(), hdl.Doc("Lane of the next byte in the word being gathered."))
	gone := m.Reg("gone_q", hdl.U(n), hdl.Doc("Bytes of the beat at hand that were taken."))
	rest := m.Reg("word_q", hdl.U(c.DataWidth), hdl.NoReset(), hdl.Doc("The word being gathered."))
	flush := m.Reg("flush_q", hdl.Bool(), hdl.Doc("The last word of a transfer waits to go."))

	m.Note("The lowest run of bytes of the beat, as far as the transfer goes.")
	there := m.Let("there", t.Data.Keep.AndNot(gone.Signal))
	first := m.Let("first", lib.Lowest(there), hdl.Doc("Its first byte, one-hot."))
	from := m.Let("from", lib.Index(first), hdl.Doc("Lane of its first byte."))
	short := m.Let("short", left.Lt(hdl.K(n)))
	end := m.Let("last_lane", from.AddX(left.Trunc(off)).Sub(hdl.K(1)), hdl.Doc("Lane of the transfer's last byte, if it ends soon."))
	inside := lib.UpToLane(end.Trunc(off), 1).Or(hdl.Repeat(short.And(end.Bit(off).Not()).Not(), n))
	run := m.Let("run", there.AndNot(there.Add(first)).And(inside))
	count := m.Let("count", lib.PopCount(run))
	after := m.Let("after", there.AndNot(run).None(), hdl.Doc("Nothing is left of the beat."))

	m.Note("It goes to the lanes from the next free one up; what does not fit begins the next word.")
	turned := lib.RotateBytes(m, "turned", t.Data.Data.Signal, lane.Sub(from))
	fresh := m.Let("fresh", lib.FromLane(lane.Signal, 8))
	word := m.Let("word", hdl.Mux(flush, rest, turned.And(fresh).Or(rest.AndNot(fresh))))
	fill := m.Let("fill", lane.Ext(off+2).Add(count.Ext(off+2)), hdl.Doc("Bytes of the word and beyond it."))
	full := m.Let("full", fill.Ge(hdl.K(n)))
	over := m.Let("over", fill.Gt(hdl.K(n)))
	ends := m.Let("ends", left.Eq(count.Resize(c.LengthWidth)))

	act := m.Let("offers", busy.And(t.Valid).AndNot(flush.Signal))
	emits := m.Let("emits", first.Any().And(full.Or(ends)))
	side.Out.Valid.Set(flush.Or(act.And(emits)))
	goes := m.Let("goes", act.And(emits.Not().Or(side.Out.Ready)), hdl.Doc("The run is taken."))
	t.Ready.Set(busy.AndNot(flush.Signal).And(emits.Not().Or(side.Out.Ready)).And(after))
	flushed := m.Let("flushed", flush.And(side.Out.Ready))
	done := m.Let("done", flushed.Or(goes.And(ends).AndNot(over)))
	hdl.Assign(side.Out.Data, readBeat{
		Data: hdl.V(word), Rotate: hdl.V(hdl.Const(off, 0)), Skip: always(false), Wraps: always(false),
		Last: hdl.V(flush.Or(ends.AndNot(over))), Cause: hdl.V(hdl.Const(2, 0)),
		Burst: c.noBurst(),
	})

	side.In.Ready.Set(busy.Not().Or(done))
	m.If(flushed, func() { flush.Set(hdl.K(0)) })
	m.If(goes, func() {
		gone.Set(hdl.Mux(after, hdl.K(0), gone.Or(run)))
		flush.Set(ends.And(over))
		rest.Set(hdl.Mux(over, turned, word))
		lane.Set(fill.Trunc(off))
		left.Set(left.Sub(count.Resize(c.LengthWidth)))
	})
	m.If(side.In.Fire(), func() {
		busy.Set(hdl.K(1))
		left.Set(in.Span.Length)
		lane.Set(in.DstOffset)
	}).ElseIf(done, func() { busy.Set(hdl.K(0)) })
	side.Idle.Set(busy.Not())
	side.Drained.Set(busy.Not())
	return readIO[bus.AXIStream]{side, b}
}
