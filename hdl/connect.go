package hdl

import (
	"fmt"
	"slices"

	"github.com/millrace-hdl/millrace/hdl/diag"
	"github.com/millrace-hdl/millrace/hdl/ir"
)

// Role says on which side of a bundle a module stands.
type Role uint8

const (
	Source Role = iota // drives the fields tagged out
	Sink               // drives the fields tagged in
)

// Ports declares the ports of a bundle of types and returns the bundle bound to
// them. Names are prefix and field names joined by underscores. A [Default] is
// that of the outputs among them.
func Ports[T any](m *Module, prefix string, role Role, t T, opts ...Option) T {
	inputs := append(slices.Clone(opts), func(o *options) {
		o.given = slices.DeleteFunc(o.given, func(n string) bool { return n == "Default" })
	})
	for _, l := range m.leaves(&t, prefix) {
		if l.out == (role == Source) {
			*l.v = m.declareLeaf(l, ir.Output, opts)
		} else {
			*l.v = m.declareLeaf(l, ir.Input, inputs)
		}
	}
	return t
}

// Wires declares a wire for each field of a bundle of types.
func Wires[T any](m *Module, name string, t T, opts ...Option) T {
	for _, l := range m.leaves(&t, name) {
		*l.v = m.declareLeaf(l, ir.Wire, opts)
	}
	return t
}

// Regs declares a register for each field of a bundle of types.
func Regs[T any](m *Module, name string, t T, opts ...Option) T {
	for _, l := range m.leaves(&t, name) {
		*l.v = m.declareLeaf(l, ir.Reg, opts)
	}
	return t
}

func (m *Module) declareLeaf(l leaf, kind ir.Kind, opts []Option) Var {
	if l.v.e == nil && l.v.typ.Width == 0 && !l.v.bad {
		m.report(diag.Unbound, fmt.Sprintf("field %s has no type", l.path), "give it one, such as hdl.U(8)")
		return Var{Signal: Signal{m: m, bad: true}}
	}
	return m.declare(l.name, kind, *l.v, opts)
}

// pairs lists the fields of two bundles that match one to one, and the module in
// which that is asked, nil among constants. It lists none if the bundles differ in
// the lengths of slices, which it reports.
func pairs[T any](with Value, a, b *T) (m *Module, as, bs []leaf) {
	as, flaws := leaves(a, "")
	bs, _ = leaves(b, "")
	vs := []Value{with}
	for _, l := range slices.Concat(as, bs) {
		vs = append(vs, *l.v)
	}
	m = moduleOf(vs...)
	if m != nil {
		m.tell(flaws) // and does not list the fields again, which would copy the slices again
	} else if len(flaws) > 0 {
		panic(flaws[0].message)
	}
	if len(as) != len(bs) {
		message := fmt.Sprintf("the bundles have %d and %d fields", len(as), len(bs))
		if m == nil {
			panic(message)
		}
		m.report(diag.Width, message, "give their slices the same length")
		return m, nil, nil
	}
	return m, as, bs
}

// Connect joins two bundles of one type: the fields that a source drives are
// assigned from "from" to "to", those that a sink drives the other way. So "from"
// is where the source is seen (an instance that is one, or the ports of a module
// that is a sink), and "to" where it is consumed.
func Connect[T any](to, from T) {
	m, ts, fs := pairs(nil, &to, &from)
	for i := range ts {
		t, f := ts[i], fs[i]
		if !t.out {
			t, f = f, t
		}
		if m != nil && !t.v.driven() && f.v.driven() {
			m.report(diag.Misuse, fmt.Sprintf("Connect would assign %s, which is %s", t.v.sig.Name, kindOf(t.v.sig)), "swap its arguments")
			continue
		}
		t.v.Set(*f.v)
	}
}

// driven reports whether v can be assigned; what is no signal at all counts, since
// that is another mistake.
func (v Var) driven() bool { return v.sig == nil || v.sig.Kind.Driven() }

// Assign sets every field of a bundle from the other, whatever its direction.
func Assign[T any](to, from T) {
	_, ts, fs := pairs(nil, &to, &from)
	for i := range ts {
		ts[i].v.Set(*fs[i].v)
	}
}

// MuxOf is [Mux] for each field.
func MuxOf[T any](cond Value, then, els T) T {
	_, ts, es := pairs(cond, &then, &els)
	for i := range ts {
		*ts[i].v = V(Mux(cond, *ts[i].v, *es[i].v))
	}
	return then
}

// SelectOf is [Select] for each field of at least one bundle.
func SelectOf[T any](index Value, items ...T) T {
	if len(items) == 0 {
		panic("SelectOf of no items")
	}
	out := items[0]
	os, _ := leaves(&out, "")
	fields := make([][]Signal, len(os))
	for k := range items {
		_, as, bs := pairs(index, &items[0], &items[k])
		for i := range as {
			fields[i] = append(fields[i], bs[i].v.Signal)
		}
	}
	for i, o := range os {
		*o.v = V(Select(index, fields[i]...))
	}
	return out
}

// V makes a value usable as a field of a bundle. It cannot be assigned.
func V(s Signal) Var { return Var{Signal: s} }

// WidthOf is the sum of the widths of a bundle's fields.
func WidthOf[T any](t T) int {
	w := 0
	ls, _ := leaves(&t, "")
	for _, l := range ls {
		w += l.v.Width()
	}
	return w
}

// Pack concatenates the fields of a bundle, the first one most significant.
func Pack[T any](t T) Signal {
	ls, _ := leaves(&t, "")
	var parts []Value
	for _, l := range ls {
		parts = append(parts, *l.v)
	}
	return Cat(parts...)
}

// Unpack is the inverse of [Pack]: a bundle shaped as the types t, its fields
// taken from the bits of s, which has as many as t.
func Unpack[T any](t T, s Value) T {
	m := moduleOf(s)
	x := value(s, m, nil)
	hi := WidthOf(t)
	if !x.bad && x.Width() != hi {
		x = fail(m, ir.Type{Width: hi}, diag.Width, fmt.Sprintf("Unpack: the bundle has %s, %s has %s", counted(hi, "bit"), describe(x.e), counted(x.Width(), "bit")), "use Trunc, Ext or Resize")
	}
	ls, _ := leaves(&t, "")
	for _, l := range ls {
		w := l.v.Width()
		*l.v, hi = V(x.slice(hi-w, w).cast(l.v.Signed())), hi-w
	}
	return t
}
