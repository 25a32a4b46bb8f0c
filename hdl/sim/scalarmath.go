package sim

// Arithmetic and shifts of values of several words, by operations on words.

func (s *scalars) sum(x, y []id) []id {
	v := make([]id, len(x))
	carry := none
	for i := range v {
		t := s.plus(x[i], y[i])
		u := t
		if carry != none {
			u = s.plus(t, s.zext(carry, s.width(t)))
		}
		v[i] = u
		if i+1 == len(v) {
			break
		}
		over := s.less(t, x[i], false)
		if carry != none {
			over = s.or(over, s.less(u, t, false))
		}
		carry = over
	}
	return v
}

func (s *scalars) difference(x, y []id) []id {
	v := make([]id, len(x))
	borrow := none
	for i := range v {
		t := s.minus(x[i], y[i])
		under := s.less(x[i], y[i], false)
		v[i] = t
		if borrow != none {
			b := s.zext(borrow, s.width(t))
			v[i] = s.minus(t, b)
			under = s.or(under, s.less(t, b, false))
		}
		borrow = under
	}
	return v
}

// product multiplies as on paper, with words for digits.
func (s *scalars) product(x, y []id, width int) []id {
	if len(x) == 1 {
		return []id{s.mul(x[0], y[0])}
	}
	v := each(64*len(x), func(int, int) id { return s.small(64, 0) })
	for i := range x {
		carry := s.small(64, 0)
		for j := 0; i+j < len(v); j++ {
			a, b := s.zext(x[i], 64), s.zext(y[j], 64)
			low := s.mul(a, b)
			t := s.plus(low, carry)
			u := s.plus(v[i+j], t)
			if i+j+1 < len(v) {
				high := s.plus(s.high(a, b), s.zext(s.less(t, low, false), 64))
				carry = s.plus(high, s.zext(s.less(u, t, false), 64))
			}
			v[i+j] = u
		}
	}
	top := len(v) - 1
	v[top] = s.slice(v[top], 0, wordWidth(width, top))
	return v
}

// high is the upper word of the product of two words.
func (s *scalars) high(x, y id) id {
	half := func(x id, lo int) id { return s.zext(s.slice(x, lo, 32), 64) }
	x0, x1, y0, y1 := half(x, 0), half(x, 32), half(y, 0), half(y, 32)
	t := s.plus(s.mul(x1, y0), half(s.mul(x0, y0), 32))
	u := s.plus(s.mul(x0, y1), half(t, 0))
	return s.plus(s.plus(s.mul(x1, y1), half(t, 32)), half(u, 32))
}

// shifted shifts by a number that is not constant.
func (s *scalars) shifted(op netOp, x, y []id, width int) []id {
	by := y[0]
	if len(y) > 1 {
		big := s.not(s.eq(s.folded(y[1:], s.or), s.small(s.width(s.folded(y[1:], s.or)), 0)))
		by = s.mux(big, s.ones(64), by)
	}
	if len(x) == 1 {
		if op == nShl {
			return []id{s.shl(x[0], by)}
		}
		return []id{s.shr(x[0], by, op == nSar)}
	}
	top := len(x) - 1
	fill := s.small(64, 0)
	if op == nSar {
		fill = s.sext(s.slice(x[top], s.width(x[top])-1, 1), 64)
	}
	cur := each(64*len(x), func(i, _ int) id {
		if op == nSar {
			return s.sext(x[i], 64)
		}
		return s.zext(x[i], 64)
	})
	at := func(v []id, i int) id {
		if i < 0 || i > top {
			return fill
		}
		return v[i]
	}
	dir := 1 // from where a word comes
	if op == nShl {
		dir = -1
	}
	// By whole words, a power of two at a time, then by bits.
	k := 0
	for ; 1<<k <= top && 6+k < s.width(by); k++ {
		bit, before := s.slice(by, 6+k, 1), cur
		cur = each(64*len(x), func(i, _ int) id { return s.mux(bit, at(before, i+dir<<k), before[i]) })
	}
	if rest := s.width(by) - 6 - k; rest > 0 {
		over, before := s.not(s.eq(s.slice(by, 6+k, rest), s.small(rest, 0))), cur
		cur = each(64*len(x), func(i, _ int) id { return s.mux(over, fill, before[i]) })
	}
	bits := s.piece([]id{by}, 0, 6)
	v := each(64*len(x), func(i, _ int) id {
		if op == nShl {
			return s.funnelLeft(at(cur, i), at(cur, i-1), bits)
		}
		high := s.shl(s.shl(at(cur, i+1), s.small(1, 1)), s.not(bits))
		return s.or(s.shr(cur[i], bits, false), high)
	})
	v[top] = s.slice(v[top], 0, wordWidth(width, top))
	return v
}

// funnelLeft is the upper word of two shifted left by less than 64 bits.
func (s *scalars) funnelLeft(high, low, bits id) id {
	return s.or(s.shl(high, bits), s.shr(s.shr(low, s.small(1, 1), false), s.not(bits), false))
}

// rotated rotates to the left by less than the width.
func (s *scalars) rotated(x []id, by id) []id {
	n := len(x)
	if n == 1 {
		if s.isConst(x[0]) && s.isConst(by) {
			w, k := s.width(x[0]), int(s.nodes[by].value[0])
			if k == 0 {
				return x
			}
			return []id{s.cat(s.slice(x[0], w-k, k), s.slice(x[0], 0, w-k))}
		}
		return []id{s.add(nRot, s.width(x[0]), 0, x[0], by)}
	}
	cur := x
	for k := 0; 1<<k < n && 6+k < s.width(by); k++ {
		bit, before := s.slice(by, 6+k, 1), cur
		cur = each(64*n, func(i, _ int) id { return s.mux(bit, before[((i-1<<k)%n+n)%n], before[i]) })
	}
	bits := s.piece([]id{by}, 0, 6)
	return each(64*n, func(i, _ int) id { return s.funnelLeft(cur[i], cur[(i+n-1)%n], bits) })
}
