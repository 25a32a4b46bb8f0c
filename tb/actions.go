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
	p      *ports
	cfg    *RunConfig
	jobs   []job.Job
	bus    *memPort // AXI4 on both sides, or nil: then no transfer has errors
	rng    *rand.Rand
	bad    func(format string, args ...any)
	faults [][]*injected // of each transfer, in the order of addresses
	outs   []oracle.Outcome
	reads  []came    // read errors that came and were not told of
	told   bool      // the write error at hand was told of
	asked  *injected // told of, and the action is to come
	offers bool      // the action is on the port

	rewound  bool // something was aborted or replayed, so bursts no longer follow the list
	dropping bool // it was, and what comes now belongs to bursts from before that
	heldRead bool // so does the next read burst
}

// injected is an error of the list in memory.
type injected struct {
	job.BusError
	resp axi4.Resp
	gone bool // replayed: the next attempt succeeds
}

// came is a read beat with an error.
type came struct {
	job   int
	fault *injected
	burst uint64 // first bus word
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

func newActions(p *ports, cfg *RunConfig, jobs []job.Job, bus *memPort, bad func(string, ...any)) *actions {
	a := &actions{p: p, cfg: cfg, jobs: jobs, bus: bus, rng: rand.New(rand.NewPCG(cfg.Seed, 3)),
		faults: make([][]*injected, len(jobs)), outs: make([]oracle.Outcome, len(jobs)),
		bad: bad}
	for i := range jobs {
		for _, e := range jobs[i].Errors {
			if touchesWord(&jobs[i], e, e.Write, uint64(p.bytes)) {
				a.faults[i] = insert(a.faults[i], &injected{BusError: e, resp: axi4.SlvErr + axi4.Resp(a.rng.IntN(2))})
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

// mayLaunch reports whether a transfer keeps clear of the errors of those that run,
// and they of its own. A transfer that cannot be written again does not run while
// an older one may be replayed or aborted.
func (a *actions) mayLaunch(next, done, accepted int) bool {
	if a.cfg.Memory == Shared && a.jobs[next].Overlaps() && done < accepted {
		return false
	}
	bus := uint64(a.p.bytes)
	meets := func(i, k int) bool {
		for _, f := range a.faults[i] {
			if !f.gone && touchesWord(&a.jobs[k], f.BusError, f.Write, bus) {
				return true
			}
		}
		return false
	}
	for i := done; i < accepted; i++ {
		if meets(i, next) || meets(next, i) {
			return false
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

// accepted is transfer i taken by the engine.
func (a *actions) accepted(i int) {
	for _, f := range a.faults[i] {
		a.bus.mem.AddFault(f.inMemory())
	}
}

// bus takes what moves on the bus in this cycle.
func (a *actions) watch(done, accepted int) {
	if a.bus == nil {
		return
	}
	s := &a.bus.s
	if s.AR.Valid && s.AR.Ready {
		a.dropping, a.heldRead = a.dropping && a.heldRead, false
	}
	if s.R.Valid && s.R.Ready && s.R.Resp >= axi4.SlvErr && !a.dropping {
		burst, at := a.bus.mem.Reading()
		if i, f := a.find(false, at, at, done, accepted); f != nil {
			a.reads = append(a.reads, came{i, f, burst.Addr &^ uint64(a.p.bytes-1)})
		}
	}
	if s.B.Valid && s.B.Ready {
		if s.B.Resp >= axi4.SlvErr && !a.told && !a.dropping {
			a.bad("the write error of the burst at %#x was not told of", a.bus.mem.Answering().Addr)
		}
		a.told = false
	}
}

// find is the first error that touches the bus words from lo to hi, and its transfer.
func (a *actions) find(write bool, lo, hi uint64, done, accepted int) (int, *injected) {
	mask := uint64(a.p.bytes - 1)
	for i := done; i < accepted; i++ {
		for _, f := range a.faults[i] {
			if f.Write == write && !f.gone && f.Addr >= lo&^mask && f.Addr <= hi|mask {
				return i, f
			}
		}
	}
	return 0, nil
}

// edge carries out an action that the engine takes in this cycle. Done is the transfer
// that it is about, accepted how many are taken.
func (a *actions) edge(done, accepted int) {
	if !a.offers || !a.p.actionReady.on() {
		return
	}
	f, out := a.asked, &a.outs[done]
	a.asked, a.offers = nil, false
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
		a.bus.mem.RemoveFault(f.inMemory())
		out.Repeated = out.Repeated || f.Write
	}
	for i := done + 1; i < accepted && f.Write; i++ {
		a.outs[i].Repeated = true
	}
	a.rewound, a.dropping, a.heldRead = true, true, a.bus.s.AR.Valid && !a.bus.s.AR.Ready
	a.reads = nil
}

// report judges a response that tells of an error of transfer i.
func (a *actions) report(i int, r response) {
	what := fmt.Sprintf("transfer %d (%s)", i, describe(&a.jobs[i]))
	var f *injected
	burst := uint64(0)
	switch {
	case r.typ == oracle.ErrTypeRead && len(a.reads) > 0 && a.reads[0].job == i:
		f, burst = a.reads[0].fault, a.reads[0].burst
		a.reads = a.reads[1:]
	case r.typ == oracle.ErrTypeWrite && a.bus.s.B.Valid && !a.told:
		q := a.bus.mem.Answering()
		a.told = true
		burst = q.Addr &^ uint64(a.p.bytes-1)
		if k, g := a.find(true, q.Addr, q.LastByte(), i, i+1); k == i {
			f = g
		}
	}
	if f == nil {
		a.bad("%s: an error is told of that did not come, or a second time: %v", what, r)
		f = &injected{BusError: job.BusError{Write: r.typ == oracle.ErrTypeWrite, Addr: r.address}, resp: axi4.Resp(r.cause)}
		burst = r.address
	}
	a.asked = f
	if r.address != burst || r.cause != uint64(f.resp) || r.last != a.jobs[i].Last || !r.err {
		a.bad("%s: %v, cause %d, in the burst from %#x was told of as: %v", what, f, f.resp, burst, r)
	}
}

// end is transfer i answered. It returns what became of the transfer.
func (a *actions) end(i int) oracle.Outcome {
	out := a.outs[i]
	for _, f := range a.faults[i] {
		if f.gone {
			continue
		}
		a.bus.mem.RemoveFault(f.inMemory())
		if f.Write {
			out.Writes = append(out.Writes, f.Addr)
		}
	}
	for len(a.reads) > 0 && a.reads[0].job == i {
		if f := a.reads[0].fault; !a.toldWithOther(i, f) {
			a.bad("transfer %d (%s) ended without a word of %v", i, describe(&a.jobs[i]), f)
		}
		a.reads = a.reads[1:]
	}
	a.dropping = false
	return out
}

// toldWithOther reports whether one response may tell of a read error and of that of
// the word before, as it may for the first two words of a transfer, or of what is
// replayed of it, that does not begin with a whole word.
func (a *actions) toldWithOther(i int, f *injected) bool {
	bus := uint64(a.p.bytes)
	j := &a.jobs[i]
	for _, told := range a.outs[i].Reads {
		if told/bus+1 == f.Addr/bus && (j.Src.Addr|j.Dst.Addr)%bus != 0 {
			return true
		}
	}
	return false
}

// stillWriting reports whether the memory holds write bursts of transfer i without
// their response, as far as they can be told from those of others that run.
func (a *actions) stillWriting(i, accepted int) bool {
	bus := uint64(a.p.bytes)
	words := func(j *job.Job) (lo, hi uint64) {
		return j.Dst.Addr &^ (bus - 1), (j.Dst.Addr + j.Length - 1) | (bus - 1)
	}
	lo, hi := words(&a.jobs[i])
	for k := i + 1; k < accepted; k++ {
		if a.jobs[k].Refused() {
			continue
		}
		if l, h := words(&a.jobs[k]); l <= hi && h >= lo {
			return false
		}
	}
	answeredNow := 0
	if a.bus.s.B.Valid && a.bus.s.B.Ready {
		answeredNow = 1
	}
	return a.bus.mem.Writing(lo, hi, answeredNow)
}
