// Package frontend is the register front-end of the engine (specification §4.1):
// software describes a transfer in registers and launches it by reading next_id, which
// returns its number. There may be several register ports, each with registers of its
// own, and several streams, each with an engine behind it. For each stream the ports
// take turns; launched transfers wait in a short queue and end in the order of their
// numbers.
//
// The register map is data ([Config.Map]); the register file, SystemRDL, C header and
// reference come from it.
package frontend

import (
	"fmt"

	"github.com/millrace-hdl/millrace/hdl"
	"github.com/millrace-hdl/millrace/hdl/ir"
	"github.com/millrace-hdl/millrace/idma/backend"
	"github.com/millrace-hdl/millrace/idma/midend"
	"github.com/millrace-hdl/millrace/regs"
)

// Ports is the interface of the front-end: the register ports of the bus that it has,
// and a stream of requests and one of responses for each engine. With one port or
// stream, names have no number.
type Ports struct {
	RegisterPorts
	// Req are the requests; the layouts with one dimension have no Dims. One is offered
	// in the cycle after the read of next_id that launched it.
	Req    []hdl.Stream[midend.Request]
	Rsp    []hdl.Stream[backend.Response] `hdl:"in"` // taken at once
	Action []hdl.Stream[backend.Action]   // with error handling
	Busy   []hdl.Var                      `hdl:"in"` // of the back-ends, 8 bits each
	// MidendBusy is one bit for each stream, where there are mid-ends.
	MidendBusy []hdl.Var        `hdl:"in"`
	Counts     []backend.Counts `hdl:"in"` // with Counters: those of each back-end
	Events     []midend.Event   // of layouts that have them, as software has set them
	IRQ        []hdl.Var        // with Interrupts: a level for each port
}

// Elaborate builds and checks the front-end.
func Elaborate(c Config) (*ir.Design, error) {
	return hdl.Elaborate(Frontend, c, hdl.Named("idma_"+c.Layout.String()), hdl.Prefix("idma_"))
}

// frontend is one under construction.
type frontend struct {
	m       *hdl.Module
	c       Config
	io      Ports
	ports   []regs.Registers
	streams []streamIO
}

// Frontend describes the front-end.
func Frontend(m *hdl.Module, c Config) Ports {
	m.Doc(fmt.Sprintf("iDMA register front-end %s: ports %d, streams %d.", c.Layout, c.Ports, c.Streams))
	f := &frontend{m: m, c: c}
	table := c.Map()
	for i := range c.Ports {
		r := regs.Place(m, numbered("u_regs", i, c.Ports), table, hdl.Named(c.Layout.String()+"_regs"))
		hdl.Connect(r.Bus, f.io.add(m, c.Bus, i, c.Ports, table.Widths(), c.PortIDWidth))
		f.ports = append(f.ports, r)
	}
	for s := range c.Streams {
		f.stream(s)
	}
	if c.Interrupts {
		f.interrupts()
	}
	for e := range c.Events {
		f.event(e)
	}
	return f.io
}

// stream places a stream and joins it with the registers of all ports.
func (f *frontend) stream(s int) {
	m, c := f.m, f.c
	n := func(name string) string { return numbered(name, s, c.Streams) }
	u := hdl.Inst(m, n("u_stream"), stream, c, hdl.Named("stream"))
	req := hdl.Ports(m, n("req"), hdl.Source, hdl.StreamOf(c.requestType()))
	rsp := hdl.Ports(m, n("rsp"), hdl.Sink, hdl.StreamOf(c.Backend.ResponseType()), hdl.MayBeUnused())
	hdl.Connect(req, u.Req)
	hdl.Connect(u.Rsp, rsp)
	f.io.Req, f.io.Rsp = append(f.io.Req, req), append(f.io.Rsp, rsp)
	if c.Backend.ErrorHandling {
		action := hdl.Ports(m, n("action"), hdl.Source, hdl.StreamOf(backend.Action{Kind: hdl.U(2)}))
		hdl.Connect(action, u.Action[0])
		f.io.Action = append(f.io.Action, action)
	}
	busy := m.In(n("busy"), hdl.U(8))
	f.io.Busy = append(f.io.Busy, busy)
	if c.Layout.loops() > 0 {
		f.io.MidendBusy = append(f.io.MidendBusy, m.In(n("midend_busy"), hdl.Bool()))
	}

	var asked, answered []hdl.Value // the highest port first
	for p, r := range f.ports {
		next := r.Word("next_id", s)
		asked = append([]hdl.Value{next.ReadAsked[0]}, asked...)
		next.ReadReady[0].Set(u.Ends.Bit(p))
		r.Give("next_id", s, u.NextID)
		r.Give("done_id", s, u.DoneID)
		hdl.Assign(u.Launch[p], description{Registers: r, c: c}.transfer())
		for i, d := range c.status() {
			switch {
			case i < 8:
				r.Give("status."+d.Name, s, busy.Bit(i))
			case d.Name == "unfinished":
				r.Give("status."+d.Name, s, u.Pending)
			case c.Layout.loops() > 0:
				r.Give("status."+d.Name, s, f.io.MidendBusy[s])
			}
		}
		if c.ErrorInfo {
			f.errors(r, u, s)
		}
		if c.Backend.ErrorHandling {
			answered = append([]hdl.Value{r.Word("error_action", s).WasWritten[0]}, answered...)
			u.Answer[p].Set(r.Get("error_action", s))
		}
	}
	u.Asked.Set(hdl.Cat(asked...))
	if c.Backend.ErrorHandling {
		u.Answered[0].Set(hdl.Cat(answered...))
	}
	if c.Counters {
		f.counts(s)
	}
	f.streams = append(f.streams, u)
}

// errors shows a port the latest error of a stream.
func (f *frontend) errors(r regs.Registers, u streamIO, s int) {
	e := u.Failure[0]
	r.Give("error_info.failed", s, u.Failed)
	r.Give("error_info.cause", s, e.Cause)
	r.Give("error_info.err_type", s, e.ErrType)
	r.Give("error_id", s, e.ID)
	if !f.c.Backend.ErrorHandling {
		return
	}
	r.Give("error_info.awaits", s, e.Awaits[0])
	width := f.c.Backend.AddrWidth
	if !f.c.Layout.wide() {
		r.Give("error_addr", s, e.Addr[0].Resize(min(width, 32)))
		return
	}
	r.Give("error_addr_low", s, e.Addr[0].Resize(min(width, 32)))
	if width > 32 {
		r.Give("error_addr_high", s, e.Addr[0].Bits(width-1, 32))
	}
}

// interrupts raises that of each port for what it has enabled.
func (f *frontend) interrupts() {
	var done, failed []hdl.Value
	for _, u := range f.streams {
		done, failed = append([]hdl.Value{u.Done}, done...), append([]hdl.Value{u.Failed}, failed...)
	}
	for p, r := range f.ports {
		r.Give("irq_pending.done", 0, hdl.Cat(done...))
		r.Give("irq_pending.failed", 0, hdl.Cat(failed...))
		irq := f.m.Out(numbered("irq", p, f.c.Ports), hdl.Bool())
		both := func(name string) hdl.Signal {
			return r.Get("irq_enable."+name, 0).And(r.Get("irq_pending."+name, 0)).Any()
		}
		irq.Set(both("done").Or(both("failed")))
		f.io.IRQ = append(f.io.IRQ, irq)
	}
}
