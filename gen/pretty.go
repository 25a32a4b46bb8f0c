package gen

import (
	"strings"

	"github.com/millrace-hdl/millrace/hdl/ir"
)

// prettify is the first layer.
func (u *unit) prettify() {
	f := newFolder(u.countUses())
	u.inlineTemps(f)
	u.mapExprs(f.expr)
	u.body = prune(u.body)
}

// countUses counts the users of every expression node.
func (u *unit) countUses() map[ir.Expr]int {
	uses := map[ir.Expr]int{}
	u.exprs(func(e ir.Expr) { countUses(e, uses) })
	return uses
}

func countUses(e ir.Expr, uses map[ir.Expr]int) {
	uses[e]++
	if uses[e] > 1 {
		return
	}
	for _, o := range ir.Operands(e) {
		countUses(o, uses)
	}
}

// inlineTemps replaces derived wires that have one plain assignment and at most
// one user, or a value that reads as well as the name.
func (u *unit) inlineTemps(f *folder) {
	assigns := map[*ir.Signal]int{}
	ir.WalkStmts(u.body, func(s ir.Stmt) bool {
		if a, ok := s.(*ir.Assign); ok {
			assigns[a.Target]++
		}
		return true
	})
	readers := map[*ir.Signal]int{}
	for e, n := range f.uses {
		if r, ok := e.(*ir.Ref); ok {
			readers[r.Signal] += n
		}
	}
	var keep []ir.Stmt
	for _, s := range u.body {
		a, ok := s.(*ir.Assign)
		if ok && a.Target.Temp && a.Target.Kind == ir.Wire && a.Whole() && assigns[a.Target] == 1 &&
			len(a.Target.Attrs) == 0 && (readers[a.Target] <= 1 || leaf(a.Value)) && !f.feeds(a.Value, a.Target) {
			f.subs[a.Target] = a.Value
			u.gone[a.Target] = true
			delete(u.defaults, a.Target)
			keep = dropNote(keep)
			continue
		}
		keep = append(keep, s)
	}
	u.body = keep
}

// feeds reports whether e reads s, directly or through what is inlined.
func (f *folder) feeds(e ir.Expr, s *ir.Signal) bool {
	seen, found := map[ir.Expr]bool{}, false
	var visit func(ir.Expr)
	visit = func(e ir.Expr) {
		ir.WalkExpr(e, func(e ir.Expr) bool {
			if seen[e] || found {
				return false
			}
			seen[e] = true
			if r, ok := e.(*ir.Ref); ok {
				found = found || r.Signal == s
				if v, ok := f.subs[r.Signal]; ok {
					visit(v)
				}
			}
			return true
		})
	}
	visit(e)
	return found
}

// dropNote removes the comment that belonged to a statement which is gone.
func dropNote(list []ir.Stmt) []ir.Stmt {
	for len(list) > 0 {
		if _, ok := list[len(list)-1].(*ir.Note); !ok {
			break
		}
		list = list[:len(list)-1]
	}
	return list
}

// prune removes what constant conditions rule out.
func prune(list []ir.Stmt) []ir.Stmt {
	var out []ir.Stmt
	for _, s := range list {
		left := []ir.Stmt{s}
		switch s := s.(type) {
		case *ir.If:
			left = pruneIf(s)
		case *ir.Switch:
			left = pruneSwitch(s)
		}
		if len(left) == 0 {
			out = dropNote(out)
		}
		out = append(out, left...)
	}
	return out
}

func pruneIf(s *ir.If) []ir.Stmt {
	r := &ir.If{Else: prune(s.Else), Pos: s.Pos}
	for _, a := range s.Arms {
		c, ok := a.Cond.(*ir.Const)
		if ok && c.IsZero() {
			continue
		}
		body := prune(a.Body)
		if ok {
			r.Else = body
			break
		}
		r.Arms = append(r.Arms, ir.Arm{Cond: a.Cond, Body: body, Pos: a.Pos})
	}
	if len(r.Arms) == 0 {
		return r.Else
	}
	return []ir.Stmt{r}
}

func pruneSwitch(s *ir.Switch) []ir.Stmt {
	r := *s
	r.Cases, r.Default = nil, prune(s.Default)
	c, isConst := s.Subject.(*ir.Const)
	for _, k := range s.Cases {
		body := prune(k.Body)
		if isConst {
			for _, v := range k.Values {
				if bits(v).Cmp(bits(c)) == 0 {
					return body
				}
			}
		}
		r.Cases = append(r.Cases, ir.Case{Values: k.Values, Body: body, Pos: k.Pos})
	}
	if isConst || len(r.Cases) == 0 {
		return r.Default
	}
	closeSwitch(&r)
	return []ir.Stmt{&r}
}

// closeSwitch makes the last case of a switch that lists every value its default,
// with the values in a comment: tools look for a default, not for completeness.
func closeSwitch(s *ir.Switch) {
	n := 0
	for _, k := range s.Cases {
		n += len(k.Values)
	}
	if w := s.Subject.Type().Width; w > 30 || n < 1<<w {
		return
	}
	last := s.Cases[len(s.Cases)-1]
	var labels []string
	for _, v := range last.Values {
		labels = append(labels, label(v))
	}
	s.Cases, s.HasDefault = s.Cases[:len(s.Cases)-1], true
	s.Default = append([]ir.Stmt{&ir.Note{Text: strings.Join(labels, ", "), Pos: last.Pos}}, last.Body...)
	if len(last.Body) == 0 {
		s.Default = nil
	}
}

// label is a value as a reader knows it.
func label(c *ir.Const) string {
	if v, ok := c.Uint64(); ok && c.Typ.Enum != nil {
		for _, n := range c.Typ.Enum.Values {
			if n.Value == v {
				return n.Name
			}
		}
	}
	return literal(c)
}
