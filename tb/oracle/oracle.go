// Package oracle says what memory and responses must be after a transfer list,
// from the specification alone: it shares nothing with the engines, knows no
// bursts and no cycles, and copies byte by byte, or what package computed makes of the
// bytes where a transfer has an operation.
package oracle

import (
	"fmt"

	"github.com/millrace-hdl/millrace/tb/job"
	"github.com/millrace-hdl/millrace/tb/mem"
)

// MaxBytes bounds what one run may move: the bench keeps every written byte twice.
const MaxBytes = 1 << 30

// Options says how memory is laid out and prepared.
type Options struct {
	Bytes  int    // data bus width in bytes
	Guard  uint64 // bytes around each destination that must stay untouched
	Seed   uint64 // of the canaries
	Faults []mem.Fault
	// Handled: the engine has an error handler, and what becomes of a transfer is told
	// to [Oracle.End] when it ends.
	Handled bool
}

// Oracle is the expectation for one list on one memory.
type Oracle struct {
	list   *job.List
	ends   []Ends
	spaces []*space
	opt    Options
	tile   rows
	Expect []Response // one for each transfer, in order
}

// Response is what ends a transfer.
type Response struct {
	Last bool
	// Refused: the engine itself answers with an error, without bus traffic.
	Refused bool
	Cause   uint64 // of Refused
	// ReadFails and WriteFails: the bus answers with an error on that side.
	ReadFails, WriteFails bool
	// Wrong: an operation finds that the data are wrong, which is answered as if the bus had
	// said so while reading. Open: that depends on bytes that errors before have left open.
	Wrong, Open bool
}

// CauseWrong is the cause of an error that is only Wrong.
const CauseWrong = 2

// Error types of responses.
const (
	ErrTypeRead   = 0 // error on the bus while reading
	ErrTypeWrite  = 1 // error on the bus while writing
	ErrTypeEngine = 2 // refused by the engine
)

// Error reports whether the transfer ends with an error.
func (r Response) Error() bool { return r.Refused || r.ReadFails || r.WriteFails || r.Wrong }

// AllowsCause reports whether an error can have the cause. Those of the bus are not judged.
func (r Response) AllowsCause(cause uint64) bool {
	switch {
	case r.Refused:
		return cause == r.Cause
	case r.ReadFails || r.WriteFails || !r.Wrong:
		return true
	}
	return cause == CauseWrong
}

// Allows reports whether an error of the type is one that the transfer has.
func (r Response) Allows(errType uint64) bool {
	switch errType {
	case ErrTypeRead:
		return r.ReadFails || r.Wrong || r.Open
	case ErrTypeWrite:
		return r.WriteFails
	}
	return errType == ErrTypeEngine && r.Refused
}

// New paints canaries over every destination and its guards in to, and works out
// what must be in to after the list. Reads come from from, which may be the same
// store: then later transfers see what earlier ones wrote, and a list whose
// result would depend on timing is refused. If it is another store, reads see
// what it holds now.
func New(list *job.List, from, to *mem.Store, opt Options) (*Oracle, error) {
	return NewEnds(list, between(list, from, to), opt)
}

// NewEnds is New for transfers between any places, one entry each.
func NewEnds(list *job.List, ends []Ends, opt Options) (*Oracle, error) {
	if n := max(list.Bytes(), list.Written()); n > MaxBytes {
		return nil, &job.Error{File: list.Name, Job: -1,
			Want: fmt.Sprintf("the transfers move %d bytes together; the bench keeps all of them in memory and takes at most %d", n, MaxBytes)}
	}
	for i := range ends {
		if ends[i].Src.Store == ends[i].Dst.Store {
			if err := list.CheckOverlap(); err != nil {
				return nil, err
			}
			break
		}
	}
	o := &Oracle{list: list, ends: ends, opt: opt}
	for i := range list.Jobs {
		j := &list.Jobs[i]
		dst := ends[i].Dst
		if dst.Store != nil && o.space(dst.Store) == nil {
			o.spaces = append(o.spaces, &space{got: dst.Store, vague: newVague(len(opt.Faults) > 0 || opt.Handled)})
		}
		if n := j.Writes(); dst.Store != nil && n > 0 {
			lo := dst.Addr - min(opt.Guard, dst.Addr)
			dst.Store.Paint(opt.Seed, lo, n+opt.Guard+(dst.Addr-lo))
		}
	}
	for _, sp := range o.spaces {
		sp.want = sp.got.Clone()
	}
	for i := range list.Jobs {
		j := &list.Jobs[i]
		if opt.Handled {
			o.Expect = append(o.Expect, answer(j))
			continue
		}
		o.run(i)
	}
	return o, nil
}

// answer is how a transfer is answered on which no bus reports an error.
func answer(j *job.Job) Response {
	r := Response{Last: j.Last}
	if cause, refused := j.Refusal(); refused {
		r.Refused, r.Cause = true, cause
	}
	return r
}

// run is the transfer itself, lowest byte first.
func (o *Oracle) run(i int) {
	j := &o.list.Jobs[i]
	r := answer(j)
	defer func() { o.Expect = append(o.Expect, r) }()
	switch {
	case r.Refused:
		return
	case j.Compute.Op != job.NoOperation:
		o.compute(i, &r)
		return
	}
	r.ReadFails = o.fails(&j.Src, j.Length, false)
	r.WriteFails = o.fails(&j.Dst, j.Length, true)
	o.copy(i, j.Length, func(k uint64) (open, mayFail bool) { return r.ReadFails, r.WriteFails })
}

// copy copies the first n bytes of transfer i. The function says of a byte whether its
// value is open and whether its write may fail.
func (o *Oracle) copy(i int, n uint64, how func(k uint64) (open, mayFail bool)) {
	src, dst := &o.ends[i].Src, &o.ends[i].Dst
	to := o.space(dst.Store)
	if to == nil {
		return
	}
	from, seen := src.Store, vague{}
	if sp := o.space(from); sp != nil { // reads see what was written
		from, seen = sp.want, sp.vague
	}
	for k := range n {
		open, mayFail := how(k)
		to.want.SetByte(dst.Addr+k, src.byte(from, k))
		to.vague.copied(dst.Addr+k, open || src.Store != nil && seen.value(src.Addr+k), mayFail)
	}
}

// fails reports whether a fault touches a bus word of the bytes.
func (o *Oracle) fails(s *job.Side, n uint64, write bool) bool {
	if !s.Memory() {
		return false
	}
	a := s.Addr
	mask := uint64(o.opt.Bytes) - 1
	if s.Protocol == job.TileLink {
		mask = 0 // nothing but the bytes is accessed
	}
	for _, f := range o.opt.Faults {
		if f.Write == write && f.Hi >= a&^mask && f.Lo <= (a+n-1)|mask {
			return true
		}
	}
	return false
}
