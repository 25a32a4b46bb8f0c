package frontend

import (
	"fmt"

	"github.com/millrace-hdl/millrace/bus"
	"github.com/millrace-hdl/millrace/hdl"
	"github.com/millrace-hdl/millrace/hdl/ir"
	"github.com/millrace-hdl/millrace/hdl/lib"
	"github.com/millrace-hdl/millrace/idma/backend"
	"github.com/millrace-hdl/millrace/regs"
)

// DescPorts is the interface of the descriptor front-end: a register port, the bus of
// the descriptors, requests and responses.
type DescPorts struct {
	RegisterPorts
	DescBuses
	Req hdl.Stream[backend.Request]
	Rsp hdl.Stream[backend.Response] `hdl:"in"` // taken at once
	// Action, with error handling, answers the questions of the engine.
	Action []hdl.Stream[backend.Action]
	// IRQ is one for a cycle when a descriptor with the flag was marked, when one could not be
	// fetched, and when the engine begins to wait for software.
	IRQ hdl.Var `hdl:"name=irq"`
}

// DescBuses is the bus of the descriptors: a bus of AXI4 or AXI4-Lite, or one of OBI for
// each direction.
type DescBuses struct {
	AXIReads   []bus.AXI4Reads     // m_axi_desc
	AXIWrites  []bus.AXI4Writes    // m_axi_desc
	LiteReads  []bus.AXILiteReads  // m_axil_desc
	LiteWrites []bus.AXILiteWrites // m_axil_desc
	OBIReads   []bus.OBI           // m_obi_desc_read
	OBIWrites  []bus.OBI           // m_obi_desc_write
}

// ElaborateDesc builds and checks the descriptor front-end.
func ElaborateDesc(c DescConfig) (*ir.Design, error) {
	return hdl.Elaborate(Desc, c, hdl.Named("idma_desc_64"), hdl.Prefix("idma_"))
}

// tracked is a transfer in the engine.
type tracked struct {
	Place hdl.Var
	IRQ   hdl.Var `hdl:"name=irq"`
}

// Desc describes the descriptor front-end (specification §4.2). A chain goes from
// registers to a queue, its descriptors are fetched in order and ahead, become requests,
// and are marked in memory when their transfers have ended.
func Desc(m *hdl.Module, c DescConfig) DescPorts {
	m.Doc(fmt.Sprintf("iDMA descriptor front-end: fetches descriptors over %s.", c.Fetch))
	io := DescPorts{}
	table := c.Map()
	r := regs.Place(m, "u_regs", table, hdl.Named("desc_64_regs"))
	hdl.Connect(r.Bus, io.add(m, c.Bus, 0, 1, table.Widths(), c.PortIDWidth))
	var awaits []hdl.Var
	if c.Backend.ErrorHandling {
		awaits = append(awaits, m.Reg("awaits_q", hdl.Bool(), hdl.Doc("Software is to say what to do about an error.")))
	}
	heads := queueHeads(m, c, r, awaits)

	chain := hdl.Inst(m, "u_chain", descChain, c, hdl.Named("desc_chain"))
	hdl.Connect(chain.Head, heads.out)
	chain.Pushed.Set(heads.pushed)
	mark, marked := io.attach(m, c, chain)
	io.Req = hdl.Ports(m, "req", hdl.Source, hdl.StreamOf(c.Backend.RequestType()))
	io.Rsp = hdl.Ports(m, "rsp", hdl.Sink, hdl.StreamOf(c.Backend.ResponseType()), hdl.MayBeUnused())
	if c.Backend.ErrorHandling {
		io.Action = []hdl.Stream[backend.Action]{hdl.Ports(m, "action", hdl.Source, hdl.StreamOf(backend.Action{Kind: hdl.U(2)}))}
	}
	io.IRQ = m.Out("irq", hdl.Bool())

	launched := hdl.Wires(m, "launched", hdl.StreamOf(c.describedType()), hdl.MayBeUnused())
	launched.Valid.Set(chain.Launch)
	hdl.Assign(launched.Data, chain.Out)
	todo, waiting := lib.Queue(m, "u_pending", lib.FIFOParams{Depth: c.Pending}, launched)
	track := hdl.Wires(m, "track", hdl.StreamOf(tracked{hdl.U(c.Backend.AddrWidth), hdl.Bool()}))
	inEngine, engineBusy := lib.Queue(m, "u_engine", lib.FIFOParams{Depth: c.inFlight(), Block: true}, track)
	m.Note("A request goes where there is a place to remember its descriptor.")
	io.Req.Valid.Set(todo.Valid.And(track.Ready))
	hdl.Assign(io.Req.Data, c.request(todo.Data))
	todo.Ready.Set(io.Req.Ready.And(track.Ready))
	track.Valid.Set(io.Req.Valid.And(io.Req.Ready))
	hdl.Assign(track.Data, tracked{todo.Data.Place, hdl.V(todo.Data.Flags.Bit(0))})
	chain.Taken.Set(io.Req.Valid.And(io.Req.Ready))

	hdl.Obey(m, "req", hdl.Source, io.Req)
	ended := c.endings(m, io.Rsp)
	asks, asked := hdl.Const(1, 0), hdl.Const(1, 0)
	if c.Backend.ErrorHandling {
		asks = ended.Data.Asks[0].Signal
		asked = m.Let("asked", ended.Valid.And(asks).And(inEngine.Valid))
	}
	ended.Ready.Set(mark.Fire().Or(asked))
	flag := hdl.Wires(m, "flag", hdl.StreamOf(tracked{hdl.U(c.Backend.AddrWidth), hdl.Bool()}))
	beingMarked, marking := lib.Queue(m, "u_marking", lib.FIFOParams{Depth: max(4, c.Backend.Outstanding)}, flag)
	done := marked.Done.And(beingMarked.Data.IRQ)
	failure := c.handleErrors(m, io, r, awaits, ended, asked, mark.Fire(), done.Not())
	mark.Valid.Set(ended.Valid.AndNot(asks).And(inEngine.Valid).And(flag.Ready))
	mark.Data.Addr.Set(inEngine.Data.Place)
	for _, word := range mark.Data.Length {
		word.Set(hdl.Mux(failure.now, failure.code.Ext(32), hdl.Ones(32)))
	}
	inEngine.Ready.Set(mark.Fire())
	flag.Valid.Set(mark.Fire())
	hdl.Assign(flag.Data, inEngine.Data)
	beingMarked.Ready.Set(marked.Done)
	io.IRQ.Set(hdl.AnyOf(done, chain.Lost.Signal, failure.stops))

	busy := hdl.AnyOf(heads.waiting, chain.Busy.Signal, waiting, engineBusy, marking)
	r.Give("status.busy", 0, busy)
	r.Give("status.full", 0, heads.full)
	failed := m.Let("transfer_failed", mark.Fire().And(failure.now).Or(failure.asked))
	unmarked := m.Let("mark_failed", marked.Done.And(marked.Failed))
	r.Give("status.transfer_error", 0, failed)
	r.Give("status.desc_error", 0, chain.Lost.Or(unmarked))
	where := m.Reg("error_addr_q", hdl.U(c.Backend.AddrWidth))
	m.If(failed, func() { where.Set(inEngine.Data.Place) })
	m.If(unmarked, func() { where.Set(beingMarked.Data.Place) })
	m.If(chain.Lost, func() { where.Set(chain.Out.Place) })
	c.give(r, "error_addr", where)
	return io
}

// heads are the chains that wait.
type heads struct {
	out                   hdl.Stream[place64]
	pushed, waiting, full hdl.Signal
}

// queueHeads queues what software writes to desc_addr. A write waits for a place, but not for
// one that itself waits for software.
func queueHeads(m *hdl.Module, c DescConfig, r regs.Registers, awaits []hdl.Var) (h heads) {
	in := hdl.Wires(m, "head", hdl.StreamOf(place64{hdl.U(64)}))
	name, addr := "desc_addr", hdl.Signal{}
	if c.RegWidth == 32 {
		name = "desc_addr_high"
		addr = hdl.Cat(r.Get(name, 0), r.Get("desc_addr_low", 0))
	} else {
		addr = r.Get(name, 0)
	}
	w := r.Word(name, 0)
	in.Data.Addr.Set(addr)
	h.pushed, h.full = w.WasWritten[0].Signal, in.Ready.Not()
	if len(awaits) == 0 {
		w.WriteReady[0].Set(in.Ready)
	} else {
		w.WriteReady[0].Set(in.Ready.Or(awaits[0]))
		r.Give("status.dropped", 0, h.pushed.And(h.full))
		h.pushed = m.Let("pushed", h.pushed.And(in.Ready))
	}
	in.Valid.Set(h.pushed)
	h.out, h.waiting = lib.Queue(m, "u_heads", lib.FIFOParams{Depth: c.Heads}, in)
	return h
}

// first is the protocol that descriptors use where there are several: the one with the
// lowest number.
func first(set backend.PortSet) uint64 {
	for p, n := range set {
		if n > 0 {
			return uint64(p)
		}
	}
	return 0
}

// request is what a descriptor stands for.
func (c DescConfig) request(d described) backend.Request {
	b := c.Backend
	flag := func(i int) hdl.Var { return hdl.V(d.Flags.Bit(i)) }
	t := b.RequestType()
	side := func(t backend.SideOptions, set backend.PortSet, burst, cache int) backend.SideOptions {
		o := backend.SideOptions{
			Burst: hdl.V(d.Flags.Bits(burst+1, burst)), Cache: hdl.V(d.Flags.Bits(cache+3, cache)), Lock: zero(1), Prot: zero(3), QoS: zero(4), Region: zero(4),
		}
		for range t.Protocol {
			o.Protocol = []hdl.Var{hdl.V(hdl.Const(3, first(set)))}
		}
		for _, h := range t.Head {
			o.Head = []hdl.Var{zero(h.Width())}
		}
		for _, x := range t.Mode {
			o.Mode = []hdl.Var{zero(x.Width())}
		}
		if len(t.Limit) > 0 {
			o.Limit = []backend.BurstLimit{{MaxLLen: zero(3), ReduceLen: flag(7)}}
		}
		return o
	}
	q := backend.Request{
		Length: hdl.V(d.Length.Ext(b.LengthWidth)), SrcAddr: d.Src, DstAddr: d.Dst, ID: hdl.V(d.Flags.Bits(23, 16).Resize(b.IDWidth)), User: zero(b.UserWidth),
		Src: side(t.Src, b.ReadProtocols, 1, 8), Dst: side(t.Dst, b.WriteProtocols, 3, 12), DecoupleRW: flag(5), Last: zero(1),
	}
	q.Compute, q.DstLength = b.NoOperation()
	if b.Coupler {
		q.DecoupleAW = []hdl.Var{flag(6)}
	}
	return q
}

// attach places the reader and the marker of the bus.
func (io *DescPorts) attach(m *hdl.Module, c DescConfig, chain chainIO) (mark hdl.Stream[toMark], done marking) {
	var read reading
	switch c.Fetch {
	case FetchAXILite:
		u, w := hdl.Inst(m, "u_read", descReadLite, c, hdl.Named("desc_read_axil")), hdl.Inst(m, "u_mark", descMarkLite, c, hdl.Named("desc_mark_axil"))
		b := hdl.Ports(m, "m_axil_desc", hdl.Source, c.lite())
		hdl.Connect(b.AXILiteReads, u.Bus)
		hdl.Connect(b.AXILiteWrites, w.Bus)
		io.LiteReads, io.LiteWrites = append(io.LiteReads, b.AXILiteReads), append(io.LiteWrites, b.AXILiteWrites)
		read, done = u.Side, w.Side
	case FetchOBI:
		u, w := hdl.Inst(m, "u_read", descReadOBI, c, hdl.Named("desc_read_obi")), hdl.Inst(m, "u_mark", descMarkOBI, c, hdl.Named("desc_mark_obi"))
		rb, wb := hdl.Ports(m, "m_obi_desc_read", hdl.Source, c.obi()), hdl.Ports(m, "m_obi_desc_write", hdl.Source, c.obi())
		hdl.Connect(rb, u.Bus)
		hdl.Connect(wb, w.Bus)
		io.OBIReads, io.OBIWrites = append(io.OBIReads, rb), append(io.OBIWrites, wb)
		read, done = u.Side, w.Side
	default:
		u, w := hdl.Inst(m, "u_read", descReadAXI4, c, hdl.Named("desc_read_axi4")), hdl.Inst(m, "u_mark", descMarkAXI4, c, hdl.Named("desc_mark_axi4"))
		b := hdl.Ports(m, "m_axi_desc", hdl.Source, c.axi4())
		hdl.Connect(b.AXI4Reads, u.Bus)
		hdl.Connect(b.AXI4Writes, w.Bus)
		io.AXIReads, io.AXIWrites = append(io.AXIReads, b.AXI4Reads), append(io.AXIWrites, b.AXI4Writes)
		read, done = u.Side, w.Side
	}
	hdl.Connect(read.Fetch, chain.Fetch)
	chain.Came.Set(read.Came)
	chain.Desc.Set(read.Desc)
	chain.Failed.Set(read.Failed)
	chain.Begun.Set(read.Begun)
	return done.Mark, done
}
