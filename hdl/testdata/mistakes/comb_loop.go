package mistakes

import "github.com/millrace-hdl/millrace/hdl"

// HandshakeIO is the interface of [Handshake].
type HandshakeIO struct {
	Start hdl.Var `hdl:"in"`
	Done  hdl.Var
}

// Handshake has two signals that wait for each other in the same cycle.
func Handshake(m *hdl.Module, _ none) HandshakeIO {
	io := hdl.Ports(m, "", hdl.Source, HandshakeIO{Start: hdl.Bool(), Done: hdl.Bool()})
	busy := m.Wire("busy", hdl.Bool())
	ready := m.Wire("ready", hdl.Bool())
	busy.Set(io.Start.And(ready)) // mistake
	ready.Set(busy.Not())
	io.Done.Set(ready)
	return io
}
