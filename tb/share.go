package tb

import "github.com/millrace-hdl/millrace/tb/job"

// Share is what one of several back-ends of a whole engine did.
type Share struct {
	Backend          int     `json:"backend"`
	Stream           int     `json:"stream"`
	Bytes            uint64  `json:"bytes"`
	ReadBeats        uint64  `json:"read_beats"`
	WriteBeats       uint64  `json:"write_beats"`
	FewestWriteBeats uint64  `json:"fewest_write_beats"`
	Utilisation      float64 `json:"utilisation"` // from its first to its last write beat
	ReadBursts       uint64  `json:"read_bursts"`
	WriteBursts      uint64  `json:"write_bursts"`
	MaxReads         int     `json:"max_outstanding_reads"`
	MaxWrites        int     `json:"max_outstanding_writes"`
}

// shares fills in the totals of what the buses did, and with several back-ends the figures
// of each.
func (r *run) shares(res *Result) {
	all := make([]Share, r.b.units)
	lists := make([]job.List, r.b.units)
	for i := range r.course.jobs {
		l := &lists[r.course.unit(i)]
		l.Jobs = append(l.Jobs, r.course.jobs[i])
	}
	for i, p := range r.b.all {
		t, s := p.traffic(), &all[r.b.heads[i].unit]
		s.ReadBeats, s.WriteBeats = s.ReadBeats+t.ReadBeats, s.WriteBeats+t.WriteBeats
		s.ReadBursts, s.WriteBursts = s.ReadBursts+t.Reads, s.WriteBursts+t.Writes
		s.MaxReads, s.MaxWrites = max(s.MaxReads, t.maxReads), max(s.MaxWrites, t.maxWrites)
	}
	for u := range all {
		s := &all[u]
		s.Backend, s.Stream = u, u*r.b.streams/r.b.units
		s.Bytes, s.FewestWriteBeats = lists[u].Bytes(), FewestWriteBeats(&lists[u], r.p.bytes)
		if n := r.units[u].cycles(); n > 0 {
			s.Utilisation = float64(s.FewestWriteBeats) / float64(n)
		}
		res.ReadBeats, res.WriteBeats = res.ReadBeats+s.ReadBeats, res.WriteBeats+s.WriteBeats
		res.ReadBursts, res.WriteBursts = res.ReadBursts+s.ReadBursts, res.WriteBursts+s.WriteBursts
		res.MaxReads, res.MaxWrites = max(res.MaxReads, s.MaxReads), max(res.MaxWrites, s.MaxWrites)
	}
	if len(all) > 1 {
		res.Backends = all
	}
}
