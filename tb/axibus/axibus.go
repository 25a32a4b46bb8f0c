// Package axibus puts a memory behind an AXI4 port of an engine, with a monitor between the
// two, for benches that drive the engine themselves. A bench calls [Memory.Drive] before
// each step of its engine and [Memory.Edge] after it.
package axibus

import (
	"fmt"

	"github.com/millrace-hdl/millrace/bus/axi4"
	"github.com/millrace-hdl/millrace/hdl/sim"
	"github.com/millrace-hdl/millrace/tb/mem"
)

// Memory is the memory at a port.
type Memory struct {
	*mem.AXI4
	// Trace, where it is not nil, is shown the bus at each edge, before the memory sees it.
	Trace func(x *axi4.Sample)

	engine  sim.Engine
	prefix  string
	bytes   int
	ports   map[string]sim.Port
	monitor *axi4.Monitor
	sample  axi4.Sample
	cycle   uint64
}

// signals are those of a port that the package uses.
var signals = []string{
	"arvalid", "arready", "arid", "araddr", "arlen", "arsize", "arburst", "arlock", "arcache", "arprot", "arqos", "arregion",
	"awvalid", "awready", "awid", "awaddr", "awlen", "awsize", "awburst", "awlock", "awcache", "awprot", "awqos", "awregion",
	"wvalid", "wready", "wdata", "wstrb", "wlast", "bvalid", "bready", "bid", "bresp", "rvalid", "rready", "rid", "rdata", "rresp", "rlast",
}

// New is a memory at the port of the engine whose signals begin with the prefix, such as
// m_axi_, that reads one store and writes the other. The width of the bus in the
// configuration is that of the port.
func New(e sim.Engine, prefix string, c mem.Config, from, to *mem.Store) (*Memory, error) {
	m := &Memory{engine: e, prefix: prefix, ports: map[string]sim.Port{}}
	for _, n := range signals {
		p, err := e.Layout().Port(prefix + n)
		if err != nil {
			return nil, fmt.Errorf("memory at %s: %w", prefix, err)
		}
		m.ports[n] = p
	}
	m.bytes = m.ports["rdata"].Type.Width / 8
	c.Bytes = m.bytes
	var err error
	m.AXI4, err = mem.NewAXI4(c, from, to)
	m.monitor = axi4.NewMonitor(axi4.Config{Bytes: m.bytes})
	x := &m.sample
	x.R.Data, x.W.Data, x.W.Strb = m.words("rdata"), m.words("wdata"), m.words("wstrb")
	return m, err
}

func (m *Memory) words(name string) []uint64 {
	p := m.ports[name]
	if p.Input {
		return m.engine.In()[p.Offset : p.Offset+p.Words()]
	}
	return m.engine.Out()[p.Offset : p.Offset+p.Words()]
}

func (m *Memory) get(name string) uint64 { return m.words(name)[0] }
func (m *Memory) on(name string) bool    { return m.get(name) == 1 }
func (m *Memory) set(name string, v uint64) {
	w := m.words(name)
	w[0] = v & (^uint64(0) >> max(64-m.ports[name].Type.Width, 0))
}

func (m *Memory) setBool(name string, b bool) {
	v := uint64(0)
	if b {
		v = 1
	}
	m.set(name, v)
}

// Drive sets what the memory drives for the next step.
func (m *Memory) Drive() {
	x := &m.sample
	m.AXI4.Drive(x)
	m.setBool("awready", x.AW.Ready)
	m.setBool("wready", x.W.Ready)
	m.setBool("arready", x.AR.Ready)
	m.setBool("bvalid", x.B.Valid)
	m.set("bid", x.B.ID)
	m.set("bresp", uint64(x.B.Resp))
	m.setBool("rvalid", x.R.Valid)
	m.set("rid", x.R.ID)
	m.setBool("rlast", x.R.Last)
	m.set("rresp", uint64(x.R.Resp))
}

// Edge takes what the engine drove in the step.
func (m *Memory) Edge() {
	x := &m.sample
	m.address(&x.AW, "aw")
	m.address(&x.AR, "ar")
	x.W.Valid, x.W.Last = m.on("wvalid"), m.on("wlast")
	x.B.Ready, x.R.Ready = m.on("bready"), m.on("rready")
	if m.Trace != nil {
		m.Trace(x)
	}
	m.monitor.Cycle(m.cycle, x)
	m.AXI4.Edge(x)
	m.cycle++
}

func (m *Memory) address(c *axi4.AddrChannel, n string) {
	get := func(name string) uint64 { return m.get(n + name) }
	c.Valid = get("valid") == 1
	c.Request = axi4.Request{ID: get("id"), Addr: get("addr"), Len: uint8(get("len")), Size: uint8(get("size")), Burst: axi4.Burst(get("burst")),
		Lock: get("lock") == 1, Cache: uint8(get("cache")), Prot: uint8(get("prot")), QoS: uint8(get("qos")), Region: uint8(get("region"))}
}

// Finish is what the monitor found, and what is still open.
func (m *Memory) Finish() error {
	m.monitor.Finish(m.cycle)
	if v := m.monitor.Violations(); len(v) > 0 {
		return fmt.Errorf("%s: %s, the first of %d breaches of the protocol", m.prefix, v[0], m.monitor.Count())
	}
	if r, w := m.Pending(); r+w > 0 {
		return fmt.Errorf("%s: %d reads and %d writes are open", m.prefix, r, w)
	}
	return nil
}
