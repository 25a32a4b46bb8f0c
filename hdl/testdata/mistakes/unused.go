package mistakes

import "github.com/millrace-hdl/millrace/hdl"

// MeterIO is the interface of [Meter].
type MeterIO struct {
	Pulse hdl.Var `hdl:"in"`
	Count hdl.Var
}

// Meter counts pulses. An earlier version also kept the longest pause.
func Meter(m *hdl.Module, _ none) MeterIO {
	io := hdl.Ports(m, "", hdl.Source, MeterIO{Pulse: hdl.Bool(), Count: hdl.U(8)})
	count := m.Reg("count_q", hdl.U(8))
	pause := m.Reg("pause_q", hdl.U(8)) // mistake
	m.If(io.Pulse, func() {
		count.Set(count.Add(hdl.K(1)))
		pause.Set(hdl.K(0))
	}).Else(func() {
		pause.Set(pause.Add(hdl.K(1)))
	})
	io.Count.Set(count)
	return io
}
