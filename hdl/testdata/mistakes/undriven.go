package mistakes

import "github.com/millrace-hdl/millrace/hdl"

// AlarmIO is the interface of [Alarm].
type AlarmIO struct {
	Hot   hdl.Var `hdl:"in"`
	Siren hdl.Var
	Light hdl.Var
}

// Alarm has two outputs, and only one of them was thought of.
func Alarm(m *hdl.Module, _ none) AlarmIO {
	io := hdl.Ports(m, "", hdl.Source, AlarmIO{Hot: hdl.Bool(), Siren: hdl.Bool(), Light: hdl.Bool()}) // mistake
	io.Siren.Set(io.Hot)
	return io
}
