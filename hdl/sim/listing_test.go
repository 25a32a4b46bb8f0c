package sim_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/millrace-hdl/millrace/hdl/irtest"
	"github.com/millrace-hdl/millrace/hdl/sim"
)

// TestListing shows what becomes of typical logic.
func TestListing(t *testing.T) {
	m := newModel(t, `(design top) (module top
		(input valid u1) (input last u1) (input data u128) (input strb u16) (input addr u3) (input sel u2)
		(output ready u1) (output sum u128) (output pick u8) (output hot u32)
		(reg acc u128 (init 0:u128)) (reg count u7 (init 0:u7)) (reg st u2 (init 0:u2)) (reg row u128)
		(wire slow u32) (mem m u8 5)
		(body
			(set ready (and (not valid) (ne count 100:u7)))
			(if (when valid
				(set acc (add acc data))
				(set count (add count 1:u7))
				(write m addr data[7:0])
				(if (when last (set row (not acc))))))
			(switch st (case 0:u2 (if (when valid (set st 1:u2)))) (case 1:u2 (if (when last (set st 2:u2)))) (default (set st 0:u2)))
			(set slow (mul (xor (add data[31:0] data[63:32]) (sub data[95:64] data[127:96])) (extend count 32)))
			(set hot (mux valid slow (extend strb 32)))
			(set sum (xor acc row))
			(set pick (mux (eq sel 0:u2) (read m addr) (cat count valid)))))`, sim.Options{Kind: sim.Interpreter})
	golden(t, "listing.txt", m.Listing())
}

// TestListingOfChain: two selections by one condition, of which the second
// depends on the first through something unconditional, and which the first
// asked for pulls along or not: two branches, with each leg once.
func TestListingOfChain(t *testing.T) {
	leg := func(x, k string) string {
		return "(mul (add " + x + " " + k + ":u32) (sub (xor " + x + " 77:u32) (mul " + x + " " + k + ":u32)))"
	}
	for name, outputs := range map[string]string{"chain.txt": "(output o u32) (output p u32)", "chain_reversed.txt": "(output p u32) (output o u32)"} {
		m := newModel(t, `(design top) (module top (input c u1) (input x u32) `+outputs+` (wire n u32)
			(body
				(set o (mux c `+leg("x", "3")+` `+leg("x", "5")+`))
				(set n (add o x))
				(set p (mux c `+leg("n", "7")+` `+leg("x", "9")+`))))`, sim.Options{Kind: sim.Interpreter})
		golden(t, name, m.Listing())
	}
}

func TestListingIsStable(t *testing.T) {
	for seed := range uint64(10) {
		d := irtest.Random(seed, irtest.Options{Levels: 1})
		a, err := sim.New(d, sim.Options{Kind: sim.Interpreter})
		require.NoError(t, err)
		b, err := sim.New(irtest.Random(seed, irtest.Options{Levels: 1}), sim.Options{Kind: sim.Interpreter})
		require.NoError(t, err)
		require.Equal(t, a.Listing(), b.Listing())
		require.False(t, strings.Contains(a.Listing(), "%!"))
	}
}
