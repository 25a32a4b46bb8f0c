package regs

import (
	"errors"
	"fmt"

	"github.com/millrace-hdl/millrace/bus"
	"github.com/millrace-hdl/millrace/hdl"
	"github.com/millrace-hdl/millrace/hdl/lib"
)

// OBIParams are the parameters of [FromOBI].
type OBIParams struct {
	BusParams
	IDWidth int  // bits of aid and rid, at least 1
	RReady  bool // the manager may hold up responses
}

// Suffix names the variant.
func (p OBIParams) Suffix() string {
	s := fmt.Sprintf("%s_%d", p.BusParams.Suffix(), p.IDWidth)
	if p.RReady {
		s += "_rready"
	}
	return s
}

// Validate requires widths that OBI has.
func (p OBIParams) Validate() error {
	var id error
	if p.IDWidth < 1 || p.IDWidth > 32 {
		id = fmt.Errorf("IDWidth is %d; allowed: 1 to 32", p.IDWidth)
	}
	return errors.Join(p.BusParams.Validate(), id)
}

func (p OBIParams) bus() bus.OBIParams {
	return bus.OBIParams{DataWidth: p.DataWidth, AddrWidth: p.AddrWidth, IDWidth: p.IDWidth, RReady: p.RReady}
}

// OBIIO is the interface of [FromOBI].
type OBIIO struct {
	S    bus.OBI `hdl:"in"`
	Regs Bus
}

// FromOBI is an OBI subordinate in front of a register file. The access happens in the
// cycle of the request, which is granted unless it is held up, and is answered in the
// next cycle; an access a cycle. An address without a register is answered with err.
func FromOBI(m *hdl.Module, p OBIParams) OBIIO {
	m.Doc("OBI subordinate in front of a register file.")
	io := hdl.Ports(m, "", hdl.Source, OBIIO{
		S: bus.NewOBI(p.bus()), Regs: NewBus(p.BusParams),
	}, hdl.MayBeUnused())
	s := io.S
	io.Regs.Write.Set(s.A.WE)
	io.Regs.Addr.Set(s.A.Addr)
	io.Regs.WData.Set(s.A.WData)
	io.Regs.Strb.Set(s.A.BE)
	answer := bus.OBIResp{RData: io.Regs.RData, Err: io.Regs.Err, RID: s.A.AID}
	if !p.RReady {
		io.Regs.Valid.Set(s.Req)
		s.Gnt.Set(io.Regs.Ready)
		came := m.RegNext("rvalid_q", s.Req.And(io.Regs.Ready))
		kept := hdl.Regs(m, "r_q", bus.NewOBI(p.bus()).R, hdl.NoReset())
		m.If(s.Req, func() { hdl.Assign(kept, answer) })
		s.RValid.Set(came)
		hdl.Assign(s.R, kept)
		return io
	}
	m.Note("Room for two answers, so that gnt does not depend on rready.")
	in := hdl.Wires(m, "answer", hdl.StreamOf(bus.NewOBI(p.bus()).R))
	io.Regs.Valid.Set(s.Req.And(in.Ready))
	s.Gnt.Set(io.Regs.Ready.And(in.Ready))
	in.Valid.Set(s.Req.And(s.Gnt))
	hdl.Assign(in.Data, answer)
	out, _ := lib.Queue(m, "u_answers", lib.FIFOParams{Depth: 2}, in)
	s.RValid.Set(out.Valid)
	out.Ready.Set(s.RReady[0])
	hdl.Assign(s.R, out.Data)
	return io
}
