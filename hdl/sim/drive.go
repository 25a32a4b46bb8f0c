package sim

import (
	"cmp"
	"slices"

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
	if n.scope.box != nil {
		return l.output(n, lo, w)
	}
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
	all := d.scope.mod.touches(list, d.sig)
	n, _ := slices.BinarySearchFunc(all, len(list), func(t touch, n int) int { return cmp.Compare(t.at, n) })
	for n--; n >= 0; n-- {
		at := all[n].at
		var bodies []int // that assign the bits, the last first
		for ; n >= 0 && all[n].at == at; n-- {
			d.looked++
			if t := all[n]; t.lo < d.lo+d.w && d.lo < t.hi && (len(bodies) == 0 || bodies[len(bodies)-1] != t.body) {
				bodies = append(bodies, t.body)
			}
		}
		n++
		if len(bodies) == 0 {
			continue
		}
		switch s := list[at].(type) {
		case *ir.Assign:
			if s.Index != nil {
				return d.lane(s, d.rest(list[:at], before))
			}
			return d.expr(d.scope, s.Value, d.lo-s.Lo, d.w)
		case *ir.If:
			return d.choice(s, bodies, d.rest(list[:at], before))
		case *ir.Switch:
			return d.cases(s, bodies, d.rest(list[:at], before))
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

// choice is the value after an If of which some bodies, the last first, assign the
// bits. The arms between them are one way around.
func (d *driver) choice(s *ir.If, bodies []int, before func() id) id {
	x, end := none, len(s.Arms) // what the arms from end on, and the last body, give
	if bodies[0] == end {
		x, bodies = d.after(s.Else, before), bodies[1:]
	} else {
		x, end = before(), bodies[0]+1
	}
	for _, i := range append(bodies, -1) {
		if i+1 < end {
			x = d.pick(d.taken(s, i+1, end), before(), x)
		}
		if end = i; i >= 0 {
			x = d.pick(d.all(d.scope, s.Arms[i].Cond), d.after(s.Arms[i].Body, before), x)
		}
	}
	return x
}

// taken is whether one of the arms from the first up to, not including, end is
// taken, where none before them is. Several signals share it.
func (d *driver) taken(s *ir.If, first, end int) id {
	if first+1 == end {
		return d.all(d.scope, s.Arms[first].Cond)
	}
	k := chainKey{d.scope, s}
	for i := len(d.chains[k]); i < end; i++ {
		x := d.all(d.scope, s.Arms[i].Cond)
		if i > 0 {
			x = d.or(d.chains[k][i-1], x)
		}
		d.chains[k] = append(d.chains[k], x)
	}
	return d.chains[k][end-1]
}

// cases is the value after a switch, of which some bodies, the last first, assign
// the bits. Its cases exclude each other, so the others are one way around.
func (d *driver) cases(s *ir.Switch, bodies []int, before func() id) id {
	subject := d.all(d.scope, s.Subject)
	x, rest := none, len(s.Cases)
	switch {
	case s.HasDefault && bodies[0] == rest:
		x, bodies = d.after(s.Default, before), bodies[1:]
		if len(bodies) < rest {
			x = d.pick(d.listed(s, subject), before(), x)
		}
	case len(bodies) < rest || s.HasDefault || !d.complete(s, subject):
		x = before()
	}
	for _, i := range bodies {
		x = d.pick(d.hit(&s.Cases[i], subject), d.after(s.Cases[i].Body, before), x)
	}
	return x
}

// complete reports whether a switch lists every value, so that there is no way
// around it.
func (d *driver) complete(s *ir.Switch, subject id) bool {
	values := uint64(0)
	for _, c := range s.Cases {
		values += uint64(len(c.Values))
	}
	w := d.width(subject)
	return w < 63 && values >= 1<<w
}

// hit is whether the subject has a value of the case.
func (d *driver) hit(c *ir.Case, subject id) id {
	hit := d.small(1, 0)
	for _, v := range c.Values {
		hit = d.or(hit, d.eq(subject, d.constant(v.Typ.Width, v.Words)))
	}
	return hit
}

// listed is whether the subject has a value of any case.
func (d *driver) listed(s *ir.Switch, subject id) id {
	k := chainKey{d.scope, s}
	if d.chains[k] == nil {
		x := d.small(1, 0)
		for i := range s.Cases {
			x = d.or(x, d.hit(&s.Cases[i], subject))
		}
		d.chains[k] = []id{x}
	}
	return d.chains[k][0]
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
	for _, m := range mem.ports() {
		if w := l.write(mem, m); !l.isZero(w.en) {
			ws = append(ws, w)
		}
	}
	return ws
}

// ports are the write ports of a memory, in order.
func (m *memory) ports() []*ir.MemWrite {
	return slices.DeleteFunc(slices.Clone(m.scope.mod.writes), func(w *ir.MemWrite) bool { return w.Mem != m.mem })
}

// write lowers one write port.
func (l *lowering) write(mem *memory, m *ir.MemWrite) access {
	s := mem.scope
	w := access{mem: mem, mask: none, en: l.ticking(s.clocks[m.Domain], l.reached(s, s.mod.mod.Body, m))}
	w.addr, w.data = l.all(s, m.Addr), l.all(s, m.Data)
	if m.Mask != nil {
		w.mask = l.all(s, m.Mask)
	}
	return w
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
