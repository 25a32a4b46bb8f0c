package regbus

import (
	"fmt"
	"slices"
)

// liteManager is a manager of AXI4-Lite. It reads and writes at once, offers addresses
// and data of writes apart, and has several accesses under way.
type liteManager struct {
	*Port
	read, write       *job // offered
	aw, w             bool // halves of the write that are offered
	addressed, filled bool // halves that were accepted
	b, r              liteAnswers
}

// liteAnswers are those that a channel owes, and the one that it offered and that was
// not taken.
type liteAnswers struct {
	channel, data string
	owed          []*job
	held          []uint64
}

func newLite(p *Port) *liteManager {
	return &liteManager{Port: p, r: liteAnswers{channel: "r", data: "rdata"}, b: liteAnswers{channel: "b", data: "bresp"}}
}

func (m *liteManager) drive() {
	if len(m.queue) > 0 && (m.queue[0].Write && m.write == nil || !m.queue[0].Write && m.read == nil) {
		if j := m.next(); j != nil && j.Write {
			m.write, m.addressed, m.filled = j, false, false
		} else if j != nil {
			m.read = j
		}
	}
	if m.write != nil {
		m.aw = !m.addressed && (m.aw || !m.pauses())
		m.w = !m.filled && (m.w || !m.pauses())
		m.set("awaddr", m.write.Addr)
		m.set("wdata", m.write.Data)
		m.set("wstrb", m.write.Strb)
	}
	if m.read != nil {
		m.set("araddr", m.read.Addr)
	}
	m.setBool("arvalid", m.read != nil)
	m.setBool("awvalid", m.aw)
	m.setBool("wvalid", m.w)
	m.setBool("rready", !m.pauses())
	m.setBool("bready", !m.pauses())
}

func (m *liteManager) edge() error {
	// Answers are judged before what this edge accepts: none may come in the cycle of the
	// handshake that it answers.
	for _, a := range []*liteAnswers{&m.r, &m.b} {
		if err := m.take(a); err != nil {
			return err
		}
	}
	if m.read != nil && m.on("arready") {
		m.accepted(m.read)
		m.r.owed, m.read = append(m.r.owed, m.read), nil
	}
	if m.aw && m.on("awready") {
		m.aw, m.addressed = false, true
	}
	if m.w && m.on("wready") {
		m.w, m.filled = false, true
	}
	if m.write != nil && m.addressed && m.filled {
		m.accepted(m.write)
		m.b.owed, m.write = append(m.b.owed, m.write), nil
	}
	return nil
}

func (m *liteManager) take(a *liteAnswers) error {
	valid, now := m.on(a.channel+"valid"), []uint64{m.get(a.data), m.get(a.channel + "resp")}
	bad := func(what string) error { return fmt.Errorf("cycle %d: %s%s: %s", m.cycle, m.prefix, a.channel, what) }
	switch {
	case a.held != nil && !valid:
		return bad("valid fell before ready")
	case a.held != nil && !slices.Equal(a.held, now):
		return bad("the answer changed while it waited")
	}
	a.held = nil
	switch {
	case !valid:
		return nil
	case len(a.owed) == 0:
		return bad("an answer to nothing")
	case now[1] != 0 && now[1] != 2:
		return bad(fmt.Sprintf("response %d; a register file knows 0 and 2", now[1]))
	case !m.on(a.channel + "ready"):
		a.held = now
		return nil
	}
	j := a.owed[0]
	a.owed = a.owed[1:]
	m.answered(j, now[0], now[1] == 2)
	return nil
}

func (m *liteManager) finish() error { return nil }
