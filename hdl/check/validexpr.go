package check

import (
	"fmt"

	"github.com/millrace-hdl/millrace/hdl/diag"
	"github.com/millrace-hdl/millrace/hdl/ir"
)

// exprType is the type of an expression; ok is false where a mistake in or below
// the expression has been reported, which silences what follows from it.
type exprType struct {
	ir.Type
	ok   bool
	busy bool // being computed: seeing it again is a cycle
}

// typeOf checks e and everything below it, each node once.
func (v *validator) typeOf(e ir.Expr) (ir.Type, bool) {
	if e == nil {
		v.misuse(v.m.Pos, "an expression is missing in module %s", v.m.Name)
		return ir.Type{}, false
	}
	if t, ok := v.types[e]; ok {
		if t.busy {
			v.misuse(e.Position(), "%s is an operand of itself", brief(e))
		}
		return t.Type, t.ok && !t.busy
	}
	v.types[e] = exprType{busy: true}
	t, ok := v.compute(e)
	if ok && (t.Width < 1 || t.Width > MaxWidth) {
		v.report(diag.Range, e.Position(), fmt.Sprintf("%s is %s wide", brief(e), bitsWord(t.Width)), fmt.Sprintf("widths are 1 to %d", MaxWidth))
		ok = false
	}
	v.types[e] = exprType{Type: t, ok: ok}
	return t, ok
}

func (v *validator) foreign(r *ir.Ref) {
	related := diag.Related{Pos: r.Signal.Pos, Message: "it is declared here"}
	v.report(diag.Owner, r.Pos, fmt.Sprintf("signal %s belongs to module %s and is read in module %s", r.Signal.Name, moduleName(r.Signal.Module), v.m.Name),
		"pass it through a port", related)
}

func (v *validator) compute(e ir.Expr) (ir.Type, bool) {
	switch e := e.(type) {
	case *ir.Ref:
		if e.Signal == nil {
			v.misuse(e.Pos, "a reference names no signal")
			return ir.Type{}, false
		}
		if !v.owns[e.Signal] {
			v.foreign(e)
			return ir.Type{}, false
		}
		return e.Signal.Type, e.Signal.Type.Width >= 1 // a bad width is reported at the signal
	case *ir.Const:
		return v.literal(e)
	case *ir.Unary:
		x, ok := v.typeOf(e.X)
		if e.Op > ir.RedXor {
			v.misuse(e.Pos, "a unary operator does not exist")
			return ir.Type{}, false
		}
		if e.Op >= ir.RedAnd {
			return ir.Type{Width: 1}, true
		}
		return plain(x), ok
	case *ir.Binary:
		return v.binary(e)
	case *ir.Mux:
		v.condition(e.Cond, e.Pos, "the condition of a mux")
		x, ok1 := v.typeOf(e.Then)
		y, ok2 := v.typeOf(e.Else)
		return x, ok1 && ok2 && v.same(e.Pos, brief(e.Then), x, brief(e.Else), y)
	case *ir.Cat:
		if len(e.Parts) == 0 {
			v.misuse(e.Pos, "a concatenation has no parts")
			return ir.Type{}, false
		}
		w, ok := 0, true
		for _, p := range e.Parts {
			t, good := v.typeOf(p)
			ok = ok && good
			w = min(w+t.Width, MaxWidth+1)
		}
		return ir.Type{Width: w}, ok
	case *ir.Slice:
		x, ok := v.typeOf(e.X)
		t := ir.Type{Width: e.Width}
		if ok && (e.Width < 1 || e.Lo < 0 || e.Lo > x.Width-e.Width) {
			v.outside(e.Pos, brief(e.X), x.Width, e.Lo, e.Width)
			return t, false
		}
		return t, e.Width >= 1
	case *ir.Extend:
		x, ok := v.typeOf(e.X)
		if ok && e.Width < x.Width {
			v.report(diag.Width, e.Pos, fmt.Sprintf("%s is %s and is extended to %d", brief(e.X), bitsWord(x.Width), e.Width), "truncate it instead")
			return ir.Type{}, false
		}
		return ir.Type{Width: e.Width, Signed: x.Signed}, ok
	case *ir.Cast:
		x, ok := v.typeOf(e.X)
		return ir.Type{Width: x.Width, Signed: e.Signed}, ok
	case *ir.Select:
		x, ok := v.typeOf(e.X)
		v.index(e.Index, e.Pos)
		if e.Stride < 1 || ok && (e.Width < 1 || e.Width > x.Width) {
			v.report(diag.Range, e.Pos, fmt.Sprintf("a selection of %s at multiples of %s from %s, which is %s", bitsWord(e.Width), bitsWord(e.Stride), brief(e.X), bitsWord(x.Width)),
				"both are at least 1, and no more is taken than there is")
			return ir.Type{}, false
		}
		return ir.Type{Width: e.Width}, ok
	case *ir.MemRead:
		if e.Mem == nil || !v.mems[e.Mem] {
			v.foreignMem(e.Mem, e.Pos, "read")
			return ir.Type{}, false
		}
		v.address(e.Mem, e.Addr, e.Pos)
		return e.Mem.Elem, true
	}
	v.misuse(e.Position(), "expression of unknown kind %T", e)
	return ir.Type{}, false
}

// plain is the type without its enumeration, which arithmetic does not keep.
func plain(t ir.Type) ir.Type { return ir.Type{Width: t.Width, Signed: t.Signed} }

func (v *validator) literal(e *ir.Const) (ir.Type, bool) {
	if !v.size(e.Typ, e.Pos, "a literal") {
		return e.Typ, false
	}
	if len(e.Words) != e.Typ.Words() {
		v.report(diag.Literal, e.Pos, fmt.Sprintf("a literal of %s has %s, not %d", bitsWord(e.Typ.Width), count(len(e.Words), "word"), e.Typ.Words()), "")
		return e.Typ, false
	}
	if r := e.Typ.Width % 64; r != 0 && e.Words[len(e.Words)-1]>>r != 0 {
		v.report(diag.Literal, e.Pos, fmt.Sprintf("literal %s does not fit %s", brief(e), bitsWord(e.Typ.Width)), "widen it or choose a smaller value")
		return e.Typ, false
	}
	return e.Typ, true
}

func (v *validator) binary(e *ir.Binary) (ir.Type, bool) {
	x, ok1 := v.typeOf(e.X)
	y, ok2 := v.typeOf(e.Y)
	if e.Op > ir.Shr {
		v.misuse(e.Pos, "a binary operator does not exist")
		return ir.Type{}, false
	}
	ok := ok1 && ok2
	if e.Op == ir.Shl || e.Op == ir.Shr {
		if ok2 && y.Signed {
			v.report(diag.Sign, e.Pos, fmt.Sprintf("%s is shifted by %s, which is signed", brief(e.X), brief(e.Y)), "cast the amount to unsigned")
			ok = false
		}
	} else if ok {
		ok = v.same(e.Pos, brief(e.X), x, brief(e.Y), y)
	}
	if e.Op.Compare() {
		return ir.Type{Width: 1}, true
	}
	return plain(x), ok
}

// same requires equal types and reports the first difference.
func (v *validator) same(pos ir.Pos, a string, x ir.Type, b string, y ir.Type) bool {
	switch {
	case x.Width != y.Width:
		v.report(diag.Width, pos, fmt.Sprintf("%s is %s, %s is %s", a, bitsWord(x.Width), b, bitsWord(y.Width)), "extend or truncate one of them")
	case x.Signed != y.Signed:
		v.report(diag.Sign, pos, fmt.Sprintf("%s is %s, %s is %s", a, signWord(x.Signed), b, signWord(y.Signed)), "cast one of them")
	default:
		return true
	}
	return false
}

func (v *validator) outside(pos ir.Pos, of string, width, lo, n int) {
	if n < 1 {
		v.report(diag.Range, pos, fmt.Sprintf("%s of %s are taken", bitsWord(n), of), "take at least 1 bit")
		return
	}
	v.report(diag.Range, pos, fmt.Sprintf("%s of %s, which is %s", ranged("bits", lo, n, -1), of, bitsWord(width)),
		fmt.Sprintf("bits are 0 to %d", width-1))
}

func (v *validator) condition(e ir.Expr, pos ir.Pos, of string) {
	t, ok := v.typeOf(e)
	if ok && t.Width != 1 {
		v.report(diag.Width, pos, fmt.Sprintf("%s is 1 bit, %s is %s", of, brief(e), bitsWord(t.Width)), "compare it with a value, or reduce it")
	}
}

// index checks the index of a lane.
func (v *validator) index(e ir.Expr, pos ir.Pos) {
	if t, ok := v.typeOf(e); ok && t.Signed {
		v.report(diag.Sign, pos, fmt.Sprintf("the index %s is signed", brief(e)), "cast it to unsigned")
	}
}

func (v *validator) address(m *ir.Mem, e ir.Expr, pos ir.Pos) {
	t, ok := v.typeOf(e)
	if ok && m.Depth >= 1 && m.Depth <= MaxDepth {
		v.same(pos, "the address of memory "+m.Name, ir.Type{Width: m.AddrWidth()}, brief(e), t)
	}
}

func (v *validator) foreignMem(m *ir.Mem, pos ir.Pos, how string) {
	if m == nil {
		v.misuse(pos, "a memory is missing")
		return
	}
	v.report(diag.Owner, pos, fmt.Sprintf("memory %s belongs to module %s and is %s in module %s", m.Name, moduleName(m.Module), how, v.m.Name),
		"access it through ports", diag.Related{Pos: m.Pos, Message: "it is declared here"})
}
