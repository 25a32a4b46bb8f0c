package regbus

import (
	"fmt"

	"github.com/millrace-hdl/millrace/bus/obi"
)

// obiManager is a manager of OBI. It has several accesses under way.
type obiManager struct {
	*Port
	monitor *obi.Monitor
	now     *job
	owed    []*job
}

func newOBI(p *Port) *obiManager {
	port, _ := p.find("wdata")
	return &obiManager{Port: p, monitor: obi.NewMonitor(obi.Config{Bytes: port.Type.Width / 8, RReady: p.o.RReady})}
}

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
	taken := !m.o.RReady || m.on("rready")
	m.monitor.Cycle(uint64(m.cycle), &obi.Sample{
		Req: m.on("req"), Gnt: m.on("gnt"), RValid: m.on("rvalid"), RReady: taken,
		Request:  obi.Request{Addr: m.get("addr"), Write: m.on("we"), BE: []uint64{m.get("be")}, WData: []uint64{m.get("wdata")}, AID: m.get("aid")},
		Response: obi.Response{RData: []uint64{m.get("rdata")}, Err: m.on("err"), RID: m.get("rid")},
	})
	if err := m.violation(); err != nil {
		return err
	}
	if m.on("rvalid") && taken {
		j := m.owed[0]
		m.owed = m.owed[1:]
		m.answered(j, m.get("rdata"), m.on("err"))
	}
	if m.now != nil && m.on("gnt") {
		m.accepted(m.now)
		m.owed, m.now = append(m.owed, m.now), nil
	}
	return nil
}

func (m *obiManager) violation() error {
	if v := m.monitor.Violations(); len(v) > 0 {
		return fmt.Errorf("%s: %s", m.prefix, v[0])
	}
	return nil
}

func (m *obiManager) finish() error {
	m.monitor.Finish(uint64(m.cycle))
	return m.violation()
}
