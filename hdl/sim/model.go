package sim

import (
	"fmt"
	"slices"
	"unsafe"

	"github.com/millrace-hdl/millrace/hdl/ir"
)

// Options of a [Model].
type Options struct {
	// Seed chooses the start contents of registers without reset, of synchronous
	// read ports and of memories; 0 makes them all zero. Registers with a reset
	// value start with it.
	Seed uint64
}

// Model is a design as a program over one array of words: inputs, outputs,
// registers, their next values, memories, then constants and intermediate
// values. It is [Stateful].
type Model struct {
	layout *Layout
	opt    Options
	low    *lowering

	slots    []uint64
	settle   []instr // outputs from inputs and registers
	advance  []instr // next values and memory ports, after settle
	edge     []port
	cur, nxt int // first slot of the registers and of their next values
	regs     int // words of each
	resets   []placed
	consts   []placed
	temps    int // first slot of the intermediate values
	cycle    uint64

	vars    []Var
	sources []source // of each variable
	mems    []MemVar
	// memSlots is the slot of element 0 of each memory.
	memSlots []int
	watch    observer
}

// source is where a variable's value comes from.
type source struct {
	slot int // registers; -1 otherwise
	net  *net
	node id // others
}

var _ Stateful = (*Model)(nil)

// New prepares a design to run. It fails, with a list of diagnostics, if the
// combinational logic has a loop, and if the state does not fit into 4 GiB.
func New(d *ir.Design, o Options) (*Model, error) {
	h := flatten(d.Top)
	m := &Model{layout: NewLayout(d), opt: o}
	free, err := m.place(h)
	if err != nil {
		return nil, err
	}
	roots, err := m.lower(h)
	if err != nil {
		return nil, err
	}
	if err := m.assemble(roots, free); err != nil {
		return nil, err
	}
	m.start()
	return m, nil
}

const maxWords = 1 << 29 // instructions hold byte offsets of 32 bits

// place gives slots to ports, registers and memories and lists the variables.
func (m *Model) place(h *hierarchy) (free int, err error) {
	m.cur = m.layout.InWords + m.layout.OutWords
	for _, n := range h.nets {
		switch n.sig.Kind {
		case ir.Input:
			n.slot = m.layout.byName[n.sig.Name].Offset
		case ir.Reg, ir.SyncRead:
			n.slot = m.cur + m.regs
			m.regs += n.sig.Type.Words()
			if n.sig.Init != nil {
				m.resets = append(m.resets, placed{n.slot, n.sig.Init.Words})
			}
		}
	}
	m.nxt = m.cur + m.regs
	free = m.nxt + m.regs
	for _, mm := range h.mems {
		mm.slot = free
		if mm.mem.Depth > (maxWords-free)/mm.words() {
			return 0, fmt.Errorf("memory %s%s: %d elements of %d bits: the state of a design is limited to %d bytes",
				mm.scope.path, mm.mem.Name, mm.mem.Depth, mm.mem.Elem.Width, maxWords*8)
		}
		free += mm.mem.Depth * mm.words()
		m.mems = append(m.mems, MemVar{mm.scope.path + mm.mem.Name, mm.mem.Elem, mm.mem.Depth, mm.index})
		m.memSlots = append(m.memSlots, mm.slot)
	}
	m.list(h.top)
	return free, nil
}

// list adds the variables of a scope and those below it.
func (m *Model) list(s *scope) {
	for _, sig := range s.mod.mod.Signals {
		v := Var{Path: s.path + sig.Name, Type: sig.Type, Index: len(m.vars)}
		src := source{slot: -1, net: s.resolve(sig)}
		switch k := sig.Kind; {
		case k == ir.Reg || k == ir.SyncRead:
			v.State = true
			src.slot = src.net.slot
		case sig.Temp || k == ir.InstIn || k == ir.InstOut || s.parent == nil && k != ir.Wire:
			continue
		}
		m.vars = append(m.vars, v)
		m.sources = append(m.sources, src)
	}
	for _, i := range s.mod.mod.Instances {
		m.list(s.below[i])
	}
}

// roots are the sinks of the netlist.
type roots struct {
	mems    []*memory
	outputs []sink
	next    []sink
	writes  []write
	reads   []syncRead // of the data being written
}

type sink struct {
	node id
	slot int
}

type syncRead struct {
	mem      *memory
	en, addr id
	slot     int // of the next value
}

// lower turns the hierarchy into a netlist, splitting signals into bits where
// they would otherwise form a loop.
func (m *Model) lower(h *hierarchy) (*roots, error) {
	for {
		l := newLowering(h)
		r := &roots{mems: h.mems}
		for _, p := range m.layout.Outputs {
			i := slices.IndexFunc(h.top.mod.mod.Signals, func(s *ir.Signal) bool { return s.Name == p.Name })
			n := h.top.nets[h.top.mod.mod.Signals[i]]
			r.outputs = append(r.outputs, sink{l.driven(n, 0, p.Type.Width), m.layout.InWords + p.Offset})
		}
		for _, n := range h.nets {
			switch next := n.slot + m.regs; n.sig.Kind {
			case ir.Reg:
				r.next = append(r.next, sink{l.driven(n, 0, n.sig.Type.Width), next})
			case ir.SyncRead:
				l.syncRead(r, n, next)
			}
		}
		for _, mm := range h.mems {
			r.writes = append(r.writes, l.writes(mm)...)
		}
		// Loops that no sink needs are loops all the same.
		for _, n := range h.nets {
			if n.sig.Kind.Comb() {
				l.driven(n, 0, n.sig.Type.Width)
			}
		}
		for i, v := range m.vars {
			if src := &m.sources[i]; !v.State {
				src.node = l.ref(src.net, 0, v.Type.Width)
			}
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
	p := n.sig.Mem.Read
	mem := n.scope.mems[n.sig.Mem]
	en, addr := l.all(n.scope, p.En), l.all(n.scope, p.Addr)
	if p.During == ir.NewData {
		r.reads = append(r.reads, syncRead{mem, en, addr, next})
		return
	}
	w := n.sig.Type.Width
	r.next = append(r.next, sink{l.mux(en, l.add(nRead, w, mem.index, addr), l.loc(w, n.slot)), next})
}

// assemble emits the program and allocates the slots.
func (m *Model) assemble(r *roots, free int) error {
	var all []id
	for _, s := range slices.Concat(r.outputs, r.next) {
		all = append(all, s.node)
	}
	for _, w := range r.writes {
		all = append(all, w.en, w.addr, w.data)
		if w.mask != none {
			all = append(all, w.mask)
		}
	}
	for _, s := range r.reads {
		all = append(all, s.en, s.addr)
	}
	g, to := choose(m.low.netlist, all)
	p := newPlan(g)
	r.translate(to)
	extra := r.place(p, m)
	p.spread(extra)
	a := newAssembler(p, r.mems, free)
	m.temps = free
	early := p.reach(r.outputs)
	a.allow = func(x id) bool { return early[x] }
	for _, s := range r.outputs {
		a.want(s)
	}
	for _, s := range r.outputs {
		a.into(s.node, s.slot)
	}
	m.settle = ended(a.code)
	a.code = nil
	a.allow = func(id) bool { return true }
	a.cur, a.nxt = m.cur, m.nxt
	for _, s := range r.next {
		if a.slot[s.node] < 0 {
			a.want(s)
			a.register(s)
		}
	}
	ports := make([]*wanted, 0, len(r.writes)+len(r.reads))
	add := func(en id, nodes ...id) {
		w := &wanted{nodes: nodes}
		ports = append(ports, w)
		a.ports[en] = append(a.ports[en], w)
	}
	for _, w := range r.writes {
		if w.mask == none {
			add(w.en, w.addr, w.data)
		} else {
			add(w.en, w.addr, w.data, w.mask)
		}
	}
	for _, s := range r.reads {
		add(s.en, s.addr)
	}
	for _, s := range r.next {
		a.into(s.node, s.slot)
	}
	a.finish(ports, r)
	for _, w := range r.writes {
		q := port{
			write: true, en: a.value(w.en), addr: a.value(w.addr), data: a.value(w.data),
			base: w.mem.slot, depth: uint64(w.mem.mem.Depth), words: w.mem.words(),
		}
		if w.mask != none {
			q.mask, q.lanes = a.value(w.mask), a.width(w.mask)
			q.lane = w.mem.mem.Elem.Width / q.lanes
		}
		m.edge = append(m.edge, q)
	}
	for _, s := range r.reads {
		m.edge = append(m.edge, port{
			en: a.value(s.en), addr: a.value(s.addr), data: uint32(s.slot),
			base: s.mem.slot, depth: uint64(s.mem.mem.Depth), words: s.mem.words(),
		})
	}
	m.advance = ended(a.code)
	m.watch = observer{mems: r.mems, free: a.free}
	for i := range m.low.nodes {
		a.free += 2*words(m.low.nodes[i].width) + 1
	}
	if a.free > maxWords {
		return fmt.Errorf("the design needs %d bytes of state and intermediate values; the limit is %d", a.free*8, maxWords*8)
	}
	m.slots = make([]uint64, a.free+1) // shifts of several words look one word beyond
	m.consts = a.consts
	for _, c := range a.consts {
		copy(m.slots[c.slot:], c.value)
	}
	return nil
}

// want makes a node be computed where its sink needs it.
func (a *assembler) want(s sink) {
	op := a.nodes[s.node].op
	if _, ok := a.prefer[s.node]; !ok && op != nConst && op != nLoc {
		a.prefer[s.node] = s.slot
	}
}

// register lets a register that holds its value under a condition share the
// branch of others.
func (a *assembler) register(s sink) {
	nd := &a.nodes[s.node]
	if nd.op != nMux {
		return
	}
	for i, when := range [...]bool{true, false} {
		hold := &a.nodes[nd.args[2-i]]
		c, ok := a.byKey[regionKey{0, nd.args[0], when}]
		if hold.op == nLoc && a.holds(s.slot, hold.imm) && ok && !a.regions[c].gone {
			a.add(a.plan, s.node)
		}
	}
}

// finish emits what the ports that shared no branch need.
func (a *assembler) finish(ports []*wanted, r *roots) {
	en := make([]id, 0, len(ports))
	for _, w := range r.writes {
		en = append(en, w.en)
	}
	for _, s := range r.reads {
		en = append(en, s.en)
	}
	for i, w := range ports {
		if w.done {
			continue
		}
		w.done = true
		c, ok := a.byKey[regionKey{0, en[i], true}]
		if ok && !a.regions[c].gone {
			a.branch(0, en[i], nil, []*wanted{w}, -1)
		}
	}
}

// translate renames all nodes.
func (r *roots) translate(to func(id) id) {
	for _, list := range [...][]sink{r.outputs, r.next} {
		for i := range list {
			list[i].node = to(list[i].node)
		}
	}
	for i := range r.writes {
		w := &r.writes[i]
		w.en, w.addr, w.data = to(w.en), to(w.addr), to(w.data)
		if w.mask != none {
			w.mask = to(w.mask)
		}
	}
	for i := range r.reads {
		s := &r.reads[i]
		s.en, s.addr = to(s.en), to(s.addr)
	}
}

// place tells the plan where the roots are used, and counts the stores.
func (r *roots) place(p *plan, m *Model) map[regionID]int {
	extra := map[regionID]int{}
	for _, s := range slices.Concat(r.outputs, r.next) {
		p.use(s.node, 0)
		if nd := &p.nodes[s.node]; nd.op == nMux && s.slot >= m.nxt {
			for i, when := range [...]bool{true, false} {
				if hold := &p.nodes[nd.args[2-i]]; hold.op == nLoc && hold.imm+m.regs == s.slot {
					extra[p.child(0, nd.args[0], when)]++
				}
			}
		}
	}
	for _, w := range r.writes {
		p.use(w.en, 0)
		in := p.child(0, w.en, true)
		p.use(w.addr, in)
		p.use(w.data, in)
		if w.mask != none {
			p.use(w.mask, in)
		}
	}
	for _, s := range r.reads {
		p.use(s.en, 0)
		p.use(s.addr, p.child(0, s.en, true))
	}
	return extra
}

// reach marks everything below the sinks.
func (p *plan) reach(sinks []sink) []bool {
	m := make([]bool, len(p.nodes))
	for _, s := range sinks {
		m[s.node] = true
	}
	for x := len(m) - 1; x >= 0; x-- {
		if m[x] {
			for _, a := range p.nodes[x].args {
				m[a] = true
			}
		}
	}
	return m
}

func (m *Model) base() unsafe.Pointer { return unsafe.Pointer(&m.slots[0]) }

// Layout implements [Engine].
func (m *Model) Layout() *Layout { return m.layout }

// In implements [Engine].
func (m *Model) In() []uint64 { return m.slots[:m.layout.InWords:m.layout.InWords] }

// Out implements [Engine].
func (m *Model) Out() []uint64 {
	end := m.layout.InWords + m.layout.OutWords
	return m.slots[m.layout.InWords:end:end]
}

// Cycle implements [Engine].
func (m *Model) Cycle() uint64 { return m.cycle }

// Close implements [Engine]. It never fails.
func (m *Model) Close() error { return nil }

// Eval implements [Engine]. It never fails.
func (m *Model) Eval() error {
	run(m.base(), m.settle)
	return nil
}

// Step implements [Engine]. It never fails.
func (m *Model) Step() error {
	m.step()
	return nil
}

// Run implements [Engine]. It fails only if n is negative.
func (m *Model) Run(n int) error {
	if n < 0 {
		return fmt.Errorf("run %d cycles: the number must not be negative", n)
	}
	for range n {
		m.step()
	}
	return nil
}

// Reset implements [Engine]. Each cycle is a clock edge: registers without reset
// and memories go on as their inputs tell them.
func (m *Model) Reset(cycles int) error {
	if cycles < 1 {
		return fmt.Errorf("reset for %d cycles: at least 1 is needed", cycles)
	}
	for range cycles {
		m.step()
		m.initialise()
	}
	return nil
}

func (m *Model) step() {
	b := m.base()
	run(b, m.settle)
	run(b, m.advance)
	for i := range m.edge {
		m.edge[i].clock(m.slots)
	}
	copy(m.slots[m.cur:m.cur+m.regs], m.slots[m.nxt:m.nxt+m.regs])
	m.cycle++
	m.watch.stale = true
}

// initialise gives the registers with a reset value that value.
func (m *Model) initialise() {
	for _, r := range m.resets {
		copy(m.slots[r.slot:], r.value)
		copy(m.slots[r.slot+m.regs:], r.value)
	}
}
