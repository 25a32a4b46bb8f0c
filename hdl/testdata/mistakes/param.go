package mistakes

import (
	"fmt"

	"github.com/millrace-hdl/millrace/hdl"
)

// Size are the parameters of [Ring].
type Size struct{ Depth int }

// Validate wants a power of two.
func (s Size) Validate() error {
	if s.Depth < 2 || s.Depth&(s.Depth-1) != 0 {
		return fmt.Errorf("parameter Depth is %d; it must be a power of two, at least 2", s.Depth)
	}
	return nil
}

// RingIO is the interface of [Ring].
type RingIO struct {
	Place hdl.Var
}

// Ring runs through the places of a ring buffer.
func Ring(m *hdl.Module, p Size) RingIO {
	io := hdl.Ports(m, "", hdl.Source, RingIO{Place: hdl.U(hdl.AddrBits(p.Depth))})
	place := m.Reg("place_q", hdl.U(hdl.AddrBits(p.Depth)))
	place.Set(place.Add(hdl.K(1)))
	io.Place.Set(place)
	return io
}

// Carousel has a ring with a depth that the ring refuses.
func Carousel(m *hdl.Module, _ none) RingIO {
	io := hdl.Ports(m, "", hdl.Source, RingIO{Place: hdl.U(2)})
	ring := hdl.Inst(m, "ring", Ring, Size{Depth: 3}) // mistake
	io.Place.Set(ring.Place)
	return io
}
