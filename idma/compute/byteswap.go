package compute

import (
	"github.com/millrace-hdl/millrace/hdl"
	"github.com/millrace-hdl/millrace/hdl/lib"
)

// ByteSwap reverses the bytes of each element, and so changes its byte order. The mode is the
// logarithm of the bytes of an element, 0 to 3; M and N have no meaning. A word leaves one
// cycle after it came, and one moves every cycle.
type ByteSwap struct{}

// Name implements [Op].
func (ByteSwap) Name() string { return "byte_swap" }

// Code implements [Op].
func (ByteSwap) Code() int { return CodeByteSwap }

// Validate implements [Op]: all widths are allowed.
func (ByteSwap) Validate(int) error { return nil }

// NeedsDstLength implements [Op].
func (ByteSwap) NeedsDstLength() bool { return false }

// OutLength implements [Op]: as many bytes as are read.
func (ByteSwap) OutLength(t Transfer) hdl.Signal { return t.Length }

// Violated implements [Op]: an element does not fit into a bus word, or the length is not a
// whole number of elements.
func (ByteSwap) Violated(t Transfer, dataWidth int) hdl.Signal {
	var wrong []hdl.Signal
	for mode := 1; mode < 4; mode++ {
		is := t.Options.Mode.Eq(hdl.K(mode))
		if 8<<mode > dataWidth {
			wrong = append(wrong, is)
			continue
		}
		wrong = append(wrong, is.And(t.Length.Bits(mode-1, 0).Any()))
	}
	return hdl.AnyOf(wrong...)
}

// Describe implements [Op].
func (ByteSwap) Describe(m *hdl.Module, dataWidth int) Unit {
	m.Doc("Reverses the bytes of elements of 1, 2, 4 or 8 bytes.")
	io := UnitPorts(m, dataWidth)
	data := io.In.Data.Data.Signal
	var swapped []hdl.Signal
	for mode := range 4 {
		if 8<<mode > dataWidth {
			swapped = append(swapped, data) // refused before it comes here
			continue
		}
		parts := make([]hdl.Value, dataWidth/8)
		for i := range parts {
			from := i ^ (1<<mode - 1)
			parts[len(parts)-1-i] = data.Bits(8*from+7, 8*from)
		}
		swapped = append(swapped, hdl.Cat(parts...))
	}
	words := io.In
	words.Data.Data = hdl.V(m.Let("swapped", hdl.Select(io.Options.Mode, swapped...)))
	hdl.Connect(io.Out, lib.CutStream(m, "cut", lib.CutBoth, words))
	return io
}
