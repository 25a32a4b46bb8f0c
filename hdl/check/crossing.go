package check

import (
	"fmt"
	"strings"

	"github.com/millrace-hdl/millrace/hdl/diag"
	"github.com/millrace-hdl/millrace/hdl/ir"
)

// sampled says that a register takes bits of an input across clock domains.
type sampled struct {
	by   *ir.Signal // the register
	d    *ir.Domain // of the module with the input
	bits bitset
}

// crossing checks one module.
type crossing struct {
	*checker
	n      *netlist
	taints map[taintKey]*taint
}

type taintKey struct {
	d    *ir.Domain
	flat bool
}

// crossings reports what takes values of other clock domains.
func (c *checker) crossings(n *netlist) {
	n.sampled = map[int32][]sampled{}
	if n.m.Extern != nil || !mixed(n) {
		return
	}
	x := crossing{c, n, map[taintKey]*taint{}}
	for id, s := range n.m.Signals {
		x.signal(int32(id), s)
	}
	for _, m := range n.m.Mems {
		for _, r := range m.Reads {
			x.readPort(m, r)
		}
		for _, w := range n.writes[m] {
			x.writePort(m, w)
		}
	}
	for _, p := range n.m.Properties {
		t := x.taint(p.Domain, false)
		x.takes(t, taker{what: "property " + p.Name, clock: p.Domain, decl: p.Pos, at: p.Pos, fix: "state it of values of its own clock domain"},
			bit{t.root, n.signals[p.Cond], 0})
	}
}

// mixed reports whether the module knows more than one clock domain, or what
// belongs to none.
func mixed(n *netlist) bool {
	kinds := map[origin]bool{}
	for _, s := range n.m.Signals {
		switch s.Kind {
		case ir.Input, ir.Output, ir.Reg, ir.SyncRead:
			kinds[origin{s.Domain, s.Async}] = true
		case ir.InstIn, ir.InstOut:
			kinds[origin{s.Inst.Outer(s.Port.Domain), s.Port.Async}] = true
			for _, d := range s.Inst.Domains {
				kinds[origin{domain: d}] = true
			}
		}
	}
	for _, ports := range n.writes {
		for _, w := range ports {
			kinds[origin{domain: w.stmt.Domain}] = true
		}
	}
	for _, p := range n.m.Properties {
		kinds[origin{domain: p.Domain}] = true
	}
	return len(kinds) > 1
}

// taint is that of a domain, made when first used.
func (x *crossing) taint(d *ir.Domain, flat bool) *taint {
	k := taintKey{d, flat}
	if x.taints[k] == nil {
		x.taints[k] = newTaint(x.n, d, flat)
	}
	return x.taints[k]
}

const synchronise = "put a synchroniser between them, such as lib.Sync"

func (x *crossing) signal(id int32, s *ir.Signal) {
	by := taker{what: what(s), clock: s.Domain, decl: s.Pos, fix: synchronise}
	switch {
	case s.Kind == ir.Reg && s.Crossing != "":
		x.synchroniser(id, s)
	case s.Kind == ir.Reg:
		by.fix += ", or say with hdl.Crosses why the register may take it"
		t := x.taint(s.Domain, false)
		for i := range x.n.nodes[id].width {
			by.first = &bit{t.root, id, i}
			if x.takes(t, by, by.first.assignedEdges(nil)...) {
				return
			}
		}
	case s.Kind == ir.Output && !s.Async:
		by.fix += ", or say with hdl.On or hdl.Async what the output belongs to"
		t := x.taint(s.Domain, false)
		x.takes(t, by, bitsAt(t.root, id)...)
	case s.Kind == ir.InstIn:
		if by.clock = s.Inst.Outer(s.Port.Domain); !s.Port.Async {
			t := x.taint(by.clock, false)
			if x.takes(t, by, bitsAt(t.root, id)...) {
				return
			}
		}
		x.sampledBelow(id, s)
	}
}

// synchroniser checks a register that may cross: it takes foreign values as they are.
func (x *crossing) synchroniser(id int32, s *ir.Signal) {
	t := x.taint(s.Domain, true)
	by := taker{what: what(s), clock: s.Domain, decl: s.Pos}
	for i := range x.n.nodes[id].width {
		by.first = &bit{t.root, id, i}
		for _, e := range t.decides(*by.first, nil) {
			if t.foreign(e) {
				x.computes(t, by, t.path(e))
				return
			}
		}
		if way := t.computed(by.first.assignedEdges(nil), x.sampling(s, s.Domain)); way != nil {
			x.computes(t, by, way)
			return
		}
	}
}

// sampledBelow holds an input of an instance against the registers below that take
// it across clock domains.
func (x *crossing) sampledBelow(id int32, s *ir.Signal) {
	child := x.n.children[s.Inst]
	for _, e := range child.sampled[child.signals[s.Port]] {
		t := x.taint(s.Inst.Outer(e.d), true)
		var from []bit
		for i := range x.n.nodes[id].width {
			if e.bits.has(int(i)) {
				from = append(from, bit{t.root, id, i})
			}
		}
		if way := t.computed(from, x.sampling(e.by, t.d)); way != nil {
			x.computes(t, taker{what: fmt.Sprintf("%s of module %s", what(e.by), e.by.Module.Name), by: fmt.Sprintf(", by %s,", what(s)), clock: t.d, decl: e.by.Pos}, way)
			return
		}
	}
}

// sampling notes that the register takes bits of inputs.
func (x *crossing) sampling(by *ir.Signal, d *ir.Domain) func(bit) {
	return func(b bit) {
		list := x.n.sampled[b.node]
		for _, e := range list {
			if e.by == by && e.d == d {
				e.bits.set(int(b.index), 1)
				return
			}
		}
		e := sampled{by, d, newBits(int(b.vertex().width))}
		e.bits.set(int(b.index), 1)
		x.n.sampled[b.node] = append(list, e)
	}
}

func (x *crossing) readPort(m *ir.Mem, r *ir.SyncPort) {
	s := r.Data
	t := x.taint(s.Domain, false)
	by := taker{what: what(s), clock: s.Domain, decl: s.Pos, at: s.Pos, name: s.Name, fix: "read with an address and an enable of the port's own clock domain"}
	if x.takes(t, by, append(bitsAt(t.root, x.n.exprs[r.Addr]), bit{t.root, x.n.exprs[r.En], 0})...) || s.Crossing != "" {
		return
	}
	if o, ok := t.writerOf(t.root, m); ok {
		by.fix = "say with hdl.Crosses why the port never reads an element while it is written"
		x.reports(by, memSource(m, o), "without synchronisation", s.Name+" ← "+m.Name)
	}
}

func (x *crossing) writePort(m *ir.Mem, w writePort) {
	t := x.taint(w.stmt.Domain, false)
	var from []bit
	for _, e := range ir.Exprs(w.stmt) {
		from = append(from, bitsAt(t.root, x.n.exprs[e])...)
	}
	if w.ctl >= 0 {
		from = append(from, bit{t.root, w.ctl, 0})
	}
	x.takes(t, taker{what: "a write port of memory " + m.Name, clock: w.stmt.Domain, decl: w.stmt.Pos, at: w.stmt.Pos, name: m.Name, fix: synchronise}, from...)
}

// bitsAt is the bits of a node of the module.
func bitsAt(root *place, id int32) []bit {
	bs := make([]bit, root.net.nodes[id].width)
	for i := range bs {
		bs[i] = bit{root, id, int32(i)}
	}
	return bs
}

// taker is what has to depend on its own clock domain alone.
type taker struct {
	what  string // register r
	by    string // , by input d of instance u,
	clock *ir.Domain
	decl  ir.Pos
	at    ir.Pos // where it takes; unknown: where the first bit of the way is assigned
	first *bit   // its bit, if it is not the first one of the way
	name  string // its name, if it has no bit
	fix   string
}

// takes reports the first of the bits that is foreign.
func (x *crossing) takes(t *taint, by taker, from ...bit) bool {
	for _, b := range from {
		if t.foreign(b) {
			way := t.path(b)
			x.along(by, way, t.sourceOf(way[len(way)-1]), "without synchronisation")
			return true
		}
	}
	return false
}

// computes reports a foreign value that does not come as it is.
func (x *crossing) computes(t *taint, by taker, way []bit) {
	by.fix = "take it as it is, or put the result into a register of its clock domain first"
	x.along(by, way, t.sourceOf(way[len(way)-1]), "through logic, in which glitches arise")
}

// along reports what takes a source along a way.
func (x *crossing) along(by taker, way []bit, src giver, how string) {
	if by.first != nil {
		way = append([]bit{*by.first}, way...)
	}
	hs := hops(way)
	var names []string
	if by.name != "" {
		names = append(names, by.name)
	}
	for _, h := range hs {
		names = append(names, h.Signal)
	}
	if m := way[len(way)-1].vertex().mem; m != nil {
		names = append(names, m.Name)
	}
	if len(names) > 7 {
		names = append(append(names[:5:5], "…"), names[len(names)-1])
	}
	if !by.at.Known() && len(hs) > 0 {
		by.at = hs[0].Pos
	}
	x.reports(by, src, how, strings.Join(names, " ← "))
}

func (x *crossing) reports(by taker, src giver, how, way string) {
	x.report(diag.Crossing, by.at, fmt.Sprintf("%s%s of clock %s takes %s%s %s: %s", by.what, by.by, clockOf(by.clock), src.what, src.clause, how, way), by.fix,
		diag.Related{Pos: by.decl, Message: by.what + " is declared here"}, diag.Related{Pos: src.decl, Message: src.what + " is declared here"})
}

// clockOf is the name of a domain's clock.
func clockOf(d *ir.Domain) string {
	if d == nil {
		return "clk"
	}
	return d.Clock
}

// giver is where a foreign value comes from.
type giver struct {
	what   string // register q
	clause string // of clock io_clk
	decl   ir.Pos
}

func memSource(m *ir.Mem, o origin) giver {
	return giver{"memory " + m.Name, fmt.Sprintf(", which clock %s writes,", clockOf(o.domain)), m.Pos}
}

func (t *taint) sourceOf(b bit) giver {
	if o, ok := t.writer(b); ok {
		return memSource(b.vertex().mem, o)
	}
	s := b.vertex().signal
	g := giver{what(s), ", which is asynchronous,", s.Pos}
	if at := strings.TrimSuffix(b.place.path(), "."); at != "" {
		g.what += " in " + at
	}
	if s.Kind == ir.InstOut {
		g.decl = s.Inst.Pos
	}
	if o, _ := t.origin(b); !o.async {
		g.clause = " of clock " + clockOf(o.domain)
	}
	return g
}
