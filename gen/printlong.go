package gen

import (
	"strings"

	"github.com/millrace-hdl/millrace/hdl/ir"
)

// broken is e on several lines, those after the first indented by depth.
func (p *printer) broken(e ir.Expr, depth int) string {
	t := p.text(e)
	if 2*depth+len(t.s) <= lineLength {
		return t.s
	}
	pad := "\n" + strings.Repeat("  ", depth)
	switch e := e.(type) {
	case *ir.Mux:
		return p.brokenOperand(e.Cond, depth) + pad + "? " + p.brokenOperand(e.Then, depth+1) + pad + ": " + p.brokenElse(e.Else, depth)
	case *ir.Cat:
		var parts []string
		for _, s := range p.runs(e, depth) {
			parts = append(parts, pad+s)
		}
		return "{" + strings.Join(parts, ",") + pad[:len(pad)-2] + "}"
	case *ir.Binary:
		x := ""
		if chained(e, e.X) {
			x = p.broken(e.X, depth)
		} else {
			x = p.brokenSide(e.X, depth)
		}
		y := p.right(e)
		if len(y)+2*depth > lineLength {
			y = p.brokenSide(e.Y, depth+1)
		}
		return x + pad + operator(e) + " " + y
	case *ir.Cast:
		return t.s[:strings.IndexByte(t.s, '(')+1] + p.broken(e.X, depth) + ")"
	case *ir.Unary:
		if _, ok := e.X.(*ir.Cat); !ok {
			return t.s[:1] + "(" + p.broken(e.X, depth) + ")"
		}
		return t.s[:1] + p.broken(e.X, depth)
	}
	return t.s
}

// runs are the operands of a concatenation as text, short ones several to a line.
func (p *printer) runs(e *ir.Cat, depth int) []string {
	var out []string
	for i, s := range p.parts(e) {
		if 2*depth+len(s) > lineLength && len(p.parts(e)) == len(e.Parts) {
			s = p.broken(e.Parts[i], depth+1)
		}
		last := len(out) - 1
		if last >= 0 && 2*depth+len(out[last])+2+len(s) <= lineLength && !strings.Contains(out[last]+s, "\n") {
			out[last] += ", " + s
			continue
		}
		out = append(out, s)
	}
	return out
}

func (p *printer) brokenOperand(e ir.Expr, depth int) string {
	if p.text(e).bind != infix {
		return p.broken(e, depth)
	}
	return "(" + p.broken(e, depth+1) + ")"
}

// brokenSide is brokenOperand for an operand of a binary operator.
func (p *printer) brokenSide(e ir.Expr, depth int) string {
	if u, ok := e.(*ir.Unary); ok && u.Op >= ir.RedAnd {
		return "(" + p.text(e).s + ")"
	}
	return p.brokenOperand(e, depth)
}

func (p *printer) brokenElse(e ir.Expr, depth int) string {
	if m, ok := e.(*ir.Mux); ok {
		return p.broken(m, depth)
	}
	return p.brokenOperand(e, depth+1)
}
