package check

import (
	"fmt"
	"slices"
	"strings"

	"github.com/millrace-hdl/millrace/hdl/diag"
	"github.com/millrace-hdl/millrace/hdl/ir"
)

// reader says who reads a node: nobody, only assignments of one signal, or more.
type reader struct {
	only *ir.Signal
	more bool
}

func (r *reader) add(o reader) {
	switch {
	case o.more || r.only != nil && o.only != nil && r.only != o.only:
		*r = reader{more: true}
	case r.only == nil && !r.more:
		r.only = o.only
	}
}

// readers finds who reads each signal.
func (n *netlist) findReaders() {
	at := make([]reader, len(n.nodes))
	mark := func(e ir.Expr, r reader) {
		if e != nil {
			at[n.exprs[e]].add(r)
		}
	}
	for _, s := range n.m.Signals {
		mark(s.Default, reader{only: s})
	}
	for _, x := range n.m.Mems {
		for _, r := range x.Reads {
			mark(r.Addr, reader{more: true})
			mark(r.En, reader{more: true})
		}
	}
	ir.WalkStmts(n.m.Body, func(s ir.Stmt) bool {
		r := reader{more: true}
		if a, ok := s.(*ir.Assign); ok {
			r = reader{only: a.Target}
		}
		for _, e := range ir.Exprs(s) {
			mark(e, r)
		}
		return true
	})
	for _, p := range n.m.Properties {
		at[n.signals[p.Cond]].more = true
	}
	for id := len(n.nodes) - 1; id >= 0; id-- { // users before operands
		v := &n.nodes[id]
		if v.rule == byDriver {
			continue
		}
		for _, o := range v.ops {
			at[o].add(at[id])
		}
	}
	n.readers = at[:len(n.m.Signals)]
}

// unread reports whether nothing but the signal itself reads it.
func (n *netlist) unread(s *ir.Signal) bool {
	if s.Kind == ir.Output || s.Kind == ir.InstIn {
		return false
	}
	r := n.readers[n.signals[s]]
	return !r.more && (r.only == nil || r.only == s)
}

func (n *netlist) memRead(x *ir.Mem) bool {
	for _, r := range x.Reads {
		if !n.unread(r.Data) {
			return true
		}
	}
	return n.memReads[x] != nil
}

// exempt reports whether a signal may stay unread.
func exempt(s *ir.Signal) bool { return s.Unused || s.Temp || strings.HasPrefix(s.Name, "_") }

// unused reports what nothing reads. Outputs of an instance may stay open as
// long as one of them is read.
func (c *checker) unused(n *netlist) {
	if n.m.Extern != nil {
		return
	}
	for _, s := range n.m.Signals {
		if exempt(s) || !n.unread(s) {
			continue
		}
		fix := "remove it, or declare it with hdl.MayBeUnused()"
		switch s.Kind {
		case ir.Input:
			c.report(diag.Unused, s.Pos, what(s)+" is never read", fix)
		case ir.Wire, ir.Reg:
			verb := "is assigned and never read"
			if n.cover[s] == nil {
				verb = "is neither assigned nor read"
			} else if n.readers[n.signals[s]].only == s {
				verb = "is read only to compute its own next value"
			}
			c.report(diag.Unused, s.Pos, what(s)+" "+verb, fix)
		}
	}
	for _, x := range n.m.Mems {
		mayBe := func(r *ir.SyncPort) bool { return exempt(r.Data) }
		if !n.memRead(x) && !strings.HasPrefix(x.Name, "_") && !slices.ContainsFunc(x.Reads, mayBe) {
			c.report(diag.Unused, x.Pos, fmt.Sprintf("memory %s is never read", x.Name), "remove it")
		}
	}
	c.unusedDomains(n)
	for _, i := range n.m.Instances {
		if n.open(i) {
			c.report(diag.Unused, i.Pos, fmt.Sprintf("no output of instance %s is read", i.Name), "remove the instance, or declare an output with hdl.MayBeUnused()")
		}
	}
}

// open reports whether the instance has outputs and all of them stay unread.
func (n *netlist) open(i *ir.Instance) bool {
	outputs := 0
	for _, s := range i.Conns {
		if s.Kind != ir.InstOut {
			continue
		}
		if exempt(s) || !n.unread(s) {
			return false
		}
		outputs++
	}
	return outputs > 0
}

// unusedDomains reports clock domains that nothing belongs to.
func (c *checker) unusedDomains(n *netlist) {
	used := map[*ir.Domain]bool{}
	for _, s := range n.m.Signals {
		used[s.Domain] = true
	}
	for _, ports := range n.writes {
		for _, w := range ports {
			used[w.stmt.Domain] = true
		}
	}
	for _, p := range n.m.Properties {
		used[p.Domain] = true
	}
	for _, i := range n.m.Instances {
		used[i.Domain] = true
		for _, d := range i.Domains {
			used[d] = true
		}
	}
	for _, d := range n.m.Domains {
		if !used[d] {
			c.report(diag.Unused, d.Pos, fmt.Sprintf("nothing belongs to clock domain %s", d.Name), "put registers or ports into it, or remove it")
		}
	}
}
