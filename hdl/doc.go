// Package hdl is a hardware description language in Go. A module is a Go function
// that receives a [Module] and a parameter struct, and returns its interface; it
// runs once per distinct parameter set and records what it is told: ports, wires,
// registers, memories, instances, and assignments under If and Switch. A [Signal]
// is read, a [Var] can also be Set, and a literal [K] takes its type from the
// context. Go's own if and for select hardware at elaboration; m.If builds it.
//
// Widths are strict: operands are equally wide, Set is exact, and Trunc, Ext and
// Resize are explicit. Registers hold their value unless assigned; wires must be
// assigned on every path or have a Default. [Elaborate] runs every check and
// returns either an [ir.Design] or all mistakes, each with its file and line.
//
//	type CounterIO struct {
//		En  hdl.Var `hdl:"in"`
//		Cnt hdl.Var `hdl:"out"`
//	}
//
//	func Counter(m *hdl.Module, p CounterParams) CounterIO {
//		io := hdl.Ports(m, "", hdl.Source, CounterIO{En: hdl.Bool(), Cnt: hdl.U(p.Width)})
//		cnt := m.Reg("cnt_q", hdl.U(p.Width))
//		m.If(io.En, func() { cnt.Set(cnt.Add(hdl.K(1))) })
//		io.Cnt.Set(cnt)
//		return io
//	}
package hdl
