package compute

import "github.com/millrace-hdl/millrace/hdl"

// mxNumber is an uncompressed number in the short form from which its element follows:
// that of FP32 with what rounding needs of the mantissa.
type mxNumber struct {
	Sign hdl.Var
	Exp  hdl.Var // of FP32, biased
	Man  hdl.Var // the four top bits of the mantissa of FP32, then whether there is any below
}

func mxNumberType() mxNumber { return mxNumber{Sign: hdl.Bool(), Exp: hdl.U(8), Man: hdl.U(5)} }

// shortened is a number in short form.
func (f Float) shortened(x hdl.Signal) mxNumber {
	if f == FP32 {
		return mxNumber{hdl.V(x.Bit(31)), hdl.V(x.Bits(30, 23)), hdl.V(hdl.Cat(x.Bits(22, 19), x.Bits(18, 0).Any()))}
	}
	exp, man := x.Bits(14, 10), x.Bits(9, 0)
	// A subnormal number is normal in FP32: shift out its leading one.
	top, rest := hdl.Const(8, 0), man
	for i := range 10 { // the highest one wins
		top = hdl.Mux(man.Bit(i), hdl.Const(8, uint64(127-24+i)), top)
		rest = hdl.Mux(man.Bit(i), man.Shl(hdl.Const(4, uint64(10-i))), rest)
	}
	wide := hdl.FirstOf(exp.Ext(8).Add(hdl.K(127-15)),
		hdl.Choice{When: exp.None(), Then: top},
		hdl.Choice{When: exp.All(), Then: hdl.K(255)})
	frac := hdl.Mux(exp.None(), rest, man)
	return mxNumber{hdl.V(x.Bit(15)), hdl.V(wide), hdl.V(hdl.Cat(frac.Bits(9, 6), frac.Bits(5, 0).Any()))}
}

// floorBits is the width of mxEncodeIO.Floor.
const floorBits = 9

type mxEncodeIO struct {
	In    mxNumber `hdl:"in"`
	E4M3  hdl.Var  `hdl:"in,name=e4m3"`
	Floor hdl.Var  `hdl:"in"` // signed: the exponent of FP32, biased, that the smallest normal element has
	Code  hdl.Var
}

// mxEncode makes an element of a number (specification §2.7): rounded to the nearest,
// the even one of two; too large ones become the largest finite one, and so does
// infinity. A subnormal FP32 counts as if it had an implicit one. A number is never
// larger than the scale of its block lets it be.
func mxEncode(m *hdl.Module, _ struct{}) mxEncodeIO {
	m.Doc("Rounds a number to an element of an MX block.")
	io := hdl.Ports(m, "", hdl.Source, mxEncodeIO{In: mxNumberType(), E4M3: hdl.Bool(), Floor: hdl.S(floorBits), Code: hdl.U(8)})
	exp, man := io.In.Exp, io.In.Man

	above := m.Let("above", exp.Ext(floorBits+1).AsSigned().Sub(io.Floor.Ext(floorBits+1)),
		hdl.Doc("Exponent above that of the smallest normal element."))
	subnormal := m.Let("subnormal", above.Lt(hdl.K(0)))
	field := m.Let("field", hdl.Mux(subnormal, hdl.Const(5, 0), above.AsUnsigned().Trunc(5)))
	const far = 5 // from here on nothing is left but zero
	below := m.Let("below", hdl.FirstOf(above.Neg().AsUnsigned().Trunc(3),
		hdl.Choice{When: subnormal.Not(), Then: hdl.K(0)},
		hdl.Choice{When: above.Lt(hdl.K(-far)), Then: hdl.K(far)}))

	m.Note("The mantissa with its implicit one, in units of the last place of E4M3, and eight bits below that.")
	shift := m.Let("shift", below.Add(io.E4M3.Not().Ext(3)))
	scaled := m.Let("scaled", hdl.Cat(hdl.Const(1, 1), man, hdl.Const(6, 0)).Shr(shift))
	up := m.Let("round_up", scaled.Bit(7).And(scaled.Bit(8).Or(scaled.Bits(6, 0).Any())))
	whole := m.Let("whole", hdl.Mux(io.E4M3, hdl.Cat(field, hdl.Const(3, 0)), hdl.Cat(hdl.Const(1, 0), field, hdl.Const(2, 0))).
		Add(scaled.Bits(11, 8).Ext(8)).Add(up.Ext(8)), hdl.Doc("Exponent and mantissa; the implicit one and a carry count up the exponent."))

	special := exp.All()
	largest := byMode(io.E4M3, 7, e5m2.largest, e4m3.largest)
	magnitude := hdl.FirstOf(whole.Trunc(7),
		hdl.Choice{When: special.And(man.Any()), Then: byMode(io.E4M3, 7, e5m2.nan, e4m3.nan)},
		hdl.Choice{When: special.Or(whole.Gt(largest.Ext(8))), Then: largest},
		hdl.Choice{When: exp.None().And(man.None()), Then: hdl.K(0)})
	io.Code.Set(hdl.Cat(io.In.Sign, magnitude))
	return io
}
