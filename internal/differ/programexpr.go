package differ

import (
	"fmt"
	"math/bits"
	"strings"

	"github.com/millrace-hdl/millrace/hdl/ir"
)

var unaryCalls = [...]string{"Not", "Neg", "All", "Any", "Parity"}

var binaryCalls = [...]string{"And", "Or", "Xor", "Add", "Sub", "Mul", "Eq", "Ne", "Lt", "Le", "Gt", "Ge", "Shl", "Shr"}

func (p *program) expr(e ir.Expr) string {
	if v, ok := p.shared[e]; ok {
		return v
	}
	switch e := e.(type) {
	case *ir.Ref:
		if p.plain[e.Signal] {
			return p.names[e.Signal] + ".AsSigned()"
		}
		return p.names[e.Signal]
	case *ir.Const:
		return p.constant(e)
	case *ir.Unary:
		return fmt.Sprintf("%s.%s()", p.expr(e.X), unaryCalls[e.Op])
	case *ir.Binary:
		return fmt.Sprintf("%s.%s(%s)", p.expr(e.X), binaryCalls[e.Op], p.expr(e.Y))
	case *ir.Mux:
		return fmt.Sprintf("hdl.Mux(%s, %s, %s)", p.unsigned(e.Cond), p.expr(e.Then), p.expr(e.Else))
	case *ir.Cat:
		var parts []string
		for _, x := range e.Parts {
			parts = append(parts, p.expr(x))
		}
		return "hdl.Cat(" + strings.Join(parts, ", ") + ")"
	case *ir.Slice:
		return fmt.Sprintf("%s.Bits(%d, %d)", p.expr(e.X), e.Lo+e.Width-1, e.Lo)
	case *ir.Extend:
		return fmt.Sprintf("%s.Ext(%d)", p.expr(e.X), e.Width)
	case *ir.Cast:
		if e.Signed {
			return p.expr(e.X) + ".AsSigned()"
		}
		return p.expr(e.X) + ".AsUnsigned()"
	case *ir.Select:
		return p.selection(e)
	case *ir.MemRead:
		return fmt.Sprintf("%s.Read(%s)", p.names[e.Mem], p.expr(e.Addr))
	}
	panic(fmt.Sprintf("differ: cannot print %T", e))
}

// selection is a lane, or a part from a bit that is computed.
func (p *program) selection(e *ir.Select) string {
	x, i := p.expr(e.X), p.expr(e.Index)
	switch e.Stride {
	case e.Width:
		return fmt.Sprintf("%s.Lane(%s, %d)", x, i, e.Width)
	case 1:
		return fmt.Sprintf("%s.PartAt(%s, %d)", x, i, e.Width)
	}
	w := e.Index.Type().Width + bits.Len(uint(e.Stride))
	return fmt.Sprintf("%s.PartAt(%s.Ext(%d).Mul(hdl.Const(%d, %d)), %d)", x, i, w, w, e.Stride, e.Width)
}

// unsigned is the expression without its sign.
func (p *program) unsigned(e ir.Expr) string {
	if e.Type().Signed {
		return p.expr(e) + ".AsUnsigned()"
	}
	return p.expr(e)
}

// readsGhost reports whether an expression reads what exists for properties only.
func (p *program) readsGhost(e ir.Expr) bool {
	if p.ghostly == nil {
		p.ghostly = map[ir.Expr]bool{}
	}
	g, ok := p.ghostly[e]
	if !ok {
		if r, is := e.(*ir.Ref); is {
			g = r.Signal.Ghost
		}
		for _, o := range ir.Operands(e) {
			g = p.readsGhost(o) || g
		}
		p.ghostly[e] = g
	}
	return g
}

func (p *program) body(list []ir.Stmt) {
	p.line("func() {")
	p.stmts(list)
	p.b.WriteString("}")
}

func (p *program) stmts(list []ir.Stmt) {
	for _, s := range list {
		switch s := s.(type) {
		case *ir.Assign:
			p.assign(s)
		case *ir.If:
			for i, a := range s.Arms {
				call := "m.If"
				if i > 0 {
					call = ".ElseIf"
				}
				fmt.Fprintf(&p.b, "%s(%s, ", call, p.unsigned(a.Cond))
				p.body(a.Body)
				p.b.WriteString(")")
			}
			if s.Else != nil {
				p.b.WriteString(".Else(")
				p.body(s.Else)
				p.b.WriteString(")")
			}
			p.line("")
		case *ir.Switch:
			fmt.Fprintf(&p.b, "m.Switch(%s)", p.unsigned(s.Subject))
			for _, c := range s.Cases {
				var vs []string
				for _, v := range c.Values {
					plain := *v
					plain.Typ.Signed = false
					vs = append(vs, p.constant(&plain))
				}
				fmt.Fprintf(&p.b, ".CaseIn([]hdl.Value{%s}, ", strings.Join(vs, ", "))
				p.body(c.Body)
				p.b.WriteString(")")
			}
			if s.HasDefault {
				p.b.WriteString(".Default(")
				p.body(s.Default)
				p.b.WriteString(")")
			}
			p.line("")
		case *ir.MemWrite:
			p.write(s)
		}
	}
}

func (p *program) assign(s *ir.Assign) {
	v := p.names[s.Target]
	switch {
	case s.Target.Ghost:
	case s.Whole() && p.plain[s.Target]:
		p.line("%s.Set(%s)", v, p.unsigned(s.Value))
	case s.Whole():
		p.line("%s.Set(%s)", v, p.expr(s.Value))
	case s.Index != nil:
		p.line("%s.Lane(%s, %d).Set(%s)", v, p.expr(s.Index), s.Width, p.unsigned(s.Value))
	default:
		p.line("%s.Part(%d, %d).Set(%s)", v, s.Lo, s.Width, p.unsigned(s.Value))
	}
}

func (p *program) write(s *ir.MemWrite) {
	if h := p.writes[s]; h != nil {
		p.line("%s.Set(hdl.K(1))\n%s.Set(%s)\n%s.Set(%s)", h.en, h.addr, p.expr(s.Addr), h.data, p.expr(s.Data))
		if s.Mask != nil {
			p.line("%s.Set(%s)", h.mask, p.unsigned(s.Mask))
		}
		return
	}
	call, args := "Write", p.expr(s.Addr)+", "+p.expr(s.Data)
	if s.Mask != nil {
		call, args = "WriteMask", args+", "+p.unsigned(s.Mask)
	}
	p.line("%s.%s(%s, hdl.On(%s))", p.names[s.Mem], call, args, p.domain(s.Domain))
}
