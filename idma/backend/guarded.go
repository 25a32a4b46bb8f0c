package backend

import (
	"github.com/millrace-hdl/millrace/bus"
	"github.com/millrace-hdl/millrace/hdl"
)

// How the guards of the watchdog stand between managers and ports.

// guardOf places the guard of a manager that asks with requests of type t.
func guardOf[T any](e *engine, name string, p guardParams, out, in hdl.Stream[T], length []hdl.Var) guardIO {
	p.Request, p.Cycles = hdl.WidthOf(in.Data), e.c.Watchdog
	g := hdl.Inst(e.m, name+"_guard", guard, p)
	hdl.Connect(g.In, hdl.Stream[guardRequest]{Valid: in.Valid, Ready: in.Ready, Data: guardRequest{hdl.V(hdl.Pack(in.Data)), length}})
	out.Valid.Set(g.Out.Valid)
	g.Out.Ready.Set(out.Ready)
	hdl.Assign(out.Data, hdl.Unpack(in.Data, g.Out.Data.Data))
	return g
}

// guardBursts guards the reads of AXI4 and returns the data as the manager sees them.
func guardBursts(e *engine, name string, out, in hdl.Stream[bus.AXI4Addr], data hdl.Stream[readData]) hdl.Stream[readData] {
	g := guardOf(e, name, guardParams{Len: 8, Depth: e.c.Outstanding}, out, in, []hdl.Var{in.Data.Len})
	hdl.Connect(g.Answer, hdl.Stream[guardAnswer]{Valid: data.Valid, Ready: data.Ready, Data: guardAnswer{data.Data.Last}})
	return hdl.Stream[readData]{Valid: g.Reply.Valid, Ready: g.Reply.Ready, Data: readData{
		Data: data.Data.Data, Resp: guarded(data.Data.Resp, g.Reply.Data.Lost), Last: g.Reply.Data.Last,
	}}
}

// guardLite guards the reads of AXI4-Lite.
func guardLite(e *engine, name string, b, to bus.AXILiteReads) {
	g := guardOf(e, name, guardParams{Depth: e.c.Outstanding}, b.AR, to.AR, nil)
	hdl.Connect(g.Answer, hdl.Stream[guardAnswer]{Valid: b.R.Valid, Ready: b.R.Ready, Data: guardAnswer{always(true)}})
	to.R.Valid.Set(g.Reply.Valid)
	g.Reply.Ready.Set(to.R.Ready)
	to.R.Data.Data.Set(b.R.Data.Data)
	to.R.Data.Resp.Set(guarded(b.R.Data.Resp, g.Reply.Data.Lost))
}

// guardOBI guards the reads of OBI.
func guardOBI(e *engine, name string, b, to bus.OBI, lost hdl.Var) {
	ask := func(o bus.OBI) hdl.Stream[bus.OBIAddr] {
		return hdl.Stream[bus.OBIAddr]{Valid: o.Req, Ready: o.Gnt, Data: o.A}
	}
	g := guardOf(e, name, guardParams{Depth: e.c.Outstanding}, ask(b), ask(to), nil)
	g.Answer.Valid.Set(b.RValid)
	g.Answer.Data.Last.Set(hdl.K(1))
	to.RValid.Set(g.Reply.Valid)
	lost.Set(g.Reply.Data.Lost)
	hdl.Assign(to.R, b.R)
	ready := always(true) // without rready there is room for all that was asked for
	if e.c.OBIReady {
		ready = to.RReady[0]
		b.RReady[0].Set(g.Answer.Ready)
	}
	g.Reply.Ready.Set(ready)
}

// guardOBIWrites guards the writes of OBI.
func (e *engine) guardOBIWrites(name string, b bus.OBI, from obiWrites, done completionIO) {
	out, in := hdl.Stream[bus.OBIAddr]{Valid: b.Req, Ready: b.Gnt, Data: b.A}, hdl.Stream[bus.OBIAddr]{Valid: from.Req, Ready: from.Gnt, Data: from.A}
	g := guardOf(e, name, guardParams{Depth: e.c.writeOutstanding() + 1}, out, in, nil)
	g.Answer.Valid.Set(b.RValid)
	g.Answer.Data.Last.Set(hdl.K(1))
	e.obiResponses(name, done, g.Reply.Valid, obiResponse(b.R.Err, []hdl.Var{g.Reply.Data.Lost}), []hdl.Var{g.Reply.Ready})
	if e.c.OBIReady {
		b.RReady[0].Set(g.Answer.Ready)
	} else {
		g.Reply.Ready.Set(hdl.K(1))
	}
}

// guardWrites guards the writes of AXI4 and AXI4-Lite and returns the responses as the
// completion sees them. Last is where a beat of data says that it is the last of its
// burst, if it does.
func guardWrites[A, W any](e *engine, name string, out, in hdl.Stream[A], length hdl.Var, data, words hdl.Stream[W], last func(*W) *hdl.Var, resp hdl.Stream[writeResp]) hdl.Stream[writeResp] {
	g := hdl.Inst(e.m, name+"_guard", writeGuard, guardParams{
		Request: hdl.WidthOf(in.Data), Data: hdl.WidthOf(words.Data), Len: length.Width(), Depth: e.c.writeOutstanding() + 2, Cycles: e.c.Watchdog,
	})
	hdl.Connect(g.In, hdl.Stream[guardedAddress]{Valid: in.Valid, Ready: in.Ready, Data: guardedAddress{hdl.V(hdl.Pack(in.Data)), length}})
	out.Valid.Set(g.Out.Valid)
	g.Out.Ready.Set(out.Ready)
	hdl.Assign(out.Data, hdl.Unpack(in.Data, g.Out.Data.Data))
	hdl.Connect(g.Words, hdl.Stream[guardedWord]{Valid: words.Valid, Ready: words.Ready, Data: guardedWord{hdl.V(hdl.Pack(words.Data)), *last(&words.Data)}})
	beat := hdl.Unpack(words.Data, g.Data.Data.Payload)
	*last(&beat) = g.Data.Data.Last
	data.Valid.Set(g.Data.Valid)
	g.Data.Ready.Set(data.Ready)
	hdl.Assign(data.Data, beat)
	g.Answer.Valid.Set(resp.Valid)
	resp.Ready.Set(g.Answer.Ready)
	return hdl.Stream[writeResp]{Valid: g.Reply.Valid, Ready: g.Reply.Ready, Data: writeResp{guarded(resp.Data.Resp, g.Reply.Data.Lost)}}
}
