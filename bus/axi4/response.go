package axi4

// oldest is the position of the first request with the identifier, or −1.
func oldest(q *queue[burst], id uint64) int {
	for i := range q.len() {
		if q.at(i).ID == id {
			return i
		}
	}
	return -1
}

func (m *Monitor) onB(c *RespChannel) {
	fresh := !m.b.held && c.Valid
	m.holdResp(&m.b, c)
	took := m.tally(B, c.Valid, c.Ready)
	if !fresh && !took {
		return
	}
	i := oldest(&m.writes, c.ID)
	if fresh {
		switch {
		case i < 0:
			m.bad(B, NoRequest, "response with id %d, which no outstanding write has", c.ID)
		case !m.writes.at(i).filled:
			q := m.writes.at(i)
			m.bad(B, EarlyResponse, "response to the write at %#x, id %d, after %d of %d beats", q.Addr, q.ID, q.beats, q.Beats())
		case c.Resp == ExOkay && !m.writes.at(i).Lock:
			m.bad(B, RespCode, "EXOKAY to the write at %#x, which is not exclusive", m.writes.at(i).Addr)
		}
	}
	if took && i >= 0 {
		if m.writes.at(i).filled {
			m.filled--
		}
		m.writes.remove(i)
	}
}

func (m *Monitor) onR(c *ReadChannel) {
	fresh := !m.r.held && c.Valid
	m.holdRead(&m.r, c)
	took := m.tally(R, c.Valid, c.Ready)
	if !fresh && !took {
		return
	}
	i := oldest(&m.reads, c.ID)
	if i < 0 {
		if fresh {
			m.bad(R, NoRequest, "read data with id %d, which no outstanding read has", c.ID)
		}
		return
	}
	q := m.reads.at(i)
	final := q.beats+1 == q.Beats()
	if fresh {
		switch {
		case c.Last && !final:
			m.bad(R, LastEarly, "RLAST on beat %d of %d of the read at %#x, id %d", q.beats+1, q.Beats(), q.Addr, q.ID)
		case !c.Last && final:
			m.bad(R, LastMissing, "no RLAST on beat %d of %d of the read at %#x, id %d", q.beats+1, q.Beats(), q.Addr, q.ID)
		}
		if c.Resp == ExOkay && !q.Lock {
			m.bad(R, RespCode, "EXOKAY to the read at %#x, which is not exclusive", q.Addr)
		}
	}
	if took {
		q.beats++
		if final || c.Last {
			m.reads.remove(i)
		}
	}
}
