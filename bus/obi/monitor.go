package obi

import (
	"fmt"
	"slices"

	"github.com/millrace-hdl/millrace/bus/monitor"
)

// Config says what a [Monitor] watches.
type Config struct {
	Bytes int // data bus width in bytes, a power of two
	// RReady: the bus has rready. Without it the manager takes each response in the
	// cycle in which it comes.
	RReady         bool
	MaxOutstanding int // the most requests granted and not answered; 0 leaves them free
	Keep           int // how many violations of each rule are stored, 0 for 20. All are counted.
}

// Stats counts what a monitor saw.
type Stats struct {
	Reads, Writes, Errors uint64 // requests granted, responses with err
	MaxOutstanding        int
}

// Monitor checks one OBI interface, both sides of it, one sample a cycle. It is not safe
// for concurrent use.
type Monitor struct {
	monitor.Log
	cfg   Config
	cycle uint64
	stats Stats

	waits    bool // req without gnt at the last edge
	request  Request
	held     bool // rvalid without rready at the last edge
	response Response
	pending  []Request // granted and not answered
}

// NewMonitor starts a monitor on an idle bus.
func NewMonitor(cfg Config) *Monitor {
	return &Monitor{Log: monitor.NewLog(cfg.Keep), cfg: cfg}
}

// Stats is what the monitor has counted so far.
func (m *Monitor) Stats() Stats { return m.stats }

// Report adds a violation that someone else found.
func (m *Monitor) Report(cycle uint64, rule Rule, message string) {
	m.Add(Violation{Cycle: cycle, Rule: rule, Message: message})
}

func (m *Monitor) bad(rule Rule, format string, args ...any) {
	m.Report(m.cycle, rule, fmt.Sprintf(format, args...))
}

// Reset tells the monitor that reset was asserted at this edge: whatever was outstanding
// is forgotten.
func (m *Monitor) Reset(cycle uint64, s *Sample) {
	m.cycle = cycle
	if s.Req || s.RValid {
		m.bad(ReqInReset, "req is %t and rvalid %t during reset", s.Req, s.RValid)
	}
	m.waits, m.held, m.pending = false, false, m.pending[:0]
}

// Cycle takes the sample of one rising edge outside reset.
func (m *Monitor) Cycle(cycle uint64, s *Sample) {
	m.cycle = cycle
	m.onResponse(s) // first: a response may not come in the cycle of its grant
	m.onRequest(s)
}

func (m *Monitor) onRequest(s *Sample) {
	switch {
	case m.waits && !s.Req:
		m.bad(ReqDropped, "req of %#x fell before gnt", m.request.Addr)
	case m.waits:
		is := &s.Request
		m.changed(RequestChanged, "addr", m.request.Addr, is.Addr)
		m.changed(RequestChanged, "we", bit(m.request.Write), bit(is.Write))
		m.changed(RequestChanged, "aid", m.request.AID, is.AID)
		m.changedWords(RequestChanged, "be", m.request.BE, is.BE)
		if m.request.Write {
			m.changedWords(RequestChanged, "wdata", m.request.WData, is.WData)
		}
	case s.Req:
		m.aligned(&s.Request)
	}
	if m.waits = s.Req && !s.Gnt; m.waits {
		m.request = Request{s.Addr, s.Write, append(m.request.BE[:0], s.BE...), append(m.request.WData[:0], s.WData...), s.AID}
	}
	if !s.Req || !s.Gnt {
		return
	}
	if s.Write {
		m.stats.Writes++
	} else {
		m.stats.Reads++
	}
	m.pending = append(m.pending, Request{Addr: s.Addr, Write: s.Write, AID: s.AID})
	m.stats.MaxOutstanding = max(m.stats.MaxOutstanding, len(m.pending))
	if m.cfg.MaxOutstanding > 0 && len(m.pending) > m.cfg.MaxOutstanding {
		m.bad(Outstanding, "%d requests outstanding, %d allowed", len(m.pending), m.cfg.MaxOutstanding)
	}
}

// aligned checks that no lane below that of the address is enabled.
func (m *Monitor) aligned(r *Request) {
	for k := range int(r.Addr % uint64(max(m.cfg.Bytes, 1))) {
		if r.BE[k/64]>>(k%64)&1 == 1 {
			m.bad(Misaligned, "be enables lane %d, below the address %#x", k, r.Addr)
			return
		}
	}
}

func (m *Monitor) onResponse(s *Sample) {
	read := len(m.pending) > 0 && !m.pending[0].Write
	switch {
	case m.held && !s.RValid:
		m.bad(RValidDropped, "rvalid fell before rready")
	case m.held:
		m.changed(ResponseChanged, "err", bit(m.response.Err), bit(s.Err))
		m.changed(ResponseChanged, "rid", m.response.RID, s.RID)
		if read {
			m.changedWords(ResponseChanged, "rdata", m.response.RData, s.RData)
		}
	case s.RValid && len(m.pending) == 0:
		m.bad(NoRequest, "rvalid without a request that was granted before")
	case s.RValid && s.RID != m.pending[0].AID:
		m.bad(WrongID, "rid is %#x; the oldest request, of %#x, has aid %#x", s.RID, m.pending[0].Addr, m.pending[0].AID)
	}
	took := s.RValid && (s.RReady || !m.cfg.RReady)
	if m.held = s.RValid && !took; m.held {
		m.response = Response{append(m.response.RData[:0], s.RData...), s.Err, s.RID}
	}
	if took {
		if s.Err {
			m.stats.Errors++
		}
		if len(m.pending) > 0 {
			m.pending = slices.Delete(m.pending, 0, 1)
		}
	}
}

func (m *Monitor) changed(rule Rule, what string, was, is uint64) {
	if was != is {
		m.bad(rule, "%s changed from %#x to %#x while it waited", what, was, is)
	}
}

func (m *Monitor) changedWords(rule Rule, what string, was, is []uint64) {
	if !slices.Equal(was, is) {
		m.bad(rule, "%s changed from %#x to %#x (words, lowest first) while it waited", what, was, is)
	}
}

func bit(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

// Finish ends the watch: everything granted must have been answered.
func (m *Monitor) Finish(cycle uint64) {
	m.cycle = cycle
	for i := range m.pending {
		m.bad(Unanswered, "the request of %#x, aid %#x, was never answered", m.pending[i].Addr, m.pending[i].AID)
	}
}
