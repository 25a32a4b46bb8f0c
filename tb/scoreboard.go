package tb

import (
	"fmt"

	"github.com/millrace-hdl/millrace/tb/job"
	"github.com/millrace-hdl/millrace/tb/oracle"
)

// scoreboard judges responses, bursts and the busy word while a run goes on.
type scoreboard struct {
	*course
	p      *ports
	oracle *oracle.Oracle
	// handler: the engine reports bus errors beside the response that ends the
	// transfer, instead of in it.
	handler bool
	keep    int

	b   *buses
	act *actions // with an error handler

	findings []string
	count    int
	errors   int  // responses with the error flag
	idle     bool // busy was wrongly zero in the last cycle

	held     bool // a response was on offer and not taken
	heldWord response
}

// response is the payload of the response stream.
type response struct {
	last, err, asks     bool
	cause, typ, address uint64
}

func (r response) String() string {
	s := fmt.Sprintf("last %t, error %t, cause %d, type %d, address %#x", r.last, r.err, r.cause, r.typ, r.address)
	if r.asks {
		s += ", asks for an action"
	}
	return s
}

func (s *scoreboard) bad(cycle uint64, format string, args ...any) {
	s.count++
	if len(s.findings) < s.keep {
		s.findings = append(s.findings, fmt.Sprintf("cycle %d: ", cycle)+fmt.Sprintf(format, args...))
	}
}

// onResponse looks at the response port and reports whether a transfer ended.
func (s *scoreboard) onResponse(cycle uint64) bool {
	valid, ready := s.p.rspValid.on(), s.p.rspReady.on()
	if !valid {
		if s.held {
			s.bad(cycle, "rsp_valid fell before rsp_ready")
		}
		s.held = false
		return false
	}
	r := response{s.p.rspLast.on(), s.p.rspError.on(), s.p.rspAsks.on(), s.p.rspCause.get(), s.p.rspErrType.get(), s.p.rspBurstAddr.get()}
	if s.held && r != s.heldWord {
		s.bad(cycle, "the response changed while it waited: it was %v, it is %v", s.heldWord, r)
	}
	if s.held, s.heldWord = !ready, r; !ready {
		return false
	}
	if r.err {
		s.errors++
	}
	done := s.done
	if done == s.accepted {
		s.bad(cycle, "a response without a transfer: %v", r)
		return false
	}
	if s.act != nil && s.act.asked != nil {
		s.bad(cycle, "a response while an action is awaited: %v", r)
	} else if r.asks && s.act != nil {
		s.act.report(done, r)
		return false
	}
	want := s.oracle.Expect[done]
	if s.handler && r.err && !want.Refused && want.Allows(r.typ) {
		return false
	}
	expected := want.Refused || !s.handler && want.Error()
	if s.p.rspError.has && r.err != expected && !want.Open {
		s.bad(cycle, "transfer %d (%s) ended with error %t, expected %t: %v", done, describe(&s.jobs[done]), r.err, expected, r)
	} else if s.p.rspErrType.has && r.err && !want.Allows(r.typ) {
		s.bad(cycle, "transfer %d (%s) ended with an error of type %d, which it does not have", done, describe(&s.jobs[done]), r.typ)
	} else if s.p.rspCause.has && r.err && !want.AllowsCause(r.cause) {
		s.bad(cycle, "transfer %d (%s) ended with an error of cause %d, which it does not have", done, describe(&s.jobs[done]), r.cause)
	}
	if s.p.rspLast.has && s.p.last.has && r.last != want.Last {
		s.bad(cycle, "transfer %d (%s) ended with last %t, expected %t", done, describe(&s.jobs[done]), r.last, want.Last)
	}
	s.over(cycle, done)
	return true
}

// over is transfer i answered.
func (s *scoreboard) over(cycle uint64, i int) {
	if s.act != nil {
		s.judged(cycle, i)
	}
	if s.jobs[i].Writes() > 0 {
		s.landed(cycle, i)
	}
	s.end(i)
}

// judged tells the oracle what became of a transfer, with an error handler.
func (s *scoreboard) judged(cycle uint64, i int) {
	if s.act.asked != nil {
		s.bad(cycle, "transfer %d (%s) ended while an action was awaited", i, describe(&s.jobs[i]))
	}
	out := s.act.end(i)
	if s.act.rewound && !s.jobs[i].Refused() && s.act.stillWriting(i) {
		s.bad(cycle, "transfer %d (%s) ended with write responses still to come", i, describe(&s.jobs[i]))
	}
	s.oracle.End(i, out)
}

// landed checks that the writes of a transfer that ends were answered.
func (s *scoreboard) landed(cycle uint64, i int) {
	if s.act != nil && s.act.rewound {
		return
	}
	switch p := s.b.find(s.unit(i), &s.jobs[i].Dst, true).(type) {
	case *memPort:
		switch ends := p.writes.ends[i]; {
		case p.writes.lost:
		case ends == 0:
			s.bad(cycle, "transfer %d (%s) ended before all its writes were requested", i, describe(&s.jobs[i]))
		case p.answered < ends:
			s.bad(cycle, "transfer %d (%s) ended with %d write responses still to come", i, describe(&s.jobs[i]), ends-p.answered)
		}
	case *tlPort:
		if !p.landed(i) {
			s.bad(cycle, "transfer %d (%s) ended with answers of its Puts still to come", i, describe(&s.jobs[i]))
		}
	case *streamPort:
		if p.packets < p.of[i] {
			s.bad(cycle, "transfer %d (%s) ended before its packet", i, describe(&s.jobs[i]))
		}
	}
}

// describe is a transfer in a few words.
func describe(j *job.Job) string {
	if j.Compute.Op == job.NoOperation {
		return fmt.Sprintf("%d bytes from %#x to %#x", j.Length, j.Src.Addr, j.Dst.Addr)
	}
	return fmt.Sprintf("%d bytes from %#x, through %s, %d to %#x", j.Length, j.Src.Addr, j.Compute.Op, j.Writes(), j.Dst.Addr)
}

// onBusy checks that the busy word shows outstanding bus transfers.
func (s *scoreboard) onBusy(cycle uint64, reads, writes int) {
	idle := s.p.busy.has && s.p.busy.get() == 0 && reads+writes > 0
	if idle && !s.idle {
		s.bad(cycle, "busy is zero with %d reads and %d writes outstanding on the bus", reads, writes)
	}
	s.idle = idle
}

// onRunning checks that an engine with an error handler is busy while transfers are
// not answered.
func (s *scoreboard) onRunning(cycle uint64) {
	if s.act != nil && s.p.busy.has && s.p.busy.get() == 0 && s.done < s.accepted {
		s.bad(cycle, "busy is zero and transfer %d (%s) is not answered", s.done, describe(&s.jobs[s.done]))
	}
}
