package regbus

import (
	"fmt"

	"github.com/millrace-hdl/millrace/bus/apb"
)

// apbRequester is a requester of APB4.
type apbRequester struct {
	*Port
	monitor *apb.Monitor
	now     *job
	access  bool // in the access phase
}

func newAPB(p *Port) *apbRequester {
	port, _ := p.find("pwdata")
	return &apbRequester{Port: p, monitor: apb.NewMonitor(apb.Config{Bytes: port.Type.Width / 8})}
}

func (m *apbRequester) drive() {
	if m.now == nil {
		m.now = m.next()
	}
	m.setBool("psel", m.now != nil)
	m.setBool("penable", m.access)
	if m.now == nil {
		return
	}
	m.setBool("pwrite", m.now.Write)
	m.set("paddr", m.now.Addr)
	m.set("pwdata", m.now.Data)
	strb := m.now.Strb
	if !m.now.Write {
		strb = 0
	}
	m.set("pstrb", strb)
}

func (m *apbRequester) edge() error {
	m.monitor.Cycle(uint64(m.cycle), &apb.Sample{
		Sel: m.on("psel"), Enable: m.on("penable"), Ready: m.on("pready"), Error: m.on("pslverr"), ReadData: m.get("prdata"),
		Request: apb.Request{Write: m.on("pwrite"), Addr: m.get("paddr"), Prot: uint8(m.get("pprot")), Data: m.get("pwdata"), Strb: m.get("pstrb")},
	})
	switch {
	case m.now == nil:
	case !m.access:
		m.access = true
	case m.on("pready"):
		done := m.now
		m.now, m.access = nil, false
		m.accepted(done)
		m.answered(done, m.get("prdata"), m.on("pslverr"))
	}
	return m.violation()
}

func (m *apbRequester) violation() error {
	if v := m.monitor.Violations(); len(v) > 0 {
		return fmt.Errorf("%s: %s", m.prefix, v[0])
	}
	return nil
}

func (m *apbRequester) finish() error {
	m.monitor.Finish(uint64(m.cycle))
	return m.violation()
}
