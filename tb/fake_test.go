package tb

import (
	"slices"

	"github.com/millrace-hdl/millrace/hdl/ir"
	"github.com/millrace-hdl/millrace/hdl/sim"
)

// fake is a behavioural AXI4 back-end with unlimited buffering: as fast as the
// published engines, decoupled always, and wrong where its fault says so.
type fake struct {
	lay     *sim.Layout
	in, out []uint64
	p       fakePorts
	fault   fault
	n       int // outstanding reads
	cycle   uint64

	src, dst cursor     // what is left to request on each side
	pend     []fakePend // transfers not answered, in order
	ar, aw   *fakeBurst
	reads    []fakeBurst // requested, not all data here
	writes   []fakeBurst // generated, data not all sent
	acks     []bool      // for each burst without response: it is its transfer's last
	bytes    []byte      // copied and not yet sent
	w        *fakeBeat
	again    []fakeBurst // requests to repeat
	failed   [2]bool     // a read, a write of the transfer under way had an error
	beats    int         // W beats sent, for the faults
	bursts   int
}

type fakePorts struct {
	*ports
	*axiWires
}

type fakeJob struct {
	id, length, src, dst uint64
	srcCap, dstCap       uint64
	attr                 [2][6]uint64
	user                 uint64
}

// cursor walks a list of jobs burst by burst.
type cursor struct {
	jobs []fakeJob
	done uint64 // bytes of the first
}

type fakePend struct {
	zero, last bool
	cause      uint64
}

type fakeBurst struct {
	fakeJob
	addr, n  uint64 // bytes
	beats    int
	sent     int
	jobsLast bool
}

type fakeBeat struct {
	data []uint64
	strb []uint64
	last bool
}

func newFake(data, outstanding int, f fault) *fake {
	return newFakeOn(fakeDesign(data, 32, 12, 32), outstanding, f)
}

func newFakeOn(d *ir.Design, outstanding int, f fault) *fake {
	e := &fake{lay: sim.NewLayout(d), fault: f, n: outstanding}
	e.in, e.out = make([]uint64, e.lay.InWords), make([]uint64, e.lay.OutWords)
	b, err := bind(e, nil)
	if err != nil {
		panic(err)
	}
	e.p = fakePorts{b.ports, b.all[0].(*memPort).wires.(*axiWires)}
	return e
}

func (e *fake) Layout() *sim.Layout         { return e.lay }
func (e *fake) In() []uint64                { return e.in }
func (e *fake) Out() []uint64               { return e.out }
func (e *fake) Cycle() uint64               { return e.cycle }
func (e *fake) Vars() []sim.Var             { return nil }
func (e *fake) Read(sim.Var, []uint64)      {}
func (e *fake) Close() error                { return nil }
func (e *fake) ready() bool                 { return len(e.dst.jobs) < 4 && len(e.pend) < 3*e.n+4 }
func (e *fake) busy() bool                  { return len(e.pend) > 0 || len(e.acks) > 0 || len(e.reads) > 0 }
func (e *fake) hit(f fault, at, n int) bool { return e.fault == f && at == n }

func (e *fake) Reset(cycles int) error {
	*e = fake{lay: e.lay, in: e.in, out: e.out, p: e.p, fault: e.fault, n: e.n, cycle: e.cycle + uint64(cycles)}
	return nil
}

func (e *fake) Run(n int) error {
	for range n {
		if err := e.Step(); err != nil {
			return err
		}
	}
	return nil
}

func (e *fake) Eval() error {
	p := e.p
	p.reqReady.setBool(e.ready())
	e.showAddr(&p.ar, e.ar, 0)
	e.showAddr(&p.aw, e.aw, 1)
	if e.fault == validAfterReset && e.cycle < 4 {
		p.aw.valid.set(1)
	}
	p.wValid.setBool(e.w != nil)
	if e.fault == validFromReady && !p.wReady.on() {
		p.wValid.set(0)
	}
	if e.fault == unstableValid && e.w != nil && !p.wReady.on() && e.cycle%2 == 0 {
		p.wValid.set(0)
	}
	if e.w != nil {
		copy(p.wData, e.w.data)
		copy(p.wStrb, e.w.strb)
		p.wLast.setBool(e.w.last)
		if e.fault == unstablePayload {
			p.wData[0] ^= e.cycle & 1 * 0xff << 8
		}
	}
	p.rReady.set(1)
	bLast := p.bValid.on() && len(e.acks) > 0 && e.acks[0]
	if e.fault == droppedResponse && e.bursts == 3 {
		bLast = false
	}
	zero := len(e.pend) > 0 && e.pend[0].zero
	if e.fault == reorderedZero && !bLast {
		for _, q := range e.pend {
			zero = zero || q.zero
		}
	}
	early := e.fault == responseTooEarly && len(e.pend) > 0 && len(e.acks) > 0
	p.rspValid.setBool(zero || bLast || early || e.fault == extraResponse && e.cycle == 20)
	p.rspLast.setBool(len(e.pend) > 0 && e.pend[0].last && e.fault != lostLastMark)
	p.rspError.setBool(zero)
	p.rspErrType.set(truth(zero) * 2)
	p.rspCause.set(0)
	if zero {
		p.rspCause.set(e.pend[0].cause)
	}
	p.bReady.setBool(!bLast || (p.rspReady.on() && !zero))
	switch {
	case zero:
	case e.fault == alwaysFails && bLast:
		p.rspError.set(1)
	case e.fault == reportsErrors && bLast && (e.failed[0] || e.failed[1] || p.bResp.get() > 1):
		p.rspError.set(1)
		p.rspErrType.set(truth(!e.failed[0]))
	case e.fault == extraErrors && e.failed[0]:
		p.rspValid.set(1)
		p.rspError.set(1)
		p.bReady.set(0)
	}
	p.busy.setBool(e.busy() && e.fault != busyTooEarly)
	return nil
}

func (e *fake) showAddr(a *addrPorts, b *fakeBurst, side int) {
	if a.valid.setBool(b != nil); b == nil {
		return
	}
	bus := uint64(e.p.bytes)
	a.id.set(b.id)
	a.addr.set(b.addr &^ (bus - 1))
	a.len.set(uint64(b.beats - 1))
	for 1<<a.size.get() != bus {
		a.size.set(a.size.get() + 1)
	}
	for i, f := range []field{a.burst, a.cache, a.lock, a.prot, a.qos, a.region} {
		f.set(b.attr[side][i])
	}
	if e.fault == wrongAttribute {
		a.qos.set(a.qos.get() ^ 1)
	}
	if side == 1 && a.user != nil {
		a.user[0] = b.user
	}
}

// next is the next burst of a side.
func (c *cursor) next(e *fake, dst bool) *fakeBurst {
	if len(c.jobs) == 0 {
		return nil
	}
	j := c.jobs[0]
	bus := uint64(e.p.bytes)
	a, most := j.src+c.done, j.srcCap
	if dst {
		a, most = j.dst+c.done, j.dstCap
	}
	if e.fault == ignoredCap {
		most = 256
	}
	window := min(most*bus, 4096)
	n := min(window-a%window, j.length-c.done)
	if e.fault == pageCrossing {
		n = min(j.length-c.done, 64*bus)
	}
	b := &fakeBurst{fakeJob: j, addr: a, n: n, beats: int(words(a, n, e.p.bytes))}
	if e.fault == overRead && !dst {
		b.beats++
	}
	if c.done += n; c.done == j.length {
		b.jobsLast = true
		c.jobs, c.done = c.jobs[1:], 0
	}
	return b
}

func (e *fake) Tick(uint64) error { return e.Step() }

func (e *fake) Step() error {
	if err := e.Eval(); err != nil {
		return err
	}
	p := e.p
	if p.reqValid.on() && p.reqReady.on() {
		e.take()
	}
	if e.fault == extraErrors && p.rspError.on() && p.rspReady.on() && p.rspErrType.get() == 0 {
		e.failed[0] = false
	} else if p.rspValid.on() && p.rspReady.on() && len(e.pend) > 0 {
		i := 0
		for e.fault == reorderedZero && p.rspError.on() && !e.pend[i].zero {
			i++
		}
		e.pend = append(e.pend[:i:i], e.pend[i+1:]...)
	}
	if p.bValid.on() && p.bReady.on() {
		e.failed[1] = e.failed[1] || p.bResp.get() > 1
		if e.acks[0] {
			e.bursts++
			e.failed = [2]bool{}
		}
		e.acks = e.acks[1:]
	}
	if p.rValid.on() && p.rResp.get() > 1 {
		e.failed[0] = true
	}
	if p.rValid.on() && len(e.reads) > 0 {
		e.receive()
	}
	if e.ar != nil && p.ar.ready.on() {
		e.ar = nil
	}
	if e.ar == nil && len(e.reads) < e.n {
		if b := e.src.next(e, false); b != nil {
			e.ar = b
			e.reads = append(e.reads, *b)
		}
	}
	if e.aw != nil && p.aw.ready.on() {
		e.aw = nil
	}
	if e.aw == nil && len(e.again) > 0 {
		e.aw = &e.again[0]
		e.again = e.again[1:]
		e.acks = append(e.acks, false)
	}
	if e.aw == nil {
		if b := e.dst.next(e, true); b != nil {
			e.aw = b
			e.writes = append(e.writes, *b)
			e.acks = append(e.acks, b.jobsLast)
		}
	}
	if e.w != nil && p.wReady.on() {
		e.w = nil
	}
	if e.w == nil {
		e.send()
	}
	e.cycle++
	return nil
}

func (e *fake) take() {
	p := e.p
	cap := func(s *sidePorts) uint64 {
		if s.reduceLen.on() {
			return 1 << s.maxLLen.get()
		}
		return 256
	}
	attr := func(s *sidePorts) [6]uint64 {
		return [6]uint64{s.burst.get(), s.cache.get(), s.lock.get(), s.prot.get(), s.qos.get(), s.region.get()}
	}
	j := fakeJob{id: p.id.get(), length: p.length.get(), src: p.srcAddr.get(), dst: p.dstAddr.get(), srcCap: cap(&p.src), dstCap: cap(&p.dst),
		attr: [2][6]uint64{attr(&p.src), attr(&p.dst)}, user: p.user.get()}
	refused := j.length == 0 || j.attr[0][0] != 1 || j.attr[1][0] != 1 || j.attr[0][2] != 0 || j.attr[1][2] != 0
	e.pend = append(e.pend, fakePend{zero: refused, last: p.last.on(), cause: truth(j.length > 0)})
	if !refused {
		e.src.jobs = append(e.src.jobs, j)
		e.dst.jobs = append(e.dst.jobs, j)
	}
}

// receive takes the transfer's bytes out of an R beat.
func (e *fake) receive() {
	b := &e.reads[0]
	bus := uint64(e.p.bytes)
	word := b.addr&^(bus-1) + uint64(b.sent)*bus
	for k := range bus {
		if word+k-b.addr < b.n {
			e.bytes = append(e.bytes, byte(e.p.rData[k/8]>>(k%8*8)))
		}
	}
	if b.sent++; b.sent == b.beats {
		e.reads = e.reads[1:]
	}
}

// send builds the next W beat if its bytes are there.
func (e *fake) send() {
	if len(e.writes) == 0 {
		return
	}
	b := &e.writes[0]
	bus := uint64(e.p.bytes)
	word := b.addr&^(bus-1) + uint64(b.sent)*bus
	// Lanes lo…hi−1 of the beat.
	lo, hi := max(word, b.addr)-word, min(bus, b.addr+b.n-word)
	if uint64(len(e.bytes)) < hi-lo {
		return
	}
	w := &fakeBeat{data: make([]uint64, len(e.p.wData)), strb: make([]uint64, len(e.p.wStrb))}
	for k := lo; k < hi; k++ {
		w.data[k/8] |= uint64(e.bytes[k-lo]) << (k % 8 * 8)
		w.strb[k/64] |= 1 << (k % 64)
	}
	switch {
	case e.hit(lostWrite, e.beats, 5):
		w.strb[0] = 0
	case e.hit(wrongStrobe, e.beats, 5):
		w.strb[0] &= w.strb[0] - 1
	case e.fault == extraByte && b.sent == b.beats-1 && hi < bus && b.jobsLast:
		w.strb[hi/64] |= 1 << (hi % 64)
	case e.hit(wrongByte, e.beats, 5):
		w.data[0] ^= 0x10
	}
	e.beats++
	e.bytes = e.bytes[hi-lo:]
	b.sent++
	w.last = b.sent == b.beats
	if e.fault == earlyLast && b.beats > 2 && b.sent == b.beats-1 {
		w.last = true
	}
	if e.w = w; b.sent < b.beats {
		return
	}
	e.writes = e.writes[1:]
	if e.fault == duplicateWrite && b.jobsLast {
		// The last beat once more, as a burst of its own.
		e.fault = sound
		dup := *b
		dup.addr, dup.n, dup.beats, dup.sent, dup.jobsLast = word+lo, hi-lo, 1, 0, false
		e.again = append(e.again, dup)
		e.bytes = append(slices.Clone(bytesOf(w, lo, hi)), e.bytes...)
		e.writes = append([]fakeBurst{dup}, e.writes...)
	}
}

// bytesOf is lanes lo…hi−1 of a beat.
func bytesOf(w *fakeBeat, lo, hi uint64) []byte {
	var bs []byte
	for k := lo; k < hi; k++ {
		bs = append(bs, byte(w.data[k/8]>>(k%8*8)))
	}
	return bs
}
