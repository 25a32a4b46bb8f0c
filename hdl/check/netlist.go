package check

import "github.com/millrace-hdl/millrace/hdl/ir"

// netlist is the logic of one module as nodes. Signals come first, in their
// order; operands of an expression come before it.
type netlist struct {
	m        *ir.Module
	nodes    []vertex
	signals  map[*ir.Signal]int32
	exprs    map[ir.Expr]int32
	types    map[ir.Expr]exprType
	children map[*ir.Instance]*netlist
	cover    map[*ir.Signal]*cover   // what the body assigns
	memReads map[*ir.Mem]*ir.MemRead // the first
	writes   map[*ir.Mem][]writePort
	armOf    map[armKey]arm
	arms     arm      // how many there are
	readers  []reader // per signal

	ports  []int     // per signal node of a port: its place among the ports
	edges  [][]int32 // between whole nodes, through instances by the children's summaries
	reach  []bool    // per node: a bit of an input of the module may reach it
	inputs [][]int32 // per signal node of an output: the inputs that may reach it

	effort  int                 // how many edges between bits have been computed
	sampled map[int32][]sampled // per signal node of an input: who takes it across clock domains
}

// writePort is a write with the node of the conditions that lead to it, -1 outside
// branches.
type writePort struct {
	stmt *ir.MemWrite
	ctl  int32
}

// edgeRule says which bits of the operands a bit of a node depends on.
type edgeRule uint8

const (
	byDriver edgeRule = iota // signals: what drives the bit
	none                     // literals
	bitwise                  // the same bit of each operand, but those that a literal decides
	carry                    // the same and all lower bits
	all                      // every bit
	up                       // left shift by the second operand: the same and lower bits, all of the amount
	down                     // right shift: the same and higher bits, all of the amount
	move                     // bit+shift of the operand: slices, extensions, shifts by literals
	choose                   // mux
	pick                     // the same bit of every place that the second operand may choose, and all of that
	concat                   // the part that holds the bit
)

// vertex is a node of the netlist.
type vertex struct {
	rule   edgeRule
	fill   bool // move: bits beyond the operand repeat its highest
	width  int32
	shift  int32 // of move; the stride of pick
	ops    []int32
	mask   *ir.Const // bitwise: a bit of it equal to decide fixes the result; choose: a literal condition
	decide bool
	signal *ir.Signal
	mem    *ir.Mem // what the node reads
}

// netlists builds the netlists of all modules, children first.
func (c *checker) netlists() []*netlist {
	var nets []*netlist
	byModule := map[*ir.Module]*netlist{}
	for _, m := range c.d.Modules {
		c.m = m
		n := &netlist{m: m, signals: map[*ir.Signal]int32{}, exprs: map[ir.Expr]int32{}, types: c.types[m],
			children: map[*ir.Instance]*netlist{}, memReads: map[*ir.Mem]*ir.MemRead{}, writes: map[*ir.Mem][]writePort{}, armOf: map[armKey]arm{}}
		for _, i := range m.Instances {
			n.children[i] = byModule[i.Of]
		}
		for _, s := range m.Signals {
			n.signals[s] = n.add(vertex{rule: byDriver, width: int32(s.Type.Width), signal: s})
		}
		ir.RootExprs(m, func(e ir.Expr) { n.expr(e) })
		n.cover = c.walk(n, m.Body, branch{ctl: -1}).covers
		n.findReaders()
		n.summarise()
		byModule[m] = n
		nets = append(nets, n)
	}
	return nets
}

func (n *netlist) add(v vertex) int32 {
	n.nodes = append(n.nodes, v)
	return int32(len(n.nodes) - 1)
}

// expr returns the node of an expression. References are the node of their
// signal and casts that of their operand.
func (n *netlist) expr(e ir.Expr) int32 {
	if id, ok := n.exprs[e]; ok {
		return id
	}
	id := n.build(e)
	n.exprs[e] = id
	return id
}

func (n *netlist) build(e ir.Expr) int32 {
	v := vertex{width: int32(n.types[e].Width)}
	switch e := e.(type) {
	case *ir.Ref:
		return n.signals[e.Signal]
	case *ir.Cast:
		return n.expr(e.X)
	case *ir.MemRead:
		v.mem = e.Mem
		if n.memReads[e.Mem] == nil {
			n.memReads[e.Mem] = e
		}
	}
	for _, o := range ir.Operands(e) {
		v.ops = append(v.ops, n.expr(o))
	}
	switch e := e.(type) {
	case *ir.Const:
		v.rule = none
	case *ir.Unary:
		v.rule = [...]edgeRule{ir.Not: bitwise, ir.Neg: carry, ir.RedAnd: all, ir.RedOr: all, ir.RedXor: all}[e.Op]
	case *ir.Binary:
		n.binary(&v, e)
	case *ir.Mux:
		v.rule = choose
		v.mask, _ = e.Cond.(*ir.Const)
	case *ir.Cat:
		v.rule = concat
	case *ir.Slice:
		v.rule, v.shift = move, int32(e.Lo)
	case *ir.Extend:
		v.rule, v.fill = move, n.types[e.X].Signed
	case *ir.Select:
		n.selection(&v, e)
	case *ir.MemRead:
		v.rule = all
	}
	return n.add(v)
}

func (n *netlist) selection(v *vertex, e *ir.Select) {
	v.rule, v.shift = pick, int32(min(e.Stride, n.types[e.X].Width)) // farther is as good as beyond
	k, ok := e.Index.(*ir.Const)
	if !ok {
		return
	}
	wide := uint64(n.types[e.X].Width)
	at := wide // as good as any larger index
	if x, ok := k.Uint64(); ok && x < wide {
		at = min(x*uint64(e.Stride), wide)
	}
	v.rule, v.ops, v.shift = move, v.ops[:1], int32(at)
}

func (n *netlist) binary(v *vertex, e *ir.Binary) {
	switch e.Op {
	case ir.And, ir.Or, ir.Xor:
		v.rule, v.decide = bitwise, e.Op == ir.Or
		if e.Op == ir.Xor {
			return
		}
		if k, ok := e.X.(*ir.Const); ok {
			v.mask = k
		} else if k, ok := e.Y.(*ir.Const); ok {
			v.mask = k
		}
	case ir.Add, ir.Sub, ir.Mul:
		v.rule = carry
	case ir.Shl, ir.Shr:
		v.rule = up
		if e.Op == ir.Shr {
			v.rule = down
		}
		k, ok := e.Y.(*ir.Const)
		if !ok {
			return
		}
		by := int64(v.width) // as good as any larger amount
		if x, ok := k.Uint64(); ok && x < uint64(v.width) {
			by = int64(x)
		}
		v.rule, v.ops, v.shift = move, v.ops[:1], int32(by)
		if e.Op == ir.Shl {
			v.shift = -v.shift
		} else {
			v.fill = n.types[e.X].Signed
		}
	default:
		v.rule = all
	}
}

// wordEdges calls f for each node that the node may depend on, in this module
// alone; through instances it uses the summaries of the children.
func (n *netlist) wordEdges(id int32, f func(int32)) {
	v := &n.nodes[id]
	if v.rule != byDriver {
		for _, o := range v.ops {
			f(o)
		}
		return
	}
	s := v.signal
	if s.Kind == ir.InstOut {
		child := n.children[s.Inst]
		for _, in := range child.inputs[child.signals[s.Port]] {
			f(n.signals[s.Inst.Conns[child.ports[in]]])
		}
	}
	if n.through(s) {
		for in, p := range n.m.Signals {
			if p.Kind == ir.Input {
				f(int32(in))
			}
		}
		return
	}
	if !s.Kind.Comb() {
		return
	}
	if s.Default != nil {
		f(n.exprs[s.Default])
	}
	if cv := n.cover[s]; cv != nil {
		for _, d := range cv.drivers {
			if d.never() {
				continue
			}
			f(n.exprs[d.stmt.Value])
			if !d.all {
				f(n.exprs[d.stmt.Index])
			}
			if d.ctl >= 0 {
				f(d.ctl)
			}
		}
	}
}

// through reports whether the signal is an output of a black box that its inputs
// may reach: of all of them, nothing else is known.
func (n *netlist) through(s *ir.Signal) bool {
	return n.m.Extern != nil && s.Kind == ir.Output && !s.Registered
}

// summarise computes what the inputs of the module may reach.
func (n *netlist) summarise() {
	n.reach = make([]bool, len(n.nodes))
	n.inputs = make([][]int32, len(n.m.Signals))
	n.edges = make([][]int32, len(n.nodes))
	users := make([][]int32, len(n.nodes))
	for id := range n.nodes {
		n.wordEdges(int32(id), func(o int32) {
			n.edges[id] = append(n.edges[id], o)
			users[o] = append(users[o], int32(id))
		})
	}
	n.ports = make([]int, len(n.m.Signals))
	k := 0
	for id, s := range n.m.Signals {
		if s.Kind == ir.Input || s.Kind == ir.Output {
			n.ports[id] = k
			k++
		}
	}
	seen := make([]bool, len(n.nodes))
	for in, s := range n.m.Signals {
		if s.Kind != ir.Input {
			continue
		}
		clear(seen)
		for todo := []int32{int32(in)}; len(todo) > 0; {
			id := todo[len(todo)-1]
			todo = todo[:len(todo)-1]
			if seen[id] {
				continue
			}
			seen[id], n.reach[id] = true, true
			if o := n.nodes[id].signal; o != nil && o.Kind == ir.Output {
				n.inputs[id] = append(n.inputs[id], int32(in))
			}
			todo = append(todo, users[id]...)
		}
	}
}
