package midend

import (
	"fmt"

	"github.com/millrace-hdl/millrace/hdl"
	"github.com/millrace-hdl/millrace/hdl/lib"
)

// twoLinks declares the interface of a mid-end with a link on each side. Actions pass
// through.
func twoLinks(m *hdl.Module, up, down Link) Ports {
	io := links(m, []Link{up}, []Link{down})
	for i := range up.Action {
		hdl.Connect(io.Down[0].Action[i], io.Up[0].Action[i])
	}
	return io
}

// links declares the interface of a mid-end.
func links(m *hdl.Module, up, down []Link) Ports {
	var io Ports
	for i, l := range up {
		io.Up = append(io.Up, hdl.Ports(m, numbered("up", i, len(up)), hdl.Sink, l, hdl.MayBeUnused()))
	}
	for i, l := range down {
		io.Down = append(io.Down, hdl.Ports(m, numbered("down", i, len(down)), hdl.Source, l, hdl.MayBeUnused()))
	}
	io.Busy = m.Out("busy", hdl.Bool())
	return io
}

// numbered is a name with a number where there are several.
func numbered(name string, i, n int) string {
	if n == 1 {
		return name
	}
	return fmt.Sprintf("%s%d", name, i)
}

// downOf is where requests to the stage below are offered: its link, or a register in
// front of it.
func downOf(m *hdl.Module, down Link, registered bool) hdl.Stream[Request] {
	if !registered {
		return down.Req
	}
	in := hdl.Wires(m, "piece", hdl.StreamOf(down.Req.Data))
	out, _ := lib.Queue(m, "u_register", lib.FIFOParams{Depth: 2}, in)
	hdl.Connect(down.Req, out)
	return in
}

// join completes a mid-end that makes pieces of requests: it offers the present piece, takes
// the request with its final one, and answers. A refused request has no pieces. began is
// one while some of the pieces of a request have gone.
func join(m *hdl.Module, p answersParams, io Ports, piece hdl.Stream[Request], refused, final, began hdl.Signal) {
	up, down := io.Up[0], io.Down[0]
	u := hdl.Inst(m, "u_answers", answers, p)
	m.Note("The final piece goes when there is a place to remember the request.")
	piece.Valid.Set(up.Req.Valid.AndNot(refused).And(final.Not().Or(u.Asked.Ready)))
	taken := m.Let("taken", hdl.Mux(refused, hdl.Const(1, 1), final.And(piece.Ready)))
	up.Req.Ready.Set(taken.And(u.Asked.Ready))
	u.Asked.Valid.Set(up.Req.Fire())
	u.Asked.Data.Last.Set(up.Req.Data.Transfer.Last)
	u.Asked.Data.Refused.Set(refused)
	hdl.Connect(u.Piece, down.Rsp)
	hdl.Connect(up.Rsp, u.Rsp)
	io.Busy.Set(hdl.AnyOf(u.Busy.Signal, began, up.Req.Valid.Signal))
	hdl.Obey(m, "up_req", hdl.Sink, up.Req)
	hdl.Obey(m, "down_req", hdl.Source, down.Req)
}
