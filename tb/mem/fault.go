package mem

import (
	"slices"

	"github.com/millrace-hdl/millrace/bus/axi4"
)

// Fault makes the subordinate answer with an error where addresses are touched:
// on each R beat of which a byte lies in the range, and on each write burst that
// reaches into it, which then stores nothing. R data that come with an error are
// wrong.
type Fault struct {
	Write  bool   // writes, else reads
	Lo, Hi uint64 // first and last address, bytes
	Resp   axi4.Resp
}

// AddFault makes the subordinate fail there from now on. Bursts whose write request
// was accepted, and the read beat that is offered, stay as they are.
func (m *AXI4) AddFault(f Fault) {
	fs := m.faultsOf(f.Write)
	*fs = append(*fs, f)
}

// RemoveFault undoes one [AXI4.AddFault].
func (m *AXI4) RemoveFault(f Fault) {
	fs := m.faultsOf(f.Write)
	if i := slices.Index(*fs, f); i >= 0 {
		*fs = slices.Delete(*fs, i, i+1)
	}
}

func (m *AXI4) faultsOf(write bool) *faults {
	if write {
		return &m.writeFaults
	}
	return &m.readFaults
}

// faults is the faults of one direction.
type faults []Fault

// hit is the answer for bytes lo…hi.
func (fs faults) hit(lo, hi uint64) axi4.Resp {
	for i := range fs {
		f := &fs[i]
		if hi >= f.Lo && lo <= f.Hi {
			return f.Resp
		}
	}
	return axi4.Okay
}
