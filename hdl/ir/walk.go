package ir

// Operands returns the direct operands of e, in source order. With [MapOperands]
// it is the only place that knows where expressions keep their children.
func Operands(e Expr) []Expr {
	switch e := e.(type) {
	case *Unary:
		return []Expr{e.X}
	case *Binary:
		return []Expr{e.X, e.Y}
	case *Mux:
		return []Expr{e.Cond, e.Then, e.Else}
	case *Cat:
		return e.Parts
	case *Slice:
		return []Expr{e.X}
	case *Extend:
		return []Expr{e.X}
	case *Cast:
		return []Expr{e.X}
	case *Select:
		return []Expr{e.X, e.Index}
	case *MemRead:
		return []Expr{e.Addr}
	}
	return nil
}

// MapOperands returns e with each operand replaced by f of it, and e itself if
// no operand changed.
func MapOperands(e Expr, f func(Expr) Expr) Expr {
	switch e := e.(type) {
	case *Unary:
		if x := f(e.X); x != e.X {
			return &Unary{e.Op, x, e.Pos}
		}
	case *Binary:
		if x, y := f(e.X), f(e.Y); x != e.X || y != e.Y {
			return &Binary{e.Op, x, y, e.Pos}
		}
	case *Mux:
		if c, t, o := f(e.Cond), f(e.Then), f(e.Else); c != e.Cond || t != e.Then || o != e.Else {
			return &Mux{c, t, o, e.Pos}
		}
	case *Cat:
		parts, changed := make([]Expr, len(e.Parts)), false
		for i, p := range e.Parts {
			parts[i] = f(p)
			changed = changed || parts[i] != p
		}
		if changed {
			return &Cat{parts, e.Pos}
		}
	case *Slice:
		if x := f(e.X); x != e.X {
			return &Slice{x, e.Lo, e.Width, e.Pos}
		}
	case *Extend:
		if x := f(e.X); x != e.X {
			return &Extend{x, e.Width, e.Pos}
		}
	case *Cast:
		if x := f(e.X); x != e.X {
			return &Cast{x, e.Signed, e.Pos}
		}
	case *Select:
		if x, i := f(e.X), f(e.Index); x != e.X || i != e.Index {
			return &Select{x, i, e.Stride, e.Width, e.Pos}
		}
	case *MemRead:
		if a := f(e.Addr); a != e.Addr {
			return &MemRead{e.Mem, a, e.Pos}
		}
	}
	return e
}

// Exprs returns the expressions that s itself holds (conditions, values,
// addresses), not those of nested statements.
func Exprs(s Stmt) []Expr {
	switch s := s.(type) {
	case *Assign:
		if s.Index != nil {
			return []Expr{s.Index, s.Value}
		}
		return []Expr{s.Value}
	case *If:
		es := make([]Expr, len(s.Arms))
		for i, a := range s.Arms {
			es[i] = a.Cond
		}
		return es
	case *Switch:
		return []Expr{s.Subject}
	case *MemWrite:
		if s.Mask != nil {
			return []Expr{s.Addr, s.Data, s.Mask}
		}
		return []Expr{s.Addr, s.Data}
	}
	return nil
}

// Bodies returns the nested statement lists of s, the Else or Default body last.
func Bodies(s Stmt) [][]Stmt {
	switch s := s.(type) {
	case *If:
		bs := make([][]Stmt, 0, len(s.Arms)+1)
		for _, a := range s.Arms {
			bs = append(bs, a.Body)
		}
		return append(bs, s.Else)
	case *Switch:
		bs := make([][]Stmt, 0, len(s.Cases)+1)
		for _, c := range s.Cases {
			bs = append(bs, c.Body)
		}
		return append(bs, s.Default)
	}
	return nil
}

// WalkStmts calls f for every statement of the list and, while f returns true,
// for the statements nested in it, in order.
func WalkStmts(list []Stmt, f func(Stmt) bool) {
	for _, s := range list {
		if f(s) {
			for _, b := range Bodies(s) {
				WalkStmts(b, f)
			}
		}
	}
}

// WalkExpr calls f for e and, while f returns true, for what is below it,
// operands after their user. Shared nodes are visited once per user: to see
// each once, let f keep a set and return false for what it has seen.
func WalkExpr(e Expr, f func(Expr) bool) {
	if f(e) {
		for _, o := range Operands(e) {
			WalkExpr(o, f)
		}
	}
}

// RootExprs calls f for every expression that a module's statements, memories
// and signal defaults hold, in a fixed order.
func RootExprs(m *Module, f func(Expr)) {
	for _, s := range m.Signals {
		if s.Default != nil {
			f(s.Default)
		}
	}
	for _, mem := range m.Mems {
		for _, r := range mem.Reads {
			f(r.Addr)
			f(r.En)
		}
	}
	WalkStmts(m.Body, func(s Stmt) bool {
		for _, e := range Exprs(s) {
			f(e)
		}
		return true
	})
}
