package gen

import "github.com/millrace-hdl/millrace/hdl/ir"

// realStmts is a list of statements without those that assign ghosts, the comments
// before them, and what holds no statement then.
func realStmts(list []ir.Stmt) []ir.Stmt {
	var out []ir.Stmt
	for _, s := range list {
		switch c := s.(type) {
		case *ir.Assign:
			if c.Target.Ghost {
				s = nil
			}
		case *ir.If:
			s = nil
			r := &ir.If{Else: realStmts(c.Else), Pos: c.Pos}
			for _, a := range c.Arms {
				r.Arms = append(r.Arms, ir.Arm{Cond: a.Cond, Body: realStmts(a.Body), Pos: a.Pos})
			}
			if holdsStmts(r) {
				s = r
			}
		case *ir.Switch:
			s = nil
			r := *c
			r.Cases, r.Default = nil, realStmts(c.Default)
			for _, k := range c.Cases {
				r.Cases = append(r.Cases, ir.Case{Values: k.Values, Body: realStmts(k.Body), Pos: k.Pos})
			}
			if holdsStmts(&r) {
				s = &r
			}
		}
		if s == nil {
			out = dropNote(out)
			continue
		}
		out = append(out, s)
	}
	return out
}

func holdsStmts(s ir.Stmt) bool {
	for _, b := range ir.Bodies(s) {
		if len(b) > 0 {
			return true
		}
	}
	return false
}
