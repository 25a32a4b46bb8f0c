package sim

// branching emits multiplexers as branches: those that have a leg in a region of
// its own, and registers that such a region may as well store.
type branching struct {
	forks  []bool           // multiplexers to be emitted so
	groups map[fork][]id    // them by place and condition, in order
	ports  map[id][]*wanted // by condition
	prefer map[id]int       // slots where nodes had best be computed
	allow  func(x id) bool  // whether a node may be emitted unasked
	busy   []bool           // being emitted
	cur    int              // first register slot
	nxt    int              // first next-value slot; 0 if holding does not count
}

// fork is where branches are shared.
type fork struct {
	home regionID
	cond id
}

// wanted is what a memory port needs if it is enabled.
type wanted struct {
	nodes []id
	done  bool // emitted
}

func (b *branching) init(p *plan) {
	b.forks, b.busy = make([]bool, len(p.nodes)), make([]bool, len(p.nodes))
	b.groups, b.ports, b.prefer = map[fork][]id{}, map[id][]*wanted{}, map[id]int{}
	b.allow = func(id) bool { return true }
	for i := range p.nodes {
		x := id(i)
		if p.at[x] != nowhere && p.nodes[x].op == nMux && p.branches(x) {
			if _, ok := p.settled(x); !ok {
				b.add(p, x)
			}
		}
	}
}

func (b *branching) add(p *plan, x id) {
	if !b.forks[x] {
		b.forks[x] = true
		k := fork{p.home(x), p.nodes[x].args[0]}
		b.groups[k] = append(b.groups[k], x)
	}
}

// holds reports whether d is the next value of the register at s, so that a
// copy is there already.
func (b *branching) holds(d, s int) bool {
	return b.nxt > 0 && s >= b.cur && s < b.nxt && d-b.nxt == s-b.cur
}

// fork emits a multiplexer as a branch, together with others of its condition
// that do not depend on it, and returns its slot.
func (a *assembler) fork(x id, dest int) int {
	home, cond := a.home(x), a.nodes[x].args[0]
	a.busy[x] = true
	muxes, ports := []id{x}, []*wanted(nil)
	under := map[id]bool{} // what the members need
	a.cone(under, a.nodes[x].args)
	for _, y := range a.groups[fork{home, cond}] {
		if a.slot[y] < 0 && !a.busy[y] && !under[y] && a.allow(y) && a.ready(home, a.nodes[y].args[1:]) {
			a.busy[y] = true
			muxes = append(muxes, y)
			a.cone(under, a.nodes[y].args[1:])
		}
	}
	if home == 0 && a.nxt > 0 {
		for _, w := range a.ports[cond] {
			if !w.done && a.ready(home, w.nodes) {
				w.done = true
				ports = append(ports, w)
			}
		}
	}
	a.branch(home, cond, muxes, ports, dest)
	return int(a.slot[x])
}

// branch emits muxes and ports of one condition. The first multiplexer goes to
// dest if that is not negative.
func (a *assembler) branch(home regionID, cond id, muxes []id, ports []*wanted, dest int) {
	seen := map[id]bool{}
	for _, m := range muxes {
		a.outside(home, a.nodes[m].args[1:], seen)
	}
	for _, w := range ports {
		a.outside(home, w.nodes, seen)
	}
	dests := make([]int, len(muxes))
	for i, m := range muxes {
		d, ok := a.prefer[m]
		if i == 0 && dest >= 0 {
			d, ok = dest, true
		}
		if !ok {
			d = a.alloc(words(a.width(m)))
		}
		dests[i] = d
	}
	c, bit := a.condition(cond)
	test := len(a.code)
	a.emit(instr{op: opUnless, c: c, k: bit})
	for i, m := range muxes {
		a.into(a.nodes[m].args[1], dests[i])
	}
	for _, w := range ports {
		for _, x := range w.nodes {
			a.value(x)
		}
	}
	then := len(a.code)
	jump := then > test+1
	if jump {
		a.emit(instr{op: opJump})
	}
	for i, m := range muxes {
		a.into(a.nodes[m].args[2], dests[i])
	}
	switch end := len(a.code); {
	case !jump:
		a.code[test].op = opIf
		a.code[test].n = uint32(end - test - 1)
	case end == then+1: // nothing else to do
		a.code = a.code[:then]
		a.code[test].n = uint32(then - test - 1)
	default:
		a.code[test].n = uint32(then - test)
		a.code[then].n = uint32(end - then - 1)
	}
	for i, m := range muxes {
		a.slot[m] = int32(dests[i])
		a.busy[m] = false
	}
}

// outside emits what nodes depend on that is not conditional. Conditional nodes that it
// has been at are in seen: many paths may lead to one.
func (a *assembler) outside(home regionID, xs []id, seen map[id]bool) {
	for _, x := range xs {
		if a.slot[x] >= 0 || seen[x] {
			continue
		}
		seen[x] = true
		if !a.below(a.home(x), home) {
			a.value(x)
			continue
		}
		a.outside(home, a.inputs(x), seen)
	}
}

// inputs are the nodes that emitting x reads.
func (a *assembler) inputs(x id) []id {
	nd := &a.nodes[x]
	switch nd.op {
	case nMux:
		if leg, ok := a.settled(x); ok {
			return []id{leg}
		}
	case nCat:
		if a.padded(nd) {
			return nd.args
		}
	case nOrIf:
	default:
		return nd.args
	}
	in := make([]id, len(nd.args))
	for i, y := range nd.args {
		in[i] = y
		if nd.op == nCat || nd.op == nMux && i == 0 || nd.op == nOrIf && i == 2 {
			in[i], _ = a.origin(y)
		}
	}
	return in
}

// cone adds to the set what has to be emitted for the nodes.
func (a *assembler) cone(set map[id]bool, xs []id) {
	for _, x := range xs {
		if a.slot[x] < 0 && !set[x] {
			set[x] = true
			a.cone(set, a.inputs(x))
		}
	}
}

// ready reports whether nodes can be emitted in a region before what is being
// emitted: nothing of that is below them, and nothing unconditional but missing.
// It gives up on large cones.
func (a *assembler) ready(home regionID, xs []id) bool {
	const limit = 400
	seen := map[id]bool{}
	var visit func(xs []id) bool
	visit = func(xs []id) bool {
		for _, x := range xs {
			if a.slot[x] >= 0 || seen[x] {
				continue
			}
			if h := a.home(x); a.busy[x] || len(seen) == limit || h != home && !a.below(h, home) {
				return false
			}
			seen[x] = true
			if !visit(a.inputs(x)) {
				return false
			}
		}
		return true
	}
	return visit(xs)
}
