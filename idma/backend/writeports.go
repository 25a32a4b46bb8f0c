package backend

import (
	"github.com/millrace-hdl/millrace/bus"
	"github.com/millrace-hdl/millrace/hdl"
)

// axiWrites is the writing half of AXI4 without its responses, which the
// completion takes.
type axiWrites struct {
	AW hdl.Stream[bus.AXI4Addr]  `hdl:"name=aw,glue"`
	W  hdl.Stream[bus.AXI4Write] `hdl:"name=w,glue"`
}

// writeAXI4 is the write manager of AXI4.
func writeAXI4(m *hdl.Module, c Config) writeIO[axiWrites] {
	m.Doc("AXI4 write manager: legalizes the destination side, issues AW and W.")
	io, b := writePorts(m, c, AXI4, axiWrites{c.axi4().AW, c.axi4().W})
	s := addressAndData(m, c, AXI4, 255, io, handshake{b.AW.Valid, b.AW.Ready}, handshake{b.W.Valid, b.W.Ready})
	axiAddress(b.AW.Data, c, s.burst, s.tags.Attr, s.tags.User[0].Signal)
	hdl.Assign(b.W.Data, bus.AXI4Write{Data: s.data, Strb: s.strb, Last: s.lastBeat, User: hdl.V(hdl.Const(c.UserWidth, 0))})
	return writeIO[axiWrites]{io, b}
}

// liteWrites is the writing half of AXI4-Lite without its responses.
type liteWrites struct {
	AW hdl.Stream[bus.AXILiteAddr]  `hdl:"name=aw,glue"`
	W  hdl.Stream[bus.AXILiteWrite] `hdl:"name=w,glue"`
}

// writeAXILite is the write manager of AXI4-Lite: one beat a request.
func writeAXILite(m *hdl.Module, c Config) writeIO[liteWrites] {
	m.Doc("AXI4-Lite write manager: cuts the destination side into bus words, issues AW and W.")
	lite := c.axiLite()
	io, b := writePorts(m, c, AXILite, liteWrites{lite.AW, lite.W})
	s := addressAndData(m, c, AXILite, 0, io, handshake{b.AW.Valid, b.AW.Ready}, handshake{b.W.Valid, b.W.Ready})
	hdl.Assign(b.AW.Data, bus.AXILiteAddr{Addr: c.byteAddress(s.burst.Word), Prot: s.tags.Attr.Prot[0]})
	hdl.Assign(b.W.Data, bus.AXILiteWrite{Data: s.data, Strb: s.strb})
	return writeIO[liteWrites]{io, b}
}

// obiWrites is OBI without its responses, which the completion takes.
type obiWrites struct {
	Req hdl.Var
	Gnt hdl.Var     `hdl:"in"`
	A   bus.OBIAddr `hdl:"name="`
}

// writeOBI is the write manager of OBI: one beat a request.
func writeOBI(m *hdl.Module, c Config) writeIO[obiWrites] {
	m.Doc("OBI write manager: cuts the destination side into bus words, issues requests.")
	obi := c.obi()
	io, b := writePorts(m, c, OBI, obiWrites{obi.Req, obi.Gnt, obi.A})
	s := addressWithData(m, c, io, handshake{b.Req, b.Gnt})
	hdl.Assign(b.A, bus.OBIAddr{
		Addr: c.byteAddress(s.burst.Word), WE: always(true), BE: s.strb, WData: s.data, AID: s.tags.Attr.ID[0],
	})
	return writeIO[obiWrites]{io, b}
}

// axiStream is the AXI4-Stream bundle of the configuration. TDEST is as wide as an
// address, whose low bits it takes.
func (c Config) axiStream() bus.AXIStream {
	return bus.NewAXIStream(bus.AXIStreamParams{DataWidth: c.DataWidth, IDWidth: c.IDWidth, DestWidth: c.streamDest(), UserWidth: c.UserWidth})
}

// streamDest is the width of TDEST, which the standard recommends to be 8 at most.
func (c Config) streamDest() int { return min(8, c.AddrWidth) }

// writeAXIStream is the write manager of AXI4-Stream: the transfer is a packet whose
// first byte is in lane 0 and whose destination is the low part of the address.
func writeAXIStream(m *hdl.Module, c Config) writeIO[bus.AXIStream] {
	m.Doc("AXI4-Stream write manager: sends each transfer as a packet.")
	io, b := writePorts(m, c, AXIStream, c.axiStream())
	dest := m.Reg("dest_q", hdl.U(c.streamDest()), hdl.NoReset(), hdl.Doc("Of the packet being sent."))
	m.If(io.In.Fire(), func() { dest.Set(io.In.Data.Piece.Span.Addr.Resize(c.streamDest())) })
	out, data := handshake{b.T.Valid, b.T.Ready}, io.fromLaneZero(c)
	if c.ErrorHandling {
		out.valid, data.Drained = m.Wire("data_valid", hdl.Bool()), m.Wire("data_drained", hdl.Bool())
	}
	s := addressWithData(m, c, data, out)
	if c.ErrorHandling {
		s = endPacket(m, io, b, out.valid, data.Drained, s)
	}
	hdl.Assign(b.T.Data, bus.AXIStreamBeat{
		Data: s.data, Strb: s.strb, Keep: s.strb, Last: s.lastWord,
		ID: s.tags.Attr.ID, Dest: []hdl.Var{dest}, User: s.tags.User,
	})
	return writeIO[bus.AXIStream]{io, b}
}

// endPacket ends a packet that is given up with a beat without bytes, so that the
// next one begins anew. Its data are zero: what the buffer shows may change meanwhile.
func endPacket(m *hdl.Module, io writeSide, b bus.AXIStream, valid, drained hdl.Var, s onBus) onBus {
	open := m.Reg("packet_open_q", hdl.Bool(), hdl.Doc("A packet has begun and not ended."))
	ends := m.Let("ends_packet", io.Halt[0].Ends[0].And(io.Halt[0].Drop).And(open).AndNot(valid.Signal))
	s.lastWord = hdl.V(s.lastWord.Or(ends))
	s.strb = hdl.V(s.strb.AndNot(hdl.Repeat(ends, s.strb.Width())))
	s.data = hdl.V(s.data.AndNot(hdl.Repeat(ends, s.data.Width())))
	b.T.Valid.Set(valid.Or(ends))
	io.Drained.Set(drained.AndNot(ends))
	m.If(b.T.Fire(), func() { open.Set(s.lastWord.Not()) })
	return s
}

// fromLaneZero is the side without the addresses of its transfers, which then begin
// in lane 0.
func (io writeSide) fromLaneZero(c Config) writeSide {
	io.In.Data.Piece.Span.Addr = hdl.V(hdl.Const(c.AddrWidth, 0))
	return io
}

// nothing is a bus without signals.
type nothing struct{}

// writeInit is the write manager of Init: a sink, which takes all data and keeps
// none.
func writeInit(m *hdl.Module, c Config) writeIO[nothing] {
	m.Doc("Sink: takes the data of transfers at full speed and drops them.")
	io := hdl.Ports(m, "", hdl.Source, writeSideType(c, Init), hdl.MayBeUnused())
	c.MaskInvalidLanes = false // no data are shown
	addressWithData(m, c, io.fromLaneZero(c), handshake{m.Wire("drop", hdl.Bool()), always(true)})
	return writeIO[nothing]{Side: io}
}
