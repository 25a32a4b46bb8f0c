// Package oracle says what memory and responses must be after a transfer list,
// from the specification alone: it shares nothing with the engines, knows no
// bursts and no cycles, and copies byte by byte.
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
	Guard  uint64 // bytes around each destination that must stay untouched
	Seed   uint64 // of the canaries
	Faults []mem.Fault
}

// Oracle is the expectation for one list on one memory.
type Oracle struct {
	list   *job.List
	want   *mem.Store
	any    []span // destination bytes that bus errors leave undefined
	guard  uint64
	Expect []Response // one for each transfer, in order
}

// span is the bytes lo…hi.
type span struct{ lo, hi uint64 }

// Response is what ends a transfer.
type Response struct {
	Last    bool
	Error   bool
	ErrType uint8 // 2 where the engine itself refuses the transfer
}

// ErrTypeEngine is the error type of transfers that the engine itself refuses.
const ErrTypeEngine = 2

// New paints canaries over every destination and its guards in to, and works out
// what must be in to after the list. Reads come from from, which may be the same
// store: then later transfers see what earlier ones wrote, and a list whose
// result would depend on timing is refused. If it is another store, reads see
// what it holds now.
func New(list *job.List, from, to *mem.Store, opt Options) (*Oracle, error) {
	if n := list.Bytes(); n > MaxBytes {
		return nil, fmt.Errorf("%s: the transfers move %d bytes together; the bench keeps all of them in memory and takes at most %d", list.Name, n, MaxBytes)
	}
	shared := from == to
	if shared {
		if err := list.CheckOverlap(); err != nil {
			return nil, err
		}
	}
	o := &Oracle{list: list, guard: opt.Guard}
	for i := range list.Jobs {
		j := &list.Jobs[i]
		if j.Length > 0 {
			lo := j.Dst.Addr - min(opt.Guard, j.Dst.Addr)
			to.Paint(opt.Seed, lo, j.Length+opt.Guard+(j.Dst.Addr-lo))
		}
	}
	o.want = to.Clone()
	if shared {
		from = o.want
	}
	for i := range list.Jobs {
		o.run(&list.Jobs[i], from)
		o.excuse(&list.Jobs[i], opt.Faults)
	}
	return o, nil
}

// run is the transfer itself, lowest byte first.
func (o *Oracle) run(j *job.Job, from *mem.Store) {
	r := Response{Last: j.Last}
	if j.Length == 0 {
		r.Error, r.ErrType = true, ErrTypeEngine
	}
	o.Expect = append(o.Expect, r)
	for k := range j.Length {
		o.want.SetByte(j.Dst.Addr+k, from.Byte(j.Src.Addr+k))
	}
}

// excuse leaves the destination undefined where the transfer meets a fault.
func (o *Oracle) excuse(j *job.Job, faults []mem.Fault) {
	if j.Length == 0 {
		return
	}
	const page = 4095 // a burst may touch anything in its page
	for _, f := range faults {
		a := j.Src.Addr
		if f.Write {
			a = j.Dst.Addr
		}
		if f.Hi >= a&^page && f.Lo <= (a+j.Length-1)|page {
			o.any = append(o.any, span{j.Dst.Addr, j.Dst.Addr + j.Length - 1})
			return
		}
	}
}

// MayFail reports whether an injected fault may touch transfer i.
func (o *Oracle) MayFail(i int) bool {
	j := &o.list.Jobs[i]
	return j.Length > 0 && o.undefined(j.Dst.Addr)
}

func (o *Oracle) undefined(a uint64) bool {
	for _, s := range o.any {
		if a >= s.lo && a <= s.hi {
			return true
		}
	}
	return false
}
