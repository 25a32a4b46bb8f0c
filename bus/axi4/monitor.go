package axi4

import (
	"fmt"

	"github.com/millrace-hdl/millrace/bus/monitor"
)

// Config says what a [Monitor] watches.
type Config struct {
	Bytes int // data bus width in bytes, a power of two, 1…128
	// MaxReads and MaxWrites bound the requests accepted and not yet answered;
	// 0 leaves them free.
	MaxReads, MaxWrites int
	// Keep is how many violations of each rule are stored, 0 for 20. All are
	// counted.
	Keep int
}

// Stats counts what a monitor saw.
type Stats struct {
	Accepted [5]uint64 // handshakes a channel
	Waited   [5]uint64 // cycles with VALID and no READY, a channel
	// MaxReads and MaxWrites are the most requests ever outstanding: accepted and
	// without their last response beat.
	MaxReads, MaxWrites int
}

// Monitor checks one AXI4 interface, both sides of it, one sample a cycle. It is
// not safe for concurrent use.
type Monitor struct {
	monitor.Log
	cfg   Config
	cycle uint64
	stats Stats

	aw, ar heldAddr
	w      heldData
	b      heldResp
	r      heldRead

	reads  queue[burst]
	writes queue[burst]
	filled int         // how many of writes, from the front of the address order, have all their data
	early  queue[beat] // W beats accepted before their request
}

// burst is a request accepted and not yet answered.
type burst struct {
	Request
	beats  int // accepted R or W beats
	filled bool
}

// beat is a W beat that waits for its request.
type beat struct {
	strb Lanes
	last bool
}

// NewMonitor starts a monitor on an idle bus.
func NewMonitor(cfg Config) *Monitor {
	return &Monitor{Log: monitor.NewLog(cfg.Keep), cfg: cfg}
}

// Stats is what the monitor has counted so far.
func (m *Monitor) Stats() Stats { return m.stats }

// OutstandingReads is the number of read requests without their last beat.
func (m *Monitor) OutstandingReads() int { return m.reads.len() }

// OutstandingWrites is the number of write requests without their response.
func (m *Monitor) OutstandingWrites() int { return m.writes.len() }

// Report adds a violation that someone else found, such as a dynamic check of
// the design around the monitor.
func (m *Monitor) Report(cycle uint64, ch Channel, rule Rule, message string) {
	m.Add(Violation{Cycle: cycle, Channel: ch.String(), Rule: rule, Message: message})
}

func (m *Monitor) bad(ch Channel, rule Rule, format string, args ...any) {
	m.Report(m.cycle, ch, rule, fmt.Sprintf(format, args...))
}

// Reset tells the monitor that reset was asserted at this edge: no VALID may be
// high, and whatever was outstanding is forgotten.
func (m *Monitor) Reset(cycle uint64, s *Sample) {
	m.cycle = cycle
	for ch, v := range [...]bool{s.AW.Valid, s.W.Valid, s.B.Valid, s.AR.Valid, s.R.Valid} {
		if v {
			m.bad(Channel(ch), ValidInReset, "%sVALID is high during reset", Channel(ch))
		}
	}
	m.aw.held, m.ar.held, m.w.held, m.b.held, m.r.held = false, false, false, false, false
	m.reads.reset()
	m.writes.reset()
	m.early.reset()
	m.filled = 0
}

// Cycle takes the sample of one rising edge outside reset.
func (m *Monitor) Cycle(cycle uint64, s *Sample) {
	m.cycle = cycle
	// Responses are judged before this edge's requests join: a response may not
	// come in the cycle of the handshake that it answers.
	if s.B.Valid || m.b.held {
		m.onB(&s.B)
	}
	if s.R.Valid || m.r.held {
		m.onR(&s.R)
	}
	if s.AW.Valid || m.aw.held {
		m.onAW(&s.AW)
	}
	if s.W.Valid || m.w.held {
		m.onW(&s.W)
	}
	if s.AR.Valid || m.ar.held {
		m.onAR(&s.AR)
	}
}

// tally counts a channel's cycle and reports whether a transfer happens in it.
func (m *Monitor) tally(ch Channel, valid, ready bool) bool {
	if !valid {
		return false
	}
	if !ready {
		m.stats.Waited[ch]++
		return false
	}
	m.stats.Accepted[ch]++
	return true
}

// Finish ends the watch: everything asked for must have been answered.
func (m *Monitor) Finish(cycle uint64) {
	m.cycle = cycle
	for i := range m.reads.len() {
		q := m.reads.at(i)
		m.bad(R, Unanswered, "read of %d beats at %#x, id %d: %d beats never came", q.Beats(), q.Addr, q.ID, q.Beats()-q.beats)
	}
	for i := range m.writes.len() {
		q := m.writes.at(i)
		if !q.filled {
			m.bad(W, Unanswered, "write of %d beats at %#x, id %d: %d beats of data never came", q.Beats(), q.Addr, q.ID, q.Beats()-q.beats)
			continue
		}
		m.bad(B, Unanswered, "write of %d beats at %#x, id %d: no response came", q.Beats(), q.Addr, q.ID)
	}
	if n := m.early.len(); n > 0 {
		m.bad(W, DataLeft, "%d beats of write data belong to no request", n)
	}
}
