package check

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/millrace-hdl/millrace/hdl/diag"
	"github.com/millrace-hdl/millrace/hdl/ir"
)

// exprs makes random expressions over named signals.
type exprs struct {
	r    *rand.Rand
	sigs map[string]int // readable signals and their widths
	list []string
}

func (x *exprs) expr(w, depth int) string {
	if depth == 0 || x.r.IntN(4) == 0 {
		if x.r.IntN(3) == 0 {
			return fmt.Sprintf("%d:u%d", x.r.IntN(1<<w), w)
		}
		s := x.list[x.r.IntN(len(x.list))]
		sw := x.sigs[s]
		if sw < w {
			return fmt.Sprintf("(extend %s %d)", s, w)
		}
		lo := x.r.IntN(sw - w + 1)
		return fmt.Sprintf("%s[%d:%d]", s, lo+w-1, lo)
	}
	e := func(w int) string { return x.expr(w, depth-1) }
	switch x.r.IntN(11) {
	case 9, 10:
		k := w + x.r.IntN(4)
		index := e(1 + x.r.IntN(2))
		if x.r.IntN(3) == 0 {
			index = fmt.Sprintf("%d:u2", x.r.IntN(4))
		}
		return fmt.Sprintf("(select %s %s %d %d)", e(k), index, 1+x.r.IntN(w+1), w)
	case 0:
		return fmt.Sprintf("(%s %s)", [...]string{"not", "neg"}[x.r.IntN(2)], e(w))
	case 1, 2:
		return fmt.Sprintf("(%s %s %s)", [...]string{"and", "or", "xor"}[x.r.IntN(3)], e(w), e(w))
	case 3:
		return fmt.Sprintf("(%s %s %s)", [...]string{"add", "sub", "mul"}[x.r.IntN(3)], e(w), e(w))
	case 4:
		return fmt.Sprintf("(mux %s %s %s)", e(1), e(w), e(w))
	case 5:
		if w == 1 {
			return fmt.Sprintf("(%s %s)", [...]string{"and_r", "or_r", "xor_r", "lt 1:u3", "eq 2:u3"}[x.r.IntN(5)], e(3))
		}
		k := 1 + x.r.IntN(w-1)
		return fmt.Sprintf("(cat %s %s)", e(w-k), e(k))
	case 6:
		return fmt.Sprintf("(%s %s %s)", [...]string{"shl", "shr"}[x.r.IntN(2)], e(w), e(2))
	case 7:
		return fmt.Sprintf("(unsigned (shr (signed %s) %s))", e(w), e(2))
	}
	lo := x.r.IntN(3)
	return fmt.Sprintf("(extend (signed %s) %d)[%d:%d]", e(1+x.r.IntN(w+lo)), w+lo, w+lo-1, lo)
}

func (x *exprs) signal(name string, w int) string {
	x.sigs[name] = w
	x.list = append(x.list, name)
	return fmt.Sprintf("%s u%d", name, w)
}

// assignments drive a signal whole, in two parts, or under a condition.
func (x *exprs) assignments(name string) string {
	w := x.sigs[name]
	set := func(lo, n int) string { return fmt.Sprintf("(set %s[%d:%d] %s)", name, lo+n-1, lo, x.expr(n, 3)) }
	switch k := x.r.IntN(5); {
	case k == 4: // one lane after the whole
		n := 1
		if w%2 == 0 {
			n = 1 + x.r.IntN(2)
		}
		index := x.expr(1+x.r.IntN(2), 2)
		if n == w {
			index = x.list[0] + "[0]" // no literal, which would hide the whole
		}
		return set(0, w) + fmt.Sprintf("(set %s (lane %s %d) %s)", name, index, n, x.expr(n, 2))
	case k == 0 && w > 1:
		return set(0, w-1) + set(w-1, 1)
	case k == 1:
		return fmt.Sprintf("(if (when %s %s) (else %s))", x.expr(1, 2), set(0, w), set(0, w))
	}
	return set(0, w)
}

// naive computes dependencies of bits from the definition of each operator.
type naive struct {
	d      *ir.Design
	direct map[string]map[string]bool // signal bits by hierarchical name
}

type deps map[string]bool

func (a deps) add(b deps) deps {
	for k := range b {
		a[k] = true
	}
	return a
}

func (v *naive) module(m *ir.Module, path string) {
	key := func(s *ir.Signal, i int) string { return fmt.Sprintf("%s%s[%d]", path, s.Name, i) }
	on := func(to string, ds deps) {
		if v.direct[to] == nil {
			v.direct[to] = deps{}
		}
		deps(v.direct[to]).add(ds)
	}
	for _, i := range m.Instances {
		v.module(i.Of, path+i.Name+".")
		for _, s := range i.Conns {
			for b := range s.Type.Width {
				inner := fmt.Sprintf("%s%s.%s[%d]", path, i.Name, s.Port.Name, b)
				if s.Kind == ir.InstIn {
					on(inner, deps{key(s, b): true})
				} else {
					on(key(s, b), deps{inner: true})
				}
			}
		}
	}
	var stmts func(list []ir.Stmt, under deps)
	stmts = func(list []ir.Stmt, under deps) {
		for _, s := range list {
			switch s := s.(type) {
			case *ir.Assign:
				if v.lane(s, under, func(b int, fixed bool, ds deps) {
					if fixed { // in place of what was assigned before
						delete(v.direct, key(s.Target, b))
					}
					on(key(s.Target, b), ds)
				}, path) {
					continue
				}
				for b := range s.Width {
					on(key(s.Target, s.Lo+b), deps{}.add(under).add(v.expr(path, s.Value, b)))
				}
			case *ir.If:
				u := deps{}.add(under)
				for _, a := range s.Arms {
					u = deps{}.add(u).add(v.expr(path, a.Cond, 0))
					stmts(a.Body, u)
				}
				stmts(s.Else, u)
			}
		}
	}
	stmts(m.Body, deps{})
}

// lane is for an assignment of a lane what its bits depend on; false for others.
func (v *naive) lane(s *ir.Assign, under deps, on func(int, bool, deps), path string) bool {
	if s.Index == nil {
		return false
	}
	lanes := s.Target.Type.Width / s.Width
	for k := range lanes {
		index := deps{}
		c, fixed := s.Index.(*ir.Const)
		if !fixed {
			for j := range s.Index.Type().Width {
				index.add(v.expr(path, s.Index, j))
			}
		} else if x, _ := c.Uint64(); int(x) != k {
			continue
		}
		for b := range s.Width {
			on(k*s.Width+b, fixed && len(under) == 0, deps{}.add(under).add(index).add(v.expr(path, s.Value, b)))
		}
	}
	return true
}

func (v *naive) expr(path string, e ir.Expr, i int) deps {
	span := func(e ir.Expr, from, to int) deps {
		r := deps{}
		for j := max(from, 0); j < min(to, e.Type().Width); j++ {
			r.add(v.expr(path, e, j))
		}
		return r
	}
	w := e.Type().Width
	switch e := e.(type) {
	case *ir.Ref:
		return deps{fmt.Sprintf("%s%s[%d]", path, e.Signal.Name, i): true}
	case *ir.Unary:
		switch e.Op {
		case ir.Not:
			return v.expr(path, e.X, i)
		case ir.Neg:
			return span(e.X, 0, i+1)
		}
		return span(e.X, 0, e.X.Type().Width)
	case *ir.Binary:
		x, xk := e.X.(*ir.Const)
		y, yk := e.Y.(*ir.Const)
		switch e.Op {
		case ir.And, ir.Or:
			if xk && x.Bit(i) == (e.Op == ir.Or) || yk && y.Bit(i) == (e.Op == ir.Or) {
				return deps{}
			}
			return v.expr(path, e.X, i).add(v.expr(path, e.Y, i))
		case ir.Xor:
			return v.expr(path, e.X, i).add(v.expr(path, e.Y, i))
		case ir.Add, ir.Sub, ir.Mul:
			return span(e.X, 0, i+1).add(span(e.Y, 0, i+1))
		case ir.Shl, ir.Shr:
			if yk {
				n, _ := y.Uint64()
				j := i - int(n)
				if e.Op == ir.Shr {
					j = i + int(n)
					if e.X.Type().Signed {
						j = min(j, w-1)
					}
				}
				return span(e.X, j, j+1)
			}
			amount := span(e.Y, 0, e.Y.Type().Width)
			if e.Op == ir.Shl {
				return amount.add(span(e.X, 0, i+1))
			}
			return amount.add(span(e.X, i, w))
		}
		return span(e.X, 0, e.X.Type().Width).add(span(e.Y, 0, e.Y.Type().Width))
	case *ir.Mux:
		if k, ok := e.Cond.(*ir.Const); ok {
			if k.Bit(0) {
				return v.expr(path, e.Then, i)
			}
			return v.expr(path, e.Else, i)
		}
		return v.expr(path, e.Cond, 0).add(v.expr(path, e.Then, i)).add(v.expr(path, e.Else, i))
	case *ir.Cat:
		at := w
		for _, p := range e.Parts {
			at -= p.Type().Width
			if i >= at {
				return v.expr(path, p, i-at)
			}
		}
	case *ir.Slice:
		return v.expr(path, e.X, i+e.Lo)
	case *ir.Extend:
		if xw := e.X.Type().Width; i >= xw {
			if !e.X.Type().Signed {
				return deps{}
			}
			i = xw - 1
		}
		return v.expr(path, e.X, i)
	case *ir.Cast:
		return v.expr(path, e.X, i)
	case *ir.Select:
		if k, ok := e.Index.(*ir.Const); ok {
			n, _ := k.Uint64()
			return span(e.X, int(n)*e.Stride+i, int(n)*e.Stride+i+1)
		}
		r := span(e.Index, 0, e.Index.Type().Width)
		for k := range 1 << e.Index.Type().Width {
			r.add(span(e.X, k*e.Stride+i, k*e.Stride+i+1))
		}
		return r
	case *ir.MemRead:
		r := span(e.Addr, 0, e.Addr.Type().Width)
		r[path+e.Mem.Name] = true // its elements
		return r
	}
	return deps{}
}

// loops reports whether a bit depends on itself.
func (v *naive) loops() bool {
	v.module(v.d.Top, "")
	for start := range v.direct {
		seen, todo := deps{}, []string{start}
		for len(todo) > 0 {
			at := todo[len(todo)-1]
			todo = todo[:len(todo)-1]
			for n := range v.direct[at] {
				if n == start {
					return true
				}
				if !seen[n] {
					seen[n] = true
					todo = append(todo, n)
				}
			}
		}
	}
	return false
}

// A loop is reported exactly where some bit depends on itself by the definitions.
func TestRandomLoopsAgainstDefinitions(t *testing.T) {
	with, without := 0, 0
	randomly(t, 300, func(t *testing.T, s uint64, r *rand.Rand) {
		var b strings.Builder
		child := &exprs{r: r, sigs: map[string]int{}}
		b.WriteString("(design m)(module c")
		fmt.Fprintf(&b, "(input %s)(input %s)", child.signal("p", 3), child.signal("q", 2))
		names := append([]string(nil), child.list...)
		fmt.Fprintf(&b, "(output %s)(output %s)(body", child.signal("y", 3), child.signal("z", 2))
		child.list = names // outputs read inputs only, so that cycles are those of the parent
		b.WriteString(child.assignments("y") + child.assignments("z") + "))\n(module m")
		x := &exprs{r: r, sigs: map[string]int{}}
		fmt.Fprintf(&b, "(input %s)(input %s)", x.signal("a", 4), x.signal("b", 4))
		var driven []string
		for i := range 2 + r.IntN(3) {
			driven = append(driven, fmt.Sprintf("w%d", i))
			fmt.Fprintf(&b, "(wire %s)", x.signal(driven[i], 1+r.IntN(4)))
		}
		var insts strings.Builder
		for _, u := range []string{"u", "v"}[:r.IntN(3)] {
			fmt.Fprintf(&b, "(inst_in %s)(inst_in %s)(inst_out %s)(inst_out %s)", x.signal(u+"_p", 3), x.signal(u+"_q", 2), x.signal(u+"_y", 3), x.signal(u+"_z", 2))
			fmt.Fprintf(&insts, "(instance %[1]s c (port p %[1]s_p)(port q %[1]s_q)(port y %[1]s_y)(port z %[1]s_z))", u)
			driven = append(driven, u+"_p", u+"_q")
		}
		b.WriteString(insts.String() + "(body ")
		for _, w := range driven {
			b.WriteString(x.assignments(w))
		}
		b.WriteString("))")
		d, err := ir.Parse("loops", b.String())
		require.NoError(t, err)
		found := false
		for _, g := range Design(d) {
			require.Contains(t, []diag.Code{diag.Loop, diag.Unused}, g.Code, g.String())
			found = found || g.Code == diag.Loop
		}
		want := (&naive{d: d, direct: map[string]map[string]bool{}}).loops()
		require.Equal(t, want, found, "%s", d)
		if found {
			with++
		} else {
			without++
		}
	})
	require.Positive(t, with)
	require.Positive(t, without)
}
