package hdl

import (
	"fmt"

	"github.com/millrace-hdl/millrace/hdl/check"
	"github.com/millrace-hdl/millrace/hdl/diag"
	"github.com/millrace-hdl/millrace/hdl/ir"
)

// Bit is bit i, from 0.
func (s Signal) Bit(i int) Signal { return s.slice(i, 1) }

// Bits is the unsigned value of bits hi down to lo, both included.
func (s Signal) Bits(hi, lo int) Signal { return s.slice(lo, hi-lo+1) }

func (s Signal) slice(lo, w int) Signal {
	m, t := moduleOf(s), ir.Type{Width: max(w, 1)}
	a := s.resolve(m, nil)
	if a.bad {
		return a.invalid(t)
	}
	if lo < 0 || w < 1 || w > a.Width()-lo {
		return fail(m, t, diag.Range, fmt.Sprintf("bits %d:%d of %s, which has bits %d:0", lo+w-1, lo, describe(a.e), a.Width()-1),
			fmt.Sprintf("bits count from 0, so the highest is %d", a.Width()-1))
	}
	return Signal{m: m, e: sliceExpr(a.e, lo, w, a.here())}
}

func sliceExpr(e ir.Expr, lo, w int, pos ir.Pos) ir.Expr {
	if in, ok := e.(*ir.Slice); ok {
		return sliceExpr(in.X, in.Lo+lo, w, pos)
	}
	if lo == 0 && e.Type().Same(ir.Type{Width: w}) {
		return e
	}
	return &ir.Slice{X: e, Lo: lo, Width: w, Pos: pos}
}

// Trunc keeps the low w bits and the signedness; w is at most the width.
func (s Signal) Trunc(w int) Signal {
	m, t := moduleOf(s), ir.Type{Width: max(w, 1), Signed: s.Signed()}
	a := s.resolve(m, nil)
	switch {
	case a.bad:
		return a.invalid(t)
	case w < 1:
		return fail(m, t, diag.Range, fmt.Sprintf("Trunc to %d bits of %s", w, describe(a.e)), "keep at least one bit")
	case w > a.Width():
		return fail(m, t, diag.Width, fmt.Sprintf("Trunc to %d bits of %s, which has %s", w, describe(a.e), counted(a.Width(), "bit")), "use Ext")
	case w == a.Width():
		return a
	}
	return a.slice(0, w).cast(t.Signed)
}

// Ext widens to w bits, by sign or by zeros according to the signedness; w is at
// least the width.
func (s Signal) Ext(w int) Signal {
	m, t := moduleOf(s), ir.Type{Width: max(w, 1), Signed: s.Signed()}
	a := s.resolve(m, nil)
	switch {
	case a.bad:
		return a.invalid(t)
	case w < a.Width():
		return fail(m, t, diag.Width, fmt.Sprintf("Ext to %s of %s, which has %s", counted(w, "bit"), describe(a.e), counted(a.Width(), "bit")), "use Trunc")
	case w == a.Width():
		return a
	}
	return Signal{m: m, e: &ir.Extend{X: a.e, Width: w, Pos: a.here()}}
}

// Resize is Ext or Trunc, whichever leads to w bits.
func (s Signal) Resize(w int) Signal {
	if w < s.Width() {
		return s.Trunc(w)
	}
	return s.Ext(w)
}

// AsSigned reads the same bits as two's complement.
func (s Signal) AsSigned() Signal { return s.cast(true) }

// AsUnsigned reads the same bits as an unsigned number.
func (s Signal) AsUnsigned() Signal { return s.cast(false) }

func (s Signal) cast(signed bool) Signal {
	a := s.resolve(moduleOf(s), nil)
	switch {
	case a.bad:
		return a.invalid(ir.Type{Width: s.Width(), Signed: signed})
	case a.Signed() == signed:
		return a
	}
	return Signal{m: a.m, e: &ir.Cast{X: a.e, Signed: signed, Pos: a.here()}}
}

// Cat concatenates; the first part becomes the most significant bits. The result
// is unsigned. There is at least one part, and every part needs a width of its
// own, so no K.
func Cat(parts ...Value) Signal {
	m := moduleOf(parts...)
	cat, w := &ir.Cat{}, 0
	var fault Signal
	for _, p := range parts {
		s := value(p, m, nil)
		w += s.Width()
		if s.bad && !fault.bad {
			fault = s
		}
		cat.Parts = append(cat.Parts, s.e)
	}
	switch {
	case fault.bad:
		return fault.invalid(ir.Type{Width: w})
	case len(parts) == 0:
		return fail(m, ir.Type{}, diag.Range, "a concatenation of nothing", "it needs a part")
	case len(parts) == 1:
		return Signal{m: m, e: cat.Parts[0]}.AsUnsigned()
	}
	s := Signal{m: m, e: cat}
	cat.Pos = s.here()
	return s
}

// Repeat is n copies of s side by side, n at least 1; the result is unsigned.
func Repeat(s Value, n int) Signal {
	if n < 1 || n > check.MaxWidth {
		m := moduleOf(s)
		return fail(m, ir.Type{}, diag.Range, fmt.Sprintf("Repeat of %s makes %d copies", describe(value(s, m, nil).e), n), "there must be at least 1")
	}
	parts := make([]Value, n)
	for i := range parts {
		parts[i] = s
	}
	return Cat(parts...)
}
