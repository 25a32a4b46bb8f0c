package backend

import (
	"github.com/millrace-hdl/millrace/hdl"
	"github.com/millrace-hdl/millrace/hdl/lib"
)

// written is a burst whose data have all been sent, or a refused request.
type written struct {
	Ends    hdl.Var // last burst of its transfer
	Last    hdl.Var // of the request
	Refused hdl.Var
	Cause   hdl.Var // refused: why; else the read error of the transfer, or 0
}

func writtenType() written {
	return written{Ends: hdl.Bool(), Last: hdl.Bool(), Refused: hdl.Bool(), Cause: hdl.U(2)}
}

// writeResp is what is used of B.
type writeResp struct{ Resp hdl.Var }

type completionIO struct {
	In   hdl.Stream[written]   `hdl:"in"`
	B    hdl.Stream[writeResp] `hdl:"in,name=b,glue"`
	Rsp  hdl.Stream[Response]
	Idle hdl.Var // no burst awaits its response
}

// completion turns write responses into one response a transfer, in order. It
// remembers bursts only from their last data to their response, so that write
// latency takes nothing from the reads.
func completion(m *hdl.Module, c Config) completionIO {
	m.Doc("Collects write responses and answers transfers in order.")
	io := hdl.Ports(m, "", hdl.Source, completionIO{
		In: hdl.StreamOf(writtenType()), B: hdl.StreamOf(writeResp{hdl.U(2)}), Rsp: hdl.StreamOf(responseType()), Idle: hdl.Bool(),
	})
	oldest, waiting := lib.Queue(m, "u_written", lib.FIFOParams{Depth: c.writeOutstanding()}, io.In)
	e := oldest.Data

	m.Note("The response goes with the last burst's B; a refused request has none to wait for.")
	answers := m.Let("answers", e.Refused.Or(io.B.Valid))
	io.Rsp.Valid.Set(oldest.Valid.And(e.Ends).And(answers))
	io.B.Ready.Set(oldest.Valid.AndNot(e.Refused.Signal).And(e.Ends.Not().Or(io.Rsp.Ready)))
	oldest.Ready.Set(answers.And(e.Ends.Not().Or(io.Rsp.Ready)))

	failed := m.Reg("failed_q", hdl.U(2), hdl.Doc("First write error of the transfer, or 0."))
	resp := io.B.Data.Resp.And(hdl.Repeat(io.B.Data.Resp.Bit(1), 2))
	now := m.Let("write_cause", hdl.Mux(failed.Any(), failed, resp))
	m.If(io.B.Fire(), func() { failed.Set(now.And(hdl.Repeat(e.Ends.Not(), 2))) })

	readFailed := m.Let("read_failed", e.Cause.Any())
	writeFailed := m.Let("write_failed", now.Any())
	m.If(e.Refused, func() {
		hdl.Assign(io.Rsp.Data, Response{
			Last: e.Last, Error: hdl.V(hdl.Const(1, 1)), Cause: e.Cause, ErrType: hdl.V(hdl.Const(2, ErrRefused)),
		})
	}).Else(func() {
		hdl.Assign(io.Rsp.Data, Response{
			Last: e.Last, Error: hdl.V(readFailed.Or(writeFailed)), Cause: hdl.V(hdl.Mux(readFailed, e.Cause, now)),
			ErrType: hdl.V(hdl.Mux(readFailed, hdl.Const(2, ErrBusRead), hdl.Mux(writeFailed, hdl.Const(2, ErrBusWrite), hdl.K(0)))),
		})
	})
	io.Idle.Set(waiting.Not())
	return io
}
