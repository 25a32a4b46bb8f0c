package mem

import "github.com/millrace-hdl/millrace/bus/axi4"

// readBurst is a read accepted and not finished.
type readBurst struct {
	axi4.Request
	ready uint64 // first cycle in which its first beat may be valid
}

func (m *AXI4) driveR(c *axi4.ReadChannel) {
	if m.rOffer {
		return
	}
	if m.reads.count == 0 || m.reads.at(0).ready > m.cycle || m.stall(m.cfg.Stalls.R) {
		if c.Valid {
			c.Valid, c.Last, c.Resp = false, !c.Last, axi4.SlvErr
			m.spoil(c.Data)
		}
		return
	}
	q := m.reads.at(0)
	a := q.BeatAddr(m.rBeat)
	word := a &^ uint64(m.cfg.Bytes-1)
	m.load(word, c.Data)
	c.Valid, c.ID, c.Resp, c.Last = true, q.ID, axi4.Okay, m.rBeat == int(q.Len)
	if len(m.readFaults) > 0 {
		if c.Resp = m.readFaults.hit(a, a|(1<<q.Size-1)); c.Resp != axi4.Okay {
			m.count.ReadErrors++
			m.spoil(c.Data)
		}
	}
	m.rOffer = true
}

func (m *AXI4) takenR() {
	m.rOffer = false
	m.count.ReadBeats++
	if m.rBeat == int(m.reads.at(0).Len) {
		m.rBeat = 0
		m.reads.pop()
		return
	}
	m.rBeat++
}

// load reads the bus word at a.
func (m *AXI4) load(a uint64, data []uint64) {
	if m.cfg.Bytes < 8 {
		v := m.From.ReadWord(a&^7) >> (a % 8 * 8)
		data[0] = v & (1<<(8*m.cfg.Bytes) - 1)
		return
	}
	for i := range data {
		data[i] = m.From.ReadWord(a + uint64(8*i))
	}
}

// spoil makes data wrong in every bit.
func (m *AXI4) spoil(data []uint64) {
	for i := range data {
		data[i] = ^data[i]
	}
	if m.cfg.Bytes < 8 && len(data) > 0 {
		data[0] &= 1<<(8*m.cfg.Bytes) - 1
	}
}
