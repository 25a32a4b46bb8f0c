package gen

import (
	"fmt"
	"strings"

	"github.com/millrace-hdl/millrace/hdl/ir"
)

// block prints one item of the module's body.
func (p *printer) block(b block) {
	switch b := b.(type) {
	case *assign:
		p.assign(b)
	case *comb:
		// What reads nothing would wait for ever.
		if p.u.o.PlainAlways && readsAny(b.body) {
			p.line("always @* begin", b.pos)
		} else {
			p.line("always_comb begin", b.pos)
		}
		p.indent++
		p.stmts(b.body, "=")
		p.indent--
		p.line("end", ir.Pos{})
	case *seq:
		p.seq(b)
	}
}

// readsAny reports whether statements read a signal or a memory.
func readsAny(list []ir.Stmt) bool {
	seen := map[ir.Expr]bool{}
	found := false
	ir.WalkStmts(list, func(s ir.Stmt) bool {
		for _, e := range ir.Exprs(s) {
			ir.WalkExpr(e, func(e ir.Expr) bool {
				switch e.(type) {
				case *ir.Ref, *ir.MemRead:
					found = true
				}
				fresh := !found && !seen[e]
				seen[e] = true
				return fresh
			})
		}
		return !found
	})
	return found
}

func (p *printer) assign(b *assign) {
	for _, n := range b.notes {
		p.comment(n)
	}
	head := "assign " + b.target.Name + " = "
	if b.declare {
		head = "wire " + vector(b.target.Type) + b.target.Name + " = "
	}
	p.line(head+p.expr(b.value, len(head))+";", b.pos)
}

func (p *printer) seq(b *seq) {
	r, reset := p.u.o.styleOf(b.domain), p.u.o.ResetPort(b.domain)
	edge, test := "negedge "+reset, "!"+reset
	if r.High() {
		edge, test = "posedge "+reset, reset
	}
	head := "always_ff @("
	if b.shared {
		head = "always @("
	}
	if falling(b.domain) {
		head += "negedge " + clockName(b.domain)
	} else {
		head += "posedge " + clockName(b.domain)
	}
	if !b.reset {
		p.line(head+") begin", b.pos)
		p.indent++
		p.stmts(b.body, "<=")
		p.indent--
		p.line("end", ir.Pos{})
		return
	}
	if r.Async() {
		head += " or " + edge
	}
	p.line(head+") begin", b.pos)
	p.indent++
	p.line("if ("+test+") begin", ir.Pos{})
	p.indent++
	for _, s := range b.regs {
		p.line(s.Name+" <= "+p.expr(s.Init, 0)+";", s.Pos)
	}
	p.indent--
	if only, ok := soleIf(b.body); ok {
		p.arms(only, "end else if (", "<=")
	} else if len(b.body) > 0 {
		p.line("end else begin", ir.Pos{})
		p.indent++
		p.stmts(b.body, "<=")
		p.indent--
	}
	p.line("end", ir.Pos{})
	p.indent--
	p.line("end", ir.Pos{})
}

// stmts prints statements; op is the assignment operator.
func (p *printer) stmts(list []ir.Stmt, op string) {
	for _, s := range list {
		switch s := s.(type) {
		case *ir.Note:
			p.comment(s.Text)
		case *ir.Assign:
			head := s.Target.Name + p.place(s) + " " + op + " "
			p.line(head+p.expr(s.Value, len(head))+";", s.Pos)
		case *ir.MemWrite:
			p.memWrite(s)
		case *ir.If:
			p.ifStmt(s, op)
		case *ir.Switch:
			p.caseStmt(s, op)
		}
	}
}

// bitRange is the selection of width bits from lo of a vector of total bits, or
// nothing where that is all of it.
func bitRange(lo, width, total int) string {
	switch {
	case width == total:
		return ""
	case width == 1:
		return fmt.Sprintf("[%d]", lo)
	}
	return fmt.Sprintf("[%d:%d]", lo+width-1, lo)
}

// place is the selection of what a statement assigns.
func (p *printer) place(s *ir.Assign) string {
	if s.Index != nil {
		return p.lane(s.Index, s.Width, s.Width)
	}
	return bitRange(s.Lo, s.Width, s.Target.Type.Width)
}

// lane is the selection of width bits from stride times the index. The index is a
// plain operand, so that nothing computes it in another width; the product has 32
// bits.
func (p *printer) lane(index ir.Expr, stride, width int) string {
	at := p.operand(index)
	if index.Type().Signed {
		at = p.address(index)
	}
	if stride > 1 {
		at += fmt.Sprintf("*%d", stride)
	}
	if stride == 1 && width == 1 {
		return "[" + at + "]"
	}
	return fmt.Sprintf("[%s +: %d]", at, width)
}

// address is an index in brackets: never below zero, also where the cast of a signed
// value was dropped as that of a whole value.
func (p *printer) address(e ir.Expr) string {
	if e.Type().Signed {
		return "$unsigned(" + p.text(e).s + ")"
	}
	return p.text(e).s
}

func (p *printer) memWrite(w *ir.MemWrite) {
	at := w.Mem.Name + "[" + p.address(w.Addr) + "]"
	if w.Mask == nil {
		head := at + " <= "
		p.line(head+p.expr(w.Data, len(head))+";", w.Pos)
		return
	}
	lanes := w.Mask.Type().Width
	width := w.Mem.Elem.Width / lanes
	for i := range lanes {
		p.line("if ("+p.expr(slice(w.Mask, i, 1, w.Pos), 0)+") begin", w.Pos)
		p.indent++
		data := slice(w.Data, i*width, width, w.Pos)
		if lanes == 1 {
			data = w.Data
		}
		p.line(at+bitRange(i*width, width, w.Mem.Elem.Width)+" <= "+p.expr(data, 0)+";", w.Pos)
		p.indent--
		p.line("end", ir.Pos{})
	}
}

func (p *printer) ifStmt(s *ir.If, op string) {
	p.arms(s, "if (", op)
	p.line("end", ir.Pos{})
}

// soleIf is the only statement of a list, if it is an If.
func soleIf(list []ir.Stmt) (*ir.If, bool) {
	if len(list) != 1 {
		return nil, false
	}
	s, ok := list[0].(*ir.If)
	return s, ok
}

// arms prints an If up to its end, with the given start of the first line.
func (p *printer) arms(s *ir.If, head string, op string) {
	for _, a := range s.Arms {
		p.line(head+p.expr(a.Cond, len(head))+") begin", a.Pos)
		p.indent++
		p.stmts(a.Body, op)
		p.indent--
		head = "end else if ("
	}
	if only, ok := soleIf(s.Else); ok {
		p.arms(only, head, op)
	} else if len(s.Else) > 0 {
		p.line("end else begin", ir.Pos{})
		p.indent++
		p.stmts(s.Else, op)
		p.indent--
	}
}

func (p *printer) caseStmt(s *ir.Switch, op string) {
	p.line("case ("+p.expr(s.Subject, 6)+")", s.Pos)
	p.indent++
	for _, k := range s.Cases {
		var vs []string
		for _, v := range k.Values {
			vs = append(vs, p.expr(v, 0))
		}
		p.arm(strings.Join(vs, ", "), k.Body, op, k.Pos)
	}
	p.arm("default", s.Default, op, ir.Pos{})
	p.indent--
	p.line("endcase", ir.Pos{})
}

func (p *printer) arm(label string, body []ir.Stmt, op string, pos ir.Pos) {
	if len(body) == 0 {
		p.line(label+": ;", pos)
		return
	}
	p.line(label+": begin", pos)
	p.indent++
	p.stmts(body, op)
	p.indent--
	p.line("end", ir.Pos{})
}
