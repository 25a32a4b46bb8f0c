package tb

import (
	"math/rand/v2"

	"github.com/millrace-hdl/millrace/tb/job"
)

// ErrorConfig describes random bus errors.
type ErrorConfig struct {
	Bytes   int // data bus width in bytes
	Percent int // of the transfers that have some
	Most    int // errors of one transfer
	Actions []job.Action
}

// AddErrors gives transfers of a list random errors, of reads and of writes, at most
// one for each bus word. Words read next to each other have errors only where source
// and destination are aligned to the bus, so that each is told of by itself. A transfer
// that overlaps itself has no write errors, since it could not be replayed, and one from or
// to a stream has none at all.
func AddErrors(seed uint64, list *job.List, c ErrorConfig) {
	rng := rand.New(rand.NewPCG(seed, 0x65727273))
	bus := uint64(c.Bytes)
	for i := range list.Jobs {
		j := &list.Jobs[i]
		if j.Refused() || !chance(rng, c.Percent) || j.Src.Protocol == job.AXI4Stream || j.Dst.Protocol == job.AXI4Stream {
			continue
		}
		apart := uint64(2)
		if (j.Src.Addr|j.Dst.Addr)%bus == 0 {
			apart = 1
		}
		for range 1 + rng.IntN(c.Most) {
			e := job.BusError{Write: flip(rng), Action: c.Actions[rng.IntN(len(c.Actions))], Addr: j.Src.Addr}
			if e.Write {
				e.Addr = j.Dst.Addr
			}
			e.Addr += rng.Uint64N(j.Length)
			if e.Write && j.Overlaps() || !errorSide(j, e).Memory() {
				continue // it cannot be replayed, or cannot fail
			}
			if farFrom(j.Errors, e, bus, apart) {
				j.Errors = append(j.Errors, e)
			}
		}
	}
}

// farFrom reports whether an error is so many bus words away from all others.
func farFrom(es []job.BusError, e job.BusError, bus, apart uint64) bool {
	for _, o := range es {
		a, b := max(o.Addr/bus, e.Addr/bus), min(o.Addr/bus, e.Addr/bus)
		if o.Write == e.Write && a-b < apart {
			return false
		}
	}
	return true
}
