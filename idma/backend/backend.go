// Package backend is the iDMA back-end (specification §2): it moves linear byte
// ranges between any ports of the protocols that it was configured with. A request
// is split into its source and its destination side. The read manager of the source's
// port legalizes it into bursts and issues them; a store in memory, if there is one,
// keeps what they return, or whole transfers; the row buffer rotates the data to the
// destination's alignment and assembles bus words; the
// write manager of the destination's port legalizes the destination, issues addresses
// and data; completion collects write responses and answers each request once, in
// order. With several ports a side, transfers are under way on all of them, and
// short queues of port numbers put data and answers into the order of the requests.
//
// A subordinate must return read data, and write responses, in the order of the
// bursts. AXI4 guarantees that for bursts of one ID; TileLink does not guarantee it.
package backend

import (
	"fmt"

	"github.com/millrace-hdl/millrace/bus"
	"github.com/millrace-hdl/millrace/hdl"
	"github.com/millrace-hdl/millrace/hdl/ir"
	"github.com/millrace-hdl/millrace/hdl/lib"
)

// Ports is the interface of the back-end.
type Ports struct {
	Req  hdl.Stream[Request] `hdl:"in"`
	Rsp  hdl.Stream[Response]
	Busy hdl.Var
	Buses

	Action []hdl.Stream[Action] `hdl:"in,opt"` // with error handling
	Counts []Counts             `hdl:"opt"`    // with CounterWidth
}

// Buses are the buses of a back-end, in the order of their heads.
type Buses struct {
	AXIReads     []bus.AXI4Reads     // m_axi
	AXIWrites    []bus.AXI4Writes    // m_axi
	LiteReads    []bus.AXILiteReads  // m_axil
	LiteWrites   []bus.AXILiteWrites // m_axil
	OBIReads     []bus.OBI           // m_obi_read
	OBIWrites    []bus.OBI           // m_obi_write
	TLReads      []bus.TileLink      // m_tl_read
	TLWrites     []bus.TileLink      // m_tl_write
	StreamReads  []bus.AXIStream     `hdl:"in"` // s_axis
	StreamWrites []bus.AXIStream     // m_axis
}

// Bits of Ports.Busy. All zero means that everything written was acknowledged.
const (
	BusyWaitingAW   = 0 // an AW waits for its data
	BusyResponses   = 1 // a write burst awaits its response, or a request its answer
	BusyQueued      = 2 // a request waits for the write manager
	BusyWriteBursts = 3 // the write manager has a burst to issue
	BusyReadBursts  = 4 // the read manager has a burst to issue; without legalizers also while a request is offered
	BusyWriteData   = 5 // a write burst has data to send
	BusyReadData    = 6 // a read burst awaits data
	BusyBuffer      = 7 // the buffer holds data
)

// rows is the buffer: its depth in bus words, and those that are being assembled,
// one for each rotation.
func (c Config) rows() rowsParams {
	p := rowsParams{DataWidth: c.DataWidth, Depth: c.BufferDepth + 1}
	if c.ErrorHandling {
		p.IndexBits = c.indexBits()
	}
	p.Counted = c.WriteProtocols.any(TileLink) && c.maxPutLen() > 0
	if !c.CombinedShifter {
		p.Realign = true
		p.Depth++
	}
	return p
}

// Elaborate builds and checks the back-end.
func Elaborate(c Config) (*ir.Design, error) {
	return hdl.Elaborate(Backend, c, hdl.Named("idma_backend"), hdl.Prefix("idma_"))
}

// Backend describes the engine.
func Backend(m *hdl.Module, c Config) Ports {
	m.Doc(fmt.Sprintf("iDMA back-end: moves linear byte ranges. Reads: %s. Writes: %s.", c.ReadProtocols, c.WriteProtocols))
	e := engine{m: m, c: c}
	e.io.Req = hdl.Ports(m, "req", hdl.Sink, hdl.StreamOf(requestType(c)), hdl.MayBeUnused())
	e.io.Rsp = hdl.Ports(m, "rsp", hdl.Source, hdl.StreamOf(responseType(c)))
	for i, p := range c.WriteProtocols.list() {
		e.addWriter(i, p)
	}
	for i, p := range c.ReadProtocols.list() {
		e.addReader(i, p)
	}
	e.io.Busy = m.Out("busy", hdl.U(8))
	rows := hdl.Inst(m, "u_rows", rowBuffer, c.rows())
	if c.computes() {
		e.seat = newSeat(&e)
	}

	requests := e.io.Req
	if c.ErrorHandling {
		e.handler = newHandler(&e)
		requests = e.handler.feed(&e)
	}
	queued, waiting := e.accept(e.judge(requests))
	e.launch(queued)
	beats, stored := e.stored(e.collect())
	hdl.Connect(rows.In, e.seat.pass(&e, beats))
	e.distribute(rows)
	e.respond()
	if c.ErrorHandling {
		e.handler.finish(&e, rows, waiting.Or(stored))
	}

	var blocked, readIdle, readDrained, writeIdle, writeDrained, addressWaits, answered []hdl.Signal
	for _, w := range e.writers {
		blocked = append(blocked, w.side.Blocked.Signal)
		writeIdle = append(writeIdle, w.side.Idle.Signal)
		writeDrained = append(writeDrained, w.side.Drained.Signal)
		addressWaits = append(addressWaits, w.side.Waiting.Signal)
		answered = append(answered, w.done.Idle.Signal)
	}
	for _, r := range e.readers {
		r.Blocked.Set(hdl.AnyOf(blocked...))
		if c.ReserveBuffer && c.StoreDepth == 0 {
			r.Used[0].Set(e.seat.used(rows.Used))
		}
		readIdle = append(readIdle, r.Idle.Signal)
		readDrained = append(readDrained, r.Drained.Signal)
	}
	e.io.Busy.Set(hdl.Cat(
		e.seat.holds(rows.Used.Any().Or(stored)), hdl.AllOf(readDrained...).Not(), hdl.AllOf(writeDrained...).Not(), hdl.AllOf(readIdle...).Not(), hdl.AllOf(writeIdle...).Not(),
		waiting, e.handler.unanswered(hdl.AllOf(answered...).Not()), hdl.AnyOf(addressWaits...),
	))
	e.count()
	return e.io
}

// engine is the back-end under construction.
type engine struct {
	m       *hdl.Module
	c       Config
	io      Ports
	readers []readSide
	writers []writer
	reads   order // ports of the transfers whose data are to come
	rsps    order // ports of the transfers that are to be answered
	data    order // ports of the transfers that are to take words
	handler *handler
	seat    *seat // of operations
}

// writer is a write manager and what collects its responses.
type writer struct {
	side writeSide
	done completionIO
}

// queuedWrite is the destination side of a request, waiting for its write manager.
type queuedWrite struct {
	Transfer writeTransfer `hdl:"name="`
	Port     []hdl.Var     `hdl:"opt"` // with several ports
}

// accept takes requests: their source side goes to a read manager at once, their
// destination side into a queue. A refused request skips the read side; its answer
// keeps its place in the order.
func (e *engine) accept(requests hdl.Stream[judged]) (hdl.Stream[queuedWrite], hdl.Signal) {
	m, c, j := e.m, e.c, requests.Data
	req, from, to := j.Request, j.From.Signal, j.To.Signal
	skipped, outLength, empty, notes := j.Refused.Signal, req.Length, []hdl.Var(nil), (*notes)(nil)
	depth := c.Outstanding
	if c.computes() {
		notes = e.seat.note(e, j)
		skipped, outLength, empty = j.Use[0].Reads.Not(), j.Use[0].OutLength, []hdl.Var{j.Use[0].Empty}
		depth += c.grouped()
	}
	queue := hdl.Wires(m, "queue", hdl.StreamOf(queuedWrite{
		Transfer: writeTransferType(c, c.WriteProtocols), Port: optional(len(e.writers) > 1, hdl.U(to.Width())),
	}))
	var ready []hdl.Signal
	for _, r := range e.readers {
		ready = append(ready, r.In.Ready.Signal)
	}
	taken := ready[0]
	if len(e.readers) > 1 {
		e.reads = newOrder(m, "read_order", c.Outstanding+2, len(e.readers))
		taken = hdl.Select(from, ready...).And(e.reads.in.Ready)
	}
	readReady := m.Let("read_ready", skipped.Or(taken))
	room := notes.room(queue.Ready.Signal)
	requests.Ready.Set(readReady.And(room))
	goes := m.Let("read_goes", requests.Valid.And(room).AndNot(skipped))
	if len(e.readers) > 1 {
		e.reads.in.Valid.Set(e.handler.withRoom(goes.And(hdl.Select(from, ready...)), e.reads.in.Ready))
		e.reads.in.Data.Data.Set(from)
	}
	queue.Valid.Set(e.handler.withRoom(notes.room(requests.Valid.And(readReady)), queue.Ready))
	notes.take(requests.Valid.And(readReady).And(queue.Ready))

	dstOffset := hdl.Const(c.offsetBits(), 0)
	if c.CombinedShifter && !c.computes() {
		dstOffset = e.dstOffset(req, to)
	}
	for i, p := range c.ReadProtocols.list() {
		r := e.readers[i]
		valid := goes
		if len(e.readers) > 1 {
			valid = goes.And(e.reads.in.Ready).And(from.Eq(hdl.K(i)))
		}
		r.In.Valid.Set(valid)
		hdl.Assign(r.In.Data, readTransferOf(p, req, hdl.V(dstOffset), hdl.V(req.DecoupleRW.Not())))
	}
	refused := j.Refused
	if c.computes() {
		refused = hdl.V(refused.Or(empty[0]))
	}
	req.Length = outLength
	hdl.Assign(queue.Data, queuedWrite{
		Transfer: writeTransferOf(c, c.WriteProtocols, req, refused, j.Why, empty),
		Port:     optional(len(e.writers) > 1, hdl.V(to)),
	})
	return lib.Queue(m, "u_queue", lib.FIFOParams{Depth: depth, Block: true}, queue)
}

// dstOffset is the byte lane of the first byte at the destination: streams and sinks
// begin at lane 0.
func (e *engine) dstOffset(req Request, to hdl.Signal) hdl.Signal {
	c := e.c
	addressed := hdl.Const(1, 1)
	for i, p := range c.WriteProtocols.list() {
		if p == AXIStream || p == Init {
			if len(e.writers) == 1 {
				return hdl.Const(c.offsetBits(), 0)
			}
			addressed = addressed.AndNot(to.Eq(hdl.K(i)))
		}
	}
	offset := req.DstAddr.Bits(c.offsetBits()-1, 0)
	if !c.WriteProtocols.any(AXIStream, Init) {
		return offset
	}
	return offset.And(hdl.Repeat(addressed, c.offsetBits()))
}

// launch hands queued transfers to their write managers.
func (e *engine) launch(queued hdl.Stream[queuedWrite]) {
	queued = unlessDropped(e.handler, e.m, "launched", queued)
	if len(e.writers) == 1 {
		hdl.Connect(e.writers[0].side.In, hdl.Stream[writeTransfer]{Valid: queued.Valid, Ready: queued.Ready, Data: queued.Data.Transfer})
		return
	}
	m, c := e.m, e.c
	e.data = newOrder(m, "data_order", 4, len(e.writers))
	e.rsps = newOrder(m, "response_order", c.writeOutstanding()+4, len(e.writers))
	queued = e.handler.fenceWrites(e, queued)
	port, skip := queued.Data.Port[0], queued.Data.Transfer.Piece.Skip
	var ready []hdl.Signal
	for _, w := range e.writers {
		ready = append(ready, w.side.In.Ready.Signal)
	}
	dataRoom := m.Let("data_room", skip.Or(e.data.in.Ready))
	taken := m.Let("launch_ready", hdl.Select(port, ready...))
	queued.Ready.Set(taken.And(dataRoom).And(e.rsps.in.Ready))
	e.data.in.Valid.Set(e.handler.withRoom(queued.Valid.And(taken).And(e.rsps.in.Ready).AndNot(skip.Signal), e.data.in.Ready))
	e.rsps.in.Valid.Set(e.handler.withRoom(queued.Valid.And(taken).And(dataRoom), e.rsps.in.Ready))
	e.data.in.Data.Data.Set(port)
	e.rsps.in.Data.Data.Set(port)
	for i, p := range c.WriteProtocols.list() {
		in := e.writers[i].side.In
		in.Valid.Set(queued.Valid.And(dataRoom).And(e.rsps.in.Ready).And(port.Eq(hdl.K(i))))
		hdl.Assign(in.Data, queued.Data.Transfer.narrow(PortsOf(p)))
	}
}

// collect is what the read managers return, in order.
func (e *engine) collect() hdl.Stream[readBeat] {
	if len(e.readers) == 1 {
		return unlessDropped(e.handler, e.m, "read_beat", e.readers[0].Out)
	}
	var outs []hdl.Stream[readBeat]
	for i, r := range e.readers {
		outs = append(outs, unlessDropped(e.handler, e.m, fmt.Sprintf("read%d_beat", i), r.Out))
	}
	beats := inTurn(e.m, "read_beat", e.reads, outs)
	e.reads.turn.Ready.Set(e.handler.orDropped(beats.Fire().And(beats.Data.Last)))
	return beats
}

// distribute gives the write managers the words of the buffer, in order.
func (e *engine) distribute(rows rowsIO) {
	if e.handler != nil {
		rows.Out = e.handler.watchRows(e, rows.Out)
	}
	if len(e.writers) == 1 {
		w := e.writers[0].side
		hdl.Connect(w.Row, rows.Out)
		if !e.c.CombinedShifter {
			hdl.Connect(w.Realign[0], rows.Realign[0])
		}
		return
	}
	var takes, finals []hdl.Signal
	var shapes []realign
	for i, w := range e.writers {
		w.side.Row.Ready.Set(rows.Out.Ready.And(e.data.has(i)))
		w.side.Row.Data.Set(rows.Out.Data)
		if e.handler == nil {
			w.side.Row.Cause[0].Set(rows.Out.Cause[0])
		}
		if len(w.side.Row.Complete) > 0 {
			w.side.Row.Complete[0].Set(rows.Out.Complete[0])
		}
		takes = append(takes, w.side.Row.Take.Signal)
		finals = append(finals, w.side.Ends[0].Signal)
		if !e.c.CombinedShifter {
			shapes = append(shapes, w.side.Realign[0])
		}
	}
	rows.Out.Take.Set(hdl.AnyOf(takes...))
	e.data.turn.Ready.Set(e.handler.orWritesDropped(hdl.AnyOf(finals...)))
	if !e.c.CombinedShifter {
		hdl.Assign(rows.Realign[0], hdl.SelectOf(e.data.turn.Data.Data, shapes...))
	}
}

// respond answers requests in order.
func (e *engine) respond() {
	if len(e.writers) == 1 {
		e.answer(e.writers[0].done.Rsp)
		return
	}
	var rsps []hdl.Stream[Response]
	for _, w := range e.writers {
		rsps = append(rsps, w.done.Rsp)
	}
	rsp := inTurn(e.m, "response", e.rsps, rsps)
	e.answer(rsp)
	e.rsps.turn.Ready.Set(e.handler.orWritesDropped(rsp.Fire()))
}

// answer puts the responses of the completions on the port.
func (e *engine) answer(rsp hdl.Stream[Response]) {
	if e.handler == nil {
		hdl.Connect(e.io.Rsp, rsp)
		return
	}
	e.handler.answer(e, rsp)
}
