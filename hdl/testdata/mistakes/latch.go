package mistakes

import "github.com/millrace-hdl/millrace/hdl"

// ArbiterIO is the interface of [Arbiter].
type ArbiterIO struct {
	Request hdl.Var `hdl:"in"`
	Grant   hdl.Var
}

// Arbiter serves one of two requests, and says nothing of when there is none.
func Arbiter(m *hdl.Module, _ none) ArbiterIO {
	io := hdl.Ports(m, "", hdl.Source, ArbiterIO{Request: hdl.U(2), Grant: hdl.U(2)}) // mistake
	m.If(io.Request.Bit(0), func() {
		io.Grant.Set(hdl.K(1))
	}).ElseIf(io.Request.Bit(1), func() {
		io.Grant.Set(hdl.K(2))
	})
	return io
}
