package lib

import (
	"fmt"

	"github.com/millrace-hdl/millrace/hdl"
)

// ForkParams are the parameters of [StreamFork].
type ForkParams struct {
	Width   int // bits of the payload, at least 1
	Outputs int // at least 2
}

// Validate requires what the fields say.
func (p ForkParams) Validate() error {
	return streamsParams("stream fork", p.Width, p.Outputs, "Outputs")
}

// Suffix names the variant.
func (p ForkParams) Suffix() string { return fmt.Sprintf("%dx%d", p.Outputs, p.Width) }

// ForkIO is the interface of [StreamFork].
type ForkIO struct {
	In  hdl.Stream[Word] `hdl:"in"`
	Out []hdl.Stream[Word]
}

// StreamFork gives each element to every output, once. Outputs may take it in
// different cycles, each as early as that of its arrival; the element is accepted
// when the last one takes it. No valid depends on a ready. If all take at once, an
// element moves every cycle.
func StreamFork(m *hdl.Module, p ForkParams) ForkIO {
	m.Doc(fmt.Sprintf("Gives each element of %d bits to %d outputs, once.", p.Width, p.Outputs))
	in, out := hdl.Ports(m, "in", hdl.Sink, streamType(p.Width)), streamPorts(m, "out", hdl.Source, p.Width, p.Outputs)
	done := m.Reg("done_q", hdl.U(p.Outputs), hdl.Doc("Outputs that have taken the element that is offered."))
	now := m.Let("done", done.Or(vector(p.Outputs, func(i int) hdl.Signal { return out[i].Ready.Signal })))
	in.Ready.Set(now.All())
	m.If(in.Valid, func() { done.Set(hdl.Mux(in.Ready, hdl.K(0), now)) })
	for i, o := range out {
		o.Valid.Set(in.Valid.AndNot(done.Bit(i)))
		o.Data.Data.Set(in.Data.Data)
	}
	obey(m, "in", hdl.Sink, in)
	obey(m, "out", hdl.Source, out...)
	m.Assert("done_only_while_offered", hdl.Implies(done.Any(), in.Valid.Signal))
	m.Assert("not_all_done", done.All().Not())
	m.Cover("outputs_apart", done.Any())
	return ForkIO{in, out}
}

// Fork places a [StreamFork] behind a stream of any payload and returns its n
// outputs.
func Fork[T any](m *hdl.Module, name string, in hdl.Stream[T], n int) []hdl.Stream[T] {
	u := hdl.Inst(m, name, StreamFork, ForkParams{Width: hdl.WidthOf(in.Data), Outputs: n})
	feed(u.In, in)
	outs := make([]hdl.Stream[T], len(u.Out))
	for i, o := range u.Out {
		outs[i] = as(o, in.Data)
	}
	return outs
}
