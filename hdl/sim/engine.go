// Package sim runs a design in process: it flattens the hierarchy, orders the
// combinational logic once, packs values of any width into 64-bit words, and
// steps the design cycle by cycle in two states. [Engine] is the interface that
// every engine offers, in this package and elsewhere; [Model] is the engine of
// this package; package wave shows what happens in any.
//
// A [Model] comes about in steps. Lowering turns statements into a netlist of
// vector operations, each once, following every signal from its last assignment
// back. A plan then finds what matters only under a condition. What follows is
// either of two kinds, over one array of words that holds ports, registers and
// memories:
//
//   - Compiled: the netlist is cut into words, ordered into actions with branches
//     where the plan has them, and written as WebAssembly, which becomes machine
//     code. Registers are written in place, as soon as nothing reads their old
//     values, and while nothing changes nothing is computed.
//   - Interpreted: the instructions that serve best are chosen, emitted with
//     conditional parts as branches, and put in an order in which equal ones follow
//     each other. It runs on every platform, calls black boxes, and computes the
//     wires that are looked at.
package sim

import (
	"fmt"

	"github.com/millrace-hdl/millrace/hdl/ir"
)

// Engine is a running design, whichever way it is computed. Benches see no other
// interface.
//
// One cycle is: write inputs into In, call Step, read Out. Step settles the
// combinational logic for the present inputs, publishes the outputs in Out, and
// then applies the rising clock edge. So Out holds, after Step, what a flip-flop
// clocked by the same edge would have sampled: the pre-edge values. This is the
// one sample point; inputs for the next cycle are driven after it.
//
// A design with several clock domains advances in instants: Tick gives each of the
// domains that it names one edge, all at the same time, and Step gives all one.
//
// An Engine is used from one goroutine.
type Engine interface {
	// Layout tells where each port lies in In and Out.
	Layout() *Layout
	// In is the live array of input words, to be written in place. Bits above a
	// port's width must be zero.
	In() []uint64
	// Out is the live array of output words, valid after Eval or Step.
	Out() []uint64
	// Reset holds the resets of all domains for the given number of cycles (at least
	// one) with the present inputs, then releases them. Each is an edge of all
	// domains: registers without reset and memories go on as their inputs tell them.
	Reset(cycles int) error
	// Eval settles the combinational logic and publishes Out, without an edge.
	Eval() error
	// Step is Eval followed by one edge of every domain.
	Step() error
	// Tick is Eval followed by one active edge of each domain whose bit is set, where
	// bit i is that of Layout().Domains[i]. The edges are simultaneous: all sample
	// what was before them. It fails if a bit is set that no domain has.
	Tick(domains uint64) error
	// Run is Step n times with constant inputs; Out is that of the last cycle.
	Run(n int) error
	// Cycle is the number of steps, ticks and cycles in reset since the start.
	Cycle() uint64
	// Vars lists what can be observed inside: named registers in all engines, and
	// named wires where the engine has them. The order is fixed.
	Vars() []Var
	// Read copies the present value of a variable of Vars into dst, which has at
	// least as many words as the variable.
	Read(v Var, dst []uint64)
	// Close frees what the engine holds.
	Close() error
}

// Var is an observable signal inside a design.
type Var struct {
	Path  string // instance names and signal name joined by dots, without the top's name
	Type  ir.Type
	State bool // a register, as opposed to a wire
	Ghost bool // it exists for properties only
	Index int  // position in Vars
}

// Port is a port of the top module and its place in the arrays of an [Engine].
type Port struct {
	Name   string
	Type   ir.Type
	Input  bool
	Offset int // first word in In, or in Out
}

// Words is the number of words of the port.
func (p Port) Words() int { return p.Type.Words() }

// Layout is the fixed arrangement of ports in the arrays, the same for every
// engine of one design: ports in declaration order, each starting at a word
// boundary, least significant word first. Clocks and resets are not among them.
type Layout struct {
	Inputs, Outputs   []Port
	InWords, OutWords int
	// Domains are the names of the clock domains: the implicit one, "", then those that
	// the top module declares.
	Domains []string
	// Clocks are the declarations of those domains: names of clock and reset, and which
	// edge and level are the active ones. That of the implicit one has clk and rst.
	Clocks []*ir.Domain
	byName map[string]Port
}

// AllDomains has the bit of every domain set.
func (l *Layout) AllDomains() uint64 { return 1<<len(l.Domains) - 1 }

// CheckDomains fails if a bit is set that is not that of a domain.
func (l *Layout) CheckDomains(domains uint64) error {
	if domains&^l.AllDomains() == 0 {
		return nil
	}
	return fmt.Errorf("tick %#b: the bits that name clock domains of this design are %#b", domains, l.AllDomains())
}

// NewLayout arranges the ports of the design's top module.
func NewLayout(d *ir.Design) *Layout {
	l := &Layout{Domains: []string{""}, Clocks: []*ir.Domain{{Clock: "clk", Reset: "rst"}}, byName: map[string]Port{}}
	for _, c := range d.Top.Domains {
		l.Domains, l.Clocks = append(l.Domains, c.Name), append(l.Clocks, c)
	}
	for _, s := range d.Top.Ports() {
		p := Port{Name: s.Name, Type: s.Type, Input: s.Kind == ir.Input}
		if p.Input {
			p.Offset = l.InWords
			l.InWords += p.Words()
			l.Inputs = append(l.Inputs, p)
		} else {
			p.Offset = l.OutWords
			l.OutWords += p.Words()
			l.Outputs = append(l.Outputs, p)
		}
		l.byName[s.Name] = p
	}
	return l
}

// Port finds a port by name.
func (l *Layout) Port(name string) (Port, error) {
	p, ok := l.byName[name]
	if !ok {
		return Port{}, fmt.Errorf("the design has no port %q", name)
	}
	return p, nil
}
