package tb

import (
	"fmt"
	"slices"

	"github.com/millrace-hdl/millrace/bus/tilelink"
	"github.com/millrace-hdl/millrace/tb/job"
	"github.com/millrace-hdl/millrace/tb/mem"
)

// tlPort is the two links of a TileLink port, one that reads and one that writes. Of
// either there may be none.
type tlPort struct {
	heads
	get, put tlLink
	bytes    int // of the bus
	from, to *mem.Store
	course   *course
	bad      func(string)
}

// tlLink is one link, with its end of the memory.
type tlLink struct {
	name                                                       string
	write                                                      bool
	valid, ready, opcode, param, size, source, addr, corrupt   field
	dValid, dReady, dOpcode, dSize, dSource, dDenied, dCorrupt field
	mask, data, dData                                          []uint64
	sizeWidth                                                  int
	s                                                          tilelink.Sample
	mem                                                        *mem.TileLink
	mon                                                        *tilelink.Monitor
	open                                                       []tilelink.Request // without their last beat of answer
	asked, given                                               int                // beats of the message at hand
	failed                                                     []failure          // in this cycle
	shown                                                      bool               // the answer on offer was seen
	most                                                       int
}

func bindTileLink(b *binder, h heads) (port, error) {
	link := func(n string, has bool) (l tlLink, err error) {
		in := func(name string) field { return b.field(n+"_d_"+name, true, false) }
		out := func(name string) field { return b.field(n+"_a_"+name, false, false) }
		l = tlLink{name: n, valid: b.field(n+"_a_valid", false, has), ready: b.field(n+"_a_ready", true, has), opcode: b.field(n+"_a_opcode", false, has),
			param: out("param"), size: b.field(n+"_a_size", false, has), source: out("source"), addr: b.field(n+"_a_address", false, has), corrupt: out("corrupt"),
			dValid: b.field(n+"_d_valid", true, has), dReady: b.field(n+"_d_ready", false, has), dOpcode: in("opcode"), dSize: in("size"),
			dSource: in("source"), dDenied: in("denied"), dCorrupt: in("corrupt")}
		l.sizeWidth = widthOf(l.size)
		var width, lanes int
		l.mask, lanes = b.find(n+"_a_mask", false, has)
		l.data, width = b.find(n+"_a_data", false, has)
		l.dData, _ = b.find(n+"_d_data", true, has)
		if err = b.check("back-end with a link " + n); err == nil && has {
			err = b.width(n+"_a_data", width, lanes)
		}
		return l, err
	}
	p := &tlPort{heads: h}
	var err error
	if p.get, err = link(h.bus("m_tl#_read"), h.read); err != nil {
		return nil, err
	}
	if p.put, err = link(h.bus("m_tl#_write"), h.write); err != nil {
		return nil, err
	}
	p.put.write = true
	return p, nil
}

func (p *tlPort) start(cfg *RunConfig, bytes int, c *course, from, to *mem.Store, bad func(string)) error {
	p.course, p.bad, p.bytes, p.from, p.to = c, bad, bytes, from, to
	for i, l := range []*tlLink{&p.get, &p.put} {
		stalls := [2][2]int{{cfg.Stalls.AR, cfg.Stalls.R}, {cfg.Stalls.AW, cfg.Stalls.B}}[i]
		m, err := mem.NewTileLink(mem.TileLinkConfig{Bytes: bytes, ReadLatency: cfg.ReadLatency, WriteLatency: cfg.WriteLatency, Outstanding: cfg.Outstanding,
			StallA: stalls[0], StallD: stalls[1], Seed: cfg.Seed + uint64(i), Faults: cfg.Faults}, from, to)
		if err != nil {
			return err
		}
		longest := 4096
		if l.sizeWidth < 4 {
			longest = max(bytes, min(4096, 1<<(1<<l.sizeWidth-1)))
		}
		l.mem, l.mon = m, tilelink.NewMonitor(tilelink.Config{Bytes: bytes, MaxSize: longest, InOrder: true, Keep: cfg.Keep})
		l.s, l.open, l.asked, l.given, l.most, l.failed, l.shown = tilelink.Sample{}, nil, 0, 0, 0, nil, false
		l.s.A.Mask, l.s.A.Data, l.s.D.Data = l.mask, l.data, l.dData
	}
	return nil
}

func (p *tlPort) each(f func(l *tlLink)) {
	if p.read {
		f(&p.get)
	}
	if p.heads.write {
		f(&p.put)
	}
}

func (p *tlPort) drive() {
	p.each(func(l *tlLink) {
		l.mem.Drive(&l.s)
		d := &l.s.D
		l.ready.setBool(l.s.A.Ready)
		l.dValid.setBool(d.Valid)
		l.dOpcode.set(uint64(d.Opcode))
		l.dSize.set(uint64(d.Size))
		l.dSource.set(d.Source)
		l.dDenied.setBool(d.Denied)
		l.dCorrupt.setBool(d.Corrupt)
	})
}

func (p *tlPort) sample() {
	p.each(func(l *tlLink) {
		a := &l.s.A
		a.Valid, a.Corrupt, l.s.D.Ready = l.valid.on(), l.corrupt.on(), l.dReady.on()
		a.Request = tilelink.Request{Opcode: uint8(l.opcode.get()), Param: uint8(l.param.get()), Size: uint8(l.size.get()), Source: l.source.get(), Address: l.addr.get()}
	})
}

func (p *tlPort) reset() { p.each(func(l *tlLink) { l.mon.Reset(0, &l.s) }) }

func (p *tlPort) watch(cycle uint64) {
	p.each(func(l *tlLink) {
		l.mon.Cycle(cycle, &l.s)
		l.fail(p.bytes)
		p.follow(l)
	})
}

// follow keeps the requests that are open, and checks that each has bytes of a transfer
// that runs and no others.
func (p *tlPort) follow(l *tlLink) {
	lanes := p.bytes
	if l.s.D.Valid && l.s.D.Ready && len(l.open) > 0 {
		if l.given++; l.given == l.open[0].AnswerBeats(lanes) {
			l.open, l.given = slices.Delete(l.open, 0, 1), 0
		}
	}
	a := &l.s.A
	if !a.Valid || !a.Ready {
		return
	}
	if l.asked == 0 {
		l.open = append(l.open, a.Request)
		l.most = max(l.most, len(l.open))
		if a.Writes() != l.write || !p.inside(l, &a.Request) {
			p.bad(fmt.Sprintf("%s: opcode %d for %d bytes at %#x belongs to no transfer that runs", l.name, a.Opcode, a.Bytes(), a.Address))
		}
	}
	l.asked = (l.asked + 1) % a.Beats(lanes)
}

// fail keeps an error that comes: that of a Get with the beat that has it, of a Put when its
// answer is offered.
func (l *tlLink) fail(bytes int) {
	d := &l.s.D
	l.failed = l.failed[:0]
	if len(l.open) > 0 && d.Valid && (d.Denied || d.Corrupt) {
		q := &l.open[0]
		n := min(q.Bytes(), uint64(bytes))
		at := q.Address + uint64(l.given)*n
		switch {
		case l.write && !l.shown:
			l.failed = append(l.failed, failure{true, q.Address, q.Address, q.Address + (q.Bytes() - 1)})
		case !l.write && d.Ready:
			l.failed = append(l.failed, failure{false, q.Address, at, at + (n - 1)})
		}
	}
	l.shown = d.Valid && !d.Ready
}

func (p *tlPort) failures() []failure {
	return append(append([]failure(nil), p.get.failed...), p.put.failed...)
}

func (p *tlPort) link(write bool) *tlLink {
	if write {
		return &p.put
	}
	return &p.get
}

func (p *tlPort) addFault(f mem.Fault)    { p.link(f.Write).mem.AddFault(f) }
func (p *tlPort) removeFault(f mem.Fault) { p.link(f.Write).mem.RemoveFault(f) }

func (p *tlPort) asking() (valid, held bool) {
	a := &p.get.s.A
	return a.Valid, a.Valid && !a.Ready
}

// writing reports whether Puts between two addresses are not answered. An answer that is
// taken in this cycle is no longer among them.
func (p *tlPort) writing(lo, hi uint64) bool {
	for i := range p.put.open {
		if q := &p.put.open[i]; q.Address <= hi && q.Address+(q.Bytes()-1) >= lo {
			return true
		}
	}
	return false
}

// side is the end of a transfer on the link and its bytes, or nil if it has none there.
func (p *tlPort) side(l *tlLink, i int) (s *job.Side, length uint64) {
	j := &p.course.jobs[i]
	s, length = &j.Src, j.Reads()
	if l.write {
		s, length = &j.Dst, j.Writes()
	}
	if length == 0 || p.course.unit(i) != p.heads.unit || s.Protocol != p.protocol || s.Head != p.number {
		return nil, 0
	}
	return s, length
}

func (p *tlPort) inside(l *tlLink, r *tilelink.Request) bool {
	for i := p.course.done; i < p.course.accepted; i++ {
		if s, n := p.side(l, i); s != nil && p.course.runs(i) && r.Address >= s.Addr && r.Address+(r.Bytes()-1) <= s.Addr+(n-1) {
			return true
		}
	}
	return false
}

// landed reports whether transfer i has no write outstanding that is not another's as
// well.
func (p *tlPort) landed(i int) bool {
	for _, r := range p.put.open {
		mine := 0
		for k := i; k < p.course.accepted; k++ {
			if s, n := p.side(&p.put, k); s != nil && p.course.runs(k) && r.Address <= s.Addr+(n-1) && r.Address+(r.Bytes()-1) >= s.Addr {
				if k > i {
					mine = 0
					break
				}
				mine++
			}
		}
		if mine > 0 {
			return false
		}
	}
	return true
}

func (p *tlPort) edge() { p.each(func(l *tlLink) { l.mem.Edge(&l.s) }) }

func (p *tlPort) finish(cycle uint64) { p.each(func(l *tlLink) { l.mon.Finish(cycle) }) }

func (p *tlPort) pending() (reads, writes int) { return p.get.mem.Pending(), p.put.mem.Pending() }

func (p *tlPort) motion() motion {
	get, put := &p.get.s, &p.put.s
	fires := func(v, r bool) bool { return v && r }
	m := motion{asks: get.A.Valid, offers: put.A.Valid, reads: fires(get.D.Valid, get.D.Ready), wrote: fires(put.A.Valid, put.A.Ready)}
	m.any = m.reads || m.wrote || fires(get.A.Valid, get.A.Ready) || fires(put.D.Valid, put.D.Ready)
	return m
}

func (p *tlPort) traffic() traffic {
	r, w := p.get.mem.Count(), p.put.mem.Count()
	return traffic{mem.Beats{Reads: r.Reads, ReadBeats: r.ReadBeats, Writes: w.Writes, WriteBeats: w.WriteBeats}, p.get.most, p.put.most}
}

func (p *tlPort) handshakes() (hs []handshake) {
	p.each(func(l *tlLink) {
		hs = append(hs, handshake{l.name + "_a_valid", l.valid, l.ready, func(_ uint64, message string) {
			p.bad(message)
		}})
	})
	return hs
}

func (p *tlPort) violations() (first []Violation, count int) {
	p.each(func(l *tlLink) {
		first = append(first, found(l.name, l.mon.Violations())...)
		count += l.mon.Count()
	})
	return first, count
}

func (p *tlPort) stuck() string {
	s := ""
	p.each(func(l *tlLink) {
		if l.s.A.Valid != l.s.A.Ready {
			s += fmt.Sprintf("; %s A valid %d, ready %d", l.name, truth(l.s.A.Valid), truth(l.s.A.Ready))
		}
		if l.s.D.Valid != l.s.D.Ready {
			s += fmt.Sprintf("; %s D valid %d, ready %d", l.name, truth(l.s.D.Valid), truth(l.s.D.Ready))
		}
	})
	return s
}
