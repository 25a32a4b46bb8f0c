package ir

// countModule finds the expression nodes of the module that have several users.
func (t *texter) countModule(m *Module) {
	t.uses, t.labels, t.lets = map[Expr]int{}, map[Expr]string{}, nil
	RootExprs(m, t.use)
}

func (t *texter) count(list []Stmt) {
	t.uses, t.labels, t.lets = map[Expr]int{}, map[Expr]string{}, nil
	WalkStmts(list, func(s Stmt) bool {
		for _, e := range Exprs(s) {
			t.use(e)
		}
		return true
	})
}

func (t *texter) use(e Expr) {
	WalkExpr(e, func(e Expr) bool {
		if e == nil {
			return false
		}
		t.uses[e]++
		return t.uses[e] == 1
	})
}

// shareable reports whether a node is worth a let: leaves and slices of leaves
// are shorter than a name for them is helpful.
func shareable(e Expr) bool {
	switch e := e.(type) {
	case nil, *Ref, *Const:
		return false
	case *Slice:
		return shareable(e.X)
	}
	return true
}

// expr is the cell of e; definitions it needs go to t.lets.
func (t *texter) expr(e Expr) cell {
	if t.uses[e] < 2 || !shareable(e) {
		return t.node(e)
	}
	l, ok := t.labels[e]
	if !ok {
		def := t.node(e)
		l = "%" + itoa(len(t.labels)+1)
		t.labels[e] = l
		t.lets = append(t.lets, list(2, atom("let"), atom(l), def))
	}
	return atom(l)
}

func (t *texter) node(e Expr) cell {
	op := ""
	switch e := e.(type) {
	case nil:
		return atom("nil")
	case *Ref:
		return atom(t.signalName(e.Signal))
	case *Const:
		return atom(t.constant(e))
	case *Slice:
		return t.expr(e.X).with(bitRange(e.Lo, e.Width))
	case *Extend:
		return list(1, atom("extend"), t.expr(e.X), number(e.Width))
	case *Select:
		return list(1, atom("select"), t.expr(e.X), t.expr(e.Index), number(e.Stride), number(e.Width))
	case *MemRead:
		return list(2, atom("read"), atom(t.memName(e.Mem)), t.expr(e.Addr))
	case *Cast:
		op = "unsigned"
		if e.Signed {
			op = "signed"
		}
	case *Unary:
		op = e.Op.String()
	case *Binary:
		op = e.Op.String()
	case *Mux:
		op = "mux"
	case *Cat:
		op = "cat"
	}
	items := []cell{atom(op)}
	for _, o := range Operands(e) {
		items = append(items, t.expr(o))
	}
	if len(items) > 1 && items[1].list == nil {
		return list(2, items...) // a short first operand stays with its operator
	}
	return list(1, items...)
}

func (t *texter) memName(m *Mem) string {
	if m == nil {
		return "nil"
	}
	return t.member(m, m.Module, m.Name)
}

func bitRange(lo, width int) string {
	if width == 1 {
		return "[" + itoa(lo) + "]"
	}
	return "[" + itoa(lo+width-1) + ":" + itoa(lo) + "]"
}

func (t *texter) stmts(body []Stmt) []cell {
	var items []cell
	for _, s := range body {
		switch s := s.(type) {
		case *Note:
			items = append(items, list(1, atom("note"), quoted(s.Text)))
		case *Assign:
			items = t.flush(items, t.pos(t.assign(s), s.Pos))
		case *MemWrite:
			c := []cell{atom("write"), atom(t.memName(s.Mem)), t.expr(s.Addr), t.expr(s.Data)}
			if s.Mask != nil {
				c = append(c, list(1, atom("mask"), t.expr(s.Mask)))
			}
			c = t.on(c, s.Domain)
			items = t.flush(items, t.pos(list(2, c...), s.Pos))
		case *If:
			items = t.branch(items, s)
		case *Switch:
			items = t.choice(items, s)
		}
	}
	return items
}

func (t *texter) assign(s *Assign) cell {
	target := atom(t.signalName(s.Target))
	if s.Index != nil {
		return list(2, atom("set"), target, list(1, atom("lane"), t.expr(s.Index), number(s.Width)), t.expr(s.Value))
	}
	if s.Target == nil || !s.Whole() {
		target = target.with(bitRange(s.Lo, s.Width))
	}
	return list(2, atom("set"), target, t.expr(s.Value))
}

func (t *texter) branch(items []cell, s *If) []cell {
	arms := make([]cell, len(s.Arms))
	for i, a := range s.Arms {
		arms[i] = t.expr(a.Cond)
	}
	items = append(items, t.lets...) // what the conditions share belongs before the statement
	t.lets = nil
	for i, a := range s.Arms {
		c := append([]cell{atom("when"), arms[i]}, t.stmts(a.Body)...)
		arms[i] = t.pos(block(2, c...), a.Pos)
	}
	c := append([]cell{atom("if")}, arms...)
	if s.Else != nil {
		c = append(c, block(1, append([]cell{atom("else")}, t.stmts(s.Else)...)...))
	}
	return append(items, t.pos(block(1, c...), s.Pos))
}

func (t *texter) choice(items []cell, s *Switch) []cell {
	c := []cell{atom("switch"), t.expr(s.Subject)}
	items = append(items, t.lets...)
	t.lets = nil
	for _, k := range s.Cases {
		arm := []cell{atom("case")}
		for _, v := range k.Values {
			arm = append(arm, atom(t.constant(v)))
		}
		arm = append(arm, t.stmts(k.Body)...)
		c = append(c, t.pos(block(1+len(k.Values), arm...), k.Pos))
	}
	if s.HasDefault {
		c = append(c, block(1, append([]cell{atom("default")}, t.stmts(s.Default)...)...))
	}
	return append(items, t.pos(block(2, c...), s.Pos))
}
