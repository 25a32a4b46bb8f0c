package frontend

import (
	"fmt"

	"github.com/millrace-hdl/millrace/bus"
	"github.com/millrace-hdl/millrace/hdl"
	"github.com/millrace-hdl/millrace/regs"
)

// RegisterPorts are register ports, all of one bus.
type RegisterPorts struct {
	APB     []bus.APB     `hdl:"in"` // s_apb
	AXILite []bus.AXILite `hdl:"in"` // s_axil
	OBI     []bus.OBI     `hdl:"in"` // s_obi
}

// numbered is a name with a number where there are several.
func numbered(name string, i, n int) string {
	if n == 1 {
		return name
	}
	return fmt.Sprintf("%s%d", name, i)
}

// add declares register port i of n and places its adapter.
func (r *RegisterPorts) add(m *hdl.Module, b Bus, i, n int, w regs.BusParams, idWidth int) regs.Bus {
	switch b {
	case AXILite:
		u := hdl.Inst(m, numbered("u_axil", i, n), regs.FromAXILite, w, hdl.Named("from_axi_lite"))
		s := hdl.Ports(m, numbered("s_axil", i, n), hdl.Sink, bus.NewAXILite(bus.AXILiteParams{DataWidth: w.DataWidth, AddrWidth: w.AddrWidth}))
		hdl.Connect(u.S, s)
		r.AXILite = append(r.AXILite, s)
		return u.Regs
	case OBI:
		u := hdl.Inst(m, numbered("u_obi", i, n), regs.FromOBI, regs.OBIParams{BusParams: w, IDWidth: idWidth}, hdl.Named("from_obi"))
		s := hdl.Ports(m, numbered("s_obi", i, n), hdl.Sink, bus.NewOBI(bus.OBIParams{DataWidth: w.DataWidth, AddrWidth: w.AddrWidth, IDWidth: idWidth}))
		hdl.Connect(u.S, s)
		r.OBI = append(r.OBI, s)
		return u.Regs
	}
	u := hdl.Inst(m, numbered("u_apb", i, n), regs.FromAPB, w, hdl.Named("from_apb"))
	s := hdl.Ports(m, numbered("s_apb", i, n), hdl.Sink, bus.NewAPB(bus.APBParams{DataWidth: w.DataWidth, AddrWidth: w.AddrWidth}))
	hdl.Connect(u.S, s)
	r.APB = append(r.APB, s)
	return u.Regs
}
