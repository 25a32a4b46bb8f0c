package oracle

import (
	"github.com/millrace-hdl/millrace/tb/job"
	"github.com/millrace-hdl/millrace/tb/mem"
)

// Place is where the bytes of one side of a transfer lie: byte k is at Addr+k of the
// store. A source without a store makes its bytes; what goes to a destination without one
// is gone.
//
// A stream is a store too: what it gives or takes lies there from address 0 up.
type Place struct {
	Store *mem.Store
	Addr  uint64
	Make  func(k uint64) byte // called for ascending k
}

// Ends is the two sides of a transfer.
type Ends struct{ Src, Dst Place }

// byte is byte k of a source.
func (p *Place) byte(from *mem.Store, k uint64) byte {
	if p.Make != nil {
		return p.Make(k)
	}
	return from.Byte(p.Addr + k)
}

// space is a memory that is written.
type space struct {
	got, want *mem.Store
	vague     vague
}

// space is that of a store, or nil if nothing is written there.
func (o *Oracle) space(s *mem.Store) *space {
	for _, sp := range o.spaces {
		if sp.got == s {
			return sp
		}
	}
	return nil
}

// Stores are the memories that are written, in the order in which transfers name them.
func (o *Oracle) Stores() []*mem.Store {
	var all []*mem.Store
	for _, sp := range o.spaces {
		all = append(all, sp.got)
	}
	return all
}

// between is the ends of transfers from one memory to another.
func between(list *job.List, from, to *mem.Store) []Ends {
	ends := make([]Ends, len(list.Jobs))
	for i := range list.Jobs {
		j := &list.Jobs[i]
		ends[i] = Ends{Place{Store: from, Addr: j.Src.Addr}, Place{Store: to, Addr: j.Dst.Addr}}
	}
	return ends
}

// Generated is the bytes of Init as a source, by mode and value: 32-bit words, the lowest
// byte first, of the value again and again (0), counting up from it (1), or of a shift
// register that begins with it, or with 1 if it is 0 (2).
func Generated(mode uint8, value uint64) func(k uint64) byte {
	word, at := uint32(value), uint64(0)
	if mode == 2 && word == 0 {
		word = 1
	}
	return func(k uint64) byte {
		for ; at < k/4; at++ {
			switch mode {
			case 1:
				word++
			case 2:
				word ^= word << 13
				word ^= word >> 17
				word ^= word << 5
			}
		}
		return byte(word >> (k % 4 * 8))
	}
}
