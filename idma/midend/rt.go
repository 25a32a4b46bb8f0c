package midend

import (
	"fmt"

	"github.com/millrace-hdl/millrace/hdl"
	"github.com/millrace-hdl/millrace/hdl/ir"
	"github.com/millrace-hdl/millrace/hdl/lib"
	"github.com/millrace-hdl/millrace/idma/backend"
)

// RTConfig holds the parameters of rt_3D. Start from [DefaultRT].
type RTConfig struct {
	// Events is how many events there are, 1 to 32.
	Events int
	// Owed is how many launches of an event may wait, 1 to 255. With 1, those that come due
	// while one waits are dropped; with more the event catches up.
	Owed int
	// Action is what is done about bus errors of events in engines with error handling: 0
	// continues, 1 aborts, 2 replays.
	Action int
	// Dims is the number of dimensions of requests, 1 to 8; 1 for linear ones.
	Dims int
	// RepsWidths are the widths of the repetition counts, 1 to 32 bits: one for each loop, the
	// innermost first, or one for all.
	RepsWidths Widths
	// InFlight is how many requests may have passed and not be answered, 1 to 1024; 0
	// stands for three times the reads that the back-end may have outstanding, and 16.
	InFlight int
	// Backend is the configuration of the back-end.
	Backend backend.Config
}

// DefaultRT has eight events of three dimensions that catch up.
func DefaultRT() RTConfig {
	return RTConfig{Events: 8, Owed: 15, Action: backend.ActionAbort, Dims: 3, RepsWidths: WidthsOf(32), Backend: backend.Default()}
}

// Validate returns every parameter out of range, each a [*backend.FieldError].
func (c RTConfig) Validate() error {
	v := validation{}
	v.between("Events", c.Events, 1, 32)
	v.between("Owed", c.Owed, 1, 255)
	v.between("Action", c.Action, 0, 2)
	v.dims(c.Dims, 1, c.RepsWidths)
	v.between("InFlight", c.InFlight, 0, 1024)
	return v.with(c.Backend)
}

// Suffix names the variant in module names.
func (c RTConfig) Suffix() string { return fmt.Sprintf("%dx%dd", c.Events, c.Dims) }

func (c RTConfig) link() LinkConfig { return LinkConfig{c.Backend, c.Dims, c.RepsWidths} }

// RTPorts is the interface of rt_3D: a link on each side, and the events.
type RTPorts struct {
	Ports
	Events []Event   `hdl:"in"` // event0 and so on
	Missed []hdl.Var // a launch of the event is lost, since too many wait
	Failed []hdl.Var // a transfer of the event has ended with an error
}

// ElaborateRT builds and checks rt_3D.
func ElaborateRT(c RTConfig) (*ir.Design, error) {
	return hdl.Elaborate(RT, c, hdl.Named("idma_rt_3d"), hdl.Prefix("idma_"))
}

// RT describes rt_3D (specification §3.5): transfers that are launched again and again,
// beside those from above. A launch of an event comes due in the first cycle in which the
// event is enabled, and from then on every Period cycles, however long the launches before
// wait; a period of zero is one of one. It is offered below two cycles later, if nothing
// else waits. Events take turns, and all of them together with the link above. An event
// that is not enabled stands still. What it owes is launched when it is enabled again.
func RT(m *hdl.Module, c RTConfig) RTPorts {
	m.Doc(fmt.Sprintf("rt_3D: launches %d events again and again.", c.Events))
	link := c.link().Type()
	io := RTPorts{Ports: links(m, []Link{link}, []Link{link})}
	request := link.Req.Data
	for i := range c.Events {
		event := hdl.Ports(m, fmt.Sprintf("event%d", i), hdl.Sink, Event{hdl.Bool(), hdl.U(32), request}, hdl.MayBeUnused())
		io.Events = append(io.Events, event)
		io.Missed = append(io.Missed, m.Out(fmt.Sprintf("missed%d", i), hdl.Bool()))
		io.Failed = append(io.Failed, m.Out(fmt.Sprintf("failed%d", i), hdl.Bool()))
	}
	launch := hdl.Wires(m, "launch", hdl.StreamOf(Request{request.Transfer, request.Dims}))
	full := m.Reg("launch_q", hdl.Bool(), hdl.Doc("A launch is offered."))
	held := hdl.Regs(m, "launched_q", request, hdl.NoReset())
	free := m.Let("free", full.Not().Or(launch.Ready))

	var wants []hdl.Value // the highest event first
	owes := make([]hdl.Var, c.Events)
	for i, e := range io.Events {
		owes[i] = m.Reg(fmt.Sprintf("owed%d_q", i), hdl.U(hdl.AddrBits(c.Owed+1)), hdl.Doc("Launches of the event that wait."))
		wants = append([]hdl.Value{owes[i].Any().And(e.Enable)}, wants...)
	}
	grant := lib.RoundRobin(m, "event", m.Let("wants", hdl.Cat(wants...)), free)
	var requests []Request
	var owing []hdl.Signal
	for i, e := range io.Events {
		requests, owing = append(requests, e.Request), append(owing, owes[i].Any())
		c.countdown(m, i, e, owes[i], free.And(grant.Bit(i)), io.Missed[i])
	}
	which := m.Let("which", chosenEvent(grant, c.Events))
	number := m.Reg("number_q", hdl.U(which.Width()), hdl.NoReset(), hdl.Doc("The event that is launched."))
	m.If(free, func() { full.Set(grant.Any()) })
	m.If(free.And(grant.Any()), func() {
		hdl.Assign(held, hdl.SelectOf(which, requests...))
		number.Set(which)
	})

	u := hdl.Inst(m, "u_arbiter", Arbiter, ArbiterConfig{Inputs: 2, Dims: c.Dims, RepsWidths: c.RepsWidths, InFlight: c.InFlight, Backend: c.Backend})
	hdl.Connect(u.Up[0], io.Up[0])
	hdl.Connect(io.Down[0], u.Down[0])
	numbers := hdl.Wires(m, "numbers", hdl.StreamOf(lib.Word{Data: hdl.V(number.Signal)}))
	oldest, waiting := lib.Queue(m, "u_numbers", lib.FIFOParams{Depth: inFlight(c.InFlight, c.Backend) + 1}, numbers)
	m.Note("A launch is offered when there is a place to remember whose it is, and remembered from then on.")
	noted := m.Reg("noted_q", hdl.Bool(), hdl.Doc("The launch on offer is remembered."))
	m.If(launch.Valid, func() { noted.Set(launch.Ready.Not()) })
	room := m.Let("room", numbers.Ready.Or(noted.Signal))
	launch.Valid.Set(full.And(room))
	launch.Ready.Set(u.Up[1].Req.Ready.And(room))
	hdl.Assign(launch.Data, held)
	u.Up[1].Req.Valid.Set(launch.Valid)
	hdl.Assign(u.Up[1].Req.Data, launch.Data)
	numbers.Valid.Set(full.AndNot(noted.Signal))
	numbers.Data.Data.Set(number)

	rsp := u.Up[1].Rsp
	rsp.Ready.Set(hdl.K(1))
	asks := hdl.Const(1, 0)
	if c.Backend.ErrorHandling {
		asks = rsp.Data.Asks[0].Signal
		acts := m.Reg("acts_q", hdl.Bool(), hdl.Doc("An action is owed for an event."))
		a := u.Up[1].Action[0]
		a.Valid.Set(acts)
		a.Data.Kind.Set(hdl.K(c.Action))
		m.If(rsp.Fire().And(asks), func() { acts.Set(hdl.K(1)) }).ElseIf(a.Ready.Signal, func() { acts.Set(hdl.K(0)) })
	}
	ends := m.Let("ends", rsp.Fire().AndNot(asks))
	oldest.Ready.Set(ends)
	wrong := m.Let("wrong", rsp.Fire().And(rsp.Data.Error).And(hdl.AnyOf(ends, asks)))
	for i, f := range io.Failed {
		f.Set(wrong.And(oldest.Data.Data.Eq(hdl.K(i))))
	}
	io.Busy.Set(hdl.AnyOf(append(owing, full.Signal, waiting, u.Busy.Signal)...))
	return io
}

// countdown counts the cycles of an event and its launches that wait.
func (c RTConfig) countdown(m *hdl.Module, i int, e Event, owed hdl.Var, taken hdl.Signal, missed hdl.Var) {
	count := m.Reg(fmt.Sprintf("count%d_q", i), hdl.U(32), hdl.Doc("Cycles until the next launch of the event is due."))
	due := m.Let(fmt.Sprintf("due%d", i), e.Enable.And(count.None()))
	m.If(e.Enable, func() {
		count.Set(hdl.Mux(count.Any(), count.Sub(hdl.K(1)), hdl.Mux(e.Period.Any(), e.Period.Sub(hdl.K(1)), hdl.K(0))))
	})
	most := owed.Eq(hdl.K(c.Owed))
	missed.Set(due.And(most).AndNot(taken))
	m.If(due.AndNot(taken).AndNot(most), func() { owed.Set(owed.Add(hdl.K(1))) }).
		ElseIf(taken.AndNot(due), func() { owed.Set(owed.Sub(hdl.K(1))) })
}

// chosenEvent is the number of the event that is granted.
func chosenEvent(grant hdl.Signal, events int) hdl.Signal {
	if events == 1 {
		return hdl.Const(1, 0)
	}
	return lib.Index(grant)
}
