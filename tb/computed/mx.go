package computed

import (
	"encoding/binary"
	"math"
	"sort"
)

// The oracle of the MX formats says with real numbers what specification §2.7 and the
// OCP formats say, where the unit works on bits: an element is the value of the format
// that lies nearest, found by searching all its values.

// mxFormat is an element format: the values of its codes without sign, in order.
type mxFormat struct {
	values   []float64 // of the codes from 0 up, all finite
	emax     int       // exponent of the largest finite value
	nan      byte      // what NaN becomes
	infinity bool      // the code after the last value is infinity
}

func newMXFormat(expBits, manBits, bias, codes, emax int, nan byte, infinity bool) mxFormat {
	f := mxFormat{emax: emax, nan: nan, infinity: infinity}
	for c := range codes {
		exp, man := c>>manBits, float64(c&(1<<manBits-1))/float64(int(1)<<manBits)
		if exp == 0 {
			f.values = append(f.values, math.Ldexp(man, 1-bias))
		} else {
			f.values = append(f.values, math.Ldexp(1+man, exp-bias))
		}
	}
	return f
}

var mxFormats = []mxFormat{
	newMXFormat(5, 2, 15, 0x7c, 15, 0x7d, true),
	newMXFormat(4, 3, 7, 0x7f, 8, 0x7f, false),
}

// nearest is the index of the value nearest to x ≥ 0, the even one of two; x beyond the
// last is the last.
func nearest(values []float64, x float64) int {
	hi := sort.SearchFloat64s(values, x)
	if hi == len(values) {
		return hi - 1
	}
	if hi == 0 || values[hi] == x {
		return hi
	}
	below, above := x-values[hi-1], values[hi]-x
	if below < above || below == above && hi%2 == 1 {
		return hi - 1
	}
	return hi
}

// mxScaleByte is the scale as it is stored.
func mxScaleByte(scale int, signed bool) byte {
	if signed {
		return byte(int8(max(scale, -128)))
	}
	return byte(max(scale, -127) + 127)
}

func mxScaleOf(b byte, signed bool) (scale int, nan bool) {
	if signed {
		return int(int8(b)), false
	}
	return int(b) - 127, b == 0xff
}

// mxValue is the magnitude of an FP32 as it is quantised: a subnormal number counts as
// if it had an implicit one.
func mxValue(bits uint32) float64 {
	exp, man := int(bits>>23&0xff), float64(bits&0x7fffff)/(1<<23)
	if exp == 0 && man == 0 {
		return 0
	}
	return math.Ldexp(1+man, exp-127)
}

// mxQuantiseBlock is the 33 bytes of 32 FP32 numbers.
func mxQuantiseBlock(f mxFormat, signed bool, in []uint32) []byte {
	top := 0
	for _, x := range in {
		if e := int(x >> 23 & 0xff); e != 0xff {
			top = max(top, e)
		}
	}
	stored := mxScaleByte(top-127-f.emax, signed)
	scale, _ := mxScaleOf(stored, signed)
	out := []byte{stored}
	for _, x := range in {
		var code byte
		switch y := math.Float32frombits(x); {
		case math.IsNaN(float64(y)):
			code = f.nan
		case math.IsInf(float64(y), 0):
			code = byte(len(f.values) - 1)
		default:
			code = byte(nearest(f.values, math.Ldexp(mxValue(x), -scale)))
		}
		out = append(out, byte(x>>31)<<7|code)
	}
	return out
}

// mxDequantise is one element as FP32.
func mxDequantise(f mxFormat, signed bool, scaleByte, code byte) uint32 {
	scale, nan := mxScaleOf(scaleByte, signed)
	sign, c := uint32(code>>7)<<31, int(code&0x7f)
	if nan {
		return 0x7fc00000
	}
	if c >= len(f.values) {
		if f.infinity && c == len(f.values) {
			return sign | 0x7f800000
		}
		return 0x7fc00000
	}
	v := math.Ldexp(f.values[c], scale)
	switch {
	case v == 0 || v < math.Ldexp(1, -126):
		return sign
	case v >= math.Ldexp(1, 128):
		return sign | 0x7f7fffff
	}
	return sign | math.Float32bits(float32(v))
}

// fp16Values are the finite magnitudes of FP16.
var fp16Values = newMXFormat(5, 10, 15, 0x7c00, 15, 0, true).values

// FP16 narrows what [MX.Number] gives.
func FP16(x uint32) uint16 {
	sign, y := uint16(x>>31)<<15, math.Abs(float64(math.Float32frombits(x)))
	switch {
	case math.IsNaN(y):
		return 0x7e00
	case y >= 65520: // halfway between the largest finite number and the one that would follow
		return sign | 0x7c00
	}
	return sign | uint16(nearest(fp16Values, y))
}

// fp32Of widens an FP16.
func fp32Of(h uint16) uint32 {
	sign, c := uint32(h>>15)<<31, h&0x7fff
	if c >= 0x7c00 {
		return sign | 0x7f800000 | uint32(c&0x3ff)<<13
	}
	return sign | math.Float32bits(float32(fp16Values[c]))
}

// MX is a way of making blocks of numbers.
type MX struct {
	E4M3        bool // elements; else E5M2
	SignedScale bool // scales in two's complement; else E8M0
	Half        bool // numbers of FP16; else FP32
}

func (x MX) format() mxFormat {
	if x.E4M3 {
		return mxFormats[1]
	}
	return mxFormats[0]
}

// Quantise is the blocks of 33 bytes that numbers become; they are a multiple of 32.
func (x MX) Quantise(in []byte) (out []byte) {
	size := 4
	if x.Half {
		size = 2
	}
	for ; len(in) > 0; in = in[32*size:] {
		block := make([]uint32, 32)
		for i := range block {
			if x.Half {
				block[i] = fp32Of(binary.LittleEndian.Uint16(in[2*i:]))
			} else {
				block[i] = binary.LittleEndian.Uint32(in[4*i:])
			}
		}
		out = append(out, mxQuantiseBlock(x.format(), x.SignedScale, block)...)
	}
	return out
}

// Number is one element as FP32.
func (x MX) Number(scale, code byte) uint32 {
	return mxDequantise(x.format(), x.SignedScale, scale, code)
}

// Dequantise is the numbers that whole blocks become.
func (x MX) Dequantise(in []byte) (out []byte) {
	for ; len(in) > 0; in = in[33:] {
		for _, code := range in[1:33] {
			number := x.Number(in[0], code)
			if x.Half {
				out = binary.LittleEndian.AppendUint16(out, FP16(number))
			} else {
				out = binary.LittleEndian.AppendUint32(out, number)
			}
		}
	}
	return out
}
