package sim

// Clock domains. A design whose state lies in one domain knows nothing of them. In
// others, each domain has a tick: a bit, set while the domain has an edge, under
// whose condition its registers take their next values and its memory ports act.

// clocked are the domains of the top in which the design has state or properties.
func (h *hierarchy) clocked() (domains uint64) {
	for _, n := range h.nets {
		if n.state() {
			domains |= 1 << n.scope.clocks[n.sig.Domain]
		}
	}
	for _, m := range h.mems {
		for _, w := range m.ports() {
			domains |= 1 << m.scope.clocks[w.Domain]
		}
	}
	for _, c := range h.checks {
		domains |= 1 << c.clock()
	}
	for _, b := range h.boxes {
		for _, d := range b.scope.mod.mod.Domains {
			domains |= 1 << b.scope.clocks[d]
		}
	}
	return domains
}

// ticking lowers a condition together with an edge of a domain of the top.
func (l *lowering) ticking(domain int, x id) id {
	if len(l.ticks) == 0 {
		return x
	}
	return l.and(l.loc(1, l.ticks[domain]), x)
}

// next lowers the next value of a register: what it takes at an edge of its domain.
func (l *lowering) next(n *net, x id) id {
	if len(l.ticks) == 0 {
		return x
	}
	return l.mux(l.loc(1, l.ticks[n.scope.clocks[n.sig.Domain]]), x, l.loc(n.sig.Type.Width, n.slot))
}

// ticks reports whether a domain of the top has an edge in the step under way.
func (m *Model) ticks(domain int) bool {
	return len(m.tick) == 0 || m.slots[m.tick[domain]] != 0
}

// Tick implements [Engine].
func (m *Model) Tick(domains uint64) error {
	if err := m.layout.CheckDomains(domains); err != nil {
		return err
	}
	switch domains &= m.clocked; {
	case domains == m.clocked:
		return m.step(true)
	case domains == 0:
		m.cycle++
		return m.Eval()
	}
	for i, t := range m.tick {
		m.slots[t] = domains >> i & 1
	}
	m.sleep.wake() // a domain without an edge changes nothing, which says nothing
	err := m.step(true)
	m.sleep.wake()
	for _, t := range m.tick {
		m.slots[t] = 1
	}
	return err
}
