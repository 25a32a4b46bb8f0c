package regbus

import (
	"fmt"
	"slices"
)

// obiManager is a manager of OBI. It has several accesses under way.
type obiManager struct {
	*Port
	now  *job
	owed []*job
	held []uint64 // the answer that was offered and not taken
}

func newOBI(p *Port) *obiManager { return &obiManager{Port: p} }

func (m *obiManager) drive() {
	if m.now == nil {
		if m.now = m.next(); m.now != nil {
			port, _ := m.find("aid")
			m.now.id = m.rng.Uint64() >> (64 - port.Type.Width)
		}
	}
	m.setBool("req", m.now != nil)
	if j := m.now; j != nil {
		m.setBool("we", j.Write)
		m.set("addr", j.Addr)
		m.set("wdata", j.Data)
		m.set("be", j.Strb)
		m.set("aid", j.id)
	}
	if m.o.RReady {
		m.setBool("rready", !m.pauses())
	}
}

func (m *obiManager) edge() error {
	now := []uint64{m.get("rdata"), m.get("err"), m.get("rid")}
	valid := m.on("rvalid")
	bad := func(what string) error { return fmt.Errorf("cycle %d: %s: %s", m.cycle, m.prefix, what) }
	switch {
	case m.held != nil && !valid:
		return bad("rvalid fell before rready")
	case m.held != nil && !slices.Equal(m.held, now):
		return bad("the answer changed while it waited")
	case valid && len(m.owed) == 0:
		return bad("an answer to nothing")
	case valid && m.owed[0].id != now[2]:
		return bad(fmt.Sprintf("rid is %d, that of the request %d", now[2], m.owed[0].id))
	}
	m.held = nil
	switch {
	case valid && m.o.RReady && !m.on("rready"):
		m.held = now
	case valid:
		j := m.owed[0]
		m.owed = m.owed[1:]
		m.answered(j, now[0], now[1] == 1)
	}
	if m.now != nil && m.on("gnt") {
		m.accepted(m.now)
		m.owed, m.now = append(m.owed, m.now), nil
	}
	return nil
}

func (m *obiManager) finish() error { return nil }
