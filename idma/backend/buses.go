package backend

import (
	"strings"

	"github.com/millrace-hdl/millrace/bus"
	"github.com/millrace-hdl/millrace/hdl"
	"github.com/millrace-hdl/millrace/hdl/lib"
)

// addReader places the read manager of a port and its bus.
func (e *engine) addReader(i int, p Protocol) {
	m, c := e.m, e.c
	name, prefix := "u_read", c.ReadProtocols.prefix(i, c.WriteProtocols)
	if c.ReadProtocols.count() > 1 {
		name += "_" + c.ReadProtocols.portName(i)
	}
	switch p {
	case AXI4:
		u := hdl.Inst(m, name, readAXI4, c)
		b := hdl.Ports(m, "m_"+prefix, hdl.Source, c.axi4().AXI4Reads, hdl.MayBeUnused())
		data := hdl.Stream[readData]{Valid: b.R.Valid, Ready: b.R.Ready, Data: readData{
			Data: b.R.Data.Data, Resp: b.R.Data.Resp, Last: b.R.Data.Last,
		}}
		if c.Watchdog > 0 {
			data = guardBursts(e, name, b.AR, u.Bus.AR, data)
		} else {
			hdl.Connect(b.AR, u.Bus.AR)
		}
		hdl.Connect(u.Bus.R, data)
		e.readers, e.io.AXIReads = append(e.readers, u.Side), append(e.io.AXIReads, b)
	case AXILite:
		u := hdl.Inst(m, name, readAXILite, c)
		b := hdl.Ports(m, "m_"+prefix, hdl.Source, c.axiLite().AXILiteReads, hdl.MayBeUnused())
		if c.Watchdog > 0 {
			guardLite(e, name, b, u.Bus)
		} else {
			hdl.Connect(b, u.Bus)
		}
		e.readers, e.io.LiteReads = append(e.readers, u.Side), append(e.io.LiteReads, b)
	case OBI:
		u := hdl.Inst(m, name, readOBI, c)
		b := hdl.Ports(m, "m_"+prefix+"_read", hdl.Source, c.obi(), hdl.MayBeUnused())
		if c.Watchdog > 0 {
			guardOBI(e, name, b, u.Bus, u.Side.Lost[0])
		} else {
			hdl.Connect(b, u.Bus)
		}
		e.readers, e.io.OBIReads = append(e.readers, u.Side), append(e.io.OBIReads, b)
	case AXIStream:
		u := hdl.Inst(m, name, readAXIStream, c)
		b := hdl.Ports(m, "s_"+prefix, hdl.Sink, c.axiStream(), hdl.MayBeUnused())
		hdl.Connect(u.Bus, b)
		e.readers, e.io.StreamReads = append(e.readers, u.Side), append(e.io.StreamReads, b)
	case TileLink:
		u := hdl.Inst(m, name, readTileLink, c)
		b := hdl.Ports(m, "m_"+prefix+"_read", hdl.Source, c.tileLink(c.Outstanding), hdl.MayBeUnused())
		if c.Watchdog > 0 {
			guardTileLink(e, name, b, u.Bus, u.Side.Lost[0])
		} else {
			hdl.Connect(b, u.Bus)
		}
		e.readers, e.io.TLReads = append(e.readers, u.Side), append(e.io.TLReads, b)
	case Init:
		e.readers = append(e.readers, hdl.Inst(m, name, readInit, c).Side)
	}
}

// addWriter places the write manager of a port, its completion and its bus.
func (e *engine) addWriter(i int, p Protocol) {
	m, c := e.m, e.c
	name, prefix := "", c.WriteProtocols.prefix(i, c.ReadProtocols)
	if c.WriteProtocols.count() > 1 {
		name = "_" + c.WriteProtocols.portName(i)
	}
	done := hdl.Inst(m, "u_completion"+name, completion, c)
	name = "u_write" + name
	var side writeSide
	switch p {
	case AXI4:
		u := hdl.Inst(m, name, writeAXI4, c)
		b := hdl.Ports(m, "m_"+prefix, hdl.Source, c.axi4().AXI4Writes, hdl.MayBeUnused())
		resp := hdl.Stream[writeResp]{Valid: b.B.Valid, Ready: b.B.Ready, Data: writeResp{b.B.Data.Resp}}
		if c.Watchdog > 0 {
			resp = guardWrites(e, name, b.AW, u.Bus.AW, u.Bus.AW.Data.Len, b.W, u.Bus.W, func(w *bus.AXI4Write) *hdl.Var { return &w.Last }, resp)
		} else {
			hdl.Connect(b.AW, u.Bus.AW)
			hdl.Connect(b.W, u.Bus.W)
		}
		hdl.Connect(done.B, resp)
		side, e.io.AXIWrites = u.Side, append(e.io.AXIWrites, b)
	case AXILite:
		u := hdl.Inst(m, name, writeAXILite, c)
		b := hdl.Ports(m, "m_"+prefix, hdl.Source, c.axiLite().AXILiteWrites)
		resp := hdl.Stream[writeResp]{Valid: b.B.Valid, Ready: b.B.Ready, Data: writeResp{b.B.Data.Resp}}
		if c.Watchdog > 0 {
			resp = guardWrites(e, name, b.AW, u.Bus.AW, hdl.V(hdl.Const(1, 0)), b.W, u.Bus.W, func(*bus.AXILiteWrite) *hdl.Var { one := always(true); return &one }, resp)
		} else {
			hdl.Connect(b.AW, u.Bus.AW)
			hdl.Connect(b.W, u.Bus.W)
		}
		hdl.Connect(done.B, resp)
		side, e.io.LiteWrites = u.Side, append(e.io.LiteWrites, b)
	case OBI:
		u := hdl.Inst(m, name, writeOBI, c)
		b := hdl.Ports(m, "m_"+prefix+"_write", hdl.Source, c.obi(), hdl.MayBeUnused())
		if c.Watchdog > 0 {
			e.guardOBIWrites(name, b, u.Bus, done)
		} else {
			b.Req.Set(u.Bus.Req)
			u.Bus.Gnt.Set(b.Gnt)
			hdl.Assign(b.A, u.Bus.A)
			e.obiResponses(name, done, b.RValid, obiResponse(b.R.Err, nil), b.RReady)
		}
		side, e.io.OBIWrites = u.Side, append(e.io.OBIWrites, b)
	case AXIStream:
		u := hdl.Inst(m, name, writeAXIStream, c)
		b := hdl.Ports(m, "m_"+prefix, hdl.Source, c.axiStream())
		hdl.Connect(b, u.Bus)
		unanswered(done)
		side, e.io.StreamWrites = u.Side, append(e.io.StreamWrites, b)
	case TileLink:
		u := hdl.Inst(m, name, writeTileLink, c)
		b := hdl.Ports(m, "m_"+prefix+"_write", hdl.Source, c.tileLink(c.writeOutstanding()), hdl.MayBeUnused())
		var acks hdl.Stream[writeResp]
		if c.Watchdog > 0 {
			acks = e.guardPuts(name, b, u.Bus.A)
		} else {
			hdl.Connect(b.A, u.Bus.A)
			acks = hdl.Stream[writeResp]{Valid: b.D.Valid, Ready: b.D.Ready, Data: writeResp{tileLinkResp(b.D.Data)}}
		}
		hdl.Connect(done.B, tileLinkAcks(m, strings.TrimPrefix(name, "u_write"), acks))
		side, e.io.TLWrites = u.Side, append(e.io.TLWrites, b)
	case Init:
		side = hdl.Inst(m, name, writeInit, c).Side
		unanswered(done)
	}
	hdl.Connect(done.In, side.Done)
	e.writers = append(e.writers, writer{side, done})
}

// obiResponses brings the responses of OBI writes to the completion; name is the write
// manager's.
func (e *engine) obiResponses(name string, done completionIO, valid, resp hdl.Var, ready []hdl.Var) {
	port := strings.TrimPrefix(name, "u_write")
	came := hdl.Wires(e.m, "obi_came"+port, hdl.StreamOf(writeResp{hdl.U(2)}), hdl.MayBeUnused())
	came.Valid.Set(valid)
	came.Data.Resp.Set(resp)
	if e.c.OBIReady {
		ready[0].Set(came.Ready)
		hdl.Connect(done.B, came)
		return
	}
	kept, _ := lib.Queue(e.m, "u_obi_responses"+port, lib.FIFOParams{Depth: e.c.writeOutstanding() + 1, FallThrough: true}, came)
	hdl.Connect(done.B, kept)
}

// unanswered completes bursts of a bus that has no responses as soon as they are
// written.
func unanswered(done completionIO) {
	done.B.Valid.Set(hdl.Const(1, 1))
	done.B.Data.Resp.Set(hdl.Const(2, 0))
}

// prefix is the bus name of a port without the letter of its side. Where both sides
// together have one port of the protocol at most each, it has no number.
func (s PortSet) prefix(i int, other PortSet) string {
	p := s.list()[i]
	name := [protocols]string{"axi", "obi", "axil", "tl", "init", "axis"}[p]
	if max(s[p], other[p]) > 1 {
		name += string(rune('0' + i - s.number(p, 0)))
	}
	return name
}
