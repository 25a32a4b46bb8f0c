package backend

import (
	"math/bits"

	"github.com/millrace-hdl/millrace/hdl"
)

// The error handler (specification §2.6). A read error travels with its data: the
// write manager stops before the first bus word that holds some of them, and when all
// that was written before is acknowledged, the error is told of. A write error is
// told of when its response is the oldest. So there is one error at a time, and all
// that is older has been answered.
//
// Abort and replay drop everything that is under way: reads are received and thrown
// away, writes that have begun are ended with strobes off and their responses ignored.
// Then the requests that are not answered are fed to the engine anew, from a ring that
// keeps them, the first one from where it is to be taken up.

// handling is what the error handler does.
type handling int

const (
	running  handling = iota
	telling           // there is an error
	asking            // it was told of
	dropping          // everything under way is dropped
	ending            // an aborted transfer is answered
)

func (h handling) String() string {
	return [...]string{"running", "telling", "asking", "dropping", "ending"}[h]
}

// handler is the error handler under construction.
type handler struct {
	state   *hdl.FSM[handling]
	action  hdl.Stream[Action]
	running hdl.Signal
	drop    hdl.Signal
	written hdl.Var // nothing of the write managers is under way
	quiet   hdl.Var // nothing at all is
	rewind  hdl.Signal
	answers hdl.Var    // a transfer is answered
	shows   hdl.Signal // while not running: the ring shows the oldest request
	row     takenRow   // the bus word at hand
	tells   hdl.Var    // it has an error that is to be told of

	passed  hdl.Var // the bus word at hand goes in spite of its error
	isRead  hdl.Var // the error at hand is one of a read
	replays hdl.Var
	partial hdl.Var // of the write bursts that are dropped, the first may hold bytes that count
	resume  hdl.Var // the next request fed is taken up where it was left
	from    hdl.Var // byte of it

	pass hdl.Var // the write error that was told of does not count
	ring keptRequests
}

// newHandler makes the state of the handler and its ring.
func newHandler(e *engine) *handler {
	m, c := e.m, e.c
	m.Note("Error handler.")
	h := &handler{
		action:  hdl.Ports(m, "action", hdl.Sink, hdl.StreamOf(Action{hdl.U(2)})),
		state:   hdl.NewFSM(m, "handler_q", []handling{running, telling, asking, dropping, ending}),
		written: m.Wire("written", hdl.Bool()),
		quiet:   m.Wire("quiet", hdl.Bool()),
		answers: m.Wire("answers", hdl.Bool()),
		tells:   m.Wire("tells_read_error", hdl.Bool()),
		passed:  m.Reg("passed_q", hdl.Bool(), hdl.Doc("The bus word at hand goes in spite of its error.")),
		isRead:  m.Reg("is_read_q", hdl.Bool(), hdl.Doc("The error at hand is one of a read.")),
		replays: m.Reg("replays_q", hdl.Bool(), hdl.Doc("The oldest transfer is repeated, not aborted.")),
		partial: m.Reg("partial_q", hdl.Bool(), hdl.Doc("The next write burst that is dropped may hold bytes that count.")),
		resume:  m.Reg("resume_q", hdl.Bool(), hdl.Doc("The request fed next is taken up where it was left.")),
		from:    m.Reg("resume_at_q", hdl.U(c.LengthWidth), hdl.NoReset(), hdl.Doc("Byte of the oldest transfer at which it is taken up.")),
		pass:    m.Wire("pass", hdl.Bool()),
	}
	e.io.Action = []hdl.Stream[Action]{h.action}
	h.running, h.drop = m.Let("runs", h.state.Is(running)), m.Let("drop", h.state.Is(dropping))
	h.rewind = m.Let("rewind", h.drop.And(h.quiet))
	h.shows = m.RegNext("shows_oldest_q", h.running.Not(), hdl.Doc("kept_q is the oldest request."))
	return h
}

// keptRequests is the ring of the requests that are not answered. Positions have one
// bit more than places.
type keptRequests struct {
	head, fed, oldest hdl.Var
	request           Request // the one to be fed, or, while not running, the oldest
}

// feed is the stream of the requests that the engine works on: those at the request
// port, after those that are to be repeated.
func (h *handler) feed(e *engine) hdl.Stream[Request] {
	m, c, req := e.m, e.c, e.io.Req
	depth := 1 << bits.Len(uint(c.Outstanding+c.writeOutstanding()+3)) // more than can be under way
	n := bits.Len(uint(depth)) - 1
	position := func(name, doc string) hdl.Var { return m.Reg(name, hdl.U(n+1), hdl.Doc(doc)) }
	r := &h.ring
	r.head = position("head_q", "Where the next new request goes.")
	r.fed = position("fed_q", "The next request to be fed; head_q unless some are repeated.")
	r.oldest = position("oldest_q", "The oldest request that is not answered.")
	kept := m.Mem("requests", hdl.U(hdl.WidthOf(req.Data)), depth)

	fed := hdl.Wires(m, "fed", hdl.StreamOf(requestType(c)), hdl.MayBeUnused())
	again := m.Let("again", r.fed.Ne(r.head))
	full := m.Let("ring_full", r.head.Sub(r.oldest).Bit(n))
	at := m.Let("ring_at", hdl.Mux(h.running, r.fed, r.oldest).Bits(n-1, 0))
	r.request = hdl.Unpack(req.Data, kept.SyncRead("kept_q", at, fed.Fire().Not(), hdl.Undefined))
	shown := m.RegNext("shown_q", h.running.AndNot(fed.Fire()), hdl.Doc("kept_q is the request to be fed."))
	hdl.Assign(fed.Data, hdl.MuxOf(again, h.resumed(c), req.Data))
	fenced := h.fence(e, fed, n)
	m.Note("A ring place is read only in cycles in which none is written.")
	fed.Valid.Set(h.running.And(hdl.Mux(again, shown, req.Valid.AndNot(full))).AndNot(fenced))
	req.Ready.Set(h.running.And(fed.Ready).AndNot(again).AndNot(full).AndNot(fenced))
	m.If(fed.Fire(), func() {
		kept.Write(r.fed.Bits(n-1, 0), hdl.Pack(fed.Data))
		r.fed.Set(r.fed.Add(hdl.K(1)))
		h.resume.Set(hdl.K(0))
	})
	m.If(req.Fire(), func() { r.head.Set(r.head.Add(hdl.K(1))) })
	m.If(h.answers, func() { r.oldest.Set(r.oldest.Add(hdl.K(1))) })
	return fed
}

// resumed is the kept request, from where it is to be taken up.
func (h *handler) resumed(c Config) Request {
	r := h.ring.request
	by := h.from.And(hdl.Repeat(h.resume, c.LengthWidth))
	moved := func(addr hdl.Var, moves hdl.Signal) hdl.Var {
		return hdl.V(addr.Add(by.Ext(c.AddrWidth).And(hdl.Repeat(moves, c.AddrWidth))))
	}
	r.SrcAddr = moved(r.SrcAddr, hdl.Const(1, 1))
	r.DstAddr = moved(r.DstAddr, c.WriteProtocols.chosen(r.Dst, AXIStream).Not()) // the address of a stream is its TDEST
	r.Length = hdl.V(r.Length.Sub(by))
	return r
}

// fence holds back transfers from streams while an older transfer can still fail, for
// what was taken of a stream cannot be taken again.
func (h *handler) fence(e *engine, fed hdl.Stream[Request], n int) hdl.Signal {
	m, c := e.m, e.c
	source, sink := c.ReadProtocols.chosen(fed.Data.Src, AXIStream, Init), c.WriteProtocols.chosen(fed.Data.Dst, AXIStream, Init)
	if c.ReadProtocols[AXIStream] == 0 || !c.ReadProtocols.any(fallible...) && !c.WriteProtocols.any(fallible...) {
		return hdl.Const(1, 0)
	}
	risky := m.Reg("risky_q", hdl.U(n+1), hdl.Doc("Requests to be answered until all that can fail are."))
	under := h.ring.fed.Sub(h.ring.oldest)
	m.If(h.rewind, func() { risky.Set(hdl.K(0)) }).
		ElseIf(fed.Fire().AndNot(source.And(sink)), func() { risky.Set(under.Add(h.answers.Not().Ext(n + 1))) }).
		ElseIf(h.answers.And(risky.Any()), func() { risky.Set(risky.Sub(hdl.K(1))) })
	return m.Let("fenced", c.ReadProtocols.chosen(fed.Data.Src, AXIStream).And(risky.Any()))
}

// fenceWrites holds back transfers to streams until those before them to ports that
// can fail are acknowledged, for what a stream was given cannot be taken back.
func (h *handler) fenceWrites(e *engine, queued hdl.Stream[queuedWrite]) hdl.Stream[queuedWrite] {
	if h == nil || e.c.WriteProtocols[AXIStream] == 0 || !e.c.WriteProtocols.any(fallible...) {
		return queued
	}
	var streams, done []hdl.Signal
	for i, p := range e.c.WriteProtocols.list() {
		switch w := e.writers[i]; p {
		case AXIStream:
			streams = append(streams, queued.Data.Port[0].Eq(hdl.K(i)))
		case Init:
		default:
			done = append(done, w.side.Idle.Signal, w.side.Drained.Signal, w.done.Idle.Signal)
		}
	}
	out := hdl.Wires(e.m, "to_launch", queued)
	passes := e.m.Let("passes", hdl.AnyOf(streams...).Not().Or(hdl.AllOf(done...)))
	out.Valid.Set(queued.Valid.And(passes))
	queued.Ready.Set(out.Ready.And(passes))
	hdl.Assign(out.Data, queued.Data)
	return out
}

// fallible are the protocols whose buses answer with errors.
var fallible = []Protocol{AXI4, OBI, AXILite, TileLink}

// chosen is whether the options of a side name one of the protocols.
func (s PortSet) chosen(o SideOptions, ps ...Protocol) hdl.Signal {
	rest := s
	for _, p := range ps {
		rest[p] = 0
	}
	if len(o.Protocol) == 0 || rest.count() == 0 {
		return always(rest.count() == 0).Signal
	}
	var is []hdl.Signal
	for _, p := range ps {
		is = append(is, o.Protocol[0].Eq(hdl.K(int(p))))
	}
	return hdl.AnyOf(is...)
}

// watchRows keeps bus words with errors from the write managers. The error is told of
// when all that was written before is acknowledged.
func (h *handler) watchRows(e *engine, row takenRow) takenRow {
	bad := e.m.Let("bad_word", row.Ready.And(row.Cause[0].Any()).AndNot(h.passed.Signal))
	h.row = row
	h.tells.Set(bad.And(e.nextWord().Wanted))
	e.m.If(row.Take.Or(h.rewind), func() { h.passed.Set(hdl.K(0)) })
	return takenRow{Ready: hdl.V(row.Ready.AndNot(bad)), Data: row.Data, Take: row.Take}
}

// nextWord is the next bus word of the oldest transfer, wanted if all that was
// written before is acknowledged.
func (e *engine) nextWord() nextWord {
	var all []nextWord
	for i, w := range e.writers {
		next := w.side.Next[0]
		wanted := next.Wanted.And(w.done.Idle)
		if len(e.writers) > 1 {
			wanted = wanted.And(e.data.has(i)).And(e.rsps.has(i))
		}
		all = append(all, nextWord{hdl.V(wanted), next.Index})
	}
	if len(all) == 1 {
		return all[0]
	}
	return hdl.SelectOf(e.data.turn.Data.Data, all...)
}

// oldestWrite is the written burst at whose response the oldest transfer is.
func (e *engine) oldestWrite() oldestBurst {
	var all []oldestBurst
	for i, w := range e.writers {
		b := w.done.Errors[0].Oldest
		if len(e.writers) > 1 {
			b.Tells = hdl.V(b.Tells.And(e.rsps.has(i)))
		}
		all = append(all, b)
	}
	if len(all) == 1 {
		return all[0]
	}
	return hdl.SelectOf(e.rsps.turn.Data.Data, all...)
}

// answer puts the responses of the completions, of errors and of aborted transfers into
// one stream.
func (h *handler) answer(e *engine, done hdl.Stream[Response]) {
	c, rsp, kept := e.c, e.io.Rsp, h.ring.request
	write := e.oldestWrite()
	zero := func(bits int) hdl.Signal { return hdl.Const(bits, 0) }
	told := h.state.Is(telling)
	rsp.Valid.Set(hdl.Mux(h.running, done.Valid, h.shows.And(told).Or(h.state.Is(ending))))
	done.Ready.Set(h.running.And(rsp.Ready))

	burst := hdl.Mux(h.isRead, h.row.Burst[0], write.Index).Resize(c.AddrWidth - c.offsetBits())
	first := hdl.Mux(h.isRead, kept.SrcAddr, kept.DstAddr).Bits(c.AddrWidth-1, c.offsetBits())
	fromKept := Response{
		Last: kept.Last, Error: hdl.V(told),
		Cause:   hdl.V(hdl.Mux(h.isRead, h.row.Cause[0], write.Cause).And(hdl.Repeat(told, 2))),
		ErrType: hdl.V(hdl.Mux(told.AndNot(h.isRead.Signal), hdl.Const(2, ErrBusWrite), hdl.K(0))),
	}
	r := hdl.MuxOf(h.running, done.Data, fromKept)
	hdl.Assign(rsp.Data, Response{
		Last: r.Last, Error: r.Error, Cause: r.Cause, ErrType: r.ErrType, Asks: []hdl.Var{hdl.V(told)},
		BurstAddr: []hdl.Var{hdl.V(hdl.Mux(told, c.byteAddress(hdl.V(first.Add(burst))), zero(c.AddrWidth)))},
	})
	h.answers.Set(rsp.Fire().AndNot(told))
	h.action.Ready.Set(h.state.Is(asking))
}

// decide carries out the actions.
func (h *handler) decide(e *engine) {
	m, c, r := e.m, e.c, &h.ring
	oldest, kind := e.oldestWrite(), h.action.Data.Kind
	repeatable := c.ReadProtocols.chosen(r.request.Src, AXIStream).Not()
	index := hdl.Mux(h.isRead.And(h.state.Is(asking)), e.nextWord().Index, oldest.Index)
	addressed := c.WriteProtocols.chosen(r.request.Dst, AXIStream, Init).Not()
	begins := r.request.DstAddr.Bits(c.offsetBits()-1, 0).And(hdl.Repeat(addressed, c.offsetBits()))
	counts := index.Any().AndNot(c.ReadProtocols.chosen(r.request.Src, Init)) // what is generated begins anew
	byteAt := m.Let("byte_at", hdl.Cat(index, hdl.Const(c.offsetBits(), 0)).Resize(c.LengthWidth).Sub(begins.Ext(c.LengthWidth)).
		And(hdl.Repeat(counts, c.LengthWidth)), hdl.Doc("Byte of the oldest transfer at which it is taken up."))

	h.pass.Set(hdl.K(0))
	h.state.On(running, func() {
		h.isRead.Set(h.tells)
		m.If(h.tells.Or(oldest.Tells), func() { h.state.Next(telling) })
	}).On(telling, func() {
		m.If(e.io.Rsp.Fire(), func() { h.state.Next(asking) })
	}).On(asking, func() {
		h.from.Set(byteAt)
		h.replays.Set(kind.Eq(hdl.K(ActionReplay)).And(repeatable))
		h.partial.Set(h.isRead)
		m.If(h.action.Fire(), func() {
			m.If(kind.Eq(hdl.K(ActionContinue)), func() {
				h.passed.Set(h.isRead)
				h.pass.Set(h.isRead.Not())
				h.state.Next(running)
			}).Else(func() { h.state.Next(dropping) })
		})
	}).On(dropping, func() {
		m.If(oldest.Dropped, func() {
			h.partial.Set(hdl.K(0))
			m.If(h.partial.And(oldest.Cause.Any()), func() { h.from.Set(byteAt) })
		})
		m.If(h.quiet, func() {
			h.resume.Set(h.replays)
			r.fed.Set(r.oldest)
			h.state.Next(ending)
			m.If(h.replays, func() { h.state.Next(running) })
		})
	}).On(ending, func() {
		m.If(e.io.Rsp.Ready, func() {
			r.fed.Set(r.oldest.Add(hdl.K(1)))
			h.state.Next(running)
		})
	})
	h.state.Illegal(func() { h.state.Next(running) })
}

// unlessDropped is a stream that is thrown away while everything is dropped.
func unlessDropped[T any](h *handler, m *hdl.Module, name string, s hdl.Stream[T]) hdl.Stream[T] {
	if h == nil {
		return s
	}
	out := hdl.Wires(m, name, s)
	out.Valid.Set(s.Valid.AndNot(h.drop))
	s.Ready.Set(out.Ready.Or(h.drop))
	hdl.Assign(out.Data, s.Data)
	return out
}

// withRoomOf is a stream whose valid may be withdrawn, see withRoom.
func withRoomOf[T any](h *handler, m *hdl.Module, name string, s hdl.Stream[T]) hdl.Stream[T] {
	if h == nil {
		return s
	}
	out := hdl.Wires(m, name, s)
	out.Valid.Set(s.Valid.And(out.Ready))
	s.Ready.Set(out.Ready)
	hdl.Assign(out.Data, s.Data)
	return out
}

// orDropped is the ready of an order whose entries go when they are done, or while
// everything is dropped.
func (h *handler) orDropped(done hdl.Signal) hdl.Signal {
	if h == nil {
		return done
	}
	return done.Or(h.drop)
}

// orWritesDropped is the same for orders that the write managers need until nothing of
// them is under way.
func (h *handler) orWritesDropped(done hdl.Signal) hdl.Signal {
	if h == nil {
		return done
	}
	return done.Or(h.drop.And(h.written))
}

// unanswered is whether a transfer awaits its response.
func (h *handler) unanswered(written hdl.Signal) hdl.Signal {
	if h == nil {
		return written
	}
	return h.ring.head.Ne(h.ring.oldest)
}

// finish connects the handler to everything that it stops and watches.
func (h *handler) finish(e *engine, rows rowsIO, queued hdl.Signal) {
	reads, writes := []hdl.Signal{queued.Not()}, []hdl.Signal{}
	for _, r := range e.readers {
		r.Drop[0].Set(h.drop)
		reads = append(reads, r.Idle.Signal, r.Drained.Signal)
	}
	for _, w := range e.writers {
		halt, done := w.side.Halt[0], w.done.Errors[0]
		halt.Stop.Set(h.running.Not())
		halt.Drop.Set(h.drop)
		if len(halt.Ends) > 0 {
			halt.Ends[0].Set(h.replays.Not())
		}
		done.Drop.Set(h.drop)
		done.Clear.Set(h.rewind)
		writes = append(writes, w.side.Idle.Signal, w.side.Drained.Signal, w.done.Idle.Signal)
	}
	h.written.Set(hdl.AllOf(writes...))
	turn := hdl.Const(1, 1)
	for i, w := range e.writers {
		if len(e.writers) > 1 {
			turn = e.rsps.has(i)
		}
		w.done.Errors[0].Pass.Set(h.pass.And(turn))
	}
	if len(e.writers) > 1 {
		reads = append(reads, e.data.turn.Valid.Not(), e.rsps.turn.Valid.Not())
	}
	if len(e.readers) > 1 {
		reads = append(reads, e.reads.turn.Valid.Not())
	}
	h.quiet.Set(h.written.And(hdl.AllOf(reads...)))
	rows.Clear[0].Set(h.rewind)
	h.decide(e)
}

// withRoom is a valid that may be withdrawn, and so is not shown before there is room.
func (h *handler) withRoom(valid hdl.Signal, ready hdl.Var) hdl.Signal {
	if h == nil {
		return valid
	}
	return valid.And(ready)
}
