package bus

import "github.com/millrace-hdl/millrace/hdl"

// TileLinkParams are the widths of a TileLink interface, in bits.
type TileLinkParams struct {
	DataWidth, AddrWidth, SourceWidth, SinkWidth int
	SizeWidth                                    int // of size, the logarithm of the bytes
}

// TileLink is a TileLink interface of the conformance levels UL and UH
// (specification 1.8, chapters 6 to 8): the channels A of requests and D of
// answers. A message of more bytes than the bus is wide takes several beats.
type TileLink struct {
	A hdl.Stream[TileLinkA]
	D hdl.Stream[TileLinkD] `hdl:"in"`
}

// TileLinkA is the payload of channel A.
type TileLinkA struct {
	Opcode  hdl.Var // a TLPutFull, TLPutPartial, TLGet, …
	Param   hdl.Var
	Size    hdl.Var // log2 of the bytes
	Source  hdl.Var
	Address hdl.Var // a multiple of the bytes
	Mask    hdl.Var // one bit a byte
	Data    hdl.Var
	Corrupt hdl.Var
}

// TileLinkD is the payload of channel D.
type TileLinkD struct {
	Opcode  hdl.Var // TLAccessAck or TLAccessAckData
	Param   hdl.Var
	Size    hdl.Var // of the request
	Source  hdl.Var // of the request
	Sink    hdl.Var
	Denied  hdl.Var // the request was refused
	Data    hdl.Var
	Corrupt hdl.Var // the data of this beat are wrong
}

// Opcodes of channel A.
const (
	TLPutFull    = 0
	TLPutPartial = 1
	TLArithmetic = 2
	TLLogical    = 3
	TLGet        = 4
	TLIntent     = 5
)

// Opcodes of channel D.
const (
	TLAccessAck     = 0
	TLAccessAckData = 1
	TLHintAck       = 2
)

// NewTileLink is the bundle of types for the given widths.
func NewTileLink(p TileLinkParams) TileLink {
	return TileLink{
		A: hdl.StreamOf(TileLinkA{
			Opcode: hdl.U(3), Param: hdl.U(3), Size: hdl.U(p.SizeWidth), Source: hdl.U(p.SourceWidth), Address: hdl.U(p.AddrWidth),
			Mask: hdl.U(p.DataWidth / 8), Data: hdl.U(p.DataWidth), Corrupt: hdl.Bool(),
		}),
		D: hdl.StreamOf(TileLinkD{
			Opcode: hdl.U(3), Param: hdl.U(2), Size: hdl.U(p.SizeWidth), Source: hdl.U(p.SourceWidth), Sink: hdl.U(p.SinkWidth),
			Denied: hdl.Bool(), Data: hdl.U(p.DataWidth), Corrupt: hdl.Bool(),
		}),
	}
}
