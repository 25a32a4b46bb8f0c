package regs

import (
	"fmt"

	"github.com/millrace-hdl/millrace/bus"
	"github.com/millrace-hdl/millrace/hdl"
)

// Suffix names the variant.
func (p BusParams) Suffix() string { return fmt.Sprintf("%dx%d", p.DataWidth, p.AddrWidth) }

// Validate requires widths that all buses have.
func (p BusParams) Validate() error {
	if p.DataWidth != 8 && p.DataWidth != 16 && p.DataWidth != 32 && p.DataWidth != 64 || p.AddrWidth < 1 || p.AddrWidth > 64 {
		return fmt.Errorf("register bus of %d bits with addresses of %d bits; allowed: 8, 16, 32 or 64, with 1 to 64", p.DataWidth, p.AddrWidth)
	}
	return nil
}

// APBIO is the interface of [FromAPB].
type APBIO struct {
	S    bus.APB `hdl:"in"`
	Regs Bus
}

// FromAPB is an APB4 completer in front of a register file (IHI 0024). It adds no
// cycle: the access happens in the first access cycle, and PREADY waits while it is
// held up. An address without a register is answered with PSLVERR.
func FromAPB(m *hdl.Module, p BusParams) APBIO {
	m.Doc("APB4 completer in front of a register file.")
	io := hdl.Ports(m, "", hdl.Source, APBIO{
		S: bus.NewAPB(bus.APBParams{DataWidth: p.DataWidth, AddrWidth: p.AddrWidth}), Regs: NewBus(p),
	}, hdl.MayBeUnused())
	io.Regs.Valid.Set(io.S.PSel.And(io.S.PEnable))
	io.Regs.Write.Set(io.S.PWrite)
	io.Regs.Addr.Set(io.S.PAddr)
	io.Regs.WData.Set(io.S.PWData)
	io.Regs.Strb.Set(io.S.PStrb)
	io.S.PReady.Set(io.Regs.Ready)
	io.S.PRData.Set(io.Regs.RData)
	io.S.PSlvErr.Set(io.Regs.Err.And(io.S.PSel).And(io.S.PEnable))
	return io
}
