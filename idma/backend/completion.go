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
	Cause   hdl.Var   // refused: why; else, without error handling, the read error of the transfer, or 0
	Len     []hdl.Var `hdl:"opt"` // with error handling, where bursts may have several beats: AxLEN
	Part    []hdl.Var `hdl:"opt"` // with error handling, of TileLink: more of its bus word is to come
	Empty   []hdl.Var `hdl:"opt"` // with operations: refused only in that nothing is written
}

func writtenType(c Config) written {
	return written{Ends: hdl.Bool(), Last: hdl.Bool(), Refused: hdl.Bool(), Cause: hdl.U(2), Len: optional(c.countsBeats(), hdl.U(8)), Part: optional(c.countsParts(), hdl.Bool()), Empty: optional(c.computes(), hdl.Bool())}
}

// writeResp is what is used of B.
type writeResp struct{ Resp hdl.Var }

type completionIO struct {
	In   hdl.Stream[written]   `hdl:"in"`
	B    hdl.Stream[writeResp] `hdl:"in,name=b,glue"`
	Rsp  hdl.Stream[Response]
	Idle hdl.Var // no burst awaits its response

	Errors []completionErrors `hdl:"opt,name="` // with error handling
}

// countsBeats is whether the error handler has to know how long written bursts were.
func (c Config) countsBeats() bool { return c.ErrorHandling && c.WriteProtocols.any(AXI4) }

// countsParts is whether it has to know which written bursts were whole bus words.
func (c Config) countsParts() bool { return c.ErrorHandling && c.WriteProtocols.any(TileLink) }

// completionErrors is how the error handler sees write responses.
type completionErrors struct {
	Drop   hdl.Var `hdl:"in"` // take what comes and answer nothing
	Clear  hdl.Var `hdl:"in"` // and begin anew
	Pass   hdl.Var `hdl:"in"` // the error that was told of does not count
	Oldest oldestBurst
}

// oldestBurst is the oldest burst that awaits its response.
type oldestBurst struct {
	Index   hdl.Var // with which bus word of the transfer it begins
	Tells   hdl.Var // its response came, with an error that was not told of
	Cause   hdl.Var // which one
	Dropped hdl.Var // with Drop: its response came
}

func completionErrorsType(c Config) completionErrors {
	return completionErrors{hdl.Bool(), hdl.Bool(), hdl.Bool(), oldestBurst{hdl.U(c.indexBits()), hdl.Bool(), hdl.U(2), hdl.Bool()}}
}

// completion turns write responses into one response a transfer, in order. It
// remembers bursts only from their last data to their response, so that write
// latency takes nothing from the reads.
func completion(m *hdl.Module, c Config) completionIO {
	m.Doc("Collects write responses and answers transfers in order.")
	io := hdl.Ports(m, "", hdl.Source, completionIO{
		In: hdl.StreamOf(writtenType(c)), B: hdl.StreamOf(writeResp{hdl.U(2)}), Rsp: hdl.StreamOf(responseType(Config{})), Idle: hdl.Bool(),
		Errors: optional(c.ErrorHandling, completionErrorsType(c)),
	})
	oldest, waiting := lib.Queue(m, "u_written", lib.FIFOParams{Depth: c.writeOutstanding()}, io.In)
	if c.ErrorHandling {
		tellAndAnswer(m, c, io, oldest)
	} else {
		answer(m, c, io, oldest)
	}
	io.Idle.Set(waiting.Not())
	return io
}

// answer ends transfers without error handling: bus errors are part of the response.
func answer(m *hdl.Module, c Config, io completionIO, oldest hdl.Stream[written]) {
	e := oldest.Data
	m.Note("The response goes with the last burst's B; a refused request has none to wait for.")
	answers := m.Let("answers", e.Refused.Or(io.B.Valid))
	io.Rsp.Valid.Set(oldest.Valid.And(e.Ends).And(answers))
	io.B.Ready.Set(oldest.Valid.AndNot(e.Refused.Signal).And(e.Ends.Not().Or(io.Rsp.Ready)))
	oldest.Ready.Set(answers.And(e.Ends.Not().Or(io.Rsp.Ready)))

	failed := m.Reg("failed_q", hdl.U(2), hdl.Doc("First write error of the transfer, or 0."))
	resp := c.failure(io.B.Data.Resp)
	now := m.Let("write_cause", hdl.Mux(failed.Any(), failed, resp))
	m.If(io.B.Fire(), func() { failed.Set(now.And(hdl.Repeat(e.Ends.Not(), 2))) })

	readFailed := m.Let("read_failed", e.Cause.Any())
	writeFailed := m.Let("write_failed", now.Any())
	m.If(e.Refused, func() {
		refused := Response{Last: e.Last, Error: always(true), Cause: e.Cause, ErrType: hdl.V(hdl.Const(2, ErrRefused))}
		if len(e.Empty) > 0 {
			refused.Error = hdl.V(e.Empty[0].Not())
			refused.ErrType = hdl.V(hdl.Mux(e.Empty[0], hdl.Const(2, 0), refused.ErrType))
		}
		hdl.Assign(io.Rsp.Data, refused)
	}).Else(func() {
		hdl.Assign(io.Rsp.Data, Response{
			Last: e.Last, Error: hdl.V(readFailed.Or(writeFailed)), Cause: hdl.V(hdl.Mux(readFailed, e.Cause, now)),
			ErrType: hdl.V(hdl.Mux(readFailed, hdl.Const(2, ErrBusRead), hdl.Mux(writeFailed, hdl.Const(2, ErrBusWrite), hdl.K(0)))),
		})
	})
}

// tellAndAnswer tells of each write response with an error before it counts, and ends
// transfers without one.
func tellAndAnswer(m *hdl.Module, c Config, io completionIO, oldest hdl.Stream[written]) {
	e, h, refused := oldest.Data, io.Errors[0], oldest.Data.Refused.Signal
	resp := c.failure(io.B.Data.Resp)
	told := m.Reg("told_q", hdl.Bool(), hdl.Doc("The error of the response at hand was told of and is passed over."))
	failed := m.Let("failed", io.B.Valid.And(resp.Any()).AndNot(refused))
	tells := m.Let("tells", failed.AndNot(told.Signal))

	m.Note("The response goes with the last burst's B; a refused request has none to wait for.")
	answers := m.Let("answers", refused.Or(io.B.Valid).AndNot(tells))
	goes := m.Let("goes", h.Drop.Or(answers.And(e.Ends.Not().Or(io.Rsp.Ready))))
	io.Rsp.Valid.Set(oldest.Valid.And(e.Ends).And(answers))
	io.B.Ready.Set(oldest.Valid.AndNot(refused).And(goes))
	oldest.Ready.Set(goes.And(refused.Or(io.B.Valid)))
	m.If(io.B.Fire(), func() { told.Set(hdl.K(0)) }).ElseIf(h.Pass, func() { told.Set(hdl.K(1)) })
	hdl.Assign(io.Rsp.Data, Response{
		Last: e.Last, Error: e.Refused, Cause: hdl.V(e.Cause.And(hdl.Repeat(refused, 2))),
		ErrType: hdl.V(hdl.Mux(refused, hdl.Const(2, ErrRefused), hdl.K(0))),
	})

	index := m.Reg("index_q", hdl.U(c.indexBits()), hdl.Doc("Bus words acknowledged of the transfer."))
	next := index.Add(hdl.K(1))
	if len(e.Len) > 0 {
		next = next.Add(e.Len[0].Resize(c.indexBits()))
	}
	if len(e.Part) > 0 {
		next = next.Sub(e.Part[0].Ext(c.indexBits()))
	}
	m.If(h.Clear, func() { index.Set(hdl.K(0)) }).
		ElseIf(io.B.Fire(), func() { index.Set(hdl.Mux(e.Ends, hdl.K(0), next)) })
	hdl.Assign(h.Oldest, oldestBurst{Index: index, Tells: hdl.V(oldest.Valid.And(tells)), Cause: hdl.V(resp), Dropped: hdl.V(h.Drop.And(io.B.Fire()))})
}
