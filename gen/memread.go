package gen

import (
	"math/big"

	"github.com/millrace-hdl/millrace/hdl/ir"
)

// syncRead adds the statements of a synchronous read port. The array itself is
// always read before the writes, which every tool infers as a block memory; what
// the port must give instead is registered beside it and selected afterwards.
func (u *unit) syncRead(mem *ir.Mem, r ir.SyncPort, ports []*writePort) {
	pos, domain := r.Data.Pos, r.Data.Domain
	base := mem.Name
	if len(mem.Reads) > 1 {
		base = r.Data.Name
	}
	var load []ir.Stmt
	set := func(s *ir.Signal, v ir.Expr) {
		load = append(load, whole(s, v, pos))
	}
	after := func(e ir.Expr) ir.Expr { return e }
	var shown []*writePort // what the port returns
	for _, p := range ports {
		during := r.During[u.port[p.writes[0]]]
		switch {
		case p.domain != domain || during == ir.Undefined:
			continue // the old word is as good as any
		case during == ir.NewData:
			shown = append(shown, p)
		}
		for _, w := range p.writes {
			// Only a whole new word makes what the array gives irrelevant.
			if during == ir.OldData || laneCount(w) > 1 {
				u.unchecked[mem] = false
			}
		}
	}
	if len(shown) > 0 {
		after = u.bypass(mem, r, base, shown, set)
	}
	if partial(mem) {
		miss := u.register(base+"_miss", ir.Type{Width: 1}, domain, pos, "The address read is beyond the last word.")
		set(miss, foldUnary(&ir.Unary{Op: ir.Not, X: inside(mem, r.Addr, pos), Pos: pos}, true))
		inner := after
		after = func(e ir.Expr) ir.Expr {
			return &ir.Mux{Cond: ref(miss), Then: constant(mem.Elem, new(big.Int), pos), Else: inner(e), Pos: pos}
		}
	}
	word := r.Data
	if len(load) > 0 {
		word = u.register(base+"_word", mem.Elem, domain, pos, "What the array held at the address read.")
		u.comb[r.Data] = true
		u.body = append(u.body, whole(r.Data, after(ref(word)), pos))
	}
	u.words[word] = mem
	set(word, &ir.MemRead{Mem: mem, Addr: r.Addr, Pos: pos})
	u.body = append(u.body, pruneIf(&ir.If{Arms: []ir.Arm{{Cond: r.En, Body: load, Pos: pos}}, Pos: pos})...)
}

// bypass registers the written lanes of a word that is read in the same cycle, and
// returns how the word read from the array becomes the one read from the port. Of
// several ports that write a lane the last one is seen.
func (u *unit) bypass(mem *ir.Mem, r ir.SyncPort, base string, ports []*writePort, set func(*ir.Signal, ir.Expr)) func(ir.Expr) ir.Expr {
	pos := r.Data.Pos
	lanes := 1
	for _, p := range ports {
		u.show(p)
		lanes = lcm(lanes, laneCount(p.visible))
	}
	what := "The word read was written in the same cycle."
	if lanes > 1 {
		what = "Lanes of the word read that were written in the same cycle."
	}
	hit := u.register(base+"_hit", ir.Type{Width: lanes}, r.Data.Domain, pos, what)
	data := u.register(base+"_new", mem.Elem, r.Data.Domain, pos, "What was written then.")
	var hits, words ir.Expr
	for _, p := range ports {
		now := hitsOf(p, r.Addr, lanes)
		if hits == nil {
			hits, words = now, p.visible.Data
			continue
		}
		words = byLane(mem, now, p.visible.Data, words, lanes, pos)
		hits = foldBinary(&ir.Binary{Op: ir.Or, X: hits, Y: now, Pos: pos})
	}
	set(hit, hits)
	set(data, words)
	return func(word ir.Expr) ir.Expr { return byLane(mem, ref(hit), ref(data), word, lanes, pos) }
}

// hitsOf is the lanes of the word at addr that a port writes.
func hitsOf(p *writePort, addr ir.Expr, lanes int) ir.Expr {
	w := p.visible
	same := foldBinary(&ir.Binary{Op: ir.And, X: p.enable, Y: foldBinary(&ir.Binary{Op: ir.Eq, X: w.Addr, Y: addr, Pos: w.Pos}), Pos: w.Pos})
	all := &ir.Cat{Pos: w.Pos}
	for range lanes {
		all.Parts = append(all.Parts, same)
	}
	if w.Mask == nil {
		return foldCat(all)
	}
	return foldBinary(&ir.Binary{Op: ir.And, X: foldCat(all), Y: spread(w, lanes), Pos: w.Pos})
}

// byLane is a word that has the lanes of then where their bit of sel is one, else
// those of other.
func byLane(mem *ir.Mem, sel, then, other ir.Expr, lanes int, pos ir.Pos) ir.Expr {
	if lanes == 1 {
		return foldMux(&ir.Mux{Cond: sel, Then: then, Else: other, Pos: pos})
	}
	width := mem.Elem.Width / lanes
	c := &ir.Cat{Pos: pos}
	for i := lanes - 1; i >= 0; i-- {
		c.Parts = append(c.Parts, foldMux(&ir.Mux{
			Cond: slice(sel, i, 1, pos), Then: slice(then, i*width, width, pos), Else: slice(other, i*width, width, pos), Pos: pos}))
	}
	return cast(c, mem.Elem.Signed, pos)
}
