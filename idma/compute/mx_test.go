package compute_test

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/millrace-hdl/millrace/hdl/ir"
	"github.com/millrace-hdl/millrace/idma/compute"
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

func (u mxUnit) design(t testing.TB) *ir.Design {
	t.Helper()
	d, err := compute.ElaborateMX(u.width, u.float, u.signed, u.dequantise)
	require.NoError(t, err)
	return d
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
	f, half := mxFormats[mode&1], u.float == compute.FP16
	if u.dequantise {
		return unitTransfer{mode: mode, in: in, want: mxDequantiseAll(f, u.signed, half, in)}
	}
	return unitTransfer{mode: mode, in: in, want: mxQuantise(f, u.signed, half, in)}
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

// mxData is blocks of numbers of which all have nearly one size, or any.
func (u mxUnit) mxData(r *rand.Rand, blocks int) (in []byte) {
	for range blocks {
		if u.dequantise {
			for range 33 {
				in = append(in, byte(r.Uint32()))
			}
			continue
		}
		if u.float == compute.FP16 {
			around, spread := r.IntN(32), r.IntN(20)
			for range 32 {
				exp := min(max(around-r.IntN(spread+1), 0), 31)
				x := uint16(r.UintN(2))<<15 | uint16(exp)<<10 | uint16(r.UintN(1<<10))&uint16(r.Uint32()|0x380)
				in = binary.LittleEndian.AppendUint16(in, mxMaybe(r, x, 0, 0x7c00, 0x7e00, 0x8000, 1))
			}
			continue
		}
		around, spread := r.IntN(256), r.IntN(30)
		for range 32 {
			exp := min(max(around-r.IntN(spread+1), 0), 255)
			man := r.Uint32() & 0x7fffff
			if r.IntN(2) == 0 {
				man &= 0x780000 // exact values and ties
			}
			x := r.Uint32()&0x80000000 | uint32(exp)<<23 | man
			in = binary.LittleEndian.AppendUint32(in, mxMaybe(r, x, 0, 0x7f800000, 0x7fc00000, 0x80000000, 0xff800000, 1))
		}
	}
	return in
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
			for _, p := range []pace{fullPace, {100, 30}, {30, 100}, {60, 60}} {
				b.run(t, mxTransfers(u, r, 40), p)
			}
		})
	}
}
