package regbus

import (
	"fmt"

	"github.com/millrace-hdl/millrace/bus/axi4"
	"github.com/millrace-hdl/millrace/bus/axilite"
)

// liteManager is a manager of AXI4-Lite. It reads and writes at once, offers addresses
// and data of writes apart, and has several accesses under way.
type liteManager struct {
	*Port
	monitor           *axilite.Monitor
	read, write       *job // offered
	aw, w             bool // halves of the write that are offered
	addressed, filled bool // halves that were accepted
	reads, writes     []*job
}

func newLite(p *Port) *liteManager {
	port, _ := p.find("wdata")
	return &liteManager{Port: p, monitor: axilite.NewMonitor(axi4.Config{Bytes: port.Type.Width / 8})}
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
	m.monitor.Cycle(uint64(m.cycle), &axilite.Sample{
		AW: axilite.AddrChannel{Valid: m.on("awvalid"), Ready: m.on("awready"), Addr: m.get("awaddr"), Prot: uint8(m.get("awprot"))},
		W:  axilite.DataChannel{Valid: m.on("wvalid"), Ready: m.on("wready"), Data: []uint64{m.get("wdata")}, Strb: []uint64{m.get("wstrb")}},
		B:  axilite.RespChannel{Valid: m.on("bvalid"), Ready: m.on("bready"), Resp: axi4.Resp(m.get("bresp"))},
		AR: axilite.AddrChannel{Valid: m.on("arvalid"), Ready: m.on("arready"), Addr: m.get("araddr"), Prot: uint8(m.get("arprot"))},
		R:  axilite.ReadChannel{Valid: m.on("rvalid"), Ready: m.on("rready"), Data: []uint64{m.get("rdata")}, Resp: axi4.Resp(m.get("rresp"))},
	})
	if err := m.violation(); err != nil {
		return err
	}
	if m.on("rvalid") && m.on("rready") {
		j := m.reads[0]
		m.reads = m.reads[1:]
		m.answered(j, m.get("rdata"), m.get("rresp") != 0)
	}
	if m.on("bvalid") && m.on("bready") {
		j := m.writes[0]
		m.writes = m.writes[1:]
		m.answered(j, 0, m.get("bresp") != 0)
	}
	if m.read != nil && m.on("arready") {
		m.accepted(m.read)
		m.reads, m.read = append(m.reads, m.read), nil
	}
	if m.aw && m.on("awready") {
		m.aw, m.addressed = false, true
	}
	if m.w && m.on("wready") {
		m.w, m.filled = false, true
	}
	if m.write != nil && m.addressed && m.filled {
		m.accepted(m.write)
		m.writes, m.write = append(m.writes, m.write), nil
	}
	return nil
}

func (m *liteManager) violation() error {
	if v := m.monitor.Violations(); len(v) > 0 {
		return fmt.Errorf("%s: %s", m.prefix, v[0])
	}
	return nil
}

func (m *liteManager) finish() error {
	m.monitor.Finish(uint64(m.cycle))
	return m.violation()
}
