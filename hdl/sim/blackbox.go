package sim

import (
	"fmt"
	"strings"

	"github.com/millrace-hdl/millrace/hdl/ir"
)

// box is one black box of the hierarchy. Its model is called from the program,
// after what computes its inputs and before what depends on its outputs. Registered
// outputs have their values from the call after the last edge.
type box struct {
	scope             *scope
	index             int
	model             ir.ExternModel
	ins, outs         []boxPort
	inWords, outWords int
	slot              int // first word of the inputs; the outputs follow
	in, out           [][]uint64
	registered        bool // some output is
}

type boxPort struct {
	sig *ir.Signal
	at  int // first word among the inputs, or among the outputs
}

func newBox(s *scope, index int) *box {
	b := &box{scope: s, index: index}
	for _, p := range s.mod.mod.Ports() {
		if p.Kind == ir.Input {
			b.ins = append(b.ins, boxPort{p, b.inWords})
			b.inWords += p.Type.Words()
		} else {
			b.outs = append(b.outs, boxPort{p, b.outWords})
			b.outWords += p.Type.Words()
			b.registered = b.registered || p.Registered
		}
	}
	return b
}

// place gives the box the slots from free on, makes its model, and returns the
// next free slot.
func (b *box) place(free int) (int, error) {
	m := b.scope.mod.mod
	if m.Extern.Model != nil {
		b.model = m.Extern.Model()
	}
	if b.model == nil {
		where := "the top"
		if b.scope.path != "" {
			where = "instance " + strings.TrimSuffix(b.scope.path, ".")
		}
		return 0, fmt.Errorf("%s: black box %s has no model in Go; give it one, or simulate the emitted RTL together with the black box's own", where, m.Name)
	}
	b.slot = free
	for _, p := range b.outs {
		b.scope.nets[p.sig].slot = free + b.inWords + p.at
	}
	return free + b.inWords + b.outWords, nil
}

// attach gives the model its view of the slots.
func (b *box) attach(slots []uint64) {
	view := func(ports []boxPort, from int) (all [][]uint64) {
		for _, p := range ports {
			n := p.sig.Type.Words()
			all = append(all, slots[from+p.at:][:n:n])
		}
		return all
	}
	b.in, b.out = view(b.ins, b.slot), view(b.outs, b.slot+b.inWords)
}

func (b *box) eval() {
	b.model.Eval(b.in, b.out)
	for i, p := range b.outs {
		trim(b.out[i], p.sig.Type.Width)
	}
}

// edge is one edge of the domains that tick.
func (b *box) edge(ticks func(domain int) bool) {
	for _, d := range b.scope.mod.mod.Domains {
		if ticks(b.scope.clocks[d]) {
			b.model.Edge(d, b.in)
		}
	}
}

func (b *box) reset() {
	for _, d := range b.scope.mod.mod.Domains {
		if d.Reset != "" {
			b.model.Reset(d)
		}
	}
}

// call lowers the evaluation of a black box: all its outputs, each from a word on.
func (l *lowering) call(b *box) id {
	if x, ok := l.calls[b]; ok {
		return x
	}
	var args []id
	for _, p := range b.ins {
		args = append(args, l.ref(b.scope.resolve(p.sig), 0, p.sig.Type.Width))
	}
	x := l.add(nCall, b.outWords*64, b.index, args...)
	l.calls[b] = x
	return x
}

// boxes makes sinks of the inputs of all black boxes, and finds the calls.
func (l *lowering) boxes(r *roots) {
	for _, b := range l.h.boxes {
		for _, p := range b.ins {
			r.boxIns = append(r.boxIns, sink{l.ref(b.scope.resolve(p.sig), 0, p.sig.Type.Width), b.slot + p.at})
		}
		if x, ok := l.calls[b]; ok {
			r.calls = append(r.calls, x)
		}
	}
}

// computeCall emits the call of a black box.
func (a *assembler) computeCall(nd *node) int {
	b := a.h.boxes[nd.imm]
	for i, p := range b.ins {
		a.into(nd.args[i], b.slot+p.at)
	}
	out := b.slot + b.inWords
	a.emitRaw(instr{op: opCall, d: uint32(out), n: uint32(b.outWords), a: uint32(b.slot), b: uint32(b.index)}, uint32(b.inWords))
	return out
}

// output lowers bits of an output that depends on the inputs.
func (l *lowering) output(n *net, lo, w int) id {
	b := n.scope.box
	return l.slice(l.call(b), (n.slot-b.slot-b.inWords)*64+lo, w)
}
