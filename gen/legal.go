package gen

import "github.com/millrace-hdl/millrace/hdl/ir"

// legalise is the second layer.
func (u *unit) legalise() {
	u.writeMemories()
	u.lanes()
	u.split()
	u.holdBits()
	u.exprs(func(e ir.Expr) {
		for _, s := range u.readsOf(e) {
			u.isRead[s] = true
		}
	})
	u.group()
	u.connect()
	u.hoist()
	u.findUnread()
	u.findEnums()
}

// readsOf lists the signals that e reads.
func (u *unit) readsOf(e ir.Expr) []*ir.Signal {
	var r []*ir.Signal
	ir.WalkExpr(e, func(e ir.Expr) bool {
		if u.readMemo[e] {
			return false
		}
		u.readMemo[e] = true
		if ref, ok := e.(*ir.Ref); ok {
			r = append(r, ref.Signal)
		}
		return true
	})
	return r
}

// connect says what each port of each instance is connected to. An output that
// only feeds an output of the module is connected to that.
func (u *unit) connect() {
	readers := map[*ir.Signal]int{}
	for e, n := range u.blockUses() {
		if r, ok := e.(*ir.Ref); ok {
			readers[r.Signal] += n
		}
	}
	passed := map[*ir.Signal]*assign{} // instance outputs by what they are assigned to
	var keep []block
	for _, b := range u.blocks {
		if a, ok := b.(*assign); ok && a.target.Kind == ir.Output && len(a.notes) == 0 {
			if r, ok := a.value.(*ir.Ref); ok && r.Signal.Kind == ir.InstOut && readers[r.Signal] == 1 && len(r.Signal.Attrs) == 0 {
				passed[r.Signal] = a
				u.gone[r.Signal] = true
				continue
			}
		}
		keep = append(keep, b)
	}
	u.blocks = keep
	for _, i := range u.m.Instances {
		in := instance{of: i}
		for _, c := range i.Conns {
			n := conn{port: c.Port, value: ref(c)}
			if a, ok := u.direct[c]; ok {
				n.value, n.pos = a.value, a.pos
			} else if a, ok := passed[c]; ok {
				n.value, n.pos = &ir.Ref{Signal: a.target, Pos: a.pos}, a.pos
			}
			in.conns = append(in.conns, n)
		}
		u.insts = append(u.insts, in)
	}
}

// blockUses counts the users of every expression node in the blocks and in what
// goes straight to instances.
func (u *unit) blockUses() map[ir.Expr]int {
	uses := map[ir.Expr]int{}
	for _, b := range u.blocks {
		u.blockExprs(b, func(e ir.Expr, _ string, _ bool) ir.Expr {
			countUses(e, uses)
			return e
		})
	}
	for _, i := range u.m.Instances {
		for _, c := range i.Conns {
			if a, ok := u.direct[c]; ok {
				countUses(a.value, uses)
			}
		}
	}
	return uses
}

// blockExprs replaces the expressions of a block by f of them and what they feed.
func (u *unit) blockExprs(b block, f func(e ir.Expr, feeds string, direct bool) ir.Expr) {
	switch b := b.(type) {
	case *assign:
		b.value = f(b.value, b.target.Name, true)
	case *comb:
		b.body = u.stmtExprs(b.body, f)
	case *seq:
		b.body = u.stmtExprs(b.body, f)
	}
}

func (u *unit) stmtExprs(list []ir.Stmt, f func(e ir.Expr, feeds string, direct bool) ir.Expr) []ir.Stmt {
	var out []ir.Stmt
	for _, s := range list {
		switch s := s.(type) {
		case *ir.Assign:
			c := *s
			// The word that a memory is read into is the one place that reads the array.
			m, ok := s.Value.(*ir.MemRead)
			c.Value = f(s.Value, s.Target.Name, ok && u.words[s.Target] == m.Mem)
			if s.Index != nil {
				c.Index = f(s.Index, s.Target.Name+"_index", false)
			}
			out = append(out, &c)
		case *ir.If:
			c := &ir.If{Pos: s.Pos}
			for _, a := range s.Arms {
				c.Arms = append(c.Arms, ir.Arm{Cond: f(a.Cond, feeds(s), false), Body: u.stmtExprs(a.Body, f), Pos: a.Pos})
			}
			c.Else = u.stmtExprs(s.Else, f)
			out = append(out, c)
		case *ir.Switch:
			c := *s
			c.Subject, c.Cases = subject(s, f), nil
			for _, k := range s.Cases {
				c.Cases = append(c.Cases, ir.Case{Values: k.Values, Body: u.stmtExprs(k.Body, f), Pos: k.Pos})
			}
			c.Default = u.stmtExprs(s.Default, f)
			out = append(out, &c)
		case *ir.MemWrite:
			c := *s
			c.Addr, c.Data = f(s.Addr, s.Mem.Name+"_addr", false), f(s.Data, s.Mem.Name+"_data", false)
			if s.Mask != nil {
				c.Mask = f(s.Mask, s.Mem.Name+"_mask", false)
			}
			out = append(out, &c)
		default:
			out = append(out, s)
		}
	}
	return out
}

// subject is the subject of a switch, whose operators must not lose their sign to the
// values that it is compared with: a cast of the whole stays.
func subject(s *ir.Switch, f func(e ir.Expr, feeds string, direct bool) ir.Expr) ir.Expr {
	c, ok := s.Subject.(*ir.Cast)
	if !ok || leaf(c.X) {
		return f(s.Subject, feeds(s), false)
	}
	return &ir.Cast{X: f(c.X, feeds(s), false), Signed: c.Signed, Pos: c.Pos}
}

// feeds names what a compound statement decides about: the first thing it drives.
func feeds(s ir.Stmt) string {
	name := ""
	ir.WalkStmts([]ir.Stmt{s}, func(s ir.Stmt) bool {
		switch s := s.(type) {
		case *ir.Assign:
			if name == "" {
				name = s.Target.Name
			}
		case *ir.MemWrite:
			if name == "" {
				name = s.Mem.Name
			}
		}
		return name == ""
	})
	return name
}
