package midend

import (
	"strconv"

	"github.com/millrace-hdl/millrace/hdl"
	"github.com/millrace-hdl/millrace/hdl/lib"
	"github.com/millrace-hdl/millrace/idma/backend"
)

// answersParams are those of [answers].
type answersParams struct {
	Backend  backend.Config
	InFlight int
}

func (p answersParams) Suffix() string { return strconv.Itoa(p.InFlight) }

// asked is what is kept of a request whose pieces have all been issued.
type asked struct {
	Last    hdl.Var // of the request
	Refused hdl.Var // it had no pieces
}

// answersIO is the interface of [answers].
type answersIO struct {
	Asked hdl.Stream[asked]            `hdl:"in"` // goes with the last piece of a request
	Piece hdl.Stream[backend.Response] `hdl:"in"` // responses of pieces; Last marks those of last ones
	Rsp   hdl.Stream[backend.Response] // of requests
	Busy  hdl.Var
}

// answers makes one response a request of those of its pieces, in order. A piece that
// failed fails the request: its response tells of the first one. Reports of errors that
// ask for an action pass as they come, without the mark of the request.
func answers(m *hdl.Module, p answersParams) answersIO {
	m.Doc("Joins the responses of the pieces of a request.")
	t := p.Backend.ResponseType()
	io := hdl.Ports(m, "", hdl.Source, answersIO{
		Asked: hdl.StreamOf(asked{hdl.Bool(), hdl.Bool()}), Piece: hdl.StreamOf(t), Rsp: hdl.StreamOf(t), Busy: hdl.Bool(),
	})
	head, waiting := lib.Queue(m, "u_asked", lib.FIFOParams{Depth: p.InFlight}, io.Asked)
	piece := io.Piece.Data
	asks := hdl.Const(1, 0)
	if p.Backend.ErrorHandling {
		asks = piece.Asks[0].Signal
	}
	failed := m.Reg("failed_q", hdl.Bool(), hdl.Doc("A piece of the request has failed."))
	cause, kind := m.Reg("cause_q", hdl.U(2), hdl.NoReset()), m.Reg("err_type_q", hdl.U(2), hdl.NoReset())
	io.Busy.Set(waiting.Or(failed))

	refused := m.Let("refused", head.Valid.And(head.Data.Refused))
	ends := m.Let("ends", piece.Last.AndNot(asks))
	m.Note("A refused request is answered in its turn; what comes meanwhile belongs to those behind it.")
	told := m.Let("told", ends.Or(asks))
	io.Rsp.Valid.Set(refused.Or(io.Piece.Valid.And(told)))
	io.Piece.Ready.Set(refused.Not().And(io.Rsp.Ready.Or(told.Not())))
	head.Ready.Set(io.Rsp.Fire().And(refused.Or(ends)))
	last := hdl.V(head.Data.Last.And(ends)) // what asks ends nothing
	piecemeal := hdl.MuxOf(failed.AndNot(asks), backend.Response{
		Last: last, Error: hdl.V(hdl.Const(1, 1)), Cause: cause, ErrType: kind, BurstAddr: piece.BurstAddr, Asks: piece.Asks,
	}, backend.Response{Last: last, Error: piece.Error, Cause: piece.Cause, ErrType: piece.ErrType, BurstAddr: piece.BurstAddr, Asks: piece.Asks})
	m.Note("The mark of a refused request is lost with it, as the specification says.")
	none := backend.Response{Last: hdl.V(hdl.Const(1, 0)), Error: hdl.V(hdl.Const(1, 1)), Cause: hdl.V(hdl.Const(2, 0)), ErrType: hdl.V(hdl.Const(2, backend.ErrMidend))}
	if p.Backend.ErrorHandling {
		none.BurstAddr = []hdl.Var{hdl.V(hdl.Const(p.Backend.AddrWidth, 0))}
		none.Asks = []hdl.Var{hdl.V(hdl.Const(1, 0))}
	}
	hdl.Assign(io.Rsp.Data, hdl.MuxOf(refused, none, piecemeal))
	m.If(io.Piece.Fire().AndNot(asks), func() {
		failed.Set(hdl.Mux(piece.Last, hdl.K(0), failed.Or(piece.Error)))
		m.If(failed.Not(), func() {
			cause.Set(piece.Cause)
			kind.Set(piece.ErrType)
		})
	})
	hdl.Obey(m, "rsp", hdl.Source, io.Rsp)
	m.Assume("nothing_ends_that_was_not_asked_for", hdl.Implies(io.Piece.Valid.And(ends), head.Valid.Signal))
	return io
}
