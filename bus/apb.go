package bus

import "github.com/millrace-hdl/millrace/hdl"

// APBParams are the widths of an APB4 interface, in bits.
type APBParams struct {
	DataWidth, AddrWidth int
}

// APB is an APB4 interface (IHI 0024, version 2.0) of one completer, written from
// the requester's side: a setup cycle with psel, then access cycles with penable
// until pready.
type APB struct {
	PSel    hdl.Var `hdl:"name=psel"`
	PEnable hdl.Var `hdl:"name=penable"`
	PWrite  hdl.Var `hdl:"name=pwrite"`
	PAddr   hdl.Var `hdl:"name=paddr"`
	PProt   hdl.Var `hdl:"name=pprot"`
	PWData  hdl.Var `hdl:"name=pwdata"`
	PStrb   hdl.Var `hdl:"name=pstrb"` // one bit a byte; zero for reads
	PReady  hdl.Var `hdl:"in,name=pready"`
	PRData  hdl.Var `hdl:"in,name=prdata"`
	PSlvErr hdl.Var `hdl:"in,name=pslverr"`
}

// NewAPB is the bundle of types for the given widths.
func NewAPB(p APBParams) APB {
	return APB{
		PSel: hdl.Bool(), PEnable: hdl.Bool(), PWrite: hdl.Bool(), PAddr: hdl.U(p.AddrWidth), PProt: hdl.U(3),
		PWData: hdl.U(p.DataWidth), PStrb: hdl.U(p.DataWidth / 8), PReady: hdl.Bool(), PRData: hdl.U(p.DataWidth), PSlvErr: hdl.Bool(),
	}
}
