package tb

import (
	"fmt"
	"math/rand/v2"

	"github.com/millrace-hdl/millrace/hdl/sim"
	"github.com/millrace-hdl/millrace/idma/backend"
	"github.com/millrace-hdl/millrace/idma/frontend"
	"github.com/millrace-hdl/millrace/tb/job"
	"github.com/millrace-hdl/millrace/tb/mem"
	"github.com/millrace-hdl/millrace/tb/software"
)

// front is the software of a whole engine, in the place of the driver: it launches the
// transfers of a list, whose parts the back-ends then have.
type front struct {
	*course
	*parts
	cfg      *RunConfig
	prog     software.Program
	all      *job.List // transfers of all dimensions
	rng      *rand.Rand
	launched int     // transfers
	waits    bool    // the next one has to wait until another ends
	order    [][]int // transfers launched on each stream
	seen     []int   // how many of them have ended
	bounds   []bounds
	act      *actions
	bus      *memPort // of descriptors, or nil
}

// bounds are the first and the last bytes that the parts of a transfer read and write.
type bounds struct{ lo, hi [2]uint64 }

// bindWhole finds the buses of all back-ends of a whole engine. In the place of the ports of
// requests and responses there are dummies.
func bindWhole(l *sim.Layout, in, out []uint64, t *software.Target) (*buses, error) {
	p := (&binder{lay: &sim.Layout{}}).bindPorts()
	c := t.Backend()
	p.addrWidth, p.lengthWidth, p.actionValid.has = c.AddrWidth, c.LengthWidth, c.ErrorHandling
	b := &binder{lay: l, inputs: in, outputs: out, ports: p}
	s := &buses{ports: p, units: t.Streams() * t.Backends(), streams: t.Streams(), reads: map[job.Protocol]int{}, writes: map[job.Protocol]int{}}
	for u := range s.units {
		engine := ""
		if s.units > 1 {
			engine = fmt.Sprint(u)
		}
		if err := s.bindUnit(b, u, engine); err != nil {
			return nil, err
		}
	}
	for _, side := range []struct {
		ports int
		kinds *[]job.Protocol
		count map[job.Protocol]int
	}{{int(c.ReadProtocols[backend.Init]), &s.read, s.reads}, {int(c.WriteProtocols[backend.Init]), &s.write, s.writes}} {
		if side.ports > 0 {
			*side.kinds, side.count[job.Init] = append(*side.kinds, job.Init), side.ports
		}
	}
	if len(s.all) == 0 && c.ReadProtocols[backend.Init] == 0 {
		return nil, fmt.Errorf("the design has no bus of a back-end, such as m_axi or m0_axi")
	}
	if s.bytes == 0 {
		s.bytes = c.DataWidth / 8
	}
	return s, b.check("whole engine")
}

// checkFront refuses what the front-end cannot say.
func checkFront(list *job.List, prog software.Program) error {
	for i := range list.Jobs {
		if e := prog.Check(&list.Jobs[i]); e != nil {
			e.File, e.Line, e.Job = list.Name, list.Jobs[i].Line, i
			return e
		}
	}
	return nil
}

// newFront makes the software of an engine, and the memory of its descriptors.
func newFront(eng sim.Engine, list *job.List, p *parts, c *course, cfg *RunConfig) (*front, error) {
	t := cfg.Software
	f := &front{course: c, parts: p, cfg: cfg, all: list, rng: rand.New(rand.NewPCG(cfg.Seed, 1)), order: make([][]int, t.Streams()), seen: make([]int, t.Streams())}
	var memory *mem.Store
	if d := t.Descriptors; d != nil {
		memory = mem.NewStore(cfg.Seed + 1000)
		b := &binder{lay: eng.Layout(), inputs: eng.In(), outputs: eng.Out(), ports: (&binder{lay: &sim.Layout{}}).bindPorts()}
		h, bind := heads{protocol: job.AXI4, name: "_desc", read: true, write: true}, bindAXI
		switch d.Fetch {
		case frontend.FetchAXILite:
			h.protocol = job.AXI4Lite
		case frontend.FetchOBI:
			h.protocol, bind = job.OBI, bindOBI
		}
		found, err := bind(b, h)
		if err != nil {
			return nil, err
		}
		f.bus = found.(*memPort)
		own := *cfg
		own.Faults = nil
		if err := f.bus.start(&own, b.ports, newCourse(nil, nil), memory, memory, cfg.Keep); err != nil {
			return nil, err
		}
	}
	prog, err := t.New(eng, memory, cfg.Seed)
	if err != nil {
		return nil, err
	}
	for i := range list.Jobs {
		f.bounds = append(f.bounds, f.boundsOf(i))
	}
	f.prog = prog
	return f, checkFront(list, prog)
}

func (f *front) boundsOf(transfer int) bounds {
	b := bounds{lo: [2]uint64{^uint64(0), ^uint64(0)}}
	for i := f.starts[transfer]; i < f.starts[transfer+1]; i++ {
		j := &f.jobs[i]
		for k, a := range [2]uint64{j.Src.Addr, j.Dst.Addr} {
			b.lo[k], b.hi[k] = min(b.lo[k], a), max(b.hi[k], a+max(j.Length, 1)-1)
		}
	}
	return b
}

// drive launches the next transfer if it can be, and drives what software does. It reports
// whether one was launched.
func (f *front) drive() bool {
	launches := f.launched < len(f.all.Jobs) && !f.waits && f.prog.Idle() && !chance(f.rng, f.cfg.ReqGap)
	if launches {
		f.waits = !f.mayLaunch()
		launches = !f.waits
	}
	if launches {
		t := f.launched
		for i := f.starts[t]; i < f.starts[t+1]; i++ {
			f.accepted++
			if f.act != nil {
				f.act.launch(i)
			}
		}
		f.prog.Launch(&f.all.Jobs[t], f.streams[t])
		f.order[f.streams[t]] = append(f.order[f.streams[t]], t)
		f.launched++
	}
	f.prog.Drive()
	return launches
}

// mayLaunch reports whether nothing that runs stands in the way of the next transfer.
func (f *front) mayLaunch() bool {
	t := f.launched
	if f.act != nil && !f.act.mayLaunch(f.starts[t], f.starts[t+1]) {
		return false
	}
	if f.cfg.Launch == BackToBack {
		return true
	}
	for s, order := range f.order {
		for _, o := range order[f.seen[s]:] {
			if f.bounds[t].meets(&f.bounds[o]) && f.conflict(t, o) {
				return false
			}
		}
	}
	return true
}

// meets reports whether one of two transfers may write what the other reads or writes.
func (b *bounds) meets(o *bounds) bool {
	for _, k := range [][2]int{{0, 1}, {1, 0}, {1, 1}} {
		if b.lo[k[0]] <= o.hi[k[1]] && o.lo[k[1]] <= b.hi[k[0]] {
			return true
		}
	}
	return false
}

// conflict reports whether parts of two transfers depend on each other.
func (f *front) conflict(t, o int) bool {
	for n := f.starts[t]; n < f.starts[t+1]; n++ {
		for i := f.starts[o]; i < f.starts[o+1]; i++ {
			a, b := &f.jobs[n], &f.jobs[i]
			if f.cfg.Memory == Shared && a.DependsOn(b) || f.cfg.Memory != PerPort && f.unit(n) != f.unit(i) && a.WritesWhat(b) {
				return true
			}
		}
	}
	return false
}

// after takes what software has seen in this cycle: transfers that ended, whose parts are
// told to over, and questions. It reports whether there was any.
func (f *front) after(over func(part int), failed func()) (bool, error) {
	if err := f.prog.Edge(); err != nil {
		return false, err
	}
	moved := false
	for s := range f.order {
		for ; f.seen[s] < f.prog.Ended(s); f.seen[s]++ {
			t := f.order[s][f.seen[s]]
			for i := f.starts[t]; i < f.starts[t+1]; i++ {
				over(i)
			}
			f.waits, moved = false, true
		}
		q := f.prog.Question(s)
		if q == nil || f.act == nil || chance(f.rng, f.cfg.ActionStall) {
			continue
		}
		t := f.order[s][q.Transfer]
		failed()
		f.prog.Answer(s, f.act.question(f.starts[t], f.starts[t+1], response{err: true, asks: true, cause: q.Cause, typ: q.Type, address: q.Addr}))
		f.waits, moved = false, true
	}
	return moved, nil
}

// ends is how many transfers software has seen to end.
func (f *front) ends() int {
	n := 0
	for _, k := range f.seen {
		n += k
	}
	return n
}
