package lib

import (
	"math/big"
	"math/bits"

	"github.com/millrace-hdl/millrace/hdl"
)

// xors are bits of which each is the XOR of some bits of one input: element i is the
// set of input bits that bit i takes. What shifts and XORs can do in any number of
// steps is one of these, so its logic does not get deeper with the steps.
type xors []*big.Int

// inputBits are w bits that are those of the input from lo up.
func inputBits(lo, w int) xors {
	x := make(xors, w)
	for i := range x {
		x[i] = new(big.Int).SetBit(new(big.Int), lo+i, 1)
	}
	return x
}

// noBits are w bits that are zero.
func noBits(w int) xors {
	x := make(xors, w)
	for i := range x {
		x[i] = new(big.Int)
	}
	return x
}

// add is the XOR of two bits.
func add(a, b *big.Int) *big.Int { return new(big.Int).Xor(a, b) }

// of is the value of the bits for an input.
func (x xors) of(in hdl.Signal) hdl.Signal {
	out := make([]hdl.Value, len(x))
	for i, set := range x {
		var bit hdl.Signal
		switch lowest := int(set.TrailingZeroBits()); {
		case set.Sign() == 0:
			bit = hdl.Const(1, 0)
		case set.BitLen() == lowest+1:
			bit = in.Bit(lowest)
		default:
			bit = in.And(hdl.BigConst(in.Width(), set)).Parity()
		}
		out[len(x)-1-i] = bit
	}
	return hdl.Cat(out...)
}

// reversed is the low w bits of v in the other order.
func reversed(v uint64, w int) uint64 { return bits.Reverse64(v) >> (64 - w) }

// ones is w bits that are one.
func ones(w int) uint64 { return ^uint64(0) >> (64 - w) }
