package compute

import (
	"fmt"
	"math/bits"
	"slices"
	"strings"

	"github.com/millrace-hdl/millrace/hdl"
)

// Float is a format of uncompressed numbers, little-endian in memory.
type Float uint8

const (
	FP32 Float = iota // IEEE 754 binary32
	FP16              // IEEE 754 binary16
)

var floatNames = []string{"fp32", "fp16"}

// String is fp32 or fp16.
func (f Float) String() string {
	if int(f) >= len(floatNames) {
		return fmt.Sprintf("Float(%d)", uint8(f))
	}
	return floatNames[f]
}

// MarshalText is [Float.String].
func (f Float) MarshalText() ([]byte, error) { return []byte(f.String()), nil }

// UnmarshalText is the inverse of [Float.MarshalText].
func (f *Float) UnmarshalText(b []byte) error {
	i := slices.Index(floatNames, string(b))
	if i < 0 {
		return fmt.Errorf("%q is no format of numbers; choose from %s", b, strings.Join(floatNames, " and "))
	}
	*f = Float(i)
	return nil
}

// bytes is the size of a number.
func (f Float) bytes() int {
	if f == FP16 {
		return 2
	}
	return 4
}

// blockLog is the logarithm of the bytes of 32 numbers.
func (f Float) blockLog() int { return bits.TrailingZeros(uint(mxElements * f.bytes())) }

// Values of Options.Mode of the MX operations: the format of the elements. Only bit 0
// counts.
const (
	MXModeE5M2 = 0
	MXModeE4M3 = 1
)

// An MX block (specification §2.7): a scale byte, then its elements, one byte each.
const (
	mxElements   = 32
	mxBlockBytes = 1 + mxElements
)

// minifloat is what the conversions know of an element format.
type minifloat struct {
	bias    int
	emax    int // exponent of the largest finite number
	largest int // code of that number, without sign
	nan     int // code of the NaN that is made, without sign
}

// The element formats of OCP OFP8, by mode.
var (
	e5m2 = minifloat{bias: 15, emax: 15, largest: 0x7b, nan: 0x7d}
	e4m3 = minifloat{bias: 7, emax: 8, largest: 0x7e, nan: 0x7f}
)

// byMode is a constant of the format that the mode bit names, as a vector of w bits in
// two's complement.
func byMode(e4m3Mode hdl.Value, w, ofE5M2, ofE4M3 int) hdl.Signal {
	k := func(v int) hdl.Signal { return hdl.Const(w, uint64(v)&(1<<w-1)) }
	return hdl.Mux(e4m3Mode, k(ofE4M3), k(ofE5M2))
}

// mxParams are the parameters of a unit of an MX operation.
type mxParams struct {
	DataWidth   int
	Float       Float
	SignedScale bool
}

func (p mxParams) Suffix() string {
	s := fmt.Sprintf("%s_%d", p.Float, p.DataWidth)
	if p.SignedScale {
		s += "_signed"
	}
	return s
}

// What a unit works on in a cycle is a step: the numbers of a bus word, or one number
// of several bus words.

// lanes is the bytes of a bus word.
func (p mxParams) lanes() int { return p.DataWidth / 8 }

// words is the bus words of a step.
func (p mxParams) words() int { return max(1, p.Float.bytes()/p.lanes()) }

// numbers is the numbers of a step.
func (p mxParams) numbers() int { return max(1, p.lanes()/p.Float.bytes()) }

// steps is the steps of a block.
func (p mxParams) steps() int { return max(1, mxElements/p.numbers()) }

// blocks is the blocks of a step that has whole ones.
func (p mxParams) blocks() int { return max(1, p.numbers()/mxElements) }

// chunk is the most compressed bytes of a step: its elements and the scales of the
// blocks that begin in it.
func (p mxParams) chunk() int { return p.numbers() + p.blocks() }
