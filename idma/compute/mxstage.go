package compute

import "github.com/millrace-hdl/millrace/hdl"

// registered is a stream behind a register: what is taken in a cycle is offered in the
// next, one in every cycle.
func registered[T any](m *hdl.Module, name string, in hdl.Stream[T]) hdl.Stream[T] {
	full := m.Reg(name+"_valid_q", hdl.Bool())
	data := hdl.Regs(m, name+"_q", in.Data, hdl.NoReset())
	out := hdl.Stream[T]{Valid: full, Ready: m.Wire(name+"_ready", hdl.Bool()), Data: data}
	in.Ready.Set(full.Not().Or(out.Ready))
	m.If(in.Ready, func() { full.Set(in.Valid) })
	m.If(in.Fire(), func() { hdl.Assign(data, in.Data) })
	return out
}

// lastOf is whether the next that goes is the last of n; where cut holds, it is as well.
func lastOf(m *hdl.Module, name string, n int, goes, cut hdl.Signal) hdl.Signal {
	if n == 1 {
		return hdl.Const(1, 1)
	}
	count := m.Reg(name+"_count_q", hdl.U(hdl.AddrBits(n)))
	last := m.Let(name+"_last", count.Eq(hdl.K(n-1)).Or(cut))
	m.If(goes, func() { count.Set(hdl.Mux(last, hdl.K(0), count.Add(hdl.K(1)))) })
	return last
}
