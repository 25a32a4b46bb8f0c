// Package idma is the whole engine: a front-end, the mid-ends that it needs or that were
// asked for, and a back-end for each of its streams, joined by links and made from one
// configuration. Its ports are the register ports, or the port of instructions, and the
// buses.
package idma

import (
	"fmt"

	"github.com/millrace-hdl/millrace/gen"
	"github.com/millrace-hdl/millrace/hdl"
	"github.com/millrace-hdl/millrace/hdl/ir"
	"github.com/millrace-hdl/millrace/idma/backend"
	"github.com/millrace-hdl/millrace/idma/compute"
	"github.com/millrace-hdl/millrace/idma/frontend"
	"github.com/millrace-hdl/millrace/idma/midend"
)

// Ports is the interface of an engine: what its front-end has for software, and the buses
// of the back-ends, named m_axi and so on. With several back-ends the number of each stands
// behind the first letter: m0_axi.
type Ports struct {
	frontend.RegisterPorts
	Descriptors frontend.DescBuses                 // of desc_64
	Instr       []hdl.Stream[frontend.Instruction] `hdl:"in,opt"` // of inst_64
	Result      []hdl.Stream[frontend.Result]      `hdl:"opt"`
	// IRQ is that of the front-end: a level for each register port with Interrupts, or a
	// pulse of desc_64.
	IRQ []hdl.Var
	// Failed is one for a cycle when a transfer of a channel of inst_64 ends with an
	// error.
	Failed []hdl.Var
	// EventMissed is one for a cycle when a launch of an event of reg_32_rt_3d is lost, since
	// too many wait, and EventFailed when a transfer of one ends with an error.
	EventMissed []hdl.Var
	EventFailed []hdl.Var
	Backends    []backend.Buses
}

// Elaborate builds and checks the engine.
func Elaborate(c Config) (*ir.Design, error) {
	return hdl.Elaborate(Engine, c, hdl.Named("idma"), hdl.Prefix("idma_"))
}

// Facts are the files beside the RTL: those of the front-end's registers.
func (c Config) Facts() ([]gen.File, error) {
	switch {
	case c.Frontend.registers():
		return c.registers().Facts()
	case c.Frontend == Desc64:
		return c.descriptors().Facts()
	}
	return nil, nil
}

// engine is one under construction.
type engine struct {
	m  *hdl.Module
	c  Config
	io Ports
	// What the front-end has for each stream.
	links      []midend.Link
	busy       []hdl.Var
	midendBusy []hdl.Var
	counts     []backend.Counts
	events     []midend.Event // of the first stream
}

// Engine describes the engine.
func Engine(m *hdl.Module, c Config) Ports {
	m.Doc(fmt.Sprintf("iDMA engine: %s, %d streams. Reads: %s. Writes: %s.", c.Frontend, c.Streams(), c.Backend.ReadProtocols, c.Backend.WriteProtocols))
	e := &engine{m: m, c: c}
	switch c.Frontend {
	case Desc64:
		e.descriptors()
	case Inst64:
		e.instructions()
	default:
		e.registers()
	}
	for s := range e.links {
		e.stream(s)
	}
	return e.io
}

// registers places a register front-end.
func (e *engine) registers() {
	u := hdl.Inst(e.m, "u_frontend", frontend.Frontend, e.c.registers())
	e.io.RegisterPorts = u.RegisterPorts.Export(e.m)
	for s := range u.Req {
		l := midend.Link{Req: u.Req[s], Rsp: u.Rsp[s]}
		if len(u.Action) > 0 {
			l.Action = u.Action[s : s+1]
		}
		e.links = append(e.links, l)
	}
	e.busy, e.midendBusy, e.counts, e.events = u.Busy, u.MidendBusy, u.Counts, u.Events
	for i, irq := range u.IRQ {
		e.interrupt(numbered("irq", i, len(u.IRQ)), irq)
	}
}

// descriptors places desc_64.
func (e *engine) descriptors() {
	u := hdl.Inst(e.m, "u_frontend", frontend.Desc, e.c.descriptors())
	e.io.RegisterPorts, e.io.Descriptors = u.RegisterPorts.Export(e.m), u.DescBuses.Export(e.m)
	req := hdl.Stream[midend.Request]{Valid: u.Req.Valid, Ready: u.Req.Ready, Data: midend.Request{Transfer: u.Req.Data}}
	e.links = []midend.Link{{Req: req, Rsp: u.Rsp, Action: u.Action}}
	e.interrupt("irq", u.IRQ)
}

func (e *engine) interrupt(name string, from hdl.Var) {
	irq := e.m.Out(name, hdl.Bool())
	irq.Set(from)
	e.io.IRQ = append(e.io.IRQ, irq)
}

// instructions places inst_64.
func (e *engine) instructions() {
	m := e.m
	u := hdl.Inst(m, "u_frontend", frontend.Inst, e.c.instructions())
	instr := hdl.Ports(m, "instr", hdl.Sink, u.Instr)
	result := hdl.Ports(m, "result", hdl.Source, u.Result)
	hdl.Connect(u.Instr, instr)
	hdl.Connect(result, u.Result)
	e.io.Instr, e.io.Result = []hdl.Stream[frontend.Instruction]{instr}, []hdl.Stream[frontend.Result]{result}
	for s := range u.Req {
		e.links = append(e.links, midend.Link{Req: u.Req[s], Rsp: u.Rsp[s]})
		failed := m.Out(numbered("failed", s, len(u.Req)), hdl.Bool())
		failed.Set(u.Failed[s])
		e.io.Failed = append(e.io.Failed, failed)
	}
}

// stream places the mid-ends and back-ends below a stream of the front-end.
func (e *engine) stream(s int) {
	m, c := e.m, e.c
	below, busy := []midend.Link{e.links[s]}, hdl.Const(1, 0)
	if len(e.events) > 0 && s == 0 {
		below[0], busy = e.timed(e.links[s])
	}
	if chain := c.chain(); len(chain) > 0 {
		name, stage := "u_midends", midend.Stage(chain)
		if len(chain) == 1 {
			name, stage = "u_"+chain[0].Name, chain[0].Stage
		}
		u := stage.Place(m, numbered(name, s, len(e.links)))
		hdl.Connect(u.Up[0], below[0])
		below, busy = u.Down, busy.Or(u.Busy)
	}
	if c.Backend.Compute[compute.CodeTranspose] != nil {
		for i, l := range below {
			u := hdl.Inst(m, numbered("u_transpose_walk", s*len(below)+i, len(e.links)*len(below)), midend.TransposeWalk, midend.WalkConfig{Backend: c.Backend})
			hdl.Connect(u.Up[0], l)
			below[i], busy = u.Down[0], busy.Or(u.Busy)
		}
	}
	if len(e.midendBusy) > 0 {
		e.midendBusy[s].Set(busy)
	}
	all := len(e.links) * len(below)
	var states []hdl.Signal
	for i, l := range below {
		n := s*len(below) + i
		u := hdl.Inst(m, numbered("u_backend", n, all), backend.Backend, c.Backend)
		hdl.Connect(u.Req, hdl.Stream[backend.Request]{Valid: l.Req.Valid, Ready: l.Req.Ready, Data: l.Req.Data.Transfer})
		hdl.Connect(l.Rsp, u.Rsp)
		for k := range u.Action {
			hdl.Connect(u.Action[k], l.Action[k])
		}
		states = append(states, u.Busy.Signal)
		e.io.Backends = append(e.io.Backends, c.Backend.ExportBuses(m, numbered("", n, all), u.Buses))
		if len(e.counts) > 0 && i == 0 {
			hdl.Connect(e.counts[s], u.Counts[0])
		}
	}
	if len(e.busy) > 0 {
		state := states[0]
		for _, other := range states[1:] {
			state = state.Or(other)
		}
		e.busy[s].Set(state)
	}
}

// timed places the mid-end that launches the events.
func (e *engine) timed(above midend.Link) (midend.Link, hdl.Signal) {
	u := hdl.Inst(e.m, "u_rt_3d", midend.RT, e.c.rt())
	hdl.Connect(u.Up[0], above)
	for i, event := range e.events {
		hdl.Connect(u.Events[i], event)
		missed, failed := e.m.Out(fmt.Sprintf("event_missed%d", i), hdl.Bool()), e.m.Out(fmt.Sprintf("event_failed%d", i), hdl.Bool())
		missed.Set(u.Missed[i])
		failed.Set(u.Failed[i])
		e.io.EventMissed, e.io.EventFailed = append(e.io.EventMissed, missed), append(e.io.EventFailed, failed)
	}
	return u.Down[0], u.Busy.Signal
}

// numbered is a name with a number where there are several.
func numbered(name string, i, n int) string {
	if n == 1 {
		return name
	}
	return fmt.Sprintf("%s%d", name, i)
}
