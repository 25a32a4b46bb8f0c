package tb

import (
	"github.com/millrace-hdl/millrace/tb/mem"
	"github.com/millrace-hdl/millrace/tb/oracle"
)

// connect puts memories and streams behind the buses, as the run shares them.
func (r *run) connect() error {
	from := mem.NewStore(r.cfg.Seed)
	to := from
	if r.cfg.Memory == Separate {
		to = mem.NewStore(r.cfg.Seed + 1)
	}
	fresh := func(n int) *mem.Store { return mem.NewStore(r.cfg.Seed + 2 + uint64(n)) }
	for i, p := range r.b.all {
		var err error
		switch p := p.(type) {
		case *memPort:
			f, t := from, to
			if r.cfg.Memory == PerPort {
				f, t = fresh(2*i), fresh(2*i+1)
			}
			err = p.start(&r.cfg, r.b.ports, r.course, f, t, r.cfg.Keep)
			r.mems = append(r.mems, p)
		case *tlPort:
			f, t := from, to
			if r.cfg.Memory == PerPort {
				f, t = fresh(2*i), fresh(2*i+1)
			}
			err = p.start(&r.cfg, r.p.bytes, r.course, f, t, func(text string) { r.score.bad(r.cycle, "%s", text) })
		case *streamPort:
			p.start(&r.cfg, r.b.ports, r.course, fresh(2*i), fresh(2*i+1), func(text string) { r.score.bad(r.cycle, "%s", text) })
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// ends is where the bytes of each transfer lie.
func (r *run) ends() []oracle.Ends {
	jobs := r.course.jobs
	ends := make([]oracle.Ends, len(jobs))
	sent, got := map[*streamPort]uint64{}, map[*streamPort]uint64{}
	for i := range jobs {
		j, e := &jobs[i], &ends[i]
		switch p := r.b.find(r.course.unit(i), &j.Src, false).(type) {
		case *memPort:
			e.Src = oracle.Place{Store: p.mem.From, Addr: j.Src.Addr}
		case *tlPort:
			e.Src = oracle.Place{Store: p.from, Addr: j.Src.Addr}
		case *streamPort:
			e.Src = oracle.Place{Store: p.from, Addr: sent[p]}
			sent[p] += j.Reads()
		default:
			e.Src.Make = oracle.Generated(j.Src.Mode, j.Src.Addr)
		}
		switch p := r.b.find(r.course.unit(i), &j.Dst, true).(type) {
		case *memPort:
			e.Dst = oracle.Place{Store: p.mem.To, Addr: j.Dst.Addr}
		case *tlPort:
			e.Dst = oracle.Place{Store: p.to, Addr: j.Dst.Addr}
		case *streamPort:
			e.Dst = oracle.Place{Store: p.to, Addr: got[p]}
			got[p] += j.Writes()
		}
	}
	return ends
}
