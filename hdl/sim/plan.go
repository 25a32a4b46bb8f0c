package sim

// The plan says which nodes are computed only under a condition. A region is a
// part of the program that runs where a condition has a value, within another
// region; the leg of a multiplexer that nothing else uses is computed in the
// region of that leg. Regions that save too little are dissolved again.

type regionID int32

type region struct {
	parent regionID
	depth  int32
	cond   id
	when   bool // the value of cond under which it runs
	cost   int  // of what is computed in it and below
	gone   bool // dissolved into its parent
}

type regionKey struct {
	parent regionID
	cond   id
	when   bool
}

// worthwhile is the cost, in simple instructions, from which a region pays for
// the branch around it.
const worthwhile = 8

// deepest is how many regions lie within each other at most: time to make a model
// grows with the square of that. Conditions below are computed without branches.
const deepest = 64

type plan struct {
	*netlist
	regions []region // parents before children; 0 is the whole program
	byKey   map[regionKey]regionID
	at      []regionID // of each node, -1 if it is not needed
	uses    []int      // of each node
	worth   int        // the cost from which a region stays
}

const nowhere regionID = -1

func newPlan(n *netlist) *plan {
	p := &plan{netlist: n, regions: []region{{}}, byKey: map[regionKey]regionID{}, at: make([]regionID, len(n.nodes)), uses: make([]int, len(n.nodes)), worth: worthwhile}
	for i := range p.at {
		p.at[i] = nowhere
	}
	return p
}

// child is the region below r where the condition has the value.
func (p *plan) child(r regionID, cond id, when bool) regionID {
	k := regionKey{r, cond, when}
	c, ok := p.byKey[k]
	if !ok {
		c = regionID(len(p.regions))
		p.regions = append(p.regions, region{parent: r, depth: p.regions[r].depth + 1, cond: cond, when: when})
		p.byKey[k] = c
	}
	return c
}

// use records one use of a node in a region.
func (p *plan) use(x id, r regionID) {
	p.uses[x]++
	if q := p.at[x]; q != nowhere {
		for q != r { // to the nearest region that holds both
			if p.regions[q].depth >= p.regions[r].depth {
				q = p.regions[q].parent
			} else {
				r = p.regions[r].parent
			}
		}
	}
	p.at[x] = r
}

// spread places everything below the nodes used so far, and decides which
// regions stay. extra is the number of stores that each region holds besides.
func (p *plan) spread(extra map[regionID]int) {
	for i := len(p.nodes) - 1; i >= 0; i-- { // users first
		x := id(i)
		r := p.at[x]
		if r == nowhere {
			continue
		}
		nd := &p.nodes[x]
		if nd.op != nMux {
			for _, a := range nd.args {
				p.use(a, r)
			}
			continue
		}
		if leg, ok := p.settled(x); ok {
			p.use(leg, r)
			continue
		}
		if p.regions[r].depth == deepest {
			for _, a := range nd.args {
				p.use(a, r)
			}
			continue
		}
		p.use(nd.args[0], r)
		p.use(nd.args[1], p.child(r, nd.args[0], true))
		p.use(nd.args[2], p.child(r, nd.args[0], false))
	}
	for x, r := range p.at {
		if r != nowhere {
			p.regions[r].cost += p.cost(id(x))
		}
	}
	for r := len(p.regions) - 1; r > 0; r-- {
		g := &p.regions[r]
		g.cost += extra[regionID(r)]
		g.gone = g.cost < p.worth
		p.regions[g.parent].cost += g.cost
	}
}

// settled returns the leg of a multiplexer that is computed only where its
// condition is known.
func (p *plan) settled(x id) (leg id, ok bool) {
	nd := &p.nodes[x]
	for r := p.at[x]; r != 0; r = p.regions[r].parent {
		if g := &p.regions[r]; g.cond == nd.args[0] {
			if g.when {
				return nd.args[1], true
			}
			return nd.args[2], true
		}
	}
	return 0, false
}

// home is the region in which a node is computed in the end.
func (p *plan) home(x id) regionID { return p.kept(p.at[x]) }

func (p *plan) kept(r regionID) regionID {
	for p.regions[r].gone {
		r = p.regions[r].parent
	}
	return r
}

// below reports whether r lies strictly within q.
func (p *plan) below(r, q regionID) bool {
	for p.regions[r].depth > p.regions[q].depth {
		if r = p.regions[r].parent; r == q {
			return true
		}
	}
	return false
}

// lives reports whether there is a region of its own, within r, for where the
// condition has the value.
func (p *plan) lives(r regionID, cond id, when bool) bool {
	c, ok := p.byKey[regionKey{r, cond, when}]
	return ok && !p.regions[c].gone
}

// branches reports whether a multiplexer has a leg in a region of its own.
func (p *plan) branches(x id) bool {
	nd := &p.nodes[x]
	for i, when := range [...]bool{true, false} {
		if c := nd.args[0]; p.lives(p.at[x], c, when) && p.at[nd.args[1+i]] == p.byKey[regionKey{p.at[x], c, when}] {
			return true
		}
	}
	return false
}

// cost is the number of simple instructions that a node is worth.
func (p *plan) cost(x id) int {
	nd := &p.nodes[x]
	n := words(nd.width)
	switch nd.op {
	case nConst, nLoc:
		return 0
	case nSlice:
		if nd.imm%64 == 0 && (nd.imm+nd.width >= p.nodes[nd.args[0]].eff || nd.width%64 == 0) {
			return 0
		}
	case nCat:
		return n + len(nd.args)
	case nEq, nNe, nLt, nLe, nLts, nLes, nParity:
		n = words(p.width(nd.args[0]))
	case nPick, nPut:
		return n + 3
	case nMul, nShl, nShr, nSar, nRot, nSpread:
		return 3*n - 2
	}
	return n
}
