package sim

import (
	"fmt"
	"slices"
)

// assemble emits the program and allocates the slots.
func (m *Model) assemble(r *roots, free int) error {
	a := newAssembler(m.plan(r), r.h, free)
	m.temps = free

	early := a.reach(r.outputs)
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
		a.want(s)
		a.register(s)
	}
	ports := make([]*wanted, len(r.ports))
	for i := range r.ports {
		q := &r.ports[i]
		ports[i] = &wanted{}
		for _, x := range q.nodes() {
			ports[i].nodes = append(ports[i].nodes, *x)
		}
		a.ports[q.en] = append(a.ports[q.en], ports[i])
	}
	for _, s := range slices.Concat(r.next, r.boxIns) {
		a.into(s.node, s.slot)
	}
	for _, x := range r.calls {
		a.value(x)
	}
	if r.event != none {
		m.event = int(a.value(r.event))
	}
	for i, w := range ports {
		m.edge = append(m.edge, a.port(&r.ports[i], w))
	}
	m.advance = ended(a.schedule())

	m.watch = observer{h: r.h, free: a.free}
	for i := range m.low.nodes {
		a.free += room(&m.low.nodes[i])
	}
	if a.free > maxWords {
		return fmt.Errorf("the design needs %d bytes of state and intermediate values; the limit is %d", a.free*8, maxWords*8)
	}
	m.adopt(make([]uint64, a.free+1)) // shifts of several words look one word beyond
	m.consts = a.consts
	for _, c := range a.consts {
		copy(m.slots[c.slot:], c.value)
	}
	return nil
}

// adopt makes the array the slots of the model.
func (m *Model) adopt(slots []uint64) {
	m.slots = slots
	for _, b := range m.boxes {
		b.attach(m.slots)
	}
	for _, t := range m.tick {
		m.slots[t] = 1
	}
}

// room is the most slots that emitting a node takes: its words, those of
// constants in it, and one for each piece of a concatenation.
func room(nd *node) int { return 2*words(nd.width) + len(nd.args) + 1 }

// plan chooses the operations, and where each is computed. Which multiplexers
// are going to be branches bears on the choice, hence a plan before it.
func (m *Model) plan(r *roots) *plan {
	first := newPlan(m.low.netlist)
	first.spread(r.place(first, m))
	var all []id
	r.each(func(x *id) { all = append(all, *x) })
	g, to := choose(m.low.netlist, all, first.branches)
	r.each(func(x *id) { *x = to(*x) })
	p := newPlan(g)
	p.spread(r.place(p, m))
	return p
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
	if when, ok := a.keeps(s.node, s.slot-a.nxt+a.cur); ok && a.lives(0, a.nodes[s.node].args[0], when) {
		a.add(a.plan, s.node)
	}
}

// port emits what a memory port needs, unless it shared the branch of others.
func (a *assembler) port(q *access, w *wanted) port {
	if !w.done && a.lives(0, q.en, true) {
		w.done = true
		a.branch(0, q.en, nil, []*wanted{w}, -1)
	}
	p := port{
		en: a.value(q.en), addr: a.value(q.addr), data: uint32(q.slot),
		base: q.mem.slot, depth: uint64(q.mem.mem.Depth), words: q.mem.words(),
	}
	if q.data != none {
		p.write, p.data = true, a.value(q.data)
	}
	if q.mask != none {
		p.mask, p.lanes = a.value(q.mask), a.width(q.mask)
		p.lane = q.mem.mem.Elem.Width / p.lanes
	}
	return p
}
