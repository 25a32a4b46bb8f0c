package sim

import (
	"fmt"
	"slices"
)

// assemble emits the program and allocates the slots.
func (m *Model) assemble(r *roots, free int) error {
	var all []id
	for _, s := range slices.Concat(r.outputs, r.next) {
		all = append(all, s.node)
	}
	for _, w := range r.writes {
		all = append(all, w.en, w.addr, w.data)
		if w.mask != none {
			all = append(all, w.mask)
		}
	}
	for _, s := range r.reads {
		all = append(all, s.en, s.addr)
	}
	first := newPlan(m.low.netlist)
	first.spread(r.place(first, m))
	g, to := choose(m.low.netlist, all, first.branches)
	r.translate(to)
	p := newPlan(g)
	p.spread(r.place(p, m))
	a := newAssembler(p, r.mems, free)
	m.temps = free
	early := p.reach(r.outputs)
	a.allow = func(x id) bool { return early[x] }
	for _, s := range r.outputs {
		a.want(s)
	}
	for _, s := range r.outputs {
		a.into(s.node, s.slot)
	}
	m.settle = ended(a.schedule())
	a.code = nil
	a.allow = func(id) bool { return true }
	a.cur, a.nxt = m.cur, m.nxt
	for _, s := range r.next {
		if a.slot[s.node] < 0 {
			a.want(s)
			a.register(s)
		}
	}
	ports := make([]*wanted, 0, len(r.writes)+len(r.reads))
	add := func(en id, nodes ...id) {
		w := &wanted{nodes: nodes}
		ports = append(ports, w)
		a.ports[en] = append(a.ports[en], w)
	}
	for _, w := range r.writes {
		if w.mask == none {
			add(w.en, w.addr, w.data)
		} else {
			add(w.en, w.addr, w.data, w.mask)
		}
	}
	for _, s := range r.reads {
		add(s.en, s.addr)
	}
	for _, s := range r.next {
		a.into(s.node, s.slot)
	}
	a.finish(ports, r)
	for _, w := range r.writes {
		q := port{
			write: true, en: a.value(w.en), addr: a.value(w.addr), data: a.value(w.data),
			base: w.mem.slot, depth: uint64(w.mem.mem.Depth), words: w.mem.words(),
		}
		if w.mask != none {
			q.mask, q.lanes = a.value(w.mask), a.width(w.mask)
			q.lane = w.mem.mem.Elem.Width / q.lanes
		}
		m.edge = append(m.edge, q)
	}
	for _, s := range r.reads {
		m.edge = append(m.edge, port{
			en: a.value(s.en), addr: a.value(s.addr), data: uint32(s.slot),
			base: s.mem.slot, depth: uint64(s.mem.mem.Depth), words: s.mem.words(),
		})
	}
	m.advance = ended(a.schedule())
	m.watch = observer{mems: r.mems, free: a.free}
	for i := range m.low.nodes {
		a.free += 2*words(m.low.nodes[i].width) + 1
	}
	if a.free > maxWords {
		return fmt.Errorf("the design needs %d bytes of state and intermediate values; the limit is %d", a.free*8, maxWords*8)
	}
	m.slots = make([]uint64, a.free+1) // shifts of several words look one word beyond
	m.consts = a.consts
	for _, c := range a.consts {
		copy(m.slots[c.slot:], c.value)
	}
	return nil
}

// want makes a node be computed where its sink needs it.
func (a *assembler) want(s sink) {
	op := a.nodes[s.node].op
	if _, ok := a.prefer[s.node]; !ok && op != nConst && op != nLoc {
		a.prefer[s.node] = s.slot
	}
}

// register lets a register that holds its value under a condition share the
// branch of others.
func (a *assembler) register(s sink) {
	nd := &a.nodes[s.node]
	if nd.op != nMux {
		return
	}
	for i, when := range [...]bool{true, false} {
		hold := &a.nodes[nd.args[2-i]]
		c, ok := a.byKey[regionKey{0, nd.args[0], when}]
		if hold.op == nLoc && a.holds(s.slot, hold.imm) && ok && !a.regions[c].gone {
			a.add(a.plan, s.node)
		}
	}
}

// finish emits what the ports that shared no branch need.
func (a *assembler) finish(ports []*wanted, r *roots) {
	en := make([]id, 0, len(ports))
	for _, w := range r.writes {
		en = append(en, w.en)
	}
	for _, s := range r.reads {
		en = append(en, s.en)
	}
	for i, w := range ports {
		if w.done {
			continue
		}
		w.done = true
		c, ok := a.byKey[regionKey{0, en[i], true}]
		if ok && !a.regions[c].gone {
			a.branch(0, en[i], nil, []*wanted{w}, -1)
		}
	}
}

// translate renames all nodes.
func (r *roots) translate(to func(id) id) {
	for _, list := range [...][]sink{r.outputs, r.next} {
		for i := range list {
			list[i].node = to(list[i].node)
		}
	}
	for i := range r.writes {
		w := &r.writes[i]
		w.en, w.addr, w.data = to(w.en), to(w.addr), to(w.data)
		if w.mask != none {
			w.mask = to(w.mask)
		}
	}
	for i := range r.reads {
		s := &r.reads[i]
		s.en, s.addr = to(s.en), to(s.addr)
	}
}

// place tells the plan where the roots are used, and counts the stores.
func (r *roots) place(p *plan, m *Model) map[regionID]int {
	extra := map[regionID]int{}
	for _, s := range slices.Concat(r.outputs, r.next) {
		p.use(s.node, 0)
		if nd := &p.nodes[s.node]; nd.op == nMux && s.slot >= m.nxt {
			for i, when := range [...]bool{true, false} {
				if hold := &p.nodes[nd.args[2-i]]; hold.op == nLoc && hold.imm+m.regs == s.slot {
					extra[p.child(0, nd.args[0], when)]++
				}
			}
		}
	}
	for _, w := range r.writes {
		p.use(w.en, 0)
		in := p.child(0, w.en, true)
		p.use(w.addr, in)
		p.use(w.data, in)
		if w.mask != none {
			p.use(w.mask, in)
		}
	}
	for _, s := range r.reads {
		p.use(s.en, 0)
		p.use(s.addr, p.child(0, s.en, true))
	}
	return extra
}

// reach marks everything below the sinks.
func (p *plan) reach(sinks []sink) []bool {
	m := make([]bool, len(p.nodes))
	for _, s := range sinks {
		m[s.node] = true
	}
	for x := len(m) - 1; x >= 0; x-- {
		if m[x] {
			for _, a := range p.nodes[x].args {
				m[a] = true
			}
		}
	}
	return m
}
