package check

import (
	"fmt"

	"github.com/millrace-hdl/millrace/hdl/diag"
	"github.com/millrace-hdl/millrace/hdl/ir"
)

func (v *validator) stmts(list []ir.Stmt) {
	for _, s := range list {
		switch s := s.(type) {
		case *ir.Note:
		case *ir.Assign:
			v.assign(s)
		case *ir.MemWrite:
			v.write(s)
		case *ir.If:
			if len(s.Arms) == 0 {
				v.misuse(s.Pos, "an if has no condition")
			}
			for _, a := range s.Arms {
				v.condition(a.Cond, a.Pos, "the condition of an if")
				v.stmts(a.Body)
			}
			v.stmts(s.Else)
		case *ir.Switch:
			v.choice(s)
		case nil:
			v.misuse(v.m.Pos, "a statement is missing in module %s", v.m.Name)
		default:
			v.misuse(s.Position(), "statement of unknown kind %T", s)
		}
	}
}

func (v *validator) assign(s *ir.Assign) {
	t, ok := v.typeOf(s.Value)
	x := s.Target
	switch {
	case x == nil:
		v.misuse(s.Pos, "an assignment has no target")
		return
	case !v.owns[x]:
		v.report(diag.Owner, s.Pos, fmt.Sprintf("signal %s belongs to module %s and is assigned in module %s", x.Name, moduleName(x.Module), v.m.Name),
			"pass the value through a port", diag.Related{Pos: x.Pos, Message: "it is declared here"})
		return
	case !x.Kind.Driven():
		by := "outside the module"
		if x.Kind == ir.InstOut {
			by = "its instance"
		} else if x.Kind == ir.SyncRead {
			by = "its memory"
		}
		v.report(diag.Multiple, s.Pos, fmt.Sprintf("%s is driven from %s and assigned here", what(x), by), "assign a signal of your own",
			diag.Related{Pos: x.Pos, Message: "it is declared here"})
		return
	case x.Type.Width < 1:
		return
	case s.Width < 1 || s.Lo < 0 || s.Lo > x.Type.Width-s.Width:
		v.outside(s.Pos, x.Name, x.Type.Width, s.Lo, s.Width)
		return
	}
	if s.Index != nil {
		v.index(s.Index, s.Pos)
		if s.Lo != 0 || x.Type.Width%s.Width != 0 {
			v.report(diag.Range, s.Pos, fmt.Sprintf("lanes of %s of %s, which is %s", bitsWord(s.Width), x.Name, bitsWord(x.Type.Width)), "the width of a lane divides that of the target")
			return
		}
	}
	if ok {
		want := ir.Type{Width: s.Width, Signed: x.Type.Signed}
		if !s.Whole() {
			want.Signed = t.Signed // parts have no sign of their own
		}
		v.same(s.Pos, ranged(x.Name, s.Lo, s.Width, x.Type.Width), want, valueName(s.Value), t)
	}
}

// valueName is brief for what has a name, and "value" for the rest.
func valueName(e ir.Expr) string {
	if l := leaf(e); l != "(…)" {
		return l
	}
	return "value"
}

func (v *validator) write(s *ir.MemWrite) {
	m := s.Mem
	if m == nil || !v.mems[m] {
		v.foreignMem(m, s.Pos, "written")
		return
	}
	v.domain(s.Domain, s.Pos, "a write port of memory "+m.Name)
	v.address(m, s.Addr, s.Pos)
	if t, ok := v.typeOf(s.Data); ok {
		v.same(s.Pos, "memory "+m.Name, m.Elem, valueName(s.Data), t)
	}
	if s.Mask == nil {
		return
	}
	if t, ok := v.typeOf(s.Mask); ok && (t.Width > m.Elem.Width || m.Elem.Width%t.Width != 0) {
		v.report(diag.Width, s.Pos, fmt.Sprintf("the mask is %s, elements of memory %s are %s", bitsWord(t.Width), m.Name, bitsWord(m.Elem.Width)),
			"the mask has one bit for each of equal parts of the element")
	}
}

func (v *validator) choice(s *ir.Switch) {
	t, ok := v.typeOf(s.Subject)
	seen := map[string]ir.Pos{}
	for _, k := range s.Cases {
		if len(k.Values) == 0 {
			v.misuse(k.Pos, "a case has no value")
		}
		for _, x := range k.Values {
			if x == nil {
				v.misuse(k.Pos, "a value of a case is missing")
				continue
			}
			tx, good := v.typeOf(x)
			if !good || !ok || !v.same(k.Pos, "the subject of the switch", t, fmt.Sprintf("case %s", brief(x)), tx) {
				continue
			}
			key := fmt.Sprint(x.Words)
			if first, dup := seen[key]; dup {
				v.report(diag.Misuse, k.Pos, fmt.Sprintf("case %s is listed twice", brief(x)), "remove one of them", diag.Related{Pos: first, Message: "it is listed first here"})
				continue
			}
			seen[key] = k.Pos
		}
		v.stmts(k.Body)
	}
	if !s.HasDefault && len(s.Default) > 0 {
		v.misuse(s.Pos, "a switch has statements for a default that it does not have")
	}
	v.stmts(s.Default)
}
