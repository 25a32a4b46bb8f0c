package frontend

import (
	"github.com/millrace-hdl/millrace/hdl"
	"github.com/millrace-hdl/millrace/hdl/lib"
	"github.com/millrace-hdl/millrace/idma/backend"
	"github.com/millrace-hdl/millrace/idma/midend"
)

// streamIO is the interface of [stream].
type streamIO struct {
	Asked    hdl.Var    `hdl:"in"` // reads of next_id, a bit a port
	Launch   []variable `hdl:"in"` // what each port would launch
	Ends     hdl.Var    // reads of next_id that end now, a bit a port
	NextID   hdl.Var    // what they return
	DoneID   hdl.Var    `hdl:"name=done_id"`
	Pending  hdl.Var    // a launched transfer has not ended
	Done     hdl.Var    // one ends now
	Failed   hdl.Var    // an error is reported now
	Failure  []failure  `hdl:"opt"`    // with ErrorInfo
	Answered []hdl.Var  `hdl:"in,opt"` // writes of error_action, a bit a port; with error handling
	Answer   []hdl.Var  `hdl:"in"`     // what each port writes there
	Req      hdl.Stream[midend.Request]
	Rsp      hdl.Stream[backend.Response] `hdl:"in"`
	Action   []hdl.Stream[backend.Action] `hdl:"opt"`
}

// failure is the latest error.
type failure struct {
	ID      hdl.Var
	Cause   hdl.Var
	ErrType hdl.Var
	Addr    []hdl.Var `hdl:"opt"` // with error handling
	Awaits  []hdl.Var `hdl:"opt"` // with error handling: an action
}

func optional[T any](present bool, t T) []T {
	if present {
		return []T{t}
	}
	return nil
}

// stream launches transfers for all ports, gives them their numbers, and keeps account
// of what ended and what failed.
func stream(m *hdl.Module, c Config) streamIO {
	m.Doc("Launches the transfers of one stream: queue, numbers and errors.")
	handles := c.Backend.ErrorHandling
	id := hdl.U(c.TransferIDBits)
	t := streamIO{
		Asked: hdl.U(c.Ports), Ends: hdl.U(c.Ports), NextID: id, DoneID: id, Pending: hdl.Bool(), Done: hdl.Bool(), Failed: hdl.Bool(),
		Failure:  optional(c.ErrorInfo, failure{id, hdl.U(2), hdl.U(2), optional(handles, hdl.U(c.Backend.AddrWidth)), optional(handles, hdl.Bool())}),
		Answered: optional(handles, hdl.U(c.Ports)), Req: hdl.StreamOf(c.requestType()), Rsp: hdl.StreamOf(c.Backend.ResponseType()),
		Action: optional(handles, hdl.StreamOf(backend.Action{Kind: hdl.U(2)})),
	}
	for range c.Ports {
		t.Launch = append(t.Launch, c.variableType())
		if handles {
			t.Answer = append(t.Answer, hdl.U(2))
		}
	}
	io := hdl.Ports(m, "", hdl.Source, t, hdl.MayBeUnused())

	asks := hdl.Const(1, 0)
	if handles {
		asks = io.Rsp.Data.Asks[0].Signal
	}
	ends := m.Let("ended", io.Rsp.Valid.AndNot(asks))
	awaits := handle(m, c, io, asks)
	launched := launch(m, c, io, awaits)
	n := count(m, c.TransferIDBits, launched, ends)
	io.NextID.Set(hdl.Mux(launched, n.next, hdl.K(0)))
	io.DoneID.Set(n.done)
	io.Pending.Set(n.issued.Ne(n.done))
	io.Rsp.Ready.Set(hdl.K(1))
	io.Done.Set(ends)
	io.Failed.Set(io.Rsp.Valid.And(io.Rsp.Data.Error.Or(asks)))
	if c.ErrorInfo {
		record(m, io, n.done)
	}
	hdl.Obey(m, "req", hdl.Source, io.Req)
	m.Assert("a_number_is_never_0", n.issued.Any().And(n.done.Any()))
	m.Assert("one_port_launches", lib.AtMostOne(io.Ends.And(hdl.Repeat(io.NextID.Any(), c.Ports))))
	m.Assume("nothing_ends_that_was_not_launched", hdl.Implies(io.Rsp.Valid.Signal, n.issued.Ne(n.done)))
	return io
}

// launch puts what the port whose turn it is describes into the queue, and returns
// whether it does.
func launch(m *hdl.Module, c Config, io streamIO, awaits hdl.Signal) hdl.Signal {
	in := hdl.Wires(m, "entry", hdl.StreamOf(c.variableType()))
	out, _ := lib.Queue(m, "u_queue", lib.FIFOParams{Depth: c.Queue}, in)
	io.Req.Valid.Set(out.Valid)
	out.Ready.Set(io.Req.Ready)
	hdl.Assign(io.Req.Data, c.request(out.Data))
	launched := m.Let("launched", in.Ready.And(io.Asked.Any()))
	grant := lib.RoundRobin(m, "turn", io.Asked.Signal, launched)
	m.Note("What waits at a port may change its mind, so it is offered to the queue only when that takes it.")
	in.Valid.Set(launched)
	var all []hdl.Signal
	for _, l := range io.Launch {
		all = append(all, hdl.Pack(l))
	}
	hdl.Assign(in.Data, hdl.Unpack(in.Data, lib.OneHotMux(grant, all...)))
	m.Note("A read waits for its turn and for a place, but not for one that itself waits for software.")
	io.Ends.Set(hdl.Mux(in.Ready, grant, hdl.Repeat(awaits, c.Ports)))
	return launched
}

// numbers of transfers count up by one, past zero.
type numbers struct {
	issued, done hdl.Var    // of those launched and ended last
	next         hdl.Signal // of the next to be launched
}

// count counts what was launched and what ended.
func count(m *hdl.Module, width int, launched, ends hdl.Signal) numbers {
	issued := m.Reg("issued_q", hdl.U(width), hdl.Init(1), hdl.Doc("Number of the transfer launched last."))
	done := m.Reg("done_q", hdl.U(width), hdl.Init(1), hdl.Doc("Number of the transfer that ended last."))
	after := func(id hdl.Var) hdl.Signal { return hdl.Mux(id.All(), hdl.K(1), id.Add(hdl.K(1))) }
	next := m.Let("next", after(issued))
	m.If(launched, func() { issued.Set(next) })
	m.If(ends, func() { done.Set(after(done)) })
	return numbers{issued, done, next}
}

// handle passes on what software answers to errors, and returns whether it is asked.
func handle(m *hdl.Module, c Config, io streamIO, asks hdl.Signal) hdl.Signal {
	if !c.Backend.ErrorHandling {
		return hdl.Const(1, 0)
	}
	awaits := m.Reg("awaits_q", hdl.Bool(), hdl.Doc("Software is to say what to do about an error."))
	valid := m.Reg("action_valid_q", hdl.Bool())
	kind := m.Reg("action_q", hdl.U(2), hdl.NoReset())
	action := io.Action[0]
	m.If(action.Ready, func() { valid.Set(hdl.K(0)) })
	m.If(io.Rsp.Valid.And(asks), func() { awaits.Set(hdl.K(1)) }).
		ElseIf(awaits.And(io.Answered[0].Any()), func() {
			awaits.Set(hdl.K(0))
			valid.Set(hdl.K(1))
			var kinds []hdl.Signal
			for _, k := range io.Answer {
				kinds = append(kinds, k.Signal)
			}
			kind.Set(lib.OneHotMux(lib.Lowest(io.Answered[0].Signal), kinds...))
		})
	action.Valid.Set(valid)
	action.Data.Kind.Set(kind)
	io.Failure[0].Awaits[0].Set(awaits)
	return awaits.Signal
}

// record keeps the latest error. It belongs to the transfer after the one that ended
// last.
func record(m *hdl.Module, io streamIO, done hdl.Var) {
	f := io.Failure[0]
	id := m.Reg("failed_id_q", hdl.U(done.Width()))
	cause, kind := m.Reg("cause_q", hdl.U(2)), m.Reg("err_type_q", hdl.U(2))
	m.If(io.Failed, func() {
		id.Set(hdl.Mux(done.All(), hdl.K(1), done.Add(hdl.K(1))))
		cause.Set(io.Rsp.Data.Cause)
		kind.Set(io.Rsp.Data.ErrType)
	})
	f.ID.Set(id)
	f.Cause.Set(cause)
	f.ErrType.Set(kind)
	if len(f.Addr) > 0 {
		addr := m.Reg("failed_addr_q", hdl.U(f.Addr[0].Width()))
		m.If(io.Failed, func() { addr.Set(io.Rsp.Data.BurstAddr[0]) })
		f.Addr[0].Set(addr)
	}
}
