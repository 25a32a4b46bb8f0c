package lib

import (
	"math/bits"
	"strconv"

	"github.com/millrace-hdl/millrace/hdl"
)

// RotateBytes rotates x left by n bytes: byte k of x becomes byte (k+n) modulo the
// number of bytes, which is a power of two whose logarithm is the width of n. It
// is a barrel of one multiplexer level per bit of n.
func RotateBytes(m *hdl.Module, name string, x, n hdl.Signal) hdl.Signal {
	for i := range n.Width() {
		x = m.Let(name+"_by"+strconv.Itoa(1<<i), rotateStep(x, n.Bit(i), 8<<i))
	}
	return x
}

// RotateLanes rotates x left by n lanes of laneBits bits each: lane k of x becomes
// lane (k+n) modulo the number of lanes, which need be no power of two. Any n is
// allowed. It is a barrel of one multiplexer level per bit of n.
func RotateLanes(x, n hdl.Signal, laneBits int) hdl.Signal {
	lanes := x.Width() / laneBits
	if lanes*laneBits != x.Width() {
		panic("RotateLanes: " + strconv.Itoa(x.Width()) + " bits are no whole number of lanes of " + strconv.Itoa(laneBits))
	}
	step := 1 % lanes
	for i := range n.Width() {
		if step != 0 {
			x = rotateStep(x, n.Bit(i), step*laneBits)
		}
		step = 2 * step % lanes
	}
	return x
}

// rotateStep rotates x left by that many bits where turn holds.
func rotateStep(x, turn hdl.Signal, by int) hdl.Signal {
	w := x.Width()
	return hdl.Mux(turn, hdl.Cat(x.Bits(w-by-1, 0), x.Bits(w-1, w-by)), x)
}

// FromLane is a mask of lanes of laneBits bits each: ones in lane n and above. The
// number of lanes is 2 to the width of n.
func FromLane(n hdl.Signal, laneBits int) hdl.Signal {
	return hdl.Ones(laneBits << n.Width()).Shl(laneShift(n, laneBits))
}

// UpToLane is a mask of lanes of laneBits bits each: ones in lane n and below. The
// number of lanes is 2 to the width of n.
func UpToLane(n hdl.Signal, laneBits int) hdl.Signal {
	return hdl.Ones(laneBits << n.Width()).Shr(laneShift(n.Not(), laneBits))
}

// laneShift is n times laneBits, a power of two.
func laneShift(n hdl.Signal, laneBits int) hdl.Signal {
	if laneBits == 1 {
		return n
	}
	return hdl.Cat(n, hdl.Const(bits.TrailingZeros(uint(laneBits)), 0))
}

// OneHotMux is the OR of the items whose select bit is one: the item itself when
// exactly one is.
func OneHotMux(sel hdl.Signal, items ...hdl.Signal) hdl.Signal {
	var out hdl.Signal
	for i, x := range items {
		term := x.And(hdl.Repeat(sel.Bit(i), x.Width()))
		if i == 0 {
			out = term
		} else {
			out = out.Or(term)
		}
	}
	return out
}
