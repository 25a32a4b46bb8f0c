package backend

import "github.com/millrace-hdl/millrace/hdl"

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
