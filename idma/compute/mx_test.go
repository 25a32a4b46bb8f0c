package compute_test

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/millrace-hdl/millrace/hdl/ir"
	"github.com/millrace-hdl/millrace/idma/compute"
	"github.com/millrace-hdl/millrace/tb/computed"
)

// mxUnit is a unit under test.
type mxUnit struct {
	width              int
	float              compute.Float
	signed, dequantise bool
}

func (u mxUnit) String() string {
	return fmt.Sprintf("%d %s signed %t dequantise %t", u.width, u.float, u.signed, u.dequantise)
}

func (u mxUnit) op() compute.Op {
	if u.dequantise {
		return compute.MXDequantise{To: u.float, SignedScale: u.signed}
	}
	return compute.MXQuantise{From: u.float, SignedScale: u.signed}
}

func (u mxUnit) design(t testing.TB) *ir.Design {
	t.Helper()
	return unitDesign(t, u.op(), u.width)
}

// block is the bytes of a block on the side of the unit that takes data.
func (u mxUnit) block() int {
	switch {
	case u.dequantise:
		return 33
	case u.float == compute.FP16:
		return 64
	}
	return 128
}

// transfer is what becomes of some blocks.
func (u mxUnit) transfer(mode uint64, in []byte) unitTransfer {
	f := computed.MX{E4M3: mode&1 == 1, SignedScale: u.signed, Half: u.float == compute.FP16}
	if u.dequantise {
		return unitTransfer{mode: mode, in: in, want: f.Dequantise(in)}
	}
	return unitTransfer{mode: mode, in: in, want: f.Quantise(in)}
}

var mxWidths = []int{16, 32, 64, 128, 256, 512, 1024}

func mxUnits(widths ...int) (us []mxUnit) {
	for _, w := range widths {
		for _, dequantise := range []bool{false, true} {
			for _, f := range []compute.Float{compute.FP32, compute.FP16} {
				us = append(us, mxUnit{width: w, float: f, dequantise: dequantise, signed: w == 32 || w == 128})
			}
		}
	}
	return us
}

// mxData is blocks of numbers of which all have nearly one size, or of anything.
func (u mxUnit) mxData(r *rand.Rand, blocks int) (in []byte) {
	for range blocks {
		switch {
		case u.dequantise:
			for range 33 {
				in = append(in, byte(r.Uint32()))
			}
		case u.float == compute.FP16:
			around, spread := r.IntN(32), r.IntN(20)
			for range 32 {
				exp := min(max(around-r.IntN(spread+1), 0), 31)
				x := uint16(r.UintN(2))<<15 | uint16(exp)<<10 | uint16(mxMantissa(r, 10))
				in = binary.LittleEndian.AppendUint16(in, mxMaybe(r, x, 0, 0x7c00, 0x7e00, 0x8000, 1, 0xfbff, 0xfc00))
			}
		default:
			around, spread := r.IntN(256), r.IntN(30)
			for range 32 {
				exp := min(max(around-r.IntN(spread+1), 0), 255)
				x := r.Uint32()&0x80000000 | uint32(exp)<<23 | mxMantissa(r, 23)
				in = binary.LittleEndian.AppendUint32(in, mxMaybe(r, x, 0, 0x7f800000, 0x7fc00000, 0x80000000, 0xff800000, 1, 0x7f7fffff, 0x7f800001))
			}
		}
	}
	return in
}

// mxMantissa is any mantissa of so many bits, or one at or beside a point where
// rounding changes.
func mxMantissa(r *rand.Rand, bits int) uint32 {
	all := uint32(1)<<bits - 1
	if r.IntN(2) == 0 {
		return r.Uint32() & all
	}
	return (r.Uint32N(1<<5)<<(bits-5) + r.Uint32N(3) - 1) & all
}

// mxMaybe is x, or now and then one of the others.
func mxMaybe[T any](r *rand.Rand, x T, others ...T) T {
	if r.IntN(24) == 0 {
		return others[r.IntN(len(others))]
	}
	return x
}

// Transfers of one to some blocks, in both formats, back to back and with stalls.
func mxTransfers(u mxUnit, r *rand.Rand, n int) (ts []unitTransfer) {
	for range n {
		x := u.transfer(r.Uint64N(4), u.mxData(r, 1+r.IntN(5)))
		if r.IntN(4) == 0 {
			x.cause = 2 + r.Uint64N(2)
			x.inCause = x.cause
			x.failsAt = r.IntN((len(x.in)*8 + u.width - 1) / u.width)
		}
		ts = append(ts, x)
	}
	return ts
}

func TestMXUnitsAgreeWithTheOracle(t *testing.T) {
	for _, u := range mxUnits(mxWidths...) {
		t.Run(u.String(), func(t *testing.T) {
			t.Parallel()
			const seed = 17
			r := rand.New(rand.NewPCG(seed, uint64(u.width)))
			b := newUnitBench(t, unitModel(t, u.design(t), seed), u.width/8, seed)
			for _, p := range []pace{fullPace, {in: 100, out: 30}, {in: 30, out: 100}, {in: 60, out: 60}} {
				b.run(t, mxTransfers(u, r, 40), p)
			}
		})
	}
}

func TestMXInLockstep(t *testing.T) {
	for _, u := range []mxUnit{{64, compute.FP32, false, false}, {64, compute.FP32, false, true}, {32, compute.FP16, true, false}, {32, compute.FP16, true, true},
		{16, compute.FP32, false, false}, {16, compute.FP32, false, true}, {1024, compute.FP16, false, false}, {1024, compute.FP16, false, true}} {
		if u.width > 64 && testing.Short() {
			continue
		}
		t.Run(u.String(), func(t *testing.T) {
			const seed = 23
			r := rand.New(rand.NewPCG(seed, uint64(u.width)))
			b := newUnitBench(t, unitLockstep(t, u.design(t), seed), u.width/8, seed)
			for _, p := range []pace{fullPace, {in: 60, out: 60}} {
				b.run(t, mxTransfers(u, r, 50), p)
			}
		})
	}
}

// Every FP16, in blocks of like numbers and in blocks with any others.
func TestEveryFP16IsQuantised(t *testing.T) {
	for _, signed := range []bool{false, true} {
		u := mxUnit{width: 64, float: compute.FP16, signed: signed}
		b := newUnitBench(t, unitModel(t, u.design(t), 1), 8, 1)
		r := rand.New(rand.NewPCG(2, 2))
		var like, mixed []byte
		for x := range 1 << 16 {
			like = binary.LittleEndian.AppendUint16(like, uint16(x))
		}
		for _, x := range r.Perm(1 << 16) {
			mixed = binary.LittleEndian.AppendUint16(mixed, uint16(x))
		}
		// One finite number above all others of a block sets the scale: from small to large.
		var under []byte
		for top := range uint16(31) {
			for x := range uint16(1 << 15) {
				if x>>10 > top || x>>6&7 != x>>3&7 { // of the mantissas, those that matter
					continue
				}
				if len(under)%64 == 0 {
					under = binary.LittleEndian.AppendUint16(under, top<<10)
				}
				under = binary.LittleEndian.AppendUint16(under, x)
			}
			for len(under)%64 != 0 {
				under = append(under, 0)
			}
		}
		for _, mode := range []uint64{compute.MXModeE5M2, compute.MXModeE4M3} {
			b.run(t, []unitTransfer{u.transfer(mode, like), u.transfer(mode, mixed), u.transfer(mode, under)}, fullPace)
		}
	}
}

// A million FP32 in each format with each kind of scale: half of them in blocks of numbers of nearly one
// size, half with any bits.
func TestManyFP32AreQuantised(t *testing.T) {
	const seed, numbers, runs = 41, 1_000_000, 25
	t.Log("seed", seed)
	r := rand.New(rand.NewPCG(seed, 1))
	for _, signed := range []bool{false, true} {
		u := mxUnit{width: 256, float: compute.FP32, signed: signed}
		b := newUnitBench(t, unitModel(t, u.design(t), 1), 32, 1)
		done := map[uint64]int{}
		for range runs {
			for _, mode := range []uint64{compute.MXModeE5M2, compute.MXModeE4M3} {
				const blocks = (numbers/32 + 2*runs - 1) / (2 * runs)
				in := u.mxData(r, blocks)
				for range 32 * blocks {
					in = binary.LittleEndian.AppendUint32(in, r.Uint32())
				}
				b.run(t, []unitTransfer{u.transfer(mode, in)}, fullPace)
				done[mode] += len(in) / 4
			}
		}
		require.GreaterOrEqual(t, min(done[compute.MXModeE5M2], done[compute.MXModeE4M3]), numbers)
	}
}

// Every element with every scale.
func TestEveryElementIsDequantised(t *testing.T) {
	var in []byte
	for scale := range 256 {
		for first := 0; first < 256; first += 32 {
			in = append(in, byte(scale))
			for i := range 32 {
				in = append(in, byte(first+i))
			}
		}
	}
	for _, f := range []compute.Float{compute.FP32, compute.FP16} {
		for _, signed := range []bool{false, true} {
			u := mxUnit{width: 64, float: f, signed: signed, dequantise: true}
			b := newUnitBench(t, unitModel(t, u.design(t), 1), 8, 1)
			b.run(t, []unitTransfer{u.transfer(compute.MXModeE5M2, in), u.transfer(compute.MXModeE4M3, in)}, fullPace)
		}
	}
}
