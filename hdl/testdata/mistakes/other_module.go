package mistakes

import "github.com/millrace-hdl/millrace/hdl"

// TimerIO is the interface of a timer.
type TimerIO struct {
	Expired hdl.Var
}

// WatchdogIO is the interface of [Watchdog].
type WatchdogIO struct {
	Bark hdl.Var
}

// Watchdog looks into the timer's register instead of at its output.
func Watchdog(m *hdl.Module, _ none) WatchdogIO {
	io := hdl.Ports(m, "", hdl.Source, WatchdogIO{Bark: hdl.Bool()})
	var count hdl.Var
	timer := hdl.Inst(m, "timer", func(m *hdl.Module, _ none) TimerIO {
		io := hdl.Ports(m, "", hdl.Source, TimerIO{Expired: hdl.Bool()})
		count = m.Reg("count_q", hdl.U(8))
		count.Set(count.Add(hdl.K(1)))
		io.Expired.Set(count.All())
		return io
	}, none{})
	io.Bark.Set(timer.Expired.Or(count.Bit(7))) // mistake
	return io
}
