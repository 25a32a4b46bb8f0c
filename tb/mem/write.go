package mem

import "github.com/millrace-hdl/millrace/bus/axi4"

// earlyBeats is how many W beats the subordinate takes before their request.
const earlyBeats = 512

// earlyBeat is a W beat that waits for its request.
type earlyBeat struct {
	data [16]uint64
	strb axi4.Lanes
}

// writeBurst is a write accepted and not answered.
type writeBurst struct {
	axi4.Request
	beats int
	ready uint64 // first cycle in which B may be valid, once it has all its data
	resp  axi4.Resp
}

func (m *AXI4) acceptAW(r *axi4.Request) {
	q := writeBurst{Request: *r}
	if len(m.writeFaults) > 0 {
		if q.resp = m.writeFaults.hit(r.BeatAddr(0), r.LastByte()); q.resp != axi4.Okay {
			m.count.WriteErrors++
		}
	}
	m.writes.push(q)
	m.count.Writes++
	for m.early.count > 0 && m.filled < m.writes.count {
		b := m.early.at(0)
		m.fill(b.data[:], b.strb[:])
		m.early.pop()
	}
}

func (m *AXI4) acceptW(c *axi4.DataChannel) {
	m.count.WriteBeats++
	if m.filled < m.writes.count {
		m.fill(c.Data, c.Strb)
		return
	}
	var b earlyBeat
	copy(b.data[:], c.Data)
	copy(b.strb[:], c.Strb)
	m.early.push(b)
}

// fill gives a beat to the oldest write that lacks some. The number of beats
// follows the request; a wrong WLAST is for a monitor to report.
func (m *AXI4) fill(data, strb []uint64) {
	q := m.writes.at(m.filled)
	if q.resp == axi4.Okay {
		m.store(q.BeatAddr(q.beats)&^uint64(m.cfg.Bytes-1), data, strb)
	}
	q.beats++
	if q.beats == q.Beats() {
		q.ready = m.cycle + uint64(m.cfg.WriteLatency)
		m.filled++
	}
}

// store writes the strobed bytes of the bus word at a.
func (m *AXI4) store(a uint64, data, strb []uint64) {
	if m.cfg.Bytes < 8 {
		shift := a % 8
		m.To.WriteWord(a&^7, data[0]<<(8*shift), uint8(strb[0])<<shift)
		return
	}
	for i := range m.cfg.Bytes / 8 {
		m.To.WriteWord(a+uint64(8*i), data[i], uint8(strb[i/8]>>(i%8*8)))
	}
}

func (m *AXI4) driveB(c *axi4.RespChannel) {
	if m.bOffer {
		return
	}
	if m.filled == 0 || m.writes.at(0).ready > m.cycle || m.stall(m.cfg.Stalls.B) {
		if c.Valid {
			c.Valid, c.Resp = false, axi4.SlvErr
		}
		return
	}
	q := m.writes.at(0)
	c.Valid, c.ID, c.Resp = true, q.ID, q.resp
	m.bOffer = true
}
