package compute

import (
	"github.com/millrace-hdl/millrace/hdl"
	"github.com/millrace-hdl/millrace/hdl/lib"
)

// FillMask combines the bytes with a pattern of two: M[7:0] for bytes 0, 2, … of the transfer
// and N[7:0] for bytes 1, 3, …; the other bits of M and N have no meaning. Mode 0 writes the
// pattern in place of the bytes, 1 their AND with it, 2 their OR, 3 their exclusive OR. A
// word leaves one cycle after it came, and one moves every cycle.
type FillMask struct{}

// Name implements [Op].
func (FillMask) Name() string { return "fill_mask" }

// Code implements [Op].
func (FillMask) Code() int { return CodeFillMask }

// Validate implements [Op]: all widths are allowed.
func (FillMask) Validate(int) error { return nil }

// NeedsDstLength implements [Op].
func (FillMask) NeedsDstLength() bool { return false }

// OutLength implements [Op]: as many bytes as are read.
func (FillMask) OutLength(t Transfer) hdl.Signal { return t.Length }

// Violated implements [Op]: every transfer has a meaning.
func (FillMask) Violated(Transfer, int) hdl.Signal { return hdl.Const(1, 0) }

// Describe implements [Op].
func (FillMask) Describe(m *hdl.Module, dataWidth int) Unit {
	m.Doc("Replaces bytes by a pattern of two bytes, or combines them with it.")
	io := UnitPorts(m, dataWidth)
	data, opt := io.In.Data.Data.Signal, io.Options
	var parts []hdl.Value
	for range dataWidth / 16 {
		parts = append(parts, opt.N.Bits(7, 0), opt.M.Bits(7, 0))
	}
	pattern := m.Let("pattern", hdl.Cat(parts...))
	words := io.In
	words.Data.Data = hdl.V(m.Let("combined",
		hdl.Select(opt.Mode, pattern, data.And(pattern), data.Or(pattern), data.Xor(pattern))))
	hdl.Connect(io.Out, lib.CutStream(m, "cut", lib.CutBoth, words))
	return io
}
