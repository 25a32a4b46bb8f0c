package axi4

import (
	"fmt"
	"math/bits"
	"strings"
)

// hexWords prints little-endian words as one number.
func hexWords(w []uint64) string {
	top := len(w) - 1
	for top > 0 && w[top] == 0 {
		top--
	}
	if top < 0 {
		return "nothing"
	}
	var s strings.Builder
	fmt.Fprintf(&s, "%#x", w[top])
	for i := top - 1; i >= 0; i-- {
		fmt.Fprintf(&s, "%016x", w[i])
	}
	return s.String()
}

func (m *Monitor) onAW(c *AddrChannel) {
	fresh := !m.aw.held && c.Valid
	m.holdAddr(&m.aw, AW, c)
	if fresh {
		m.checkRequest(AW, &c.Request)
	}
	if !m.tally(AW, c.Valid, c.Ready) {
		return
	}
	m.writes.push(burst{Request: c.Request})
	m.stats.MaxWrites = max(m.stats.MaxWrites, m.writes.len())
	if m.cfg.MaxWrites > 0 && m.writes.len() > m.cfg.MaxWrites {
		m.bad(AW, Outstanding, "%d writes outstanding, %d allowed", m.writes.len(), m.cfg.MaxWrites)
	}
	for m.early.len() > 0 && m.filled < m.writes.len() {
		b := *m.early.at(0)
		m.early.remove(0)
		m.fill(b)
	}
}

func (m *Monitor) onAR(c *AddrChannel) {
	fresh := !m.ar.held && c.Valid
	m.holdAddr(&m.ar, AR, c)
	if fresh {
		m.checkRequest(AR, &c.Request)
	}
	if !m.tally(AR, c.Valid, c.Ready) {
		return
	}
	m.reads.push(burst{Request: c.Request})
	m.stats.MaxReads = max(m.stats.MaxReads, m.reads.len())
	if m.cfg.MaxReads > 0 && m.reads.len() > m.cfg.MaxReads {
		m.bad(AR, Outstanding, "%d reads outstanding, %d allowed", m.reads.len(), m.cfg.MaxReads)
	}
}

func (m *Monitor) checkRequest(ch Channel, r *Request) {
	beats := r.Beats()
	if int(1)<<r.Size > m.cfg.Bytes {
		m.bad(ch, BeatSize, "%sSIZE %d asks for %d bytes a beat, the bus has %d", ch, r.Size, 1<<r.Size, m.cfg.Bytes)
	}
	switch r.Burst {
	case Fixed:
		if beats > 16 {
			m.bad(ch, BurstLength, "FIXED burst of %d beats; at most 16", beats)
		}
	case Wrap:
		if bits.OnesCount(uint(beats)) != 1 || beats < 2 || beats > 16 {
			m.bad(ch, BurstLength, "WRAP burst of %d beats; 2, 4, 8 or 16", beats)
		}
		if r.Addr%(1<<r.Size) != 0 {
			m.bad(ch, WrapAlign, "WRAP burst from %#x, not aligned to its %d bytes a beat", r.Addr, 1<<r.Size)
		}
	case Incr:
		if last := r.LastByte(); r.Addr/Boundary != last/Boundary {
			m.bad(ch, CrossesPage, "burst of %d beats of %d bytes from %#x reaches %#x in the next 4 KiB page", beats, 1<<r.Size, r.Addr, last)
		}
	default:
		m.bad(ch, BurstType, "%sBURST is %d, which is reserved", ch, r.Burst)
	}
	if r.Cache&0b0010 == 0 && r.Cache&0b1100 != 0 {
		m.bad(ch, CacheReserved, "%sCACHE 0b%04b allocates but is not modifiable", ch, r.Cache)
	}
	if r.Lock {
		total := uint64(beats) << r.Size
		switch {
		case bits.OnesCount64(total) != 1 || total > 128 || beats > 16:
			m.bad(ch, Exclusive, "exclusive access of %d beats, %d bytes; a power of two, at most 128 bytes and 16 beats", beats, total)
		case r.Addr%total != 0:
			m.bad(ch, Exclusive, "exclusive access of %d bytes at %#x, not aligned to its size", total, r.Addr)
		}
	}
}
