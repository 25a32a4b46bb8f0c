package sim

// chooser rewrites the netlist into the operations that instructions offer.
type chooser struct {
	from   *netlist
	to     *netlist
	forks  func(x id) bool // whether a multiplexer is going to be a branch
	old    []id            // of from → of to, none where not visited
	uses   []int
	tables map[id]table
}

// choose rewrites what the roots reach.
func choose(n *netlist, roots []id, forks func(x id) bool) (*netlist, func(id) id) {
	c := &chooser{
		from: n, to: newNetlist(), forks: forks,
		old: make([]id, len(n.nodes)), uses: make([]int, len(n.nodes)), tables: map[id]table{},
	}
	reached, needed := make([]bool, len(n.nodes)), make([]bool, len(n.nodes))
	for _, r := range roots {
		reached[r], needed[r] = true, true
		c.uses[r]++
	}
	for x := len(n.nodes) - 1; x >= 0; x-- { // users have higher numbers
		if c.old[x] = none; reached[x] {
			for _, a := range n.nodes[x].args {
				reached[a] = true
				c.uses[a]++
			}
		}
	}
	for x := len(n.nodes) - 1; x >= 0; x-- {
		if !needed[x] {
			continue
		}
		for _, a := range c.operands(id(x)) {
			needed[a] = true
		}
	}
	for x := range n.nodes {
		if needed[x] {
			c.old[x] = c.node(id(x))
		}
	}
	return c.to, func(x id) id { return c.old[x] }
}

// operands are the nodes that the counterpart of x reads.
func (c *chooser) operands(x id) []id {
	if c.gate(x) {
		t := c.gather(x)
		c.tables[x] = t
		if t.inverts() && c.invertible(t.inputs[0]) {
			return c.from.nodes[t.inputs[0]].args
		}
		return t.inputs
	}
	nd := &c.from.nodes[x]
	switch nd.op {
	case nCat:
		if from, _, ok := c.turned(nd); ok {
			return []id{from}
		}
	case nOr:
		if b, ok := c.blend(nd); ok {
			return b[:]
		}
		if s, ok := c.sift(nd); ok {
			return s[:]
		}
		fallthrough
	case nAnd:
		if keep, not, ok := c.exception(nd); ok {
			return []id{keep, not}
		}
	}
	return nd.args
}

// node makes the counterpart of a node whose operands have theirs.
func (c *chooser) node(x id) id {
	if t, ok := c.tables[x]; ok {
		return c.lookup(t)
	}
	nd := c.from.nodes[x]
	op := nd.op
	args := c.operands(x)
	switch nd.op {
	case nCat:
		if from, by, ok := c.turned(&nd); ok {
			return c.make(nd, nRot, c.old[from], c.to.small(16, uint64(by)))
		}
	case nOr:
		if _, ok := c.blend(&nd); ok {
			op = nBlend
		} else if _, ok := c.sift(&nd); ok {
			op = nOrIf
		} else if _, _, ok := c.exception(&nd); ok {
			op = nOrNot
		}
	case nAnd:
		if _, _, ok := c.exception(&nd); ok {
			op = nAndNot
		}
	}
	to := make([]id, len(args))
	for i, a := range args {
		to[i] = c.old[a]
	}
	return c.make(nd, op, to...)
}

func (c *chooser) make(nd node, op netOp, args ...id) id {
	nd.op, nd.args = op, args
	return c.to.intern(nd)
}

// exception finds the inverted operand of an and or or.
func (c *chooser) exception(nd *node) (keep, not id, ok bool) {
	for i, a := range nd.args {
		if in := &c.from.nodes[a]; in.op == nNot && !c.invertible(in.args[0]) {
			return nd.args[1-i], in.args[0], true
		}
	}
	return 0, 0, false
}

// blend recognises bits of one value where a mask is one and of another where it
// is zero: the mask and the two values.
func (c *chooser) blend(nd *node) (b [3]id, ok bool) {
	x, y := &c.from.nodes[nd.args[0]], &c.from.nodes[nd.args[1]]
	if x.op != nAnd || y.op != nAnd || c.uses[nd.args[0]] > 1 || c.uses[nd.args[1]] > 1 {
		return b, false
	}
	for i, p := range x.args {
		for j, q := range y.args {
			if in := &c.from.nodes[p]; in.op == nNot && in.args[0] == q {
				return [3]id{q, y.args[1-j], x.args[1-i]}, true
			}
			if in := &c.from.nodes[q]; in.op == nNot && in.args[0] == p {
				return [3]id{p, x.args[1-i], y.args[1-j]}, true
			}
		}
	}
	return b, false
}

// sift recognises a value or'd under a condition, as in the selection by a
// one-hot code: the other value, it, and the condition.
func (c *chooser) sift(nd *node) (s [3]id, ok bool) {
	for i := len(nd.args) - 1; i >= 0; i-- {
		a := nd.args[i]
		if in := &c.from.nodes[a]; in.op == nMux && c.uses[a] == 1 && c.from.isZero(in.args[2]) && !c.forks(a) {
			return [3]id{nd.args[1-i], in.args[1], in.args[0]}, true
		}
	}
	return s, false
}

// invertible reports whether the complement of a node is an operation of its own.
func (c *chooser) invertible(x id) bool {
	op := c.from.nodes[x].op
	return op == nEq || op == nLt || op == nLts
}

// complement makes the complement of x, for nd.
func (c *chooser) complement(nd node, x id) id {
	in := c.from.nodes[x]
	p, q := c.old[in.args[0]], c.old[in.args[1]]
	switch in.op {
	case nEq:
		return c.make(nd, nNe, p, q)
	case nLt:
		return c.make(nd, nLe, q, p)
	}
	return c.make(nd, nLes, q, p)
}

// turned recognises a rotation by a constant.
func (c *chooser) turned(nd *node) (x id, by int, ok bool) {
	if x, by, ok = c.from.rotation(nd); ok {
		ok = c.from.width(x) <= 64 || c.from.width(x)%64 == 0
	}
	return x, by, ok
}
