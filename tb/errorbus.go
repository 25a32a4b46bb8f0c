package tb

import (
	"slices"

	"github.com/millrace-hdl/millrace/bus/axi4"
	"github.com/millrace-hdl/millrace/tb/mem"
	"github.com/millrace-hdl/millrace/tb/oracle"
)

// failing is a bus on which errors come.
type failing interface {
	port
	addFault(f mem.Fault)
	removeFault(f mem.Fault)
	// asking reports whether a read request is offered, and whether it has to wait.
	asking() (valid, held bool)
	// failures are the errors that come in this cycle, each once.
	failures() []failure
	// writing reports whether writes between two bus words await their response.
	writing(lo, hi uint64) bool
}

// failure is an error that comes on a bus.
type failure struct {
	write  bool
	burst  uint64 // where the access begins
	lo, hi uint64 // bytes, one of which has an error
}

// errorBus is a bus with the errors that came there and were not told of.
type errorBus struct {
	failing
	unit          int
	reads, writes []came
	held          bool // the read request on offer is from before an abort or a replay
}

// came is an error that came.
type came struct {
	job    int
	fault  *injected
	burst  uint64 // first bus word
	unsure bool   // it may belong to what is dropped
}

func (b *errorBus) queue(write bool) *[]came {
	if write {
		return &b.writes
	}
	return &b.reads
}

// place is where in the queue the error is that a response of transfer i tells of, −1 if
// it is nowhere. Errors are told of in the order in which they came. One that is dropped may
// come again.
func (b *errorBus) place(i int, r response) int {
	at := -1
	for n, c := range *b.queue(r.typ == oracle.ErrTypeWrite) {
		told := c.burst == r.address && c.fault.resp == axi4.Resp(r.cause)
		switch {
		case c.unsure && c.job == i && told && at < 0:
			at = n
		case c.unsure:
		case c.job == i && (told || at < 0):
			return n
		default:
			return at
		}
	}
	return at
}

func (b *errorBus) has(i int, r response) bool { return b.place(i, r) >= 0 }

// take takes it out.
func (b *errorBus) take(i int, r response) (came, bool) {
	n, q := b.place(i, r), b.queue(r.typ == oracle.ErrTypeWrite)
	if n < 0 {
		return came{}, false
	}
	c := (*q)[n]
	*q = slices.Delete(*q, 0, n+1)
	return c, true
}

func (m *memPort) addFault(f mem.Fault)    { m.mem.AddFault(f) }
func (m *memPort) removeFault(f mem.Fault) { m.mem.RemoveFault(f) }

func (m *memPort) asking() (valid, held bool) {
	return m.s.AR.Valid, m.s.AR.Valid && !m.s.AR.Ready
}

// failures: a write error comes when its response is offered.
func (m *memPort) failures() []failure {
	var all []failure
	mask := uint64(m.bytes - 1)
	s := &m.s
	if s.R.Valid && s.R.Ready && s.R.Resp >= axi4.SlvErr {
		burst, at := m.mem.Reading()
		all = append(all, failure{false, burst.Addr, at &^ mask, at | mask})
	}
	if s.B.Valid && s.B.Resp >= axi4.SlvErr && !m.shown {
		q := m.mem.Answering()
		all = append(all, failure{true, q.Addr, q.Addr &^ mask, q.LastByte() | mask})
	}
	m.shown = s.B.Valid && !s.B.Ready
	return all
}

func (m *memPort) writing(lo, hi uint64) bool {
	answeredNow := 0
	if m.s.B.Valid && m.s.B.Ready {
		answeredNow = 1
	}
	return m.mem.Writing(lo, hi, answeredNow)
}
