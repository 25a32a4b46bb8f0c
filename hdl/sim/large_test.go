package sim

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/millrace-hdl/millrace/hdl/check"
	"github.com/millrace-hdl/millrace/hdl/ir"
)

// large makes a model of a design given as text.
func large(t *testing.T, text string) *Model {
	t.Helper()
	d, err := ir.Parse("design", text)
	require.NoError(t, err)
	require.NoError(t, check.Valid(d).Err())
	m, err := New(d, Options{Kind: Interpreter})
	require.NoError(t, err)
	return m
}

// work is what making a model takes, in statements looked at, operations and
// instructions.
func (m *Model) work() int { return m.low.looked + len(m.low.nodes) + len(m.settle) + len(m.advance) }

// A long priority chain must not nest as many branches as it has links.
func TestLongChainsOfConditions(t *testing.T) {
	chain := func(links int) *Model {
		var arms strings.Builder
		for i := range links {
			fmt.Fprintf(&arms, "(when (eq a %d:u12) (set y (xor b %d:u8)))", i, i%251)
		}
		return large(t, "(design m) (module m (input a u12) (input b u8) (output y u8) (body (if "+arms.String()+" (else (set y b)))))")
	}
	const links = 3000
	m := chain(links)
	require.Less(t, m.work(), 21*chain(links/2).work()/10)
	for _, a := range []uint64{0, 1, 63, 64, 65, 66, 1000, links - 1, links, 4095} {
		m.In()[0], m.In()[1] = a, 0xa5
		require.NoError(t, m.Eval())
		want := uint64(0xa5)
		if a < links {
			want ^= a % 251
		}
		require.Equal(t, want, m.Out()[0], a)
	}
}

// Twice the registers are twice the work, however the statements set them.
func TestManyRegisters(t *testing.T) {
	for _, tt := range []struct {
		name, open, each, closing string
		want                      func(a, b, i uint64) uint64 // of register i after one cycle
	}{
		{"each by itself", "", "(set r%[1]d (xor b %[2]d:u8))", "", func(_, b, i uint64) uint64 { return b ^ i&0xff }},
		{"each under its own condition", "", "(if (when (eq a %[1]d:u16) (set r%[1]d (xor b %[2]d:u8))))", "", once},
		{"all under one condition", "(if (when (ne a 0:u16) ", "(set r%[1]d (xor b %[2]d:u8))", "))", func(_, b, i uint64) uint64 { return b ^ i&0xff }},
		{"each in a case of a switch", "(switch a ", "(case %[1]d:u16 (set r%[1]d (xor b %[2]d:u8)))", ")", once},
		{"each in an arm of a chain", "(if ", "(when (eq a %[1]d:u16) (set r%[1]d (xor b %[2]d:u8)))", ")", once},
	} {
		t.Run(tt.name, func(t *testing.T) {
			with := func(n int) *Model {
				var regs, body strings.Builder
				for i := range n {
					fmt.Fprintf(&regs, "(reg r%d u8 (init 0:u8))", i)
					fmt.Fprintf(&body, tt.each, i, i&0xff)
				}
				return large(t, "(design m) (module m (input a u16) (input b u8) (output y u8)"+regs.String()+"(body "+tt.open+body.String()+tt.closing+"(set y r7)))")
			}
			const n = 1000
			m := with(n)
			require.Less(t, m.work(), 21*with(n/2).work()/10)
			m.In()[0], m.In()[1] = 700, 0x3c
			require.NoError(t, m.Step())
			for i, v := range m.Vars() {
				got := make([]uint64, 1)
				m.Read(v, got)
				require.Equal(t, tt.want(700, 0x3c, uint64(i)), got[0], v.Path)
			}
		})
	}
}

func once(a, b, i uint64) uint64 {
	if a == i {
		return b ^ i&0xff
	}
	return 0
}

// Values that each use the one before twice are one chain, also where they are
// computed under a condition: walking them must not take every path.
func TestSharedValuesUnderACondition(t *testing.T) {
	var lets strings.Builder
	lets.WriteString("(let %0 (add a 1:u64))")
	for i := range 80 {
		fmt.Fprintf(&lets, "(let %%%d (add (xor %%%d a) (mul %%%[2]d b)))", i+1, i)
	}
	m := large(t, "(design m) (module m (input a u64) (input b u64) (input c u1) (output y u64) (reg r u64 (init 0:u64)) (body "+
		lets.String()+"(if (when c (set r %80))) (set y r)))")
	m.In()[0], m.In()[1], m.In()[2] = 3, 5, 1
	want := uint64(4)
	for range 80 {
		want = (want ^ 3) + want*5
	}
	require.NoError(t, m.Step())
	require.NoError(t, m.Eval())
	require.Equal(t, want, m.Out()[0])
}
