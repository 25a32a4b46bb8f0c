package axi4

import "slices"

// A held channel had VALID and no READY at the last edge; its payload then is
// kept, for VALID and payload must be the same at this one.

type heldAddr struct {
	held bool
	req  Request
	user []uint64
}

type heldData struct {
	held             bool
	last             bool
	data, strb, user []uint64
}

type heldResp struct {
	held bool
	id   uint64
	resp Resp
	user []uint64
}

type heldRead struct {
	heldResp
	last bool
	data []uint64
}

func keep(dst *[]uint64, src []uint64) { *dst = append((*dst)[:0], src...) }

func (m *Monitor) dropped(ch Channel) {
	m.bad(ch, ValidDropped, "%sVALID fell before %sREADY", ch, ch)
}

func (m *Monitor) changed(ch Channel, field string, was, is uint64) {
	if was != is {
		m.bad(ch, PayloadChanged, "%s%s changed from %#x to %#x while %sVALID waited for %sREADY", ch, field, was, is, ch, ch)
	}
}

func (m *Monitor) changedWords(ch Channel, field string, was, is []uint64) {
	if slices.Equal(was, is) {
		return
	}
	m.bad(ch, PayloadChanged, "%s%s changed from %s to %s while %sVALID waited for %sREADY", ch, field, hexWords(was), hexWords(is), ch, ch)
}

func (m *Monitor) holdAddr(h *heldAddr, ch Channel, c *AddrChannel) {
	if h.held {
		switch {
		case !c.Valid:
			m.dropped(ch)
		case h.req != c.Request:
			was, is := &h.req, &c.Request
			m.changed(ch, "ID", was.ID, is.ID)
			m.changed(ch, "ADDR", was.Addr, is.Addr)
			m.changed(ch, "LEN", uint64(was.Len), uint64(is.Len))
			m.changed(ch, "SIZE", uint64(was.Size), uint64(is.Size))
			m.changed(ch, "BURST", uint64(was.Burst), uint64(is.Burst))
			m.changed(ch, "LOCK", bit(was.Lock), bit(is.Lock))
			m.changed(ch, "CACHE", uint64(was.Cache), uint64(is.Cache))
			m.changed(ch, "PROT", uint64(was.Prot), uint64(is.Prot))
			m.changed(ch, "QOS", uint64(was.QoS), uint64(is.QoS))
			m.changed(ch, "REGION", uint64(was.Region), uint64(is.Region))
		}
		if c.Valid {
			m.changedWords(ch, "USER", h.user, c.User)
		}
	}
	if h.held = c.Valid && !c.Ready; h.held {
		h.req = c.Request
		keep(&h.user, c.User)
	}
}

func (m *Monitor) holdData(h *heldData, c *DataChannel) {
	if h.held {
		if !c.Valid {
			m.dropped(W)
		} else {
			m.changedWords(W, "DATA", h.data, c.Data)
			m.changedWords(W, "STRB", h.strb, c.Strb)
			m.changed(W, "LAST", bit(h.last), bit(c.Last))
			m.changedWords(W, "USER", h.user, c.User)
		}
	}
	if h.held = c.Valid && !c.Ready; h.held {
		h.last = c.Last
		keep(&h.data, c.Data)
		keep(&h.strb, c.Strb)
		keep(&h.user, c.User)
	}
}

func (m *Monitor) holdResp(h *heldResp, c *RespChannel) {
	if h.held {
		if !c.Valid {
			m.dropped(B)
		} else {
			m.changed(B, "ID", h.id, c.ID)
			m.changed(B, "RESP", uint64(h.resp), uint64(c.Resp))
			m.changedWords(B, "USER", h.user, c.User)
		}
	}
	if h.held = c.Valid && !c.Ready; h.held {
		h.id, h.resp = c.ID, c.Resp
		keep(&h.user, c.User)
	}
}

func (m *Monitor) holdRead(h *heldRead, c *ReadChannel) {
	if h.held {
		if !c.Valid {
			m.dropped(R)
		} else {
			m.changed(R, "ID", h.id, c.ID)
			m.changedWords(R, "DATA", h.data, c.Data)
			m.changed(R, "RESP", uint64(h.resp), uint64(c.Resp))
			m.changed(R, "LAST", bit(h.last), bit(c.Last))
			m.changedWords(R, "USER", h.user, c.User)
		}
	}
	if h.held = c.Valid && !c.Ready; h.held {
		h.id, h.resp, h.last = c.ID, c.Resp, c.Last
		keep(&h.data, c.Data)
		keep(&h.user, c.User)
	}
}

func bit(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}
