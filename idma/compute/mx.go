package compute

import (
	"fmt"

	"github.com/millrace-hdl/millrace/hdl"
)

// MXQuantise makes MX blocks of 33 bytes of each 32 numbers (specification §2.7,
// docs/compute-formats.md). The length is a multiple of that of 32 numbers; bit 0 of the
// mode selects the elements, [MXModeE5M2] or [MXModeE4M3].
type MXQuantise struct {
	From        Float
	SignedScale bool // scales are in two's complement, as in the public RTL, not E8M0
}

// MXDequantise makes 32 numbers of each MX block of 33 bytes. The length is a multiple of
// 33; the rest is as in [MXQuantise].
type MXDequantise struct {
	To          Float
	SignedScale bool
}

// Name is mx_quantise_fp32 or the like, with _signed for such scales.
func (o MXQuantise) Name() string { return mxName("mx_quantise", o.From, o.SignedScale) }

// Name is mx_dequantise_fp32 or the like, with _signed for such scales.
func (o MXDequantise) Name() string { return mxName("mx_dequantise", o.To, o.SignedScale) }

func mxName(what string, f Float, signed bool) string {
	what += "_" + f.String()
	if signed {
		what += "_signed"
	}
	return what
}

// Code implements [Op].
func (o MXQuantise) Code() int {
	return map[Float]int{FP32: CodeMXQuantiseFP32, FP16: CodeMXQuantiseFP16}[o.From]
}

// Code implements [Op].
func (o MXDequantise) Code() int {
	return map[Float]int{FP32: CodeMXDequantiseFP32, FP16: CodeMXDequantiseFP16}[o.To]
}

// Validate implements [Op]: all widths are allowed.
func (o MXQuantise) Validate(int) error { return o.From.validate("From") }

// Validate implements [Op]: all widths are allowed.
func (o MXDequantise) Validate(int) error { return o.To.validate("To") }

// NeedsDstLength implements [Op]: the length follows.
func (MXQuantise) NeedsDstLength() bool { return false }

// NeedsDstLength implements [Op]: the length follows.
func (MXDequantise) NeedsDstLength() bool { return false }

// OutLength implements [Op]: 33 bytes for each 32 numbers.
func (o MXQuantise) OutLength(t Transfer) hdl.Signal {
	w, log := t.Length.Width(), o.From.blockLog()
	blocks := t.Length.Shr(hdl.Const(3, uint64(log)))
	return blocks.Add(blocks.Shl(hdl.Const(3, 5))).Trunc(w)
}

// Violated implements [Op]: the length is no multiple of that of 32 numbers.
func (o MXQuantise) Violated(t Transfer, _ int) hdl.Signal {
	return t.Length.Bits(o.From.blockLog()-1, 0).Any()
}

// OutLength implements [Op]: 32 numbers for each 33 bytes.
func (o MXDequantise) OutLength(t Transfer) hdl.Signal {
	return mxBlocks(t.Length).Shl(hdl.Const(3, uint64(o.To.blockLog())))
}

// Violated implements [Op]: the length is no multiple of 33, or the numbers are more bytes
// than a length can say.
func (o MXDequantise) Violated(t Transfer, _ int) hdl.Signal {
	// The quotient modulo 2^w of a length that is no multiple is larger than any of one that
	// is: where it leaves room for a block's numbers, 33 times it is less than 2^w.
	w := t.Length.Width()
	return mxBlocks(t.Length).Bits(w-1, w-o.To.blockLog()).Any()
}

// mxBlocks is the length divided by 33, modulo 2 to its width: the length times the
// inverse of 33, which is (1 − 2⁵)(1 + 2¹⁰)(1 + 2²⁰)(1 + 2⁴⁰) there. It is the number of
// blocks where the length is one of whole blocks.
func mxBlocks(length hdl.Signal) hdl.Signal {
	times := func(k int) hdl.Signal { return length.Shl(hdl.Const(6, uint64(k))) }
	length = length.Sub(times(5))
	for k := 10; k < length.Width(); k *= 2 {
		length = length.Add(times(k))
	}
	return length
}

// Describe implements [Op].
func (o MXQuantise) Describe(m *hdl.Module, dataWidth int) Unit {
	return mxQuantise(m, mxParams{dataWidth, o.From, o.SignedScale})
}

// Describe implements [Op].
func (o MXDequantise) Describe(m *hdl.Module, dataWidth int) Unit {
	return mxDequantise(m, mxParams{dataWidth, o.To, o.SignedScale})
}

func (f Float) validate(field string) error {
	if int(f) < len(floatNames) {
		return nil
	}
	return fmt.Errorf("%s is %d; allowed: compute.FP32 and compute.FP16", field, f)
}
