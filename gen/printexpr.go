package gen

import (
	"fmt"
	"math/big"
	"strconv"
	"strings"

	"github.com/millrace-hdl/millrace/hdl/ir"
)

// text is a printed expression with how tightly it binds.
type text struct {
	s    string
	bind binding
}

type binding uint8

const (
	atom   binding = iota // needs no parentheses anywhere
	prefix                // a unary operator on an atom, or a size cast
	infix                 // a binary or conditional operator
)

var unaryText = [...]string{"~", "-", "&", "|", "^"}

var binaryText = [...]string{"&", "|", "^", "+", "-", "*", "==", "!=", "<", "<=", ">", ">=", "<<", ">>"}

// expr prints e on one line if it fits behind column characters, else on several.
// The sign of the text as SystemVerilog sees it is always that of e's type, so no
// operand changes how another one is read.
func (p *printer) expr(e ir.Expr, column int) string {
	t := p.text(e)
	if 2*p.margin()+column+len(t.s) <= lineLength {
		return t.s
	}
	return p.broken(e, p.margin()+1)
}

// text is e on one line.
func (p *printer) text(e ir.Expr) text {
	if t, ok := p.flat[e]; ok {
		return t
	}
	t := p.flatten(e)
	p.flat[e] = t
	return t
}

// operand is e as an operand of another operator.
func (p *printer) operand(e ir.Expr) string { return wrap(p.text(e)) }

func wrap(t text) string {
	if t.bind == infix {
		return "(" + t.s + ")"
	}
	return t.s
}

func (p *printer) flatten(e ir.Expr) text {
	switch e := e.(type) {
	case *ir.Ref:
		return text{e.Signal.Name, atom}
	case *ir.Const:
		return p.constant(e)
	case *ir.Unary:
		return p.unary(e)
	case *ir.Binary:
		return p.binary(e)
	case *ir.Mux:
		return text{p.operand(e.Cond) + " ? " + p.operand(e.Then) + " : " + p.otherwise(e.Else), infix}
	case *ir.Cat:
		return text{"{" + strings.Join(p.parts(e), ", ") + "}", atom}
	case *ir.Slice:
		// The second layer selects from signals only.
		s := e.X.(*ir.Ref).Signal
		if s.Type.Signed && e.Width == s.Type.Width {
			return text{"$unsigned(" + s.Name + ")", atom} // no range stands for all bits
		}
		return text{s.Name + bitRange(e.Lo, e.Width, s.Type.Width), atom}
	case *ir.Select:
		return text{e.X.(*ir.Ref).Signal.Name + p.lane(e.Index, e.Stride, e.Width), atom}
	case *ir.Extend:
		return p.extend(e)
	case *ir.Cast:
		name := "$unsigned("
		if e.Signed {
			name = "$signed("
		}
		return text{name + p.text(e.X).s + ")", atom}
	case *ir.MemRead:
		return text{e.Mem.Name + "[" + p.address(e.Addr) + "]", atom}
	}
	panic(fmt.Sprintf("gen: %T has no text", e))
}

// otherwise is the last operand of a conditional: another one needs no
// parentheses there.
func (p *printer) otherwise(e ir.Expr) string {
	if _, ok := e.(*ir.Mux); ok {
		return p.text(e).s
	}
	return p.operand(e)
}

func (p *printer) unary(e *ir.Unary) text {
	op := unaryText[e.Op]
	if e.Op == ir.Not && boolean(e) {
		op = "!"
	}
	x := p.text(e.X)
	if x.bind != atom {
		x.s = "(" + x.s + ")"
	}
	return text{op + x.s, prefix}
}

// boolean reports whether e is one unsigned bit, for which the logical operators
// are the bitwise ones.
func boolean(e ir.Expr) bool { return e.Type().Same(ir.Type{Width: 1}) }

func operator(e *ir.Binary) string {
	switch {
	case e.Op == ir.And && boolean(e):
		return "&&"
	case e.Op == ir.Or && boolean(e):
		return "||"
	case e.Op == ir.Shr && e.Type().Signed:
		return ">>>"
	}
	return binaryText[e.Op]
}

func (p *printer) binary(e *ir.Binary) text {
	return text{p.side(e, e.X) + " " + operator(e) + " " + p.right(e), infix}
}

// side is an operand; one of the same associative operator needs no parentheses.
func (p *printer) side(e *ir.Binary, x ir.Expr) string {
	if chained(e, x) {
		return p.text(x).s
	}
	s := p.operand(x)
	if u, ok := x.(*ir.Unary); ok && u.Op >= ir.RedAnd {
		return "(" + s + ")" // a & &b
	}
	return s
}

func chained(e *ir.Binary, x ir.Expr) bool {
	in, ok := x.(*ir.Binary)
	return ok && in.Op == e.Op && (e.Op <= ir.Xor || e.Op == ir.Add && x == e.X)
}

func (p *printer) right(e *ir.Binary) string {
	if c, ok := e.Y.(*ir.Const); ok && (e.Op == ir.Shl || e.Op == ir.Shr) {
		return bits(c).String()
	}
	return p.side(e, e.Y)
}

// parts are the operands of a concatenation, repeated ones as replications.
func (p *printer) parts(e *ir.Cat) []string {
	var out []string
	for i := 0; i < len(e.Parts); {
		s := p.text(e.Parts[i]).s
		n := 1
		for i+n < len(e.Parts) && p.text(e.Parts[i+n]).s == s {
			n++
		}
		if n > 1 {
			s = "{" + strconv.Itoa(n) + "{" + s + "}}"
		}
		out = append(out, s)
		i += n
	}
	return out
}

// sizeCast binds like a prefix: Yosys reads ~4'(a) as (~4)'(a).
func sizeCast(width int, s string) text { return text{strconv.Itoa(width) + "'(" + s + ")", prefix} }

// extend prints a plain operand as a size cast. Anything else would be computed in
// the greater width, which a concatenation prevents.
func (p *printer) extend(e *ir.Extend) text {
	if leaf(e.X) {
		return sizeCast(e.Width, p.text(e.X).s)
	}
	zeros := ir.NewConst(ir.Type{Width: e.Width - e.X.Type().Width}, 0)
	return text{"{" + literal(zeros) + ", " + p.text(e.X).s + "}", atom}
}

func (p *printer) constant(c *ir.Const) text {
	if c.Typ.Enum != nil {
		if n := p.u.enumOf(c.Typ); n != nil {
			if name, ok := n.constant(c); ok {
				return text{name, atom}
			}
		}
	}
	s := literal(c)
	if s[0] == '-' {
		return text{s, prefix}
	}
	return text{s, atom}
}

// literal is a sized number: decimal where small, else hexadecimal.
func literal(c *ir.Const) string {
	w, v := c.Typ.Width, value(c)
	sign := ""
	if c.Typ.Signed {
		sign = "s"
	}
	switch {
	case w == 1:
		return fmt.Sprintf("1'%sb%d", sign, bits(c))
	case v.Sign() >= 0 && v.Cmp(big.NewInt(1000)) < 0:
		return fmt.Sprintf("%d'%sd%d", w, sign, v)
	case v.Sign() < 0 && v.Cmp(big.NewInt(-1000)) > 0 && new(big.Int).Neg(v).BitLen() < w:
		return fmt.Sprintf("-%d'%sd%d", w, sign, new(big.Int).Neg(v))
	}
	return fmt.Sprintf("%d'%sh%x", w, sign, bits(c))
}
