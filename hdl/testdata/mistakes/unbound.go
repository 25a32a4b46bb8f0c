package mistakes

import "github.com/millrace-hdl/millrace/hdl"

// ParityIO is the interface of [Parity].
type ParityIO struct {
	Data hdl.Var `hdl:"in"`
	Odd  hdl.Var
}

// Parity calculates with the type of the data instead of the port that Ports made.
func Parity(m *hdl.Module, _ none) ParityIO {
	types := ParityIO{Data: hdl.U(8), Odd: hdl.Bool()}
	io := hdl.Ports(m, "", hdl.Source, types)
	io.Odd.Set(types.Data.Parity()) // mistake
	return io
}
