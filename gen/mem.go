package gen

import (
	"math/big"
	"slices"

	"github.com/millrace-hdl/millrace/hdl/ir"
)

// memories is what the second layer finds out about the memories of a module.
type memories struct {
	words     map[*ir.Signal]*ir.Mem   // registers that a memory is read into
	writers   map[*ir.Mem][]*ir.Domain // the clock domains that write
	contents  map[*ir.Mem][]*ir.Const  // initial contents
	unchecked map[*ir.Mem]bool         // no read port depends on what a write of the same edge does
}

func newMemories() memories {
	return memories{map[*ir.Signal]*ir.Mem{}, map[*ir.Mem][]*ir.Domain{}, map[*ir.Mem][]*ir.Const{}, map[*ir.Mem]bool{}}
}

// writeMemories writes out what memories do beyond an array of words: addresses
// beyond the depth, writes that exclude each other, and reads of the word being
// written.
func (u *unit) writeMemories() {
	u.mapExprs(guardReads())
	u.body = u.guardWrites(u.body)
	for _, mem := range u.m.Mems {
		u.contents[mem] = mem.Init
		ports := u.writePorts(mem)
		for _, p := range ports {
			if !slices.Contains(u.writers[mem], p.domain) {
				u.writers[mem] = append(u.writers[mem], p.domain)
			}
		}
		u.mergePorts(mem, ports)
		u.unchecked[mem] = len(ports) > 0 && len(u.reads[mem]) > 0
		for _, r := range u.reads[mem] {
			u.syncRead(mem, r, ports)
		}
	}
	clear(u.reads)
	u.idleMems()
}

// idleMems gives a memory that nothing writes something that does, and lists one
// that nothing reads as unread: tools take both for mistakes.
func (u *unit) idleMems() {
	read := map[*ir.Mem]bool{}
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
		if !read[m] {
			u.sink = append(u.sink, first)
		}
		switch {
		case len(u.writers[m])+len(m.Init) > 0:
		case u.m.Clocked():
			u.writers[m] = []*ir.Domain{nil}
			u.body = append(u.body, &ir.MemWrite{Mem: m, Addr: first.Addr, Data: first, Pos: m.Pos})
		default:
			u.contents[m] = []*ir.Const{constant(m.Elem, new(big.Int), m.Pos)}
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

// guardWrites drops writes beyond the depth.
func (u *unit) guardWrites(list []ir.Stmt) []ir.Stmt {
	return mapList(list, func(s ir.Stmt) []ir.Stmt {
		w, ok := s.(*ir.MemWrite)
		if !ok || !partial(w.Mem) {
			return []ir.Stmt{s}
		}
		return pruneIf(&ir.If{Arms: []ir.Arm{{Cond: inside(w.Mem, w.Addr, w.Pos), Body: []ir.Stmt{w}, Pos: w.Pos}}, Pos: w.Pos})
	})
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

func (u *unit) register(name string, t ir.Type, d *ir.Domain, pos ir.Pos, note string) *ir.Signal {
	s := u.wire(name, t, pos)
	s.Kind, s.Note, s.Domain = ir.Reg, note, d
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
