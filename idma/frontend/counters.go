package frontend

import (
	"github.com/millrace-hdl/millrace/hdl"
	"github.com/millrace-hdl/millrace/regs"
)

// Watch are the handshakes of an AXI4 manager port, for the counters of its stream.
type Watch struct {
	ARValid, ARReady       hdl.Var
	RValid, RReady, RLast  hdl.Var
	AWValid, AWReady       hdl.Var
	WValid, WReady, BValid hdl.Var
	BReady                 hdl.Var
}

func newWatch() Watch {
	b := hdl.Bool()
	return Watch{b, b, b, b, b, b, b, b, b, b, b}
}

// event is something that is counted in cycles.
type event struct {
	name, doc string
	now       func(w Watch, reading, unfinished hdl.Signal) hdl.Signal
}

// events are what the counters count, in the order of their registers from 0x400 up. A
// stall is a cycle in which one side of a channel is there and the other is not: on the
// address and write channels the engine is, on R the engine waits for data that it asked
// for.
var events = []event{
	{"busy", "Cycles in which a launched transfer had not ended.", func(_ Watch, _, unfinished hdl.Signal) hdl.Signal { return unfinished }},
	{"ar", "Read bursts requested.", func(w Watch, _, _ hdl.Signal) hdl.Signal { return w.ARValid.And(w.ARReady) }},
	{"ar_stall", "Cycles with ARVALID and without ARREADY.", func(w Watch, _, _ hdl.Signal) hdl.Signal { return w.ARValid.AndNot(w.ARReady.Signal) }},
	{"r", "Read beats.", func(w Watch, _, _ hdl.Signal) hdl.Signal { return w.RValid.And(w.RReady) }},
	{"r_stall", "Cycles with RREADY and without RVALID while a read burst is under way.",
		func(w Watch, reading, _ hdl.Signal) hdl.Signal { return w.RReady.AndNot(w.RValid.Signal).And(reading) }},
	{"aw", "Write bursts requested.", func(w Watch, _, _ hdl.Signal) hdl.Signal { return w.AWValid.And(w.AWReady) }},
	{"aw_stall", "Cycles with AWVALID and without AWREADY.", func(w Watch, _, _ hdl.Signal) hdl.Signal { return w.AWValid.AndNot(w.AWReady.Signal) }},
	{"w", "Write beats.", func(w Watch, _, _ hdl.Signal) hdl.Signal { return w.WValid.And(w.WReady) }},
	{"w_stall", "Cycles with WVALID and without WREADY.", func(w Watch, _, _ hdl.Signal) hdl.Signal { return w.WValid.AndNot(w.WReady.Signal) }},
	{"b", "Write responses.", func(w Watch, _, _ hdl.Signal) hdl.Signal { return w.BValid.And(w.BReady) }},
}

const atCounters = 0x400

// counterRegisters are the registers of the counters, which all ports share.
func counterRegisters(array func(name, doc string, at uint64, fields ...regs.Field) regs.Register) (rs []regs.Register) {
	for i, e := range events {
		name := "count_" + e.name
		rs = append(rs, array(name, e.doc, atCounters+uint64(0x40*i),
			regs.Field{Name: name, Doc: "Since reset; it wraps, so software takes differences.", Hi: 31, Lo: 0, Access: regs.RO}))
	}
	return rs
}

// countersIO is the interface of [counters].
type countersIO struct {
	Watch      Watch     `hdl:"in,name="`
	Unfinished hdl.Var   `hdl:"in"`
	Counts     []hdl.Var // in the order of the events
}

// countersParams says for how many read bursts under way there is room.
type countersParams struct{ Outstanding int }

// counters counts the events of one engine.
func counters(m *hdl.Module, p countersParams) countersIO {
	m.Doc("Counts what happens on the AXI4 port of a stream.")
	t := countersIO{Watch: newWatch(), Unfinished: hdl.Bool()}
	for range events {
		t.Counts = append(t.Counts, hdl.U(32))
	}
	io := hdl.Ports(m, "", hdl.Source, t)
	bursts := m.Reg("bursts_q", hdl.U(hdl.AddrBits(p.Outstanding+2)), hdl.Doc("Read bursts under way."))
	begins := m.Let("begins", io.Watch.ARValid.And(io.Watch.ARReady))
	ends := m.Let("ends", io.Watch.RValid.And(io.Watch.RReady).And(io.Watch.RLast))
	m.If(begins.AndNot(ends), func() { bursts.Set(bursts.Add(hdl.K(1))) }).
		ElseIf(ends.AndNot(begins), func() { bursts.Set(bursts.Sub(hdl.K(1))) })
	for i, e := range events {
		count := m.Reg("count_"+e.name+"_q", hdl.U(32))
		m.If(e.now(io.Watch, bursts.Any(), io.Unfinished.Signal), func() { count.Set(count.Add(hdl.K(1))) })
		io.Counts[i].Set(count)
	}
	return io
}

// watch places the counters of a stream and shows them to all ports.
func (f *frontend) watch(s int, unfinished hdl.Signal) {
	u := hdl.Inst(f.m, numbered("u_counters", s, f.c.Streams), counters, countersParams{f.c.Backend.Outstanding})
	w := hdl.Ports(f.m, numbered("watch", s, f.c.Streams), hdl.Sink, newWatch())
	hdl.Assign(u.Watch, w)
	u.Unfinished.Set(unfinished)
	f.io.Watch = append(f.io.Watch, w)
	for _, r := range f.ports {
		for i, e := range events {
			r.Give("count_"+e.name, s, u.Counts[i])
		}
	}
}
