package mistakes

import "github.com/millrace-hdl/millrace/hdl"

// DividerIO is the interface of [Divider].
type DividerIO struct {
	Tick hdl.Var
}

// Divider ticks once in a thousand cycles. Its counter is too short for that.
func Divider(m *hdl.Module, _ none) DividerIO {
	io := hdl.Ports(m, "", hdl.Source, DividerIO{Tick: hdl.Bool()})
	count := m.Reg("count_q", hdl.U(8))
	last := m.Let("last", count.Eq(hdl.K(999))) // mistake
	count.Set(hdl.Mux(last, hdl.K(0), count.Add(hdl.K(1))))
	io.Tick.Set(last)
	return io
}
