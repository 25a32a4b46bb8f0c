package regs

import "github.com/millrace-hdl/millrace/hdl"

// Bus is the bus of a register file, written from the side of the one that asks. An
// access is done in the cycle in which Valid and Ready are one, and answered in that
// cycle. Ready depends on the request within the cycle. A request that is held up
// leaves no trace and may be withdrawn or exchanged for another, so that a read which
// waits need not hold up a write.
type Bus struct {
	Valid hdl.Var
	Write hdl.Var
	Addr  hdl.Var // byte offset; the bits within a word do not count
	WData hdl.Var `hdl:"name=wdata"`
	Strb  hdl.Var // one bit a byte, for writes
	Ready hdl.Var `hdl:"in"`
	RData hdl.Var `hdl:"in,name=rdata"`
	Err   hdl.Var `hdl:"in"` // there is no register at Addr; nothing was done
}

// BusParams are the widths of a [Bus] and of the adapters to it, in bits.
type BusParams struct {
	DataWidth, AddrWidth int
}

// NewBus is the bundle of types for the given widths.
func NewBus(p BusParams) Bus {
	return Bus{
		Valid: hdl.Bool(), Write: hdl.Bool(), Addr: hdl.U(p.AddrWidth), WData: hdl.U(p.DataWidth), Strb: hdl.U(p.DataWidth / 8),
		Ready: hdl.Bool(), RData: hdl.U(p.DataWidth), Err: hdl.Bool(),
	}
}

// Widths are those of the map's bus.
func (m *Map) Widths() BusParams { return BusParams{m.DataWidth, m.AddrWidth} }
