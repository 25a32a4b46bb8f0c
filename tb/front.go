package tb

import (
	"fmt"
	"math"

	"github.com/millrace-hdl/millrace/hdl/sim"
	"github.com/millrace-hdl/millrace/idma/backend"
	"github.com/millrace-hdl/millrace/idma/frontend"
	"github.com/millrace-hdl/millrace/tb/job"
	"github.com/millrace-hdl/millrace/tb/mem"
	"github.com/millrace-hdl/millrace/tb/software"
)

// front is the software of a whole engine in the place of the port of requests: it takes the
// linear pieces of a transfer as that would, launches the transfer when it has all of
// them, and answers them when the transfer has ended.
type front struct {
	prog     software.Program
	list     *job.List // transfers of all dimensions
	starts   []int     // first piece of each transfer, and how many pieces there are
	launched int       // transfers
	bus      *memPort  // of descriptors, or nil
}

// bindWhole finds the buses of a whole engine with one back-end. In the place of the ports of
// requests and responses there are dummies.
func bindWhole(l *sim.Layout, in, out []uint64, t *software.Target) (*buses, error) {
	none := &binder{lay: &sim.Layout{}}
	p := none.bindPorts()
	for _, f := range []*field{&p.reqValid, &p.reqReady, &p.rspValid, &p.rspReady} {
		f.mask = 1
	}
	c := t.Backend()
	p.addrWidth, p.lengthWidth = c.AddrWidth, c.LengthWidth
	b := &binder{lay: l, inputs: in, outputs: out, ports: p}
	s := &buses{ports: p, reads: map[job.Protocol]int{}, writes: map[job.Protocol]int{}}
	for _, f := range families {
		if err := s.bindFamily(b, f); err != nil {
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
		return nil, fmt.Errorf("the design has no bus of one back-end, such as m_axi; the bench drives engines with a single one")
	}
	if s.bytes == 0 {
		s.bytes = c.DataWidth / 8
	}
	return s, b.check("whole engine")
}

// maxPieces is how many linear transfers a list may come to.
const maxPieces = 1 << 20

// linear is the linear pieces of the transfers of a list, and the first piece of each
// transfer. One of no repetitions at all is a piece of no bytes.
func linear(list *job.List, t *software.Target) (*job.List, []int, error) {
	pieces, starts := &job.List{Name: list.Name}, []int{0}
	for i := range list.Jobs {
		j := &list.Jobs[i]
		bad := func(field string, value any, want string, args ...any) error {
			return &job.Error{File: list.Name, Line: j.Line, Job: i, Field: field, Value: fmt.Sprint(value), Want: fmt.Sprintf(want, args...)}
		}
		if len(j.Dims) > t.Loops() {
			return nil, nil, bad("dims", len(j.Dims)+1, "at most %d dimensions with this front-end", t.Loops()+1)
		}
		for _, d := range j.Dims {
			if most := uint64(math.MaxUint64) >> (64 - t.RepsWidth()); d.Reps > most {
				return nil, nil, bad("reps", d.Reps, "at most %d, in %d bits", most, t.RepsWidth())
			}
		}
		if !unroll(j, t, pieces) {
			return nil, nil, bad("dims", "too many repetitions", "a list comes to at most %d linear transfers", maxPieces)
		}
		first := starts[len(starts)-1]
		own := &job.List{Name: list.Name, Jobs: pieces.Jobs[first:]}
		if len(own.Jobs) > 1 && own.CheckIndependent() != nil {
			return nil, nil, bad("dims", "a repetition that reads what another writes", "repetitions that have nothing to do with each other, since the engine does not wait between them")
		}
		starts = append(starts, len(pieces.Jobs))
	}
	return pieces, starts, nil
}

// unroll adds the pieces of a transfer (specification §3.2): a stride is added to the
// address of the piece just done when its loop goes on. Loops that the front-end has beyond
// those of the transfer are done once. It is false if there are too many pieces.
func unroll(j *job.Job, t *software.Target, to *job.List) bool {
	piece := *j
	piece.Dims = nil
	none := len(j.Dims) > 0 && len(j.Dims) == t.Loops()
	for _, d := range j.Dims {
		none = none && d.Reps == 0
	}
	if none {
		piece.Length = 0
	}
	mask := ^uint64(0) >> (64 - t.Backend().AddrWidth)
	turns := make([]uint64, len(j.Dims))
	for len(to.Jobs) < maxPieces {
		to.Jobs = append(to.Jobs, piece)
		k := 0
		for ; k < len(turns); k++ {
			if turns[k]++; turns[k] < j.Dims[k].Reps {
				break
			}
			turns[k] = 0
		}
		if k == len(turns) || piece.Length == 0 {
			return true
		}
		piece.Src.Addr = (piece.Src.Addr + j.Dims[k].SrcStride) & mask
		piece.Dst.Addr = (piece.Dst.Addr + j.Dims[k].DstStride) & mask
	}
	return false
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
func newFront(eng sim.Engine, t *software.Target, list *job.List, starts []int, cfg *RunConfig) (*front, error) {
	f := &front{list: list, starts: starts}
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
		p, err := bind(b, h)
		if err != nil {
			return nil, err
		}
		f.bus = p.(*memPort)
		own := *cfg
		own.Faults = nil
		if err := f.bus.start(&own, b.ports, nil, memory, memory, cfg.Keep); err != nil {
			return nil, err
		}
	}
	prog, err := t.New(eng, memory, cfg.Seed)
	if err != nil {
		return nil, err
	}
	f.prog = prog
	return f, checkFront(list, prog)
}

// before sets the dummies and what software drives, for the next step.
func (f *front) before(d *driver) {
	f.prog.Drive()
	inside := f.launched < len(f.list.Jobs) && d.accepted > f.starts[f.launched]
	d.p.reqReady.setBool(inside || f.prog.Idle())
	d.p.rspValid.setBool(d.done < f.starts[f.prog.Ended()])
}

// after launches a transfer whose pieces are all there.
func (f *front) after(d *driver) error {
	if f.launched < len(f.list.Jobs) && d.accepted == f.starts[f.launched+1] {
		f.prog.Launch(&f.list.Jobs[f.launched])
		f.launched++
	}
	return f.prog.Edge()
}

// first is the first piece of the transfer that a piece belongs to.
func (f *front) first(piece int) int {
	if f != nil && f.launched < len(f.list.Jobs) {
		return min(piece, f.starts[f.launched])
	}
	return piece
}
