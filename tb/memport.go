package tb

import (
	"fmt"
	"strings"

	"github.com/millrace-hdl/millrace/bus/axi4"
	"github.com/millrace-hdl/millrace/tb/mem"
)

// memPort is a bus with a memory behind it. The memory speaks AXI4; what the bus is
// different in, its wires know.
type memPort struct {
	wires
	heads
	bus string
	s   axi4.Sample
	mem *mem.AXI4 // set when a run begins

	reads, writes walker
	answered      uint64 // write bursts with their response
	max           [2]int
	bytes         int
	shown         bool // the write response on offer was seen
}

// wires is a bus of one protocol seen as AXI4.
type wires interface {
	publish(s *axi4.Sample) // puts what the memory drives on the engine's inputs
	take(s *axi4.Sample)    // takes what the engine drives
	view(s *axi4.Sample)    // points the sample at the engine's data
	monitorReset(s *axi4.Sample)
	monitor(cycle uint64, s *axi4.Sample)
	finish(cycle uint64)
	handshakes() []handshake
	violations() ([]Violation, int)
	offered() (read, write bool)    // requests and write data that the engine shows
	addresses() (ar, aw *addrPorts) // attributes that requests have
	adapt(c mem.Config) mem.Config  // what the memory may not do on this bus
	begin(bytes, keep int)          // a run, with a fresh monitor
}

// addrPorts is AW or AR.
type addrPorts struct {
	valid, ready, id, addr, len, size, burst, lock, cache, prot, qos, region field
	user                                                                     []uint64
}

func (m *memPort) start(cfg *RunConfig, p *ports, c *course, from, to *mem.Store, keep int) (err error) {
	m.mem, err = mem.NewAXI4(m.adapt(cfg.memory(p.bytes)), from, to)
	m.s, m.answered, m.max, m.bytes, m.shown = axi4.Sample{}, 0, [2]int{}, p.bytes, false
	m.view(&m.s)
	m.begin(p.bytes, keep)
	ar, aw := m.addresses()
	m.reads, m.writes = newWalker(axi4.AR, p, ar, c, m.heads), newWalker(axi4.AW, p, aw, c, m.heads)
	return err
}

func (m *memPort) drive() {
	m.mem.Drive(&m.s)
	m.publish(&m.s)
}

func (m *memPort) sample()            { m.take(&m.s) }
func (m *memPort) reset()             { m.monitorReset(&m.s) }
func (m *memPort) watch(cycle uint64) { m.monitor(cycle, &m.s) }

func (m *memPort) edge() {
	m.mem.Edge(&m.s)
	reads, writes := m.mem.Pending()
	m.max[0], m.max[1] = max(m.max[0], reads), max(m.max[1], writes)
}

func (m *memPort) pending() (reads, writes int) { return m.mem.Pending() }
func (m *memPort) traffic() traffic             { return traffic{m.mem.Count(), m.max[0], m.max[1]} }

func (m *memPort) motion() motion {
	s := &m.s
	asks, offers := m.offered()
	reads, wrote := s.R.Valid && s.R.Ready, s.W.Valid && s.W.Ready
	return motion{asks, offers, reads, wrote, reads || wrote || s.AR.Valid && s.AR.Ready || s.AW.Valid && s.AW.Ready || s.B.Valid && s.B.Ready}
}

func (m *memPort) stuck() string {
	var b strings.Builder
	for _, c := range [...]struct {
		name         string
		valid, ready bool
	}{
		{"AR", m.s.AR.Valid, m.s.AR.Ready}, {"R", m.s.R.Valid, m.s.R.Ready}, {"AW", m.s.AW.Valid, m.s.AW.Ready},
		{"W", m.s.W.Valid, m.s.W.Ready}, {"B", m.s.B.Valid, m.s.B.Ready},
	} {
		if c.valid != c.ready {
			fmt.Fprintf(&b, "; %s %sVALID %d, %sREADY %d", m.bus, c.name, truth(c.valid), c.name, truth(c.ready))
		}
	}
	return b.String()
}

// bursts checks requests accepted in this cycle, and counts answers.
func (m *memPort) bursts(bad func(string), anyOrder bool) {
	m.reads.anyOrder, m.writes.anyOrder = anyOrder, anyOrder
	s := &m.s
	if s.AR.Valid && s.AR.Ready {
		if msg := m.reads.take(&s.AR.Request, s.AR.User); msg != "" {
			bad(msg)
		}
	}
	if s.AW.Valid && s.AW.Ready {
		if msg := m.writes.take(&s.AW.Request, s.AW.User); msg != "" {
			bad(msg)
		}
	}
	if s.B.Valid && s.B.Ready {
		m.answered++
	}
}
