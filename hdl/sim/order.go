package sim

// Compiled code is a tree of actions. Values that one action alone uses are part
// of it; the others are computed by actions of their own, once, in the region
// that the plan gives them.

type actionKind uint8

const (
	actLet    actionKind = iota // compute the node
	actSet                      // give the node, a multiplexer, the value
	actStore                    // give the slot the value
	actBranch                   // run then if the node is one, else other
	actPort                     // clock edge of memory port number slot, if the node is one
)

type action struct {
	kind        actionKind
	node, value id
	slot        int
	then, other []action
	time        int // in the order of the code
}

// orderer turns sinks into actions. What must come first is what a value depends
// on. Beyond that, branches wait until nothing else is left to do, so that all
// which share a condition meet in one, and a register is written, in place, when
// all that read it have done so, as far as that is possible.
type orderer struct {
	*plan
	opened []bool // multiplexers that are conditional stores
	forks  []bool // other multiplexers that are branches
	done   []bool
	seen   []int32 // the last search that met a node
	search int32
}

func newOrderer(p *plan, opened []bool) *orderer {
	n := len(p.nodes)
	o := &orderer{plan: p, opened: opened, forks: make([]bool, n), done: make([]bool, n), seen: make([]int32, n)}
	for i := range p.nodes {
		x := id(i)
		if p.at[x] != nowhere && p.nodes[x].op == nMux {
			_, settled := p.settled(x)
			o.forks[x] = !settled && p.branches(x)
		}
	}
	return o
}

// rooted reports whether a node is computed by an action of its own.
func (o *orderer) rooted(x id) bool {
	nd := &o.nodes[x]
	return nd.op != nConst && nd.op != nLoc && o.at[x] != nowhere && (o.uses[x] > 1 || o.forks[x])
}

// reads are the nodes that computing x takes.
func (p *plan) reads(x id) []id {
	nd := &p.nodes[x]
	if nd.op == nMux && p.at[x] != nowhere {
		if leg, ok := p.settled(x); ok {
			return []id{leg}
		}
	}
	return nd.args
}

// splits reports whether a store of x in a region is a branch.
func (o *orderer) splits(r regionID, x id) bool {
	if !o.opened[x] {
		return false
	}
	c := o.nodes[x].args[0]
	return o.lives(r, c, true) || o.lives(r, c, false)
}

// vertex is what is put in order: a node, an action, or all stores of a region
// under one condition.
type vertex struct {
	act    action   // branches: node is the condition
	stores []action // of a branch
	set    id       // the multiplexer that a branch computes, or none
	needs  int      // vertices that come first and have not
	behind int      // vertices that had better come first and have not
	users  []int32
	slots  []int32 // that it reads
	writes []int32
	sent   bool
}

// level orders the actions of one region.
type level struct {
	*orderer
	region  regionID
	all     []vertex
	of      map[id]int32    // nodes
	groups  map[id]int32    // stores under a condition
	writer  map[int32]int32 // of a slot
	ready   []int32         // the last first
	forked  map[id][]int32  // ready branches by condition
	conds   []id            // of them, the first first
	blocked []int32         // could come but for what had better come first
	out     []action
}

// order returns actions that carry out the targets, which are sets and stores, in
// a region.
func (o *orderer) order(region regionID, targets []action) []action {
	l := &level{orderer: o, region: region, of: map[id]int32{}, groups: map[id]int32{}, writer: map[int32]int32{}, forked: map[id][]int32{}}
	for _, t := range targets {
		l.target(t)
	}
	for i := 0; i < len(l.all); i++ { // which grows
		l.search++
		l.explore(int32(i))
	}
	l.await()
	l.run()
	return l.out
}

func (l *level) add(v vertex) int32 {
	l.all = append(l.all, v)
	return int32(len(l.all) - 1)
}

func (l *level) target(t action) {
	if t.kind != actStore || !l.splits(l.region, t.value) {
		l.add(vertex{act: t, set: none})
		return
	}
	c := l.nodes[t.value].args[0]
	g, ok := l.groups[c]
	if !ok {
		g = l.add(vertex{act: action{kind: actBranch, node: c}, set: none})
		l.groups[c] = g
	}
	l.all[g].stores = append(l.all[g].stores, t)
}

// explore finds what a vertex depends on.
func (l *level) explore(v int32) {
	switch a := l.all[v].act; a.kind {
	case actLet:
		for _, x := range l.reads(a.node) {
			l.need(v, x)
		}
	case actBranch:
		l.need(v, a.node)
		if m := l.all[v].set; m != none {
			for _, x := range l.nodes[m].args[1:] {
				l.need(v, x)
			}
		}
		for _, s := range l.all[v].stores {
			l.needStore(v, s)
		}
	default:
		l.needStore(v, a)
		if a.kind == actPort {
			l.need(v, a.node)
		}
	}
}

func (l *level) needStore(v int32, s action) {
	if s.kind == actStore {
		l.all[v].writes = append(l.all[v].writes, int32(s.slot))
		l.writer[int32(s.slot)] = v
		l.needHeld(v, s.value, s.slot)
	} else if s.kind == actSet {
		l.need(v, s.value)
	}
}

// needHeld is need for a value that goes to a slot. What stays there is not read.
func (l *level) needHeld(v int32, x id, slot int) {
	nd := &l.nodes[x]
	switch {
	case nd.op == nLoc && nd.imm == slot:
	case l.opened[x]:
		l.need(v, nd.args[0])
		l.needHeld(v, nd.args[1], slot)
		l.needHeld(v, nd.args[2], slot)
	default:
		l.need(v, x)
	}
}

// need records that a vertex depends on a node, or on what that is computed from
// if it is part of the vertex.
func (l *level) need(v int32, x id) {
	if l.seen[x] == l.search || l.done[x] {
		return
	}
	l.seen[x] = l.search
	nd := &l.nodes[x]
	switch {
	case nd.op == nLoc:
		l.all[v].slots = append(l.all[v].slots, int32(nd.imm))
		return
	case l.rooted(x) && l.home(x) == l.region:
		u, ok := l.of[x]
		if !ok {
			u = l.add(l.vertex(x))
			l.of[x] = u
		}
		l.all[u].users = append(l.all[u].users, v)
		l.all[v].needs++
		return
	}
	for _, a := range l.reads(x) {
		l.need(v, a)
	}
}

func (l *level) vertex(x id) vertex {
	if l.forks[x] {
		return vertex{act: action{kind: actBranch, node: l.nodes[x].args[0]}, set: x}
	}
	return vertex{act: action{kind: actLet, node: x}, set: none}
}

// await counts for each writer of a slot the vertices that read it.
func (l *level) await() {
	for i := range l.all {
		for _, s := range l.all[i].slots {
			if w, ok := l.writer[s]; ok && w != int32(i) {
				l.all[w].behind++
			}
		}
	}
}

// run sends all vertices, each after those that it needs.
func (l *level) run() {
	for i := len(l.all) - 1; i >= 0; i-- {
		if l.all[i].needs == 0 {
			l.release(int32(i))
		}
	}
	for {
		switch {
		case len(l.ready) > 0:
			v := l.ready[len(l.ready)-1]
			l.ready = l.ready[:len(l.ready)-1]
			l.out = append(l.out, l.all[v].act)
			l.sent(v)
		case len(l.conds) > 0:
			c := l.conds[0]
			l.conds = l.conds[1:]
			vs := l.forked[c]
			delete(l.forked, c)
			l.branch(c, vs)
		case len(l.blocked) > 0:
			l.unblock()
		default:
			return
		}
	}
}

// release makes a vertex ready that needs no other.
func (l *level) release(v int32) {
	switch x := &l.all[v]; {
	case x.behind > 0:
		l.blocked = append(l.blocked, v)
	case x.act.kind == actBranch:
		c := x.act.node
		if len(l.forked[c]) == 0 {
			l.conds = append(l.conds, c)
		}
		l.forked[c] = append(l.forked[c], v)
	default:
		l.ready = append(l.ready, v)
	}
}

// unblock gives up waiting for the readers of a slot: for the vertex, among a few,
// that the fewest hold back.
func (l *level) unblock() {
	const few = 64
	best := -1
	var rest []int32
	for _, v := range l.blocked[:min(few, len(l.blocked))] {
		if !l.all[v].sent && l.all[v].behind > 0 {
			rest = append(rest, v)
			if best < 0 || l.all[v].behind < l.all[best].behind {
				best = int(v)
			}
		}
	}
	l.blocked = append(rest, l.blocked[min(few, len(l.blocked)):]...)
	if best >= 0 {
		l.all[best].behind = 0
		l.release(int32(best))
	}
}

// sent records that a vertex is in the code.
func (l *level) sent(v int32) {
	x := &l.all[v]
	x.sent = true
	switch {
	case x.set != none:
		l.done[x.set] = true
	case x.act.kind == actLet:
		l.done[x.act.node] = true
	}
	for _, u := range x.users {
		if l.all[u].needs--; l.all[u].needs == 0 {
			l.release(u)
		}
	}
	for _, s := range l.all[v].slots {
		w, ok := l.writer[s]
		if !ok || w == v || l.all[w].behind == 0 {
			continue
		}
		if l.all[w].behind--; l.all[w].behind == 0 && l.all[w].needs == 0 {
			l.release(w)
		}
	}
}

// branch sends the vertices that share a condition.
func (l *level) branch(c id, vs []int32) {
	b := action{kind: actBranch, node: c}
	for i, when := range [...]bool{true, false} {
		var list []action
		for _, v := range vs {
			if m := l.all[v].set; m != none {
				list = append(list, action{kind: actSet, node: m, value: l.nodes[m].args[1+i]})
			}
			for _, s := range l.all[v].stores {
				leg := l.nodes[s.value].args[1+i]
				if nd := &l.nodes[leg]; nd.op != nLoc || nd.imm != s.slot {
					list = append(list, action{kind: actStore, value: leg, slot: s.slot})
				}
			}
		}
		// A leg without a region of its own needs nothing that is not there.
		if l.lives(l.region, c, when) {
			list = l.order(l.byKey[regionKey{l.region, c, when}], list)
		}
		if when {
			b.then = list
		} else {
			b.other = list
		}
	}
	l.out = append(l.out, b)
	for _, v := range vs {
		l.sent(v)
	}
}
