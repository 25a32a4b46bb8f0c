package frontend

import (
	"fmt"

	"github.com/millrace-hdl/millrace/hdl"
	"github.com/millrace-hdl/millrace/idma/midend"
	"github.com/millrace-hdl/millrace/regs"
)

// atEvents is the place of the events, an array for each of their registers.
const atEvents = 0x800

// eventPlaces are where the transfer of an event is described.
var eventPlaces = offsets{
	dst: atEvents + 0x100, src: atEvents + 0x140, length: atEvents + 0x180,
	loops: []loopOffsets{{atEvents + 0x1c0, atEvents + 0x200, atEvents + 0x240}, {atEvents + 0x280, atEvents + 0x2c0, atEvents + 0x300}},
}

// events are the registers of the events (specification §3.5): a transfer each, like that
// of the port, and when it is to be launched.
func (c Config) events() (rs []regs.Register) {
	add := func(name, doc string, at uint64, fields ...regs.Field) {
		if len(fields) == 1 {
			fields[0].Name = "event_" + name
		}
		rs = append(rs, regs.Register{Name: "event_" + name, Doc: doc, Offset: at, Count: maxEvents, Present: c.Events, Fields: fields})
	}
	add("enable", "Whether event e launches its transfer. Set it last, after what describes the event.", atEvents,
		field("enable", "Zero holds the event where it is.", 0, 0, true, 0))
	add("period", "How often it does.", atEvents+0x40, field("period", "Cycles from one launch to the next.", 31, 0, true, 0))
	add("conf", "Options of its transfer, as in conf.", atEvents+0x80, c.conf()...)
	if c.hasOptions() {
		add("options", "Options of its transfer, as in options.", atEvents+0xc0, c.options()...)
	}
	c.addresses(eventPlaces, func(name, doc string, at uint64, f regs.Field) { add(name, doc, at, f) })
	return rs
}

// event shows an event to the mid-end.
func (f *frontend) event(e int) {
	c, r := f.c, f.ports[0]
	io := hdl.Ports(f.m, fmt.Sprintf("event%d", e), hdl.Source, midend.EventType(c.Backend, c.Layout.loops(), c.RepsWidth))
	io.Enable.Set(r.Get("event_enable", e))
	io.Period.Set(r.Get("event_period", e))
	hdl.Assign(io.Request, c.request(description{Registers: r, c: c, prefix: "event_", element: e}.transfer()))
	f.io.Events = append(f.io.Events, io)
}
