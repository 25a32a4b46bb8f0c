package tb

import (
	"fmt"
	"math/rand/v2"

	"github.com/millrace-hdl/millrace/bus/axi4"
	"github.com/millrace-hdl/millrace/tb/job"
	"github.com/millrace-hdl/millrace/tb/mem"
	"github.com/millrace-hdl/millrace/tb/oracle"
)

// actions is the bench's side of an error handler: it puts the errors of a transfer
// into memory while that runs, judges what the engine tells of them, answers with the
// actions of the list, and keeps account for the oracle.
type actions struct {
	*course
	p     *ports
	b     *buses
	cfg   *RunConfig
	rng   *rand.Rand
	bad   func(format string, args ...any)
	buses []*errorBus
	// late: a front-end stands between, so that the cycle in which an error is told of
	// or an action is taken is not known.
	late   bool
	faults [][]*injected // of each transfer, in the order of addresses
	outs   []oracle.Outcome
	asked  *injected // told of, and the action is to come
	offers bool      // the action is on the port

	rewound  bool // something was aborted or replayed, so bursts no longer follow the list
	dropping bool // it was, and what comes now belongs to bursts from before that
	// dropped, where that is not known, are the transfers that were, until they end.
	dropped map[int]bool
}

// injected is an error of the list in memory.
type injected struct {
	job.BusError
	resp axi4.Resp
	gone bool // replayed: the next attempt succeeds
}

func (f *injected) String() string {
	side := "read"
	if f.Write {
		side = "write"
	}
	return fmt.Sprintf("the %s error at %#x", side, f.Addr)
}

func (f *injected) inMemory() mem.Fault {
	return mem.Fault{Write: f.Write, Lo: f.Addr, Hi: f.Addr, Resp: f.resp}
}

func newActions(c *course, p *ports, b *buses, cfg *RunConfig, bad func(string, ...any)) *actions {
	a := &actions{course: c, p: p, b: b, cfg: cfg, rng: rand.New(rand.NewPCG(cfg.Seed, 3)), late: cfg.Software != nil, dropped: map[int]bool{},
		faults: make([][]*injected, len(c.jobs)), outs: make([]oracle.Outcome, len(c.jobs)), bad: bad}
	for i, p := range b.all {
		if f, ok := p.(failing); ok {
			a.buses = append(a.buses, &errorBus{failing: f, unit: b.heads[i].unit})
		}
	}
	for i := range c.jobs {
		for _, e := range c.jobs[i].Errors {
			if touches(&c.jobs[i], e, uint64(p.bytes)) {
				f := &injected{BusError: e, resp: axi4.SlvErr + axi4.Resp(a.rng.IntN(2))}
				switch s := errorSide(&c.jobs[i], e); { // what the bus can tell
				case s.Protocol == job.OBI, s.Protocol == job.TileLink && !e.Write:
					f.resp = axi4.SlvErr
				case s.Protocol == job.TileLink:
					f.resp = axi4.DecErr
				}
				a.faults[i] = insert(a.faults[i], f)
			}
		}
	}
	return a
}

// insert keeps faults in the order of their addresses, reads first.
func insert(fs []*injected, f *injected) []*injected {
	fs = append(fs, f)
	for i := len(fs) - 1; i > 0; i-- {
		l, r := fs[i-1], fs[i]
		if !l.Write && r.Write || l.Write == r.Write && l.Addr <= r.Addr {
			break
		}
		fs[i-1], fs[i] = r, l
	}
	return fs
}

// errorSide is the side of a transfer that an error is on.
func errorSide(j *job.Job, e job.BusError) *job.Side {
	if e.Write {
		return &j.Dst
	}
	return &j.Src
}

// touches reports whether a transfer meets an error: it accesses the bus word of that, or
// with TileLink the byte.
func touches(j *job.Job, e job.BusError, bus uint64) bool {
	s := errorSide(j, e)
	if s.Protocol == job.TileLink {
		bus = 1
	}
	return s.Memory() && touchesWord(j, e, e.Write, bus)
}

// touchesWord reports whether a transfer reads or writes the bus word of an error.
func touchesWord(j *job.Job, e job.BusError, write bool, bus uint64) bool {
	if j.Refused() || e.Write != write {
		return false
	}
	a := j.Src.Addr
	if write {
		a = j.Dst.Addr
	}
	return e.Addr|(bus-1) >= a && e.Addr&^(bus-1) <= a+(j.Length-1)
}

// mayLaunch reports whether the transfers from next on keep clear of the errors of those
// that run, and they of theirs. A transfer that cannot be written again does not run while
// an older one may be replayed or aborted.
func (a *actions) mayLaunch(next, end int) bool {
	bus := uint64(a.p.bytes)
	meets := func(i, k int) bool {
		for _, f := range a.faults[i] {
			if !f.gone && touchesWord(&a.jobs[k], f.BusError, f.Write, bus) {
				return true
			}
		}
		return false
	}
	for n := next; n < end; n++ {
		if a.cfg.Memory == Shared && a.jobs[n].Overlaps() && a.done < a.accepted {
			return false
		}
		for i := a.done; i < a.accepted; i++ {
			if a.runs(i) && (meets(i, n) || meets(n, i)) {
				return false
			}
		}
	}
	return true
}

// drive sets the action of this cycle. While none is meant its bits are noise.
func (a *actions) drive() {
	if a.asked != nil && !a.offers {
		a.offers = !chance(a.rng, a.cfg.ActionStall)
	}
	a.p.actionValid.setBool(a.offers)
	if a.offers {
		a.p.actionKind.set(uint64(a.asked.Action))
	} else {
		a.p.actionKind.set(a.rng.Uint64())
	}
}

// bus is that of one side of a transfer, or nil.
func (a *actions) bus(i int, write bool) *errorBus {
	s := &a.jobs[i].Src
	if write {
		s = &a.jobs[i].Dst
	}
	p := a.b.find(a.unit(i), s, write)
	for _, b := range a.buses {
		if b.failing == p {
			return b
		}
	}
	return nil
}

// launch is transfer i taken by the engine.
func (a *actions) launch(i int) {
	for _, f := range a.faults[i] {
		a.bus(i, f.Write).addFault(f.inMemory())
	}
}

// watch takes what moves on the buses in this cycle.
func (a *actions) watch() {
	for _, b := range a.buses {
		asks, held := b.asking()
		if asks && !held && !a.late {
			if !b.held {
				a.dropping = false
			}
			b.held = false
		}
		for _, e := range b.failures() {
			unsure := a.unsure(b)
			if i, f := a.find(b, e); f != nil && (unsure || !a.dropping) {
				q := b.queue(e.write)
				*q = append(*q, came{i, f, e.burst &^ uint64(a.p.bytes-1), unsure})
			}
		}
	}
}

// unsure reports whether what comes on a bus may be dropped, or not. What a generator has
// given is asked for by no read, from which it could be seen that the dropping is over.
func (a *actions) unsure(b *errorBus) bool {
	if !a.late {
		return a.dropping && !a.finished() && !a.jobs[a.done].Src.Memory()
	}
	for i := a.done; i < a.accepted; i++ {
		if a.dropped[i] && a.unit(i) == b.unit {
			return true
		}
	}
	return false
}

// find is the first error that a failure is of, and its transfer.
func (a *actions) find(b *errorBus, e failure) (int, *injected) {
	for i := a.done; i < a.accepted; i++ {
		if !a.runs(i) {
			continue
		}
		for _, f := range a.faults[i] {
			if f.Write == e.write && !f.gone && f.Addr >= e.lo && f.Addr <= e.hi && a.bus(i, f.Write) == b {
				return i, f
			}
		}
	}
	return 0, nil
}

// edge carries out an action that the engine takes in this cycle.
func (a *actions) edge() {
	if !a.offers || !a.p.actionReady.on() {
		return
	}
	f := a.asked
	a.asked, a.offers = nil, false
	a.act(a.done, f)
}

// act is the action about an error of transfer i.
func (a *actions) act(i int, f *injected) {
	out := &a.outs[i]
	switch f.Action {
	case job.Continue:
		if !f.Write {
			out.Reads = append(out.Reads, f.Addr)
		}
		return
	case job.Abort:
		out.Aborted, out.AbortedWrite, out.Address = true, f.Write, f.Addr
	default:
		f.gone = true
		if b := a.bus(i, f.Write); b != nil {
			b.removeFault(f.inMemory())
		}
		out.Repeated = out.Repeated || f.Write
	}
	if f.Write {
		a.repeated(i)
	}
	a.rewound, a.dropping, a.dropped[i] = true, !a.late, true
	for _, b := range a.buses {
		if b.unit == a.unit(i) {
			_, b.held = b.asking()
			b.reads, b.writes = nil, nil
		}
	}
}

// repeated marks what runs behind transfer i: some of it was written and is again.
func (a *actions) repeated(i int) {
	for n := i + 1; n < a.accepted; n++ {
		if a.unit(n) == a.unit(i) {
			a.outs[n].Repeated = true
		}
	}
}

// report judges a response that tells of an error of transfer i.
func (a *actions) report(i int, r response) { a.asked = a.told(i, r) }

// told is the error of transfer i that a response tells of. If there is none it is
// something like it, to go on with.
func (a *actions) told(i int, r response) *injected {
	what := fmt.Sprintf("transfer %d (%s)", i, describe(&a.jobs[i]))
	c, ok := came{}, false
	if b := a.bus(i, r.typ == oracle.ErrTypeWrite); b != nil && r.typ <= oracle.ErrTypeWrite {
		c, ok = b.take(i, r)
	}
	if !ok {
		a.bad("%s: an error is told of that did not come, or a second time: %v", what, r)
		c = came{fault: &injected{BusError: job.BusError{Write: r.typ == oracle.ErrTypeWrite, Addr: r.address}, resp: axi4.Resp(r.cause)}, burst: r.address}
	}
	f := c.fault
	if r.address != c.burst || r.cause != uint64(f.resp) || r.last != a.jobs[i].Last && !a.late || !r.err {
		a.bad("%s: %v, cause %d, in the burst from %#x was told of as: %v", what, f, f.resp, c.burst, r)
	}
	return f
}

// question is an error of one of the transfers from first on that software was told of. The
// action about it is carried out.
func (a *actions) question(first, end int, r response) job.Action {
	i := first
	for n := first; n < end; n++ {
		if b := a.bus(n, r.typ == oracle.ErrTypeWrite); a.runs(n) && b != nil && b.has(n, r) {
			i = n
			break
		}
	}
	f := a.told(i, r)
	a.act(i, f)
	return f.Action
}

// end is transfer i answered. It returns what became of the transfer.
func (a *actions) end(i int) oracle.Outcome {
	out := a.outs[i]
	for _, f := range a.faults[i] {
		if f.gone {
			continue
		}
		a.bus(i, f.Write).removeFault(f.inMemory())
		if f.Write {
			out.Writes = append(out.Writes, f.Addr)
		}
	}
	for _, write := range []bool{false, true} {
		b := a.bus(i, write)
		if b == nil {
			continue
		}
		for q := b.queue(write); len(*q) > 0 && (*q)[0].job == i; *q = (*q)[1:] {
			if c := (*q)[0]; !c.unsure && !a.toldWithOther(i, c.fault) {
				a.bad("transfer %d (%s) ended without a word of %v", i, describe(&a.jobs[i]), c.fault)
			}
		}
	}
	if a.late && out.Repeated { // it may have been so for those launched since
		a.repeated(i)
	}
	a.dropping = false
	delete(a.dropped, i)
	return out
}

// toldWithOther reports whether one response may tell of a read error and of that of
// the word before, as it may for the first two words of a transfer, or of what is
// replayed of it, that does not begin with a whole word.
func (a *actions) toldWithOther(i int, f *injected) bool {
	bus := uint64(a.p.bytes)
	j := &a.jobs[i]
	for _, told := range a.outs[i].Reads {
		if !f.Write && told/bus+1 == f.Addr/bus && (j.Src.Addr|j.Dst.Addr)%bus != 0 {
			return true
		}
	}
	return false
}

// stillWriting reports whether the memory holds write bursts of transfer i without
// their response, as far as they can be told from those of others that run.
func (a *actions) stillWriting(i int) bool {
	b := a.bus(i, true)
	if b == nil {
		return false
	}
	bus := uint64(a.p.bytes)
	words := func(j *job.Job) (lo, hi uint64) {
		return j.Dst.Addr &^ (bus - 1), (j.Dst.Addr + j.Length - 1) | (bus - 1)
	}
	lo, hi := words(&a.jobs[i])
	for k := i + 1; k < a.accepted; k++ {
		if a.jobs[k].Refused() || !a.runs(k) {
			continue
		}
		if l, h := words(&a.jobs[k]); l <= hi && h >= lo {
			return false
		}
	}
	return b.writing(lo, hi)
}
