package sim

// cat concatenates, least significant part first. Neighbours that one node can
// serve are merged, so that what a description takes apart and puts together
// again costs nothing.
func (n *netlist) cat(parts ...id) id {
	flat := make([]id, 0, len(parts))
	w := 0
	for _, p := range parts {
		w += n.width(p)
		if nd := &n.nodes[p]; nd.op == nCat {
			flat = append(flat, nd.args...)
		} else {
			flat = append(flat, p)
		}
	}
	if len(flat) > 1 {
		merged := make([]id, 0, len(flat))
		for len(flat) > 0 {
			k := n.alike(flat)
			merged = n.merge(merged, flat[:k])
			flat = flat[k:]
		}
		flat = merged
	}
	if len(flat) == 1 {
		return flat[0]
	}
	return n.add(nCat, w, 0, flat...)
}

// alike is the number of parts from the first on that merge into one.
func (n *netlist) alike(parts []id) int {
	k := 1
	for k < len(parts) && n.follows(parts, k) {
		k++
	}
	return k
}

// follows reports whether parts[k] continues the run that the first k make.
func (n *netlist) follows(parts []id, k int) bool {
	first, last, next := &n.nodes[parts[0]], &n.nodes[parts[k-1]], &n.nodes[parts[k]]
	if first.op == nConst || next.op == nConst {
		return first.op == next.op
	}
	repeats := func(i int) bool { return first.width == 1 && parts[i] == parts[0] }
	if k > 1 && repeats(1) || k == 1 && repeats(k) {
		return repeats(k)
	}
	if first.op != next.op {
		return false
	}
	switch next.op {
	case nSlice:
		return n.adjacent(parts[k-1], parts[k])
	case nSext:
		return next.width == first.width && n.adjacent(last.args[0], next.args[0]) && n.width(next.args[0]) == 1
	case nMux:
		if same := next.args[0] == first.args[0]; same || k > 1 && n.nodes[parts[1]].args[0] == first.args[0] {
			return same
		}
		return next.width == first.width && n.adjacent(last.args[0], next.args[0])
	}
	return false
}

// adjacent reports whether h is a slice of the bits right above the slice l.
func (n *netlist) adjacent(l, h id) bool {
	a, b := &n.nodes[l], &n.nodes[h]
	return a.op == nSlice && b.op == nSlice && a.args[0] == b.args[0] && a.imm+a.width == b.imm
}

// merge appends parts that are alike, as one node if that is simpler.
func (n *netlist) merge(list, parts []id) []id {
	if len(parts) == 1 {
		return append(list, parts[0])
	}
	w := 0
	for _, p := range parts {
		w += n.width(p)
	}
	first := n.nodes[parts[0]]
	switch {
	case first.op == nConst:
		return append(list, n.constant(w, n.evaluate(nCat, w, 0, parts)))
	case first.width == 1 && parts[1] == parts[0]:
		return append(list, n.sext(parts[0], w))
	case first.op == nSlice:
		return append(list, n.slice(first.args[0], first.imm, w))
	}
	if first.width > maxLane && n.nodes[parts[1]].args[0] != first.args[0] {
		return append(list, parts...)
	}
	if first.op == nSext {
		return append(list, n.spread(n.operand(parts, 0), first.width))
	}
	t, e := n.operand(parts, 1), n.operand(parts, 2)
	if n.nodes[parts[1]].args[0] == first.args[0] {
		if n.pieces(t)+n.pieces(e) > len(parts)+1 {
			return append(list, parts...) // one leg at least must come together
		}
		return append(list, n.mux(first.args[0], t, e))
	}
	if len(parts) < 4 || n.pieces(t) > 1 || n.pieces(e) > 1 {
		return append(list, parts...)
	}
	mask := n.spread(n.operand(parts, 0), first.width)
	return append(list, n.or(n.and(t, mask), n.and(e, n.not(mask))))
}

// operand concatenates the i-th operands of the parts.
func (n *netlist) operand(parts []id, i int) id {
	of := make([]id, len(parts))
	for j, p := range parts {
		of[j] = n.nodes[p].args[i]
	}
	return n.cat(of...)
}

// maxLane is the most bits that an instruction makes of one.
const maxLane = 255

// spread repeats each bit of x, as byte enables are for the bits of their bytes.
func (n *netlist) spread(x id, lane int) id {
	return n.add(nSpread, n.width(x)*lane, lane, x)
}

// pieces is the number of parts that a value is put together from.
func (n *netlist) pieces(x id) int {
	if nd := &n.nodes[x]; nd.op == nCat {
		return len(nd.args)
	}
	return 1
}
