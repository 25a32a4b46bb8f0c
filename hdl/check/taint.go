package check

import "github.com/millrace-hdl/millrace/hdl/ir"

// taint finds which bits depend, within a cycle, on anything that does not belong
// to one clock domain of a module. It takes ports of instances for what they claim
// to belong to, or, if it is flat, for what is behind them.
type taint struct {
	root *place
	d    *ir.Domain
	flat bool
}

func newTaint(n *netlist, d *ir.Domain, flat bool) *taint {
	return &taint{newPlace(n, nil, nil), d, flat}
}

// origin says where a value comes from: state or an input of a domain, or nothing
// that is clocked.
type origin struct {
	domain *ir.Domain // of the module at the root
	async  bool
}

// outer is the root's domain that clocks a domain of a place.
func outer(p *place, d *ir.Domain) *ir.Domain {
	for ; p.parent != nil; p = p.parent {
		d = p.inst.Outer(d)
	}
	return d
}

// origin is that of a bit at which paths end, if it is one.
func (t *taint) origin(b bit) (o origin, ok bool) {
	s, p := b.vertex().signal, b.place
	if s == nil {
		return o, false
	}
	switch s.Kind {
	case ir.Reg, ir.SyncRead:
		return origin{domain: outer(p, s.Domain)}, true
	case ir.Input:
		if p == t.root || !t.flat && !s.Async {
			return origin{outer(p, s.Domain), s.Async}, true
		}
	case ir.InstOut:
		if s.Inst.Of.Extern != nil || !t.flat && !s.Port.Async {
			return origin{outer(p, s.Inst.Outer(s.Port.Domain)), s.Port.Async}, true
		}
	}
	return o, false
}

func (t *taint) own(o origin) bool { return !o.async && o.domain == t.d }

// writer is a write port of another domain of the memory that a node reads.
func (t *taint) writer(b bit) (origin, bool) {
	if x := b.vertex().mem; x != nil {
		return t.writerOf(b.place, x)
	}
	return origin{}, false
}

func (t *taint) writerOf(p *place, x *ir.Mem) (origin, bool) {
	for _, w := range p.net.writes[x] {
		if o := (origin{domain: outer(p, w.stmt.Domain)}); !t.own(o) {
			return o, true
		}
	}
	return origin{}, false
}

// source reports whether the bit itself is what does not belong to the domain.
func (t *taint) source(b bit) bool {
	if o, ok := t.origin(b); ok {
		return !t.own(o)
	}
	_, ok := t.writer(b)
	return ok
}

// Marks of bits that are known. [open] is of those whose turn has not ended.
const (
	clean = 1 + done + iota
	foreign
)

// foreign reports whether the bit depends on what does not belong to the domain.
// There must be no cycle.
func (t *taint) foreign(b bit) bool {
	type frame struct {
		at         bit
		next, last int // edges still to follow, in buf
	}
	var buf []bit
	var stack []frame
	enter := func(b bit) {
		m := b.mark()
		_, ends := t.origin(b)
		switch {
		case t.source(b):
			*m = foreign
		case ends:
			*m = clean
		default:
			*m = open
			from := len(buf)
			buf = b.edges(buf)
			stack = append(stack, frame{b, from, len(buf)})
		}
	}
	if *b.mark() == 0 {
		enter(b)
	}
	leave := func(mark uint32) {
		f := stack[len(stack)-1]
		*f.at.mark() = mark
		stack = stack[:len(stack)-1]
		buf = buf[:min(len(buf), f.last)]
	}
	for len(stack) > 0 {
		f := &stack[len(stack)-1]
		if f.next == f.last {
			leave(clean)
			continue
		}
		switch e := buf[f.next]; *e.mark() {
		case 0:
			enter(e)
		case foreign:
			leave(foreign)
		default:
			f.next++
		}
	}
	return *b.mark() == foreign
}

// path is a shortest way from one of the bits, which are foreign, to a source.
func (t *taint) path(from ...bit) []bit {
	for _, b := range from {
		if t.source(b) {
			return []bit{b}
		}
	}
	return shortest(from, t.source, t.foreign)
}

// decides appends the bits that decide what a bit is rather than being passed on by
// it: conditions, indices, and the operands of all that computes.
func (t *taint) decides(b bit, to []bit) []bit {
	p, v := b.place, b.vertex()
	every := func(id int32) {
		for j := range p.net.nodes[id].width {
			to = append(to, bit{p, id, j})
		}
	}
	switch v.rule {
	case byDriver:
		if cv := p.net.cover[v.signal]; cv != nil && v.signal.Kind.Driven() {
			for _, d := range cv.drivers {
				if d.drives(int(b.index)) {
					to = d.controls(p, to)
				}
			}
		}
	case choose:
		if v.mask == nil {
			to = append(to, bit{p, v.ops[0], 0})
		}
	case up, down, pick:
		every(v.ops[1])
	case bitwise: // two foreign bits: which one is first makes a glitch
		es, n := b.edges(nil), 0
		for _, e := range es {
			if t.foreign(e) {
				n++
			}
		}
		if n > 1 {
			to = append(to, es...)
		}
	case carry:
		to = b.edges(to)
	case all:
		for _, o := range v.ops {
			every(o)
		}
	}
	return to
}

// computed follows the bits as far as foreign values are passed on unchanged. It
// returns the way to a foreign value that is computed with instead, nil if there is
// none, and calls input for each bit of an input of the module that is passed on.
func (t *taint) computed(from []bit, input func(bit)) []bit {
	before := map[bit]bit{}
	seen := map[bit]bool{}
	var es []bit
	for todo := from; len(todo) > 0; {
		b := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if seen[b] || !t.foreign(b) {
			continue
		}
		seen[b] = true
		if _, ends := t.origin(b); ends {
			if b.place == t.root && b.vertex().signal.Kind == ir.Input {
				input(b)
			}
			continue
		}
		es = t.decides(b, es[:0])
		for _, e := range es {
			if t.foreign(e) {
				way := t.path(e)
				for at, ok := b, true; ok; at, ok = before[at] {
					way = append([]bit{at}, way...)
				}
				return way
			}
		}
		if b.vertex().mem != nil {
			continue // the address, which is not foreign
		}
		es = b.edges(es[:0])
		for _, e := range es {
			if _, ok := before[e]; !ok && !seen[e] {
				before[e] = b
			}
			todo = append(todo, e)
		}
	}
	return nil
}
