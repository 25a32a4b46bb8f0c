package sim

// Emission of values that are put together, or taken, from pieces of others.

func (a *assembler) computeOrIf(x id, dest int) int {
	nd := &a.nodes[x]
	n := words(nd.width)
	acc := nd.args[0]
	if n > 1 && a.slot[acc] < 0 && a.uses[acc] == 1 && a.home(acc) == a.home(x) {
		// What is or'd to may use the same words.
		if dest < 0 {
			dest = a.alloc(n)
		}
		a.slot[acc] = int32(a.emitNode(acc, dest))
	}
	in := instr{op: opOrIf, n: uint32(n), a: a.value(acc), b: a.value(nd.args[1])}
	in.c, in.k = a.condition(nd.args[2])
	if n > 1 {
		in.op = opOrIfW
	}
	if dest < 0 {
		dest = a.alloc(n)
	}
	in.d = uint32(dest)
	a.emit(in)
	return dest
}

func (a *assembler) computeSlice(nd *node, dest int) int {
	x, lo, w := nd.args[0], nd.imm, nd.width
	src := int(a.value(x)) + lo/64
	k := uint8(lo % 64)
	whole := lo+w >= a.nodes[x].eff // nothing above to remove
	if k == 0 && (whole || w%64 == 0) {
		return src
	}
	n := words(w)
	if dest < 0 {
		dest = a.alloc(n)
	}
	in := instr{op: opSlice, d: uint32(dest), a: uint32(src), k: k, m: spare(w), n: uint32(n)}
	switch {
	case n > 1:
		in.op = opSliceW
	case int(k)+w > 64:
		in.op = opFunnel
	case whole || int(k)+w == 64:
		in.op = opShift
	}
	a.emit(in)
	return dest
}

// piece is a run of bits of a concatenation.
type piece struct {
	at, w int // place in the result
	slot  int // words that hold it, -1 for a constant
	lo    int // its lowest bit there
	eff   int // bits of the words that may be one
	value []uint64
}

// padded reports whether a concatenation only adds zeros within the same words.
func (a *assembler) padded(nd *node) bool {
	return len(nd.args) == 2 && a.isZero(nd.args[1]) && words(a.width(nd.args[0])) == words(nd.width)
}

// computeCat builds a concatenation word by word.
func (a *assembler) computeCat(nd *node, dest int) int {
	if a.padded(nd) {
		return int(a.value(nd.args[0]))
	}
	pieces := make([]piece, len(nd.args))
	at := 0
	for i, x := range nd.args {
		p := &pieces[i]
		p.at, p.w, p.slot = at, a.width(x), -1
		at += p.w
		if p.value = a.nodes[x].value; !a.isConst(x) {
			src, lo := a.origin(x)
			p.slot, p.lo, p.eff = int(a.value(src)), lo, a.nodes[src].eff
		}
	}
	n := words(nd.width)
	if dest < 0 {
		dest = a.alloc(n)
	}
	for j := 0; j < n; {
		if r := a.catRun(pieces, j, dest); r > 0 {
			j += r
			continue
		}
		a.catWord(pieces, j, dest+j)
		j++
	}
	return dest
}

// catRun emits the words from j on that one piece fills, if there are several,
// and returns their number.
func (a *assembler) catRun(pieces []piece, j, dest int) int {
	for _, p := range pieces {
		r := (p.at + p.w - j*64) / 64
		if p.slot < 0 || p.at > j*64 || r < 2 {
			continue
		}
		b := p.lo + j*64 - p.at
		if b%64 == 0 {
			a.move(dest+j, p.slot+b/64, r)
		} else {
			a.emit(instr{op: opSliceW, d: uint32(dest + j), a: uint32(p.slot + b/64), k: uint8(b % 64), n: uint32(r)})
		}
		return r
	}
	return 0
}

// catWord emits word j of a concatenation.
func (a *assembler) catWord(pieces []piece, j, d int) {
	have := -1 // where the word is so far
	var fixed uint64
	for _, p := range pieces {
		from, to := max(j*64, p.at), min(j*64+64, p.at+p.w)
		if from >= to {
			continue
		}
		o, w, b := uint8(from%64), to-from, from-p.at
		if p.slot < 0 {
			var v [1]uint64
			sliceWords(v[:], p.value, b)
			fixed |= v[0] & topMask(w) << o
			continue
		}
		b += p.lo
		in := instr{d: uint32(d), b: uint32(p.slot + b/64), k: uint8(b % 64)}
		clean := b+w >= p.eff || int(o)+w == 64 // nothing above, or it is shifted out
		switch {
		case int(in.k)+w > 64:
			t := d
			if have >= 0 || o > 0 {
				t = a.alloc(1)
			}
			a.emit(instr{op: opFunnel, d: uint32(t), a: in.b, k: in.k, m: spare(w), n: 1})
			if in.b, in.k, clean = uint32(t), 0, true; t == d {
				have = d
				continue
			}
		}
		switch {
		case in.k == 0 && clean && have < 0 && o == 0:
			have = int(in.b)
			continue
		case in.k == 0 && clean && have < 0:
			in.op, in.a, in.k = opLeft, in.b, o
		case in.k == 0 && clean:
			in.op, in.a, in.k = opCat, uint32(have), o
		case have < 0:
			in.op, in.a, in.m, in.n = opField, in.b, spare(w), uint32(o)
		default:
			in.op, in.a, in.m, in.n = opCatField, uint32(have), spare(w), uint32(o)
		}
		if in.op == opLeft || in.op == opField {
			in.b = 0
		}
		a.emit(in)
		have = d
	}
	switch {
	case fixed != 0 || have < 0:
		s := a.alloc(1)
		a.consts = append(a.consts, placed{s, []uint64{fixed}})
		if have < 0 {
			a.move(d, s, 1)
		} else {
			a.emit(instr{op: opOr, d: uint32(d), a: uint32(have), b: uint32(s)})
		}
	case have != d:
		a.move(d, have, 1)
	}
}
