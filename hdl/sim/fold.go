package sim

import "math/bits"

// Constructors of netlist operations. Each simplifies what it can see in its
// arguments, so that the graph holds no operation with a cheaper equal.

func parity(x uint64) uint64 { return uint64(bits.OnesCount64(x) & 1) }

func (n *netlist) not(x id) id {
	nd := &n.nodes[x]
	switch nd.op {
	case nNot:
		return nd.args[0]
	case nSext:
		if b := nd.args[0]; n.width(b) == 1 {
			return n.sext(n.not(b), nd.width)
		}
	}
	return n.add(nNot, nd.width, 0, x)
}

// inverse reports whether y is the complement of x.
func (n *netlist) inverse(x, y id) bool {
	return n.nodes[x].op == nNot && n.nodes[x].args[0] == y || n.nodes[y].op == nNot && n.nodes[y].args[0] == x
}

func ordered(x, y id) (id, id) {
	if x > y {
		return y, x
	}
	return x, y
}

// repeated finds which of two values is one bit repeated, and the other.
func (n *netlist) repeated(x, y id) (bit, other id, ok bool) {
	for _, p := range [...][2]id{{x, y}, {y, x}} {
		if nd := &n.nodes[p[0]]; nd.op == nSext && n.width(nd.args[0]) == 1 {
			return nd.args[0], p[1], true
		}
	}
	return
}

func (n *netlist) and(x, y id) id {
	x, y = ordered(x, y)
	switch {
	case x == y || n.isOnes(y):
		return x
	case n.isOnes(x):
		return y
	case n.isZero(x) || n.isZero(y) || n.inverse(x, y):
		return n.small(n.width(x), 0)
	}
	if b, v, ok := n.repeated(x, y); ok {
		return n.mux(b, v, n.small(n.width(x), 0))
	}
	return n.add(nAnd, n.width(x), 0, x, y)
}

func (n *netlist) or(x, y id) id {
	x, y = ordered(x, y)
	switch {
	case x == y || n.isZero(y):
		return x
	case n.isZero(x):
		return y
	case n.isOnes(x) || n.isOnes(y) || n.inverse(x, y):
		return n.ones(n.width(x))
	}
	if b, v, ok := n.repeated(x, y); ok {
		return n.mux(b, n.ones(n.width(x)), v)
	}
	return n.add(nOr, n.width(x), 0, x, y)
}

func (n *netlist) xor(x, y id) id {
	x, y = ordered(x, y)
	switch {
	case x == y:
		return n.small(n.width(x), 0)
	case n.isZero(y):
		return x
	case n.isZero(x):
		return y
	case n.isOnes(y):
		return n.not(x)
	case n.isOnes(x):
		return n.not(y)
	}
	return n.add(nXor, n.width(x), 0, x, y)
}

func (n *netlist) plus(x, y id) id {
	x, y = ordered(x, y)
	switch {
	case n.isZero(y):
		return x
	case n.isZero(x):
		return y
	case n.width(x) == 1:
		return n.xor(x, y)
	}
	return n.add(nAdd, n.width(x), 0, x, y)
}

func (n *netlist) minus(x, y id) id {
	switch {
	case x == y:
		return n.small(n.width(x), 0)
	case n.isZero(y):
		return x
	case n.width(x) == 1:
		return n.xor(x, y)
	}
	return n.add(nSub, n.width(x), 0, x, y)
}

func (n *netlist) mul(x, y id) id {
	x, y = ordered(x, y)
	w := n.width(x)
	for _, p := range [...][2]id{{x, y}, {y, x}} {
		if !n.isConst(p[0]) {
			continue
		}
		v := n.nodes[p[0]].value
		if k := bitLen(v) - 1; k < 0 {
			return p[0]
		} else if onlyBit(v, k) {
			return n.shlConst(p[1], uint64(k))
		}
	}
	if w == 1 {
		return n.and(x, y)
	}
	return n.add(nMul, w, 0, x, y)
}

func onlyBit(v []uint64, k int) bool {
	for i, w := range v {
		want := uint64(0)
		if i == k/64 {
			want = 1 << (k % 64)
		}
		if w != want {
			return false
		}
	}
	return true
}

func (n *netlist) eq(x, y id) id {
	x, y = ordered(x, y)
	if x == y {
		return n.small(1, 1)
	}
	if n.inverse(x, y) {
		return n.small(1, 0)
	}
	if n.isConst(x) {
		x, y = y, x
	}
	if n.isConst(y) {
		if n.nodes[y].eff > n.nodes[x].eff {
			return n.small(1, 0)
		}
		if n.width(x) == 1 {
			if n.isZero(y) {
				return n.not(x)
			}
			return x
		}
	}
	return n.add(nEq, 1, 0, x, y)
}

func (n *netlist) less(x, y id, signed bool) id {
	switch {
	case x == y:
		return n.small(1, 0)
	case signed:
		return n.add(nLts, 1, 0, x, y)
	case n.isZero(y):
		return n.small(1, 0)
	case n.isZero(x):
		return n.not(n.eq(x, y))
	case n.width(x) == 1:
		return n.and(n.not(x), y)
	}
	return n.add(nLt, 1, 0, x, y)
}

func (n *netlist) mux(c, t, e id) id {
	if n.isConst(c) {
		if n.isZero(c) {
			return e
		}
		return t
	}
	if t == e {
		return t
	}
	if n.nodes[c].op == nNot {
		return n.mux(n.nodes[c].args[0], e, t)
	}
	if nd := &n.nodes[t]; nd.op == nMux && nd.args[0] == c {
		return n.mux(c, nd.args[1], e)
	}
	if nd := &n.nodes[e]; nd.op == nMux && nd.args[0] == c {
		return n.mux(c, t, nd.args[2])
	}
	if n.width(t) == 1 {
		switch {
		case n.isOnes(t) || t == c:
			return n.or(c, e)
		case n.isZero(t):
			return n.and(n.not(c), e)
		case n.isOnes(e):
			return n.or(n.not(c), t)
		case n.isZero(e) || e == c:
			return n.and(c, t)
		}
	}
	if x, by, ok := n.rotation(&n.nodes[t]); ok && x == e {
		if r, ok := n.rotate(e, by, c); ok {
			return r
		}
	}
	return n.add(nMux, n.width(t), 0, c, t, e)
}

// rotation recognises the rotation of a value to the left, by a constant.
func (n *netlist) rotation(nd *node) (x id, by int, ok bool) {
	if nd.op != nCat || len(nd.args) != 2 {
		return 0, 0, false
	}
	lo, hi := &n.nodes[nd.args[0]], &n.nodes[nd.args[1]]
	if lo.op != nSlice || hi.op != nSlice || lo.args[0] != hi.args[0] || hi.imm != 0 || lo.imm != hi.width {
		return 0, 0, false
	}
	x = lo.args[0]
	return x, lo.width, n.width(x) == nd.width
}

// rotate rotates x if c is one. The stages of a barrel shifter become one
// rotation by a number.
func (n *netlist) rotate(x id, by int, c id) (id, bool) {
	w, k := n.width(x), bits.TrailingZeros(uint(by))
	if by != 1<<k || 2*by > w || w > 64 && w%64 != 0 {
		return 0, false
	}
	amount := n.small(max(k, 1), 0)
	if nd := &n.nodes[x]; nd.op == nRot && n.width(nd.args[1]) <= k {
		x, amount = nd.args[0], n.zext(nd.args[1], k)
	}
	if k == 0 {
		return n.add(nRot, w, 0, x, c), true
	}
	return n.add(nRot, w, 0, x, n.cat(amount, c)), true
}

func (n *netlist) shlConst(x id, k uint64) id {
	w := n.width(x)
	if k >= uint64(w) {
		return n.small(w, 0)
	}
	if k == 0 {
		return x
	}
	return n.cat(n.small(int(k), 0), n.slice(x, 0, w-int(k)))
}

func (n *netlist) shl(x, y id) id {
	if n.isConst(y) {
		return n.shlConst(x, shiftCount(n.nodes[y].value))
	}
	return n.add(nShl, n.width(x), 0, x, y)
}

func (n *netlist) shr(x, y id, signed bool) id {
	w := n.width(x)
	if signed && n.nodes[x].eff < w {
		signed = false
	}
	if n.isConst(y) {
		k := shiftCount(n.nodes[y].value)
		switch {
		case k == 0:
			return x
		case signed:
			k = min(k, uint64(w-1))
			return n.sext(n.slice(x, int(k), w-int(k)), w)
		case k >= uint64(w):
			return n.small(w, 0)
		}
		return n.zext(n.slice(x, int(k), w-int(k)), w)
	}
	if signed {
		return n.add(nSar, w, 0, x, y)
	}
	return n.add(nShr, w, 0, x, y)
}

func (n *netlist) zext(x id, w int) id {
	if k := w - n.width(x); k > 0 {
		return n.cat(x, n.small(k, 0))
	}
	return x
}

func (n *netlist) sext(x id, w int) id {
	nd := &n.nodes[x]
	switch {
	case nd.width == w:
		return x
	case nd.eff < nd.width:
		return n.zext(x, w)
	case nd.op == nSext:
		return n.sext(nd.args[0], w)
	}
	return n.add(nSext, w, 0, x)
}

func (n *netlist) parity(x id) id {
	if n.width(x) == 1 {
		return x
	}
	return n.add(nParity, 1, 0, x)
}

// slice is w bits of x from lo up.
func (n *netlist) slice(x id, lo, w int) id {
	nd := &n.nodes[x]
	if lo == 0 && w == nd.width {
		return x
	}
	if lo >= nd.eff {
		return n.small(w, 0)
	}
	switch nd.op {
	case nSlice:
		return n.slice(nd.args[0], nd.imm+lo, w)
	case nSext:
		if in := n.width(nd.args[0]); lo+w <= in {
			return n.slice(nd.args[0], lo, w)
		} else if lo < in {
			return n.sext(n.slice(nd.args[0], lo, in-lo), w)
		} else {
			return n.sext(n.slice(nd.args[0], in-1, 1), w)
		}
	case nCat:
		var parts []id
		at := 0
		for _, a := range nd.args {
			aw := n.width(a)
			from, to := max(lo, at), min(lo+w, at+aw)
			if from < to {
				parts = append(parts, n.slice(a, from-at, to-from))
			}
			at += aw
		}
		return n.cat(parts...)
	}
	return n.add(nSlice, w, lo, x)
}
