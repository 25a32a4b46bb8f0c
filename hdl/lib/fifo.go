// Package lib holds the small modules that hardware is made of, written in the
// language itself, each with its contract.
package lib

import (
	"fmt"

	"github.com/millrace-hdl/millrace/hdl"
	"github.com/millrace-hdl/millrace/hdl/ir"
)

// FIFOParams are the parameters of [FIFO].
type FIFOParams struct {
	Width int // bits of an element, at least 1
	Depth int // elements, at least 1
}

// Validate requires both to be at least 1.
func (p FIFOParams) Validate() error {
	if p.Width < 1 || p.Depth < 1 {
		return fmt.Errorf("FIFO of %d elements of %d bits: both must be at least 1", p.Depth, p.Width)
	}
	return nil
}

// Suffix names the variant.
func (p FIFOParams) Suffix() string { return fmt.Sprintf("%dx%d", p.Depth, p.Width) }

// FIFOIO is the interface of [FIFO].
type FIFOIO struct {
	In  hdl.Stream[hdl.Var] `hdl:"in"`
	Out hdl.Stream[hdl.Var]
}

// FIFO is a first-in first-out queue. An element accepted in one cycle can leave
// in the next, at the earliest. Ready is zero exactly while the queue is full and
// does not depend on the other side's ready, so a queue of depth 1 moves an
// element every second cycle, and any deeper one every cycle.
func FIFO(m *hdl.Module, p FIFOParams) FIFOIO {
	m.Doc(fmt.Sprintf("First-in first-out queue of %d elements of %d bits.", p.Depth, p.Width))
	t := hdl.StreamOf(hdl.U(p.Width))
	in, out := hdl.Ports(m, "in", hdl.Sink, t), hdl.Ports(m, "out", hdl.Source, t)

	count := m.Reg("count_q", hdl.U(ir.AddrBits(p.Depth+1)))
	push, pop := m.Let("push", in.Fire()), m.Let("pop", out.Fire())
	in.Ready.Set(count.Ne(hdl.K(p.Depth)))
	out.Valid.Set(count.Any())
	m.If(push.AndNot(pop), func() { count.Set(count.Add(hdl.K(1))) }).
		ElseIf(pop.AndNot(push), func() { count.Set(count.Sub(hdl.K(1))) })

	if p.Depth == 1 {
		item := m.Reg("item_q", hdl.U(p.Width), hdl.NoReset())
		m.If(push, func() { item.Set(in.Data) })
		out.Data.Set(item)
		return FIFOIO{in, out}
	}
	mem := m.Mem("items", hdl.U(p.Width), p.Depth)
	wr := ring(m, "wr_q", p.Depth, push)
	rd := ring(m, "rd_q", p.Depth, pop)
	m.If(push, func() { mem.Write(wr, in.Data) })
	out.Data.Set(mem.Read(rd))
	return FIFOIO{in, out}
}

// ring is a register that counts 0 … n−1 and wraps, one step where en holds.
func ring(m *hdl.Module, name string, n int, en hdl.Signal) hdl.Signal {
	r := m.Reg(name, hdl.U(ir.AddrBits(n)))
	m.If(en, func() {
		if n&(n-1) == 0 {
			r.Set(r.Add(hdl.K(1)))
			return
		}
		r.Set(hdl.Mux(r.Eq(hdl.K(n-1)), hdl.K(0), r.Add(hdl.K(1))))
	})
	return r.Signal
}

// Queue places a [FIFO] of the given depth behind a stream of any payload and
// returns the stream that leaves it.
func Queue[T any](m *hdl.Module, name string, depth int, in hdl.Stream[T]) hdl.Stream[T] {
	q := hdl.Inst(m, name, FIFO, FIFOParams{Width: hdl.WidthOf(in.Data), Depth: depth})
	q.In.Valid.Set(in.Valid)
	q.In.Data.Set(hdl.Pack(in.Data))
	in.Ready.Set(q.In.Ready)
	return hdl.Stream[T]{Valid: q.Out.Valid, Ready: q.Out.Ready, Data: hdl.Unpack(in.Data, q.Out.Data.Signal)}
}
