package backend

import (
	"github.com/millrace-hdl/millrace/bus"
	"github.com/millrace-hdl/millrace/hdl"
	"github.com/millrace-hdl/millrace/hdl/lib"
)

// tileLink is the TileLink bundle of a port that has up to so many accesses under way.
func (c Config) tileLink(outstanding int) bus.TileLink {
	return bus.NewTileLink(bus.TileLinkParams{
		DataWidth: c.DataWidth, AddrWidth: c.AddrWidth, SourceWidth: hdl.AddrBits(outstanding), SinkWidth: 1, SizeWidth: c.tlSizeBits(),
	})
}

// readTileLink is the read manager of TileLink. Each Get under way has a source of its
// own; they are used in turn, and answered in that order.
func readTileLink(m *hdl.Module, c Config) readIO[bus.TileLink] {
	m.Doc("TileLink read manager: cuts the source side into naturally aligned accesses, issues Get, receives data.")
	maxLen, off := c.maxGetLen(), c.offsetBits()
	io, b := readPorts(m, c, TileLink, c.tileLink(c.Outstanding))

	m.Note("An answer may come with its request, before that is among those under way, and must not wait for it.")
	type answer struct{ Data, Resp, Size hdl.Var }
	answers := hdl.Wires(m, "answer", hdl.StreamOf(answer{hdl.U(c.DataWidth), hdl.U(2), hdl.U(c.tlSizeBits())}), hdl.MayBeUnused())
	answers.Valid.Set(b.D.Valid)
	b.D.Ready.Set(answers.Ready)
	resp := tileLinkResp(b.D.Data)
	if len(io.Lost) > 0 {
		resp = guarded(resp, io.Lost[0])
	}
	hdl.Assign(answers.Data, answer{b.D.Data.Data, resp, b.D.Data.Size})
	came, _ := lib.Queue(m, "u_answers", lib.FIFOParams{Depth: 2, FallThrough: true}, answers)
	last := always(true)
	if maxLen > 0 {
		beat := m.Reg("beat_q", hdl.U(8), hdl.Doc("Beats that came of the oldest burst."))
		bytes := hdl.Const(off+9, 1).Shl(came.Data.Size)
		last = hdl.V(m.Let("last_of_burst", beat.Eq(beatsOf(bytes, off))))
		m.If(came.Fire(), func() { beat.Set(hdl.Mux(last, hdl.K(0), beat.Add(hdl.K(1)))) })
	}
	a := askAndReceive(m, c, TileLink, maxLen, io, b.A.Valid, b.A.Ready, hdl.Stream[readData]{
		Valid: came.Valid, Ready: came.Ready, Data: readData{Data: came.Data.Data, Resp: came.Data.Resp, Last: last},
	})
	c.tileLinkRequest(m, b.A, bus.TLGet, a.burst, hdl.V(hdl.Const(c.DataWidth, 0)), hdl.Const(1, 1))
	return readIO[bus.TileLink]{io, b}
}

// tileLinkResp is the response code that an answer counts as: DECERR if the access was
// denied, SLVERR if the data are corrupt.
func tileLinkResp(d bus.TileLinkD) hdl.Var {
	return hdl.V(hdl.Cat(d.Denied.Or(d.Corrupt), d.Denied))
}

// tileLinkRequest assigns the payload of channel A. Sources are counted: as many are
// under way as the manager keeps places for, and answers come in order, so the next one
// is free. Ends is whether the beat is the last of its burst.
func (c Config) tileLinkRequest(m *hdl.Module, a hdl.Stream[bus.TileLinkA], opcode uint64, b burst, data hdl.Var, ends hdl.Signal) {
	source := m.Reg("source_q", hdl.U(a.Data.Source.Width()), hdl.Doc("Of the next access."))
	m.If(a.Fire().And(ends), func() { source.Set(source.Add(hdl.K(1))) })
	hdl.Assign(a.Data, bus.TileLinkA{
		Opcode: hdl.V(hdl.Const(3, opcode)), Param: hdl.V(hdl.Const(3, 0)), Size: hdl.V(b.Access[0].Size.Resize(c.tlSizeBits())), Source: source,
		Address: hdl.V(hdl.Cat(b.Word, b.Access[0].Low)), Mask: hdl.V(c.accessLanes(b, 1)), Data: data, Corrupt: always(false),
	})
}

// accessLanes is the lanes of an access, with so many bits a lane.
func (c Config) accessLanes(b burst, bits int) hdl.Signal {
	low, off := b.Access[0].Low.Signal, c.offsetBits()
	last := low.Or(hdl.Ones(off).Shl(b.Access[0].Size).Not())
	return lib.FromLane(low, bits).And(lib.UpToLane(last, bits))
}

// part is what an access of TileLink under way must remember: it may bring a part of a
// bus word only.
type part struct {
	Low    hdl.Var // lane of its first byte
	Closes hdl.Var // the transfer has no more bytes in its last bus word
	Joins  hdl.Var // the transfer has bytes below it in its bus word
}

func partType(c Config, p Protocol) []part {
	return optional(p == TileLink, part{hdl.U(c.offsetBits()), hdl.Bool(), hdl.Bool()})
}

// part is what is to be remembered of the burst.
func (b burst) part() []part {
	if len(b.Access) == 0 {
		return nil
	}
	a := b.Access[0]
	return []part{{a.Low, a.Closes, hdl.V(a.Low.Any().AndNot(b.First.Signal))}}
}

// joined is a bus word on its way into the buffer, of which the beat at hand may be a
// part: those before it were kept.
type joined struct {
	data hdl.Var
	part []part
}

// joinParts puts the parts of bus words together. Parts come from the lowest lane up,
// so those below the beat at hand are the kept ones.
func joinParts(m *hdl.Module, c Config, p []part, data hdl.Stream[readData]) joined {
	if len(p) == 0 {
		return joined{data: data.Data.Data}
	}
	kept := m.Reg("kept_q", hdl.U(c.DataWidth), hdl.NoReset(), hdl.Doc("The parts that came of a bus word."))
	fresh := m.Let("fresh", lib.FromLane(p[0].Low.Signal, 8), hdl.Doc("Lanes of the beat at hand and above."))
	word := m.Let("joined", data.Data.Data.And(fresh).Or(kept.AndNot(fresh)))
	m.If(data.Fire(), func() { kept.Set(word) })
	return joined{hdl.V(word), p}
}

// goes is whether a beat goes: a bus word into the buffer, a part at once.
func (j joined) goes(ready hdl.Signal) hdl.Signal {
	if len(j.part) == 0 {
		return ready
	}
	return ready.Or(j.part[0].Closes.Not())
}

// whole is whether a beat that is there makes a whole bus word.
func (j joined) whole(there hdl.Signal) hdl.Signal {
	if len(j.part) == 0 {
		return there
	}
	return there.And(j.part[0].Closes)
}

// failure is the error of a bus word, the first one of its parts. Without error handling
// that is kept for the whole transfer anyway.
func (j joined) failure(m *hdl.Module, c Config, failed, beat hdl.Signal) hdl.Signal {
	if len(j.part) == 0 || !c.ErrorHandling {
		return failed
	}
	kept := m.Reg("kept_cause_q", hdl.U(2), hdl.NoReset(), hdl.Doc("First bus error of the parts that came."))
	now := m.Let("failed", hdl.Mux(j.part[0].Joins.And(kept.Any()), kept, failed))
	m.If(beat, func() { kept.Set(now) })
	return now
}
