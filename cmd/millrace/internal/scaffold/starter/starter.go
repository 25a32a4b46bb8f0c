// Package starter is a block to start from: a stream of values, each shifted left
// and clamped where the result no longer fits.
package starter

import (
	"fmt"

	"github.com/millrace-hdl/millrace/hdl"
)

// Params choose a variant of [Starter].
type Params struct {
	Width int // bits of a value, 2 to 64
	Shift int // bits to shift by, 1 to Width−1
}

// Validate names the field that is out of range.
func (p Params) Validate() error {
	if p.Width < 2 || p.Width > 64 {
		return fmt.Errorf("parameter Width is %d; the range is 2 to 64", p.Width)
	}
	if p.Shift < 1 || p.Shift >= p.Width {
		return fmt.Errorf("parameter Shift is %d; the range is 1 to %d, one less than Width", p.Shift, p.Width-1)
	}
	return nil
}

// Suffix tells the variants apart where one is instantiated.
func (p Params) Suffix() string { return fmt.Sprintf("w%d_s%d", p.Width, p.Shift) }

// IO is the interface of [Starter].
type IO struct {
	In  hdl.Stream[hdl.Var] `hdl:"in"`
	Out hdl.Stream[hdl.Var]
}

// Starter multiplies each value of a stream by 2^Shift. Where the product does not
// fit, the answer is the largest value. An answer is offered in the cycle after its
// value was accepted, and a value is accepted in every cycle unless an answer waits.
func Starter(m *hdl.Module, p Params) IO {
	m.Doc(fmt.Sprintf("Multiplies each value of a stream by %d, and clamps.", uint64(1)<<p.Shift))
	values := hdl.StreamOf(hdl.U(p.Width))
	io := hdl.Ports(m, "", hdl.Source, IO{In: values, Out: values})

	lost := io.In.Data.Bits(p.Width-1, p.Width-p.Shift)
	scaled := hdl.Mux(lost.Any(), hdl.Ones(p.Width), io.In.Data.Shl(hdl.K(p.Shift)))

	full := m.Reg("full_q", hdl.Bool(), hdl.Doc("An answer is offered."))
	answer := m.Reg("answer_q", hdl.U(p.Width))
	io.In.Ready.Set(full.Not().Or(io.Out.Ready))
	io.Out.Valid.Set(full)
	io.Out.Data.Set(answer)

	m.If(io.In.Fire(), func() {
		full.Set(hdl.K(1))
		answer.Set(scaled)
	}).ElseIf(io.Out.Ready, func() {
		m.Note("The answer is gone, and nothing follows it.")
		full.Set(hdl.K(0))
	})
	return io
}
