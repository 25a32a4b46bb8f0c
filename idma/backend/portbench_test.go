package backend_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/millrace-hdl/millrace/hdl/sim"
	"github.com/millrace-hdl/millrace/idma/backend"
)

// portBench is an engine with any ports, each with a subordinate of its own in
// front of a memory of its own. Addresses of reads hold a function of port and
// address, written bytes are kept, and some words due with an error.
type portBench struct {
	t      testing.TB
	eng    sim.Engine
	cfg    backend.Config
	rng    *rand.Rand
	stall  int // percent of cycles in which a subordinate holds back
	wait   int // cycles from a request to its due
	faults bool
	cured  map[portEnd]map[uint64]bool // words that fail no more
	errs   *portErrors                 // with an error handler
	dying  dying
	moved  int    // transfers before these
	at     uint64 // next destination
	cycle  int
	agents []agent
	held   []*channel

	readPorts, writePorts []backend.Protocol
	sources               map[int]*streamSource
	sinks                 map[int]*streamSink
	links                 []*tileLink
	shared                bool // a Put that has begun blocks the Gets
	written               []map[uint64]byte
	firstBeat, lastBeat   int      // of writes, on any port
	causes                []uint64 // of the answers
}

// agent is what drives a bus: drive before an edge, edge after it.
type agent interface {
	drive()
	edge()
}

type pin struct {
	words []uint64
	mask  uint64
}

func (p pin) get() uint64 { return p.words[0] }
func (p pin) on() bool    { return p.words[0]&1 == 1 }
func (p pin) set(v uint64) {
	p.words[0] = v & p.mask
}

func (p pin) setBool(b bool) {
	p.words[0] = 0
	if b {
		p.words[0] = 1
	}
}

func (b *portBench) pin(name string) pin {
	p, err := b.eng.Layout().Port(name)
	require.NoError(b.t, err)
	array := b.eng.Out()
	if p.Input {
		array = b.eng.In()
	}
	return pin{array[p.Offset : p.Offset+p.Words()], ^uint64(0) >> (64 - min(p.Type.Width, 64))}
}

// channel is a stream that the engine drives: once valid it stays until taken.
type channel struct {
	name         string
	valid, ready pin
	payload      []pin
	waiting      bool
	last         [][]uint64
}

func (b *portBench) channel(name, valid, ready string, payload ...string) *channel {
	c := &channel{name: name, valid: b.pin(valid), ready: b.pin(ready)}
	for _, p := range payload {
		c.payload = append(c.payload, b.pin(p))
	}
	b.held = append(b.held, c)
	return c
}

func (c *channel) fires() bool { return c.valid.on() && c.ready.on() }

// check requires that what waited is still there.
func (c *channel) check(b *portBench) {
	if c.waiting {
		require.True(b.t, c.valid.on(), "cycle %d: %s withdrew its valid", b.cycle, c.name)
		for i, p := range c.payload {
			require.Equal(b.t, c.last[i], p.words, "cycle %d: %s changed while it waited", b.cycle, c.name)
		}
	}
	if c.waiting = c.valid.on() && !c.ready.on(); c.waiting {
		c.last = nil
		for _, p := range c.payload {
			c.last = append(c.last, append([]uint64(nil), p.words...))
		}
	}
}

func (b *portBench) chance(percent int) bool { return percent > 0 && b.rng.IntN(100) < percent }

// content is what a read port has at an address.
func content(port int, addr uint64) byte {
	x := addr*0x9e3779b97f4a7c15 + uint64(port+1)*0xbf58476d1ce4e5b9
	return byte(x>>56 ^ x>>29)
}

// fault is whether a word is answered with an error.
func (b *portBench) fault(end portEnd, addr uint64) bool {
	word := addr / uint64(b.cfg.DataWidth/8)
	return b.faults && word*0x9e3779b97f4a7c15>>58 == 0 && !b.cured[end][word]
}

// portEnd is a port of one side.
type portEnd struct {
	write bool
	port  int
}

func (b *portBench) lanes() int { return b.cfg.DataWidth / 8 }

// word puts a word of memory on a pin.
func (b *portBench) word(p pin, port int, addr uint64) {
	clear(p.words)
	base := addr &^ uint64(b.lanes()-1)
	for k := range b.lanes() {
		p.words[k/8] |= uint64(content(port, base+uint64(k))) << (k % 8 * 8)
	}
}

func bit(words []uint64, k int) bool { return words[k/64]>>(k%64)&1 == 1 }

// store keeps the bytes of a word whose strobes are one.
func (b *portBench) store(port int, addr uint64, data, strb pin) {
	base := addr &^ uint64(b.lanes()-1)
	for k := range b.lanes() {
		if bit(strb.words, k) {
			b.written[port][base+uint64(k)] = byte(data.words[k/8] >> (k % 8 * 8))
		}
	}
	b.beat()
}

func (b *portBench) beat() {
	if b.firstBeat < 0 {
		b.firstBeat = b.cycle
	}
	b.lastBeat = b.cycle
}

// due is a response to come.
type due struct {
	at   int
	addr uint64
	last bool
	err  bool
}

// dueList is a queue of responses in order, offered until taken.
type dueList struct {
	q       []due
	offered bool
}

// offer reports whether the oldest is offered in this cycle.
func (a *dueList) offer(b *portBench, end portEnd) bool {
	if !a.offered && b.dying.refuses(b, end, replies) {
		return false
	}
	a.offered = len(a.q) > 0 && (a.offered || a.q[0].at <= b.cycle && !b.chance(b.stall))
	return a.offered
}

func (a *dueList) pop() { a.q, a.offered = a.q[1:], false }

func code(err bool) uint64 {
	if err {
		return 2
	}
	return 0
}

// axiRead dueList the reads of AXI4 and AXI4-Lite.
type axiRead struct {
	*portBench
	port                      int
	lite                      bool
	ar                        *channel
	addr, length              pin
	valid, ready, data, resp_ pin
	last                      pin
	dueList
}

func (b *portBench) newAXIRead(port int, prefix string, lite bool) *axiRead {
	payload := []string{prefix + "araddr", prefix + "arprot"}
	if !lite {
		payload = append(payload, prefix+"arlen", prefix+"arid", prefix+"arburst", prefix+"arsize")
	}
	a := &axiRead{portBench: b, port: port, lite: lite, ar: b.channel(prefix+"ar", prefix+"arvalid", prefix+"arready", payload...),
		addr: b.pin(prefix + "araddr"), valid: b.pin(prefix + "rvalid"), ready: b.pin(prefix + "rready"),
		data: b.pin(prefix + "rdata"), resp_: b.pin(prefix + "rresp")}
	if !lite {
		a.length, a.last = b.pin(prefix+"arlen"), b.pin(prefix+"rlast")
	}
	return a
}

func (a *axiRead) drive() {
	end := portEnd{false, a.port}
	a.ar.ready.setBool(len(a.q) < 600 && !a.dying.refuses(a.portBench, end, requests) && !a.chance(a.stall))
	a.valid.setBool(a.offer(a.portBench, end))
	if a.offered {
		a.word(a.data, a.port, a.q[0].addr)
		a.resp_.set(code(a.q[0].err))
		if !a.lite {
			a.last.setBool(a.q[0].last)
		}
	}
}

func (a *axiRead) edge() {
	if a.valid.on() && a.ready.on() {
		a.pop()
	}
	if !a.ar.fires() {
		return
	}
	n := 1
	if !a.lite {
		n = int(a.length.get()) + 1
	}
	first := a.addr.get() &^ uint64(a.lanes()-1)
	require.Equal(a.t, first>>12, (first+uint64((n-1)*a.lanes()))>>12, "a burst crosses 4 KiB")
	for i := range n {
		w := first + uint64(i*a.lanes())
		a.q = append(a.q, due{a.cycle + a.wait + i, w, i == n-1, a.fault(portEnd{false, a.port}, w)})
	}
}

// axiWrite takes the writes of AXI4 and AXI4-Lite.
type axiWrite struct {
	*portBench
	port                     int
	lite                     bool
	aw, w                    *channel
	addr, length, data, strb pin
	last                     pin
	valid, ready, resp_      pin
	addrs                    []due // of the words to come
	beats                    []struct {
		data, strb pin
		last       bool
	}
	dueList
	failed bool
}

func (b *portBench) newAXIWrite(port int, prefix string, lite bool) *axiWrite {
	a := &axiWrite{portBench: b, port: port, lite: lite,
		addr: b.pin(prefix + "awaddr"), data: b.pin(prefix + "wdata"), strb: b.pin(prefix + "wstrb"),
		valid: b.pin(prefix + "bvalid"), ready: b.pin(prefix + "bready"), resp_: b.pin(prefix + "bresp")}
	aw, w := []string{prefix + "awaddr", prefix + "awprot"}, []string{prefix + "wdata", prefix + "wstrb"}
	if !lite {
		a.length, a.last = b.pin(prefix+"awlen"), b.pin(prefix+"wlast")
		aw, w = append(aw, prefix+"awlen", prefix+"awid"), append(w, prefix+"wlast")
	}
	a.aw = b.channel(prefix+"aw", prefix+"awvalid", prefix+"awready", aw...)
	a.w = b.channel(prefix+"w", prefix+"wvalid", prefix+"wready", w...)
	return a
}

func (a *axiWrite) drive() {
	end := portEnd{true, a.port}
	a.aw.ready.setBool(!a.dying.refuses(a.portBench, end, requests) && !a.chance(a.stall))
	a.w.ready.setBool(!a.dying.refuses(a.portBench, end, words) && !a.chance(a.stall))
	a.valid.setBool(a.offer(a.portBench, end))
	if a.offered {
		a.resp_.set(code(a.q[0].err))
	}
}

func (a *axiWrite) edge() {
	if a.valid.on() && a.ready.on() {
		a.pop()
	}
	if a.aw.fires() {
		n := 1
		if !a.lite {
			n = int(a.length.get()) + 1
		}
		first := a.addr.get() &^ uint64(a.lanes()-1)
		require.Equal(a.t, first>>12, (first+uint64((n-1)*a.lanes()))>>12, "a burst crosses 4 KiB")
		for i := range n {
			a.addrs = append(a.addrs, due{addr: first + uint64(i*a.lanes()), last: i == n-1})
		}
	}
	if a.w.fires() {
		keep := func(p pin) pin { return pin{append([]uint64(nil), p.words...), p.mask} }
		a.beats = append(a.beats, struct {
			data, strb pin
			last       bool
		}{keep(a.data), keep(a.strb), a.lite || a.last.on()})
	}
	for len(a.addrs) > 0 && len(a.beats) > 0 {
		w, d := a.addrs[0], a.beats[0]
		a.addrs, a.beats = a.addrs[1:], a.beats[1:]
		require.Equal(a.t, w.last, d.last, "cycle %d: WLAST", a.cycle)
		a.store(a.port, w.addr, d.data, d.strb)
		a.failed = a.failed || a.fault(portEnd{true, a.port}, w.addr)
		if w.last {
			a.q = append(a.q, due{at: a.cycle + a.wait, err: a.failed})
			a.failed = false
		}
	}
}

// obi is a subordinate of OBI, for reads or for writes. Without rready it cannot be
// held up.
type obi struct {
	*portBench
	port               int
	write              bool
	a                  *channel
	addr, we, be, data pin
	valid, rdata, err  pin
	ready              pin // with OBIReady
	dueList
}

func (b *portBench) newOBI(port int, prefix string, write bool) *obi {
	o := &obi{portBench: b, port: port, write: write,
		a:    b.channel(prefix, prefix+"req", prefix+"gnt", prefix+"addr", prefix+"we", prefix+"be", prefix+"wdata", prefix+"aid"),
		addr: b.pin(prefix + "addr"), we: b.pin(prefix + "we"), be: b.pin(prefix + "be"), data: b.pin(prefix + "wdata"),
		valid: b.pin(prefix + "rvalid"), rdata: b.pin(prefix + "rdata"), err: b.pin(prefix + "err")}
	if b.cfg.OBIReady {
		o.ready = b.pin(prefix + "rready")
	}
	return o
}

func (o *obi) drive() {
	end := portEnd{o.write, o.port}
	o.a.ready.setBool(!o.dying.refuses(o.portBench, end, requests) && !o.chance(o.stall))
	o.valid.setBool(o.offer(o.portBench, end))
	if o.offered {
		o.err.setBool(o.q[0].err)
		if !o.write {
			o.word(o.rdata, o.port, o.q[0].addr)
		}
	}
}

func (o *obi) edge() {
	if o.valid.on() && (!o.cfg.OBIReady || o.ready.on()) {
		o.pop()
	}
	if !o.a.fires() {
		return
	}
	require.Equal(o.t, o.write, o.we.on(), "we")
	if o.write {
		o.store(o.port, o.addr.get(), o.data, o.be)
	}
	w := o.addr.get()
	require.Zero(o.t, w%uint64(o.lanes()), "address of a bus word")
	o.q = append(o.q, due{at: o.cycle + o.wait, addr: w, err: o.fault(portEnd{o.write, o.port}, w)})
}

// newPortBench starts an engine with subordinates at all its ports.
func newPortBench(t testing.TB, k kind, c backend.Config, seed uint64) *portBench {
	return portBenchOf(t, start(t, k, elaborate(t, c), seed), c, seed)
}

// portBenchOf puts subordinates at all ports of an engine.
func portBenchOf(t testing.TB, eng sim.Engine, c backend.Config, seed uint64) *portBench {
	b := &portBench{t: t, eng: eng, cfg: c, rng: rand.New(rand.NewPCG(seed, 9)), wait: 3,
		sources: map[int]*streamSource{}, sinks: map[int]*streamSink{}, firstBeat: -1}
	if c.ErrorHandling {
		b.errs = newPortErrors(b)
	}
	number := func(count, other uint8, head int) string {
		if max(count, other) > 1 {
			return fmt.Sprint(head)
		}
		return ""
	}
	for p, n := range c.ReadProtocols {
		for h := range int(n) {
			port, no := len(b.readPorts), number(n, c.WriteProtocols[p], h)
			switch backend.Protocol(p) {
			case backend.AXI4:
				b.agents = append(b.agents, b.newAXIRead(port, "m_axi"+no+"_", false))
			case backend.AXILite:
				b.agents = append(b.agents, b.newAXIRead(port, "m_axil"+no+"_", true))
			case backend.OBI:
				b.agents = append(b.agents, b.newOBI(port, "m_obi"+no+"_read_", false))
			case backend.TileLink:
				b.agents = append(b.agents, b.newTileLink(port, "m_tl"+no+"_read_", false))
			case backend.AXIStream:
				b.sources[port] = b.newStreamSource(port, "s_axis"+no+"_")
				b.agents = append(b.agents, b.sources[port])
			}
			b.readPorts = append(b.readPorts, backend.Protocol(p))
		}
	}
	for p, n := range c.WriteProtocols {
		for h := range int(n) {
			port, no := len(b.writePorts), number(n, c.ReadProtocols[p], h)
			switch backend.Protocol(p) {
			case backend.AXI4:
				b.agents = append(b.agents, b.newAXIWrite(port, "m_axi"+no+"_", false))
			case backend.AXILite:
				b.agents = append(b.agents, b.newAXIWrite(port, "m_axil"+no+"_", true))
			case backend.OBI:
				b.agents = append(b.agents, b.newOBI(port, "m_obi"+no+"_write_", true))
			case backend.TileLink:
				b.agents = append(b.agents, b.newTileLink(port, "m_tl"+no+"_write_", true))
			case backend.AXIStream:
				b.sinks[port] = b.newStreamSink("m_axis" + no + "_")
				b.agents = append(b.agents, b.sinks[port])
			}
			b.writePorts = append(b.writePorts, backend.Protocol(p))
			b.written = append(b.written, map[uint64]byte{})
		}
	}
	return b
}
