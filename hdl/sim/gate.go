package sim

// Logic of single bits is most of a controller, and an instruction costs the
// same whether it combines two bits or four. So gates whose value nothing else
// reads are gathered into lookup tables of up to four inputs.

// table is a gate with up to four inputs; bit i of truth is the output where the
// inputs, the first least significant, read i.
type table struct {
	inputs []id
	truth  uint16
}

// inverts reports whether the table is an inverter.
func (t table) inverts() bool { return len(t.inputs) == 1 && t.truth == 0b01 }

const maxInputs = 4

// gate reports whether a node is combinational logic of single bits.
func (c *chooser) gate(x id) bool {
	nd := &c.from.nodes[x]
	if nd.width != 1 {
		return false
	}
	switch nd.op {
	case nNot, nAnd, nOr, nXor:
		return true
	case nMux:
		return !c.forks(x)
	}
	return false
}

// gather grows the cone of a gate for as long as its inputs fit into a table.
func (c *chooser) gather(x id) table {
	inside := map[id]bool{x: true}
	reads := map[id]int{}  // of each input, by the cone
	fixed := map[id]bool{} // inputs that others need as well
	var inputs []id
	enter := func(x id) {
		for _, a := range c.from.nodes[x].args {
			if reads[a]++; reads[a] == 1 {
				inputs = append(inputs, a)
			}
		}
	}
	enter(x)
	for {
		best, at := maxInputs+1, -1
		for i, in := range inputs {
			if inside[in] || fixed[in] || !c.gate(in) || c.from.nodes[in].op != nNot && reads[in] != c.uses[in] {
				continue
			}
			n := len(inputs) - 1
			for j, a := range c.from.nodes[in].args {
				if reads[a] == 0 && (j == 0 || a != c.from.nodes[in].args[0]) {
					n++
				}
			}
			if n < best {
				best, at = n, i
			}
		}
		if at < 0 {
			break
		}
		in := inputs[at]
		inputs = append(inputs[:at:at], inputs[at+1:]...)
		inside[in] = true
		if reads[in] != c.uses[in] { // an inverter that stays
			fixed[c.from.nodes[in].args[0]] = true
		}
		enter(in)
	}
	t := table{inputs: inputs}
	for i := range 1 << len(inputs) {
		value := map[id]bool{}
		for j, in := range inputs {
			value[in] = i>>j&1 == 1
		}
		if c.evaluate(x, value) {
			t.truth |= 1 << i
		}
	}
	return t
}

// evaluate computes a gate for given values of the inputs of its cone.
func (c *chooser) evaluate(x id, value map[id]bool) bool {
	if v, ok := value[x]; ok {
		return v
	}
	nd := &c.from.nodes[x]
	arg := func(i int) bool { return c.evaluate(nd.args[i], value) }
	switch nd.op {
	case nNot:
		return !arg(0)
	case nAnd:
		return arg(0) && arg(1)
	case nOr:
		return arg(0) || arg(1)
	case nXor:
		return arg(0) != arg(1)
	}
	if arg(0) {
		return arg(1)
	}
	return arg(2)
}

// pairs are the tables of two inputs that are instructions of their own, with
// whether the inputs are swapped.
var pairs = map[uint16]struct {
	op   netOp
	swap bool
}{
	0b1000: {nAnd, false}, 0b1110: {nOr, false}, 0b0110: {nXor, false},
	0b0010: {nAndNot, false}, 0b0100: {nAndNot, true},
	0b1011: {nOrNot, false}, 0b1101: {nOrNot, true},
}

// lookup makes the node of a table.
func (c *chooser) lookup(t table) id {
	args := make([]id, len(t.inputs))
	for i, in := range t.inputs {
		args[i] = c.old[in]
	}
	nd := node{width: 1, eff: 1}
	switch len(args) {
	case 1:
		switch {
		case t.inverts() && c.invertible(t.inputs[0]):
			return c.complement(nd, t.inputs[0])
		case t.inverts():
			return c.make(nd, nNot, args...)
		case t.truth == 0b10:
			return args[0]
		}
		return c.to.small(1, uint64(t.truth&1))
	case 2:
		if p, ok := pairs[t.truth]; ok {
			if p.swap {
				args[0], args[1] = args[1], args[0]
			}
			return c.make(nd, p.op, args...)
		}
	}
	nd.imm = int(t.truth)
	return c.make(nd, nTable, args...)
}
