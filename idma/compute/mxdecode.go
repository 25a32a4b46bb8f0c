package compute

import "github.com/millrace-hdl/millrace/hdl"

// baseBits is the width of mxDecodeIO.Base.
const baseBits = 10

// decodeParams select a [mxDecode].
type decodeParams struct{ Float Float }

func (p decodeParams) Suffix() string { return p.Float.String() }

type mxDecodeIO struct {
	Code   hdl.Var `hdl:"in"`
	E4M3   hdl.Var `hdl:"in,name=e4m3"`
	Base   hdl.Var `hdl:"in"` // signed: what is added to an element's exponent to give that of FP32, both as they are stored
	IsNaN  hdl.Var `hdl:"in,name=is_nan"`
	Number hdl.Var
}

// mxDecode makes a number of an element (specification §2.7). As FP32, what is too small
// for a normal number becomes zero, and what is too large the largest finite number. FP16
// is that rounded: to the nearest, the even one of two, or to infinity.
func mxDecode(m *hdl.Module, p decodeParams) mxDecodeIO {
	f := p.Float
	m.Doc("Makes a number of an element of an MX block.")
	io := hdl.Ports(m, "", hdl.Source, mxDecodeIO{Code: hdl.U(8), E4M3: hdl.Bool(), Base: hdl.S(baseBits), IsNaN: hdl.Bool(), Number: hdl.U(8 * f.bytes())})
	sign := io.Code.Bit(7)
	field := m.Let("field", hdl.Mux(io.E4M3, io.Code.Bits(6, 3).Ext(5), io.Code.Bits(6, 2)))
	low := m.Let("low", hdl.Mux(io.E4M3, io.Code.Bits(2, 0), hdl.Cat(io.Code.Bits(1, 0), hdl.Const(1, 0))), hdl.Doc("Mantissa."))
	top := field.All().AndNot(io.E4M3)
	nan := m.Let("nan", io.IsNaN.Or(hdl.Mux(io.E4M3, io.Code.Bits(6, 0).All(), top.And(low.Any()))))
	infinite := m.Let("infinite", top.And(low.None()))
	zero := field.None().And(low.None())

	m.Note("A subnormal element is normal in FP32: its leading one goes up to the place of the implicit one.")
	subnormal := field.None()
	places := m.Let("places", hdl.FirstOf(hdl.Const(2, 3),
		hdl.Choice{When: subnormal.Not(), Then: hdl.K(0)},
		hdl.Choice{When: low.Bit(2), Then: hdl.K(1)},
		hdl.Choice{When: low.Bit(1), Then: hdl.K(2)}))
	man := m.Let("man", low.Shl(places))
	exp := m.Let("exp", io.Base.Add(hdl.Mux(subnormal, hdl.K(1), field).Ext(baseBits).Sub(places.Ext(baseBits)).AsSigned()),
		hdl.Doc("Exponent of FP32, biased."))
	none := m.Let("none", zero.Or(exp.Le(hdl.K(0))))
	many := m.Let("many", exp.Ge(hdl.K(255)))
	if f == FP32 {
		io.Number.Set(hdl.FirstOf(hdl.Cat(sign, exp.AsUnsigned().Trunc(8), man, hdl.Const(20, 0)),
			hdl.Choice{When: nan, Then: hdl.Const(32, 0x7fc00000)},
			hdl.Choice{When: infinite, Then: hdl.Cat(sign, hdl.Const(31, 0x7f800000))},
			hdl.Choice{When: none, Then: hdl.Cat(sign, hdl.Const(31, 0))},
			hdl.Choice{When: many, Then: hdl.Cat(sign, hdl.Const(31, 0x7f7fffff))}))
		return io
	}
	const far = 11 // places below a normal number where nothing is left but zero
	half := m.Let("half_exp", exp.Sub(hdl.K(127-15)), hdl.Doc("Exponent of FP16, biased."))
	deep := m.Let("deep", hdl.FirstOf(half.Neg().AsUnsigned().Trunc(4),
		hdl.Choice{When: half.Lt(hdl.K(-far)), Then: hdl.K(far)}))
	m.Note("A subnormal number has ten bits of the mantissa and four below them.")
	scaled := m.Let("scaled", hdl.Cat(hdl.Const(1, 1), man, hdl.Const(10, 0)).Shr(deep))
	up := scaled.Bit(3).And(scaled.Bit(4).Or(scaled.Bits(2, 0).Any()))
	little := m.Let("subnormal_half", scaled.Bits(13, 4).AddX(up.Ext(10)))
	io.Number.Set(hdl.FirstOf(hdl.Cat(sign, half.AsUnsigned().Trunc(5), man, hdl.Const(7, 0)),
		hdl.Choice{When: nan, Then: hdl.Const(16, 0x7e00)},
		hdl.Choice{When: infinite, Then: hdl.Cat(sign, hdl.Const(15, 0x7c00))},
		hdl.Choice{When: none, Then: hdl.Cat(sign, hdl.Const(15, 0))},
		hdl.Choice{When: many.Or(half.Ge(hdl.K(31))), Then: hdl.Cat(sign, hdl.Const(15, 0x7c00))},
		hdl.Choice{When: half.Le(hdl.K(0)), Then: hdl.Cat(sign, hdl.Const(4, 0), little)}))
	return io
}
