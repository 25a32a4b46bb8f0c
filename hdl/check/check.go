// Package check finds what is wrong with a design as a whole. A design that
// passes has no undriven and no multiply driven bit, no latch, no hidden
// assignment, no combinational cycle, no value that crosses clock domains by
// mistake, nothing that is never read, and names that every tool accepts.
//
// The model: first [Valid] establishes that the data is well formed (types,
// ranges, owners, hierarchy), so that everything after it may rely on that. Then
// each module becomes a netlist whose nodes are signals, expression nodes and
// conditions of branches; an edge of a bit of one node to a bit of another is
// computed when asked for and never stored. Drivers are sets of bits per
// signal. Cycles are sought first between whole nodes, with one summary per
// child module, and only where that finds one, bit by bit down through the
// hierarchy: logic without cycles between words costs no work per bit, and
// cycles between words that are none between bits pass.
//
// Clock domains are checked module by module, in the terms of its own domains: what
// ports say of themselves is relied on inside, and held against what surrounds an
// instance. A register, the address and enable of a read port, a write port, a property, an output
// and an input of an instance depend on state and inputs of their own domain
// alone; the elements of a memory belong to the domains of its write ports. Inputs
// that are asynchronous belong to no domain, and outputs that are take anything; the latter
// are looked through, so that what reads one depends on what it is made of. A
// register with a reason to cross may take values of other domains, and a read port
// with one the elements of a memory that others write, but only without logic in
// between, which would let a glitch be sampled: each bit of the register is a copy of one foreign
// bit at a time, perhaps inverted, gated or chosen by values of the register's own domain. That holds through
// all levels: an instance's input that a register below samples so is not driven by
// logic either. Whether bits that cross together belong together (a Gray
// code, data held until they are acknowledged) is what the reason has to say. Resets are
// not looked at: that one is released in step with its clock is left to whoever drives it.
package check

import (
	"cmp"
	"slices"

	"github.com/millrace-hdl/millrace/hdl/diag"
	"github.com/millrace-hdl/millrace/hdl/ir"
)

// Design returns all mistakes of the design, module by module, children first.
// What follows from a mistake already reported is left out: while the design is
// not [Valid], only that and the names are reported.
func Design(d *ir.Design) diag.List {
	c := newChecker(d)
	c.valid()
	if len(c.list) > 0 {
		if d != nil && c.hierarchy {
			c.names()
		}
		return c.sorted()
	}
	c.names()
	nets := c.netlists()
	for _, n := range nets {
		c.m = n.m
		c.drivers(n)
		c.memories(n)
		c.ghosts(n)
		c.unused(n)
	}
	loops := c.loops(nets)
	for _, n := range nets {
		if !loops[n] {
			c.m = n.m
			c.crossings(n)
		}
	}
	return c.sorted()
}

// Valid returns how the design is malformed: missing or foreign nodes, operands
// of wrong type, ranges outside their operand, instances that do not fit their
// module. Consumers may assume that designs are valid.
func Valid(d *ir.Design) diag.List {
	c := newChecker(d)
	c.valid()
	return c.sorted()
}

// checker collects diagnostics.
type checker struct {
	d         *ir.Design
	list      diag.List
	m         *ir.Module     // module being checked
	order     map[string]int // place of a module name in the design
	types     map[*ir.Module]map[ir.Expr]exprType
	hierarchy bool              // the modules and their instances are well formed
	enums     map[*ir.Enum]bool // whose values have been compared
}

func newChecker(d *ir.Design) *checker {
	return &checker{d: d, order: map[string]int{}, types: map[*ir.Module]map[ir.Expr]exprType{}, enums: map[*ir.Enum]bool{}}
}

func (c *checker) report(code diag.Code, pos ir.Pos, message, fix string, related ...diag.Related) {
	d := diag.Diagnostic{Code: code, Pos: pos, Message: message, Fix: fix, Related: related}
	if c.m != nil {
		d.Module = c.m.Name
		if _, ok := c.order[c.m.Name]; !ok {
			c.order[c.m.Name] = len(c.order)
		}
		if !d.Pos.Known() {
			d.Pos = c.m.Pos
		}
	}
	c.list = append(c.list, d)
}

// sorted is the list in the order of the description: by module, and within a
// module by file and line.
func (c *checker) sorted() diag.List {
	if c.d != nil {
		for i, m := range c.d.Modules {
			if m != nil {
				c.order[m.Name] = i
			}
		}
	}
	at := func(d diag.Diagnostic) ir.Frame {
		if f := d.Pos.Frames(); len(f) > 0 {
			return f[0]
		}
		return ir.Frame{}
	}
	slices.SortStableFunc(c.list, func(a, b diag.Diagnostic) int {
		x, y := at(a), at(b)
		return cmp.Or(cmp.Compare(c.order[a.Module], c.order[b.Module]),
			cmp.Compare(x.File, y.File), cmp.Compare(x.Line, y.Line))
	})
	return c.list
}
