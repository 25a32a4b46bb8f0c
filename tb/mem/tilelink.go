package mem

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/millrace-hdl/millrace/bus"
	"github.com/millrace-hdl/millrace/bus/axi4"
	"github.com/millrace-hdl/millrace/bus/tilelink"
)

// TileLinkConfig is the timing and the faults of a [TileLink] subordinate.
type TileLinkConfig struct {
	Bytes        int // data bus width in bytes, a power of two, 1…128
	ReadLatency  int // cycles from a Get accepted to its first beat of data valid, at least 1
	WriteLatency int // cycles from the last beat of a Put accepted to its answer valid, at least 1
	Outstanding  int // requests held, 0 for DefaultOutstanding
	// StallA and StallD are how often, in percent of cycles, ready of A is low and the
	// next valid of D is delayed.
	StallA, StallD int
	// Early counts WriteLatency from the first beat of a Put, so that its answer may
	// come before its last one, as TileLink allows.
	Early bool
	// Tight takes no beat while an answer is offered and was not taken.
	Tight bool
	// Reorder answers whichever request is due, as TileLink allows, instead of the
	// oldest.
	Reorder bool
	Seed    uint64 // of the stalls and of the order
	// Faults deny accesses that reach into them, where Resp is DecErr or writes are
	// meant, and otherwise corrupt the beats of data that do. Denied Puts store nothing.
	Faults []Fault
}

// Validate names the field out of range.
func (c *TileLinkConfig) Validate() error {
	like := Config{
		Bytes: c.Bytes, ReadLatency: c.ReadLatency, WriteLatency: c.WriteLatency, Reads: c.Outstanding, Faults: c.Faults,
	}
	if err := like.Validate(); err != nil {
		return err
	}
	for _, f := range []struct {
		name    string
		percent int
	}{{"A stalls", c.StallA}, {"D stalls", c.StallD}} {
		if f.percent < 0 || f.percent > 99 {
			return fmt.Errorf("memory: %s is %d; 0…99", f.name, f.percent)
		}
	}
	return nil
}

// TileLink is a subordinate of TileLink UL and UH, for Gets and Puts on one link.
// Answers come in order unless the configuration says otherwise. Hints are
// acknowledged; atomics are denied.
//
// Each cycle is two calls, as for [AXI4]: [TileLink.Drive] sets what the subordinate
// drives, from its state alone; [TileLink.Edge] takes the sample of the same cycle. Data
// are looked up when a beat becomes valid, in lanes outside the access and while valid is
// low they are deliberately wrong.
type TileLink struct {
	cfg TileLinkConfig
	// From and To are the memories behind Gets and Puts; one and the same, or two.
	From, To *Store
	cycle    uint64
	rng      *rand.Rand
	count    Beats

	open   []*tlMessage // in the order of the requests
	taking *tlMessage   // a Put with beats to come
	giving *tlMessage   // what D offers, or has begun to answer
	offer  bool         // a beat is on D and not taken
	reads  faults
	writes faults
}

// tlMessage is a request accepted and not answered.
type tlMessage struct {
	tilelink.Request
	taken, given int    // beats
	ready        uint64 // first cycle in which the answer may be valid
	denied       bool
}

// never is the due time of what has still to come.
const never = ^uint64(0)

// NewTileLink is an idle subordinate that reads one store and writes the other.
func NewTileLink(cfg TileLinkConfig, from, to *Store) (*TileLink, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	if cfg.Outstanding == 0 {
		cfg.Outstanding = DefaultOutstanding
	}
	m := &TileLink{cfg: cfg, From: from, To: to, rng: rand.New(rand.NewPCG(cfg.Seed, 1))}
	for _, f := range cfg.Faults {
		m.AddFault(f)
	}
	return m, nil
}

// AddFault makes the subordinate fail there from now on. Requests that were accepted are
// not denied any more.
func (m *TileLink) AddFault(f Fault) {
	if f.Write {
		m.writes = append(m.writes, f)
		return
	}
	m.reads = append(m.reads, f)
}

// RemoveFault undoes one [TileLink.AddFault].
func (m *TileLink) RemoveFault(f Fault) {
	fs := &m.reads
	if f.Write {
		fs = &m.writes
	}
	if i := slices.Index(*fs, f); i >= 0 {
		*fs = slices.Delete(*fs, i, i+1)
	}
}

// Count is what was transferred so far: Gets count as reads, Puts as writes, denied or
// corrupt beats of data and denied Puts as errors.
func (m *TileLink) Count() Beats { return m.count }

// Pending is the number of requests without their last beat of answer.
func (m *TileLink) Pending() int { return len(m.open) }

// Reset forgets everything in flight; the stores keep their contents.
func (m *TileLink) Reset() { m.open, m.taking, m.giving, m.offer = nil, nil, nil, false }

func (m *TileLink) stall(percent int) bool { return percent > 0 && m.rng.IntN(100) < percent }

// Drive sets the ready of A, and D, of the cycle in s, once a cycle. s.D.Data must have
// room for the bus width.
func (m *TileLink) Drive(s *tilelink.Sample) {
	m.driveD(&s.D)
	full := m.taking == nil && len(m.open) >= m.cfg.Outstanding
	s.A.Ready = !full && !(m.cfg.Tight && m.offer) && !m.stall(m.cfg.StallA)
}

func (m *TileLink) driveD(c *tilelink.DChannel) {
	if m.offer {
		return
	}
	q := m.giving
	if q == nil {
		q = m.due()
	}
	if q == nil || m.stall(m.cfg.StallD) {
		if c.Valid {
			c.Valid, c.Denied, c.Corrupt, c.Source = false, !c.Denied, true, c.Source^1
			m.spoil(c.Data, 0, m.cfg.Bytes)
		}
		return
	}
	m.giving, m.offer = q, true
	c.Valid, c.Corrupt = true, false
	c.Answer = tilelink.Answer{Opcode: q.Answer(), Size: q.Size, Source: q.Source, Denied: q.denied}
	if q.Reads() {
		m.load(q, c)
	}
}

// due is the request to be answered next, or nil.
func (m *TileLink) due() *tlMessage {
	var all []*tlMessage
	for _, q := range m.open {
		if q.ready <= m.cycle {
			all = append(all, q)
		} else if !m.cfg.Reorder {
			break
		}
	}
	switch {
	case len(all) == 0:
		return nil
	case m.cfg.Reorder:
		return all[m.rng.IntN(len(all))]
	}
	return all[0]
}

// extent is the bytes of beat k of a message: its first address and how many.
func (m *TileLink) extent(q *tlMessage, k int) (addr uint64, n int) {
	n = int(min(q.Bytes(), uint64(m.cfg.Bytes)))
	return q.Address + uint64(k*n), n
}

// load puts the data of the next beat on D.
func (m *TileLink) load(q *tlMessage, c *tilelink.DChannel) {
	addr, n := m.extent(q, q.given)
	low := int(addr % uint64(m.cfg.Bytes))
	clear(c.Data)
	for k := range m.cfg.Bytes {
		x := m.From.Byte(addr - uint64(low) + uint64(k))
		c.Data[k/8] |= uint64(x) << (k % 8 * 8)
	}
	m.spoil(c.Data, 0, low)
	m.spoil(c.Data, low+n, m.cfg.Bytes)
	if q.denied || m.reads.hit(addr, addr+uint64(n)-1) != axi4.Okay {
		c.Corrupt = true
		m.count.ReadErrors++
		m.spoil(c.Data, low, low+n)
	}
}

// spoil makes lanes lo…hi−1 wrong in every bit.
func (m *TileLink) spoil(data []uint64, lo, hi int) {
	for k := lo; k < hi; k++ {
		data[k/8] ^= 0xff << (k % 8 * 8)
	}
}

// Edge takes the sample of the cycle that Drive began.
func (m *TileLink) Edge(s *tilelink.Sample) {
	if m.offer && s.D.Ready {
		m.gave()
	}
	if s.A.Valid && s.A.Ready {
		m.take(&s.A)
	}
	m.cycle++
}

// gave notes that a beat of D was taken.
func (m *TileLink) gave() {
	q := m.giving
	m.offer = false
	if q.Reads() {
		m.count.ReadBeats++
	}
	if q.given++; q.given < q.AnswerBeats(m.cfg.Bytes) {
		return
	}
	m.giving = nil
	for i, o := range m.open {
		if o == q {
			m.open = append(m.open[:i:i], m.open[i+1:]...)
			return
		}
	}
}

// take takes a beat of A.
func (m *TileLink) take(c *tilelink.AChannel) {
	q := m.taking
	if q == nil {
		q = &tlMessage{Request: c.Request, ready: never}
		q.denied = q.Opcode == bus.TLArithmetic || q.Opcode == bus.TLLogical || m.denies(q)
		m.open = append(m.open, q)
		if q.Writes() {
			m.count.Writes++
		} else {
			m.count.Reads++
		}
		if q.denied && q.Writes() {
			m.count.WriteErrors++
		}
	}
	if q.Writes() {
		m.count.WriteBeats++
		if !q.denied {
			m.store(q, c)
		}
	}
	q.taken++
	m.taking = nil
	if q.taken < q.Beats(m.cfg.Bytes) {
		m.taking = q
	}
	switch {
	case !q.Writes():
		q.ready = m.cycle + uint64(m.cfg.ReadLatency)
	case m.taking == nil || m.cfg.Early:
		q.ready = min(q.ready, m.cycle+uint64(m.cfg.WriteLatency))
	}
}

// denies is whether a fault denies the request.
func (m *TileLink) denies(q *tlMessage) bool {
	fs := m.reads
	if q.Writes() {
		fs = m.writes
	}
	for _, f := range fs {
		if q.Address+q.Bytes()-1 >= f.Lo && q.Address <= f.Hi && (q.Writes() || f.Resp == axi4.DecErr) {
			return true
		}
	}
	return false
}

// store writes the bytes of a beat of a Put.
func (m *TileLink) store(q *tlMessage, c *tilelink.AChannel) {
	addr, _ := m.extent(q, q.taken)
	word := addr &^ uint64(m.cfg.Bytes-1)
	for k := range m.cfg.Bytes {
		if c.Mask[k/64]>>(k%64)&1 == 1 {
			m.To.SetByte(word+uint64(k), byte(c.Data[k/8]>>(k%8*8)))
		}
	}
}
