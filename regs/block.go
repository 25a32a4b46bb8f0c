package regs

import (
	"github.com/millrace-hdl/millrace/bus"
	"github.com/millrace-hdl/millrace/hdl"
)

// BlockIO is the interface of a register block on a bus.
type BlockIO[B any] struct {
	S     B        `hdl:"in"`
	Words []WordIO // as those of [FileIO]
}

// OnAPB is the register file of a map behind [FromAPB], a module with the bus s_apb.
func OnAPB(m *hdl.Module, p FileParams) BlockIO[bus.APB] {
	m.Doc(p.m.Doc)
	w := p.m.Widths()
	io := BlockIO[bus.APB]{S: hdl.Ports(m, "s_apb", hdl.Sink, bus.NewAPB(bus.APBParams{DataWidth: w.DataWidth, AddrWidth: w.AddrWidth}), hdl.MayBeUnused())}
	u := hdl.Inst(m, "u_apb", FromAPB, w)
	hdl.Connect(u.S, io.S)
	io.Words = behind(m, p.m, u.Regs)
	return io
}

// OnAXILite is the register file of a map behind [FromAXILite], a module with the bus
// s_axil.
func OnAXILite(m *hdl.Module, p FileParams) BlockIO[bus.AXILite] {
	m.Doc(p.m.Doc)
	w := p.m.Widths()
	io := BlockIO[bus.AXILite]{S: hdl.Ports(m, "s_axil", hdl.Sink, bus.NewAXILite(bus.AXILiteParams{DataWidth: w.DataWidth, AddrWidth: w.AddrWidth}), hdl.MayBeUnused())}
	u := hdl.Inst(m, "u_axil", FromAXILite, w)
	hdl.Connect(u.S, io.S)
	io.Words = behind(m, p.m, u.Regs)
	return io
}

// OBIFileParams are the parameters of [OnOBI].
type OBIFileParams struct {
	FileParams
	IDWidth int  // bits of aid and rid, 1 to 32
	RReady  bool // the manager may hold up responses
}

// OnOBI is the register file of a map behind [FromOBI], a module with the bus s_obi.
func OnOBI(m *hdl.Module, p OBIFileParams) BlockIO[bus.OBI] {
	m.Doc(p.m.Doc)
	w := OBIParams{p.m.Widths(), p.IDWidth, p.RReady}
	io := BlockIO[bus.OBI]{S: hdl.Ports(m, "s_obi", hdl.Sink, bus.NewOBI(w.bus()), hdl.MayBeUnused())}
	u := hdl.Inst(m, "u_obi", FromOBI, w)
	hdl.Connect(u.S, io.S)
	io.Words = behind(m, p.m, u.Regs)
	return io
}

// behind places the file of a map behind an adapter.
func behind(m *hdl.Module, mp *Map, b Bus) []WordIO {
	r := Place(m, "u_regs", mp)
	hdl.Connect(r.Bus, b)
	return r.Expose(m)
}
