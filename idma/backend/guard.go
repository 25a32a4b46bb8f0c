package backend

import (
	"fmt"

	"github.com/millrace-hdl/millrace/hdl"
	"github.com/millrace-hdl/millrace/hdl/lib"
)

// The watchdog is a guard between each manager and its port. When the subordinate makes
// no progress for a while, the guard isolates the port: the manager's requests are
// taken and answered with errors, so that it never hangs, while the bus side keeps
// what it has offered and swallows what still comes. When all that was asked of the
// subordinate has been answered after all, the port is open again.

// guardParams select a [guard] or a [writeGuard].
type guardParams struct {
	Request int  // bits of a request
	Data    int  // bits of write data; for a writeGuard
	Len     int  // bits of a burst's length, 0 if each request has one answer
	Depth   int  // bursts that await their answer, at most
	Cycles  int  // without progress
	Early   bool // an answer may come in the cycle of its request; then replies tell their length
}

func (p guardParams) Suffix() string {
	s := fmt.Sprintf("%dx%d_%dcycles", p.Depth, p.Request, p.Cycles)
	if p.Data > 0 {
		s += fmt.Sprintf("_w%d", p.Data)
	}
	if p.Len > 0 {
		s += "_bursts"
	}
	if p.Early {
		s += "_early"
	}
	return s
}

// guardRequest is a request on its way to the bus.
type guardRequest struct {
	Payload hdl.Var
	Len     []hdl.Var `hdl:"opt"`
}

// guardAnswer is a beat that comes back.
type guardAnswer struct{ Last hdl.Var }

// guardReply is one on its way to the manager.
type guardReply struct {
	Last hdl.Var
	Lost hdl.Var   // made by the guard
	Len  []hdl.Var `hdl:"opt"` // with Early, where there are bursts: of the oldest
}

type guardIO struct {
	In     hdl.Stream[guardRequest] `hdl:"in"` // from the manager
	Out    hdl.Stream[lib.Word]     // to the bus
	Answer hdl.Stream[guardAnswer]  `hdl:"in"` // from the bus
	Reply  hdl.Stream[guardReply]   // to the manager
}

// guard watches a bus on which each request is answered by as many beats as it says.
// The data of the beats do not pass it.
func guard(m *hdl.Module, p guardParams) guardIO {
	m.Doc(fmt.Sprintf("Isolates a port whose subordinate makes no progress for %d cycles.", p.Cycles))
	io := hdl.Ports(m, "", hdl.Source, guardIO{
		In:  hdl.StreamOf(guardRequest{hdl.U(p.Request), optional(p.Len > 0, hdl.U(max(p.Len, 1)))}),
		Out: hdl.StreamOf(lib.Word{Data: hdl.U(p.Request)}), Answer: hdl.StreamOf(guardAnswer{hdl.Bool()}), Reply: hdl.StreamOf(guardReply{hdl.Bool(), hdl.Bool(), optional(p.Early && p.Len > 0, hdl.U(max(p.Len, 1)))}),
	})
	isolated := m.Reg("isolated_q", hdl.Bool(), hdl.Doc("The bus is cut off."))
	owed := m.Reg("owed_q", hdl.U(hdl.AddrBits(p.Depth+2)), hdl.Doc("Bursts that the subordinate has to answer."))
	waits, room, last, length := p.waiting(m, io)
	h := newHeld(m, "request", io.In.Valid.And(room), io.In.Data.Payload.Signal, io.Out.Ready, isolated)
	m.Note("Nothing is owed any more: once the manager waits for nothing, the port is open again.")
	returns := m.Let("returns", isolated.AndNot(owed.Any()).AndNot(h.held.Signal))
	io.In.Ready.Set(room.And(hdl.Mux(isolated, returns.Not(), io.Out.Ready)))
	io.Out.Valid.Set(hdl.Mux(isolated, h.held, io.In.Valid.And(room)))
	io.Out.Data.Data.Set(h.payload)
	io.Answer.Ready.Set(isolated.Or(io.Reply.Ready))
	io.Reply.Valid.Set(hdl.Mux(isolated, waits, io.Answer.Valid))
	hdl.Assign(io.Reply.Data, guardReply{Last: hdl.V(hdl.Mux(isolated, last, io.Answer.Data.Last)), Lost: isolated, Len: optional(len(io.Reply.Data.Len) > 0, hdl.V(length))})
	owes := owed.Any()
	if p.Early {
		owes = owes.Or(io.Out.Fire())
	}
	ends := io.Answer.Fire().And(io.Answer.Data.Last).And(owes)
	owed.Set(owed.Add(io.Out.Fire().Ext(owed.Width())).Sub(ends.Ext(owed.Width())))

	waiting := io.In.Valid.Or(owed.Any())
	expired := watch(m, p.Cycles, waiting.AndNot(isolated.Signal), io.Out.Fire().Or(io.Answer.Valid))
	h.keep(expired)
	m.If(expired, func() { isolated.Set(hdl.K(1)) }).
		ElseIf(returns.AndNot(waits), func() { isolated.Set(hdl.K(0)) })
	return io
}

// waiting is whether the manager waits for answers and may ask for more, whether
// the next one is the last of its burst, and the length of that.
func (p guardParams) waiting(m *hdl.Module, io guardIO) (waits, room, last, length hdl.Signal) {
	m.Note("What the manager waits for.")
	ends := io.Reply.Fire().And(io.Reply.Data.Last)
	if p.Len == 0 {
		count := m.Reg("asked_q", hdl.U(hdl.AddrBits(p.Depth+1)), hdl.Doc("Requests that are not answered."))
		count.Set(count.Add(io.In.Fire().Ext(count.Width())).Sub(ends.Ext(count.Width())))
		return count.Any(), count.Ne(hdl.K(p.Depth)), hdl.Const(1, 1), hdl.Signal{}
	}
	asked := hdl.Wires(m, "asked", hdl.StreamOf(lib.Word{Data: hdl.U(p.Len)}))
	asked.Valid.Set(io.In.Fire())
	asked.Data.Data.Set(io.In.Data.Len[0])
	oldest, _ := lib.Queue(m, "u_asked", lib.FIFOParams{Depth: p.Depth, FallThrough: p.Early}, asked)
	oldest.Ready.Set(ends)
	beat := m.Reg("beat_q", hdl.U(p.Len), hdl.Doc("Beats of the oldest burst that were answered."))
	m.If(io.Reply.Fire(), func() { beat.Set(hdl.Mux(io.Reply.Data.Last, hdl.K(0), beat.Add(hdl.K(1)))) })
	return oldest.Valid.Signal, asked.Ready.Signal, m.Let("last_beat", beat.Eq(oldest.Data.Data)), oldest.Data.Data.Signal
}

// watch counts cycles in which something waits and nothing moves, and is one when
// there were enough of them.
func watch(m *hdl.Module, cycles int, waits, moves hdl.Signal) hdl.Signal {
	timer := m.Reg("timer_q", hdl.U(hdl.AddrBits(cycles)), hdl.Doc("Cycles without progress."))
	idle := m.Let("no_progress", waits.AndNot(moves))
	m.If(idle, func() { timer.Set(timer.Add(hdl.K(1))) }).Else(func() { timer.Set(hdl.K(0)) })
	return m.Let("expired", idle.And(timer.Eq(hdl.K(cycles-1))))
}

// held is what was on offer to the bus when it was isolated. It stays there, as the
// rules of the bus want it, while the manager goes on.
type held struct {
	m        *hdl.Module
	held     hdl.Var
	payload  hdl.Signal
	kept     hdl.Var
	now      hdl.Signal
	offered  hdl.Signal
	busReady hdl.Var
}

func newHeld(m *hdl.Module, name string, offered, payload hdl.Signal, busReady, isolated hdl.Var) held {
	h := held{m: m, now: payload, offered: offered, busReady: busReady}
	h.held = m.Reg(name+"_held_q", hdl.Bool(), hdl.Doc("It was on offer when the bus was cut off, and still is."))
	h.kept = m.Reg(name+"_kept_q", hdl.U(payload.Width()), hdl.NoReset())
	h.payload = hdl.Mux(isolated, h.kept, payload)
	return h
}

// keep keeps what is on offer when the watchdog expires.
func (h held) keep(expired hdl.Signal) {
	h.m.If(expired, func() {
		h.held.Set(h.offered)
		h.kept.Set(h.now)
	}).ElseIf(h.busReady, func() { h.held.Set(hdl.K(0)) })
}
