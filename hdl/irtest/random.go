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

	Domains    int  // most named clock domains of a module but for those its children need [0]
	Lanes      bool // select and assign by index
	Ports      bool // memories with any ports, contents and styles
	Properties bool // ghosts, and properties that hold
	Boxes      bool // black boxes, with model and source
}

// Full is the options with everything that the language has.
func (o Options) Full() Options {
	o.Domains, o.Lanes, o.Ports, o.Properties, o.Boxes = max(o.Domains, 2), true, true, true, true
	return o
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
// assignment is hidden, no value changes its clock domain but where that is
// allowed, and what may be unread is marked so. Its properties hold.
//
// What it computes is defined as long as the domain of the top module called
// [Alone] has no edge together with another one.
func Random(seed uint64, o Options) *ir.Design {
	g := &generator{r: rand.New(rand.NewPCG(seed, 0x6d696c6c)), o: o.filled(), d: &ir.Design{}, kinds: map[*ir.Domain]int{}, boxes: map[string]*ir.Module{}}
	g.menu()
	g.enum = &ir.Enum{Name: "color"}
	for i, n := range []string{"RED", "GREEN", "BLUE"} {
		g.enum.Values = append(g.enum.Values, ir.EnumValue{Name: n, Value: uint64(i)})
	}
	g.d.Top = g.module("top", g.o.Levels)
	return g.d
}

type generator struct {
	r     *rand.Rand
	o     Options
	d     *ir.Design
	enum  *ir.Enum
	menus []kind             // of clock domains; the first is that of implicit ones
	kinds map[*ir.Domain]int // of named domains, in menus
	boxes map[string]*ir.Module
}

// builder makes one module. Expressions use only signals that are ready: the
// state, the inputs, and what has been assigned before.
type builder struct {
	*generator
	m     *ir.Module
	at    side // of what is being made
	known map[side]*known
	sides map[*ir.Signal]side
	mems  []*memory
	conds map[any]bool // expressions and signals that are conditions of an if
	named bool         // read signals only, as properties do, and nothing shared
}

func (g *generator) module(name string, levels int) *ir.Module {
	b := &builder{
		generator: g, m: &ir.Module{Name: name, Doc: "Made at random."},
		known: map[side]*known{}, sides: map[*ir.Signal]side{}, conds: map[any]bool{},
	}
	var children []*ir.Module
	if levels > 0 {
		for i := range 1 + g.r.IntN(2) {
			children = append(children, g.module(fmt.Sprintf("%s_c%d", name, i), levels-1))
		}
	}
	b.domains(children)
	for i := range 1 + g.r.IntN(g.o.Signals) {
		b.publish(b.signal(fmt.Sprintf("in%d", i), ir.Input))
	}
	var comb, regs []*ir.Signal
	for i := range 1 + g.r.IntN(g.o.Signals) {
		comb = append(comb, b.signal(fmt.Sprintf("out%d", i), ir.Output))
	}
	for i := range g.r.IntN(g.o.Signals + 1) {
		s := b.signal(fmt.Sprintf("r%d", i), ir.Reg)
		if g.r.IntN(3) > 0 && b.resets(s.Domain) {
			s.Init = b.literal(s.Type)
		}
		regs = append(regs, s)
	}
	for _, s := range regs {
		b.publish(s)
	}
	for i := range g.r.IntN(g.o.Signals + 1) {
		comb = append(comb, b.signal(fmt.Sprintf("w%d", i), ir.Wire))
	}
	b.memories()
	b.combinational(comb, children)
	for _, at := range b.allSides() {
		var list []*ir.Signal
		for _, s := range regs {
			if b.sides[s] == at {
				list = append(list, s)
			}
		}
		if b.at = at; at.any {
			b.synchronisers(list)
		} else if len(list) > 0 {
			b.m.Body = append(b.m.Body, b.assign(list)...)
		}
	}
	b.writes()
	b.syncReads()
	b.properties()
	b.dropDomains()
	b.m.Body = append([]ir.Stmt{&ir.Note{Text: "The body of " + name + "."}}, b.m.Body...)
	g.d.Modules = append(g.d.Modules, b.m)
	return b.m
}

// combinational assigns signals in groups, and places instances, in an order in
// which each depends on earlier ones only.
func (b *builder) combinational(comb []*ir.Signal, children []*ir.Module) {
	b.r.Shuffle(len(comb), func(i, j int) { comb[i], comb[j] = comb[j], comb[i] })
	insts := b.r.IntN(2*len(children) + 1)
	for len(comb) > 0 || insts > 0 {
		if insts > 0 && b.r.IntN(2) == 0 || len(comb) == 0 {
			insts--
			b.instance(fmt.Sprintf("u%d", insts), children[b.r.IntN(len(children))])
			continue
		}
		n := 1
		for most := 1 + b.r.IntN(3); n < min(most, len(comb)) && b.sides[comb[n]] == b.sides[comb[0]]; n++ {
		}
		b.group(comb[:n])
		comb = comb[n:]
	}
	if b.o.Boxes && b.r.IntN(2) == 0 {
		b.box()
	}
	if b.o.FalseLoops {
		b.at = side{}
		b.ripple()
	}
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

// signal declares a signal in a domain at random.
func (b *builder) signal(name string, k ir.Kind) *ir.Signal {
	s := &ir.Signal{Name: name, Kind: k, Type: ir.Type{Width: b.width(), Signed: b.r.IntN(3) == 0}, Module: b.m}
	if !b.o.NoEnums && b.r.IntN(8) == 0 {
		s.Type = ir.Type{Width: 2, Enum: b.enum}
	}
	s.Unused = k == ir.Input || k == ir.Wire || k == ir.Reg || k == ir.InstOut || k == ir.SyncRead
	b.m.Signals = append(b.m.Signals, s)
	b.settle(s)
	return s
}

func (b *builder) instance(name string, child *ir.Module) {
	i := &ir.Instance{Name: name, Of: child}
	b.m.Instances = append(b.m.Instances, i)
	b.bind(i)
	ports := map[side][]*ir.Signal{}
	var out []*ir.Signal
	for _, p := range child.Ports() {
		k := ir.InstOut
		if p.Kind == ir.Input {
			k = ir.InstIn
		}
		s := b.signal(name+"_"+p.Name, k)
		s.Type, s.Inst, s.Port = p.Type, i, p
		at := side{any: p.Async}
		if !p.Async {
			at.dom = i.Outer(p.Domain)
		}
		b.sides[s] = at
		i.Conns = append(i.Conns, s)
		if k == ir.InstIn {
			ports[at] = append(ports[at], s)
		} else {
			out = append(out, s)
		}
	}
	for _, at := range b.allSides() {
		b.at = at
		b.group(ports[at])
	}
	for _, s := range out {
		b.publish(s)
	}
}

// group assigns combinational signals of one side together; afterwards they are
// ready.
func (b *builder) group(list []*ir.Signal) {
	if len(list) == 0 {
		return
	}
	b.at = b.sides[list[0]]
	for _, s := range list {
		if b.r.IntN(4) == 0 {
			s.Default = b.expr(s.Type, 1)
		}
	}
	b.m.Body = append(b.m.Body, b.assign(list)...)
	for _, s := range list {
		b.publish(s)
	}
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
	b.sides[s] = b.at
	b.publish(s)
}
