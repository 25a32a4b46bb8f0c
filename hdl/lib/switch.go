package lib

import (
	"fmt"

	"github.com/millrace-hdl/millrace/hdl"
)

// MuxParams are the parameters of [StreamMux].
type MuxParams struct {
	Width  int // bits of the payload, at least 1
	Inputs int // at least 2
}

// Validate requires what the fields say.
func (p MuxParams) Validate() error {
	return streamsParams("stream multiplexer", p.Width, p.Inputs, "Inputs")
}

// Suffix names the variant.
func (p MuxParams) Suffix() string { return fmt.Sprintf("%dx%d", p.Inputs, p.Width) }

// MuxIO is the interface of [StreamMux].
type MuxIO struct {
	In  []hdl.Stream[Word] `hdl:"in"`
	Sel hdl.Var            `hdl:"in"` // the input that passes
	Out hdl.Stream[Word]
}

// StreamMux passes the input that sel names; the others wait. A sel that names no
// input passes nothing. While out is offered and not taken, sel has to stay. It has
// no latency and no state.
func StreamMux(m *hdl.Module, p MuxParams) MuxIO {
	m.Doc(fmt.Sprintf("Passes one of %d streams of %d bits.", p.Inputs, p.Width))
	in, sel := streamPorts(m, "in", hdl.Sink, p.Width, p.Inputs), m.In("sel", hdl.U(hdl.AddrBits(p.Inputs)))
	out := hdl.Ports(m, "out", hdl.Source, streamType(p.Width))
	var data []hdl.Signal
	for i, s := range in {
		s.Ready.Set(sel.Eq(hdl.K(i)).And(out.Ready))
		data = append(data, s.Data.Data.Signal)
	}
	out.Valid.Set(valids(in).Lane(sel, 1))
	out.Data.Data.Set(hdl.Select(sel, data...))
	obey(m, "in", hdl.Sink, in...)
	m.Assume("sel_stays", selStays(out, sel.Signal))
	obey(m, "out", hdl.Source, out)
	return MuxIO{in, sel, out}
}

// selStays is one bit: where the stream waited at the edge before, sel is what it
// was.
func selStays(s stream, sel hdl.Signal) hdl.Signal {
	return hdl.ImpliesNext(s.Valid.Signal, hdl.Past(s.Ready.Signal).Or(hdl.Stable(sel)))
}

// Mux places a [StreamMux] behind streams of one payload.
func Mux[T any](m *hdl.Module, name string, sel hdl.Signal, in ...hdl.Stream[T]) hdl.Stream[T] {
	if len(in) == 0 {
		panic("Mux of no streams; it needs at least two")
	}
	u := hdl.Inst(m, name, StreamMux, MuxParams{Width: hdl.WidthOf(in[0].Data), Inputs: len(in)})
	u.Sel.Set(sel)
	for i := range u.In {
		feed(u.In[i], in[i])
	}
	return as(u.Out, in[0].Data)
}

// DemuxParams are the parameters of [StreamDemux].
type DemuxParams struct {
	Width   int // bits of the payload, at least 1
	Outputs int // at least 2
}

// Validate requires what the fields say.
func (p DemuxParams) Validate() error {
	return streamsParams("stream demultiplexer", p.Width, p.Outputs, "Outputs")
}

// Suffix names the variant.
func (p DemuxParams) Suffix() string { return fmt.Sprintf("%dx%d", p.Outputs, p.Width) }

// DemuxIO is the interface of [StreamDemux].
type DemuxIO struct {
	In  hdl.Stream[Word]   `hdl:"in"`
	Sel hdl.Var            `hdl:"in"` // the output that takes
	Out []hdl.Stream[Word] // all carry the data, one of them valid
}

// StreamDemux gives each element to the output that sel names. A sel that names no
// output holds the element up. While in is offered and not taken, sel has to stay.
// It has no latency and no state.
func StreamDemux(m *hdl.Module, p DemuxParams) DemuxIO {
	m.Doc(fmt.Sprintf("Passes a stream of %d bits to one of %d outputs.", p.Width, p.Outputs))
	in, sel := hdl.Ports(m, "in", hdl.Sink, streamType(p.Width)), m.In("sel", hdl.U(hdl.AddrBits(p.Outputs)))
	out := streamPorts(m, "out", hdl.Source, p.Width, p.Outputs)
	for i, o := range out {
		o.Valid.Set(sel.Eq(hdl.K(i)).And(in.Valid))
		o.Data.Data.Set(in.Data.Data)
	}
	in.Ready.Set(vector(p.Outputs, func(i int) hdl.Signal { return out[i].Ready.Signal }).Lane(sel, 1))
	obey(m, "in", hdl.Sink, in)
	m.Assume("sel_stays", selStays(in, sel.Signal))
	obey(m, "out", hdl.Source, out...)
	return DemuxIO{in, sel, out}
}

// Demux places a [StreamDemux] behind a stream and returns its n outputs.
func Demux[T any](m *hdl.Module, name string, sel hdl.Signal, in hdl.Stream[T], n int) []hdl.Stream[T] {
	u := hdl.Inst(m, name, StreamDemux, DemuxParams{Width: hdl.WidthOf(in.Data), Outputs: n})
	u.Sel.Set(sel)
	feed(u.In, in)
	outs := make([]hdl.Stream[T], len(u.Out))
	for i, o := range u.Out {
		outs[i] = as(o, in.Data)
	}
	return outs
}
