package mistakes

import "github.com/millrace-hdl/millrace/hdl"

// OpcodeIO is the interface of [Opcode].
type OpcodeIO struct {
	Word hdl.Var `hdl:"in"`
	Op   hdl.Var
}

// Opcode takes the upper four bits of a word. They are 15 to 12.
func Opcode(m *hdl.Module, _ none) OpcodeIO {
	io := hdl.Ports(m, "", hdl.Source, OpcodeIO{Word: hdl.U(16), Op: hdl.U(4)})
	io.Op.Set(io.Word.Bits(16, 13)) // mistake
	return io
}
