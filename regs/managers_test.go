package regs_test

import (
	"math/rand/v2"

	"github.com/stretchr/testify/require"

	"github.com/millrace-hdl/millrace/bus/apb"
)

// manager drives a bus: drive before an edge, edge after it. It asks what next gives,
// tells done in the cycle after which an access has happened, and answered with what
// came back, in the order of the accesses of a kind.
type manager interface {
	drive()
	edge()
}

type hooks struct {
	pins
	r        *rand.Rand
	idle     int // percent of the cycles in which nothing new begins, and in which answers are not taken
	next     func() (access, bool)
	done     func(a access)
	answered func(write bool, data uint32, err bool)
}

func (h *hooks) pauses() bool { return h.r.IntN(100) < h.idle }

// apbManager is a requester of APB4.
type apbManager struct {
	*hooks
	monitor *apb.Monitor
	now     access
	phase   int // 0 idle, 1 setup, 2 access
	cycle   uint64
}

func (m *apbManager) drive() {
	if m.phase == 0 && !m.pauses() {
		if a, more := m.next(); more {
			m.now, m.phase = a, 1
			m.now.addr &^= 3
		}
	}
	strb := m.now.strb
	if !m.now.write {
		strb = 0
	}
	m.setBool("s_apb_psel", m.phase > 0)
	m.setBool("s_apb_penable", m.phase == 2)
	m.setBool("s_apb_pwrite", m.now.write)
	m.set("s_apb_paddr", uint64(m.now.addr))
	m.set("s_apb_pwdata", uint64(m.now.data))
	m.set("s_apb_pstrb", uint64(strb))
}

func (m *apbManager) edge() {
	m.monitor.Cycle(m.cycle, &apb.Sample{Sel: m.on("s_apb_psel"), Enable: m.on("s_apb_penable"),
		Request: apb.Request{Write: m.on("s_apb_pwrite"), Addr: m.get("s_apb_paddr"), Prot: uint8(m.get("s_apb_pprot")),
			Data: m.get("s_apb_pwdata"), Strb: m.get("s_apb_pstrb")},
		Ready: m.on("s_apb_pready"), Error: m.on("s_apb_pslverr"), ReadData: m.get("s_apb_prdata")})
	m.cycle++
	switch {
	case m.phase == 1:
		m.phase = 2
	case m.phase == 2 && m.on("s_apb_pready"):
		m.phase = 0
		m.done(m.now)
		m.answered(m.now.write, uint32(m.get("s_apb_prdata")), m.on("s_apb_pslverr"))
	}
}

// liteManager is a manager of AXI4-Lite: reads and writes at once, addresses and data
// of writes apart.
type liteManager struct {
	*hooks
	read, write       access
	ar, aw, w         bool // offered
	begun             bool // a write is under way
	addressed, filled bool // its halves were accepted
	owed              int  // writes without their answer
	owedReads         int
	waiting           map[string]uint64 // answers that were offered and not taken
	spare             *access
}

func (m *liteManager) drive() {
	if m.spare == nil && !m.pauses() {
		if a, more := m.next(); more {
			m.spare = &a
		}
	}
	if m.spare != nil && m.spare.write && !m.begun {
		m.write, m.spare = *m.spare, nil
		m.begun, m.addressed, m.filled = true, false, false
	}
	if m.spare != nil && !m.spare.write && !m.ar {
		m.read, m.spare, m.ar = *m.spare, nil, true
	}
	if m.begun {
		m.aw = !m.addressed && (m.aw || !m.pauses())
		m.w = !m.filled && (m.w || !m.pauses())
	}
	m.setBool("s_axil_arvalid", m.ar)
	m.set("s_axil_araddr", uint64(m.read.addr))
	m.setBool("s_axil_awvalid", m.aw)
	m.set("s_axil_awaddr", uint64(m.write.addr))
	m.setBool("s_axil_wvalid", m.w)
	m.set("s_axil_wdata", uint64(m.write.data))
	m.set("s_axil_wstrb", uint64(m.write.strb))
	m.setBool("s_axil_rready", !m.pauses())
	m.setBool("s_axil_bready", !m.pauses())
}

func (m *liteManager) edge() {
	m.take("s_axil_r", "s_axil_rdata", &m.owedReads, false)
	m.take("s_axil_b", "s_axil_bresp", &m.owed, true)
	if m.ar && m.on("s_axil_arready") {
		m.ar = false
		m.owedReads++
		m.done(m.read)
	}
	if m.aw && m.on("s_axil_awready") {
		m.aw, m.addressed = false, true
	}
	if m.w && m.on("s_axil_wready") {
		m.w, m.filled = false, true
	}
	if m.begun && m.addressed && m.filled {
		m.begun = false
		m.owed++
		m.done(m.write)
	}
}

// take takes an answer. It comes after what it answers and stays until it was taken.
func (m *liteManager) take(channel, data string, owed *int, write bool) {
	valid, now := m.on(channel+"valid"), m.get(data)<<2|m.get(channel+"resp")
	if was, waits := m.waiting[channel]; waits {
		require.True(m.t, valid, "%s withdrew its valid", channel)
		require.Equal(m.t, was, now, "%s changed while it waited", channel)
	}
	delete(m.waiting, channel)
	if !valid {
		return
	}
	require.Positive(m.t, *owed, "%s answers nothing", channel)
	if !m.on(channel + "ready") {
		m.waiting[channel] = now
		return
	}
	*owed--
	resp := m.get(channel + "resp")
	require.Contains(m.t, []uint64{0, 2}, resp)
	m.answered(write, uint32(m.get(data)), resp == 2)
}

// obiManager is a manager of OBI.
type obiManager struct {
	*hooks
	rready bool
	now    access
	req    bool
	id     uint64
	owed   []obiOwed
	held   []uint64 // the answer that was offered and not taken
}

type obiOwed struct {
	id    uint64
	write bool
}

func (m *obiManager) drive() {
	if !m.req && !m.pauses() {
		m.now, m.req = m.next()
		m.id = m.r.Uint64N(8)
	}
	m.setBool("s_obi_req", m.req)
	m.setBool("s_obi_we", m.now.write)
	m.set("s_obi_addr", uint64(m.now.addr))
	m.set("s_obi_wdata", uint64(m.now.data))
	m.set("s_obi_be", uint64(m.now.strb))
	m.set("s_obi_aid", m.id)
	if m.rready {
		m.setBool("s_obi_rready", !m.pauses())
	}
}

func (m *obiManager) edge() {
	answer := []uint64{m.get("s_obi_rdata"), m.get("s_obi_err"), m.get("s_obi_rid")}
	valid := m.on("s_obi_rvalid")
	if m.held != nil {
		require.True(m.t, valid, "rvalid was withdrawn")
		require.Equal(m.t, m.held, answer)
	}
	m.held = nil
	if valid {
		require.NotEmpty(m.t, m.owed, "an answer to nothing")
		if m.rready && !m.on("s_obi_rready") {
			m.held = answer
		} else {
			require.Equal(m.t, m.owed[0].id, answer[2])
			m.answered(m.owed[0].write, uint32(answer[0]), answer[1] == 1)
			m.owed = m.owed[1:]
		}
	}
	if m.req && m.on("s_obi_gnt") {
		m.req = false
		m.owed = append(m.owed, obiOwed{m.id, m.now.write})
		m.done(m.now)
	}
}
