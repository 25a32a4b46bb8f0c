package sim_test

import (
	"fmt"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/millrace-hdl/millrace/hdl/irtest"
	"github.com/millrace-hdl/millrace/hdl/sim"
)

// rotated is the text of v rotated left by n.
func rotated(v string, width, n int) string {
	return fmt.Sprintf("(cat %s[%d:0] %s[%d:%d])", v, width-n-1, v, width-1, width-n)
}

// join makes a concatenation of n parts, least significant first.
func join(n int, part func(i int) string) string {
	s := ""
	for i := range n {
		s = " " + part(i) + s
	}
	return "(cat" + s + ")"
}

// TestIdioms checks that what descriptions are full of becomes the instruction
// made for it, and still means the same.
func TestIdioms(t *testing.T) {
	for _, w := range []int{32, 64, 96, 128, 512} {
		lanes := w / 8
		top, wide := w-1, ""
		if w > 64 {
			wide = ".w"
		}
		onehot := fmt.Sprintf("(or (or (mux k[0] x 0:u%[1]d) (mux k[1] y 0:u%[1]d)) (mux k[2] z 0:u%[1]d))", w)
		barrel := fmt.Sprintf("(let %%1 (mux k[0] %s x)) (let %%2 (mux k[1] %s %%1)) (set o (mux k[2] %s %%2))",
			rotated("x", w, 4), rotated("%1", w, 8), rotated("%2", w, 16))
		for _, tt := range []struct{ name, body, has, hasNot string }{
			{"barrel rotator", barrel, "rot" + wide, "mux"},
			{"rotation", "(set o " + rotated("x", w, 7) + ")", "rot" + wide, "cat "},
			{"byte enables by assignment", func() string {
				s := "(set o y)"
				for i := range lanes {
					s += fmt.Sprintf("(if (when k[%d] (set o[%d:%d] x[%d:%d])))", i, 8*i+7, 8*i, 8*i+7, 8*i)
				}
				return s
			}(), "blend" + wide, "mux"},
			{"byte enables by concatenation", "(set o " + join(lanes, func(i int) string {
				return fmt.Sprintf("(mux k[%d] x[%d:%d] y[%d:%d])", i, 8*i+7, 8*i, 8*i+7, 8*i)
			}) + ")", "spread", "mux"},
			{"lanes of four bits", "(set o " + join(w/4, func(i int) string {
				return fmt.Sprintf("(mux k[%d] x[%d:%d] y[%d:%d])", i, 4*i+3, 4*i, 4*i+3, 4*i)
			}) + ")", "spread", "mux"},
			{"a mask of bytes", "(set o " + join(lanes, func(i int) string { return strings.Repeat(fmt.Sprintf(" k[%d]", i), 8) }) + ")", "spread", "cat "},
			{"blend", "(set o (or (and x z) (and y (not z))))", "blend" + wide, "and"},
			{"blend, inverted mask first", "(set o (or (and (not z) y) (and x z)))", "blend" + wide, "and"},
			{"no blend", "(set o (or (and x y) (and x z)))", "or" + wide, "blend"},
			{"bit rotator", fmt.Sprintf("(let %%1 (mux k[0] %s x)) (set o (mux k[1] %s %%1))", rotated("x", w, 1), rotated("%1", w, 2)), "rot" + wide, "mux"},
			{"legs that stay apart", fmt.Sprintf("(set o (cat (mux k[0] x[%[1]d:%[2]d] y[%[3]d:0]) (mux k[0] y[%[1]d:%[2]d] z[%[3]d:0])))", w-1, w/2, w/2-1), "mux", "blend"},
			{"lanes that stay apart", "(set o " + join(lanes, func(i int) string {
				return fmt.Sprintf("(mux k[%d] x[%d:%d] y[%d:%d])", i, 8*i+7, 8*i, w-1-8*i, w-8-8*i)
			}) + ")", "mux", "spread"},
			{"a gate that is its input", fmt.Sprintf("(set o (extend (and k[0] (xor k[0] (not k[0]))) %d))", w), "", "table"},
			{"a gate that is constant", fmt.Sprintf("(set o (extend (xor k[0] (not k[0])) %d))", w), "", "table"},
			{"selection by a one-hot code", "(set o " + onehot + ")", "orif" + wide, "slice"},
			{"selection by a repeated bit", "(set o (or (and x " + join(w, func(int) string { return "k[5]" }) + ") y))", "orif" + wide, "sext"},
			{"what was taken apart is put together", "(set o " + join(lanes, func(i int) string { return fmt.Sprintf("(xor x y)[%d:%d]", 8*i+7, 8*i) }) + ")", "xor" + wide, "cat"},
			{"constants are computed beforehand", fmt.Sprintf("(set o (xor x (mul 3:u%d 5:u%d)))", w, w), "xor" + wide, "mul"},
			{"equal operations are done once", "(set o (mul (add x y) (add y x)))", "mul", ""},
			{"gates", "(set o (extend (or (and k[0] (not k[1])) (and (xor k[2] k[3]) k[0])) " + fmt.Sprint(w) + "))", "table4", "and"},
			{"a selection of bits of a word", "(set o (mux k[3] x y))", "mux" + wide, "slice"},
		} {
			if strings.HasPrefix(tt.has, "rot") && w%64 != 0 && w > 64 {
				tt.has, tt.hasNot = "mux", "" // only whole words rotate in one go
				if tt.name == "rotation" {
					tt.has = "funnel"
				}
			}
			t.Run(fmt.Sprintf("%s/%d", tt.name, w), func(t *testing.T) {
				text := fmt.Sprintf("(design top) (module top (input x u%[1]d) (input y u%[1]d) (input z u%[1]d) (input k u%[1]d) (output o u%[1]d) (body %[2]s))", top+1, tt.body)
				m := newModel(t, text, sim.Options{Kind: sim.Interpreter})
				require.Contains(t, m.Listing(), tt.has, tt.body)
				if tt.hasNot != "" {
					require.NotContains(t, m.Listing(), tt.hasNot, tt.body)
				}
				ref := irtest.NewReference(parse(t, text))
				r := rand.New(rand.NewPCG(1, uint64(w)))
				for range 200 {
					for _, p := range m.Layout().Inputs {
						in := m.In()[p.Offset:][:p.Words()]
						stimulus(r, in, w)
						ref.Set(p.Name, irtest.Value(in))
					}
					require.NoError(t, m.Eval())
					require.NoError(t, ref.Settle())
					require.Equal(t, irtest.Words(ref.Get("o"), w), m.Out())
				}
			})
		}
	}
}

// TestPartialSelections: what a selection passes through on its way is there for
// others, too.
func TestPartialSelections(t *testing.T) {
	m := newModel(t, `(design top) (module top (input x u128) (input k u3) (output three u128) (output two u128) (wire w u128)
		(body (let %1 (or (mux k[0] x 0:u128) (mux k[1] (not x) 0:u128))) (set two %1)
			(let %2 (or %1 (mux k[2] (shl x 1:u1) 0:u128))) (set three %2) (set w (or %2 (mux k[1] (shr x 2:u2) 0:u128)))))`, sim.Options{Kind: sim.Interpreter})
	require.Contains(t, m.Listing(), "orif.w")
	set(t, m, "x", pow2(100))
	x, y := pow2(100), new(big.Int).Sub(new(big.Int).Sub(pow2(128), pow2(100)), big.NewInt(1))
	for k := range uint64(8) {
		drive(t, m, map[string]uint64{"k": k})
		require.NoError(t, m.Eval())
		want := new(big.Int)
		if k&1 == 1 {
			want.Or(want, x)
		}
		if k&2 == 2 {
			want.Or(want, y)
		}
		require.Zero(t, want.Cmp(irtest.Value(m.Out()[2:])), "k=%d", k)
		if k&4 == 4 {
			want.Or(want, pow2(101))
		}
		require.Zero(t, want.Cmp(irtest.Value(m.Out()[:2])), "k=%d", k)
		if k&2 == 2 {
			want.Or(want, pow2(98))
		}
		require.Zero(t, want.Cmp(irtest.Value(read(m, variable(t, m, "w")))), "k=%d", k)
	}
}

// TestWideLanes: bits repeated more often than one instruction can.
func TestWideLanes(t *testing.T) {
	repeat := func(bit int) string { return strings.Repeat(fmt.Sprintf(" k[%d]", bit), 300) }
	m := newModel(t, "(design top) (module top (input k u2) (output o u600) (body (set o (cat"+repeat(1)+repeat(0)+"))))", sim.Options{Kind: sim.Interpreter})
	for k := range uint64(4) {
		drive(t, m, map[string]uint64{"k": k})
		require.NoError(t, m.Eval())
		for i := range 600 {
			require.Equal(t, k>>(i/300)&1, m.Out()[i/64]>>(i%64)&1, "k=%d bit %d", k, i)
		}
	}
}

// TestIdleLogicIsSkipped: what matters only under a condition is not computed
// otherwise.
func TestIdleLogicIsSkipped(t *testing.T) {
	m := newModel(t, `(design top) (module top (input go u1) (input x u32) (output o u32) (reg r u32 (init 0:u32)) (reg s u32 (init 0:u32)) (mem m u32 4)
		(body (set o (xor r (xor s (read m x[1:0]))))
			(if (when go
				(set r (add (mul (add r x) (sub s x)) (shr x r[4:0])))
				(set s (xor (mul (add s x) (sub r x)) (shl x s[4:0])))
				(write m x[3:2] (mul x (add x 77:u32)))))))`, sim.Options{Kind: sim.Interpreter})
	list := m.Listing()
	advance := list[strings.Index(list, "advance:"):strings.Index(list, "edge:")]
	lines := strings.Split(strings.TrimSpace(advance), "\n")
	require.Contains(t, lines[1], "unless     go", "one branch around everything:\n%s", advance)
	require.Equal(t, 1, strings.Count(advance, "unless")+strings.Count(advance, " if "), advance)
	require.Contains(t, lines[1], fmt.Sprintf("n=%d", len(lines)-3), advance)
}
