package tilelink

import (
	"fmt"

	"github.com/millrace-hdl/millrace/bus/monitor"
)

// Config says what a [Monitor] watches.
type Config struct {
	Bytes int // data bus width in bytes, a power of two, 1…128
	// MaxSize is the bytes of the longest message, 0 for a bus word: the level UL. With
	// more, the level is UH, with messages of several beats, atomics and hints.
	MaxSize int
	// InOrder demands answers in the order of the requests, which TileLink does not.
	InOrder bool
	// Retract allows valid to fall, and the payload to change, before ready, as
	// TileLink does.
	Retract bool
	// MaxOutstanding bounds the requests accepted and not yet answered; 0 leaves them
	// free.
	MaxOutstanding int
	// Keep is how many violations of each rule are stored, 0 for 20. All are counted.
	Keep int
}

// Stats counts what a monitor saw.
type Stats struct {
	Accepted       [2]uint64 // beats a channel
	Waited         [2]uint64 // cycles with valid and no ready, a channel
	Messages       [2]uint64 // messages begun a channel
	MaxOutstanding int       // most requests without their last beat of answer
}

// Monitor checks one TileLink link, both sides of it, one sample a cycle. It is not
// safe for concurrent use.
type Monitor struct {
	monitor.Log
	cfg   Config
	cycle uint64
	stats Stats

	a    heldA
	d    heldD
	open []*message // requests in their order, of which something is still to come
	sent *message   // its request has more beats to come
	got  *message   // its answer has more beats to come
	is   Answer     // of got
	next *message   // offered on A and not accepted
}

// message is a request and what came of it.
type message struct {
	Request
	asked, answered int // beats
}

// NewMonitor starts a monitor on an idle link.
func NewMonitor(cfg Config) *Monitor {
	if cfg.MaxSize == 0 {
		cfg.MaxSize = cfg.Bytes
	}
	return &Monitor{Log: monitor.NewLog(cfg.Keep), cfg: cfg}
}

// Stats is what the monitor has counted so far.
func (m *Monitor) Stats() Stats { return m.stats }

// Outstanding is the number of requests without their last beat of answer.
func (m *Monitor) Outstanding() int {
	n := 0
	for _, q := range m.open {
		if q.answered < q.AnswerBeats(m.cfg.Bytes) {
			n++
		}
	}
	return n
}

// Report adds a violation that someone else found.
func (m *Monitor) Report(cycle uint64, ch Channel, rule Rule, message string) {
	m.Add(Violation{Cycle: cycle, Channel: ch.String(), Rule: rule, Message: message})
}

func (m *Monitor) bad(ch Channel, rule Rule, format string, args ...any) {
	m.Report(m.cycle, ch, rule, fmt.Sprintf(format, args...))
}

// Reset tells the monitor that reset was asserted at this edge: valid must be low, and
// whatever was outstanding is forgotten.
func (m *Monitor) Reset(cycle uint64, s *Sample) {
	m.cycle = cycle
	for ch, v := range [...]bool{s.A.Valid, s.D.Valid} {
		if v {
			m.bad(Channel(ch), ValidInReset, "%s is valid during reset", Channel(ch))
		}
	}
	m.a.held, m.d.held = false, false
	m.open, m.sent, m.got, m.next = nil, nil, nil, nil
}

// Cycle takes the sample of one rising edge outside reset. An answer may come in the
// cycle of its request, so requests are judged first.
func (m *Monitor) Cycle(cycle uint64, s *Sample) {
	m.cycle = cycle
	m.onA(&s.A)
	m.onD(&s.D)
	keep := m.open[:0]
	for _, q := range m.open {
		if q.asked < q.Beats(m.cfg.Bytes) || q.answered < q.AnswerBeats(m.cfg.Bytes) {
			keep = append(keep, q)
		}
	}
	m.open = keep
}

// tally counts a channel's cycle and reports whether a beat passes in it.
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
	for _, q := range m.open {
		if n, of := q.asked, q.Beats(m.cfg.Bytes); n < of {
			m.bad(A, Unfinished, "the message of source %d at %#x ends after %d of %d beats", q.Source, q.Address, n, of)
		}
		if n, of := q.answered, q.AnswerBeats(m.cfg.Bytes); n < of {
			m.bad(D, Unanswered, "the request of source %d at %#x: %d of %d beats of its answer never came", q.Source, q.Address, of-n, of)
		}
	}
}
