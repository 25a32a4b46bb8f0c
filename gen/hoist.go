package gen

import "github.com/millrace-hdl/millrace/hdl/ir"

// hoister gives names to sub-expressions: those that the language cannot nest,
// and those that are not trivial and have several users. The wire stands before
// the first block that uses it and is called after what that block drives.
type hoister struct {
	u    *unit
	uses map[ir.Expr]int
	memo map[ir.Expr]ir.Expr
	deep map[ir.Expr]int // how deeply a result nests
	out  []block
}

// deepest is how deeply an expression nests at most. Parsers of tools give up on
// thousands of parentheses.
const deepest = 64

func (u *unit) hoist() {
	h := &hoister{u: u, uses: u.blockUses(), memo: map[ir.Expr]ir.Expr{}, deep: map[ir.Expr]int{}}
	for _, b := range u.blocks {
		u.blockExprs(b, h.root)
		switch b := b.(type) {
		case *seq:
			b.body = mapList(b.body, h.flatStmt)
		case *comb:
			b.body = mapList(b.body, h.flatStmt)
		}
		h.out = append(h.out, b)
	}
	for i := range u.insts {
		in := &u.insts[i]
		for j := range in.conns {
			c := &in.conns[j]
			c.value = h.expr(bare(c.value), in.of.Name+"_"+c.port.Name)
		}
	}
	u.blocks = h.out
}

// root makes the expression of a statement legal; direct allows a memory read to
// stay.
func (h *hoister) root(e ir.Expr, base string, direct bool) ir.Expr {
	if m, ok := e.(*ir.MemRead); ok && direct && h.uses[e] == 1 {
		return &ir.MemRead{Mem: m.Mem, Addr: h.address(h.expr(m.Addr, m.Mem.Name+"_addr"), m.Mem), Pos: m.Pos}
	}
	return h.expr(bare(e), base)
}

// bare drops a cast of the whole value, whose destination has the right width.
func bare(e ir.Expr) ir.Expr {
	if c, ok := e.(*ir.Cast); ok {
		return c.X
	}
	return e
}

// flatStmt makes the operands of a masked write selectable, and indices plain.
func (h *hoister) flatStmt(s ir.Stmt) []ir.Stmt {
	if a, ok := s.(*ir.Assign); ok && a.Index != nil {
		a.Index = h.index(a.Index, a.Target.Name)
	}
	if w, ok := s.(*ir.MemWrite); ok {
		w.Addr = h.address(w.Addr, w.Mem)
		if w.Mask != nil {
			w.Data, w.Mask = h.plain(w.Data, w.Mem.Name+"_data"), h.plain(w.Mask, w.Mem.Name+"_mask")
		}
	}
	return []ir.Stmt{s}
}

// expr makes e legal, for a destination called base.
func (h *hoister) expr(e ir.Expr, base string) ir.Expr {
	if r, ok := h.memo[e]; ok {
		return r
	}
	if m, ok := e.(*ir.MemRead); ok {
		addr := h.address(h.expr(m.Addr, m.Mem.Name+"_addr"), m.Mem)
		h.memo[e] = h.wire(&ir.MemRead{Mem: m.Mem, Addr: addr, Pos: m.Pos}, m.Mem.Name)
		return h.memo[e]
	}
	if sl, ok := e.(*ir.Slice); ok {
		n := narrow(sl, h.uses)
		if n == nil {
			n = slice(sl.X, sl.Lo, sl.Width, sl.Pos)
			if same, ok := n.(*ir.Slice); ok && same.X == sl.X {
				n = nil
			}
		}
		if n != nil {
			h.memo[e] = h.expr(n, base)
			return h.memo[e]
		}
	}
	r := ir.MapOperands(e, func(o ir.Expr) ir.Expr { return h.expr(o, base) })
	switch x := r.(type) {
	case *ir.Extend:
		if x.X.Type().Signed {
			r = &ir.Extend{X: h.plain(x.X, base), Width: x.Width, Pos: x.Pos}
		}
	case *ir.Slice:
		r = slice(h.plain(x.X, base), x.Lo, x.Width, x.Pos)
	case *ir.Select:
		r = &ir.Select{X: h.vector(x.X, base), Index: h.index(x.Index, base), Stride: x.Stride, Width: x.Width, Pos: x.Pos}
	case *ir.Binary:
		if x.Op == ir.Shl || x.Op == ir.Shr {
			r = h.shift(x, base)
		}
		if x.Op == ir.Mul && x.Type().Signed && x.Type().Width > 512 {
			r = unsignedMul(x)
		}
	}
	depth := 1
	ir.MapOperands(r, func(o ir.Expr) ir.Expr {
		depth = max(depth, 1+h.deep[o])
		return o
	})
	if h.uses[e] > 1 && !trivial(r) || depth >= deepest {
		r, depth = h.wire(r, base+"_"+operation(e)), 0
	}
	h.memo[e], h.deep[r] = r, depth
	return r
}

// shift limits the amount to the bits that matter: no tool shifts by more than 32
// bits' worth.
func (h *hoister) shift(e *ir.Binary, base string) ir.Expr {
	if e.Op == ir.Shr && repeats(e.X) {
		e = &ir.Binary{Op: e.Op, X: h.plain(e.X, base), Y: e.Y, Pos: e.Pos}
	}
	n := e.Y.Type().Width
	if n <= 31 {
		return e
	}
	y := h.plain(e.Y, base+"_amount")
	const low = 24 // no signal has so many bits
	over := &ir.Unary{Op: ir.RedOr, X: slice(y, low, n-low, e.Pos), Pos: e.Pos}
	by := &ir.Binary{Op: e.Op, X: e.X, Y: slice(y, 0, low, e.Pos), Pos: e.Pos}
	all := foldShift(e, constant(ir.Type{Width: 32}, ones(32), e.Pos))
	return &ir.Mux{Cond: over, Then: all, Else: by, Pos: e.Pos}
}

// repeats reports whether e repeats one bit that is computed. Verilator 5.006 without
// its optimiser shifts such as a signed number.
func repeats(e ir.Expr) bool {
	c, ok := e.(*ir.Cat)
	if !ok || c.Parts[0].Type().Width > 1 || leaf(c.Parts[0]) {
		return false
	}
	for _, p := range c.Parts {
		if p != c.Parts[0] {
			return false
		}
	}
	return true
}

// unsignedMul computes the same bits without signs: Verilator multiplies signed
// numbers of at most 512 bits.
func unsignedMul(e *ir.Binary) ir.Expr {
	bare := func(x ir.Expr) ir.Expr { return &ir.Cast{X: x, Pos: e.Pos} }
	return &ir.Cast{X: &ir.Binary{Op: ir.Mul, X: bare(e.X), Y: bare(e.Y), Pos: e.Pos}, Signed: true, Pos: e.Pos}
}

// address is an address that can stand in brackets. A literal cannot: Yosys then
// makes the memory one register a word.
func (h *hoister) address(e ir.Expr, m *ir.Mem) ir.Expr {
	if _, ok := e.(*ir.Const); ok {
		return h.wire(e, m.Name+"_addr")
	}
	return h.plain(e, m.Name+"_addr")
}

// plain is e if bits can be selected from it, else a wire that holds it.
func (h *hoister) plain(e ir.Expr, base string) ir.Expr {
	if leaf(e) {
		return e
	}
	return h.wire(e, base+"_"+operation(e))
}

// vector is e as a signal, of which a lane can be selected.
func (h *hoister) vector(e ir.Expr, base string) ir.Expr {
	for {
		c, ok := e.(*ir.Cast)
		if !ok {
			break
		}
		e = c.X
	}
	if _, ok := e.(*ir.Ref); ok {
		return e
	}
	return h.wire(e, base+"_"+operation(e))
}

// index is an index that can stand in brackets: one that has its own width there.
func (h *hoister) index(e ir.Expr, base string) ir.Expr {
	if x, ok := e.(*ir.Extend); ok && leaf(x.X) {
		return e
	}
	return h.plain(e, base)
}

// wire puts e on a wire of its own.
func (h *hoister) wire(e ir.Expr, name string) ir.Expr {
	if m, ok := e.(*ir.MemRead); ok {
		name = m.Mem.Name + "_read"
	}
	s := h.u.wire(name, e.Type(), e.Position())
	h.out = append(h.out, &assign{target: s, value: bare(e), declare: true, pos: e.Position()})
	return ref(s)
}

// trivial reports whether e reads as well in each place as a name would: it is a
// plain operand, or one gate on such.
func trivial(e ir.Expr) bool {
	if leaf(e) {
		return true
	}
	switch e := e.(type) {
	case *ir.Cast:
		return trivial(e.X)
	case *ir.Unary:
		return e.Op != ir.Neg && leaf(e.X)
	case *ir.Binary:
		return e.Type().Width == 1 && leaf(e.X) && leaf(e.Y) &&
			(e.Op <= ir.Xor || e.Op == ir.Eq || e.Op == ir.Ne)
	case *ir.Extend:
		return leaf(e.X)
	case *ir.Slice:
		return leaf(e.X)
	case *ir.Select:
		return leaf(e.X) && leaf(e.Index)
	case *ir.Cat:
		for _, p := range e.Parts {
			if !leaf(p) {
				return false
			}
		}
		return len(e.Parts) <= 3
	}
	return false
}
