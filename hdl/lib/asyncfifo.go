package lib

import (
	"fmt"
	"math/bits"

	"github.com/millrace-hdl/millrace/hdl"
)

// AsyncFIFOParams are the parameters of [AsyncFIFO].
type AsyncFIFOParams struct {
	Width  int // bits of an element, at least 1
	Depth  int // elements, a power of two from 2 to 2^30
	Stages int // of the synchronisers of either way, 2 to 8; 0 stands for 2
	// Block reads the memory by a registered port, which FPGAs have as blocks; else the
	// memory is read asynchronously into a register. The behaviour is the same.
	Block bool
}

// Validate requires at least one bit, a power of two, and a number of stages that
// makes sense.
func (p AsyncFIFOParams) Validate() error {
	switch {
	case p.Width < 1:
		return fmt.Errorf("AsyncFIFO of Width %d: it must be at least 1", p.Width)
	case p.Depth < 2 || p.Depth > 1<<30 || p.Depth&(p.Depth-1) != 0:
		return fmt.Errorf("AsyncFIFO of Depth %d: it must be a power of two from 2 to 2^30", p.Depth)
	}
	return checkStages("AsyncFIFO", p.Stages)
}

// Suffix names the variant.
func (p AsyncFIFOParams) Suffix() string {
	s := fmt.Sprintf("%dx%d_%d", p.Depth, p.Width, stagesOf(p.Stages))
	if p.Block {
		s += "_block"
	}
	return s
}

// AsyncFIFOIO is the interface of [AsyncFIFO].
type AsyncFIFOIO struct {
	In  hdl.Stream[Word] `hdl:"in"` // of domain from
	Out hdl.Stream[Word] // of domain to
}

// AsyncFIFO is a first-in first-out queue between two clock domains, from and to,
// whose clocks have nothing to do with each other. It holds Depth elements in its
// memory and one more in its output register. Each side sees the other's pointer in
// Gray code and Stages edges late, so it may wait for what has happened already, but
// never goes on too early.
//
// An element that an edge of from takes into an empty queue is in the output
// register after Stages+1 further edges of to, plus one where clocks are not
// aligned. The place of an element that leaves the memory is free after Stages edges
// of from. With equal clocks a queue of Depth 2·Stages+2 or more moves an element
// every cycle. No output depends combinationally on an input of the other side, and
// ready on none at all. The two domains are reset together. The bits of a Gray
// pointer may not arrive further apart than a period of its clock: the constraints
// of the project bound the delay from wr_gray_q and rd_gray_q to the synchronisers.
func AsyncFIFO(m *hdl.Module, p AsyncFIFOParams) AsyncFIFOIO {
	m.Doc(fmt.Sprintf("First-in first-out queue of %d elements of %d bits between two clock domains.", p.Depth, p.Width))
	from, to := m.Domain("from"), m.Domain("to")
	t := hdl.StreamOf(Word{hdl.U(p.Width)})
	io := AsyncFIFOIO{In: hdl.Ports(m, "in", hdl.Sink, t, hdl.On(from)), Out: hdl.Ports(m, "out", hdl.Source, t, hdl.On(to))}
	places := bits.Len(uint(p.Depth)) - 1 // bits of an address; pointers have one more, to tell full from empty

	push, fetch := m.Let("push", io.In.Fire()), m.Wire("fetch", hdl.Bool())
	wr := grayPointer(m, "wr", from, places+1, push)
	rd := grayPointer(m, "rd", to, places+1, fetch.Signal)
	wrSeen := Sync(m, "wr_seen", to, wr.gray, p.Stages)
	rdSeen := Sync(m, "rd_seen", from, rd.gray, p.Stages)

	m.Note("Full: the pointers are Depth apart, which in Gray code turns over the two top bits.")
	top := hdl.Const(places+1, 3<<(places-1))
	io.In.Ready.Set(wr.gray.Ne(rdSeen.Xor(top)))
	some := m.Let("some", rd.gray.Ne(wrSeen))

	valid := m.Reg("out_valid_q", hdl.Bool(), hdl.On(to), hdl.Doc("The output register holds an element."))
	fetch.Set(some.And(valid.Not().Or(io.Out.Ready)))
	m.If(fetch, func() { valid.Set(hdl.K(1)) }).
		ElseIf(io.Out.Ready, func() { valid.Set(hdl.K(0)) })
	io.Out.Valid.Set(valid)

	mem := m.Mem("items", hdl.U(p.Width), p.Depth)
	m.If(push, func() { mem.Write(wr.count.Trunc(places), io.In.Data.Data, hdl.On(from)) })
	const why = "The pointers let an element be read only when its write is long past."
	if addr := rd.count.Trunc(places); p.Block {
		io.Out.Data.Data.Set(mem.SyncRead("out_data_q", addr, fetch, hdl.Undefined, hdl.On(to), hdl.Crosses(why)))
	} else {
		data := m.Reg("out_data_q", hdl.U(p.Width), hdl.On(to), hdl.NoReset(), hdl.Crosses(why))
		m.If(fetch, func() { data.Set(mem.Read(addr)) })
		io.Out.Data.Data.Set(data)
	}

	m.Assert("no_overflow", wr.count.Sub(fromGray(rdSeen)).Le(hdl.K(p.Depth)), hdl.On(from), hdl.Doc("Never more elements than places."))
	m.Assert("no_underflow", fromGray(wrSeen).Sub(rd.count).Le(hdl.K(p.Depth)), hdl.On(to), hdl.Doc("Nothing is fetched that was not written."))
	m.Cover("full", io.In.Ready.Not(), hdl.On(from))
	m.Within(from, func() { hdl.Obey(m, "in", hdl.Sink, io.In) })
	m.Within(to, func() { hdl.Obey(m, "out", hdl.Source, io.Out) })
	return io
}

// pointer is a counter and, in registers too, its value in Gray code.
type pointer struct{ count, gray hdl.Signal }

// grayPointer is a pointer of w bits that counts where en holds.
func grayPointer(m *hdl.Module, name string, d *hdl.Domain, w int, en hdl.Signal) pointer {
	count, gray := m.Reg(name+"_q", hdl.U(w), hdl.On(d)), m.Reg(name+"_gray_q", hdl.U(w), hdl.On(d))
	next := m.Let(name+"_next", count.Add(hdl.K(1)))
	m.If(en, func() {
		count.Set(next)
		gray.Set(next.Xor(hdl.Cat(hdl.Const(1, 0), next.Bits(w-1, 1))))
	})
	turned := gray.Xor(hdl.Past(gray.Signal))
	m.Assert(name+"_gray_turns_one_bit", turned.And(turned.Sub(hdl.K(1))).None(), hdl.On(d))
	return pointer{count.Signal, gray.Signal}
}

// fromGray is the number that x is in Gray code.
func fromGray(x hdl.Signal) hdl.Signal {
	for by := 1; by < x.Width(); by *= 2 {
		x = x.Xor(x.Shr(hdl.Const(hdl.AddrBits(by+1), uint64(by))))
	}
	return x
}

// AsyncQueue places an [AsyncFIFO] behind a stream of any payload in domain from,
// and returns the stream that leaves it in domain to. The width in p is ignored: the
// payload has its own.
func AsyncQueue[T any](m *hdl.Module, name string, p AsyncFIFOParams, from, to *hdl.Domain, in hdl.Stream[T]) hdl.Stream[T] {
	p.Width = hdl.WidthOf(in.Data)
	q := hdl.Inst(m, name, AsyncFIFO, p, hdl.Bind("from", from), hdl.Bind("to", to))
	return throughWords(in, q.In, q.Out)
}
