package sim

import (
	"fmt"

	"github.com/millrace-hdl/millrace/hdl/sim/internal/wasm"
)

// compiler turns the roots of a design into a WebAssembly module over the slots
// of its model. Registers have one slot each: a register is written as soon as
// nothing reads its old value any more, and where something still does, that value
// is put aside. Memory ports leave what they need in slots of their own and do
// their work last.
type compiler struct {
	*scalars
	regs   int // distance from a register to where its old value is put aside
	cur    int // first register slot
	nxt    int // and the first beyond
	free   int // next unused slot
	ports  []edge
	module *wasm.Module
	wrote  int // slot that is set when memory is written
	work   int // instructions of a cycle, about
}

// edge is a memory port whose operands are in slots.
type edge struct {
	access
	en               id  // a word now
	addr, data, mask int // slots; data of a read is its register
}

// functionSize is about how many instructions a function has. Larger ones take
// longer to compile, smaller ones pass more values through memory.
const functionSize = 4000

// worthBranching is the cost from which a region pays for its branch in compiled
// code.
const worthBranching = 16

// compile emits the functions eval, which computes the outputs, and run, which
// does a number of cycles.
func (c *compiler) compile(r *roots, outputs []sink) error {
	var all []id
	r.each(func(x *id) { all = append(all, *x) })
	masks := make([]id, len(r.ports)) // bit by bit
	for i := range r.ports {
		masks[i] = none
		if q := &r.ports[i]; q.mask != none {
			width := q.mem.mem.Elem.Width
			if masks[i] = q.mask; c.from.width(q.mask) < width {
				masks[i] = c.from.spread(q.mask, width/c.from.width(q.mask))
				c.words = append(c.words, make([][]id, len(c.from.nodes)-len(c.words))...)
			}
			all = append(all, masks[i])
		}
	}
	if err := c.rewrite(all); err != nil {
		return err
	}
	c.module = &wasm.Module{}
	eval := c.program(c.sinks(outputs, 0), nil)
	next := append(c.sinks(r.outputs, 0), c.sinks(r.next, c.regs)...)
	c.ports = make([]edge, len(r.ports))
	for i := range r.ports {
		c.port(&c.ports[i], &r.ports[i], masks[i])
	}
	step := c.program(next, c.ports)
	c.export("eval", eval)
	c.exportRun(step)
	return nil
}

// sinks are those of words; back is how far in front of its slot each value goes.
func (c *compiler) sinks(list []sink, back int) []sink {
	var out []sink
	for _, s := range list {
		for i, x := range c.words[s.node] {
			out = append(out, sink{x, s.slot - back + i})
		}
	}
	return out
}

func (c *compiler) port(e *edge, a *access, mask id) {
	e.access, e.en = *a, c.words[a.en][0]
	n := a.mem.words()
	take := func(n int) int {
		c.free += n
		return c.free - n
	}
	e.addr = take(1)
	if a.data == none {
		e.data = a.slot - c.regs
		return
	}
	e.data = take(n)
	if mask != none {
		e.mask = take(n)
		e.access.mask = mask
	}
}

// program orders the code that computes sinks and ports, and emits its functions.
func (c *compiler) program(sinks []sink, ports []edge) []uint32 {
	p := newPlan(c.netlist)
	p.worth = worthBranching
	o := &opener{plan: p, counts: make([]int, len(c.nodes)), opened: make([]bool, len(c.nodes)), extra: map[regionID]int{}}
	for _, s := range sinks {
		o.count(s.node)
	}
	type operand struct {
		sink
		en id
	}
	var operands []operand
	for i := range ports {
		e := &ports[i]
		o.count(e.en)
		add := func(x id, slot int) {
			o.count(x)
			operands = append(operands, operand{sink{x, slot}, e.en})
		}
		add(c.words[e.access.addr][0], e.addr)
		if e.access.data == none {
			continue
		}
		for k, x := range c.words[e.access.data] {
			add(x, e.data+k)
		}
		if e.access.mask != none {
			for k, x := range c.words[e.access.mask] {
				add(x, e.mask+k)
			}
		}
	}
	var targets []action
	for _, s := range sinks {
		o.place(s.node, s.slot, 0)
		targets = append(targets, action{kind: actStore, value: s.node, slot: s.slot})
	}
	for i := range ports {
		p.use(ports[i].en, 0)
	}
	for _, s := range operands {
		if c.isConst(s.en) {
			p.use(s.node, 0)
			targets = append(targets, action{kind: actStore, value: s.node, slot: s.slot})
			continue
		}
		// A store under a condition, written as a multiplexer that holds.
		x := c.add(nMux, c.width(s.node), 0, s.en, s.node, c.loc(c.width(s.node), s.slot))
		o.grow()
		o.place(x, s.slot, 0)
		targets = append(targets, action{kind: actStore, value: x, slot: s.slot})
	}
	p.spread(o.extra)
	code := newOrderer(p, o.opened).order(0, targets)
	for i := range ports {
		code = append(code, action{kind: actPort, node: ports[i].en, slot: i})
	}
	return c.emit(p, o.opened, code)
}

// opener finds the stores that are conditional.
type opener struct {
	*plan
	counts []int // uses of each node
	opened []bool
	extra  map[regionID]int
}

// count counts a use of a node, and the first time those of what it reads.
func (o *opener) count(x id) {
	if o.counts[x]++; o.counts[x] == 1 {
		for _, a := range o.nodes[x].args {
			o.count(a)
		}
	}
}

// grow follows the netlist, to which a multiplexer has been added that is used once.
func (o *opener) grow() {
	for len(o.counts) < len(o.nodes) {
		o.counts, o.opened = append(o.counts, 1), append(o.opened, false)
		o.at, o.uses = append(o.at, nowhere), append(o.uses, 0)
	}
}

// place tells the plan that a slot gets a value. Multiplexers that nothing else
// uses lead to a store in each leg, and to none where the slot keeps its value.
func (o *opener) place(x id, slot int, r regionID) {
	nd := &o.nodes[x]
	if nd.op != nMux || o.counts[x] > 1 || o.regions[r].depth >= deepest {
		o.use(x, r)
		return
	}
	o.opened[x] = true
	c := nd.args[0]
	o.use(c, r)
	for i, when := range [...]bool{true, false} {
		leg, child := nd.args[1+i], o.child(r, c, when)
		if in := &o.nodes[leg]; in.op != nLoc || in.imm != slot {
			o.extra[child] += 2
			o.place(leg, slot, child)
		}
	}
}

// export adds a function that calls others.
func (c *compiler) export(name string, calls []uint32) {
	b := wasm.NewBody(1)
	for _, f := range calls {
		b.Get(0)
		b.Call(f)
	}
	c.module.Add(name, []wasm.Type{wasm.I32}, b)
}

// exportRun adds a function that calls others as often as its second parameter
// says, which is at least once.
func (c *compiler) exportRun(calls []uint32) {
	b := wasm.NewBody(2)
	b.Loop()
	for _, f := range calls {
		b.Get(0)
		b.Call(f)
	}
	b.Get(1)
	b.Const32(1)
	b.Op(wasm.I32Sub)
	b.Tee(1)
	b.BranchIf(0)
	b.Op(wasm.End)
	c.module.Add("run", []wasm.Type{wasm.I32, wasm.I32}, b)
}

// finish sizes the memory for a number of slots and returns the module.
func (c *compiler) finish(slots int) ([]byte, error) {
	const most = 1<<16 - 1
	pages := (slots*8 + wasm.PageSize - 1) / wasm.PageSize
	if pages > most {
		return nil, fmt.Errorf("the design needs %d bytes of state and intermediate values; compiled code reaches %d", slots*8, most*wasm.PageSize)
	}
	c.module.Pages = uint32(pages)
	return c.module.Bytes(), nil
}
