package axistream

import (
	"fmt"
	"math/bits"
	"slices"

	"github.com/millrace-hdl/millrace/bus/monitor"
)

// Config says what a [Monitor] watches.
type Config struct {
	Bytes int // data bus width in bytes
	// Packets: the transmitter promises whole packets, one after the other, of data bytes
	// that follow each other without null bytes between them. Null bytes may precede the
	// first and follow the last byte of a packet.
	Packets bool
	Keep    int // how many violations of each rule are stored, 0 for 20. All are counted.
}

// Stats counts what a monitor saw.
type Stats struct {
	Beats, Bytes, Packets uint64 // data bytes only
	Waited                uint64 // cycles with TVALID and no TREADY
}

// Monitor checks one stream, one sample a cycle. It is not safe for concurrent use.
type Monitor struct {
	monitor.Log
	cfg   Config
	cycle uint64
	stats Stats

	waits bool // TVALID without TREADY at the last edge
	held  Sample
	open  bool // a packet has begun
	begun bool // it has had bytes
	gap   bool // and null bytes after them
	first Sample
}

// NewMonitor starts a monitor on an idle stream.
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

// Reset tells the monitor that reset was asserted at this edge: TVALID may not be high,
// and a packet that has begun is forgotten.
func (m *Monitor) Reset(cycle uint64, s *Sample) {
	m.cycle = cycle
	if s.Valid {
		m.bad(ValidInReset, "TVALID is high during reset")
	}
	m.waits, m.open, m.begun, m.gap = false, false, false, false
}

// Cycle takes the sample of one rising edge outside reset.
func (m *Monitor) Cycle(cycle uint64, s *Sample) {
	m.cycle = cycle
	switch {
	case m.waits && !s.Valid:
		m.bad(ValidDropped, "TVALID fell before TREADY")
	case m.waits:
		m.stable(s)
	case s.Valid:
		m.lanes(s)
	}
	if m.waits = s.Valid && !s.Ready; m.waits {
		m.stats.Waited++
		h := &m.held
		h.Last, h.ID, h.Dest = s.Last, s.ID, s.Dest
		for _, p := range [...]struct {
			to   *[]uint64
			from []uint64
		}{{&h.Data, s.Data}, {&h.Strb, s.Strb}, {&h.Keep, s.Keep}, {&h.User, s.User}} {
			*p.to = append((*p.to)[:0], p.from...)
		}
	}
	if s.Valid && s.Ready {
		m.taken(s)
	}
}

func (m *Monitor) stable(s *Sample) {
	h := &m.held
	for _, p := range [...]struct {
		name    string
		was, is []uint64
	}{{"TDATA", h.Data, s.Data}, {"TSTRB", h.Strb, s.Strb}, {"TKEEP", h.Keep, s.Keep}, {"TUSER", h.User, s.User},
		{"TLAST", []uint64{bit(h.Last)}, []uint64{bit(s.Last)}}, {"TID", []uint64{h.ID}, []uint64{s.ID}}, {"TDEST", []uint64{h.Dest}, []uint64{s.Dest}}} {
		if !slices.Equal(p.was, p.is) {
			m.bad(PayloadChanged, "%s changed from %#x to %#x (words, lowest first) while TVALID waited for TREADY", p.name, p.was, p.is)
		}
	}
}

// lanes judges TKEEP and TSTRB of a beat.
func (m *Monitor) lanes(s *Sample) {
	for i := range s.Keep {
		if s.Strb[i]&^s.Keep[i] != 0 {
			m.bad(StrobeReserved, "TSTRB is %#x where TKEEP is %#x; one with TKEEP zero is reserved", s.Strb, s.Keep)
			return
		}
	}
	if m.cfg.Packets && !slices.Equal(s.Keep, s.Strb) {
		m.bad(Position, "TKEEP is %#x and TSTRB %#x; position bytes are not expected", s.Keep, s.Strb)
	}
}

// taken follows the packet that a beat belongs to.
func (m *Monitor) taken(s *Sample) {
	m.stats.Beats++
	for i := range s.Strb {
		m.stats.Bytes += uint64(bits.OnesCount64(s.Strb[i] & s.Keep[i]))
	}
	if m.cfg.Packets {
		m.inPacket(s)
	}
	if m.open = !s.Last; s.Last {
		m.stats.Packets++
		m.begun, m.gap = false, false
	}
}

func (m *Monitor) inPacket(s *Sample) {
	if !m.open {
		m.first.ID, m.first.Dest = s.ID, s.Dest
	} else if s.ID != m.first.ID || s.Dest != m.first.Dest {
		m.bad(Interleaved, "TID %#x and TDEST %#x in a packet that began with %#x and %#x", s.ID, s.Dest, m.first.ID, m.first.Dest)
	}
	for k := range m.cfg.Bytes {
		if s.Keep[k/64]>>(k%64)&1 == 0 {
			m.gap = m.begun
		} else if m.gap {
			m.bad(NullInside, "TKEEP is %#x: lane %d follows null bytes within a packet", s.Keep, k)
			m.gap = false
		} else {
			m.begun = true
		}
	}
}

func bit(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

// Finish ends the watch: with whole packets, none may be left open.
func (m *Monitor) Finish(cycle uint64) {
	m.cycle = cycle
	if m.cfg.Packets && m.open {
		m.bad(PacketOpen, "the last packet never ended")
	}
}
