package tilelink

import "github.com/millrace-hdl/millrace/bus"

// heldD is what channel D had at the last edge, if it waited.
type heldD struct {
	held    bool
	answer  Answer
	data    []uint64
	corrupt bool
}

func (m *Monitor) onD(c *DChannel) {
	fresh := c.Valid && (!m.d.held || m.cfg.Retract)
	m.holdD(c)
	took := m.tally(D, c.Valid, c.Ready)
	if !fresh && !took {
		return
	}
	q, first := m.got, m.got == nil
	if first {
		q = m.asked(c.Source)
	}
	if fresh {
		m.checkAnswer(c, q, first)
	}
	if !took || q == nil {
		return
	}
	if q == m.next {
		m.bad(D, NoRequest, "the answer to source %d was taken before its request", c.Source)
		return
	}
	if first {
		m.is = c.Answer
		m.stats.Messages[D]++
	}
	m.got = nil
	if q.answered++; q.answered < q.AnswerBeats(m.cfg.Bytes) {
		m.got = q
	}
}

// asked is the request of a source that is to be answered: one that was accepted, or the
// one that is offered.
func (m *Monitor) asked(source uint64) *message {
	for _, q := range m.open {
		if q.Source == source && q.answered == 0 {
			return q
		}
	}
	if m.next != nil && m.next.Source == source {
		return m.next
	}
	return nil
}

func (m *Monitor) checkAnswer(c *DChannel, q *message, first bool) {
	switch {
	case q == nil:
		m.bad(D, NoRequest, "an answer to source %d, which has asked for nothing", c.Source)
		return
	case !first && c.Answer != m.is:
		m.bad(D, BeatChanged, "beat %d of the answer %+v has %+v", q.answered, m.is, c.Answer)
		return
	}
	if m.cfg.InOrder && first {
		for _, older := range m.open {
			if older == q {
				break
			}
			if older.answered < older.AnswerBeats(m.cfg.Bytes) {
				m.bad(D, Order, "source %d is answered before source %d, which asked earlier", c.Source, older.Source)
				break
			}
		}
	}
	if c.Opcode != q.Answer() {
		m.bad(D, Opcode, "opcode %d answers source %d, whose request wants %d", c.Opcode, c.Source, q.Answer())
	}
	if c.Param != 0 {
		m.bad(D, Param, "param of an answer is %d; only 0 is allowed", c.Param)
	}
	if c.Size != q.Size {
		m.bad(D, Size, "size is %d in the answer to source %d, whose request has %d", c.Size, c.Source, q.Size)
	}
	switch {
	case c.Opcode == bus.TLAccessAckData && c.Denied && !c.Corrupt:
		m.bad(D, Corrupt, "denied data for source %d are not corrupt", c.Source)
	case c.Opcode != bus.TLAccessAckData && c.Corrupt:
		m.bad(D, Corrupt, "corrupt in an answer to source %d without data", c.Source)
	}
}

func (m *Monitor) holdD(c *DChannel) {
	h := &m.d
	if h.held && !m.cfg.Retract {
		if !c.Valid {
			m.bad(D, ValidDropped, "valid of D fell before ready")
		} else {
			m.changed(D, "the control part", h.answer, c.Answer)
			m.changed(D, "corrupt", h.corrupt, c.Corrupt)
			m.changedWords(D, "data", h.data, c.Data)
		}
	}
	if h.held = c.Valid && !c.Ready; h.held {
		h.answer, h.corrupt = c.Answer, c.Corrupt
		keep(&h.data, c.Data)
	}
}
