package mistakes

import "github.com/millrace-hdl/millrace/hdl"

// OffsetIO is the interface of [Offset].
type OffsetIO struct {
	Address hdl.Var `hdl:"in"`
	Step    hdl.Var `hdl:"in"`
	Next    hdl.Var
}

// Offset moves an address by a step that may be negative.
func Offset(m *hdl.Module, _ none) OffsetIO {
	io := hdl.Ports(m, "", hdl.Source, OffsetIO{Address: hdl.U(16), Step: hdl.S(16), Next: hdl.U(16)})
	io.Next.Set(io.Address.Add(io.Step)) // mistake
	return io
}
