package oracle

import "github.com/millrace-hdl/millrace/tb/job"

// Outcome is what was reported of a transfer, and what was asked for, before it ended.
type Outcome struct {
	// Reads are the addresses of read errors that the transfer went on with, and
	// Writes those of write errors that may have kept bytes of a burst from memory.
	Reads, Writes []uint64
	// Aborted: nothing was to be written any more after an error at Address.
	Aborted      bool
	AbortedWrite bool // it was a write error
	Address      uint64
	// Repeated: bytes may have been written again, with the same values.
	Repeated bool
}

// End is transfer i ending as told. Transfers end in order.
//
// After an abort the bytes before the bus word that holds the error's first byte are
// written and those from there on are not. An engine that turns data twice may stop a
// bus word earlier. Of a write burst with an error it is open what was stored.
func (o *Oracle) End(i int, out Outcome) {
	j := &o.list.Jobs[i]
	if j.Refused() {
		return
	}
	bus := uint64(o.opt.Bytes)
	stop, sure := j.Length, j.Length // bytes from stop on are not written, those before sure are
	if out.Aborted && !out.AbortedWrite {
		stop = at(out.Address&^(bus-1), j.Src.Addr) // first byte of the word read
		stop = at((j.Dst.Addr+stop)&^(bus-1), j.Dst.Addr)
		sure = stop - min(stop, bus)
		if out.Repeated {
			stop = j.Length // an attempt before may have written more
		}
	}
	open := map[uint64]bool{} // bus words read with an error
	for _, a := range out.Reads {
		open[a&^(bus-1)] = true
	}
	fails := o.bursts(j, out)
	o.copy(i, stop, func(k uint64) (bool, bool) {
		unsure := k >= sure || fails(j.Dst.Addr+k)
		return unsure || open[(j.Src.Addr+k)&^(bus-1)], unsure
	})
	if to := o.space(o.ends[i].Dst.Store); to != nil && out.Repeated {
		for k := range stop {
			to.vague.more[o.ends[i].Dst.Addr+k] = true
		}
	}
}

// at is how far a lies behind base, 0 if it lies before it.
func at(a, base uint64) uint64 { return a - min(a, base) }

// bursts reports whether a byte may belong to a write burst that failed, or, after the
// abort of one, to a burst that was given up.
func (o *Oracle) bursts(j *job.Job, out Outcome) func(dst uint64) bool {
	most := uint64(j.Dst.MaxBeats*o.opt.Bytes) - 1
	type span struct{ lo, hi uint64 }
	var spans []span
	for _, a := range out.Writes {
		lo, hi := a&^4095, a|4095
		spans = append(spans, span{max(lo, a-min(a, most)), min(hi, a+min(^uint64(0)-a, most))})
	}
	if out.AbortedWrite {
		spans = append(spans, span{max(out.Address&^4095, out.Address-min(out.Address, most)), ^uint64(0)})
	}
	return func(dst uint64) bool {
		for _, s := range spans {
			if dst >= s.lo && dst <= s.hi {
				return true
			}
		}
		return false
	}
}
