package lib

import "github.com/millrace-hdl/millrace/hdl"

// Lowest keeps the lowest one of x and clears the rest.
func Lowest(x hdl.Signal) hdl.Signal { return x.And(x.Neg()) }

// UpTo is ones up to and with the lowest one of x, and all ones if x is zero.
func UpTo(x hdl.Signal) hdl.Signal { return x.Xor(x.Sub(hdl.K(1))) }

// Below is ones below the lowest one of x, and all ones if x is zero: what has
// priority over it.
func Below(x hdl.Signal) hdl.Signal { return x.Not().And(x.Sub(hdl.K(1))) }

// OneHot has bit i of n set, or none if i is n or more.
func OneHot(i hdl.Signal, n int) hdl.Signal {
	return vector(n, func(k int) hdl.Signal {
		if w := i.Width(); w < 63 && k>>w != 0 {
			return hdl.Const(1, 0)
		}
		return i.Eq(hdl.K(k))
	})
}

// Index is the number of the bit that is one in x, if exactly one is; zero for
// none, and for several the OR of their numbers.
func Index(x hdl.Signal) hdl.Signal {
	return vector(hdl.AddrBits(x.Width()), func(b int) hdl.Signal {
		var ones []hdl.Signal
		for k := range x.Width() {
			if k>>b&1 == 1 {
				ones = append(ones, x.Bit(k))
			}
		}
		return hdl.AnyOf(ones...)
	})
}

// AtMostOne is one bit: no two bits of x are one.
func AtMostOne(x hdl.Signal) hdl.Signal {
	if x.Width() == 1 {
		return hdl.Const(1, 1)
	}
	return x.And(x.Sub(hdl.K(1))).None()
}

// IsOneHot is one bit: exactly one bit of x is one.
func IsOneHot(x hdl.Signal) hdl.Signal { return x.Any().And(AtMostOne(x)) }
