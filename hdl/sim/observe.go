package sim

import "slices"

// observer computes the wires that Vars lists. They are no part of the program
// that steps the design, where most of them vanish; their own program is made
// when the first of them is read, and runs when registers or inputs changed.
type observer struct {
	h      *hierarchy
	free   int // first slot of the room set aside for it
	code   []instr
	slots  []int // of each variable
	inputs []uint64
	stale  bool
}

// observe returns the slot of a source, settled.
func (m *Model) observe(v int) int {
	o := &m.watch
	if o.slots == nil {
		var roots []id
		for _, s := range m.sources {
			if s.slot < 0 {
				roots = append(roots, s.node)
			}
		}
		first := newPlan(m.low.netlist)
		for _, x := range roots {
			first.use(x, 0)
		}
		first.spread(nil)
		g, to := choose(m.low.netlist, roots, first.branches)
		p := newPlan(g)
		for _, x := range roots {
			p.use(to(x), 0)
		}
		p.spread(nil)
		a := newAssembler(p, o.h, o.free)
		o.slots = make([]int, len(m.sources))
		for i, s := range m.sources {
			if o.slots[i] = s.slot; s.slot < 0 {
				o.slots[i] = int(a.value(to(s.node)))
			}
		}
		if a.free >= len(m.slots) {
			panic("sim: the program that observes wires does not fit into its room")
		}
		o.code = ended(a.schedule())
		for _, c := range a.consts {
			copy(m.slots[c.slot:], c.value)
		}
		o.inputs, o.stale = make([]uint64, m.layout.InWords), true
	}
	if in := m.In(); o.stale || !slices.Equal(in, o.inputs) {
		m.run(o.code)
		copy(o.inputs, in)
		o.stale = false
	}
	return o.slots[v]
}
