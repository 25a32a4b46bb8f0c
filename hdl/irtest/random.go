package irtest

import (
	"fmt"
	"math/rand/v2"

	"github.com/millrace-hdl/millrace/hdl/ir"
)

// Options bound what [Random] makes. Zero fields take the value in brackets.
type Options struct {
	MaxWidth   int  // widest signal, in bits [160]
	Signals    int  // most signals of each kind in a module [6]
	Levels     int  // levels of hierarchy below the top [2]; negative: none
	ExprDepth  int  // deepest nesting of a new expression [3]
	FalseLoops bool // have wires whose high bits depend on their low ones
	NoMems     bool
	NoEnums    bool
}

func (o Options) filled() Options {
	def := func(p *int, v int) {
		if *p == 0 {
			*p = v
		}
	}
	def(&o.MaxWidth, 160)
	def(&o.Signals, 6)
	def(&o.Levels, 2)
	def(&o.ExprDepth, 3)
	return o
}

// Random returns a design that is a function of the seed and the options. It
// passes all checks: every bit is driven on every path, nothing loops, no
// assignment is hidden, and what may be unread is marked so.
func Random(seed uint64, o Options) *ir.Design {
	g := &generator{r: rand.New(rand.NewPCG(seed, 0x6d696c6c)), o: o.filled(), d: &ir.Design{}}
	g.enum = &ir.Enum{Name: "color"}
	for i, n := range []string{"RED", "GREEN", "BLUE"} {
		g.enum.Values = append(g.enum.Values, ir.EnumValue{Name: n, Value: uint64(i)})
	}
	g.d.Top = g.module("top", g.o.Levels)
	return g.d
}

type generator struct {
	r    *rand.Rand
	o    Options
	d    *ir.Design
	enum *ir.Enum
}

// builder makes one module. Expressions use only signals that are ready: the
// state, the inputs, and what has been assigned before.
type builder struct {
	*generator
	m     *ir.Module
	ready []*ir.Signal
	pool  []ir.Expr    // made before, to be shared
	conds map[any]bool // expressions and signals that are conditions of an if
}

func (g *generator) module(name string, levels int) *ir.Module {
	b := &builder{generator: g, m: &ir.Module{Name: name, Doc: "Made at random."}, conds: map[any]bool{}}
	var children []*ir.Module
	if levels > 0 {
		for i := range 1 + g.r.IntN(2) {
			children = append(children, g.module(fmt.Sprintf("%s_c%d", name, i), levels-1))
		}
	}
	for i := range 1 + g.r.IntN(g.o.Signals) {
		b.ready = append(b.ready, b.signal(fmt.Sprintf("in%d", i), ir.Input))
	}
	var comb, regs []*ir.Signal
	for i := range 1 + g.r.IntN(g.o.Signals) {
		comb = append(comb, b.signal(fmt.Sprintf("out%d", i), ir.Output))
	}
	for i := range g.r.IntN(g.o.Signals + 1) {
		s := b.signal(fmt.Sprintf("r%d", i), ir.Reg)
		if g.r.IntN(3) > 0 {
			s.Init = b.literal(s.Type)
		}
		regs = append(regs, s)
	}
	b.ready = append(b.ready, regs...)
	for i := range g.r.IntN(g.o.Signals + 1) {
		comb = append(comb, b.signal(fmt.Sprintf("w%d", i), ir.Wire))
	}
	mems := b.memories()
	// Groups of combinational signals and instances, in an order in which each
	// depends on earlier ones only.
	g.r.Shuffle(len(comb), func(i, j int) { comb[i], comb[j] = comb[j], comb[i] })
	insts := g.r.IntN(2*len(children) + 1)
	for len(comb) > 0 || insts > 0 {
		if insts > 0 && g.r.IntN(2) == 0 || len(comb) == 0 {
			insts--
			b.instance(fmt.Sprintf("u%d", insts), children[g.r.IntN(len(children))])
			continue
		}
		n := min(len(comb), 1+g.r.IntN(3))
		b.group(comb[:n])
		comb = comb[n:]
	}
	if g.o.FalseLoops {
		b.ripple()
	}
	if len(regs) > 0 {
		b.m.Body = append(b.m.Body, b.assign(regs)...)
	}
	for _, x := range mems {
		b.write(x)
	}
	b.syncReads(mems)
	b.m.Body = append([]ir.Stmt{&ir.Note{Text: "The body of " + name + "."}}, b.m.Body...)
	g.d.Modules = append(g.d.Modules, b.m)
	return b.m
}

var widths = []int{1, 2, 3, 4, 7, 8, 9, 16, 31, 32, 33, 48, 63, 64, 65, 66, 96, 127, 128, 129, 191, 192, 193, 256, 257, 511, 512, 513, 600}

func (b *builder) width() int {
	switch b.r.IntN(4) {
	case 0:
		return 1
	case 1:
		return 1 + b.r.IntN(b.o.MaxWidth)
	}
	for {
		if w := widths[b.r.IntN(len(widths))]; w <= b.o.MaxWidth {
			return w
		}
	}
}

func (b *builder) signal(name string, k ir.Kind) *ir.Signal {
	s := &ir.Signal{Name: name, Kind: k, Type: ir.Type{Width: b.width(), Signed: b.r.IntN(3) == 0}, Module: b.m}
	if !b.o.NoEnums && b.r.IntN(8) == 0 {
		s.Type = ir.Type{Width: 2, Enum: b.enum}
	}
	s.Unused = k == ir.Input || k == ir.Wire || k == ir.Reg || k == ir.InstOut || k == ir.SyncRead
	b.m.Signals = append(b.m.Signals, s)
	return s
}

func (b *builder) memories() []*ir.Mem {
	if b.o.NoMems {
		return nil
	}
	var mems []*ir.Mem
	for i := range b.r.IntN(3) {
		x := &ir.Mem{
			Name: fmt.Sprintf("m%d", i), Depth: 1 + b.r.IntN(9), Module: b.m,
			Elem: ir.Type{Width: b.width(), Signed: b.r.IntN(4) == 0},
		}
		b.m.Mems = append(b.m.Mems, x)
		mems = append(mems, x)
		if b.r.IntN(2) == 0 { // asynchronous
			addr := b.expr(ir.Type{Width: x.AddrWidth()}, 1)
			b.pool = append(b.pool, &ir.MemRead{Mem: x, Addr: addr})
			continue
		}
		s := b.signal(fmt.Sprintf("q%d", i), ir.SyncRead)
		s.Type, s.Mem = x.Elem, x
		x.Reads = append(x.Reads, &ir.SyncPort{Data: s})
		b.ready = append(b.ready, s)
	}
	return mems
}

func (b *builder) syncReads(mems []*ir.Mem) {
	for _, x := range mems {
		for _, p := range x.Reads {
			p.Addr, p.En = b.expr(ir.Type{Width: x.AddrWidth()}, 1), b.flag()
			during := ir.ReadDuringWrite(b.r.IntN(3))
			for range x.Writes() {
				p.During = append(p.During, during)
			}
		}
	}
}

// write adds the write port of a memory, at any depth of conditions.
func (b *builder) write(x *ir.Mem) {
	port := func() ir.Stmt {
		w := &ir.MemWrite{Mem: x, Addr: b.expr(ir.Type{Width: x.AddrWidth()}, 1), Data: b.expr(x.Elem, 2)}
		if b.r.IntN(2) == 0 {
			var lanes []int
			for n := 1; n <= x.Elem.Width; n++ {
				if x.Elem.Width%n == 0 {
					lanes = append(lanes, n)
				}
			}
			w.Mask = b.expr(ir.Type{Width: lanes[b.r.IntN(len(lanes))]}, 1)
		}
		return w
	}
	switch b.r.IntN(4) {
	case 0:
		b.m.Body = append(b.m.Body, port())
	case 1:
		b.m.Body = append(b.m.Body, &ir.If{Arms: []ir.Arm{{Cond: b.flag(), Body: []ir.Stmt{port()}}}})
	case 2:
		b.m.Body = append(b.m.Body, &ir.If{
			Arms: []ir.Arm{{Cond: b.flag()}, {Cond: b.flag(), Body: []ir.Stmt{port()}}},
			Else: []ir.Stmt{&ir.If{Arms: []ir.Arm{{Cond: b.flag(), Body: []ir.Stmt{port()}}}}},
		})
	default:
		t := ir.Type{Width: 2}
		b.m.Body = append(b.m.Body, &ir.Switch{
			Subject:    b.expr(t, 1),
			Cases:      []ir.Case{{Values: []*ir.Const{ir.NewConst(t, 1), ir.NewConst(t, 2)}, Body: []ir.Stmt{port()}}},
			Default:    []ir.Stmt{port()},
			HasDefault: true,
		})
	}
}

func (b *builder) instance(name string, child *ir.Module) {
	i := &ir.Instance{Name: name, Of: child}
	b.m.Instances = append(b.m.Instances, i)
	var in, out []*ir.Signal
	for _, p := range child.Ports() {
		k := ir.InstOut
		if p.Kind == ir.Input {
			k = ir.InstIn
		}
		s := b.signal(name+"_"+p.Name, k)
		s.Type, s.Inst, s.Port = p.Type, i, p
		i.Conns = append(i.Conns, s)
		if k == ir.InstIn {
			in = append(in, s)
		} else {
			out = append(out, s)
		}
	}
	b.group(in)
	b.ready = append(b.ready, out...)
}

// group assigns combinational signals together; afterwards they are ready.
func (b *builder) group(list []*ir.Signal) {
	for _, s := range list {
		if b.r.IntN(4) == 0 {
			s.Default = b.expr(s.Type, 1)
		}
	}
	b.m.Body = append(b.m.Body, b.assign(list)...)
	b.ready = append(b.ready, list...)
}

// ripple adds a wire each of whose bits depends on the one below.
func (b *builder) ripple() {
	s := b.signal("ripple", ir.Wire)
	s.Type = ir.Type{Width: min(max(2, s.Type.Width), 70)} // it settles bit by bit
	below := &ir.Slice{X: &ir.Ref{Signal: s}, Width: s.Type.Width - 1}
	first := b.flag()
	var v ir.Expr
	switch b.r.IntN(3) {
	case 0: // a concatenation
		v = &ir.Binary{Op: ir.Xor, X: &ir.Cat{Parts: []ir.Expr{below, first}}, Y: b.expr(s.Type, 1)}
	case 1: // a sum, whose carries go upwards too
		v = &ir.Cat{Parts: []ir.Expr{&ir.Binary{Op: ir.Add, X: below, Y: b.expr(ir.Type{Width: s.Type.Width - 1}, 1)}, first}}
	default: // a shift
		v = &ir.Binary{Op: ir.Or, X: &ir.Binary{Op: ir.Shl, X: &ir.Ref{Signal: s}, Y: ir.NewConst(ir.Type{Width: 1}, 1)}, Y: b.expr(s.Type, 1)}
	}
	b.m.Body = append(b.m.Body, &ir.Assign{Target: s, Width: s.Type.Width, Value: v})
	b.ready = append(b.ready, s)
}
