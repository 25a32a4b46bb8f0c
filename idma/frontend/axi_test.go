package frontend_test

import (
	"github.com/stretchr/testify/require"

	"github.com/millrace-hdl/millrace/bus/axi4"
	"github.com/millrace-hdl/millrace/tb/mem"
)

// axiMemory is a memory at an AXI4 port of the design, with a monitor between.
type axiMemory struct {
	pins
	prefix  string
	bytes   int
	memory  *mem.AXI4
	monitor *axi4.Monitor
	sample  axi4.Sample
	cycle   uint64
	trace   func(x *axi4.Sample) // of each cycle; nil for none
}

func newAXIMemory(p pins, prefix string, bytes int, store *mem.Store, seed uint64, c mem.Config) *axiMemory {
	p.t.Helper()
	c.Bytes, c.Seed = bytes, seed
	memory, err := mem.NewAXI4(c, store, store)
	require.NoError(p.t, err)
	m := &axiMemory{pins: p, prefix: prefix, bytes: bytes, memory: memory, monitor: axi4.NewMonitor(axi4.Config{Bytes: bytes})}
	words := max(bytes/8, 1)
	m.sample.R.Data, m.sample.W.Data, m.sample.W.Strb = make([]uint64, words), make([]uint64, words), make([]uint64, (bytes+63)/64)
	return m
}

// words are the words of a port.
func (p pins) words(name string) []uint64 {
	port := p.port(name)
	if port.Input {
		return p.In()[port.Offset : port.Offset+port.Words()]
	}
	return p.Out()[port.Offset : port.Offset+port.Words()]
}

func (m *axiMemory) drive() {
	x := &m.sample
	m.memory.Drive(x)
	set := func(name string, v uint64) { m.set(m.prefix+name, v) }
	set("awready", bit(x.AW.Ready))
	set("wready", bit(x.W.Ready))
	set("arready", bit(x.AR.Ready))
	set("bvalid", bit(x.B.Valid))
	set("bresp", uint64(x.B.Resp))
	set("rvalid", bit(x.R.Valid))
	set("rlast", bit(x.R.Last))
	set("rresp", uint64(x.R.Resp))
	data := m.words(m.prefix + "rdata")
	copy(data, x.R.Data)
	if m.bytes < 8 {
		data[0] &= 1<<(8*m.bytes) - 1
	}
}

func (m *axiMemory) edge() {
	x := &m.sample
	get := func(name string) uint64 { return m.get(m.prefix + name) }
	address := func(c *axi4.AddrChannel, n string) {
		c.Valid = get(n+"valid") == 1
		c.Request = axi4.Request{ID: get(n + "id"), Addr: get(n + "addr"), Len: uint8(get(n + "len")), Size: uint8(get(n + "size")), Burst: axi4.Burst(get(n + "burst")),
			Lock: get(n+"lock") == 1, Cache: uint8(get(n + "cache")), Prot: uint8(get(n + "prot")), QoS: uint8(get(n + "qos")), Region: uint8(get(n + "region"))}
	}
	address(&x.AW, "aw")
	address(&x.AR, "ar")
	x.W.Valid, x.W.Last = get("wvalid") == 1, get("wlast") == 1
	copy(x.W.Data, m.words(m.prefix+"wdata"))
	copy(x.W.Strb, m.words(m.prefix+"wstrb"))
	x.B.Ready, x.R.Ready = get("bready") == 1, get("rready") == 1
	if m.trace != nil {
		m.trace(x)
	}
	m.monitor.Cycle(m.cycle, x)
	m.memory.Edge(x)
	m.cycle++
}

// finish requires that nothing was wrong on the bus, and nothing is open.
func (m *axiMemory) finish() {
	m.t.Helper()
	m.monitor.Finish(m.cycle)
	require.Empty(m.t, m.monitor.Violations())
}
