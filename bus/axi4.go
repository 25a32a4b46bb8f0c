// Package bus holds on-chip buses as bundles: the signals of each protocol with
// their widths, directions and standard names, ready for [hdl.Ports],
// [hdl.Connect] and [hdl.Inst]. A bundle is written from the side of the manager
// (the source of requests); [hdl.Sink] makes a subordinate of it.
package bus

import "github.com/millrace-hdl/millrace/hdl"

// AXI4Params are the widths of an AXI4 interface, in bits.
type AXI4Params struct {
	DataWidth, AddrWidth, IDWidth, UserWidth int
}

// AXI4 is a full AXI4 interface (IHI 0022, A2): five channels, each a valid/ready
// stream. With the prefix m_axi its ports are m_axi_awvalid, m_axi_awaddr, and so
// on, as vendor tools infer them.
type AXI4 struct {
	AXI4Writes
	AXI4Reads
}

// AXI4Reads is the reading half of an AXI4 interface.
type AXI4Reads struct {
	AR hdl.Stream[AXI4Addr] `hdl:"name=ar,glue"`
	R  hdl.Stream[AXI4Read] `hdl:"in,name=r,glue"`
}

// AXI4Writes is the writing half of an AXI4 interface.
type AXI4Writes struct {
	AW hdl.Stream[AXI4Addr]  `hdl:"name=aw,glue"`
	W  hdl.Stream[AXI4Write] `hdl:"name=w,glue"`
	B  hdl.Stream[AXI4Resp]  `hdl:"in,name=b,glue"`
}

// AXI4Addr is the payload of AW and AR.
type AXI4Addr struct {
	ID     hdl.Var
	Addr   hdl.Var
	Len    hdl.Var // beats minus one
	Size   hdl.Var // log2 of bytes a beat
	Burst  hdl.Var // FIXED 0, INCR 1, WRAP 2
	Lock   hdl.Var
	Cache  hdl.Var
	Prot   hdl.Var
	QoS    hdl.Var `hdl:"name=qos"`
	Region hdl.Var
	User   hdl.Var
}

// AXI4Write is the payload of W.
type AXI4Write struct {
	Data hdl.Var
	Strb hdl.Var // one bit a byte
	Last hdl.Var
	User hdl.Var
}

// AXI4Resp is the payload of B.
type AXI4Resp struct {
	ID   hdl.Var
	Resp hdl.Var // OKAY 0, EXOKAY 1, SLVERR 2, DECERR 3
	User hdl.Var
}

// AXI4Read is the payload of R.
type AXI4Read struct {
	ID   hdl.Var
	Data hdl.Var
	Resp hdl.Var
	Last hdl.Var
	User hdl.Var
}

// BurstINCR is the AxBURST value of an incrementing burst.
const BurstINCR = 1

// NewAXI4 is the bundle of types for the given widths.
func NewAXI4(p AXI4Params) AXI4 {
	addr := AXI4Addr{
		ID: hdl.U(p.IDWidth), Addr: hdl.U(p.AddrWidth), Len: hdl.U(8), Size: hdl.U(3), Burst: hdl.U(2),
		Lock: hdl.Bool(), Cache: hdl.U(4), Prot: hdl.U(3), QoS: hdl.U(4), Region: hdl.U(4), User: hdl.U(p.UserWidth),
	}
	return AXI4{
		AXI4Writes{
			AW: hdl.StreamOf(addr),
			W: hdl.StreamOf(AXI4Write{
				Data: hdl.U(p.DataWidth), Strb: hdl.U(p.DataWidth / 8), Last: hdl.Bool(), User: hdl.U(p.UserWidth),
			}),
			B: hdl.StreamOf(AXI4Resp{ID: hdl.U(p.IDWidth), Resp: hdl.U(2), User: hdl.U(p.UserWidth)}),
		},
		AXI4Reads{
			AR: hdl.StreamOf(addr),
			R: hdl.StreamOf(AXI4Read{
				ID: hdl.U(p.IDWidth), Data: hdl.U(p.DataWidth), Resp: hdl.U(2), Last: hdl.Bool(), User: hdl.U(p.UserWidth),
			}),
		},
	}
}
