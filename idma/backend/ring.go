package backend

import (
	"math/bits"

	"github.com/millrace-hdl/millrace/hdl"
)

// keptRequests is the ring of the requests that are not answered. Positions have one
// bit more than places.
type keptRequests struct {
	head, fed, oldest hdl.Var
	request           Request // the one to be fed, or, while not running, the oldest
}

// feed is the stream of the requests that the engine works on: those at the request
// port, after those that are to be repeated.
func (h *handler) feed(e *engine) hdl.Stream[Request] {
	m, c, req := e.m, e.c, e.io.Req
	depth := 1 << bits.Len(uint(c.Outstanding+c.writeOutstanding()+5)) // more than can be under way
	n := bits.Len(uint(depth)) - 1
	position := func(name, doc string) hdl.Var { return m.Reg(name, hdl.U(n+1), hdl.Doc(doc)) }
	r := &h.ring
	r.head = position("head_q", "Where the next new request goes.")
	r.fed = position("fed_q", "The next request to be fed; head_q unless some are repeated.")
	r.oldest = position("oldest_q", "The oldest request that is not answered.")
	kept := m.Mem("requests", hdl.U(hdl.WidthOf(req.Data)), depth)

	fed := hdl.Wires(m, "fed", hdl.StreamOf(requestType(c)), hdl.MayBeUnused())
	again := m.Let("again", r.fed.Ne(r.head))
	full := m.Let("ring_full", r.head.Sub(r.oldest).Bit(n))
	at := m.Let("ring_at", hdl.Mux(h.running, r.fed, r.oldest).Bits(n-1, 0))
	r.request = hdl.Unpack(req.Data, kept.SyncRead("kept_q", at, fed.Fire().Not(), hdl.Undefined))
	shown := m.RegNext("shown_q", h.running.AndNot(fed.Fire()), hdl.Doc("kept_q is the request to be fed."))
	hdl.Assign(fed.Data, hdl.MuxOf(again, h.resumed(c), req.Data))
	fenced := h.fence(e, fed, n)
	m.Note("A ring place is read only in cycles in which none is written.")
	fed.Valid.Set(h.running.And(hdl.Mux(again, shown, req.Valid.AndNot(full))).AndNot(fenced))
	req.Ready.Set(h.running.And(fed.Ready).AndNot(again).AndNot(full).AndNot(fenced))
	m.If(fed.Fire(), func() {
		kept.Write(r.fed.Bits(n-1, 0), hdl.Pack(fed.Data))
		r.fed.Set(r.fed.Add(hdl.K(1)))
		h.resume.Set(hdl.K(0))
	})
	m.If(req.Fire(), func() { r.head.Set(r.head.Add(hdl.K(1))) })
	m.If(h.answers, func() { r.oldest.Set(r.oldest.Add(hdl.K(1))) })
	return fed
}

// resumed is the kept request, from where it is to be taken up.
func (h *handler) resumed(c Config) Request {
	r := h.ring.request
	by := h.from.And(hdl.Repeat(h.resume, c.LengthWidth))
	moved := func(addr hdl.Var, moves hdl.Signal) hdl.Var {
		return hdl.V(addr.Add(by.Ext(c.AddrWidth).And(hdl.Repeat(moves, c.AddrWidth))))
	}
	r.SrcAddr = moved(r.SrcAddr, hdl.Const(1, 1))
	r.DstAddr = moved(r.DstAddr, c.WriteProtocols.chosen(r.Dst, AXIStream).Not()) // the address of a stream is its TDEST
	r.Length = hdl.V(r.Length.Sub(by))
	return r
}
