package gen

import (
	"math/big"
	"slices"

	"github.com/millrace-hdl/millrace/hdl/ir"
)

// memories writes out what memories do beyond an array of words: addresses beyond
// the depth, and reads of the word being written.
func (u *unit) memories() {
	u.mapExprs(guardReads())
	u.body = u.memWrites(u.body)
	for _, mem := range u.m.Mems {
		if r, ok := u.reads[mem]; ok {
			u.syncRead(mem, r)
		}
	}
	clear(u.reads)
	u.idleMems()
}

// idleMems makes a memory that nothing writes write itself, and lists one that
// nothing reads as unread: tools take both for mistakes.
func (u *unit) idleMems() {
	written, read := map[*ir.Mem]bool{}, map[*ir.Mem]bool{}
	ir.WalkStmts(u.body, func(s ir.Stmt) bool {
		if w, ok := s.(*ir.MemWrite); ok {
			written[w.Mem] = true
		}
		return true
	})
	seen := map[ir.Expr]bool{}
	u.exprs(func(e ir.Expr) {
		ir.WalkExpr(e, func(e ir.Expr) bool {
			if seen[e] {
				return false
			}
			seen[e] = true
			if r, ok := e.(*ir.MemRead); ok {
				read[r.Mem] = true
			}
			return true
		})
	})
	for _, m := range u.m.Mems {
		first := &ir.MemRead{Mem: m, Addr: constant(ir.Type{Width: m.AddrWidth()}, new(big.Int), m.Pos), Pos: m.Pos}
		if !written[m] {
			u.body = append(u.body, &ir.MemWrite{Mem: m, Addr: first.Addr, Data: first, Pos: m.Pos})
		} else if !read[m] {
			u.sink = append(u.sink, first)
		}
	}
}

// partial reports whether some addresses have no element.
func partial(m *ir.Mem) bool { return 1<<m.AddrWidth() != m.Depth }

// inside is whether addr has an element.
func inside(m *ir.Mem, addr ir.Expr, pos ir.Pos) ir.Expr {
	depth := constant(ir.Type{Width: m.AddrWidth()}, big.NewInt(int64(m.Depth)), pos)
	return foldBinary(&ir.Binary{Op: ir.Lt, X: addr, Y: depth, Pos: pos})
}

// guardReads makes asynchronous reads beyond the depth zero.
func guardReads() func(ir.Expr) ir.Expr {
	memo := map[ir.Expr]ir.Expr{}
	var f func(ir.Expr) ir.Expr
	f = func(e ir.Expr) ir.Expr {
		if r, ok := memo[e]; ok {
			return r
		}
		r := ir.MapOperands(e, f)
		if m, ok := r.(*ir.MemRead); ok && partial(m.Mem) {
			r = foldMux(&ir.Mux{Cond: inside(m.Mem, m.Addr, m.Pos), Then: m, Else: constant(m.Mem.Elem, new(big.Int), m.Pos), Pos: m.Pos})
		}
		memo[e] = r
		return r
	}
	return f
}

// memWrites drops writes beyond the depth.
func (u *unit) memWrites(list []ir.Stmt) []ir.Stmt {
	return mapList(list, func(s ir.Stmt) []ir.Stmt {
		w, ok := s.(*ir.MemWrite)
		if !ok || !partial(w.Mem) {
			return []ir.Stmt{s}
		}
		return pruneIf(&ir.If{Arms: []ir.Arm{{Cond: inside(w.Mem, w.Addr, w.Pos), Body: []ir.Stmt{w}, Pos: w.Pos}}, Pos: w.Pos})
	})
}

// syncRead adds the statements of a synchronous read port. The array itself is
// always read before the write, which every tool infers as a block memory; what
// the port must give instead is registered beside it and selected afterwards.
func (u *unit) syncRead(mem *ir.Mem, r ir.SyncPort) {
	pos := mem.Pos
	var load []ir.Stmt
	set := func(s *ir.Signal, v ir.Expr) {
		load = append(load, whole(s, v, pos))
	}
	word := r.Data
	after := func(e ir.Expr) ir.Expr { return e }
	if slices.Contains(r.During, ir.NewData) {
		if enable, w := u.writePort(mem); w != nil {
			after = u.bypass(mem, r, enable, w, set)
		}
	}
	if partial(mem) {
		miss := u.register(mem.Name+"_miss", ir.Type{Width: 1}, pos, "The address read is beyond the last word.")
		set(miss, foldUnary(&ir.Unary{Op: ir.Not, X: inside(mem, r.Addr, pos), Pos: pos}, true))
		inner := after
		after = func(e ir.Expr) ir.Expr {
			return &ir.Mux{Cond: ref(miss), Then: constant(mem.Elem, new(big.Int), pos), Else: inner(e), Pos: pos}
		}
	}
	if len(load) > 0 {
		word = u.register(mem.Name+"_word", mem.Elem, pos, "What the array held at the address read.")
		u.comb[r.Data] = true
		u.body = append(u.body, whole(r.Data, after(ref(word)), pos))
	}
	u.ports[mem] = word
	set(word, &ir.MemRead{Mem: mem, Addr: r.Addr, Pos: pos})
	u.body = append(u.body, pruneIf(&ir.If{Arms: []ir.Arm{{Cond: r.En, Body: load, Pos: pos}}, Pos: pos})...)
}

// bypass registers the written lanes of a word that is read in the same cycle, and
// returns how the word read from the array becomes the one read from the port.
func (u *unit) bypass(mem *ir.Mem, r ir.SyncPort, enable ir.Expr, w *ir.MemWrite, set func(*ir.Signal, ir.Expr)) func(ir.Expr) ir.Expr {
	pos := w.Pos
	lanes := laneCount(w)
	what := "The word read was written in the same cycle."
	if lanes > 1 {
		what = "Lanes of the word read that were written in the same cycle."
	}
	hit := u.register(mem.Name+"_hit", ir.Type{Width: lanes}, pos, what)
	data := u.register(mem.Name+"_new", mem.Elem, pos, "What was written then.")
	same := foldBinary(&ir.Binary{Op: ir.And, X: enable, Y: foldBinary(&ir.Binary{Op: ir.Eq, X: w.Addr, Y: r.Addr, Pos: pos}), Pos: pos})
	if w.Mask != nil {
		all := &ir.Cat{Pos: pos}
		for range lanes {
			all.Parts = append(all.Parts, same)
		}
		same = foldBinary(&ir.Binary{Op: ir.And, X: foldCat(all), Y: cast(w.Mask, false, pos), Pos: pos})
	}
	set(hit, same)
	set(data, w.Data)
	return func(word ir.Expr) ir.Expr {
		if lanes == 1 {
			return &ir.Mux{Cond: ref(hit), Then: ref(data), Else: word, Pos: pos}
		}
		width := mem.Elem.Width / lanes
		c := &ir.Cat{Pos: pos}
		for i := lanes - 1; i >= 0; i-- {
			c.Parts = append(c.Parts, &ir.Mux{
				Cond: slice(ref(hit), i, 1, pos), Then: slice(ref(data), i*width, width, pos), Else: slice(word, i*width, width, pos), Pos: pos})
		}
		return cast(c, mem.Elem.Signed, pos)
	}
}

// writePort makes what writes the memory visible outside its conditions: whether
// (the first result, a literal or a wire) and what. Nil if nothing does.
func (u *unit) writePort(mem *ir.Mem) (ir.Expr, *ir.MemWrite) {
	var ws []*ir.MemWrite
	ir.WalkStmts(u.body, func(s ir.Stmt) bool {
		if w, ok := s.(*ir.MemWrite); ok && w.Mem == mem {
			ws = append(ws, w)
		}
		return true
	})
	if len(ws) == 0 {
		return nil, nil
	}
	for _, s := range u.body {
		if s == ir.Stmt(ws[0]) && len(ws) == 1 {
			return truth(true, ws[0].Pos), ws[0]
		}
	}
	pos := ws[0].Pos
	we := u.control(mem.Name+"_write", ir.Type{Width: 1}, pos)
	if len(ws) == 1 {
		u.replaceWrites(mem, func(w *ir.MemWrite) []ir.Stmt { return []ir.Stmt{whole(we, truth(true, w.Pos), w.Pos), w} })
		return ref(we), ws[0]
	}
	lanes := 1
	for _, w := range ws {
		lanes = lcm(lanes, laneCount(w))
	}
	addr := u.control(mem.Name+"_addr", ir.Type{Width: mem.AddrWidth()}, pos)
	data := u.control(mem.Name+"_data", mem.Elem, pos)
	mask := u.control(mem.Name+"_mask", ir.Type{Width: lanes}, pos)
	u.replaceWrites(mem, func(w *ir.MemWrite) []ir.Stmt {
		return []ir.Stmt{
			whole(we, truth(true, w.Pos), w.Pos), whole(addr, w.Addr, w.Pos), whole(data, w.Data, w.Pos),
			whole(mask, spread(w, lanes), w.Pos),
		}
	})
	one := &ir.MemWrite{Mem: mem, Addr: ref(addr), Data: ref(data), Mask: ref(mask), Pos: pos}
	u.body = append(u.body, &ir.If{Arms: []ir.Arm{{Cond: ref(we), Body: []ir.Stmt{one}, Pos: pos}}, Pos: pos})
	return ref(we), one
}

func (u *unit) replaceWrites(mem *ir.Mem, f func(*ir.MemWrite) []ir.Stmt) {
	u.body = mapList(u.body, func(s ir.Stmt) []ir.Stmt {
		if w, ok := s.(*ir.MemWrite); ok && w.Mem == mem {
			return f(w)
		}
		return []ir.Stmt{s}
	})
}

// spread is the mask of a write in the given number of lanes.
func spread(w *ir.MemWrite, lanes int) ir.Expr {
	n := laneCount(w)
	c := &ir.Cat{Pos: w.Pos}
	for i := n - 1; i >= 0; i-- {
		var bit ir.Expr = truth(true, w.Pos)
		if w.Mask != nil {
			bit = slice(w.Mask, i, 1, w.Pos)
		}
		for range lanes / n {
			c.Parts = append(c.Parts, bit)
		}
	}
	return foldCat(c)
}

func laneCount(w *ir.MemWrite) int {
	if w.Mask == nil {
		return 1
	}
	return w.Mask.Type().Width
}

func lcm(a, b int) int {
	x, y := a, b
	for y != 0 {
		x, y = y, x%y
	}
	return a / x * b
}

// control is a wire that is zero unless assigned.
func (u *unit) control(name string, t ir.Type, pos ir.Pos) *ir.Signal {
	s := u.wire(name, t, pos)
	u.derived = append(u.derived, s)
	u.defaults[s] = constant(t, new(big.Int), pos)
	return s
}

func whole(s *ir.Signal, v ir.Expr, pos ir.Pos) *ir.Assign {
	return &ir.Assign{Target: s, Width: s.Type.Width, Value: v, Pos: pos}
}

func (u *unit) register(name string, t ir.Type, pos ir.Pos, note string) *ir.Signal {
	s := u.wire(name, t, pos)
	s.Kind, s.Note = ir.Reg, note
	u.derived = append(u.derived, s)
	return s
}

func ref(s *ir.Signal) *ir.Ref { return &ir.Ref{Signal: s, Pos: s.Pos} }

// mapList copies a list of statements with each simple one replaced by f of it.
func mapList(list []ir.Stmt, f func(ir.Stmt) []ir.Stmt) []ir.Stmt {
	var out []ir.Stmt
	for _, s := range list {
		switch s := s.(type) {
		case *ir.If:
			c := &ir.If{Else: mapList(s.Else, f), Pos: s.Pos}
			for _, a := range s.Arms {
				c.Arms = append(c.Arms, ir.Arm{Cond: a.Cond, Body: mapList(a.Body, f), Pos: a.Pos})
			}
			out = append(out, c)
		case *ir.Switch:
			c := *s
			c.Cases, c.Default = nil, mapList(s.Default, f)
			for _, k := range s.Cases {
				c.Cases = append(c.Cases, ir.Case{Values: k.Values, Body: mapList(k.Body, f), Pos: k.Pos})
			}
			out = append(out, &c)
		default:
			out = append(out, f(s)...)
		}
	}
	return out
}
