package check

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/millrace-hdl/millrace/hdl/ir"
)

// wide is a data path of w bits: two byte rotators, a buffer with byte enables, a
// byte-wise chain through one vector (a cycle between words, none between bits),
// and a checksum; in top there are n of them in a row.
func wide(t testing.TB, w, n int) *ir.Design {
	var b strings.Builder
	bytes := w / 8
	steps := ir.AddrBits(bytes)
	p := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	p("(design top)\n(module path")
	p("(input d u%d) (input by u%d) (input strb u%d) (output q u%d) (output sum u%d)", w, steps, bytes, w, w)
	p("(reg hold u%d) (wire turned u%d) (wire chain u%d) (wire last u%d) (wire keep u%d)", w, w, w, w, bytes)
	p("(body")
	rotate := func(from, to string) {
		x := from
		for s := range steps {
			n := 8 << s
			l := fmt.Sprintf("%%%s%d", map[string]string{"turned": "1", "last": "2"}[to], s)
			p("(let %s (mux by[%d] (cat %s[%d:0] %s[%d:%d]) %s))", l, s, x, w-n-1, x, w-1, w-n, x)
			x = l
		}
		p("(set %s %s)", to, x)
	}
	rotate("d", "turned")
	p("(set keep strb)")
	for i := range bytes {
		p("(if (when keep[%d] (set hold[%d:%d] turned[%d:%d])))", i, 8*i+7, 8*i, 8*i+7, 8*i)
	}
	p("(set chain[7:0] hold[7:0]) (set chain[%d:8] (xor chain[%d:0] hold[%d:8]))", w-1, w-9, w-1)
	rotate("chain", "last")
	p("(set q last) (set sum (add (add last hold) d))))")
	p("(module top (input d u%d) (input by u%d) (input strb u%d) (output q u%d) (output sum u%d)", w, steps, bytes, w, w)
	for i := range n {
		p("(inst_in u%d_d u%d) (inst_in u%d_by u%d) (inst_in u%d_strb u%d) (inst_out u%d_q u%d) (inst_out u%d_sum u%d)", i, w, i, steps, i, bytes, i, w, i, w)
	}
	for i := range n {
		p("(instance u%d path (port d u%d_d) (port by u%d_by) (port strb u%d_strb) (port q u%d_q) (port sum u%d_sum))", i, i, i, i, i, i)
	}
	p("(body")
	from := "d"
	sum := "0x0:u" + fmt.Sprint(w)
	for i := range n {
		p("(set u%d_d %s) (set u%d_by by) (set u%d_strb strb)", i, from, i, i)
		from = fmt.Sprintf("u%d_q", i)
		sum = fmt.Sprintf("(xor %s u%d_sum)", sum, i)
	}
	p("(set q %s) (set sum %s)))", from, sum)
	d, err := ir.Parse("wide", b.String())
	require.NoError(t, err)
	return d
}

// effort is the number of edges between bits that the search for loops and for
// crossings computes, and that the search for paths does.
func effort(t *testing.T, d *ir.Design) (checks, paths int) {
	t.Helper()
	require.NoError(t, Design(d).Err())
	netlists := func() (*checker, []*netlist) {
		c := newChecker(d)
		c.valid()
		return c, c.netlists()
	}
	sum := func(nets []*netlist) (n int) {
		for _, x := range nets {
			n += x.effort
		}
		return n
	}
	c, nets := netlists()
	c.loops(nets)
	for _, n := range nets {
		c.crossings(n)
	}
	_, again := netlists()
	require.NotEmpty(t, combPaths(again[len(again)-1]))
	return sum(nets), sum(again)
}

// What is done bit by bit grows with the bits, and the checks do it once a module.
func TestEffortGrowsWithTheDesign(t *testing.T) {
	checks, paths := effort(t, wide(t, 256, 2))
	require.Positive(t, checks)
	wideChecks, widePaths := effort(t, wide(t, 1024, 2))
	require.LessOrEqual(t, wideChecks, 5*checks, "four times as wide")
	require.LessOrEqual(t, widePaths, 6*paths, "four times as wide, with more stages to rotate")
	longChecks, longPaths := effort(t, wide(t, 256, 8))
	require.Equal(t, checks, longChecks, "four times as many instances")
	require.LessOrEqual(t, longPaths, 5*paths, "four times as many instances")
}

// crossed is two data paths of w bits in two clock domains of one module, and a
// register that takes the sum of the first into the second.
func crossed(t *testing.T, w int) *ir.Design {
	d, err := ir.Parse("crossed", fmt.Sprintf(`(design m)(module m (domain io "io_clk" "")
		(input a u%[1]d) (input b u%[1]d (on io)) (output y u%[1]d) (output z u%[1]d (on io))
		(reg sum u%[1]d) (reg part u%[1]d (on io) (crossing "Held.")) (body
		(set sum (add a sum)) (set y (and sum a)) (set part sum) (set z (add (add part b) part))))`, w))
	require.NoError(t, err)
	return d
}

func TestEffortOfCrossingsGrowsWithTheWidth(t *testing.T) {
	narrow, _ := effort(t, crossed(t, 64))
	require.Positive(t, narrow)
	broad, _ := effort(t, crossed(t, 256))
	require.LessOrEqual(t, broad, 5*narrow, "four times as wide")
}

func BenchmarkDesign(b *testing.B) {
	for _, n := range []int{1, 8} {
		d := wide(b, 1024, n)
		b.Run(fmt.Sprintf("w1024x%d", n), func(b *testing.B) {
			for b.Loop() {
				if err := Design(d).Err(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkCombPaths(b *testing.B) {
	d := wide(b, 1024, 8)
	for b.Loop() {
		_, _ = CombPaths(d)
	}
}

func BenchmarkText(b *testing.B) {
	d := wide(b, 1024, 8)
	for b.Loop() {
		_ = d.String()
	}
}
