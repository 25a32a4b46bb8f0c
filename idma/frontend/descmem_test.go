package frontend_test

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/millrace-hdl/millrace/bus/axi4"
	"github.com/millrace-hdl/millrace/bus/axilite"
	"github.com/millrace-hdl/millrace/bus/obi"
	"github.com/millrace-hdl/millrace/idma/frontend"
	"github.com/millrace-hdl/millrace/tb/mem"
)

// descMemory is the memory of the descriptors at the bus of the front-end.
type descMemory struct {
	pins
	store *mem.Store
	rng   *rand.Rand
	stall int // percent of the cycles in which it holds back
	wait  int // cycles from a request to its answer
	lanes int
	cycle int
	fail  func(addr uint64) bool
	reads []uint64 // descriptors that were asked for, in order
	marks []uint64 // descriptors whose mark has been answered, in order

	axi *axiMemory // AXI4

	lite *axilite.Monitor
	obi  []*obi.Monitor

	// AXI4-Lite and OBI: a read side and a write side, alike but for names.
	sides []*wordSide
}

// wordSide is one direction of a bus of single words.
type wordSide struct {
	*descMemory
	write, obi                            bool
	valid, ready, addr                    string // of requests
	dataValid, dataReady, data, strbs     string // of writes
	rspValid, rspReady, rspData, rspError string
	addrs                                 []uint64 // of writes that wait for their data
	words                                 []uint64 // write data that wait for their address
	due                                   []wordDue
	offered                               bool
}

type wordDue struct {
	at, addr uint64
	data     uint64 // of reads, as it was when the request was taken
}

func newDescMemory(t testing.TB, p pins, c frontend.DescConfig, seed uint64, stall, wait int) *descMemory {
	t.Helper()
	m := &descMemory{pins: p, store: mem.NewStore(seed), rng: rand.New(rand.NewPCG(seed, 12)), stall: stall, wait: wait, lanes: c.FetchWidth / 8,
		fail: func(uint64) bool { return false }}
	switch c.Fetch {
	case frontend.FetchAXI4:
		m.axi = newAXIMemory(t, p.Engine, "m_axi_desc_", m.store, seed, mem.Config{ReadLatency: wait, WriteLatency: wait, Stalls: mem.AllStalls(stall)})
		m.axi.Trace = func(x *axi4.Sample) {
			if x.AR.Valid && x.AR.Ready {
				m.reads = append(m.reads, x.AR.Addr)
			}
			if x.B.Valid && x.B.Ready {
				m.marks = append(m.marks, m.axi.Answering().Addr)
			}
		}
	case frontend.FetchAXILite:
		const n = "m_axil_desc_"
		m.lite = axilite.NewMonitor(axi4.Config{Bytes: m.lanes})
		m.sides = []*wordSide{
			{descMemory: m, valid: n + "arvalid", ready: n + "arready", addr: n + "araddr", rspValid: n + "rvalid", rspReady: n + "rready", rspData: n + "rdata", rspError: n + "rresp"},
			{descMemory: m, write: true, valid: n + "awvalid", ready: n + "awready", addr: n + "awaddr", dataValid: n + "wvalid", dataReady: n + "wready",
				data: n + "wdata", strbs: n + "wstrb", rspValid: n + "bvalid", rspReady: n + "bready", rspError: n + "bresp"},
		}
	default:
		for i, n := range []string{"m_obi_desc_read_", "m_obi_desc_write_"} {
			s := &wordSide{descMemory: m, write: i == 1, obi: true, valid: n + "req", ready: n + "gnt", addr: n + "addr", data: n + "wdata", strbs: n + "be",
				rspValid: n + "rvalid", rspError: n + "err", rspData: n + "rdata"}
			m.sides = append(m.sides, s)
			m.obi = append(m.obi, obi.NewMonitor(obi.Config{Bytes: m.lanes}))
		}
	}
	return m
}

func (m *descMemory) chance() bool { return m.rng.IntN(100) >= m.stall }

func (m *descMemory) drive() {
	if m.axi != nil {
		m.axi.drive()
	}
	for _, s := range m.sides {
		s.drive()
	}
}

func (m *descMemory) edge() {
	m.cycle++
	if m.axi != nil {
		m.axi.edge()
	}
	m.watch()
	for _, s := range m.sides {
		s.edge()
	}
}

// watch shows the monitors the buses of single words.
func (m *descMemory) watch() {
	if m.lite != nil {
		get := func(name string) uint64 { return m.get("m_axil_desc_" + name) }
		on := func(name string) bool { return get(name) == 1 }
		m.lite.Cycle(uint64(m.cycle), &axilite.Sample{
			AW: axilite.AddrChannel{Valid: on("awvalid"), Ready: on("awready"), Addr: get("awaddr"), Prot: uint8(get("awprot"))},
			W:  axilite.DataChannel{Valid: on("wvalid"), Ready: on("wready"), Data: []uint64{get("wdata")}, Strb: []uint64{get("wstrb")}},
			B:  axilite.RespChannel{Valid: on("bvalid"), Ready: on("bready"), Resp: axi4.Resp(get("bresp"))},
			AR: axilite.AddrChannel{Valid: on("arvalid"), Ready: on("arready"), Addr: get("araddr"), Prot: uint8(get("arprot"))},
			R:  axilite.ReadChannel{Valid: on("rvalid"), Ready: on("rready"), Data: []uint64{get("rdata")}, Resp: axi4.Resp(get("rresp"))},
		})
		require.Empty(m.t, m.lite.Violations())
	}
	for i, monitor := range m.obi {
		get := func(name string) uint64 { return m.get([]string{"m_obi_desc_read_", "m_obi_desc_write_"}[i] + name) }
		on := func(name string) bool { return get(name) == 1 }
		monitor.Cycle(uint64(m.cycle), &obi.Sample{
			Req: on("req"), Gnt: on("gnt"), RValid: on("rvalid"), RReady: true,
			Request:  obi.Request{Addr: get("addr"), Write: on("we"), BE: []uint64{get("be")}, WData: []uint64{get("wdata")}, AID: get("aid")},
			Response: obi.Response{RData: []uint64{get("rdata")}, Err: on("err"), RID: get("rid")},
		})
		require.Empty(m.t, monitor.Violations())
	}
}

func (s *wordSide) drive() {
	s.set(s.ready, bit(s.chance()))
	if s.write && !s.obi {
		s.set(s.dataReady, bit(s.chance()))
	}
	s.offered = len(s.due) > 0 && (s.offered || s.due[0].at <= uint64(s.cycle) && s.chance())
	s.set(s.rspValid, bit(s.offered))
	if !s.offered {
		return
	}
	failed := s.fail(s.due[0].addr)
	if s.obi {
		s.set(s.rspError, bit(failed))
	} else {
		s.set(s.rspError, 2*bit(failed))
	}
	if !s.write {
		s.set(s.rspData, s.due[0].data)
	}
}

func (s *wordSide) edge() {
	valid, addr := s.on(s.valid), s.get(s.addr)
	if s.offered {
		if !s.obi {
			require.True(s.t, s.on(s.rspReady), "answers are taken at once")
		}
		a := s.due[0].addr
		s.due, s.offered = s.due[1:], false
		if last := uint64(8 - s.lanes); s.write && a%8 == last {
			s.marks = append(s.marks, a-last)
		}
	}
	if valid && s.on(s.ready) {
		require.Zero(s.t, addr%uint64(s.lanes))
		if !s.write && addr%32 == 0 {
			s.reads = append(s.reads, addr)
		}
		s.addrs = append(s.addrs, addr)
	}
	if s.write {
		if s.obi && valid && s.on(s.ready) || !s.obi && s.on(s.dataValid) && s.on(s.dataReady) {
			require.EqualValues(s.t, 1<<s.lanes-1, s.get(s.strbs))
			s.words = append(s.words, s.get(s.data))
		}
	}
	for len(s.addrs) > 0 && (!s.write || len(s.words) > 0) {
		a := s.addrs[0]
		s.addrs = s.addrs[1:]
		if s.write {
			s.store.WriteWord(a&^7, s.words[0]<<(8*(a&7)), uint8((1<<s.lanes-1)<<(a&7)))
			s.words = s.words[1:]
		}
		word := s.store.ReadWord(a&^7) >> (8 * (a & 7)) & (^uint64(0) >> (64 - 8*s.lanes))
		s.due = append(s.due, wordDue{uint64(s.cycle + s.wait), a, word})
	}
}
