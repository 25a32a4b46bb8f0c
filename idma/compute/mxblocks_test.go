package compute_test

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/millrace-hdl/millrace/idma/compute"
	"github.com/millrace-hdl/millrace/tb/computed"
)

// Blocks of which the specification, or docs/compute-formats.md, gives every byte.
func TestMXSpecialBlocks(t *testing.T) {
	const inf, nan, sign = 0x7f800000, 0x7fc00000, 0x80000000
	fill := func(xs ...uint32) []uint32 { // the last one fills the block
		return append(xs, slices.Repeat(xs[len(xs)-1:], 32-len(xs))...)
	}
	codes := func(scale byte, cs ...byte) []byte {
		return append(append([]byte{scale}, cs...), slices.Repeat(cs[len(cs)-1:], 32-len(cs))...)
	}
	for _, c := range []struct {
		name                         string
		in                           []uint32
		e5m2, e5m2Sgn, e4m3, e4m3Sgn []byte
	}{
		{"zeros", fill(0), codes(0, 0), codes(0x80, 0), codes(0, 0), codes(0x80, 0)},
		{"negative zeros", fill(sign), codes(0, 0x80), codes(0x80, 0x80), codes(0, 0x80), codes(0x80, 0x80)},
		{"NaN", fill(nan), codes(0, 0x7d), codes(0x80, 0x7d), codes(0, 0x7f), codes(0x80, 0x7f)},
		{"negative NaN", fill(sign | nan | 1), codes(0, 0xfd), codes(0x80, 0xfd), codes(0, 0xff), codes(0x80, 0xff)},
		{"infinity", fill(inf), codes(0, 0x7b), codes(0x80, 0x7b), codes(0, 0x7e), codes(0x80, 0x7e)},
		{"negative infinity", fill(sign | inf), codes(0, 0xfb), codes(0x80, 0xfb), codes(0, 0xfe), codes(0x80, 0xfe)},
		{"NaN and infinity count not", fill(nan, inf, 0x3f800000, 0), codes(112, 0x7d, 0x7b, 0x78, 0), codes(0xf1, 0x7d, 0x7b, 0x78, 0), codes(119, 0x7f, 0x7e, 0x78, 0), codes(0xf8, 0x7f, 0x7e, 0x78, 0)},
		{"the largest number", fill(0x7f7fffff, 0xff7fffff, 0), codes(239, 0x7b, 0xfb, 0), codes(112, 0x7b, 0xfb, 0), codes(246, 0x7e, 0xfe, 0), codes(119, 0x7e, 0xfe, 0)},
		{"subnormal numbers count as with an implicit one", fill(1, 0x400000, 0), codes(0, 0x3c, 0x3e, 0), codes(0x80, 0x40, 0x42, 0), codes(0, 0x38, 0x3c, 0), codes(0x80, 0x40, 0x44, 0)},
	} {
		for _, f := range []struct {
			mode   uint64
			signed bool
			want   []byte
		}{{compute.MXModeE5M2, false, c.e5m2}, {compute.MXModeE5M2, true, c.e5m2Sgn}, {compute.MXModeE4M3, false, c.e4m3}, {compute.MXModeE4M3, true, c.e4m3Sgn}} {
			u := mxUnit{width: 64, float: compute.FP32, signed: f.signed}
			var in []byte
			for _, x := range c.in {
				in = binary.LittleEndian.AppendUint32(in, x)
			}
			require.Equal(t, f.want, computed.MX{E4M3: f.mode == 1, SignedScale: f.signed}.Quantise(in), "oracle: %s, mode %d, signed %t", c.name, f.mode, f.signed)
			b := newUnitBench(t, unitModel(t, u.design(t), 1), 8, 1)
			b.run(t, []unitTransfer{{mode: f.mode, in: in, want: f.want}}, fullPace)
		}
	}
}

// Numbers between elements become the nearest one, those halfway the even one; beyond the largest they become
// that, and so do those that rounding carries there. The first number makes the scale 1.
func TestMXRounding(t *testing.T) {
	for _, c := range []struct {
		mode  uint64
		of    []float32
		codes []byte
	}{
		{compute.MXModeE5M2,
			[]float32{0x1p15, 1.125, 1.375, 1.3125, 1.875, -1.875, 57344, 57345, 61439, 61440, 65535, -61440,
				0x1p-14, 0x1p-15, 0x1p-16, 0x1p-17, 0x1.4p-17, 0x1.8p-16, 0x1.4p-15, 0x1.cp-15, 0x1.bffffep-15, 0x1.fffffep-18, -0x1p-18, 0x1p-40},
			[]byte{0x78, 0x3c, 0x3e, 0x3d, 0x40, 0xc0, 0x7b, 0x7b, 0x7b, 0x7b, 0x7b, 0xfb,
				0x04, 0x02, 0x01, 0x00, 0x01, 0x02, 0x02, 0x04, 0x03, 0x00, 0x80, 0x00}},
		{compute.MXModeE4M3,
			[]float32{0x1p8, 1.0625, 1.1875, 1.15625, 1.9375, -1.9375, 448, 449, 463, 464, 511, -480,
				0x1p-6, 0x1p-7, 0x1p-9, 0x1p-10, 0x1.4p-10, 0x1.8p-9, 0x1.4p-8, 0x1.ep-7, 0x1.dffffep-7, 0x1.fffffep-11, -0x1p-11, 0x1p-40},
			[]byte{0x78, 0x38, 0x3a, 0x39, 0x40, 0xc0, 0x7e, 0x7e, 0x7e, 0x7e, 0x7e, 0xfe,
				0x08, 0x04, 0x01, 0x00, 0x01, 0x02, 0x02, 0x08, 0x07, 0x00, 0x80, 0x00}},
	} {
		for _, signed := range []bool{false, true} {
			u := mxUnit{width: 64, float: compute.FP32, signed: signed}
			in, want := make([]byte, 128), make([]byte, 33)
			if !signed {
				want[0] = 127
			}
			for i, x := range c.of {
				binary.LittleEndian.PutUint32(in[4*i:], math.Float32bits(x))
				want[1+i] = c.codes[i]
			}
			require.Equal(t, want, computed.MX{E4M3: c.mode == compute.MXModeE4M3, SignedScale: signed}.Quantise(in), "oracle, mode %d", c.mode)
			b := newUnitBench(t, unitModel(t, u.design(t), 1), 8, 1)
			b.run(t, []unitTransfer{{mode: c.mode, in: in, want: want}}, fullPace)
		}
	}
}

// Elements of which OCP OFP8 and MX give the value.
func TestMXKnownElements(t *testing.T) {
	const one = 127 // the scale 1
	for _, c := range []struct {
		mode        uint64
		scale, code byte
		fp32        uint32
		fp16        uint16
	}{
		{compute.MXModeE5M2, one, 0x7b, math.Float32bits(57344), 0x7b00},
		{compute.MXModeE5M2, one, 0x04, math.Float32bits(1.0 / (1 << 14)), 0x0400},
		{compute.MXModeE5M2, one, 0x83, math.Float32bits(-0.75 / (1 << 14)), 0x8300},
		{compute.MXModeE5M2, one, 0x01, math.Float32bits(1.0 / (1 << 16)), 0x0100},
		{compute.MXModeE5M2, one, 0x7c, 0x7f800000, 0x7c00},
		{compute.MXModeE5M2, one, 0xfc, 0xff800000, 0xfc00},
		{compute.MXModeE5M2, one, 0xfd, 0x7fc00000, 0x7e00},
		{compute.MXModeE4M3, one, 0x7e, math.Float32bits(448), 0x5f00},
		{compute.MXModeE4M3, one, 0x78, math.Float32bits(256), 0x5c00},
		{compute.MXModeE4M3, one, 0x08, math.Float32bits(1.0 / (1 << 6)), 0x2400},
		{compute.MXModeE4M3, one, 0x07, math.Float32bits(0.875 / (1 << 6)), 0x2300},
		{compute.MXModeE4M3, one, 0x01, math.Float32bits(1.0 / (1 << 9)), 0x1800},
		{compute.MXModeE4M3, one, 0xff, 0x7fc00000, 0x7e00},
		{compute.MXModeE4M3, one, 0x80, 0x80000000, 0x8000},
		{compute.MXModeE4M3, 0xff, 0x38, 0x7fc00000, 0x7e00},                // the scale NaN
		{compute.MXModeE5M2, 0xff, 0x00, 0x7fc00000, 0x7e00},                // also of zero
		{compute.MXModeE4M3, 0xfe, 0x38, math.Float32bits(0x1p127), 0x7c00}, // and the largest
		{compute.MXModeE4M3, 0xfe, 0xc0, 0xff7fffff, 0xfc00},
		{compute.MXModeE4M3, 0x00, 0x40, math.Float32bits(0x1p-126), 0x0000},
		{compute.MXModeE4M3, 0x00, 0xb8, 0x80000000, 0x8000}, // below the normal numbers
	} {
		in := append([]byte{c.scale, c.code}, make([]byte, 31)...)
		at := fmt.Sprintf("mode %d, scale %#x, element %#x", c.mode, c.scale, c.code)
		got := computed.MX{E4M3: c.mode == 1}.Number(c.scale, c.code)
		require.Equal(t, c.fp32, got, "oracle: %s", at)
		require.Equal(t, c.fp16, computed.FP16(got), "oracle: %s", at)
		for _, f := range []compute.Float{compute.FP32, compute.FP16} {
			u := mxUnit{width: 64, float: f, dequantise: true}
			b := newUnitBench(t, unitModel(t, u.design(t), 1), 8, 1)
			b.run(t, []unitTransfer{u.transfer(c.mode, in)}, fullPace)
		}
	}
}

// Numbers come back from a block within half a place of the element that they became, and
// what came back becomes the same block again.
func TestMXRoundTrip(t *testing.T) {
	const seed = 31
	r := rand.New(rand.NewPCG(seed, 1))
	finite := func() []byte {
		var in []byte
		for range 200 {
			around := 40 + r.IntN(180)
			for range 32 {
				exp := max(around-r.IntN(30), 0)
				in = binary.LittleEndian.AppendUint32(in, r.Uint32()&0x807fffff|uint32(exp)<<23)
			}
		}
		return in
	}
	quantise, dequantise := mxUnit{width: 128, float: compute.FP32}, mxUnit{width: 128, float: compute.FP32, dequantise: true}
	q := newUnitBench(t, unitModel(t, quantise.design(t), 1), 16, 1)
	d := newUnitBench(t, unitModel(t, dequantise.design(t), 1), 16, 1)
	for _, mode := range []uint64{compute.MXModeE5M2, compute.MXModeE4M3} {
		for range 10 {
			in := finite()
			there := quantise.transfer(mode, in)
			q.run(t, []unitTransfer{there}, fullPace)
			back := dequantise.transfer(mode, there.want)
			d.run(t, []unitTransfer{back}, fullPace)
			q.run(t, []unitTransfer{{mode: mode, in: back.want, want: there.want}}, fullPace)
			smallest := []float64{0x1p-16, 0x1p-9}[mode]
			for i := 0; i < len(in); i += 4 {
				x := float64(math.Float32frombits(binary.LittleEndian.Uint32(in[i:])))
				y := float64(math.Float32frombits(binary.LittleEndian.Uint32(back.want[i:])))
				unit := math.Ldexp(smallest, int(there.want[i/128*33])-127)
				require.LessOrEqual(t, math.Abs(x-y), math.Abs(x)/8+unit/2, "seed %d, mode %d, number %d", seed, mode, i/4)
			}
		}
	}
}
