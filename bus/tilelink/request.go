package tilelink

import (
	"fmt"
	"slices"

	"github.com/millrace-hdl/millrace/bus"
)

// heldA is what channel A had at the last edge, if it waited.
type heldA struct {
	held       bool
	req        Request
	mask, data []uint64
	corrupt    bool
}

func (m *Monitor) onA(c *AChannel) {
	fresh := c.Valid && (!m.a.held || m.cfg.Retract)
	m.holdA(c)
	if m.next = nil; !c.Valid {
		return
	}
	first := m.sent == nil
	if fresh {
		m.checkBeat(c)
		if first {
			m.checkRequest(&c.Request)
		}
	}
	if !m.tally(A, c.Valid, c.Ready) {
		if first {
			m.next = &message{Request: c.Request}
		}
		return
	}
	q := m.sent
	if first {
		q = &message{Request: c.Request}
		m.open = append(m.open, q)
		m.stats.Messages[A]++
		n := m.Outstanding()
		m.stats.MaxOutstanding = max(m.stats.MaxOutstanding, n)
		if m.cfg.MaxOutstanding > 0 && n > m.cfg.MaxOutstanding {
			m.bad(A, Outstanding, "%d requests outstanding, %d allowed", n, m.cfg.MaxOutstanding)
		}
	}
	m.sent = nil
	if q.asked++; q.asked < q.Beats(m.cfg.Bytes) {
		m.sent = q
	}
}

// checkRequest judges the first beat of a message.
func (m *Monitor) checkRequest(r *Request) {
	highest, params := uint8(bus.TLLogical), [...]uint8{0, 0, 4, 3, 0, 1}
	long := m.cfg.MaxSize > m.cfg.Bytes
	switch {
	case r.Opcode > bus.TLIntent:
		m.bad(A, Opcode, "opcode %d is none of TileLink UH", r.Opcode)
	case !long && (r.Opcode == bus.TLIntent || r.Opcode > bus.TLPutPartial && r.Opcode <= highest):
		m.bad(A, Opcode, "opcode %d is none of TileLink UL", r.Opcode)
	case r.Param > params[r.Opcode]:
		m.bad(A, Param, "param is %d with opcode %d; 0 to %d", r.Param, r.Opcode, params[r.Opcode])
	}
	if r.Size > 63 || r.Bytes() > uint64(m.cfg.MaxSize) {
		m.bad(A, Size, "a message of 2^%d bytes, at most %d are allowed", r.Size, m.cfg.MaxSize)
	}
	if r.Size > 63 || r.Address&(r.Bytes()-1) != 0 {
		m.bad(A, Alignment, "%#x is no multiple of 2^%d bytes", r.Address, r.Size)
	}
	for _, q := range m.open {
		if q.Source == r.Source {
			m.bad(A, SourceBusy, "source %d asks at %#x, and its request at %#x is not answered", r.Source, r.Address, q.Address)
		}
	}
}

// checkBeat judges what each beat has of its own.
func (m *Monitor) checkBeat(c *AChannel) {
	r := &c.Request
	if q := m.sent; q != nil && q.Request != *r {
		m.bad(A, BeatChanged, "beat %d of the message %+v has %+v", q.asked, q.Request, *r)
		r = &q.Request
	}
	lanes := r.Lanes(m.cfg.Bytes)
	var mask [2]uint64
	copy(mask[:], c.Mask)
	partial := r.Opcode == bus.TLPutPartial
	if mask[0]&^lanes[0]|mask[1]&^lanes[1] != 0 || !partial && mask != lanes {
		m.bad(A, Mask, "mask is %s for 2^%d bytes at %#x with opcode %d, their lanes are %s", hexWords(mask[:]), r.Size, r.Address, r.Opcode, hexWords(lanes[:]))
	}
	if c.Corrupt && !r.Writes() {
		m.bad(A, Corrupt, "corrupt with opcode %d, which has no data", r.Opcode)
	}
}

func (m *Monitor) holdA(c *AChannel) {
	h := &m.a
	if h.held && !m.cfg.Retract {
		if !c.Valid {
			m.bad(A, ValidDropped, "valid of A fell before ready")
		} else {
			m.changed(A, "the control part", h.req, c.Request)
			m.changed(A, "corrupt", h.corrupt, c.Corrupt)
			m.changedWords(A, "mask", h.mask, c.Mask)
			m.changedWords(A, "data", h.data, c.Data)
		}
	}
	if h.held = c.Valid && !c.Ready; h.held {
		h.req, h.corrupt = c.Request, c.Corrupt
		keep(&h.mask, c.Mask)
		keep(&h.data, c.Data)
	}
}

func keep(dst *[]uint64, src []uint64) { *dst = append((*dst)[:0], src...) }

func (m *Monitor) changed(ch Channel, field string, was, is any) {
	if was != is {
		m.bad(ch, PayloadChanged, "%s of %s changed from %+v to %+v while it waited", field, ch, was, is)
	}
}

func (m *Monitor) changedWords(ch Channel, field string, was, is []uint64) {
	if !slices.Equal(was, is) {
		m.bad(ch, PayloadChanged, "%s of %s changed from %s to %s while it waited", field, ch, hexWords(was), hexWords(is))
	}
}

// hexWords prints little-endian words as one number.
func hexWords(w []uint64) string {
	for len(w) > 1 && w[len(w)-1] == 0 {
		w = w[:len(w)-1]
	}
	if len(w) == 0 {
		return "nothing"
	}
	s := fmt.Sprintf("%#x", w[len(w)-1])
	for i := len(w) - 2; i >= 0; i-- {
		s += fmt.Sprintf("%016x", w[i])
	}
	return s
}
