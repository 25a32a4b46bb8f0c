// Package lib holds the small modules that hardware is made of, written in the
// language itself, each with its contract.
package lib

import (
	"errors"
	"fmt"

	"github.com/millrace-hdl/millrace/hdl"
)

// FIFOParams are the parameters of [FIFO].
type FIFOParams struct {
	Width int // bits of an element, at least 1
	Depth int // elements, at least 1
	// Block keeps the elements in a memory with a registered read, which FPGAs have
	// as blocks, and one more in its output register. An element then leaves at the
	// earliest two cycles after it was accepted.
	Block bool
	// FallThrough offers an element already in the cycle in which it is offered to an
	// empty queue.
	FallThrough bool
}

// Validate requires both to be at least 1, and not both Block and FallThrough.
func (p FIFOParams) Validate() error {
	if p.Width < 1 || p.Depth < 1 {
		return fmt.Errorf("FIFO of %d elements of %d bits: both must be at least 1", p.Depth, p.Width)
	}
	if p.Block && p.FallThrough {
		return errors.New("FIFO with both Block and FallThrough: what is in a block memory cannot leave at once; choose one")
	}
	return nil
}

// Suffix names the variant.
func (p FIFOParams) Suffix() string {
	s := fmt.Sprintf("%dx%d", p.Depth, p.Width)
	if p.Block {
		s += "_block"
	}
	if p.FallThrough {
		s += "_fall"
	}
	return s
}

// FIFOIO is the interface of [FIFO].
type FIFOIO struct {
	In  hdl.Stream[Word] `hdl:"in"`
	Out hdl.Stream[Word]
	// Busy is one while the queue holds an element, whether or not it is offered.
	Busy hdl.Var
}

// Word is a payload of one vector.
type Word struct{ Data hdl.Var }

// FIFO is a first-in first-out queue. An element accepted in one cycle can leave
// in the next, at the earliest, or in the same with FallThrough. Ready is zero exactly while the queue is full and
// does not depend on the other side's ready, so a queue of depth 1 moves an
// element every second cycle, and any deeper one, or one with FallThrough whose
// elements are taken at once, every cycle.
func FIFO(m *hdl.Module, p FIFOParams) FIFOIO {
	m.Doc(fmt.Sprintf("First-in first-out queue of %d elements of %d bits.", p.Depth, p.Width))
	t := hdl.StreamOf(Word{hdl.U(p.Width)})
	in, out := hdl.Ports(m, "in", hdl.Sink, t), hdl.Ports(m, "out", hdl.Source, t)

	io := FIFOIO{in, out, m.Out("busy", hdl.Bool())}
	obey(m, "in", hdl.Sink, in)
	obey(m, "out", hdl.Source, out)
	switch {
	case p.Block:
		blockFIFO(m, p, io)
		return io
	case p.FallThrough:
		fallThrough(m, p, io)
		return io
	}
	push, pop := m.Let("push", in.Fire()), m.Let("pop", out.Fire())
	count := occupancy(m, p.Depth, push, pop)
	in.Ready.Set(count.Ne(hdl.K(p.Depth)))
	out.Valid.Set(count.Any())
	io.Busy.Set(out.Valid)

	out.Data.Data.Set(storage(m, p, push, pop, in.Data.Data.Signal))
	return io
}

// storage keeps data where push holds and returns the oldest, which goes where pop
// holds.
func storage(m *hdl.Module, p FIFOParams, push, pop, data hdl.Signal) hdl.Signal {
	if p.Depth == 1 {
		item := m.Reg("item_q", hdl.U(p.Width), hdl.NoReset())
		m.If(push, func() { item.Set(data) })
		return item.Signal
	}
	mem := m.Mem("items", hdl.U(p.Width), p.Depth)
	wr := ring(m, "wr_q", p.Depth, push)
	rd := ring(m, "rd_q", p.Depth, pop)
	m.If(push, func() { mem.Write(wr, data) })
	return mem.Read(rd)
}

// blockFIFO is [FIFO] with a registered read: whenever the output register is free
// and the memory holds something, the register takes the oldest element.
func blockFIFO(m *hdl.Module, p FIFOParams, io FIFOIO) {
	full := m.Reg("out_valid_q", hdl.Bool(), hdl.Doc("The output register holds an element."))
	push := m.Let("push", io.In.Fire())
	fetch := m.Wire("fetch", hdl.Bool())
	count := occupancy(m, p.Depth, push, fetch.Signal)
	io.In.Ready.Set(count.Ne(hdl.K(p.Depth)))
	io.Out.Valid.Set(full)
	io.Busy.Set(full.Or(count.Any()))
	fetch.Set(count.Any().And(full.Not().Or(io.Out.Ready)))
	m.If(fetch, func() { full.Set(hdl.K(1)) }).
		ElseIf(io.Out.Ready, func() { full.Set(hdl.K(0)) })

	places := 1 << hdl.AddrBits(p.Depth) // blocks come in powers of two, and so the pointers just wrap
	mem := m.Mem("items", hdl.U(p.Width), places)
	wr := ring(m, "wr_q", places, push)
	rd := ring(m, "rd_q", places, fetch.Signal)
	m.If(push, func() { mem.Write(wr, io.In.Data.Data) })
	m.Note("What is fetched was written in an earlier cycle, so the read never meets the write.")
	io.Out.Data.Data.Set(mem.SyncRead("out_data_q", rd, fetch, hdl.Undefined))
}

// occupancy is a register that counts what was pushed and not yet popped.
func occupancy(m *hdl.Module, depth int, push, pop hdl.Signal) hdl.Signal {
	count := m.Reg("count_q", hdl.U(hdl.AddrBits(depth+1)))
	m.If(push.AndNot(pop), func() { count.Set(count.Add(hdl.K(1))) }).
		ElseIf(pop.AndNot(push), func() { count.Set(count.Sub(hdl.K(1))) })
	return count.Signal
}

// ring is a register that counts 0 … n−1 and wraps, one step where en holds.
func ring(m *hdl.Module, name string, n int, en hdl.Signal) hdl.Signal {
	if n == 1 {
		return hdl.Const(1, 0)
	}
	r := m.Reg(name, hdl.U(hdl.AddrBits(n)))
	m.If(en, func() {
		if n&(n-1) == 0 {
			r.Set(r.Add(hdl.K(1)))
			return
		}
		r.Set(hdl.Mux(r.Eq(hdl.K(n-1)), hdl.K(0), r.Add(hdl.K(1))))
	})
	return r.Signal
}

// Queue places a [FIFO] behind a stream of any payload and returns the stream that
// leaves it, and whether the queue holds anything. The width in p is ignored: the
// payload has its own.
func Queue[T any](m *hdl.Module, name string, p FIFOParams, in hdl.Stream[T]) (out hdl.Stream[T], busy hdl.Signal) {
	p.Width = hdl.WidthOf(in.Data)
	q := hdl.Inst(m, name, FIFO, p)
	q.In.Valid.Set(in.Valid)
	q.In.Data.Data.Set(hdl.Pack(in.Data))
	in.Ready.Set(q.In.Ready)
	return hdl.Stream[T]{Valid: q.Out.Valid, Ready: q.Out.Ready, Data: hdl.Unpack(in.Data, q.Out.Data.Data.Signal)}, q.Busy.Signal
}
