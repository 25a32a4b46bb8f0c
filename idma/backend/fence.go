package backend

import "github.com/millrace-hdl/millrace/hdl"

// fence holds back transfers from streams while an older transfer can still fail, for
// what was taken of a stream cannot be taken again.
func (h *handler) fence(e *engine, fed hdl.Stream[Request], n int) hdl.Signal {
	m, c := e.m, e.c
	source, sink := c.ReadProtocols.chosen(fed.Data.Src, AXIStream, Init), c.WriteProtocols.chosen(fed.Data.Dst, AXIStream, Init)
	if c.ReadProtocols[AXIStream] == 0 || !c.ReadProtocols.any(fallible...) && !c.WriteProtocols.any(fallible...) {
		return hdl.Const(1, 0)
	}
	risky := m.Reg("risky_q", hdl.U(n+1), hdl.Doc("Requests to be answered until all that can fail are."))
	under := h.ring.fed.Sub(h.ring.oldest)
	m.If(h.rewind, func() { risky.Set(hdl.K(0)) }).
		ElseIf(fed.Fire().AndNot(source.And(sink)), func() { risky.Set(under.Add(h.answers.Not().Ext(n + 1))) }).
		ElseIf(h.answers.And(risky.Any()), func() { risky.Set(risky.Sub(hdl.K(1))) })
	return m.Let("fenced", c.ReadProtocols.chosen(fed.Data.Src, AXIStream).And(risky.Any()))
}

// fenceWrites holds back transfers to streams until those before them to ports that
// can fail are acknowledged, for what a stream was given cannot be taken back.
func (h *handler) fenceWrites(e *engine, queued hdl.Stream[queuedWrite]) hdl.Stream[queuedWrite] {
	if h == nil || e.c.WriteProtocols[AXIStream] == 0 || !e.c.WriteProtocols.any(fallible...) {
		return queued
	}
	var streams, done []hdl.Signal
	for i, p := range e.c.WriteProtocols.list() {
		switch w := e.writers[i]; p {
		case AXIStream:
			streams = append(streams, queued.Data.Port[0].Eq(hdl.K(i)))
		case Init:
		default:
			done = append(done, w.side.Idle.Signal, w.side.Drained.Signal, w.done.Idle.Signal)
		}
	}
	out := hdl.Wires(e.m, "to_launch", queued)
	passes := e.m.Let("passes", hdl.AnyOf(streams...).Not().Or(hdl.AllOf(done...)))
	out.Valid.Set(queued.Valid.And(passes))
	queued.Ready.Set(out.Ready.And(passes))
	hdl.Assign(out.Data, queued.Data)
	return out
}

// fallible are the protocols whose buses answer with errors.
var fallible = []Protocol{AXI4, OBI, AXILite, TileLink}

// chosen is whether the options of a side name one of the protocols.
func (s PortSet) chosen(o SideOptions, ps ...Protocol) hdl.Signal {
	rest := s
	for _, p := range ps {
		rest[p] = 0
	}
	if len(o.Protocol) == 0 || rest.count() == 0 {
		return always(rest.count() == 0).Signal
	}
	var is []hdl.Signal
	for _, p := range ps {
		is = append(is, o.Protocol[0].Eq(hdl.K(int(p))))
	}
	return hdl.AnyOf(is...)
}
