package axi4

func (m *Monitor) onW(c *DataChannel) {
	m.holdData(&m.w, c)
	if !m.tally(W, c.Valid, c.Ready) {
		return
	}
	var b beat
	copy(b.strb[:], c.Strb)
	b.last = c.Last
	if m.filled < m.writes.len() {
		m.fill(b)
		return
	}
	m.early.push(b)
}

// fill gives a beat of data to the oldest write that lacks some.
func (m *Monitor) fill(b beat) {
	q := m.writes.at(m.filled)
	k := q.beats
	// Beats of full width after the first of an INCR burst may use every lane.
	if k == 0 || q.Burst != Incr || int(1)<<q.Size != m.cfg.Bytes {
		if out := b.strb.Without(q.BeatLanes(m.cfg.Bytes, k)); !out.Empty() {
			m.bad(W, StrobeLanes, "beat %d of the write at %#x strobes %s, outside its lanes by %s", k, q.Addr, hexWords(b.strb[:]), hexWords(out[:]))
		}
	}
	q.beats++
	switch {
	case b.last && q.beats < q.Beats():
		m.bad(W, LastEarly, "WLAST on beat %d of %d of the write at %#x", q.beats, q.Beats(), q.Addr)
	case !b.last && q.beats == q.Beats():
		m.bad(W, LastMissing, "no WLAST on beat %d of %d of the write at %#x", q.beats, q.Beats(), q.Addr)
	}
	if b.last || q.beats == q.Beats() {
		q.filled = true
		m.filled++
	}
}
