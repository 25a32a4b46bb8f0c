package tb

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/millrace-hdl/millrace/tb/job"
	"github.com/millrace-hdl/millrace/tb/software"
)

// parts are the transfers of a list as the back-ends of a whole engine get them: linear, and
// each for one back-end.
type parts struct {
	list    *job.List
	units   []int // the back-end of each
	starts  []int // first part of each transfer of the list, and how many parts there are
	streams []int // of each transfer of the list
}

// maxParts is how many linear transfers a list may come to.
const maxParts = 1 << 20

// apart makes the parts of a list. A transfer of no repetitions at all is a part of no bytes.
func apart(list *job.List, t *software.Target) (*parts, error) {
	p := &parts{list: &job.List{Name: list.Name}, starts: []int{0}}
	turn := 0
	for i := range list.Jobs {
		j := &list.Jobs[i]
		bad := func(field string, value any, want string, args ...any) error {
			return &job.Error{File: list.Name, Line: j.Line, Job: i, Field: field, Value: fmt.Sprint(value), Want: fmt.Sprintf(want, args...)}
		}
		if len(j.Dims) > t.Loops() {
			return nil, bad("dims", len(j.Dims)+1, "at most %d dimensions with this front-end", t.Loops()+1)
		}
		for _, d := range j.Dims {
			if most := uint64(math.MaxUint64) >> (64 - t.RepsWidth()); d.Reps > most {
				return nil, bad("reps", d.Reps, "at most %d, in %d bits", most, t.RepsWidth())
			}
		}
		stream := j.Stream
		if stream == job.AnyStream {
			stream, turn = turn, (turn+1)%t.Streams()
		} else if stream >= t.Streams() {
			return nil, bad("stream", stream, "0…%d; that is how many streams the engine has", t.Streams()-1)
		}
		pieces, ok := unroll(j, t, maxParts-len(p.list.Jobs))
		if !ok {
			return nil, bad("dims", "too many repetitions", "a list comes to at most %d linear transfers", maxParts)
		}
		own := &job.List{Name: list.Name, Jobs: pieces}
		if len(pieces) > 1 && own.CheckIndependent() != nil {
			return nil, bad("dims", "a repetition that reads what another writes", "repetitions that have nothing to do with each other, since the engine does not wait between them")
		}
		first := len(p.list.Jobs)
		if !p.cut(pieces, t, stream) {
			return nil, bad("length", j.Length, "a list comes to at most %d linear transfers", maxParts)
		}
		p.starts, p.streams = append(p.starts, len(p.list.Jobs)), append(p.streams, stream)
		own.Jobs = p.list.Jobs[first:]
		if several(p.units[first:]) && (own.CheckIndependent() != nil || p.shared(first) >= 0) {
			return nil, bad("dst", fmt.Sprintf("%#x", j.Dst.Addr), "bytes that no back-end writes and another reads or writes, since they do not wait for each other")
		}
		for _, e := range j.Errors {
			n := 0
			for k := range own.Jobs {
				if touches(&own.Jobs[k], e, uint64(t.Backend().DataWidth/8)) {
					n++
				}
			}
			if n > 1 {
				return nil, bad("errors", fmt.Sprintf("%#x", e.Addr), "a bus word that only one of the linear transfers that this one is made of accesses")
			}
		}
	}
	return p, nil
}

// unroll is the linear transfers of one with dimensions (specification §3.2): a stride is
// added to the address of that just done when its loop goes on. Loops that the front-end
// has beyond those of the transfer are done once. It is false if there are more than most.
func unroll(j *job.Job, t *software.Target, most int) ([]job.Job, bool) {
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
	var all []job.Job
	for len(all) < most {
		all = append(all, piece)
		k := 0
		for ; k < len(turns); k++ {
			if turns[k]++; turns[k] < j.Dims[k].Reps {
				break
			}
			turns[k] = 0
		}
		if k == len(turns) || piece.Length == 0 {
			return all, true
		}
		piece.Src.Addr = (piece.Src.Addr + j.Dims[k].SrcStride) & mask
		piece.Dst.Addr = (piece.Dst.Addr + j.Dims[k].DstStride) & mask
	}
	return nil, false
}

// cut adds linear transfers as the stages of the engine cut and distribute them. It is false
// if there are too many.
func (p *parts) cut(all []job.Job, t *software.Target, stream int) bool {
	units := slices.Repeat([]int{stream}, len(all))
	mask := ^uint64(0) >> (64 - t.Backend().AddrWidth)
	for _, c := range t.Cuts {
		var smaller []job.Job
		var to []int
		for i := range all {
			j := &all[i]
			if len(smaller)+int(min(j.Length/c.Region.Size, maxParts)) > maxParts {
				return false
			}
			ref := j.Dst.Addr
			if j.Src.Addr >= c.Region.Start && j.Src.Addr < c.Region.End {
				ref = j.Src.Addr
			}
			for done := uint64(0); ; {
				at := (ref + done) & mask
				piece := *j
				piece.Length = min(j.Length-done, c.Region.Size-at%c.Region.Size)
				piece.Src.Addr, piece.Dst.Addr = (j.Src.Addr+done)&mask, (j.Dst.Addr+done)&mask
				smaller, to = append(smaller, piece), append(to, units[i]*c.Outputs+int(at/c.Region.Size%uint64(c.Outputs)))
				if done += piece.Length; done == j.Length {
					break
				}
			}
		}
		all, units = smaller, to
	}
	p.list.Jobs, p.units = append(p.list.Jobs, all...), append(p.units, units...)
	return len(p.list.Jobs) <= maxParts
}

// several reports whether there are several numbers.
func several(units []int) bool {
	for _, u := range units {
		if u != units[0] {
			return true
		}
	}
	return false
}

// shared is the first of the parts from one on that writes bytes which another back-end
// writes as well, −1 if none does.
func (p *parts) shared(first int) int {
	order := make([]int, 0, len(p.list.Jobs)-first)
	for i := first; i < len(p.list.Jobs); i++ {
		if j := &p.list.Jobs[i]; !j.Refused() && j.Dst.Memory() {
			order = append(order, i)
		}
	}
	at := func(i int) uint64 { return p.list.Jobs[i].Dst.Addr }
	last := func(i int) uint64 { return at(i) + p.list.Jobs[i].Length - 1 }
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(at(a), at(b)) })
	far := slices.Repeat([]int{-1}, slices.Max(append([]int{0}, p.units...))+1) // of each back-end, the part that reaches furthest
	for _, i := range order {
		for u, k := range far {
			if k >= 0 && u != p.units[i] && last(k) >= at(i) {
				return max(i, k)
			}
		}
		if k := far[p.units[i]]; k < 0 || last(i) > last(k) {
			far[p.units[i]] = i
		}
	}
	return -1
}

// checkLaunch refuses to launch back to back what back-ends write that do not wait for each
// other.
func (p *parts) checkLaunch(list *job.List, cfg *RunConfig) error {
	if cfg.Launch != BackToBack || cfg.Memory == PerPort || p.list == nil {
		return nil
	}
	i := p.shared(0)
	if i < 0 {
		return nil
	}
	t, found := slices.BinarySearch(p.starts, i)
	if !found {
		t--
	}
	return &job.Error{File: list.Name, Line: list.Jobs[t].Line, Job: t, Want: "it writes what another transfer writes through another back-end: " +
		"launched back to back, the result would depend on timing; wait on overlap"}
}
