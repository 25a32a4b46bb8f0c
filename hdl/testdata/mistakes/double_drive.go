package mistakes

import "github.com/millrace-hdl/millrace/hdl"

// StatusIO is the interface of [Status].
type StatusIO struct {
	Level hdl.Var `hdl:"in"`
	Flags hdl.Var `hdl:"in"`
	Word  hdl.Var
}

// Status puts a fill level and some flags into one word. The level has bits 0 to 4,
// and the flags were meant to follow.
func Status(m *hdl.Module, _ none) StatusIO {
	io := hdl.Ports(m, "", hdl.Source, StatusIO{Level: hdl.U(5), Flags: hdl.U(4), Word: hdl.U(8)})
	io.Word.Part(0, 5).Set(io.Level)
	io.Word.Part(4, 4).Set(io.Flags) // mistake
	return io
}
