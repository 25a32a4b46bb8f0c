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
	case nSlice:
		if sh, ok := c.picked(nd); ok {
			return sh
		}
	case nOr:
		if p, _, ok := c.placed(nd); ok {
			return p[:]
		}
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
	case nSlice:
		if _, ok := c.picked(&nd); ok {
			op = nPick
		}
	case nOr:
		if _, lane, ok := c.placed(&nd); ok {
			op, nd.imm = nPut, lane
		} else if _, ok := c.blend(&nd); ok {
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

// picked recognises bits of a long value that a shift brings down: the value and
// the amount.
func (c *chooser) picked(nd *node) (xs []id, ok bool) {
	sh := &c.from.nodes[nd.args[0]]
	return sh.args, sh.op == nShr && words(sh.width) > 1 && words(nd.width) < words(sh.width)
}

// placed recognises some bits of a long value replaced at a place given by a number,
// as masks and shifts do it: the value, the place and the bits, and how many they are.
func (c *chooser) placed(nd *node) (p [3]id, lane int, ok bool) {
	if words(nd.width) == 1 {
		return p, 0, false
	}
	for i, a := range nd.args {
		b := nd.args[1-i]
		keep, move := &c.from.nodes[a], &c.from.nodes[b]
		if keep.op != nAnd || move.op != nShl || c.uses[a] > 1 {
			continue
		}
		for j, m := range keep.args {
			not := &c.from.nodes[m]
			if not.op != nNot {
				continue
			}
			hole := &c.from.nodes[not.args[0]]
			if hole.op != nShl || hole.args[1] != move.args[1] || b != not.args[0] && c.uses[b] > 1 {
				continue
			}
			if lane, ok = c.ones(hole.args[0]); ok && c.from.nodes[move.args[0]].eff <= lane {
				return [3]id{keep.args[1-j], move.args[1], c.low(move.args[0], lane)}, lane, true
			}
		}
	}
	return p, 0, false
}

// ones recognises a constant of ones in its lowest bits alone, and counts them.
func (c *chooser) ones(x id) (n int, ok bool) {
	nd := &c.from.nodes[x]
	if nd.op != nConst {
		return 0, false
	}
	for i := range nd.eff {
		if nd.value[i/64]>>(i%64)&1 == 0 {
			return 0, false
		}
	}
	return nd.eff, nd.eff > 0
}

// low is what a value extends with zeros, if that has words for n bits.
func (c *chooser) low(x id, n int) id {
	if nd := &c.from.nodes[x]; nd.op == nCat && len(nd.args) == 2 && c.from.isZero(nd.args[1]) && words(c.from.width(nd.args[0])) >= words(n) {
		return nd.args[0]
	}
	return x
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
