package bus

import "github.com/millrace-hdl/millrace/hdl"

// AXIStreamParams are the widths of an AXI4-Stream interface, in bits. A width of 0
// leaves the signal out, but for the data.
type AXIStreamParams struct {
	DataWidth, IDWidth, DestWidth, UserWidth int
}

// AXIStream is an AXI4-Stream interface (IHI 0051), written from the transmitter's
// side. With the prefix m_axis its ports are m_axis_tvalid, m_axis_tdata, and so on.
type AXIStream struct {
	T hdl.Stream[AXIStreamBeat] `hdl:"name=t,glue"`
}

// AXIStreamBeat is one transfer of the stream. A byte with its bits of Keep and
// Strb both one is data; with Keep alone it is a position byte, and with neither it
// is a null byte, which interconnects may remove. Strb without Keep is reserved.
type AXIStreamBeat struct {
	Data hdl.Var
	Strb hdl.Var   // one bit a byte
	Keep hdl.Var   // one bit a byte
	Last hdl.Var   // end of a packet
	ID   []hdl.Var `hdl:"opt,name=id"`
	Dest []hdl.Var `hdl:"opt"`
	User []hdl.Var `hdl:"opt"`
}

// NewAXIStream is the bundle of types for the given widths.
func NewAXIStream(p AXIStreamParams) AXIStream {
	return AXIStream{T: hdl.StreamOf(AXIStreamBeat{
		Data: hdl.U(p.DataWidth), Strb: hdl.U(p.DataWidth / 8), Keep: hdl.U(p.DataWidth / 8), Last: hdl.Bool(),
		ID: present(p.IDWidth), Dest: present(p.DestWidth), User: present(p.UserWidth),
	})}
}

// present is the type of a signal that a width of 0 leaves out.
func present(width int) []hdl.Var {
	if width == 0 {
		return nil
	}
	return []hdl.Var{hdl.U(width)}
}
