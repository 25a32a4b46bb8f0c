package sim

// chooser rewrites the netlist into the operations that instructions offer: one
// node, one instruction, with constants that belong to it.
type chooser struct {
	from *netlist
	to   *netlist
	old  []id // of from → of to, none where not yet visited
	uses []int
}

// choose rewrites what the roots reach.
func choose(n *netlist, roots []id) (*netlist, func(id) id) {
	c := &chooser{from: n, to: newNetlist(), old: make([]id, len(n.nodes)), uses: make([]int, len(n.nodes))}
	needed := make([]bool, len(n.nodes))
	for _, r := range roots {
		needed[r] = true
		c.uses[r]++
	}
	for x := len(n.nodes) - 1; x >= 0; x-- { // users have higher numbers
		if c.old[x] = none; !needed[x] {
			continue
		}
		for _, a := range n.nodes[x].args {
			needed[a] = true
			c.uses[a]++
		}
	}
	for x := range n.nodes {
		if needed[x] {
			c.old[x] = c.node(id(x))
		}
	}
	return c.to, func(x id) id { return c.old[x] }
}

// node makes the counterpart of a node whose arguments have theirs.
func (c *chooser) node(x id) id {
	nd := c.from.nodes[x]
	switch nd.op {
	case nNot:
		return c.inverse(nd)
	case nAnd, nOr:
		op := nAndNot
		if nd.op == nOr {
			op = nOrNot
		}
		for i, a := range nd.args {
			if in := &c.from.nodes[a]; in.op == nNot && !c.invertible(in.args[0]) {
				return c.make(nd, op, c.old[nd.args[1-i]], c.old[in.args[0]])
			}
		}
	}
	args := make([]id, len(nd.args))
	for i, a := range nd.args {
		args[i] = c.old[a]
	}
	return c.make(nd, nd.op, args...)
}

func (c *chooser) make(nd node, op netOp, args ...id) id {
	nd.op, nd.args = op, args
	return c.to.intern(nd)
}

// invertible reports whether the complement of a node is an operation of its own.
func (c *chooser) invertible(x id) bool {
	op := c.from.nodes[x].op
	return op == nEq || op == nLt || op == nLts
}

func (c *chooser) inverse(nd node) id {
	x := c.from.nodes[nd.args[0]]
	switch x.op {
	case nEq:
		return c.make(nd, nNe, c.old[x.args[0]], c.old[x.args[1]])
	case nLt:
		return c.make(nd, nLe, c.old[x.args[1]], c.old[x.args[0]])
	case nLts:
		return c.make(nd, nLes, c.old[x.args[1]], c.old[x.args[0]])
	}
	return c.make(nd, nNot, c.old[nd.args[0]])
}
