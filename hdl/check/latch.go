package check

import (
	"fmt"

	"github.com/millrace-hdl/millrace/hdl/diag"
	"github.com/millrace-hdl/millrace/hdl/ir"
)

// path describes one path through the list that leaves the bit unassigned: for
// each branching that could assign it, the branch that does not.
func (c *checker) path(n *netlist, list []ir.Stmt, s *ir.Signal, bit int) []diag.Related {
	var out []diag.Related
	name := ranged(s.Name, bit, 1, s.Type.Width)
	miss := func(pos ir.Pos, format string, args ...any) {
		out = append(out, diag.Related{Pos: pos, Message: fmt.Sprintf(format, args...)})
	}
	// enter describes a branch that leaves the bit open.
	enter := func(pos ir.Pos, body []ir.Stmt, branch string) {
		miss(pos, "when %s, %s is not assigned", branch, name)
		if n.assigns(body, s, bit) != never {
			out = append(out, c.path(n, body, s, bit)...)
		}
	}
	for _, st := range list {
		if n.assigns([]ir.Stmt{st}, s, bit) == never {
			continue
		}
		switch st := st.(type) {
		case *ir.Assign:
			miss(st.Pos, "only one lane of %s is assigned here, by an index: that need not be the one of %s", s.Name, name)
		case *ir.If:
			if n.assigns(st.Else, s, bit) != always && st.Else == nil {
				miss(st.Pos, "when no condition of this if holds, %s is not assigned: there is no else", name)
				continue
			}
			if n.assigns(st.Else, s, bit) != always {
				enter(st.Pos, st.Else, "this if takes its else branch")
				continue
			}
			for _, a := range st.Arms {
				if n.assigns(a.Body, s, bit) != always {
					enter(a.Pos, a.Body, "this condition holds")
					break
				}
			}
		case *ir.Switch:
			c.pathSwitch(n, st, s, bit, miss, enter)
		}
	}
	return out
}

func (c *checker) pathSwitch(n *netlist, st *ir.Switch, s *ir.Signal, bit int,
	miss func(ir.Pos, string, ...any), enter func(ir.Pos, []ir.Stmt, string)) {
	for _, k := range st.Cases {
		if n.assigns(k.Body, s, bit) != always {
			enter(k.Pos, k.Body, "the switch takes case "+valueText(n.types[st.Subject].Type, k.Values[0]))
			return
		}
	}
	if st.HasDefault {
		enter(st.Pos, st.Default, "this switch takes its default")
		return
	}
	w := n.types[st.Subject].Width
	listed := map[uint64]bool{}
	for _, k := range st.Cases {
		for _, v := range k.Values {
			x, _ := v.Uint64()
			listed[x] = true
		}
	}
	lowest := uint64(0)
	for listed[lowest] {
		lowest++
	}
	missing := ir.NewConst(ir.Type{Width: w}, lowest)
	miss(st.Pos, "for value %s this switch has no case and no default, and %s is not assigned",
		valueText(n.types[st.Subject].Type, missing), ranged(s.Name, bit, 1, s.Type.Width))
}

// valueText is a value with its name if the type gives it one.
func valueText(t ir.Type, c *ir.Const) string {
	v, ok := c.Uint64()
	if !ok {
		return brief(c)
	}
	if t.Enum != nil {
		for _, e := range t.Enum.Values {
			if e.Value == v {
				return fmt.Sprintf("%s (%d)", e.Name, v)
			}
		}
	}
	return fmt.Sprint(v)
}

type coverage uint8

const (
	never coverage = iota
	sometimes
	always
)

// assigns says on which paths through the list the bit is assigned.
func (n *netlist) assigns(list []ir.Stmt, s *ir.Signal, bit int) coverage {
	best := never
	for _, st := range list {
		switch st := st.(type) {
		case *ir.Assign:
			if sp := spanOf(st); st.Target == s && bit >= sp.lo && bit < sp.end() {
				if sp.all {
					return always
				}
				best = sometimes
			}
		case *ir.If, *ir.Switch:
			least, most := always, never
			bodies := ir.Bodies(st)
			if sw, ok := st.(*ir.Switch); ok && !sw.HasDefault && n.complete(sw) {
				bodies = bodies[:len(bodies)-1]
			}
			for _, b := range bodies {
				a := n.assigns(b, s, bit)
				least, most = min(least, a), max(most, a)
			}
			if least == always {
				return always
			}
			if most != never {
				best = sometimes
			}
		}
	}
	return best
}
