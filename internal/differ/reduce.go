package differ

import (
	"slices"

	"github.com/millrace-hdl/millrace/hdl/ir"
)

// reductions lists what could be taken from a design, what takes most first. Each
// changes the design in place. The list is a function of the design's text, so that
// a place in it means the same in a copy.
func reductions(d *ir.Design) []func() {
	var list []func()
	add := func(f func()) { list = append(list, f) }
	for _, m := range d.Modules {
		if m != d.Top && m.Extern == nil {
			add(func() { d.Top = m })
		}
	}
	for _, m := range slices.Backward(d.Modules) {
		for _, i := range m.Instances {
			add(func() { dropInstance(m, i) })
		}
		for _, x := range m.Mems {
			add(func() { dropMem(m, x) })
		}
		if len(m.Properties) > 0 {
			add(func() { dropGhosts(m) })
		}
	}
	for _, m := range slices.Backward(d.Modules) {
		if m.Extern != nil {
			continue
		}
		r := &reducer{d: d, m: m, add: add}
		for _, s := range m.Signals {
			r.signal(s)
		}
		for _, x := range m.Mems {
			r.mem(x)
		}
		r.stmts(&m.Body)
		for _, c := range m.Domains {
			add(func() { mergeDomain(d, m, c) })
		}
	}
	for _, m := range slices.Backward(d.Modules) {
		r := &reducer{d: d, m: m, add: add}
		if m.Extern == nil {
			r.exprs()
		}
	}
	return list
}

type reducer struct {
	d   *ir.Design
	m   *ir.Module
	add func(func())
}

func zeroOf(t ir.Type) *ir.Const { return ir.NewConst(ir.Type{Width: t.Width, Signed: t.Signed}, 0) }

// rewrite replaces expressions of a module by f of them, operands last: where f
// changes a node, what was below it is gone.
func rewrite(m *ir.Module, f func(ir.Expr) ir.Expr) {
	memo := map[ir.Expr]ir.Expr{}
	var walk func(e ir.Expr) ir.Expr
	walk = func(e ir.Expr) ir.Expr {
		if e == nil {
			return nil
		}
		if r, ok := memo[e]; ok {
			return r
		}
		r := f(e)
		if r == e {
			r = ir.MapOperands(e, walk)
		}
		memo[e] = r
		return r
	}
	for _, s := range m.Signals {
		if s.Default != nil {
			s.Default = walk(s.Default)
		}
	}
	for _, x := range m.Mems {
		for _, p := range x.Reads {
			p.Addr, p.En = walk(p.Addr), walk(p.En)
		}
	}
	ir.WalkStmts(m.Body, func(s ir.Stmt) bool {
		switch s := s.(type) {
		case *ir.Assign:
			s.Value = walk(s.Value)
			if s.Index != nil {
				s.Index = walk(s.Index)
			}
		case *ir.If:
			for i := range s.Arms {
				s.Arms[i].Cond = walk(s.Arms[i].Cond)
			}
		case *ir.Switch:
			s.Subject = walk(s.Subject)
		case *ir.MemWrite:
			s.Addr, s.Data = walk(s.Addr), walk(s.Data)
			if s.Mask != nil {
				s.Mask = walk(s.Mask)
			}
		}
		return true
	})
}

func (r *reducer) signal(s *ir.Signal) {
	m := r.m
	switch s.Kind {
	case ir.Input, ir.Output:
		r.add(func() { dropPort(r.d, m, s) })
	case ir.Wire, ir.Reg, ir.SyncRead:
		r.add(func() { dropSignal(m, s) })
	}
	if s.Init != nil {
		r.add(func() { s.Init = nil })
		if !s.Init.IsZero() {
			r.add(func() { s.Init = zeroOf(s.Type) })
		}
	}
	if s.Default != nil && s.Kind.Comb() {
		if c, ok := s.Default.(*ir.Const); !ok || !c.IsZero() {
			r.add(func() { s.Default = zeroOf(s.Type) })
		}
		r.add(func() { s.Default = nil })
	}
	if s.Type.Enum != nil {
		r.add(func() { s.Type.Enum = nil })
	}
	if s.Kind == ir.Wire || s.Kind == ir.Reg || m == r.d.Top && (s.Kind == ir.Input || s.Kind == ir.Output) {
		for _, w := range []int{1, s.Type.Width / 2, s.Type.Width - 1} {
			if w > 0 && w < s.Type.Width {
				r.add(func() { narrow(m, s, w) })
			}
		}
	}
}

// narrow leaves the low bits of a signal; the others read as its sign or zero.
func narrow(m *ir.Module, s *ir.Signal, w int) {
	old := s.Type
	wide := &ir.Extend{X: &ir.Ref{Signal: s}, Width: old.Width}
	rewrite(m, func(e ir.Expr) ir.Expr {
		if x, ok := e.(*ir.Ref); ok && x.Signal == s {
			return wide
		}
		return e
	})
	s.Type = ir.Type{Width: w, Signed: old.Signed}
	low := func(e ir.Expr) ir.Expr { return fit(e, s.Type) }
	if s.Init != nil {
		s.Init = cut(s.Init, s.Type)
	}
	if s.Default != nil {
		s.Default = low(s.Default)
	}
	m.Body = filter(m.Body, func(st ir.Stmt) bool {
		a, ok := st.(*ir.Assign)
		if !ok || a.Target != s {
			return true
		}
		if a.Index != nil || a.Lo >= w {
			return false
		}
		if over := a.Lo + a.Width - w; over > 0 {
			a.Width -= over
			t := ir.Type{Width: a.Width, Signed: a.Whole() && s.Type.Signed}
			a.Value = fit(a.Value, t)
		}
		return true
	})
}

func cut(c *ir.Const, t ir.Type) *ir.Const {
	n := &ir.Const{Typ: t, Words: make([]uint64, t.Words())}
	for i := range t.Width {
		if c.Bit(i) {
			n.Words[i/64] |= 1 << (i % 64)
		}
	}
	return n
}

// fit gives an expression another width and signedness.
func fit(e ir.Expr, t ir.Type) ir.Expr {
	switch w := e.Type().Width; {
	case w > t.Width:
		e = &ir.Slice{X: e, Width: t.Width}
	case w < t.Width:
		e = &ir.Extend{X: e, Width: t.Width}
	}
	if e.Type().Signed != t.Signed {
		e = &ir.Cast{X: e, Signed: t.Signed}
	}
	return e
}

func (r *reducer) mem(x *ir.Mem) {
	for _, p := range x.Reads {
		if c, ok := p.En.(*ir.Const); !ok || c.IsZero() {
			r.add(func() { p.En = ir.NewConst(ir.Type{Width: 1}, 1) })
		}
	}
	if len(x.Init) > 0 {
		r.add(func() { x.Init = nil })
		r.add(func() { x.Init = x.Init[:len(x.Init)/2] })
	}
	if x.Style != "" {
		r.add(func() { x.Style = "" })
	}
	if x.Depth > 1 {
		for _, depth := range []int{1, x.Depth / 2} {
			r.add(func() { shallow(r.m, x, depth) })
		}
	}
}

func shallow(m *ir.Module, x *ir.Mem, depth int) {
	x.Depth = depth
	x.Init = x.Init[:min(len(x.Init), depth)]
	t := ir.Type{Width: x.AddrWidth()}
	seen := map[ir.Expr]bool{}
	rewrite(m, func(e ir.Expr) ir.Expr {
		if c, ok := e.(*ir.MemRead); ok && c.Mem == x && !seen[e] {
			seen[e] = true
			c.Addr = fit(c.Addr, t)
		}
		return e
	})
	for _, p := range x.Reads {
		p.Addr = fit(p.Addr, t)
	}
	for _, w := range x.Writes() {
		w.Addr = fit(w.Addr, t)
	}
}

// stmts takes statements out of a list, or what is in them out of them. Writes that
// go are forgotten by the read ports.
func (r *reducer) stmts(list *[]ir.Stmt) {
	for i, s := range *list {
		replace := func(with []ir.Stmt) {
			r.add(func() {
				r.relax(s)
				before := r.writes()
				*list = slices.Concat((*list)[:i:i], with, (*list)[i+1:])
				r.forget(before)
			})
		}
		replace(nil)
		for _, b := range ir.Bodies(s) {
			if len(b) > 0 {
				replace(b)
			}
		}
		switch s := s.(type) {
		case *ir.If:
			for k := range s.Arms {
				r.stmts(&s.Arms[k].Body)
			}
			r.stmts(&s.Else)
		case *ir.Switch:
			for k := range s.Cases {
				r.stmts(&s.Cases[k].Body)
			}
			r.stmts(&s.Default)
		case *ir.MemWrite:
			if s.Mask != nil {
				r.add(func() { s.Mask = nil })
			}
		case *ir.Assign:
			if s.Index != nil {
				r.add(func() { s.Index = nil })
			}
		}
	}
}

// relax gives what a statement assigns a default, so that it may go.
func (r *reducer) relax(s ir.Stmt) {
	ir.WalkStmts([]ir.Stmt{s}, func(s ir.Stmt) bool {
		if a, ok := s.(*ir.Assign); ok && a.Target.Kind.Comb() && a.Target.Default == nil {
			a.Target.Default = zeroOf(a.Target.Type)
		}
		return true
	})
}

func (r *reducer) writes() map[*ir.Mem][]*ir.MemWrite {
	all := map[*ir.Mem][]*ir.MemWrite{}
	for _, x := range r.m.Mems {
		all[x] = x.Writes()
	}
	return all
}

func (r *reducer) forget(before map[*ir.Mem][]*ir.MemWrite) {
	for _, x := range r.m.Mems {
		left := x.Writes()
		for _, p := range x.Reads {
			var during []ir.ReadDuringWrite
			for k, w := range before[x] {
				if slices.Contains(left, w) {
					during = append(during, p.During[k])
				}
			}
			p.During = during
		}
	}
}

// exprs replaces nodes by their operands and by constants, those near the roots
// first.
func (r *reducer) exprs() {
	seen := map[ir.Expr]bool{}
	var level, next []ir.Expr
	visit := func(e ir.Expr) {
		if !seen[e] {
			seen[e] = true
			next = append(next, e)
		}
	}
	ir.RootExprs(r.m, visit)
	for len(next) > 0 {
		level, next = next, nil
		for _, e := range level {
			if _, ok := e.(*ir.Const); ok {
				continue
			}
			t := e.Type()
			put := func(with ir.Expr) {
				r.add(func() {
					rewrite(r.m, func(x ir.Expr) ir.Expr {
						if x == e {
							return with
						}
						return x
					})
				})
			}
			put(zeroOf(t))
			for _, o := range ir.Operands(e) {
				put(fit(o, t))
			}
			if _, ok := e.(*ir.Ref); ok {
				ones := zeroOf(t)
				for i := range t.Width {
					ones.Words[i/64] |= 1 << (i % 64)
				}
				put(ones)
			}
			for _, o := range ir.Operands(e) {
				visit(o)
			}
		}
	}
}

// prune removes modules that nothing places any more.
func prune(d *ir.Design) {
	used := map[*ir.Module]bool{d.Top: true}
	for _, m := range slices.Backward(d.Modules) {
		if used[m] {
			for _, i := range m.Instances {
				used[i.Of] = true
			}
		}
	}
	d.Modules = slices.DeleteFunc(d.Modules, func(m *ir.Module) bool { return !used[m] })
}
