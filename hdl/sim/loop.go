package sim

import (
	"fmt"
	"strings"

	"github.com/millrace-hdl/millrace/hdl/diag"
	"github.com/millrace-hdl/millrace/hdl/ir"
)

// resolveLoops splits the signals on the loops found into bits. A loop of bits
// cannot be split further: it is the error.
func (l *lowering) resolveLoops() error {
	split := false
	for _, loop := range l.loops {
		for _, s := range loop {
			if !s.net.single {
				s.net.split()
				split = true
			}
		}
	}
	if split {
		return nil
	}
	loop := l.loops[0]
	for _, c := range l.loops {
		if len(c) < len(loop) {
			loop = c
		}
	}
	// The stack runs from a signal to what it depends on; tell it the other way
	// round, along the flow of values.
	var hops []string
	d := diag.Diagnostic{Code: diag.Loop, Module: loop[0].net.scope.mod.mod.Name}
	for i := len(loop) - 1; i >= 0; i-- {
		s := loop[i]
		name := s.net.path()
		if s.net.sig.Type.Width > 1 {
			name = fmt.Sprintf("%s[%d]", name, s.net.cuts[s.seg])
		}
		hops = append(hops, name)
		d.Related = append(d.Related, diag.Related{Pos: s.assigned(), Message: name + " is assigned here"})
	}
	hops = append(hops, hops[0])
	d.Pos = d.Related[0].Pos
	d.Message = "combinational loop: " + strings.Join(hops, " → ")
	d.Fix = "break it with a register"
	return diag.List{d}
}

// assigned is the position of the first assignment to the bits of a step.
func (s step) assigned() ir.Pos {
	lo, hi := s.net.cuts[s.seg], s.net.cuts[s.seg+1]
	pos, found := s.net.sig.Pos, false
	ir.WalkStmts(s.net.scope.mod.mod.Body, func(st ir.Stmt) bool {
		if a, ok := st.(*ir.Assign); ok && !found && a.Target == s.net.sig && assigned(a).lo < hi && lo < assigned(a).hi {
			pos, found = a.Pos, true
		}
		return !found
	})
	return pos
}
