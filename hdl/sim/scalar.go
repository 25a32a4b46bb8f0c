package sim

import "fmt"

// scalars rewrites a netlist of values of any width into one of words: every
// value as the words that it consists of, 64 bits each, the last one shorter.
// What words have in common across values is then found like any other sharing,
// and each word has its own conditions, uses and place.
type scalars struct {
	from *netlist
	*netlist
	words [][]id // of each node of from that the roots reach
	mems  []*memory
	long  int // operations that shift long values
}

// longWords is the number of words from which values are long.
const longWords = 16

// shifting reports whether most of the work is to shift long values, as the
// selection from registers by a computed index is, which the interpreter addresses.
func (s *scalars) shifting() bool { return s.long > 500 && 2*s.long > len(s.nodes) }

func newScalars(from *netlist, mems []*memory) *scalars {
	return &scalars{from: from, netlist: newNetlist(), words: make([][]id, len(from.nodes)), mems: mems}
}

// rewrite gives the roots, and all that they depend on, their words.
func (s *scalars) rewrite(roots []id) error {
	reached := make([]bool, len(s.from.nodes))
	for _, r := range roots {
		reached[r] = true
	}
	for x := len(reached) - 1; x >= 0; x-- {
		if reached[x] {
			for _, a := range s.from.nodes[x].args {
				reached[a] = true
			}
		}
	}
	for x, ok := range reached {
		if !ok {
			continue
		}
		v, err := s.node(&s.from.nodes[x])
		if err != nil {
			return err
		}
		s.words[x] = v
	}
	return nil
}

// wordWidth is the width of word i of a value.
func wordWidth(width, i int) int { return min(64, width-64*i) }

// each makes a value word by word.
func each(width int, word func(i, w int) id) []id {
	v := make([]id, words(width))
	for i := range v {
		v[i] = word(i, wordWidth(width, i))
	}
	return v
}

func (s *scalars) node(nd *node) ([]id, error) {
	arg := func(i int) []id { return s.words[nd.args[i]] }
	one := func(x id) ([]id, error) { return []id{x}, nil }
	switch nd.op {
	case nConst:
		return each(nd.width, func(i, w int) id { return s.small(w, nd.value[i]) }), nil
	case nLoc:
		return each(nd.width, func(i, w int) id { return s.loc(w, nd.imm+i) }), nil
	case nNot:
		return each(nd.width, func(i, _ int) id { return s.not(arg(0)[i]) }), nil
	case nAnd:
		return each(nd.width, func(i, _ int) id { return s.and(arg(0)[i], arg(1)[i]) }), nil
	case nOr:
		return each(nd.width, func(i, _ int) id { return s.or(arg(0)[i], arg(1)[i]) }), nil
	case nXor:
		return each(nd.width, func(i, _ int) id { return s.xor(arg(0)[i], arg(1)[i]) }), nil
	case nMux:
		return each(nd.width, func(i, _ int) id { return s.mux(arg(0)[0], arg(1)[i], arg(2)[i]) }), nil
	case nAdd:
		return s.sum(arg(0), arg(1)), nil
	case nSub:
		return s.difference(arg(0), arg(1)), nil
	case nMul:
		return s.product(arg(0), arg(1), nd.width), nil
	case nEq:
		return one(s.equal(arg(0), arg(1)))
	case nLt, nLts:
		return one(s.below(arg(0), arg(1), nd.op == nLts))
	case nShl, nShr, nSar:
		before := len(s.nodes)
		v := s.shifted(nd.op, arg(0), arg(1), nd.width)
		if len(v) > longWords {
			s.long += len(s.nodes) - before
		}
		return v, nil
	case nRot:
		return s.rotated(arg(0), arg(1)[0]), nil
	case nCat:
		var bits []id
		for i := range nd.args {
			bits = append(bits, arg(i)...)
		}
		return s.join(bits, nd.width), nil
	case nSlice:
		return each(nd.width, func(i, w int) id { return s.piece(arg(0), nd.imm+64*i, w) }), nil
	case nSext:
		return s.extended(arg(0), nd.width), nil
	case nParity:
		return one(s.parity(s.folded(arg(0), s.xor)))
	case nRead:
		if s.mems[nd.imm].words() == 1 {
			return one(s.add(nRead, nd.width, nd.imm, arg(0)[0]))
		}
		return each(nd.width, func(i, w int) id { return s.add(nRead, w, nd.imm, arg(0)[0], s.small(32, uint64(i))) }), nil
	case nSpread:
		return each(nd.width, func(i, w int) id { return s.lanes(arg(0), nd.imm, 64*i, w) }), nil
	}
	return nil, fmt.Errorf("operation %d of the netlist is not one that can be compiled", nd.op)
}

// piece is w bits, at most 64, of a value from lo up; bits beyond it are zero.
func (s *scalars) piece(v []id, lo, w int) id {
	k, o := lo/64, lo%64
	if k >= len(v) {
		return s.small(w, 0)
	}
	have := s.width(v[k]) - o
	switch {
	case have >= w:
		return s.slice(v[k], o, w)
	case have <= 0:
		return s.small(w, 0)
	}
	low := s.slice(v[k], o, have)
	return s.cat(low, s.piece(v, lo+have, w-have))
}

// join puts the words of a value together from parts of at most 64 bits.
func (s *scalars) join(parts []id, width int) []id {
	i, used := 0, 0 // parts, and bits of the next one, that are taken
	return each(width, func(_, w int) id {
		var of []id
		for w > 0 {
			take := min(w, s.width(parts[i])-used)
			of = append(of, s.slice(parts[i], used, take))
			w -= take
			if used += take; used == s.width(parts[i]) {
				i, used = i+1, 0
			}
		}
		return s.cat(of...)
	})
}

func (s *scalars) extended(v []id, width int) []id {
	top := len(v) - 1
	sign := s.slice(v[top], s.width(v[top])-1, 1)
	return each(width, func(i, w int) id {
		switch {
		case i < top:
			return v[i]
		case i == top:
			return s.sext(v[i], w)
		}
		return s.sext(sign, w)
	})
}

// lanes is w bits from lo up of a value in which each bit is repeated.
func (s *scalars) lanes(v []id, lane, lo, w int) id {
	if 64%lane == 0 {
		x := s.piece(v, lo/lane, w/lane)
		switch {
		case s.width(x) == 1:
			return s.sext(x, w)
		case s.isConst(x):
			var d [1]uint64
			spreadWords(d[:], s.nodes[x].value, lane)
			return s.small(w, d[0])
		}
		return s.add(nSpread, w, lane, x)
	}
	var parts []id
	for at := lo; at < lo+w; {
		n := min(lane-at%lane, lo+w-at)
		parts = append(parts, s.sext(s.piece(v, at/lane, 1), n))
		at += n
	}
	return s.cat(parts...)
}

// folded combines the words of a value, each extended with zeros.
func (s *scalars) folded(v []id, op func(x, y id) id) id {
	x := v[0]
	for _, y := range v[1:] {
		x = op(x, s.zext(y, 64))
	}
	return x
}

func (s *scalars) equal(x, y []id) id {
	if len(x) == 1 {
		return s.eq(x[0], y[0])
	}
	return s.eq(s.folded(each(64*len(x), func(i, _ int) id { return s.xor(x[i], y[i]) }), s.or), s.small(64, 0))
}

// below is whether x is less than y.
func (s *scalars) below(x, y []id, signed bool) id {
	top := len(x) - 1
	lt := s.less(x[0], y[0], signed && top == 0)
	for i := 1; i <= top; i++ {
		lt = s.or(s.less(x[i], y[i], signed && i == top), s.and(s.eq(x[i], y[i]), lt))
	}
	return lt
}
