package apb

import (
	"fmt"

	"github.com/millrace-hdl/millrace/bus/monitor"
)

// Rule is the stable code of one protocol rule.
type Rule = monitor.Rule

// The rules that a [Monitor] checks.
const (
	NoSetup        Rule = "no-setup"        // PENABLE without a setup phase before
	NoAccess       Rule = "no-access"       // a setup phase that no access phase follows
	Dropped        Rule = "dropped"         // PSEL or PENABLE fell before PREADY
	RequestChanged Rule = "request-changed" // the request changed between setup and PREADY
	StrobesOnRead  Rule = "strobes-on-read" // PSTRB is not zero for a read
	Misaligned     Rule = "misaligned"      // an address within a word; what that means is not defined
	ErrorOutside   Rule = "error-outside"   // PSLVERR outside the last cycle of an access
	Waits          Rule = "waits"           // more wait states than allowed
	Unfinished     Rule = "unfinished"      // an access without PREADY at the end
)

// Violation is one breach of a rule.
type Violation = monitor.Violation

// Config says what a [Monitor] watches.
type Config struct {
	Bytes    int // of the data bus: 1, 2, 4 or 8
	MaxWaits int // the most wait states of an access; 0 leaves them free
	Keep     int // how many violations of each rule are stored, 0 for 20. All are counted.
}

// Stats counts what a monitor saw.
type Stats struct {
	Reads, Writes, Errors uint64
	MostWaits             int
}

// Monitor checks one APB4 interface, both sides of it, one sample a cycle. It is not
// safe for concurrent use.
type Monitor struct {
	monitor.Log
	cfg   Config
	cycle uint64
	stats Stats
	phase phase
	held  Request
	waits int
}

// phase is what the last edge was.
type phase uint8

const (
	idle   phase = iota // no access, or the end of one
	setup               // PSEL without PENABLE
	access              // PENABLE without PREADY
)

// NewMonitor starts a monitor on an idle bus.
func NewMonitor(cfg Config) *Monitor {
	return &Monitor{Log: monitor.NewLog(cfg.Keep), cfg: cfg}
}

// Stats is what the monitor has counted so far.
func (m *Monitor) Stats() Stats { return m.stats }

func (m *Monitor) bad(rule Rule, format string, args ...any) {
	m.Add(Violation{Cycle: m.cycle, Rule: rule, Message: fmt.Sprintf(format, args...)})
}

// Reset tells the monitor that reset was asserted at this edge: an access is forgotten.
func (m *Monitor) Reset() { m.phase = idle }

// Cycle takes the sample of one rising edge outside reset.
func (m *Monitor) Cycle(cycle uint64, s *Sample) {
	m.cycle = cycle
	if s.Error && !(s.Sel && s.Enable && s.Ready) {
		m.bad(ErrorOutside, "PSLVERR is one, but this is not the last cycle of an access")
	}
	switch m.phase {
	case idle:
		m.begin(s)
		return
	case setup:
		if !s.Sel || !s.Enable {
			m.bad(NoAccess, "after the setup phase of %#x PSEL is %t and PENABLE %t; both have to be one", m.held.Addr, s.Sel, s.Enable)
			m.begin(s)
			return
		}
	case access:
		if !s.Sel || !s.Enable {
			m.bad(Dropped, "PSEL is %t and PENABLE %t before PREADY of %#x", s.Sel, s.Enable, m.held.Addr)
			m.begin(s)
			return
		}
	}
	m.proceed(s)
}

// begin is a cycle in which no access goes on.
func (m *Monitor) begin(s *Sample) {
	m.phase, m.waits = idle, 0
	if s.Enable {
		m.bad(NoSetup, "PENABLE is one without a setup phase before")
	}
	if !s.Sel || s.Enable {
		return
	}
	m.phase, m.held = setup, s.Request
	if !s.Write && s.Strb != 0 {
		m.bad(StrobesOnRead, "PSTRB is %#x in a read of %#x; it has to be zero", s.Strb, s.Addr)
	}
	if s.Addr%uint64(max(m.cfg.Bytes, 1)) != 0 {
		m.bad(Misaligned, "address %#x is no multiple of %d bytes", s.Addr, m.cfg.Bytes)
	}
}

// proceed is a cycle of the access phase.
func (m *Monitor) proceed(s *Sample) {
	is := s.Request
	if !is.Write { // PWDATA of reads is free
		is.Data = m.held.Data
	}
	if is != m.held {
		m.bad(RequestChanged, "the request changed from %+v to %+v before PREADY", m.held, is)
	}
	if !s.Ready {
		m.phase = access
		m.waits++
		m.stats.MostWaits = max(m.stats.MostWaits, m.waits)
		if m.cfg.MaxWaits > 0 && m.waits == m.cfg.MaxWaits+1 {
			m.bad(Waits, "%#x waits for more than %d cycles", s.Addr, m.cfg.MaxWaits)
		}
		return
	}
	m.phase, m.waits = idle, 0
	if s.Write {
		m.stats.Writes++
	} else {
		m.stats.Reads++
	}
	if s.Error {
		m.stats.Errors++
	}
}

// Finish ends the watch: what began must have ended.
func (m *Monitor) Finish(cycle uint64) {
	m.cycle = cycle
	if m.phase != idle {
		m.bad(Unfinished, "the access of %#x never ended", m.held.Addr)
	}
}
