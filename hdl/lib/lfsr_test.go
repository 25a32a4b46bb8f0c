package lib_test

import (
	"math/big"
	"math/bits"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/millrace-hdl/millrace/hdl"
	"github.com/millrace-hdl/millrace/hdl/lib"
	"github.com/millrace-hdl/millrace/hdl/sim"
)

// timesModulo is a·b in the field of the polynomial x^width + poly.
func timesModulo(a, b, poly uint64, width int) (out uint64) {
	for ; b != 0; b >>= 1 {
		if b&1 == 1 {
			out ^= a
		}
		over := a>>(width-1)&1 == 1
		a = a << 1 & (^uint64(0) >> (64 - width))
		if over {
			a ^= poly
		}
	}
	return out
}

// powerOfX is x^n in that field.
func powerOfX(n, poly uint64, width int) uint64 {
	out, square := uint64(1), uint64(2)
	for ; n != 0; n >>= 1 {
		if n&1 == 1 {
			out = timesModulo(out, square, poly, width)
		}
		square = timesModulo(square, square, poly, width)
	}
	return out
}

// primes are the prime factors of n, found by division and then by Pollard's cycles.
func primes(n uint64) (out []uint64) {
	for p := uint64(2); p < 2000 && p*p <= n; p++ {
		if n%p == 0 {
			out = append(out, p)
		}
		for n%p == 0 {
			n /= p
		}
	}
	var split func(n uint64)
	split = func(n uint64) {
		if n == 1 {
			return
		}
		if new(big.Int).SetUint64(n).ProbablyPrime(20) {
			out = append(out, n)
			return
		}
		for c := uint64(1); ; c++ {
			step := func(x uint64) uint64 {
				hi, lo := bits.Mul64(x, x)
				_, rest := bits.Div64(hi, lo, n)
				return (rest + c) % n
			}
			x, y, d := uint64(2), uint64(2), uint64(1)
			for d == 1 {
				x, y = step(x), step(step(y))
				d = new(big.Int).GCD(nil, nil, new(big.Int).SetUint64(max(x, y)-min(x, y)), new(big.Int).SetUint64(n)).Uint64()
			}
			if d != n {
				split(d)
				split(n / d)
				return
			}
		}
	}
	split(n)
	return out
}

// The polynomial of every width is primitive: the order of x is 2^width-1, and no
// divisor of that.
func TestLFSRPolynomialsArePrimitive(t *testing.T) {
	for width := 2; width <= 64; width++ {
		poly, all := lib.LFSRPoly(width), ^uint64(0)>>(64-width)
		require.EqualValues(t, 1, powerOfX(all, poly, width), "width %d", width)
		product := big.NewInt(1)
		for _, p := range primes(all) {
			require.NotEqualValues(t, 1, powerOfX(all/p, poly, width), "width %d: the order divides %d", width, all/p)
			for rest := all; rest%p == 0; rest /= p {
				product.Mul(product, new(big.Int).SetUint64(p))
			}
		}
		require.Equal(t, all, product.Uint64(), "the factors of 2^%d-1", width)
	}
	require.Zero(t, lib.LFSRPoly(1))
	require.Zero(t, lib.LFSRPoly(65))
}

// shifted is the state after one step as the textbooks draw it.
func shifted(state uint64, width int, galois bool) uint64 {
	poly, all := lib.LFSRPoly(width), ^uint64(0)>>(64-width)
	if galois {
		return timesModulo(state, 2, poly, width)
	}
	in := 0
	for i := range width {
		if poly>>i&1 == 1 {
			in ^= int(state >> (width - 1 - i) & 1)
		}
	}
	return state<<1&all | uint64(in)
}

// Short registers go through every state but zero, in hardware.
func TestLFSRPeriod(t *testing.T) {
	for width := 2; width <= 10; width++ {
		for _, galois := range []bool{false, true} {
			for _, steps := range []int{1, 2} { // 2 divides no 2^width-1
				e := pinsOf(t, model(t, built(t, lib.LFSR, lib.LFSRParams{Width: width, Galois: galois, Steps: steps}), 1))
				e.set("en", 1)
				seen := map[uint64]bool{}
				for range 1<<width - 1 {
					require.NoError(t, e.Step())
					seen[e.get("state")] = true
				}
				require.Len(t, seen, 1<<width-1, "width %d", width)
				require.False(t, seen[0])
				require.NoError(t, e.Step())
				require.EqualValues(t, 1, e.get("state"), "back where it began")
			}
		}
	}
}

// lfsrs drives a register at random and follows it step by step.
func lfsrs(t testing.TB, e sim.Engine, p lib.LFSRParams, seed uint64, cycles int) {
	t.Helper()
	t.Logf("%s, seed %d", p.Suffix(), seed)
	r := rand.New(rand.NewPCG(seed, 7))
	b := pinsOf(t, e)
	want := max(p.Seed, 1)
	for range cycles {
		en, load, from := r.IntN(4) > 0, r.IntN(16) == 0, r.Uint64()>>(64-p.Width)
		if r.IntN(2) == 0 {
			from = 0
		}
		b.set("en", bit(en))
		b.set("load", bit(load))
		b.set("seed", from)
		require.NoError(t, b.Step())
		require.Equal(t, want, b.get("state"))
		switch {
		case load:
			want = max(from, 1)
		case en:
			for range max(p.Steps, 1) {
				want = shifted(want, p.Width, p.Galois)
			}
		}
	}
	require.NoError(t, sim.Violations(e))
}

func TestLFSRKeepsItsContract(t *testing.T) {
	for width := 2; width <= 64; width += 5 {
		for _, galois := range []bool{false, true} {
			for _, steps := range []int{0, 3, 64} {
				p := lib.LFSRParams{Width: width, Galois: galois, Steps: steps, Seed: 3}
				lfsrs(t, model(t, built(t, lib.LFSR, p), 1), p, uint64(width), 100)
			}
		}
	}
}

func TestLFSRParams(t *testing.T) {
	for _, c := range []struct {
		p    lib.LFSRParams
		want string
	}{
		{lib.LFSRParams{Width: 1}, "Width 1: it must be 2 to 64"},
		{lib.LFSRParams{Width: 65}, "Width 65"},
		{lib.LFSRParams{Width: 8, Steps: 65}, "65 Steps: they must be 1 to 64, or 0 for 1"},
		{lib.LFSRParams{Width: 8, Seed: 256}, "Seed 0x100: it must be at most 0xff"},
	} {
		_, err := hdl.Elaborate(lib.LFSR, c.p)
		require.ErrorContains(t, err, c.want)
	}
	require.Equal(t, "16_galois_by4_sff", lib.LFSRParams{Width: 16, Galois: true, Steps: 4, Seed: 255}.Suffix())
}

func TestLFSRInRTL(t *testing.T) {
	for _, p := range []lib.LFSRParams{{Width: 24, Seed: 77}, {Width: 64, Galois: true, Steps: 8}} {
		lfsrs(t, couple(t, built(t, lib.LFSR, p)), p, 1, 300)
	}
}

// In both forms the top bit is a sequence of the polynomial; in Fibonacci's the bits
// below it are those that come next.
func TestLFSRSequence(t *testing.T) {
	for _, width := range []int{3, 8, 33, 64} {
		for _, galois := range []bool{false, true} {
			e := pinsOf(t, model(t, built(t, lib.LFSR, lib.LFSRParams{Width: width, Galois: galois, Seed: 5}), 1))
			e.set("en", 1)
			var states []uint64
			for range 3 * width {
				require.NoError(t, e.Step())
				states = append(states, e.get("state"))
			}
			top := func(i int) uint64 { return states[i] >> (width - 1) }
			for i := range 2 * width {
				sum := uint64(0)
				for k := range width {
					sum ^= lib.LFSRPoly(width) >> k & 1 * top(i+k)
					if !galois {
						require.Equal(t, top(i+k), states[i]>>(width-1-k)&1)
					}
				}
				require.Equal(t, sum, top(i+width), "width %d, bit %d", width, i)
			}
		}
	}
}
