package tb

import (
	"github.com/millrace-hdl/millrace/hdl/ir"
	"github.com/millrace-hdl/millrace/hdl/sim"
)

// fault is a mistake built into a fake engine.
type fault int

const (
	sound fault = iota
	lostWrite
	wrongStrobe
	duplicateWrite
	extraByte
	wrongByte
	droppedResponse
	extraResponse
	reorderedZero
	unstableValid
	unstablePayload
	validFromReady
	pageCrossing
	overRead
	wrongAttribute
	ignoredCap
	earlyLast
	busyTooEarly
	responseTooEarly
	validAfterReset
	lostLastMark
	// Not mistakes, unless nothing on the bus fails.
	reportsErrors // the response that ends a transfer has the bus error
	extraErrors   // a response of its own tells of a bus error
	alwaysFails
)

func newLayout(d *ir.Design) *sim.Layout { return sim.NewLayout(d) }

// fakeDesign is the ports of a back-end.
func fakeDesign(data, addr, id, length int) *ir.Design {
	m := &ir.Module{Name: "fake"}
	add := func(kind ir.Kind, name string, width int) {
		m.Signals = append(m.Signals, &ir.Signal{Name: name, Kind: kind, Type: ir.Type{Width: width}, Module: m})
	}
	type pw struct {
		name  string
		width int
	}
	for _, x := range []pw{{"valid", 1}, {"length", length}, {"src_addr", addr}, {"dst_addr", addr}, {"id", id}, {"user", 3},
		{"src_burst", 2}, {"src_cache", 4}, {"src_lock", 1}, {"src_prot", 3}, {"src_qos", 4}, {"src_region", 4},
		{"dst_burst", 2}, {"dst_cache", 4}, {"dst_lock", 1}, {"dst_prot", 3}, {"dst_qos", 4}, {"dst_region", 4},
		{"src_max_llen", 3}, {"dst_max_llen", 3}, {"src_reduce_len", 1}, {"dst_reduce_len", 1},
		{"decouple_aw", 1}, {"decouple_rw", 1}, {"last", 1}} {
		add(ir.Input, "req_"+x.name, x.width)
	}
	add(ir.Output, "req_ready", 1)
	for _, x := range []pw{{"valid", 1}, {"last", 1}, {"error", 1}, {"cause", 2}, {"err_type", 2}, {"burst_addr", addr}} {
		add(ir.Output, "rsp_"+x.name, x.width)
	}
	add(ir.Input, "rsp_ready", 1)
	add(ir.Output, "busy", 8)
	for _, c := range []string{"aw", "ar"} {
		for _, x := range []pw{{"valid", 1}, {"id", id}, {"addr", addr}, {"len", 8}, {"size", 3}, {"burst", 2}, {"lock", 1},
			{"cache", 4}, {"prot", 3}, {"qos", 4}, {"region", 4}, {"user", 3}} {
			add(ir.Output, "m_axi_"+c+x.name, x.width)
		}
		add(ir.Input, "m_axi_"+c+"ready", 1)
	}
	for _, x := range []pw{{"wvalid", 1}, {"wdata", data}, {"wstrb", data / 8}, {"wlast", 1}, {"bready", 1}, {"rready", 1}} {
		add(ir.Output, "m_axi_"+x.name, x.width)
	}
	for _, x := range []pw{{"wready", 1}, {"bvalid", 1}, {"bid", id}, {"bresp", 2}, {"rvalid", 1}, {"rid", id}, {"rdata", data}, {"rresp", 2}, {"rlast", 1}} {
		add(ir.Input, "m_axi_"+x.name, x.width)
	}
	return &ir.Design{Top: m, Modules: []*ir.Module{m}}
}
