package hdl

import (
	"fmt"

	"github.com/millrace-hdl/millrace/hdl/diag"
	"github.com/millrace-hdl/millrace/hdl/ir"
)

// condition resolves a value that must be one unsigned bit.
func condition(m *Module, c Value, what string) Signal {
	t := ir.Type{Width: 1}
	s := value(c, m, &t)
	if !s.bad && !s.e.Type().Same(t) {
		return fail(m, t, diag.Width, fmt.Sprintf("the condition of %s, %s, is %s; it must be one unsigned bit", what, describe(s.e), s.e.Type()),
			"compare it, or use Any")
	}
	return s
}

// Mux is then where the one-bit cond is one, else els. Both have the same type;
// at most one of them may be a K.
func Mux(cond, then, els Value) Signal {
	m := moduleOf(cond, then, els)
	c := condition(m, cond, "Mux")
	var a, b Signal
	if _, lit := then.(K); lit {
		if b = value(els, m, nil); b.bad {
			return b
		}
		t := b.e.Type()
		a = value(then, m, &t)
	} else {
		if a = value(then, m, nil); a.bad {
			return a
		}
		t := a.e.Type()
		b = value(els, m, &t)
	}
	for _, s := range []Signal{c, a, b} {
		if s.bad {
			return s.invalid(ir.Type{Width: max(a.Width(), b.Width()), Signed: a.Signed()})
		}
	}
	if fault := mismatch(m, a, b, "Mux"); fault.bad {
		return fault
	}
	return Signal{m: m, e: &ir.Mux{Cond: c.e, Then: a.e, Else: b.e, Pos: a.here()}}
}

// AnyOf is one bit: the OR of one-bit values; zero for none.
func AnyOf(vs ...Signal) Signal { return fold("AnyOf", Signal.Or, 0, vs) }

// AllOf is one bit: the AND of one-bit values; one for none.
func AllOf(vs ...Signal) Signal { return fold("AllOf", Signal.And, 1, vs) }

func fold(what string, op func(Signal, Value) Signal, none uint64, vs []Signal) Signal {
	if len(vs) == 0 {
		return Const(1, none)
	}
	var all Signal
	for i, v := range vs {
		v = condition(moduleOf(v), v, what)
		if i == 0 {
			all = v
		} else {
			all = op(all, v)
		}
	}
	return all
}

// Select is items[index], a tree of multiplexers, for at least one item. The index
// is unsigned and wide enough for the items. Where it is beyond the last item, the
// result is any of the items.
func Select(index Value, items ...Signal) Signal {
	m := moduleOf(index)
	t := ir.Type{Width: ir.AddrBits(len(items))}
	i := value(index, m, &t)
	switch {
	case i.bad:
		return i
	case len(items) == 0:
		return fail(m, ir.Type{}, diag.Range, "Select of no items", "it needs at least one")
	case i.Signed():
		return fail(m, items[0].shape(), diag.Sign, fmt.Sprintf("the index of Select, %s, is signed", describe(i.e)), "use AsUnsigned")
	case len(items) > 1 && i.Width() < t.Width:
		return fail(m, items[0].shape(), diag.Width, fmt.Sprintf("the index of Select, %s, is %s; %d items need %d", describe(i.e), counted(i.Width(), "bit"), len(items), t.Width),
			"widen it")
	}
	return choose(i, items)
}

// Choice is one alternative of [FirstOf].
type Choice struct{ When, Then Value }

// FirstOf is Then of the first choice whose one-bit When holds, else els. All have
// the same type, of which els gives the width.
func FirstOf(els Value, choices ...Choice) Signal {
	vs := []Value{els}
	for _, c := range choices {
		vs = append(vs, c.When, c.Then)
	}
	out := value(els, moduleOf(vs...), nil)
	for i := len(choices) - 1; i >= 0; i-- {
		out = Mux(choices[i].When, choices[i].Then, out)
	}
	return out
}

func choose(index Signal, items []Signal) Signal {
	if len(items) == 1 {
		return items[0]
	}
	bit := ir.AddrBits(len(items)) - 1
	half := 1 << bit
	return Mux(index.Bit(bit), choose(index, items[half:]), choose(index, items[:half]))
}
