package sim

import (
	"github.com/millrace-hdl/millrace/hdl/ir"
)

// driver finds the value that statements give to bits of one signal: last
// assignment first, so that what a later one hides is never looked at.
type driver struct {
	*lowering
	scope *scope
	sig   *ir.Signal
	lo, w int
}

// none stands for a value that no legal path reaches.
const none id = -1

// drive lowers bits of what the body of its module assigns to a net.
func (l *lowering) drive(n *net, lo, w int) id {
	d := driver{l, n.scope, n.sig, lo, w}
	x := d.after(n.scope.mod.mod.Body, func() id {
		switch {
		case n.sig.Kind == ir.Reg:
			return l.slice(l.loc(n.sig.Type.Width, n.slot), lo, w)
		case n.sig.Default != nil:
			return l.expr(n.scope, n.sig.Default, lo, w)
		}
		return none
	})
	if x == none {
		return l.small(w, 0)
	}
	return x
}

// after is the value of the bits after the statements, where before gives the
// value ahead of them.
func (d *driver) after(list []ir.Stmt, before func() id) id {
	for i := len(list) - 1; i >= 0; i-- {
		switch s := list[i].(type) {
		case *ir.Assign:
			if s.Target == d.sig && s.Lo <= d.lo && d.lo+d.w <= s.Lo+s.Width {
				return d.expr(d.scope, s.Value, d.lo-s.Lo, d.w)
			}
		case *ir.If:
			if d.scope.mod.touches(s, d.sig, d.lo, d.w) {
				return d.choice(s, d.rest(list[:i], before))
			}
		case *ir.Switch:
			if d.scope.mod.touches(s, d.sig, d.lo, d.w) {
				return d.cases(s, d.rest(list[:i], before))
			}
		}
	}
	return before()
}

// rest is the value after the list, found at most once and only if asked for.
func (d *driver) rest(list []ir.Stmt, before func() id) func() id {
	var x id
	known := false
	return func() id {
		if !known {
			x, known = d.after(list, before), true
		}
		return x
	}
}

func (d *driver) choice(s *ir.If, before func() id) id {
	x := d.after(s.Else, before)
	for i := len(s.Arms) - 1; i >= 0; i-- {
		x = d.pick(d.all(d.scope, s.Arms[i].Cond), d.after(s.Arms[i].Body, before), x)
	}
	return x
}

func (d *driver) cases(s *ir.Switch, before func() id) id {
	subject := d.all(d.scope, s.Subject)
	values := uint64(0)
	for _, c := range s.Cases {
		values += uint64(len(c.Values))
	}
	x := none
	// A switch that lists every value has no way around it.
	if w := d.width(subject); s.HasDefault {
		x = d.after(s.Default, before)
	} else if w >= 63 || values < 1<<w {
		x = before()
	}
	for i := len(s.Cases) - 1; i >= 0; i-- {
		c := s.Cases[i]
		hit := d.small(1, 0)
		for _, v := range c.Values {
			hit = d.or(hit, d.eq(subject, d.constant(v.Typ.Width, v.Words)))
		}
		x = d.pick(hit, d.after(c.Body, before), x)
	}
	return x
}

// pick is a multiplexer in which an unreachable leg gives way to the other.
func (d *driver) pick(c, t, e id) id {
	switch {
	case t == none:
		return e
	case e == none:
		return t
	}
	return d.mux(c, t, e)
}

// access is what a memory port does at the clock edge if en is one: it writes
// data, or reads, after all writes, into the slot of a next value.
type access struct {
	mem  *memory
	en   id
	addr id
	data id // none for a read
	mask id // none for a read and for writes of whole elements
	slot int
}

// nodes are what the port needs while it is enabled.
func (p *access) nodes() []*id {
	ns := []*id{&p.addr}
	for _, x := range [...]*id{&p.data, &p.mask} {
		if *x != none {
			ns = append(ns, x)
		}
	}
	return ns
}

// writes lowers the writes to a memory, in statement order.
func (l *lowering) writes(mem *memory) []access {
	var ws []access
	s := mem.scope
	for _, m := range s.mod.writes {
		if m.Mem != mem.mem {
			continue
		}
		w := access{mem: mem, mask: none, en: l.reached(s, s.mod.mod.Body, m)}
		w.addr, w.data = l.all(s, m.Addr), l.all(s, m.Data)
		if m.Mask != nil {
			w.mask = l.all(s, m.Mask)
		}
		if !l.isZero(w.en) {
			ws = append(ws, w)
		}
	}
	return ws
}

// reached is the condition under which a statement of the list, or nested in
// it, executes.
func (l *lowering) reached(s *scope, list []ir.Stmt, want *ir.MemWrite) id {
	or := l.small(1, 0)
	for _, st := range list {
		switch st := st.(type) {
		case *ir.MemWrite:
			if st == want {
				return l.small(1, 1)
			}
		case *ir.If:
			free := l.small(1, 1) // no earlier arm taken
			for _, a := range st.Arms {
				if in := l.reached(s, a.Body, want); !l.isZero(in) {
					return l.and(free, l.and(l.all(s, a.Cond), in))
				}
				if contains(st, want) {
					free = l.and(free, l.not(l.all(s, a.Cond)))
				}
			}
			if in := l.reached(s, st.Else, want); !l.isZero(in) {
				return l.and(free, in)
			}
		case *ir.Switch:
			if !contains(st, want) {
				continue
			}
			subject, other := l.all(s, st.Subject), l.small(1, 1)
			for _, c := range st.Cases {
				hit := l.small(1, 0)
				for _, v := range c.Values {
					hit = l.or(hit, l.eq(subject, l.constant(v.Typ.Width, v.Words)))
				}
				if in := l.reached(s, c.Body, want); !l.isZero(in) {
					return l.and(hit, in)
				}
				other = l.and(other, l.not(hit))
			}
			return l.and(other, l.reached(s, st.Default, want))
		}
	}
	return or
}

func contains(s ir.Stmt, want *ir.MemWrite) bool {
	found := false
	ir.WalkStmts([]ir.Stmt{s}, func(s ir.Stmt) bool {
		found = found || s == ir.Stmt(want)
		return !found
	})
	return found
}
