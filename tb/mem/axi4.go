package mem

import (
	"math/rand/v2"

	"github.com/millrace-hdl/millrace/bus/axi4"
)

// AXI4 is a subordinate with independent read and write sides.
//
// AR accepted in cycle t: the first R beat is valid in t+ReadLatency, then one
// a cycle; bursts in order and back to back. AW and W are independent; B is valid
// WriteLatency cycles after the later of AW and the last W. READY never depends
// on VALID. Bursts do not stall inside unless Stalls says so. While VALID is low
// the payload is deliberately wrong.
//
// Each cycle is two calls: [AXI4.Drive] sets what the subordinate drives, from
// its state alone; [AXI4.Edge] takes the sample of the same cycle. Read data are
// looked up when a beat becomes valid; written data are stored when the beat and
// its request are both there.
type AXI4 struct {
	cfg Config
	// From and To are the memories behind the read and the write side; one and
	// the same, or two so that reads never see writes.
	From, To *Store
	cycle    uint64
	rng      *rand.Rand
	count    Beats

	reads       ring[readBurst]
	rBeat       int  // beat of the front read to offer next
	rOffer      bool // a beat is on the bus and not taken
	readFaults  faults
	writes      ring[writeBurst]
	filled      int             // writes, from the front, that have all their data
	early       ring[earlyBeat] // W beats before their request
	bOffer      bool
	writeFaults faults
}

// Beats counts what a subordinate transferred.
type Beats struct {
	Reads, Writes           uint64 // bursts requested
	ReadBeats, WriteBeats   uint64
	ReadErrors, WriteErrors uint64 // beats and bursts answered with an error
}

// NewAXI4 is an idle subordinate that reads one store and writes the other.
func NewAXI4(cfg Config, from, to *Store) (*AXI4, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	if cfg.Reads == 0 {
		cfg.Reads = DefaultOutstanding
	}
	if cfg.Writes == 0 {
		cfg.Writes = DefaultOutstanding
	}
	m := &AXI4{cfg: cfg, From: from, To: to, rng: rand.New(rand.NewPCG(cfg.Seed, 0))}
	m.reads = newRing[readBurst](cfg.Reads)
	m.writes = newRing[writeBurst](cfg.Writes)
	m.early = newRing[earlyBeat](earlyBeats)
	for _, f := range cfg.Faults {
		m.AddFault(f)
	}
	return m, nil
}

// Count is what was transferred so far.
func (m *AXI4) Count() Beats { return m.count }

// Pending is the number of reads without their last beat and of writes without
// their response.
func (m *AXI4) Pending() (reads, writes int) { return m.reads.count, m.writes.count }

// Reading is the read burst to which the R beat at hand belongs, and the beat's
// address.
func (m *AXI4) Reading() (axi4.Request, uint64) {
	q := m.reads.at(0)
	return q.Request, q.BeatAddr(m.rBeat)
}

// Answering is the write burst to which the B at hand belongs.
func (m *AXI4) Answering() axi4.Request { return m.writes.at(0).Request }

// Writing reports whether a write burst without its response, but for the oldest few
// that are skipped, reaches into bytes lo…hi.
func (m *AXI4) Writing(lo, hi uint64, skip int) bool {
	for i := skip; i < m.writes.count; i++ {
		if w := m.writes.at(i); w.BeatAddr(0) <= hi && w.LastByte() >= lo {
			return true
		}
	}
	return false
}

// stall reports whether a channel holds back in this cycle.
func (m *AXI4) stall(percent int) bool {
	return percent > 0 && m.rng.IntN(100) < percent
}

// Drive sets the READYs, R and B of the cycle in s, once a cycle. s.R.Data must
// have room for the bus width.
func (m *AXI4) Drive(s *axi4.Sample) {
	st := &m.cfg.Stalls
	s.AR.Ready = !m.reads.full() && !m.stall(st.AR)
	refuse := m.cfg.ReadsFirst && m.reads.count > 0
	s.AW.Ready = !m.writes.full() && !m.stall(st.AW) && !refuse
	s.W.Ready = !m.early.full() && !m.stall(st.W) && !refuse
	switch m.cfg.WriteOrder {
	case AddressFirst:
		s.W.Ready = s.W.Ready && m.filled < m.writes.count
	case DataFirst:
		s.AW.Ready = s.AW.Ready && m.early.count > 0
	}
	m.driveR(&s.R)
	m.driveB(&s.B)
}

// Edge takes the sample of the cycle that Drive began.
func (m *AXI4) Edge(s *axi4.Sample) {
	if m.rOffer && s.R.Ready {
		m.takenR()
	}
	if m.bOffer && s.B.Ready {
		m.bOffer = false
		m.filled--
		m.writes.pop()
	}
	if s.AR.Valid && s.AR.Ready {
		m.reads.push(readBurst{s.AR.Request, m.cycle + uint64(m.cfg.ReadLatency)})
		m.count.Reads++
	}
	if s.AW.Valid && s.AW.Ready {
		m.acceptAW(&s.AW.Request)
	}
	if s.W.Valid && s.W.Ready {
		m.acceptW(&s.W)
	}
	m.cycle++
}

// Reset forgets everything in flight; the stores keep their contents.
func (m *AXI4) Reset() {
	m.reads.clear()
	m.writes.clear()
	m.early.clear()
	m.rBeat, m.filled, m.rOffer, m.bOffer = 0, 0, false, false
}
