package mem

import "github.com/millrace-hdl/millrace/bus/axi4"

// Fault makes the subordinate answer with an error where addresses are touched.
type Fault struct {
	Write    bool   // writes, else reads
	Lo, Hi   uint64 // first and last address, bytes
	Resp     axi4.Resp
	Once     bool // only the first beat or burst that touches it
	consumed bool
}

// faults is the faults of one direction.
type faults []Fault

// hit is the answer for bytes lo…hi.
func (fs faults) hit(lo, hi uint64) axi4.Resp {
	for i := range fs {
		f := &fs[i]
		if f.consumed || hi < f.Lo || lo > f.Hi {
			continue
		}
		f.consumed = f.Once
		return f.Resp
	}
	return axi4.Okay
}
