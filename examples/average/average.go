// Package average is an example of a module of one's own: a moving average over a
// stream of samples, with a bench in average_test.go that runs it on the Go model
// and in lockstep with its RTL.
package average

import (
	"fmt"
	"math/bits"

	"github.com/millrace-hdl/millrace/hdl"
)

// Params choose a variant of [Average].
type Params struct {
	Width int // bits of a sample, 1 to 64
	Taps  int // samples in the window, a power of two from 2 to 64
}

// Validate names the field that is out of range.
func (p Params) Validate() error {
	if p.Width < 1 || p.Width > 64 {
		return fmt.Errorf("parameter Width is %d; the range is 1 to 64", p.Width)
	}
	if p.Taps < 2 || p.Taps > 64 || p.Taps&(p.Taps-1) != 0 {
		return fmt.Errorf("parameter Taps is %d; it must be a power of two from 2 to 64", p.Taps)
	}
	return nil
}

// Sample is the payload of the streams.
type Sample struct{ Data hdl.Var }

// IO is the interface of [Average].
type IO struct {
	In  hdl.Stream[Sample] `hdl:"in"`
	Out hdl.Stream[Sample]
}

// Average answers each sample with the mean, rounded down, of it and the Taps−1
// samples before it, where those before the first are zero. An answer is offered
// in the cycle after its sample was accepted, and samples are accepted in every
// cycle unless an answer waits.
func Average(m *hdl.Module, p Params) IO {
	m.Doc(fmt.Sprintf("Moving average of %d samples of %d bits.", p.Taps, p.Width))
	samples := hdl.StreamOf(Sample{hdl.U(p.Width)})
	io := hdl.Ports(m, "", hdl.Source, IO{In: samples, Out: samples})

	shift := bits.TrailingZeros(uint(p.Taps))
	sum := m.Reg("sum_q", hdl.U(p.Width+shift), hdl.Doc("The sum of the window."))
	waiting := m.Reg("waiting_q", hdl.Bool(), hdl.Doc("An answer is offered."))
	window := make([]hdl.Var, p.Taps)
	for i := range window {
		window[i] = m.Reg(fmt.Sprintf("window_%d_q", i), hdl.U(p.Width))
	}

	io.In.Ready.Set(waiting.Not().Or(io.Out.Ready))
	io.Out.Valid.Set(waiting)
	io.Out.Data.Data.Set(sum.Bits(sum.Width()-1, shift))

	oldest := window[p.Taps-1]
	m.If(io.In.Fire(), func() {
		m.Note("The newest sample enters the window, and the oldest leaves it.")
		sum.Set(sum.Add(io.In.Data.Data.Ext(sum.Width())).Sub(oldest.Ext(sum.Width())))
		window[0].Set(io.In.Data.Data)
		for i := 1; i < p.Taps; i++ {
			window[i].Set(window[i-1])
		}
		waiting.Set(hdl.K(1))
	}).ElseIf(io.Out.Ready, func() { waiting.Set(hdl.K(0)) })
	return io
}
