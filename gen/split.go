package gen

import (
	"fmt"
	"sort"

	"github.com/millrace-hdl/millrace/hdl/ir"
)

// part is a range of bits of a split signal, with the wire that carries it.
type part struct {
	lo, width int
	wire      *ir.Signal
}

// splitter breaks up signals whose bits depend on other bits of the same signal,
// which is no loop but looks like one to tools that see signals as a whole. Each
// range of bits becomes a wire; the signal is their concatenation. The first round
// cuts where the description does, the second into single bits.
type splitter struct {
	u     *unit
	root  map[*ir.Signal]*ir.Signal // of a part: the signal it belongs to
	base  map[*ir.Signal]int        // of a part: its lowest bit there
	parts map[*ir.Signal][]part
	memo  map[ir.Expr]ir.Expr
}

func (u *unit) split() {
	sp := &splitter{u: u, root: map[*ir.Signal]*ir.Signal{}, base: map[*ir.Signal]int{}}
	for _, single := range []bool{false, true} {
		g := u.graph()
		var list []*ir.Signal
		for _, s := range g.cyclic() {
			if s.Kind.Comb() && s.Type.Width > 1 {
				list = append(list, s)
			}
		}
		if len(list) == 0 {
			return
		}
		sp.round(list, single)
	}
}

func (sp *splitter) round(list []*ir.Signal, single bool) {
	sp.parts, sp.memo = map[*ir.Signal][]part{}, map[ir.Expr]ir.Expr{}
	cuts := map[*ir.Signal]map[int]bool{}
	for _, s := range list {
		cuts[s] = map[int]bool{0: true}
		for i := 1; single && i < s.Type.Width; i++ {
			cuts[s][i] = true
		}
	}
	if !single {
		sp.findCuts(cuts)
	}
	for _, s := range list {
		sp.parts[s] = sp.wires(s, cuts[s])
	}
	sp.u.body = sp.stmts(sp.u.body)
	for _, s := range sp.u.signals() {
		if d, ok := sp.u.defaults[s]; ok && sp.parts[s] == nil {
			sp.u.defaults[s] = sp.expr(d)
		}
	}
	for _, s := range list {
		sp.join(s)
	}
}

// findCuts marks the bits where assignments, concatenated values and reads of the
// signals begin and end.
func (sp *splitter) findCuts(cuts map[*ir.Signal]map[int]bool) {
	mark := func(s *ir.Signal, bit int) {
		if c, ok := cuts[s]; ok && bit < s.Type.Width {
			c[bit] = true
		}
	}
	seen := map[ir.Expr]bool{}
	reads := func(e ir.Expr) {
		ir.WalkExpr(e, func(e ir.Expr) bool {
			if seen[e] {
				return false
			}
			seen[e] = true
			if sl, ok := e.(*ir.Slice); ok {
				if r, ok := sl.X.(*ir.Ref); ok {
					mark(r.Signal, sl.Lo)
					mark(r.Signal, sl.Lo+sl.Width)
				}
			}
			return true
		})
	}
	sp.u.exprs(reads)
	eachAssign(sp.u.body, nil, func(a *ir.Assign, _ []ir.Expr) {
		mark(a.Target, a.Lo)
		mark(a.Target, a.Lo+a.Width)
		for bit := 0; a.Index != nil && bit < a.Target.Type.Width; bit += a.Width {
			mark(a.Target, bit)
		}
		if c, ok := a.Value.(*ir.Cat); ok {
			bit := a.Lo + a.Width
			for _, p := range c.Parts {
				bit -= p.Type().Width
				mark(a.Target, bit)
			}
		}
	})
}

func (sp *splitter) wires(s *ir.Signal, cuts map[int]bool) []part {
	var at []int
	for bit := range cuts {
		at = append(at, bit)
	}
	sort.Ints(at)
	at = append(at, s.Type.Width)
	root, base := s, 0
	if r, ok := sp.root[s]; ok {
		root, base = r, sp.base[s]
	}
	var ps []part
	for i, lo := range at[:len(at)-1] {
		p := part{lo: lo, width: at[i+1] - lo}
		name := fmt.Sprintf("%s_%d", root.Name, base+lo)
		if p.width > 1 {
			name = fmt.Sprintf("%s_%d_%d", root.Name, base+lo+p.width-1, base+lo)
		}
		p.wire = sp.u.wire(name, ir.Type{Width: p.width}, s.Pos)
		sp.root[p.wire], sp.base[p.wire] = root, base+lo
		sp.u.derived = append(sp.u.derived, p.wire)
		ps = append(ps, p)
	}
	return ps
}

// stmts assigns the parts instead of the split signals, and lets what feeds them
// read parts.
func (sp *splitter) stmts(list []ir.Stmt) []ir.Stmt {
	var out []ir.Stmt
	for _, s := range list {
		switch s := s.(type) {
		case *ir.Assign:
			if s.Index != nil && sp.parts[s.Target] != nil {
				out = append(out, sp.stmts(expanded(s))...)
				continue
			}
			out = append(out, sp.assign(s)...)
			continue
		case *ir.If:
			c := &ir.If{Else: sp.stmts(s.Else), Pos: s.Pos}
			for _, a := range s.Arms {
				c.Arms = append(c.Arms, ir.Arm{Cond: sp.expr(a.Cond), Body: sp.stmts(a.Body), Pos: a.Pos})
			}
			out = append(out, c)
			continue
		case *ir.Switch:
			c := *s
			c.Subject, c.Cases, c.Default = sp.expr(s.Subject), nil, sp.stmts(s.Default)
			for _, k := range s.Cases {
				c.Cases = append(c.Cases, ir.Case{Values: k.Values, Body: sp.stmts(k.Body), Pos: k.Pos})
			}
			out = append(out, &c)
			continue
		}
		out = append(out, s)
	}
	return out
}

func (sp *splitter) assign(a *ir.Assign) []ir.Stmt {
	ps, ok := sp.parts[a.Target]
	if !ok {
		c := *a
		if a.Target.Kind.Comb() {
			c.Value = sp.expr(a.Value)
			if a.Index != nil {
				c.Index = sp.expr(a.Index)
			}
		}
		return []ir.Stmt{&c}
	}
	var out []ir.Stmt
	for _, p := range ps {
		from, to := max(p.lo, a.Lo), min(p.lo+p.width, a.Lo+a.Width)
		if from < to {
			out = append(out, &ir.Assign{Target: p.wire, Lo: from - p.lo, Width: to - from,
				Value: sp.expr(deepSlice(a.Value, from-a.Lo, to-from, a.Pos)), Pos: a.Pos})
		}
	}
	return out
}

// expr replaces reads of bits of split signals by reads of their parts.
func (sp *splitter) expr(e ir.Expr) ir.Expr {
	if r, ok := sp.memo[e]; ok {
		return r
	}
	var r ir.Expr
	if sl, ok := e.(*ir.Slice); ok {
		if ref, ok := sl.X.(*ir.Ref); ok {
			r = sp.read(ref.Signal, sl)
		}
	}
	if r == nil {
		if r = ir.MapOperands(e, sp.expr); r != e {
			r = simplify(r)
		}
	}
	sp.memo[e] = r
	return r
}

func (sp *splitter) read(s *ir.Signal, sl *ir.Slice) ir.Expr {
	ps, ok := sp.parts[s]
	if !ok {
		return sl
	}
	c := &ir.Cat{Pos: sl.Pos}
	for i := len(ps) - 1; i >= 0; i-- {
		p := ps[i]
		from, to := max(p.lo, sl.Lo), min(p.lo+p.width, sl.Lo+sl.Width)
		if from < to {
			c.Parts = append(c.Parts, slice(&ir.Ref{Signal: p.wire, Pos: sl.Pos}, from-p.lo, to-from, sl.Pos))
		}
	}
	return foldCat(c)
}

// join makes a split signal the concatenation of its parts, next to where its
// first part is assigned.
func (sp *splitter) join(s *ir.Signal) {
	u, ps := sp.u, sp.parts[s]
	c := &ir.Cat{Pos: s.Pos}
	mine := map[*ir.Signal]bool{}
	for i := len(ps) - 1; i >= 0; i-- {
		mine[ps[i].wire] = true
		c.Parts = append(c.Parts, &ir.Ref{Signal: ps[i].wire, Pos: s.Pos})
	}
	if d, ok := u.defaults[s]; ok {
		for _, p := range ps {
			u.defaults[p.wire] = sp.expr(deepSlice(d, p.lo, p.width, d.Position()))
		}
		delete(u.defaults, s)
	}
	whole := &ir.Assign{Target: s, Width: s.Type.Width, Value: cast(foldCat(c), s.Type.Signed, s.Pos), Pos: s.Pos}
	at := len(u.body)
	for i, st := range u.body {
		if assigns(st, func(t *ir.Signal) bool { return mine[t] }) {
			at = i + 1
		}
	}
	u.body = append(u.body[:at:at], append([]ir.Stmt{whole}, u.body[at:]...)...)
}

// assigns reports whether s or a statement in it assigns a signal that want
// accepts.
func assigns(s ir.Stmt, want func(*ir.Signal) bool) bool {
	found := false
	ir.WalkStmts([]ir.Stmt{s}, func(s ir.Stmt) bool {
		if a, ok := s.(*ir.Assign); ok && want(a.Target) {
			found = true
		}
		return !found
	})
	return found
}

// deepSlice is slice that also looks through what works bit by bit.
func deepSlice(e ir.Expr, lo, width int, pos ir.Pos) ir.Expr {
	in := func(x ir.Expr) ir.Expr { return deepSlice(x, lo, width, pos) }
	switch e := e.(type) {
	case *ir.Cast:
		return in(e.X)
	case *ir.Slice:
		return deepSlice(e.X, e.Lo+lo, width, pos)
	case *ir.Extend:
		if lo+width <= e.X.Type().Width {
			return in(e.X)
		}
	case *ir.Unary:
		if e.Op == ir.Not {
			return simplify(&ir.Unary{Op: ir.Not, X: in(e.X), Pos: e.Pos})
		}
	case *ir.Binary:
		switch {
		case e.Op <= ir.Xor:
			return simplify(&ir.Binary{Op: e.Op, X: in(e.X), Y: in(e.Y), Pos: e.Pos})
		case e.Op <= ir.Mul && lo+width < e.Type().Width: // carries only go up
			low := func(x ir.Expr) ir.Expr { return deepSlice(x, 0, lo+width, pos) }
			return slice(simplify(&ir.Binary{Op: e.Op, X: low(e.X), Y: low(e.Y), Pos: e.Pos}), lo, width, pos)
		case e.Op == ir.Shl || e.Op == ir.Shr:
			if c, ok := e.Y.(*ir.Const); ok {
				return deepSlice(shifted(e, int(amount(c, e.Type().Width))), lo, width, pos)
			}
		}
	case *ir.Mux:
		return simplify(&ir.Mux{Cond: e.Cond, Then: in(e.Then), Else: in(e.Else), Pos: e.Pos})
	case *ir.Cat:
		return deepCat(e, lo, width, pos)
	}
	return slice(e, lo, width, pos)
}

func deepCat(e *ir.Cat, lo, width int, pos ir.Pos) ir.Expr {
	c := &ir.Cat{Pos: e.Pos}
	top := e.Type().Width
	for _, p := range e.Parts {
		base := top - p.Type().Width
		if from, to := max(lo, base), min(lo+width, top); from < to {
			c.Parts = append(c.Parts, deepSlice(p, from-base, to-from, pos))
		}
		top = base
	}
	return foldCat(c)
}

// shifted is a shift by n, at most the width, written as a concatenation.
func shifted(e *ir.Binary, n int) ir.Expr {
	t := e.Type()
	fill := &ir.Cat{Pos: e.Pos}
	for range n {
		if e.Op == ir.Shr && t.Signed {
			fill.Parts = append(fill.Parts, slice(e.X, t.Width-1, 1, e.Pos))
		} else {
			fill.Parts = append(fill.Parts, truth(false, e.Pos))
		}
	}
	if n < t.Width && e.Op == ir.Shl {
		fill.Parts = append([]ir.Expr{slice(e.X, 0, t.Width-n, e.Pos)}, fill.Parts...)
	} else if n < t.Width {
		fill.Parts = append(fill.Parts, slice(e.X, n, t.Width-n, e.Pos))
	}
	return fill
}
