package mistakes

import "github.com/millrace-hdl/millrace/hdl"

// UrgencyIO is the interface of [Urgency].
type UrgencyIO struct {
	Request hdl.Var `hdl:"in"`
	Level   hdl.Var
}

// Urgency is 1 where anybody requests. The last line was meant as a default, but it
// comes last and wins.
func Urgency(m *hdl.Module, _ none) UrgencyIO {
	io := hdl.Ports(m, "", hdl.Source, UrgencyIO{Request: hdl.U(4), Level: hdl.U(2)})
	m.If(io.Request.Any(), func() { io.Level.Set(hdl.K(1)) })
	io.Level.Set(hdl.K(0)) // mistake
	return io
}
