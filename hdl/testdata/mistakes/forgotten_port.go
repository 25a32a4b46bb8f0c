package mistakes

import "github.com/millrace-hdl/millrace/hdl"

// CounterIO is the interface of [Counter].
type CounterIO struct {
	Count hdl.Var
}

// Counter has got an enable, which its interface does not know yet: nobody who
// instantiates it could connect that.
func Counter(m *hdl.Module, _ none) CounterIO {
	io := hdl.Ports(m, "", hdl.Source, CounterIO{Count: hdl.U(8)})
	enable := m.In("enable", hdl.Bool()) // mistake
	count := m.Reg("count_q", hdl.U(8), hdl.Enable(enable))
	count.Set(count.Add(hdl.K(1)))
	io.Count.Set(count)
	return io
}
