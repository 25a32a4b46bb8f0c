package lib

import "github.com/millrace-hdl/millrace/hdl"

// PopCount is how many bits of x are one, in as many bits as that needs. It is a
// balanced tree of adders.
func PopCount(x hdl.Signal) hdl.Signal {
	w := x.Width()
	if w == 1 {
		return x
	}
	half := w / 2
	a, b := PopCount(x.Bits(w-1, half)), PopCount(x.Bits(half-1, 0))
	grown := max(a.Width(), b.Width())
	return a.Ext(grown).AddX(b.Ext(grown)).Resize(hdl.AddrBits(w + 1))
}

// TrailingZeros is how many bits of x below its lowest one are zero, and the width
// of x if all are. It has as many bits as that needs, and the depth of a tree.
func TrailingZeros(x hdl.Signal) hdl.Signal {
	w := x.Width()
	places := 1 << hdl.AddrBits(w)
	if w == 1 {
		return x.Not()
	}
	if places > w { // a one beyond the top ends the count there
		return zeros(hdl.Cat(hdl.Const(places-w, 1), x)).Resize(hdl.AddrBits(w + 1))
	}
	return hdl.Mux(x.Any(), zeros(x).Ext(hdl.AddrBits(w+1)), hdl.Const(hdl.AddrBits(w+1), uint64(w)))
}

// zeros counts the trailing zeros of a vector of a power of two of bits, not all of
// them zero.
func zeros(x hdl.Signal) hdl.Signal {
	half := x.Width() / 2
	low := x.Bits(half-1, 0)
	skip := low.None()
	if half == 1 {
		return skip
	}
	return hdl.Cat(skip, zeros(hdl.Mux(skip, x.Bits(2*half-1, half), low)))
}

// LeadingZeros is how many bits of x above its highest one are zero, and the width
// of x if all are.
func LeadingZeros(x hdl.Signal) hdl.Signal { return TrailingZeros(Reverse(x)) }

// Reverse is x with bit 0 on top.
func Reverse(x hdl.Signal) hdl.Signal {
	w := x.Width()
	return vector(w, func(i int) hdl.Signal { return x.Bit(w - 1 - i) })
}
