package lib

import "github.com/millrace-hdl/millrace/hdl"

// fallThrough is [FIFO] with a path from in to out: while the queue is empty, what
// is offered to it is offered by it, and what is taken at once is not stored.
func fallThrough(m *hdl.Module, p FIFOParams, io FIFOIO) {
	in, out := io.In, io.Out
	count := m.Reg("count_q", hdl.U(hdl.AddrBits(p.Depth+1)))
	holds := m.Let("holds", count.Any())
	pass := m.Let("pass", hdl.AllOf(holds.Not(), in.Valid.Signal, out.Ready.Signal))
	push, pop := m.Let("push", in.Fire().AndNot(pass)), m.Let("pop", holds.And(out.Ready))
	m.If(push.AndNot(pop), func() { count.Set(count.Add(hdl.K(1))) }).
		ElseIf(pop.AndNot(push), func() { count.Set(count.Sub(hdl.K(1))) })
	in.Ready.Set(count.Ne(hdl.K(p.Depth)))
	out.Valid.Set(in.Valid.Or(holds))
	io.Busy.Set(holds)
	out.Data.Data.Set(hdl.Mux(holds, storage(m, p, push, pop, in.Data.Data.Signal), in.Data.Data))
	m.Cover("passes", pass)
}
