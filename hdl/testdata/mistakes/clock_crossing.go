package mistakes

import "github.com/millrace-hdl/millrace/hdl"

// ButtonIO is the interface of [Button].
type ButtonIO struct {
	Pressed hdl.Var `hdl:"in"`
	Count   hdl.Var
}

// Button counts, at the fast clock, what a register of the slow clock has sampled.
func Button(m *hdl.Module, _ none) ButtonIO {
	slow := m.Domain("slow")
	io := ButtonIO{Pressed: m.In("pressed", hdl.Bool(), hdl.On(slow)), Count: m.Out("count", hdl.U(8))}
	sampled := m.RegNext("sampled_q", io.Pressed, hdl.On(slow))
	count := m.Reg("count_q", hdl.U(8))
	m.If(sampled, func() { count.Set(count.Add(hdl.K(1))) }) // mistake
	io.Count.Set(count)
	return io
}
