package backend

import (
	"math/bits"

	"github.com/millrace-hdl/millrace/bus"
	"github.com/millrace-hdl/millrace/hdl"
	"github.com/millrace-hdl/millrace/hdl/ir"
	"github.com/millrace-hdl/millrace/hdl/lib"
)

// tlBeats is the bus words of the longest TileLink burst that is configured.
func (c Config) tlBeats() int { return max(1, c.TLMaxSize/c.lanes()) }

// tlSizeBits is the width of the size in messages.
func (c Config) tlSizeBits() int {
	return ir.AddrBits(c.offsetBits() + bits.Len(uint(c.tlBeats())))
}

// maxGetLen is the bus words of the longest Get, minus one.
func (c Config) maxGetLen() int { return min(c.tlBeats(), c.maxReadLen()+1) - 1 }

// maxPutLen is the bus words of the longest Put, minus one. All of its data are in the
// buffer when it begins, and with ReserveBuffer the longest read still has room then. A
// Put that has begun can not be given up, so with error handling there is no long one.
func (c Config) maxPutLen() int {
	room := c.BufferDepth
	if c.ReserveBuffer && c.StoreDepth == 0 {
		room = max(1, room-c.maxReadLen())
	}
	if c.ErrorHandling {
		room = 1
	}
	return min(c.tlBeats(), 1<<(bits.Len(uint(room))-1)) - 1
}

// tileLinkWrites is channel A; the completion takes the answers.
type tileLinkWrites struct {
	A hdl.Stream[bus.TileLinkA]
}

// writeTileLink is the write manager of TileLink. A bus word of which the transfer has
// only some bytes may take several Puts, and leaves the buffer with the last of them.
//
// A Put of several beats begins when all of them are complete: it blocks every
// interconnect on its way until it has ended, and the Gets that would bring its data
// might wait behind it.
func writeTileLink(m *hdl.Module, c Config) writeIO[tileLinkWrites] {
	m.Doc("TileLink write manager: cuts the destination side into naturally aligned accesses, issues PutFullData.")
	maxLen := c.maxPutLen()
	io, on := writePorts(m, c, TileLink, tileLinkWrites{c.tileLink(c.writeOutstanding()).A})
	out := handshake{on.A.Valid, on.A.Ready}
	bursts, transfer, drop := transferOf(m, c, TileLink, maxLen, io)
	b, a := bursts.Data, bursts.Data.Access[0]

	first, lastBeat, complete := hdl.Const(1, 1), hdl.Const(1, 1), io.Row.Ready.Signal
	var beat hdl.Var
	if maxLen > 0 {
		beat = m.Reg("beat_q", hdl.U(8), hdl.Doc("Beats sent of the burst."))
		first = beat.None()
		lastBeat = m.Let("last_beat", beat.Eq(b.Len))
		complete = complete.And(m.Let("all_there", c.allThere(io, b).Or(first.Not())))
	}
	m.Note("A beat goes when its row is complete and there is room to note the burst.")
	h := haltWords(m, c, io, out)
	data := m.Let("has_data", h.data(bursts.Valid.AndNot(b.Skip.Signal), complete))
	out.valid.Set(data.And(io.Done.Ready))
	taken := m.Let("taken", out.fire())
	ends := m.Let("burst_ends", taken.And(lastBeat))
	if maxLen > 0 {
		m.If(taken, func() { beat.Set(hdl.Mux(lastBeat, hdl.K(0), beat.Add(hdl.K(1)))) })
	}
	io.Row.Take.Set(taken.And(a.Closes))
	io.Done.Valid.Set(h.noted(io, bursts.Valid.Signal, b.Skip.Signal, ends))
	bursts.Ready.Set(io.Done.Fire())
	h.giveUp(drop, ends)
	hdl.Assign(io.Done.Data, written{
		Ends: b.Last, Last: transfer.Last, Refused: b.Skip, Empty: transfer.Empty, Cause: io.cause(b.Skip, transfer.Refused),
		Len: optional(c.countsBeats(), hdl.V(hdl.Const(8, 0))), Part: optional(c.countsParts(), hdl.V(a.Closes.Not())),
	})
	h.next(m, io, bursts.Valid.AndNot(b.Skip.Signal), taken.And(a.Closes), b.Last.Signal)
	if !c.CombinedShifter {
		hdl.Assign(io.Realign[0], realign{
			Rotate: b.Offset, First: hdl.V(a.Opens.And(first)), Last: hdl.V(a.Final.Or(b.Last.And(lastBeat))), Short: hdl.V(b.Tail.Lt(b.Offset)),
		})
	}
	if len(io.Ends) > 0 {
		io.Ends[0].Set(ends.And(b.Last))
	}
	io.Blocked.Set(m.RegNext("blocked_q", data.AndNot(taken)))
	io.Idle.Set(bursts.Valid.Not())
	io.Waiting.Set(hdl.Const(1, 0))
	io.Drained.Set(bursts.Valid.Not())

	word := io.Row.Data.Signal
	if c.MaskInvalidLanes {
		word = word.And(m.Let("lane_mask", c.accessLanes(b, 8)))
	}
	c.tileLinkRequest(m, on.A, bus.TLPutFull, b, hdl.V(word), lastBeat)
	return writeIO[tileLinkWrites]{io, on}
}

// allThere is whether the buffer has all bus words of a burst. With two rotations the
// last one can need a row more.
func (c Config) allThere(io writeSide, b burst) hdl.Signal {
	w := max(io.Row.Complete[0].Width(), 8) + 1
	need := b.Len.Ext(w)
	if !c.CombinedShifter {
		more := b.Offset.Any().AndNot(b.Last.And(b.Tail.Lt(b.Offset)))
		need = need.Add(more.Ext(w))
	}
	return b.Len.None().Or(io.Row.Complete[0].Ext(w).Gt(need))
}

// tileLinkAcks is the answers of Puts. One may come before its Put has ended, and must
// not wait for that. The port is what its instances have behind their names.
func tileLinkAcks(m *hdl.Module, port string, d hdl.Stream[writeResp]) hdl.Stream[writeResp] {
	came := hdl.Wires(m, "acknowledged"+port, hdl.StreamOf(writeResp{hdl.U(2)}))
	came.Valid.Set(d.Valid)
	d.Ready.Set(came.Ready)
	came.Data.Resp.Set(d.Data.Resp)
	kept, _ := lib.Queue(m, "u_acknowledged"+port, lib.FIFOParams{Depth: 2, FallThrough: true}, came)
	return kept
}
