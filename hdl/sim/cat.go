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
	first := &n.nodes[parts[0]]
	next := first.imm + first.width
	repeat := first.width == 1 && len(parts) > 1 && parts[1] == parts[0]
	k := 1
	for ; k < len(parts); k++ {
		nd := &n.nodes[parts[k]]
		switch {
		case repeat && parts[k] == parts[0]:
		case repeat && first.op != nConst || nd.op != first.op:
			return k
		case nd.op == nConst:
		case nd.op == nSlice && nd.args[0] == first.args[0] && nd.imm == next:
			next += nd.width
		case nd.op == nMux && nd.args[0] == first.args[0]:
		default:
			return k
		}
	}
	return k
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
	var then, other []id
	for _, p := range parts {
		then = append(then, n.nodes[p].args[1])
		other = append(other, n.nodes[p].args[2])
	}
	t, e := n.cat(then...), n.cat(other...)
	if n.pieces(t)+n.pieces(e) > len(parts)+1 {
		return append(list, parts...) // one leg at least must come together
	}
	return append(list, n.mux(first.args[0], t, e))
}

// pieces is the number of parts that a value is put together from.
func (n *netlist) pieces(x id) int {
	if nd := &n.nodes[x]; nd.op == nCat {
		return len(nd.args)
	}
	return 1
}
