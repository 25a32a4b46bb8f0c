package sim

import (
	"slices"

	"github.com/millrace-hdl/millrace/hdl/ir"
)

// roots are the sinks of the netlist.
type roots struct {
	h       *hierarchy
	outputs []sink
	next    []sink
	ports   []access // writes before reads
	boxIns  []sink   // inputs of black boxes, as their edges see them
	calls   []id     // of black boxes
	event   id       // whether a property is hit for the first time; none without properties
}

type sink struct {
	node id
	slot int
}

// lower turns the hierarchy into a netlist, splitting signals into bits where
// they would otherwise form a loop.
func (m *Model) lower(h *hierarchy) (*roots, error) {
	for {
		l := newLowering(h, m.tick)
		r := &roots{h: h, event: none}
		ports := map[string]*net{}
		for _, s := range h.top.mod.mod.Ports() {
			ports[s.Name] = h.top.nets[s]
		}
		for _, p := range m.layout.Outputs {
			n := ports[p.Name]
			r.outputs = append(r.outputs, sink{l.ref(n, 0, p.Type.Width), m.layout.InWords + p.Offset})
		}
		for _, n := range h.nets {
			switch next := n.slot + m.regs; n.sig.Kind {
			case ir.Reg:
				r.next = append(r.next, sink{l.next(n, l.driven(n, 0, n.sig.Type.Width)), next})
			case ir.SyncRead:
				l.syncRead(r, n, next)
			}
		}
		var writes []access
		for _, mm := range h.mems {
			writes = append(writes, l.writes(mm)...)
		}
		r.ports = append(writes, r.ports...)
		if len(h.checks) > 0 {
			r.event = l.event()
		}
		// Loops that no sink needs are loops all the same.
		for _, n := range h.nets {
			if n.sig.Kind.Comb() {
				l.ref(n, 0, n.sig.Type.Width)
			}
		}
		l.boxes(r)
		for i, v := range m.vars {
			if src := &m.sources[i]; !v.State {
				src.node = l.ref(src.net, 0, v.Type.Width)
			}
		}
		for i, c := range h.checks {
			m.sources[len(m.vars)+i].node = l.cond(c)
		}
		if len(l.loops) == 0 {
			m.low = l
			return r, nil
		}
		if err := l.resolveLoops(); err != nil {
			return nil, err
		}
	}
}

func (l *lowering) syncRead(r *roots, n *net, next int) {
	p := n.sig.Mem.Reads[slices.IndexFunc(n.sig.Mem.Reads, func(r *ir.SyncPort) bool { return r.Data == n.sig })]
	mem := n.scope.mems[n.sig.Mem]
	en, addr := l.all(n.scope, p.En), l.all(n.scope, p.Addr)
	if len(p.During) > 0 && !slices.ContainsFunc(p.During, func(d ir.ReadDuringWrite) bool { return d != ir.NewData }) {
		en = l.ticking(n.scope.clocks[n.sig.Domain], en)
		r.ports = append(r.ports, access{mem: mem, en: en, addr: addr, data: none, mask: none, slot: next})
		return
	}
	w := n.sig.Type.Width
	data := l.bypass(mem, p, addr, l.add(nRead, w, mem.index, addr))
	r.next = append(r.next, sink{l.next(n, l.mux(en, data, l.loc(w, n.slot))), next})
}

// bypass lowers what a read port takes of an element: its old contents, and over
// them what the write ports write whose new data it takes, in their order.
func (l *lowering) bypass(mem *memory, p *ir.SyncPort, addr, data id) id {
	if !slices.Contains(p.During, ir.NewData) {
		return data
	}
	for i, m := range mem.ports() {
		if p.During[i] != ir.NewData {
			continue
		}
		w := l.write(mem, m)
		hit := l.and(w.en, l.eq(w.addr, addr))
		if d := mem.mem.Depth; d < 1<<mem.mem.AddrWidth() {
			hit = l.and(hit, l.less(addr, l.small(l.width(addr), uint64(d)), false))
		}
		mixed := w.data
		if w.mask != none {
			mixed = l.blend(w.mask, w.data, data)
		}
		data = l.mux(hit, mixed, data)
	}
	return data
}

// blend takes the lanes of x for which the mask has a one, and else those of y.
func (l *lowering) blend(mask, x, y id) id {
	n := l.width(mask)
	lane := l.width(x) / n
	parts := make([]id, n)
	for i := range parts {
		parts[i] = l.mux(l.slice(mask, i, 1), l.slice(x, i*lane, lane), l.slice(y, i*lane, lane))
	}
	return l.cat(parts...)
}

// each calls f for every node that the roots hold.
func (r *roots) each(f func(x *id)) {
	for _, list := range [...][]sink{r.outputs, r.next, r.boxIns} {
		for i := range list {
			f(&list[i].node)
		}
	}
	for i := range r.calls {
		f(&r.calls[i])
	}
	if r.event != none {
		f(&r.event)
	}
	for i := range r.ports {
		f(&r.ports[i].en)
		for _, x := range r.ports[i].nodes() {
			f(x)
		}
	}
}

// place tells the plan where the roots are used, and counts the stores.
func (r *roots) place(p *plan, m *Model) map[regionID]int {
	extra := map[regionID]int{}
	for _, s := range slices.Concat(r.outputs, r.next) {
		p.use(s.node, 0)
		if when, ok := p.keeps(s.node, s.slot-m.regs); ok && s.slot >= m.nxt {
			extra[p.child(0, p.nodes[s.node].args[0], when)]++
		}
	}
	for _, s := range r.boxIns {
		p.use(s.node, 0)
	}
	for _, x := range r.calls {
		p.use(x, 0)
	}
	if r.event != none {
		p.use(r.event, 0)
	}
	for i := range r.ports {
		q := &r.ports[i]
		p.use(q.en, 0)
		for _, x := range q.nodes() {
			p.use(*x, p.child(0, q.en, true))
		}
	}
	return extra
}

// keeps reports whether a node is a multiplexer with the register at the slot as
// one leg, and the value of the condition that selects the other.
func (n *netlist) keeps(x id, slot int) (when, ok bool) {
	nd := &n.nodes[x]
	if nd.op != nMux {
		return false, false
	}
	for i, when := range [...]bool{true, false} {
		if hold := &n.nodes[nd.args[2-i]]; hold.op == nLoc && hold.imm == slot {
			return when, true
		}
	}
	return false, false
}

// reach marks everything that the sinks depend on.
func (n *netlist) reach(sinks []sink) []bool {
	m := make([]bool, len(n.nodes))
	for _, s := range sinks {
		m[s.node] = true
	}
	for x := len(m) - 1; x >= 0; x-- {
		if m[x] {
			for _, a := range n.nodes[x].args {
				m[a] = true
			}
		}
	}
	return m
}
