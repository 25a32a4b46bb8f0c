package check

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/millrace-hdl/millrace/hdl/ir"
)

// body makes random statements over the wires w0 to w2 of 4 bits; conditions are
// all different.
type body struct {
	r     *rand.Rand
	conds int
}

func (b *body) list(depth int) string {
	var s strings.Builder
	for range b.r.IntN(4) {
		switch k := b.r.IntN(4); {
		case depth == 0 || k < 2:
			lo := b.r.IntN(4)
			fmt.Fprintf(&s, "(set w%d[%d:%d] 0:u%d)", b.r.IntN(3), lo+b.r.IntN(4-lo), lo, 0)
		case k == 2:
			s.WriteString("(if")
			for range 1 + b.r.IntN(2) {
				b.conds++
				fmt.Fprintf(&s, "(when (eq x %d:u10)%s)", b.conds, b.list(depth-1))
			}
			if b.r.IntN(2) == 0 {
				s.WriteString("(else " + b.list(depth-1) + ")")
			}
			s.WriteString(")")
		default:
			b.conds++
			fmt.Fprintf(&s, "(switch x[1:0] (case 0:u2 %s) (case 1:u2 2:u2 %s)", b.list(depth-1), b.list(depth-1))
			if b.r.IntN(2) == 0 {
				fmt.Fprintf(&s, "(case 3:u2 %s)", b.list(depth-1))
			}
			if b.r.IntN(2) == 0 {
				fmt.Fprintf(&s, "(default %s)", b.list(depth-1))
			}
			s.WriteString(")")
		}
	}
	return s.String()
}

// run is one way through a body: the assignment that each bit takes.
type run map[[2]int]*ir.Assign

// runs enumerates all ways through a list, each taken on from every run of rs;
// nil if they are too many.
func runs(list []ir.Stmt, rs []run, wire map[*ir.Signal]int) []run {
	for _, s := range list {
		var next []run
		switch s := s.(type) {
		case *ir.Assign:
			for _, r := range rs {
				n := run{}
				for k, v := range r {
					n[k] = v
				}
				for i := range s.Width {
					n[[2]int{wire[s.Target], s.Lo + i}] = s
				}
				next = append(next, n)
			}
		default:
			bodies := ir.Bodies(s)
			if sw, ok := s.(*ir.Switch); ok && !sw.HasDefault && len(sw.Cases) == 3 {
				bodies = bodies[:3] // all four values have a case
			}
			for _, b := range bodies {
				more := runs(b, rs, wire)
				if more == nil {
					return nil
				}
				next = append(next, more...)
			}
		}
		rs = next
		if len(rs) > 300 {
			return nil
		}
	}
	return rs
}

// What is assigned always, sometimes and by whom agrees with following every path.
func TestRandomBodiesAgainstAllPaths(t *testing.T) {
	compared := 0
	randomly(t, 300, func(t *testing.T, s uint64, r *rand.Rand) {
		b := &body{r: r}
		text := "(design m)(module m (input x u10) (wire w0 u4) (wire w1 u4) (wire w2 u4) (body " + b.list(3) + "))"
		d, err := ir.Parse("body", strings.ReplaceAll(text, ":u0", ":u1"))
		require.NoError(t, err)
		ir.WalkStmts(d.Top.Body, func(s ir.Stmt) bool { // literals as wide as their targets
			if a, ok := s.(*ir.Assign); ok {
				a.Value = ir.NewConst(ir.Type{Width: a.Width}, 0)
			}
			return true
		})
		require.NoError(t, Valid(d).Err())
		wire := map[*ir.Signal]int{d.Top.Signals[1]: 0, d.Top.Signals[2]: 1, d.Top.Signals[3]: 2}
		rs := runs(d.Top.Body, []run{{}}, wire)
		if rs == nil {
			return
		}
		c := newChecker(d)
		c.valid()
		n := c.netlists()[0]
		for sig, w := range wire {
			cv := n.cover[sig]
			for bit := range 4 {
				must, may, by := true, false, map[*ir.Assign]bool{}
				for _, r := range rs {
					a := r[[2]int{w, bit}]
					must = must && a != nil
					may = may || a != nil
					by[a] = true
				}
				if cv == nil {
					require.False(t, may, "w%d[%d]", w, bit)
					continue
				}
				require.Equal(t, must, cv.must.has(bit), "must of w%d[%d]:\n%s", w, bit, d)
				// may includes assignments that a later one always overwrites
				require.True(t, !may || cv.may.has(bit), "may of w%d[%d]:\n%s", w, bit, d)
				for _, dr := range cv.drivers {
					require.Equal(t, by[dr.stmt], dr.drives(bit), "driver %s of w%d[%d]:\n%s", ir.StmtString(dr.stmt), w, bit, d)
					compared++
				}
			}
		}
	})
	require.Positive(t, compared)
}
