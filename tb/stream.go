package tb

import (
	"fmt"
	"math/rand/v2"

	"github.com/millrace-hdl/millrace/bus/axistream"
	"github.com/millrace-hdl/millrace/tb/mem"
)

// streamPort is the two streams of one number: one that the engine reads, of which the
// bench is the transmitter, and one that it writes, of which the bench is the receiver.
// Of either there may be none. The bytes of each lie in a store, the first one at 0.
type streamPort struct {
	heads
	in, out  streamWires
	rng      *rand.Rand
	cfg      *RunConfig
	bytes    int
	from, to *mem.Store
	next     uint64 // byte to be sent
	offered  bool   // a beat is on the stream
	got      uint64 // bytes received
	begin    uint64 // the packet's first byte
	packets  int    // received
	course   *course
	expect   []packet
	known    bool  // TID is, for the bench gives the identifiers
	of       []int // for each transfer, how many packets there are with its own
	bad      func(string)
}

// packet is what one has to be.
type packet struct {
	job              int
	bytes, dest, tid uint64
}

// streamWires is one stream.
type streamWires struct {
	name                         string
	valid, ready, last, id, dest field
	data, strb, keep, user       []uint64
	mon                          *axistream.Monitor
	s                            axistream.Sample
}

// bindStream finds both streams of a number; input is whether the engine reads.
func bindStream(b *binder, h heads) (port, error) {
	wires := func(n string, input, has bool) (w streamWires, err error) {
		w = streamWires{name: n, valid: b.field(n+"_tvalid", input, has), ready: b.field(n+"_tready", !input, has), last: b.field(n+"_tlast", input, false),
			id: b.field(n+"_tid", input, false), dest: b.field(n+"_tdest", input, false)}
		var width, lanes int
		w.data, width = b.find(n+"_tdata", input, has)
		w.keep, lanes = b.find(n+"_tkeep", input, has)
		w.strb, _ = b.find(n+"_tstrb", input, has)
		w.user, _ = b.find(n+"_tuser", input, false)
		if err = b.check("back-end with a stream " + n); err == nil && has {
			err = b.width(n+"_tdata", width, lanes)
		}
		return w, err
	}
	p := &streamPort{heads: h}
	var err error
	if p.in, err = wires(h.bus("s_axis#"), true, h.read); err != nil {
		return nil, err
	}
	if p.out, err = wires(h.bus("m_axis#"), false, h.write); err != nil {
		return nil, err
	}
	return p, nil
}

func (p *streamPort) start(cfg *RunConfig, ports *ports, c *course, from, to *mem.Store, bad func(string)) {
	*p = streamPort{heads: p.heads, in: p.in, out: p.out, cfg: cfg, bytes: ports.bytes, from: from, to: to, course: c, bad: bad, known: ports.id.has,
		rng: rand.New(rand.NewPCG(cfg.Seed, 16+uint64(p.number)+uint64(p.unit)<<8))}
	p.in.mon = axistream.NewMonitor(axistream.Config{Bytes: p.bytes, Keep: cfg.Keep})
	p.out.mon = axistream.NewMonitor(axistream.Config{Bytes: p.bytes, Keep: cfg.Keep, Packets: true})
	for i := range c.jobs {
		if j := &c.jobs[i]; j.Writes() > 0 && c.unit(i) == p.unit && j.Dst.Protocol == p.protocol && j.Dst.Head == p.number {
			p.expect = append(p.expect, packet{i, j.Writes(), j.Dst.Addr & p.out.dest.mask, uint64(i) & ports.id.mask & p.out.id.mask})
		}
		p.of = append(p.of, len(p.expect))
	}
}

func (p *streamPort) drive() {
	if p.read {
		p.send()
	}
	p.out.ready.setBool(!chance(p.rng, p.cfg.Stalls.W))
}

// send offers a beat, of which some bytes may be null. Packets end where they like, for
// transfers do not depend on it. Nothing is meant by the other bits.
func (p *streamPort) send() {
	w := &p.in
	if !p.offered && !chance(p.rng, p.cfg.Stalls.R) {
		p.offered = true
		clear(w.data)
		clear(w.keep)
		for k := range p.bytes {
			v := byte(p.rng.Uint32())
			if !chance(p.rng, p.cfg.NullBytes) {
				v = p.from.Byte(p.next)
				p.next++
				w.keep[k/64] |= 1 << (k % 64)
			}
			w.data[k/8] |= uint64(v) << (k % 8 * 8)
		}
		copy(w.strb, w.keep)
		w.last.set(p.rng.Uint64())
		w.id.set(p.rng.Uint64())
		w.dest.set(p.rng.Uint64())
	}
	w.valid.setBool(p.offered)
}

func (w *streamWires) sample() {
	w.s = axistream.Sample{Valid: w.valid.on(), Ready: w.ready.on(), Data: w.data, Strb: w.strb, Keep: w.keep,
		Last: w.last.on(), ID: w.id.get(), Dest: w.dest.get(), User: w.user}
}

func (p *streamPort) sample() {
	p.in.sample()
	p.out.sample()
}

func (p *streamPort) each(f func(w *streamWires)) {
	if p.read {
		f(&p.in)
	}
	if p.write {
		f(&p.out)
	}
}

func (p *streamPort) reset() { p.each(func(w *streamWires) { w.mon.Reset(0, &w.s) }) }

func (p *streamPort) watch(cycle uint64) {
	p.each(func(w *streamWires) { w.mon.Cycle(cycle, &w.s) })
	if s := &p.out.s; p.write && s.Valid && s.Ready {
		p.receive(s)
	}
}

// receive keeps the bytes of a beat and judges the packet that ends with it.
func (p *streamPort) receive(s *axistream.Sample) {
	for k := range p.bytes {
		if s.Keep[k/64]>>(k%64)&1 == 1 {
			p.to.SetByte(p.got, byte(s.Data[k/8]>>(k%8*8)))
			p.got++
		}
	}
	if !s.Last {
		return
	}
	n := p.got - p.begin
	p.begin = p.got
	p.packets++
	if p.packets > len(p.expect) {
		p.bad(fmt.Sprintf("%s: a packet of %d bytes, number %d, that no transfer sends", p.out.name, n, p.packets-1))
		return
	}
	want := p.expect[p.packets-1]
	got := packet{want.job, n, s.Dest, s.ID}
	if !p.known {
		got.tid = want.tid
	}
	if got != want {
		p.bad(fmt.Sprintf("%s: the packet of transfer %d (%s) has %d bytes, TDEST %#x and TID %#x; expected %d, %#x and %#x",
			p.out.name, want.job, describe(&p.course.jobs[want.job]), got.bytes, got.dest, got.tid, want.bytes, want.dest, want.tid))
	}
}

func (p *streamPort) edge() {
	if p.in.s.Valid && p.in.s.Ready {
		p.offered = false
	}
}

func (p *streamPort) finish(cycle uint64) {
	p.each(func(w *streamWires) { w.mon.Finish(cycle) })
}

func (p *streamPort) pending() (reads, writes int) { return 0, 0 }

func (p *streamPort) motion() motion {
	reads, wrote := p.in.s.Valid && p.in.s.Ready, p.out.s.Valid && p.out.s.Ready
	return motion{offers: p.out.s.Valid, reads: reads, wrote: wrote, any: reads || wrote}
}

func (p *streamPort) traffic() traffic {
	return traffic{Beats: mem.Beats{Writes: p.out.mon.Stats().Packets, ReadBeats: p.in.mon.Stats().Beats, WriteBeats: p.out.mon.Stats().Beats}}
}

func (p *streamPort) handshakes() []handshake {
	if !p.write {
		return nil
	}
	return []handshake{{p.out.name + "_tvalid", p.out.valid, p.out.ready, func(cycle uint64, message string) {
		p.out.mon.Report(cycle, axistream.ValidOnReady, message)
	}}}
}

func (p *streamPort) violations() (first []Violation, count int) {
	p.each(func(w *streamWires) {
		first = append(first, found(w.name, w.mon.Violations())...)
		count += w.mon.Count()
	})
	return first, count
}

func (p *streamPort) stuck() string {
	s := ""
	p.each(func(w *streamWires) {
		if w.s.Valid != w.s.Ready {
			s += fmt.Sprintf("; %s TVALID %d, TREADY %d", w.name, truth(w.s.Valid), truth(w.s.Ready))
		}
	})
	return s
}
