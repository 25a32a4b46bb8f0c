package bus

import "github.com/millrace-hdl/millrace/hdl"

// AXILiteParams are the widths of an AXI4-Lite interface, in bits.
type AXILiteParams struct {
	DataWidth, AddrWidth int
}

// AXILite is an AXI4-Lite interface (IHI 0022, B1): AXI4 with single beats of the
// bus width, without identifiers, and answered in order.
type AXILite struct {
	AXILiteWrites
	AXILiteReads
}

// AXILiteReads is the reading half of an AXI4-Lite interface.
type AXILiteReads struct {
	AR hdl.Stream[AXILiteAddr] `hdl:"name=ar,glue"`
	R  hdl.Stream[AXILiteRead] `hdl:"in,name=r,glue"`
}

// AXILiteWrites is the writing half of an AXI4-Lite interface.
type AXILiteWrites struct {
	AW hdl.Stream[AXILiteAddr]  `hdl:"name=aw,glue"`
	W  hdl.Stream[AXILiteWrite] `hdl:"name=w,glue"`
	B  hdl.Stream[AXILiteResp]  `hdl:"in,name=b,glue"`
}

// AXILiteAddr is the payload of AW and AR.
type AXILiteAddr struct {
	Addr hdl.Var
	Prot hdl.Var
}

// AXILiteWrite is the payload of W.
type AXILiteWrite struct {
	Data hdl.Var
	Strb hdl.Var // one bit a byte
}

// AXILiteResp is the payload of B.
type AXILiteResp struct {
	Resp hdl.Var // OKAY 0, SLVERR 2, DECERR 3
}

// AXILiteRead is the payload of R.
type AXILiteRead struct {
	Data hdl.Var
	Resp hdl.Var
}

// NewAXILite is the bundle of types for the given widths.
func NewAXILite(p AXILiteParams) AXILite {
	addr := AXILiteAddr{Addr: hdl.U(p.AddrWidth), Prot: hdl.U(3)}
	return AXILite{
		AXILiteWrites{
			AW: hdl.StreamOf(addr),
			W:  hdl.StreamOf(AXILiteWrite{Data: hdl.U(p.DataWidth), Strb: hdl.U(p.DataWidth / 8)}),
			B:  hdl.StreamOf(AXILiteResp{Resp: hdl.U(2)}),
		},
		AXILiteReads{
			AR: hdl.StreamOf(addr),
			R:  hdl.StreamOf(AXILiteRead{Data: hdl.U(p.DataWidth), Resp: hdl.U(2)}),
		},
	}
}
