package lib

import (
	"fmt"

	"github.com/millrace-hdl/millrace/hdl"
)

// lfsrTerms are, for widths from 2 up, the terms between x^width and 1 of a primitive
// polynomial: of those with fewest terms the one whose highest exponents are least.
var lfsrTerms = [...][]int{
	{1}, {1}, {1}, {2}, {1}, {1}, {4, 3, 2}, // 2 to 8
	{4}, {3}, {2}, {6, 4, 1}, {4, 3, 1}, {5, 3, 1}, {1}, {5, 3, 2}, // 9 to 16
	{3}, {7}, {5, 2, 1}, {3}, {2}, {1}, {5}, {4, 3, 1}, // 17 to 24
	{3}, {6, 2, 1}, {5, 2, 1}, {3}, {2}, {6, 4, 1}, {3}, {7, 6, 2}, // 25 to 32
	{13}, {8, 4, 3}, {2}, {11}, {6, 4, 1}, {6, 5, 1}, {4}, {5, 4, 3}, // 33 to 40
	{3}, {7, 4, 3}, {6, 4, 3}, {6, 5, 2}, {4, 3, 1}, {8, 7, 6}, {5}, {9, 7, 4}, // 41 to 48
	{9}, {4, 3, 2}, {6, 3, 1}, {3}, {6, 2, 1}, {8, 6, 3}, {24}, {7, 4, 2}, // 49 to 56
	{7}, {19}, {7, 4, 2}, {1}, {5, 2, 1}, {6, 5, 3}, {1}, {4, 3, 1}, // 57 to 64
}

// LFSRPoly is the primitive polynomial of a [LFSR] of 2 to 64 bits without its highest
// term: bit i stands for x^i. For other widths it is 0.
func LFSRPoly(width int) uint64 {
	if width < 2 || width > 64 {
		return 0
	}
	poly := uint64(1)
	for _, i := range lfsrTerms[width-2] {
		poly |= 1 << i
	}
	return poly
}

// LFSRParams are the parameters of [LFSR].
type LFSRParams struct {
	Width int // bits of the state, 2 to 64
	// Galois multiplies the state by x modulo the polynomial, which needs one XOR per
	// term side by side; else, as Fibonacci's, the XOR of some bits enters at the bottom.
	Galois bool
	Steps  int    // of the sequence in each cycle, 1 to 64; 0 stands for 1
	Seed   uint64 // the state after reset; 0, from which nothing follows, stands for 1
}

// Validate requires a width and a number of steps in range and a seed that fits.
func (p LFSRParams) Validate() error {
	switch {
	case p.Width < 2 || p.Width > 64:
		return fmt.Errorf("LFSR of Width %d: it must be 2 to 64", p.Width)
	case p.Steps < 0 || p.Steps > 64:
		return fmt.Errorf("LFSR of %d Steps: they must be 1 to 64, or 0 for 1", p.Steps)
	case p.Seed > ones(p.Width):
		return fmt.Errorf("LFSR of Width %d with Seed %#x: it must be at most %#x", p.Width, p.Seed, ones(p.Width))
	}
	return nil
}

// Suffix names the variant.
func (p LFSRParams) Suffix() string {
	s := fmt.Sprint(p.Width)
	if p.Galois {
		s += "_galois"
	}
	if p.Steps > 1 {
		s += fmt.Sprintf("_by%d", p.Steps)
	}
	if p.Seed > 1 {
		s += fmt.Sprintf("_s%x", p.Seed)
	}
	return s
}

// LFSRIO is the interface of [LFSR].
type LFSRIO struct {
	En    hdl.Var `hdl:"in"` // go on
	Load  hdl.Var `hdl:"in"` // take Seed; it goes before En
	Seed  hdl.Var `hdl:"in"` // 0 is replaced by 1
	State hdl.Var
}

// LFSR is a linear feedback shift register of maximal length: one step after the
// other its state takes every value but zero, in 2^Width-1 steps. With En it goes on
// by Steps steps, in one level of XORs of up to Width bits. It never gets to zero.
//
// As Fibonacci's, the state moves up by one place in a step, so its bits from the top
// down are the next Width bits of the sequence; as Galois' they are less alike from
// one step to the next, and the top bit is that sequence.
func LFSR(m *hdl.Module, p LFSRParams) LFSRIO {
	m.Doc(fmt.Sprintf("Linear feedback shift register of the polynomial x^%d + %#x.", p.Width, LFSRPoly(p.Width)))
	t := hdl.U(p.Width)
	io := hdl.Ports(m, "", hdl.Source, LFSRIO{En: hdl.Bool(), Load: hdl.Bool(), Seed: t, State: t})
	state := m.Reg("state_q", t, hdl.InitTo(hdl.Const(p.Width, max(p.Seed, 1))))
	io.State.Set(state)
	m.If(io.Load, func() { state.Set(hdl.Mux(io.Seed.Any(), io.Seed, hdl.K(1))) }).
		ElseIf(io.En, func() { state.Set(LFSRNext(state.Signal, p.Galois, p.Steps)) })
	m.Assert("never_zero", state.Any())
	return io
}

// LFSRNext is the state of a [LFSR] after a number of steps, at least 1; 0 stands for
// 1. The width of the state, 2 to 64, says which polynomial.
func LFSRNext(state hdl.Signal, galois bool, steps int) hdl.Signal {
	p := LFSRParams{Width: state.Width(), Galois: galois, Steps: steps}
	if err := p.Validate(); err != nil {
		panic(err) // elaboration reports it
	}
	x := inputBits(0, p.Width)
	for range max(steps, 1) {
		x = p.step(x)
	}
	return x.of(state)
}

// step is one step.
func (p LFSRParams) step(x xors) xors {
	poly, top := LFSRPoly(p.Width), x[p.Width-1]
	next := append(xors{top}, x[:p.Width-1]...)
	for i := 1; i < p.Width; i++ {
		switch {
		case poly>>i&1 == 0:
		case p.Galois:
			next[i] = add(next[i], top)
		default:
			next[0] = add(next[0], x[p.Width-1-i])
		}
	}
	return next
}
