package lib_test

import (
	"math/bits"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/millrace-hdl/millrace/hdl"
	"github.com/millrace-hdl/millrace/hdl/lib"
)

// functions are the functions of one vector and what they promise for x of w bits.
var functions = []struct {
	name string
	f    func(x hdl.Signal) hdl.Signal
	want func(x uint64, w int) uint64
}{
	{"lowest", lib.Lowest, func(x uint64, _ int) uint64 { return x & -x }},
	{"up_to", lib.UpTo, func(x uint64, w int) uint64 {
		if x == 0 {
			return 1<<w - 1
		}
		return 2<<bits.TrailingZeros64(x) - 1
	}},
	{"below", lib.Below, func(x uint64, w int) uint64 { return 1<<min(bits.TrailingZeros64(x), w) - 1 }},
	{"at_most_one", lib.AtMostOne, func(x uint64, _ int) uint64 { return bit(bits.OnesCount64(x) <= 1) }},
	{"is_one_hot", lib.IsOneHot, func(x uint64, _ int) uint64 { return bit(bits.OnesCount64(x) == 1) }},
	{"index", lib.Index, func(x uint64, _ int) uint64 {
		var or int
		for ; x != 0; x &= x - 1 {
			or |= bits.TrailingZeros64(x)
		}
		return uint64(or)
	}},
	{"pop_count", lib.PopCount, func(x uint64, _ int) uint64 { return uint64(bits.OnesCount64(x)) }},
	{"trailing_zeros", lib.TrailingZeros, func(x uint64, w int) uint64 { return uint64(min(bits.TrailingZeros64(x), w)) }},
	{"leading_zeros", lib.LeadingZeros, func(x uint64, w int) uint64 { return uint64(w - bits.Len64(x)) }},
	{"reverse", lib.Reverse, func(x uint64, w int) uint64 { return bits.Reverse64(x) >> (64 - w) }},
	{"one_hot", func(x hdl.Signal) hdl.Signal { return lib.OneHot(x, 11) }, func(x uint64, _ int) uint64 {
		if x < 11 {
			return 1 << x
		}
		return 0
	}},
}

type functionsIO struct {
	X   hdl.Var `hdl:"in"`
	Out []hdl.Var
}

// every is a module of all the functions.
func every(m *hdl.Module, w int) functionsIO {
	x := m.In("x", hdl.U(w))
	io := functionsIO{X: x}
	for _, f := range functions {
		y := f.f(x.Signal)
		o := m.Out(f.name, hdl.U(y.Width()))
		o.Set(y)
		io.Out = append(io.Out, o)
	}
	return io
}

func TestVectorFunctions(t *testing.T) {
	for w := 1; w <= 33; w++ {
		g := newRig(t, model(t, elaborated(t, every, w), 0), uint64(w))
		require.Equal(t, hdl.AddrBits(w+1), g.port("pop_count").Type.Width)
		require.Equal(t, hdl.AddrBits(w+1), g.port("leading_zeros").Type.Width)
		r := rand.New(rand.NewPCG(uint64(w), 9))
		for i := range 300 {
			x := uint64(i) & (1<<w - 1)
			switch {
			case i >= 200:
				x = r.Uint64() >> (64 - w)
			case i >= 100:
				x = 1 << (i % w)
			}
			functionsOf(t, g, x, w)
		}
	}
}

func functionsOf(t testing.TB, g *rig, x uint64, w int) {
	t.Helper()
	g.set("x", x)
	require.NoError(t, g.e.Step())
	for _, f := range functions {
		require.Equal(t, f.want(x, w), g.get(f.name), "%s of %#x, %d bits", f.name, x, w)
	}
}

type rotateIO struct {
	X hdl.Var `hdl:"in"`
	N hdl.Var `hdl:"in"`
	Y hdl.Var
}

func TestRotateLanes(t *testing.T) {
	for _, c := range []struct{ lanes, bits, n int }{{2, 5, 1}, {3, 8, 2}, {5, 3, 4}, {6, 4, 3}, {8, 1, 3}} {
		d := elaborated(t, func(m *hdl.Module, _ struct{}) rotateIO {
			io := hdl.Ports(m, "", hdl.Source, rotateIO{hdl.U(c.lanes * c.bits), hdl.U(c.n), hdl.U(c.lanes * c.bits)})
			io.Y.Set(lib.RotateLanes(io.X.Signal, io.N.Signal, c.bits))
			return io
		}, struct{}{})
		g := newRig(t, model(t, d, 0), 1)
		w := c.lanes * c.bits
		for range 200 {
			x, n := g.r.Uint64()>>(64-w), g.r.IntN(1<<c.n)
			g.set("x", x)
			g.set("n", uint64(n))
			require.NoError(t, g.e.Eval())
			by := n % c.lanes * c.bits
			require.Equal(t, (x<<by|x>>(w-by))&(1<<w-1), g.get("y"), "%+v: %#x by %d lanes", c, x, n)
		}
	}
	_, err := hdl.Elaborate(func(m *hdl.Module, _ struct{}) rotateIO {
		io := hdl.Ports(m, "", hdl.Source, rotateIO{hdl.U(7), hdl.U(1), hdl.U(7)})
		io.Y.Set(lib.RotateLanes(io.X.Signal, io.N.Signal, 2))
		return io
	}, struct{}{})
	require.ErrorContains(t, err, "7 bits are no whole number of lanes of 2")
}
