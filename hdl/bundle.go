package hdl

import (
	"fmt"
	"reflect"
	"strings"

	"github.com/millrace-hdl/millrace/hdl/diag"
	"github.com/millrace-hdl/millrace/hdl/ir"
)

// A bundle is a struct whose exported fields are [Var], other bundles, or arrays
// and slices of them. A field tag `hdl:"…"` holds, separated by commas:
//
//	out      driven by the source of the bundle (the default)
//	in       driven by the sink; on a nested bundle, turns it around
//	name=x   the name in ports, instead of the field's in snake_case; may be empty
//	glue     names below this field join without an underscore, as in m_axi_awaddr
//	opt      the field is a slice of one element or none, named without an index
type leaf struct {
	name string
	out  bool // driven by the source
	v    *Var
	path string // Go path of the field, for messages
}

var varType = reflect.TypeFor[Var]()

// leaves lists the signals of *bundle in order. The bundle's slices are copied
// first, so that what is set through the leaves reaches no other copy of it.
func leaves(m *Module, bundle any, prefix string) []leaf {
	var ls []leaf
	var visit func(v reflect.Value, name, sep, path string, out bool)
	join := func(name, sep, field string) string {
		if name == "" || field == "" {
			return name + field
		}
		return name + sep + field
	}
	visit = func(v reflect.Value, name, sep, path string, out bool) {
		if v.Type() == varType {
			ls = append(ls, leaf{name, out, v.Addr().Interface().(*Var), path})
			return
		}
		switch v.Kind() {
		case reflect.Struct:
			for i := range v.NumField() {
				f := v.Type().Field(i)
				if !f.IsExported() {
					m.report(diag.Unbound, fmt.Sprintf("field %s.%s is not exported, so the language cannot see it", v.Type(), f.Name), "export it")
					continue
				}
				tag := parseTag(f)
				s := sep
				if tag.glue {
					s = ""
				}
				fv, fname := v.Field(i), join(name, sep, tag.name)
				if tag.opt && fv.Kind() == reflect.Slice {
					if fv.Len() == 0 {
						continue
					}
					fv.Set(reflect.Append(reflect.MakeSlice(fv.Type(), 0, 1), fv.Index(0)))
					fv = fv.Index(0)
				}
				visit(fv, fname, s, path+"."+f.Name, out != tag.in)
			}
		case reflect.Slice:
			c := reflect.MakeSlice(v.Type(), v.Len(), v.Len())
			reflect.Copy(c, v)
			v.Set(c)
			fallthrough
		case reflect.Array:
			for i := range v.Len() {
				visit(v.Index(i), join(name, "_", fmt.Sprint(i)), sep, fmt.Sprintf("%s[%d]", path, i), out)
			}
		default:
			m.report(diag.Misuse, fmt.Sprintf("%s is a %s; a bundle holds hdl.Var, structs, arrays and slices", path, v.Type()), "")
		}
	}
	v := reflect.ValueOf(bundle).Elem()
	visit(v, prefix, "_", v.Type().Name(), true)
	return ls
}

type fieldTag struct {
	name          string
	in, glue, opt bool
}

func parseTag(f reflect.StructField) fieldTag {
	t := fieldTag{name: snake(f.Name)}
	for _, part := range strings.Split(f.Tag.Get("hdl"), ",") {
		switch {
		case part == "in":
			t.in = true
		case part == "glue":
			t.glue = true
		case part == "opt":
			t.opt = true
		case strings.HasPrefix(part, "name="):
			t.name = strings.TrimPrefix(part, "name=")
		}
	}
	return t
}

// snake turns AddrWidth into addr_width and AXIPort into axi_port.
func snake(s string) string {
	var b strings.Builder
	upper := func(i int) bool { return i < len(s) && s[i] >= 'A' && s[i] <= 'Z' }
	for i := range len(s) {
		if upper(i) {
			if i > 0 && (!upper(i-1) || i+1 < len(s) && !upper(i+1)) && s[i-1] != '_' {
				b.WriteByte('_')
			}
			b.WriteByte(s[i] + 'a' - 'A')
		} else {
			b.WriteByte(s[i])
		}
	}
	return b.String()
}

// Role says on which side of a bundle a module stands.
type Role uint8

const (
	Source Role = iota // drives the fields tagged out
	Sink               // drives the fields tagged in
)

// Ports declares the ports of a bundle of types and returns the bundle bound to
// them. Names are prefix and field names joined by underscores.
func Ports[T any](m *Module, prefix string, role Role, t T, opts ...Option) T {
	for _, l := range leaves(m, &t, prefix) {
		kind := ir.Output
		if l.out != (role == Source) {
			kind = ir.Input
		}
		*l.v = m.declareLeaf(l, kind, opts)
	}
	return t
}

// Wires declares a wire for each field of a bundle of types.
func Wires[T any](m *Module, name string, t T, opts ...Option) T {
	for _, l := range leaves(m, &t, name) {
		*l.v = m.declareLeaf(l, ir.Wire, opts)
	}
	return t
}

// Regs declares a register for each field of a bundle of types.
func Regs[T any](m *Module, name string, t T, opts ...Option) T {
	for _, l := range leaves(m, &t, name) {
		*l.v = m.declareLeaf(l, ir.Reg, opts)
	}
	return t
}

func (m *Module) declareLeaf(l leaf, kind ir.Kind, opts []Option) Var {
	if l.v.e == nil && l.v.typ.Width == 0 {
		m.report(diag.Unbound, fmt.Sprintf("field %s has no type", l.path), "give it one, such as hdl.U(8)")
		return Var{Signal: Signal{m: m, bad: true}}
	}
	return m.declare(l.name, kind, *l.v, opts)
}

func pairs[T any](a, b *T) (m *Module, as, bs []leaf) {
	as, bs = leaves(&Module{}, a, ""), leaves(&Module{}, b, "")
	for _, ls := range [][]leaf{as, bs} {
		for _, l := range ls {
			if l.v.m != nil {
				m = l.v.m
			}
		}
	}
	if m == nil {
		return nil, nil, nil
	}
	if len(as) != len(bs) {
		m.report(diag.Width, fmt.Sprintf("the bundles have %d and %d fields", len(as), len(bs)), "")
		return m, nil, nil
	}
	return m, as, bs
}

// Connect joins two bundles of one type: the fields that a source drives are
// assigned from "from" to "to", those that a sink drives the other way.
func Connect[T any](to, from T) {
	_, ts, fs := pairs(&to, &from)
	for i := range ts {
		if ts[i].out {
			ts[i].v.Set(*fs[i].v)
		} else {
			fs[i].v.Set(*ts[i].v)
		}
	}
}

// Assign sets every field of a bundle from the other, whatever its direction.
func Assign[T any](to, from T) {
	_, ts, fs := pairs(&to, &from)
	for i := range ts {
		ts[i].v.Set(*fs[i].v)
	}
}

// MuxOf is [Mux] for each field.
func MuxOf[T any](cond Value, then, els T) T {
	_, ts, es := pairs(&then, &els)
	for i := range ts {
		*ts[i].v = V(Mux(cond, *ts[i].v, *es[i].v))
	}
	return then
}

// V makes a value usable as a field of a bundle. It cannot be assigned.
func V(s Signal) Var { return Var{Signal: s} }

// WidthOf is the sum of the widths of a bundle's fields.
func WidthOf[T any](t T) int {
	w := 0
	for _, l := range leaves(&Module{}, &t, "") {
		w += l.v.Width()
	}
	return w
}

// Pack concatenates the fields of a bundle, the first one most significant.
func Pack[T any](t T) Signal {
	var parts []Value
	for _, l := range leaves(&Module{}, &t, "") {
		parts = append(parts, *l.v)
	}
	return Cat(parts...)
}

// Unpack is the inverse of [Pack]: a bundle shaped as the types t, its fields
// taken from the bits of s.
func Unpack[T any](t T, s Signal) T {
	hi := s.Width()
	for _, l := range leaves(&Module{}, &t, "") {
		w := l.v.Width()
		f := s.slice(hi-w, w)
		if l.v.Signed() {
			f = f.AsSigned()
		}
		*l.v, hi = V(f), hi-w
	}
	return t
}

// Stream carries a payload with the valid/ready handshake. A transfer happens in
// each cycle in which both are one. Once Valid is one, it and Data stay until the
// transfer. Valid never waits for Ready, neither combinationally nor over time;
// Ready may wait for Valid.
type Stream[T any] struct {
	Valid Var `hdl:"out"`
	Ready Var `hdl:"in"`
	Data  T   `hdl:"out,name="`
}

// StreamOf is the type of a stream of the payload type t.
func StreamOf[T any](t T) Stream[T] { return Stream[T]{Valid: Bool(), Ready: Bool(), Data: t} }

// Fire is one bit: a transfer happens in this cycle.
func (s Stream[T]) Fire() Signal { return s.Valid.And(s.Ready) }

// Enum is a set of named values whose names reach RTL and waves.
type Enum struct{ ir *ir.Enum }

// NewEnum names the values 0, 1, 2, … of a type.
func NewEnum(name string, values ...string) Enum {
	e := &ir.Enum{Name: name}
	for i, v := range values {
		e.Values = append(e.Values, ir.EnumValue{Name: v, Value: uint64(i)})
	}
	return Enum{e}
}

// Type is the unsigned type that just holds the enumeration's values.
func (e Enum) Type() Var {
	return Var{Signal: Signal{typ: ir.Type{Width: ir.AddrBits(len(e.ir.Values)), Enum: e.ir}}}
}

// K is the literal of a named value. It panics for a name that the enumeration
// does not have, which elaboration reports.
func (e Enum) K(value string) K {
	for _, v := range e.ir.Values {
		if v.Name == value {
			return K(v.Value)
		}
	}
	panic(fmt.Sprintf("enumeration %s has no value %q", e.ir.Name, value))
}
