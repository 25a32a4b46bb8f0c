package check

import (
	"fmt"

	"github.com/millrace-hdl/millrace/hdl/diag"
	"github.com/millrace-hdl/millrace/hdl/ir"
)

// below says what the value of a node is made of.
type below struct {
	ghost *ir.Signal // a ghost that it reads
	read  *ir.Mem    // a memory that it reads in the same cycle
}

func (b *below) add(o below) {
	if b.ghost == nil {
		b.ghost = o.ghost
	}
	if b.read == nil {
		b.read = o.read
	}
}

// ghosts keeps what exists only for properties apart from the rest: nothing else
// reads it, so that leaving it out changes nothing. In turn it reads signals only,
// as a module bound to this one can; the elements of a memory are none.
func (c *checker) ghosts(n *netlist) {
	if len(n.m.Properties) == 0 && !anyGhost(n.m) {
		return
	}
	made := make([]below, len(n.nodes))
	for id, v := range n.nodes { // operands before users
		if v.signal != nil && v.signal.Ghost {
			made[id].ghost = v.signal
		}
		made[id].read = v.mem
		for _, o := range v.ops {
			made[id].add(made[o])
		}
	}
	g := ghostCheck{c, n, made}
	for _, s := range n.m.Signals {
		if s.Default != nil {
			g.expr(s.Default, s.Ghost, !s.Ghost)
		}
	}
	for _, x := range n.m.Mems {
		for _, r := range x.Reads {
			g.expr(r.Addr, false, true)
			g.expr(r.En, false, true)
		}
	}
	g.stmts(n.m.Body)
}

func anyGhost(m *ir.Module) bool {
	for _, s := range m.Signals {
		if s.Ghost {
			return true
		}
	}
	return false
}

type ghostCheck struct {
	*checker
	n    *netlist
	made []below
}

// stmts checks a list and says whether it does something for ghosts, and whether
// for others.
func (g *ghostCheck) stmts(list []ir.Stmt) (ghosts, others bool) {
	for _, s := range list {
		gs, os := false, false
		switch s := s.(type) {
		case *ir.Assign:
			gs, os = s.Target.Ghost, !s.Target.Ghost
		case *ir.MemWrite:
			os = true
		}
		for _, b := range ir.Bodies(s) {
			x, y := g.stmts(b)
			gs, os = gs || x, os || y
		}
		for _, e := range ir.Exprs(s) {
			g.expr(e, gs, os)
		}
		ghosts, others = ghosts || gs, others || os
	}
	return ghosts, others
}

// expr checks a value that ghosts read, others, or both.
func (g *ghostCheck) expr(e ir.Expr, ghosts, others bool) {
	made := g.made[g.n.exprs[e]]
	if s := made.ghost; s != nil && others {
		g.report(diag.Misuse, e.Position(), fmt.Sprintf("%s exists only for properties and is read by what does not", what(s)), "read it in properties only, or make it a signal of the design",
			diag.Related{Pos: s.Pos, Message: "it is declared here"})
	}
	if x := made.read; x != nil && ghosts {
		g.report(diag.Misuse, e.Position(), fmt.Sprintf("a property depends on a read of memory %s, which is not visible where properties are checked", x.Name), "name what is read with Let, and use that",
			diag.Related{Pos: x.Pos, Message: "the memory is declared here"})
	}
}
