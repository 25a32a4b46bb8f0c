package hdl_test

import (
	"flag"
	"math/big"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/millrace-hdl/millrace/hdl"
	"github.com/millrace-hdl/millrace/hdl/sim"
)

// A failure prints the seed that repeats it, and leaves no file.
func init() {
	if err := flag.Set("rapid.nofailfile", "true"); err != nil {
		panic(err)
	}
}

// term is an expression of the language together with its value as an integer:
// what the documentation promises, computed without the language.
type term struct {
	sig    hdl.Signal
	width  int
	signed bool
	value  *big.Int
}

func pow2(n int) *big.Int { return new(big.Int).Lsh(big.NewInt(1), uint(n)) }

// wrap is v as a value of the type.
func wrap(v *big.Int, width int, signed bool) *big.Int {
	v = new(big.Int).Mod(v, pow2(width))
	if signed && v.Bit(width-1) == 1 {
		v.Sub(v, pow2(width))
	}
	return v
}

func newTerm(sig hdl.Signal, width int, signed bool, value *big.Int) term {
	return term{sig, width, signed, wrap(value, width, signed)}
}

// exact is a term whose value is promised to need no wrapping.
func exact(t *rapid.T, sig hdl.Signal, width int, signed bool, value *big.Int) term {
	x := newTerm(sig, width, signed, value)
	if x.value.Cmp(value) != 0 {
		t.Fatalf("%v does not fit in %d bits", value, width)
	}
	return x
}

func truth(b bool) *big.Int {
	if b {
		return big.NewInt(1)
	}
	return new(big.Int)
}

// like is a term of the type of x, derived from y.
func like(x, y term) term {
	s := y.sig
	if y.signed != x.signed {
		if s = s.AsUnsigned(); x.signed {
			s = y.sig.AsSigned()
		}
	}
	v := wrap(y.value, y.width, x.signed)
	return newTerm(s.Resize(x.width), x.width, x.signed, v)
}

// step draws an operator and applies it to terms of the pool.
func step(t *rapid.T, pool []term) term {
	pick := func(name string) term { return pool[rapid.IntRange(0, len(pool)-1).Draw(t, name)] }
	x := pick("x")
	y := like(x, pick("y"))
	v := new(big.Int)
	up := func(v *big.Int) *big.Int { return wrap(v, x.width, false) } // the bits as a number
	switch op := rapid.IntRange(0, 27).Draw(t, "op"); op {
	case 0:
		return newTerm(x.sig.Add(y.sig), x.width, x.signed, v.Add(x.value, y.value))
	case 1:
		return newTerm(x.sig.Sub(y.sig), x.width, x.signed, v.Sub(x.value, y.value))
	case 2:
		return newTerm(x.sig.Mul(y.sig), x.width, x.signed, v.Mul(x.value, y.value))
	case 3:
		return exact(t, x.sig.AddX(y.sig), x.width+1, x.signed, v.Add(x.value, y.value))
	case 4: // as two's complement it is exact
		return exact(t, x.sig.SubX(y.sig).AsSigned(), x.width+1, true, v.Sub(x.value, y.value))
	case 5: // the borrow
		return exact(t, x.sig.SubX(y.sig).Bit(x.width), 1, false, truth(x.value.Cmp(y.value) < 0))
	case 6:
		return exact(t, x.sig.MulX(y.sig), 2*x.width, x.signed, v.Mul(x.value, y.value))
	case 7:
		return exact(t, x.sig.Lt(y.sig), 1, false, truth(x.value.Cmp(y.value) < 0))
	case 8:
		return exact(t, x.sig.Le(y.sig), 1, false, truth(x.value.Cmp(y.value) <= 0))
	case 9:
		return exact(t, x.sig.Gt(y.sig), 1, false, truth(x.value.Cmp(y.value) > 0))
	case 10:
		return exact(t, x.sig.Ge(y.sig), 1, false, truth(x.value.Cmp(y.value) >= 0))
	case 11:
		return exact(t, x.sig.Eq(y.sig).Xor(x.sig.Ne(y.sig)).And(x.sig.Eq(y.sig)), 1, false, truth(x.value.Cmp(y.value) == 0))
	case 12, 13: // shifts, by amounts beyond the width too
		n := rapid.IntRange(0, x.width+3).Draw(t, "amount")
		amount := hdl.Const(20, uint64(n))
		if op == 12 {
			return newTerm(x.sig.Shl(amount), x.width, x.signed, v.Lsh(x.value, uint(n)))
		}
		return exact(t, x.sig.Shr(amount), x.width, x.signed, v.Rsh(x.value, uint(n)))
	case 14: // a shift by a term
		n := pick("by")
		return exact(t, x.sig.Shr(n.sig.AsUnsigned().Resize(7)), x.width, x.signed, v.Rsh(x.value, uint(wrap(n.value, min(n.width, 7), false).Uint64())))
	case 15:
		return newTerm(x.sig.Not(), x.width, x.signed, v.Not(x.value))
	case 16:
		return newTerm(x.sig.Neg(), x.width, x.signed, v.Neg(x.value))
	case 17:
		return newTerm(x.sig.And(y.sig), x.width, x.signed, v.And(up(x.value), up(y.value)))
	case 18:
		return newTerm(x.sig.Or(y.sig), x.width, x.signed, v.Or(up(x.value), up(y.value)))
	case 19:
		return newTerm(x.sig.Xor(y.sig), x.width, x.signed, v.Xor(up(x.value), up(y.value)))
	case 20:
		return newTerm(x.sig.AndNot(y.sig), x.width, x.signed, v.AndNot(up(x.value), up(y.value)))
	case 21: // the value survives widening
		return exact(t, x.sig.Ext(x.width+5), x.width+5, x.signed, x.value)
	case 22:
		w := rapid.IntRange(1, x.width).Draw(t, "w")
		return newTerm(x.sig.Trunc(w), w, x.signed, x.value)
	case 23:
		lo := rapid.IntRange(0, x.width-1).Draw(t, "lo")
		hi := rapid.IntRange(lo, x.width-1).Draw(t, "hi")
		return newTerm(x.sig.Bits(hi, lo), hi-lo+1, false, v.Rsh(up(x.value), uint(lo)))
	case 24:
		return newTerm(hdl.Cat(x.sig, y.sig), 2*x.width, false, v.Or(v.Lsh(up(x.value), uint(x.width)), up(y.value)))
	case 25:
		c := pick("cond")
		if v = y.value; c.value.Sign() != 0 {
			v = x.value
		}
		return newTerm(hdl.Mux(c.sig.Any(), x.sig, y.sig), x.width, x.signed, v)
	case 26:
		ones := 0
		for i := range x.width {
			ones += int(x.value.Bit(i))
		}
		v.SetInt64(int64(ones&1 | int(truth(ones == x.width).Int64())<<1 | int(truth(ones == 0).Int64())<<2))
		return newTerm(hdl.Cat(x.sig.None(), x.sig.All(), x.sig.Parity()), 3, false, v)
	default:
		n := rapid.IntRange(1, 3).Draw(t, "copies")
		for range n {
			v.Or(v.Lsh(v, uint(x.width)), up(x.value))
		}
		return newTerm(hdl.Repeat(x.sig, n), n*x.width, false, v)
	}
}

func words(v *big.Int, width int) []uint64 {
	v = wrap(v, width, false)
	ws := make([]uint64, (width+63)/64)
	for i := range ws {
		ws[i] = new(big.Int).Rsh(v, uint(64*i)).Uint64()
	}
	return ws
}

// Random expressions over random inputs and constants have the values that the
// operators' contracts promise.
func TestOperatorsKeepTheirContracts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var inputs, outputs []term
		d, err := hdl.Elaborate(func(m *hdl.Module, _ none) ports {
			var ps ports
			var pool []term
			for i := range rapid.IntRange(1, 4).Draw(t, "inputs") {
				w, signed := rapid.IntRange(1, 80).Draw(t, "width"), rapid.Bool().Draw(t, "signed")
				typ := hdl.U(w)
				if signed {
					typ = hdl.S(w)
				}
				p := m.In("i"+string(rune('a'+i)), typ, hdl.MayBeUnused())
				ps = append(ps, p)
				v := new(big.Int)
				for range 2 {
					v.Or(v.Lsh(v, 64), new(big.Int).SetUint64(rapid.Uint64().Draw(t, "value")))
				}
				pool = append(pool, newTerm(p.Signal, w, signed, v))
			}
			inputs = pool[:len(pool):len(pool)]
			k := rapid.Uint16().Draw(t, "constant")
			pool = append(pool, newTerm(hdl.Const(16, uint64(k)), 16, false, big.NewInt(int64(k))))
			for range rapid.IntRange(1, 12).Draw(t, "steps") {
				if x := step(t, pool); x.width <= 200 {
					pool = append(pool, x)
				}
			}
			outputs = pool
			for i, x := range pool {
				o := m.Out("o"+string(rune('a'+i)), x.sigType())
				o.Set(x.sig)
				ps = append(ps, o)
			}
			return ps
		}, none{}, hdl.Named("m"))
		if err != nil {
			t.Fatal(err)
		}
		e, err := sim.New(d, sim.Options{})
		if err != nil {
			t.Fatal(err)
		}
		for i, x := range inputs {
			copy(e.In()[e.Layout().Inputs[i].Offset:], words(x.value, x.width))
		}
		if err := e.Eval(); err != nil {
			t.Fatal(err)
		}
		for i, x := range outputs {
			p := e.Layout().Outputs[i]
			got := e.Out()[p.Offset : p.Offset+p.Words()]
			require.Equal(t, words(x.value, x.width), got, "output %s (%d bits, signed %v)\n%s", p.Name, x.width, x.signed, d)
		}
	})
}

func (x term) sigType() hdl.Var {
	if x.signed {
		return hdl.S(x.width)
	}
	return hdl.U(x.width)
}
