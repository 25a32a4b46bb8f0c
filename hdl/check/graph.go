package check

import "github.com/millrace-hdl/millrace/hdl/ir"

// place is a module at one position of the hierarchy below a root.
type place struct {
	net      *netlist
	parent   *place
	inst     *ir.Instance
	children map[*ir.Instance]*place
	marks    [][]uint32 // per node and bit, made when first used
}

func newPlace(n *netlist, parent *place, inst *ir.Instance) *place {
	return &place{net: n, parent: parent, inst: inst, children: map[*ir.Instance]*place{}, marks: make([][]uint32, len(n.nodes))}
}

func (p *place) child(i *ir.Instance) *place {
	k := p.children[i]
	if k == nil {
		k = newPlace(p.net.children[i], p, i)
		p.children[i] = k
	}
	return k
}

// path is the prefix of names in the place: "u_core.u_fifo.".
func (p *place) path() string {
	if p.parent == nil {
		return ""
	}
	return p.parent.path() + p.inst.Name + "."
}

// bit is one bit of a node at a place: a net of the flat netlist.
type bit struct {
	place *place
	node  int32
	index int32
}

func (b bit) vertex() *vertex { return &b.place.net.nodes[b.node] }

// name is the hierarchical name of a bit of a signal.
func (b bit) name() string {
	s := b.vertex().signal
	return b.place.path() + ranged(s.Name, int(b.index), 1, s.Type.Width)
}

// mark returns where the searches note that they have seen the bit.
func (b bit) mark() *uint32 {
	m := &b.place.marks[b.node]
	if *m == nil {
		*m = make([]uint32, b.vertex().width)
	}
	return &(*m)[b.index]
}

// edges appends the bits that b depends on in the same cycle. Where many bits
// depend on the same many, one bit of the node depends on another instead: the
// carry chain of an adder bit by bit, everything else through bit 0. What is
// reached is the same, and the number of edges stays linear.
func (b bit) edges(to []bit) []bit {
	from := len(to)
	to = b.appendEdges(to)
	b.place.net.effort += len(to) - from
	return to
}

func (b bit) appendEdges(to []bit) []bit {
	p, v, i := b.place, b.vertex(), b.index
	n := p.net
	operand := func(k int, at int32) { to = append(to, bit{p, v.ops[k], at}) }
	every := func(id int32) {
		for j := range n.nodes[id].width {
			to = append(to, bit{p, id, j})
		}
	}
	switch v.rule {
	case byDriver:
		return b.driverEdges(to)
	case bitwise:
		if v.mask != nil && v.mask.Bit(int(i)) == v.decide {
			return to
		}
		for k := range v.ops {
			operand(k, i)
		}
	case carry:
		if i > 0 {
			to = append(to, bit{p, b.node, i - 1})
		}
		for k := range v.ops {
			operand(k, i)
		}
	case all:
		if i > 0 {
			return append(to, bit{p, b.node, 0})
		}
		for _, o := range v.ops {
			every(o)
		}
	case up, down:
		operand(0, i)
		next, last := i-1, i == 0
		if v.rule == down {
			next, last = i+1, i == v.width-1
		}
		if last {
			every(v.ops[1])
		} else {
			to = append(to, bit{p, b.node, next})
		}
	case move:
		j, w := i+v.shift, n.nodes[v.ops[0]].width
		if j >= w && v.fill {
			j = w - 1
		}
		if j >= 0 && j < w {
			operand(0, j)
		}
	case choose:
		operand(0, 0)
		if v.mask == nil || v.mask.Bit(0) {
			operand(1, i)
		}
		if v.mask == nil || !v.mask.Bit(0) {
			operand(2, i)
		}
	case pick:
		b.pickEdges(&to)
		every(v.ops[1])
	case concat:
		for k := len(v.ops) - 1; ; k-- {
			w := n.nodes[v.ops[k]].width
			if i < w {
				operand(k, i)
				break
			}
			i -= w
		}
	}
	return to
}

// pickEdges appends the bits of the first operand that a selection may take for a
// bit. Where places overlap and the index reaches them all, what is above the next
// place is left to the bit there.
func (b bit) pickEdges(to *[]bit) {
	p, v := b.place, b.vertex()
	nodes := p.net.nodes
	from, stride, last := int64(nodes[v.ops[0]].width), int64(v.shift), int64(1)<<min(nodes[v.ops[1]].width, 31)-1
	at := func(i int64) { *to = append(*to, bit{p, v.ops[0], int32(i)}) }
	at(int64(b.index))
	if next := int64(b.index) + stride; last*stride >= from-stride && next < int64(v.width) {
		*to = append(*to, bit{p, b.node, int32(next)})
		return
	}
	for k := int64(1); k <= last && int64(b.index)+k*stride < from; k++ {
		at(int64(b.index) + k*stride)
	}
}

func (b bit) driverEdges(to []bit) []bit {
	p, s, i := b.place, b.vertex().signal, int(b.index)
	n := p.net
	switch {
	case s.Kind == ir.InstOut:
		c := p.child(s.Inst)
		return append(to, bit{c, c.net.signals[s.Port], b.index})
	case s.Kind == ir.Input && p.parent != nil:
		conn := p.inst.Conns[n.ports[b.node]]
		return append(to, bit{p.parent, p.parent.net.signals[conn], b.index})
	case n.through(s):
		if i > 0 {
			return append(to, bit{p, b.node, 0})
		}
		for id, in := range n.m.Signals {
			if in.Kind == ir.Input {
				for j := range n.nodes[id].width {
					to = append(to, bit{p, int32(id), j})
				}
			}
		}
		return to
	case !s.Kind.Comb():
		return to
	}
	return b.assignedEdges(to)
}

// assignedEdges appends what the statements that assign a signal read for its bit.
func (b bit) assignedEdges(to []bit) []bit {
	p, s, i := b.place, b.vertex().signal, int(b.index)
	n := p.net
	cv := n.cover[s]
	if s.Default != nil && (cv == nil || !cv.must.has(i)) {
		to = append(to, bit{p, n.exprs[s.Default], b.index})
	}
	if cv == nil {
		return to
	}
	for _, d := range cv.drivers {
		if d.drives(i) {
			to = append(to, bit{p, n.exprs[d.stmt.Value], d.valueBit(i)})
			to = d.controls(p, to)
		}
	}
	return to
}

// controls appends what decides whether and where the assignment acts.
func (d *driver) controls(p *place, to []bit) []bit {
	if !d.all {
		index := p.net.exprs[d.stmt.Index]
		for j := range p.net.nodes[index].width {
			to = append(to, bit{p, index, j})
		}
	}
	if d.ctl >= 0 {
		to = append(to, bit{p, d.ctl, 0})
	}
	return to
}

// driverOf is the assignment through which a bit of a signal depends on next,
// and whether next is one of its conditions; nil if it does so otherwise.
func (b bit) driverOf(next bit) (d *driver, condition bool) {
	s := b.vertex().signal
	cv := b.place.net.cover[s]
	if cv == nil || !s.Kind.Driven() {
		return nil, false
	}
	for _, d := range cv.drivers {
		if !d.drives(int(b.index)) {
			continue
		}
		if b.place.net.exprs[d.stmt.Value] == next.node && next.index == d.valueBit(int(b.index)) {
			return d, false
		}
		if d.ctl == next.node || !d.all && b.place.net.exprs[d.stmt.Index] == next.node {
			return d, true
		}
	}
	return nil, false
}

// Hop is one step of a combinational path: Signal is computed from what the next
// hop names, at Pos.
type Hop struct {
	Signal    string // hierarchical name with its bit: u_fifo.count[2]
	Condition bool   // the next signal decides a branch or a lane, rather than being part of the value
	Pos       ir.Pos
}

// hops describes the signals on a path of bits.
func hops(path []bit) []Hop {
	var hs []Hop
	for i, b := range path {
		s := b.vertex().signal
		if s == nil {
			continue
		}
		h := Hop{Signal: b.name(), Pos: s.Pos}
		if s.Kind == ir.InstOut {
			h.Pos = s.Inst.Pos
		}
		if i+1 < len(path) {
			if d, cond := b.driverOf(path[i+1]); d != nil {
				h.Pos, h.Condition = d.stmt.Pos, cond
			}
		}
		hs = append(hs, h)
	}
	return hs
}

// shortest finds a shortest path from one of the bits to one that is wanted,
// along edges that follow allows. The path has at least one edge.
func shortest(from []bit, wanted, follow func(bit) bool) []bit {
	before := map[bit]bit{}
	var buf []bit
	for queue := from; len(queue) > 0; queue = queue[1:] {
		buf = queue[0].edges(buf[:0])
		for _, e := range buf {
			if !follow(e) {
				continue
			}
			if _, seen := before[e]; seen {
				continue
			}
			before[e] = queue[0]
			if !wanted(e) {
				queue = append(queue, e)
				continue
			}
			path := []bit{e}
			for at := queue[0]; ; at = before[at] {
				path = append([]bit{at}, path...)
				if start(from, at) {
					return path
				}
			}
		}
	}
	return nil
}

func start(from []bit, b bit) bool {
	for _, f := range from {
		if f == b {
			return true
		}
	}
	return false
}
