package sim

import "github.com/millrace-hdl/millrace/hdl/sim/internal/wasm"

// emitter writes the functions of one program. Values that one action alone uses
// stay on the stack; others are in locals, and in slots if another function needs
// them.
type emitter struct {
	*compiler
	*plan
	opened []bool
	part   []int32 // the function that computes each node, -1 if none does by itself
	far    []int32 // slot of nodes that another function needs, -1 of others
	olds   map[int]*old
	time   int
	in     int32 // the function being written
	b      *wasm.Body
	local  map[id]uint32
}

// old is a register that is read, for its old value, after it is written.
type old struct {
	written, read int   // time of the first write and of the last read
	in, last      int32 // the functions of both
	width         int
	local         uint32
}

// emit writes code as functions and returns their indices.
func (c *compiler) emit(p *plan, opened []bool, code []action) []uint32 {
	e := &emitter{compiler: c, plan: p, opened: opened, part: make([]int32, len(p.nodes)), far: make([]int32, len(p.nodes)), olds: map[int]*old{}}
	for i := range e.part {
		e.part[i], e.far[i] = -1, -1
	}
	parts := e.divide(code)
	e.survey(parts)
	fs := make([]uint32, len(parts))
	c.work = 0
	for i, list := range parts {
		e.in, e.b, e.local = int32(i), wasm.NewBody(1), map[id]uint32{}
		e.b.Get(0) // the highest address first: no check is needed for the others
		e.b.Load(wasm.I32, uint32(c.free)*8)
		e.b.Op(wasm.Drop)
		for j := range list {
			e.save(&list[j])
			e.action(&list[j])
		}
		c.work += e.b.Count()
		fs[i] = c.module.Add("", []wasm.Type{wasm.I32}, e.b)
	}
	return fs
}

// divide cuts the code into functions.
func (e *emitter) divide(code []action) [][]action {
	var parts [][]action
	start, size := 0, 0
	for i := range code {
		n := e.size(&code[i])
		if size > 0 && size+n > functionSize {
			parts = append(parts, code[start:i])
			start, size = i, 0
		}
		size += n
	}
	return append(parts, code[start:])
}

// size is about how many instructions an action is.
func (e *emitter) size(a *action) int {
	n := 2
	e.roots(a, func(x id) { n += e.weight(x) })
	for _, list := range [...][]action{a.then, a.other} {
		for i := range list {
			n += e.size(&list[i])
		}
	}
	switch a.kind {
	case actLet:
		e.part[a.node] = 0
	case actSet:
		e.part[a.node] = 0
	case actPort:
		n += 8 * e.ports[a.slot].mem.words()
	}
	return n
}

func (e *emitter) weight(x id) int {
	nd := &e.plan.nodes[x]
	if nd.op == nConst || nd.op == nLoc || e.part[x] >= 0 {
		return 1
	}
	n := 2
	for _, a := range e.reads(x) {
		n += e.weight(a)
	}
	return n
}

// roots calls f for the values that an action itself takes.
func (e *emitter) roots(a *action, f func(id)) {
	switch a.kind {
	case actLet:
		for _, x := range e.reads(a.node) {
			f(x)
		}
	case actBranch, actPort:
		f(a.node)
	default:
		f(a.value)
	}
}

// survey finds which values cross from one function to another, and which
// registers are read after they are written.
func (e *emitter) survey(parts [][]action) {
	for i := range e.part {
		e.part[i] = -1
	}
	time := 0
	first, last := map[int]*old{}, map[int]*old{} // writes and reads of registers
	var slots []int
	for i, list := range parts {
		e.in = int32(i)
		e.each(list, func(a *action) {
			time++
			a.time = time
			held := -1
			if a.kind == actStore {
				held = a.slot
			}
			e.roots(a, func(x id) {
				e.leaves(x, held, func(x id) {
					if nd := &e.plan.nodes[x]; nd.op == nLoc && nd.imm >= e.cur && nd.imm < e.nxt {
						last[nd.imm] = &old{read: time, last: e.in, width: nd.width}
					} else if e.part[x] >= 0 && e.part[x] != e.in && e.far[x] < 0 {
						e.far[x] = int32(e.free)
						e.free++
					}
				})
			})
			switch {
			case a.kind == actLet || a.kind == actSet:
				e.part[a.node] = e.in
			case a.kind == actStore && a.slot >= e.cur && a.slot < e.nxt && first[a.slot] == nil:
				first[a.slot] = &old{written: time, in: e.in}
				slots = append(slots, a.slot)
			}
		})
	}
	for _, s := range slots {
		if w, r := first[s], last[s]; r != nil && r.read > w.written {
			r.written, r.in = w.written, w.in
			e.olds[s] = r
		}
	}
}

// each calls f for all actions of a list and within them, in the order of time.
func (e *emitter) each(list []action, f func(a *action)) {
	for i := range list {
		f(&list[i])
		e.each(list[i].then, f)
		e.each(list[i].other, f)
	}
}

// leaves calls f for the registers and computed nodes that a value is made from.
func (e *emitter) leaves(x id, held int, f func(id)) {
	nd := &e.plan.nodes[x]
	switch {
	case nd.op == nConst:
	case nd.op == nLoc || e.part[x] >= 0:
		f(x)
	default:
		for _, a := range e.reads(x) {
			e.leaves(a, held, f)
		}
	}
}

// save puts aside the old values of registers that an outermost action writes.
func (e *emitter) save(a *action) {
	e.each([]action{*a}, func(a *action) {
		o := e.olds[a.slot]
		if a.kind != actStore || o == nil || o.written != a.time {
			return
		}
		t := typeOf(o.width)
		o.local = e.b.Local(t)
		e.b.Get(0)
		e.b.Load(t, uint32(a.slot)*8)
		e.b.Set(o.local)
		if o.last != e.in {
			e.b.Get(0)
			e.b.Get(o.local)
			e.b.Store(t, uint32(a.slot+e.regs)*8)
		}
	})
}

func (e *emitter) action(a *action) {
	e.time = a.time
	switch a.kind {
	case actLet:
		e.compute(a.node)
		e.keep(a.node)
	case actSet:
		e.push(a.value)
		e.keep(a.node)
	case actStore:
		e.b.Get(0)
		e.push(a.value)
		e.b.Store(typeOf(e.plan.nodes[a.value].width), uint32(a.slot)*8)
	case actPort:
		e.clock(a)
	case actBranch:
		list, other := a.then, a.other
		if len(list) == 0 && len(other) == 0 {
			return
		}
		e.condition(a.node, len(list) == 0)
		if len(list) == 0 {
			list, other = other, nil
		}
		e.b.If(wasm.Void)
		for i := range list {
			e.action(&list[i])
		}
		if len(other) > 0 {
			e.b.Op(wasm.Else)
			for i := range other {
				e.action(&other[i])
			}
		}
		e.b.Op(wasm.End)
	}
}

// keep pops the value of a node into its local, and into its slot if it has one.
func (e *emitter) keep(x id) {
	t := typeOf(e.plan.nodes[x].width)
	l, ok := e.local[x]
	if !ok {
		l = e.b.Local(t)
		e.local[x] = l
	}
	e.b.Set(l)
	if s := e.far[x]; s >= 0 {
		e.b.Get(0)
		e.b.Get(l)
		e.b.Store(t, uint32(s)*8)
	}
}

// typeOf is how values of a width, at most 64, are held.
func typeOf(width int) wasm.Type {
	if width == 1 {
		return wasm.I32
	}
	return wasm.I64
}

// push pushes the value of a node.
func (e *emitter) push(x id) {
	nd := &e.plan.nodes[x]
	switch t := typeOf(nd.width); {
	case nd.op == nConst && t == wasm.I32:
		e.b.Const32(uint32(nd.value[0]))
	case nd.op == nConst:
		e.b.Const64(nd.value[0])
	case nd.op == nLoc:
		e.load(t, nd.imm)
	case e.part[x] == e.in:
		e.b.Get(e.local[x])
	case e.part[x] >= 0:
		e.b.Get(0)
		e.b.Load(t, uint32(e.far[x])*8)
	default:
		e.compute(x)
	}
}

func (e *emitter) load(t wasm.Type, slot int) {
	if o := e.olds[slot]; o != nil && e.time > o.written {
		if o.in == e.in {
			e.b.Get(o.local)
			return
		}
		slot += e.regs
	}
	e.b.Get(0)
	e.b.Load(t, uint32(slot)*8)
}
