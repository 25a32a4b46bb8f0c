package gen

import "github.com/millrace-hdl/millrace/hdl/ir"

// findUnread lists the bits that are declared and never read. Tools warn about
// them unless one expression, whose name says so, reads them all.
func (u *unit) findUnread() {
	read := map[*ir.Signal][]bool{}
	mark := func(s *ir.Signal, lo, width int) {
		if read[s] == nil {
			read[s] = make([]bool, s.Type.Width)
		}
		for i := lo; i < lo+width; i++ {
			read[s][i] = true
		}
	}
	seen := map[ir.Expr]bool{}
	visit := func(e ir.Expr) {
		ir.WalkExpr(e, func(e ir.Expr) bool {
			if seen[e] {
				return false
			}
			seen[e] = true
			switch e := e.(type) {
			case *ir.Slice:
				if r, ok := e.X.(*ir.Ref); ok {
					mark(r.Signal, e.Lo, e.Width)
					return false
				}
			case *ir.Ref:
				mark(e.Signal, 0, e.Signal.Type.Width)
			}
			return true
		})
	}
	for _, e := range u.watched {
		visit(e)
	}
	declared := u.signals()
	for _, b := range u.blocks {
		u.blockExprs(b, func(e ir.Expr, _ string, _ bool) ir.Expr {
			visit(e)
			return e
		})
		if a, ok := b.(*assign); ok && a.declare {
			declared = append(declared, a.target)
		}
	}
	for _, in := range u.insts {
		for _, c := range in.conns {
			if c.port.Kind == ir.Input {
				visit(c.value)
			}
		}
	}
	u.sink = append(u.sink, u.unusedClocks()...)
	for _, s := range declared {
		if s.Kind == ir.Output || s.Kind == ir.InstIn && u.direct[s] != nil {
			continue
		}
		bits := read[s]
		if bits == nil {
			u.sink = append(u.sink, ref(s))
			continue
		}
		eachRun(bits, false, func(lo, width int) {
			u.sink = append(u.sink, slice(ref(s), lo, width, s.Pos))
		})
	}
}
