package idma_test

import (
	"math/rand/v2"

	"github.com/millrace-hdl/millrace/hdl/sim"
	"github.com/millrace-hdl/millrace/idma"
	"github.com/millrace-hdl/millrace/idma/backend"
	"github.com/millrace-hdl/millrace/tb"
	"github.com/millrace-hdl/millrace/tb/job"
	"github.com/millrace-hdl/millrace/tb/software"
)

// Where random transfers read and write.
const (
	sources      = 1 << 18 // bytes from 0 up
	destinations = 1 << 19
)

// randomList is transfers of as many dimensions as the front-end knows, over all ports that it
// reaches, some with bus errors where the engine handles them. Each writes behind the one
// before.
func randomList(rng *rand.Rand, c idma.Config, lay *sim.Layout, n int) *job.List {
	t := software.Of(c)
	list := &job.List{Name: "random"}
	dst := uint64(destinations)
	for range n {
		j := job.New(1+rng.Uint64N(300), rng.Uint64N(sources), dst+rng.Uint64N(64))
		if rng.IntN(20) == 0 {
			j.Length = 0
		}
		j.DecoupleAW, j.DecoupleRW = rng.IntN(2) == 0, rng.IntN(2) == 0
		if rng.IntN(2) == 0 {
			j.Stream = rng.IntN(t.Streams())
		}
		extent := j.Length
		for range rng.IntN(t.Loops() + 1) {
			d := job.Dim{Reps: rng.Uint64N(5), SrcStride: rng.Uint64N(1 << 10), DstStride: j.Length + rng.Uint64N(100)}
			extent = extent*max(d.Reps, 1) + 100*5
			j.Dims = append(j.Dims, d)
		}
		if len(j.Dims) > 1 { // every jump goes forward
			extent += 5 * 5 * 400
		}
		dst = j.Dst.Addr + extent + 64
		over(rng, &t, &j.Src, c.Backend.ReadProtocols)
		over(rng, &t, &j.Dst, c.Backend.WriteProtocols)
		if t.Instructions != nil && j.Src.Protocol == job.Init {
			j.Src.Addr, j.Src.Mode, j.Dims = j.Src.Addr&0xff*0x01010101, 0, nil
		}
		if c.Backend.ErrorHandling {
			fail(rng, &t, &j, lay)
		}
		list.Jobs = append(list.Jobs, j)
	}
	return list
}

// over puts one side of a transfer on a port.
func over(rng *rand.Rand, t *software.Target, s *job.Side, set backend.PortSet) {
	var all []job.Side
	for p, n := range set {
		for h := range int(n) {
			all = append(all, job.Side{Protocol: job.Protocol(p), Head: h})
		}
	}
	switch {
	case t.Registers != nil:
		one := all[rng.IntN(len(all))]
		s.Protocol, s.Head, s.Mode = one.Protocol, one.Head, uint8(rng.IntN(3))
	case t.Descriptors != nil:
		s.Protocol = all[0].Protocol
	default: // the address chooses; the window has a half for sources and one for destinations
		w := t.Instructions
		half := (w.WindowEnd - w.WindowStart) / 2
		switch one := all[rng.IntN(len(all))]; {
		case one.Protocol == job.Init:
			s.Protocol = job.Init
		case one.Protocol == job.OBI && s.Addr < sources:
			s.Protocol, s.Addr = job.OBI, w.WindowStart+s.Addr%half
		case one.Protocol == job.OBI && s.Addr-destinations < half:
			s.Protocol, s.Addr = job.OBI, w.WindowStart+half+s.Addr-destinations
		}
	}
}

// fail gives a transfer errors that the bench can judge.
func fail(rng *rand.Rand, t *software.Target, j *job.Job, lay *sim.Layout) {
	for _, write := range []bool{false, true} {
		if rng.IntN(3) > 0 || j.Length == 0 {
			continue
		}
		e := job.BusError{Write: write, Action: job.Action(rng.IntN(3)), Addr: j.Src.Addr + rng.Uint64N(j.Length)}
		if write {
			e.Addr = j.Dst.Addr + rng.Uint64N(j.Length)
		}
		with := *j
		with.Errors = append(append([]job.BusError(nil), j.Errors...), e)
		if _, err := tb.Check(&job.List{Jobs: []job.Job{with}}, lay, tb.RunConfig{Software: t}); err == nil {
			*j = with
		}
	}
}
