package frontend

import (
	"github.com/millrace-hdl/millrace/bus"
	"github.com/millrace-hdl/millrace/hdl"
	"github.com/millrace-hdl/millrace/hdl/ir"
	"github.com/millrace-hdl/millrace/hdl/lib"
	"github.com/millrace-hdl/millrace/idma/backend"
	"github.com/millrace-hdl/millrace/idma/midend"
)

// keptBy tells which of the instructions that are kept the present one is.
type keptBy struct{ src, dst, str, rep, user hdl.Signal }

// kept is what instructions before the launch have told.
type kept struct{ src, dst, srcStride, dstStride, reps, user hdl.Signal }

func (c InstConfig) keep(m *hdl.Module, in hdl.Stream[Instruction], by keptBy) kept {
	addr, user := c.Backend.AddrWidth, c.Backend.UserWidth
	both := hdl.Cat(in.Data.Rs2, in.Data.Rs1)
	stride := func(v hdl.Var) hdl.Signal { return v.AsSigned().Resize(addr).AsUnsigned() }
	reg := func(name string, when, v hdl.Signal) hdl.Signal {
		r := m.Reg(name, hdl.U(v.Width()))
		m.If(in.Valid.And(when), func() { r.Set(v) })
		return r.Signal
	}
	return kept{
		src: reg("src_addr_q", by.src, both.Resize(addr)), dst: reg("dst_addr_q", by.dst, both.Resize(addr)),
		srcStride: reg("src_stride_q", by.str, stride(in.Data.Rs1)), dstStride: reg("dst_stride_q", by.str, stride(in.Data.Rs2)),
		reps: reg("reps_q", by.rep, in.Data.Rs1.Resize(c.RepsWidth)), user: reg("user_q", by.user, both.Resize(user)),
	}
}

// copying is what the queue of a channel keeps of a copy; the rest is constant.
type copying struct {
	Length    hdl.Var
	SrcAddr   hdl.Var
	DstAddr   hdl.Var
	User      hdl.Var
	Dim       midend.Dim
	Fill      []hdl.Var `hdl:"opt"` // of a value, where there is a generator
	SrcWindow []hdl.Var `hdl:"opt"` // over OBI, where the window chooses
	DstWindow []hdl.Var `hdl:"opt"`
}

func (c InstConfig) copyingType() copying {
	addr := hdl.U(c.Backend.AddrWidth)
	return copying{
		hdl.U(c.Backend.LengthWidth), addr, addr, hdl.U(c.Backend.UserWidth), midend.Dim{Reps: hdl.U(c.RepsWidth), SrcStride: addr, DstStride: addr},
		optional(c.fills(), hdl.Bool()), optional(c.windowed(c.Backend.ReadProtocols), hdl.Bool()), optional(c.windowed(c.Backend.WriteProtocols), hdl.Bool()),
	}
}

// described is the copy that the present instruction launches.
func (c InstConfig) described(m *hdl.Module, in Instruction, settings, fill hdl.Signal, k kept) copying {
	within := func(addr hdl.Signal) hdl.Signal {
		at := func(a uint64) hdl.Signal { return hdl.Const(addr.Width(), a) }
		return addr.Ge(at(c.WindowStart)).And(addr.Lt(at(c.WindowEnd)))
	}
	src := k.src
	if c.fills() {
		m.Note("The value of a fill stands in place of the source address, which is kept for copies.")
		value := hdl.Select(settings.Bits(1, 0), hdl.Const(8, 0), hdl.Const(8, 0xff), k.src.Bits(7, 0), k.src.Bits(7, 0))
		src = hdl.Mux(fill, hdl.Repeat(value, 4).Resize(src.Width()), src)
	}
	flat := fill.Or(settings.Bit(1).Not())
	return copying{
		Length: hdl.V(in.Rs1.Resize(c.Backend.LengthWidth)), SrcAddr: hdl.V(src), DstAddr: hdl.V(k.dst), User: hdl.V(k.user),
		Dim:       midend.Dim{Reps: hdl.V(hdl.Mux(flat, hdl.K(1), k.reps)), SrcStride: hdl.V(k.srcStride), DstStride: hdl.V(k.dstStride)},
		Fill:      optional(c.fills(), hdl.V(fill)),
		SrcWindow: optional(c.windowed(c.Backend.ReadProtocols), hdl.V(within(k.src).AndNot(fill))),
		DstWindow: optional(c.windowed(c.Backend.WriteProtocols), hdl.V(within(k.dst))),
	}
}

// request adds what is constant: INCR bursts that may be modified, the number of the
// channel as identifier, protection and quality zero.
func (c InstConfig) request(q copying, channel hdl.Signal) midend.Request {
	t := c.Backend.RequestType()
	side := func(t backend.SideOptions, set backend.PortSet, window, fill []hdl.Var) backend.SideOptions {
		o := backend.SideOptions{
			Burst: hdl.V(hdl.Const(2, bus.BurstINCR)), Cache: hdl.V(hdl.Const(4, modifiable)), Lock: zero(1), Prot: zero(3), QoS: zero(4), Region: zero(4),
		}
		if len(t.Protocol) > 0 {
			p := hdl.Const(3, uint64(c.usual(set)))
			for _, w := range window {
				p = hdl.Mux(w, hdl.Const(3, uint64(backend.OBI)), p)
			}
			for _, f := range fill {
				p = hdl.Mux(f, hdl.Const(3, uint64(backend.Init)), p)
			}
			o.Protocol = []hdl.Var{hdl.V(p)}
		}
		for _, h := range t.Head {
			o.Head = []hdl.Var{zero(h.Width())}
		}
		if len(t.Mode) > 0 {
			o.Mode = []hdl.Var{hdl.V(hdl.Const(2, backend.InitRepeat))}
		}
		if len(t.Limit) > 0 {
			o.Limit = []backend.BurstLimit{{MaxLLen: zero(3), ReduceLen: zero(1)}}
		}
		return o
	}
	r := backend.Request{
		Length: q.Length, SrcAddr: q.SrcAddr, DstAddr: q.DstAddr, ID: hdl.V(channel.Resize(c.Backend.IDWidth)), User: q.User, Last: zero(1), DecoupleRW: zero(1),
		Src: side(t.Src, c.Backend.ReadProtocols, q.SrcWindow, q.Fill), Dst: side(t.Dst, c.Backend.WriteProtocols, q.DstWindow, nil),
	}
	r.Compute, r.DstLength = c.Backend.NoOperation()
	if c.Backend.Coupler {
		r.DecoupleAW = []hdl.Var{hdl.V(hdl.Const(1, 1))}
	}
	return midend.Request{Transfer: r, Dims: []midend.Dim{q.Dim}}
}

// channelIO is the interface of [instChannel].
type channelIO struct {
	Number  hdl.Var             `hdl:"in"` // of the channel
	Copy    hdl.Stream[copying] `hdl:"in"`
	NextID  hdl.Var             // number of the next copy
	DoneID  hdl.Var             `hdl:"name=done_id"`
	Pending hdl.Var             // a copy has not ended
	Failed  hdl.Var
	Req     hdl.Stream[midend.Request]
	Rsp     hdl.Stream[backend.Response] `hdl:"in"`
}

// instChannel queues the copies of a channel and numbers them as they are taken, so that
// those in the queue have their own already.
func instChannel(m *hdl.Module, c InstConfig) channelIO {
	m.Doc("A channel: queue and numbers of its copies.")
	id := hdl.U(c.TransferIDBits)
	io := hdl.Ports(m, "", hdl.Source, channelIO{
		Number: hdl.U(3), Copy: hdl.StreamOf(c.copyingType()), NextID: id, DoneID: id, Pending: hdl.Bool(), Failed: hdl.Bool(),
		Req: hdl.StreamOf(midend.RequestType(c.Backend, 1, c.RepsWidth)), Rsp: hdl.StreamOf(c.Backend.ResponseType()),
	}, hdl.MayBeUnused())
	out, _ := lib.Queue(m, "u_queue", lib.FIFOParams{Depth: c.Queue}, io.Copy)
	hdl.Connect(io.Req, hdl.Stream[midend.Request]{Valid: out.Valid, Ready: out.Ready, Data: c.request(out.Data, io.Number.Signal)})
	n := count(m, c.TransferIDBits, io.Copy.Fire(), io.Rsp.Valid.Signal)
	io.NextID.Set(n.next)
	io.DoneID.Set(n.done)
	io.Pending.Set(n.issued.Ne(n.done))
	io.Rsp.Ready.Set(hdl.K(1))
	io.Failed.Set(io.Rsp.Valid.And(io.Rsp.Data.Error))
	hdl.Obey(m, "req", hdl.Source, io.Req)
	m.Assume("nothing_ends_that_was_not_launched", hdl.Implies(io.Rsp.Valid.Signal, n.issued.Ne(n.done)))
	return io
}

// channels places the channels. It returns those that have room, a status word for each
// selector, and how to launch a copy.
type channels []channelIO

func (c InstConfig) channels(m *hdl.Module, io *InstPorts) (all channels) {
	for i := range c.Channels {
		n := func(name string) string { return numbered(name, i, c.Channels) }
		u := hdl.Inst(m, n("u_channel"), instChannel, c, hdl.Named("inst_channel"))
		u.Number.Set(hdl.K(i))
		req := hdl.Ports(m, n("req"), hdl.Source, hdl.StreamOf(midend.RequestType(c.Backend, 1, c.RepsWidth)))
		rsp := hdl.Ports(m, n("rsp"), hdl.Sink, hdl.StreamOf(c.Backend.ResponseType()), hdl.MayBeUnused())
		hdl.Connect(req, u.Req)
		hdl.Connect(u.Rsp, rsp)
		failed := m.Out(n("failed"), hdl.Bool())
		failed.Set(u.Failed)
		io.Req, io.Rsp, io.Failed = append(io.Req, req), append(io.Rsp, rsp), append(io.Failed, failed)
		all = append(all, u)
	}
	return all
}

// of is a signal of the channel with that number, or of any where it does not exist.
func (cs channels) of(channel hdl.Signal, what func(channelIO) hdl.Signal) hdl.Signal {
	var all []hdl.Signal
	for _, u := range cs {
		all = append(all, what(u))
	}
	if len(all) == 1 {
		return all[0]
	}
	return hdl.Select(channel.Trunc(ir.AddrBits(len(all))), all...)
}

// status is a word for each selector.
func (cs channels) status(channel hdl.Signal) []hdl.Signal {
	word := func(what func(channelIO) hdl.Signal) hdl.Signal { return cs.of(channel, what).Resize(32) }
	return []hdl.Signal{
		StatDone:   word(func(u channelIO) hdl.Signal { return u.DoneID.Signal }),
		StatNext:   word(func(u channelIO) hdl.Signal { return u.NextID.Signal }),
		StatBusy:   word(func(u channelIO) hdl.Signal { return u.Pending.Signal }),
		StatBlocks: word(func(u channelIO) hdl.Signal { return u.Copy.Ready.Not() }),
	}
}

// launch gives a copy to its channel.
func (cs channels) launch(channel, when hdl.Signal, q copying) {
	for i, u := range cs {
		chosen := when
		if len(cs) > 1 {
			chosen = when.And(channel.Eq(hdl.K(i)))
		}
		u.Copy.Valid.Set(chosen)
		hdl.Assign(u.Copy.Data, q)
	}
}
