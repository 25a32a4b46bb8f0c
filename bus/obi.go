package bus

import "github.com/millrace-hdl/millrace/hdl"

// OBIParams are the widths of an OBI interface, in bits.
type OBIParams struct {
	DataWidth, AddrWidth, IDWidth int
	// RReady adds rready, with which the manager may hold up responses; without it,
	// the manager takes each response in the cycle in which it comes.
	RReady bool
}

// OBI is an Open Bus Interface (version 1.5): an address channel with req and gnt,
// and a response channel with rvalid and, as an option, rready. Every request is
// answered, writes too, in the order of the requests.
type OBI struct {
	Req    hdl.Var
	Gnt    hdl.Var   `hdl:"in"`
	A      OBIAddr   `hdl:"name="`
	RValid hdl.Var   `hdl:"in,name=rvalid"`
	RReady []hdl.Var `hdl:"opt,name=rready"`
	R      OBIResp   `hdl:"in,name="`
}

// OBIAddr is the payload of the address channel.
type OBIAddr struct {
	Addr  hdl.Var // byte address
	WE    hdl.Var `hdl:"name=we"` // a write
	BE    hdl.Var `hdl:"name=be"` // one bit a byte, for reads too
	WData hdl.Var `hdl:"name=wdata"`
	AID   hdl.Var `hdl:"name=aid"`
}

// OBIResp is the payload of the response channel.
type OBIResp struct {
	RData hdl.Var `hdl:"name=rdata"`
	Err   hdl.Var
	RID   hdl.Var `hdl:"name=rid"`
}

// NewOBI is the bundle of types for the given widths.
func NewOBI(p OBIParams) OBI {
	b := OBI{
		Req: hdl.Bool(), Gnt: hdl.Bool(),
		A: OBIAddr{
			Addr: hdl.U(p.AddrWidth), WE: hdl.Bool(), BE: hdl.U(p.DataWidth / 8), WData: hdl.U(p.DataWidth), AID: hdl.U(p.IDWidth),
		},
		RValid: hdl.Bool(),
		R:      OBIResp{RData: hdl.U(p.DataWidth), Err: hdl.Bool(), RID: hdl.U(p.IDWidth)},
	}
	if p.RReady {
		b.RReady = []hdl.Var{hdl.Bool()}
	}
	return b
}
