package hdl

import (
	"cmp"
	"fmt"
	"reflect"
	"strings"

	"github.com/millrace-hdl/millrace/hdl/diag"

	"github.com/millrace-hdl/millrace/internal/snake"
)

// A bundle is a struct whose exported fields are [Var], other bundles, or arrays
// and slices of them. The fields of an embedded struct count as the struct's own.
// A field tag `hdl:"…"` holds, separated by commas:
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

// flaw is what is wrong with the Go type of a bundle.
type flaw struct{ message, fix string }

var varType = reflect.TypeFor[Var]()

// leaves lists the signals of *bundle in order, and what is wrong with its type.
// The bundle's slices are copied first, so that what is set through the leaves
// reaches no other copy of it.
func leaves(bundle any, prefix string) (ls []leaf, flaws []flaw) {
	v := reflect.ValueOf(bundle).Elem()
	w := walker{}
	w.visit(v, leaf{name: prefix, out: true, path: v.Type().Name()}, "_")
	return w.leaves, w.flaws
}

// leaves is the function of that name; it reports the flaws of a type once.
func (m *Module) leaves(bundle any, prefix string) []leaf {
	ls, flaws := leaves(bundle, prefix)
	m.tell(flaws)
	return ls
}

// tell reports what is wrong with the Go type of a bundle, once.
func (m *Module) tell(flaws []flaw) {
	for _, f := range flaws {
		if m.design.once(f) {
			m.report(diag.Misuse, f.message, f.fix)
		}
	}
}

type walker struct {
	leaves []leaf
	flaws  []flaw
}

func (w *walker) flaw(fix, format string, args ...any) {
	w.flaws = append(w.flaws, flaw{fmt.Sprintf(format, args...), fix})
}

// visit adds what is in v, where at is the leaf that v would be itself.
func (w *walker) visit(v reflect.Value, at leaf, sep string) {
	if v.Type() == varType {
		at.v = v.Addr().Interface().(*Var)
		w.leaves = append(w.leaves, at)
		return
	}
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			w.field(v, i, at, sep)
		}
	case reflect.Slice:
		c := reflect.MakeSlice(v.Type(), v.Len(), v.Len())
		reflect.Copy(c, v)
		v.Set(c)
		fallthrough
	case reflect.Array:
		for i := range v.Len() {
			w.visit(v.Index(i), leaf{name: join(at.name, "_", fmt.Sprint(i)), out: at.out, path: fmt.Sprintf("%s[%d]", at.path, i)}, sep)
		}
	default:
		w.flaw("", "%s is a %s; a bundle holds hdl.Var, structs, arrays and slices", cmp.Or(at.path, "the bundle"), v.Type())
	}
}

func (w *walker) field(v reflect.Value, i int, at leaf, sep string) {
	fv, f := v.Field(i), v.Type().Field(i)
	embedded := f.Anonymous && fv.Kind() == reflect.Struct && fv.Type() != varType
	if !f.IsExported() && !embedded {
		w.flaw("export it", "field %s.%s is not exported, so the language cannot see it", v.Type(), f.Name)
		return
	}
	tag := w.tag(v.Type(), f, embedded)
	at.name, at.path, at.out = join(at.name, sep, tag.name), at.path+"."+f.Name, at.out != tag.in
	if tag.glue { // from here down
		sep = ""
	}
	if tag.opt {
		switch {
		case fv.Kind() != reflect.Slice:
			w.flaw("make it a slice", "field %s is optional and a %s", at.path, fv.Type())
		case fv.Len() > 1:
			w.flaw("one is the most", "the optional field %s has %d elements", at.path, fv.Len())
		case fv.Len() == 0:
			return
		default:
			fv.Set(reflect.Append(reflect.MakeSlice(fv.Type(), 0, 1), fv.Index(0)))
			fv = fv.Index(0)
		}
	}
	w.visit(fv, at, sep)
}

func join(name, sep, field string) string {
	if name == "" || field == "" {
		return name + field
	}
	return name + sep + field
}

type fieldTag struct {
	name               string
	in, out, glue, opt bool
}

func (w *walker) tag(in reflect.Type, f reflect.StructField, embedded bool) fieldTag {
	t := fieldTag{name: snake.Case(f.Name)}
	if embedded {
		t.name = ""
	}
	text := f.Tag.Get("hdl")
	for _, part := range strings.Split(text, ",") {
		name, named := strings.CutPrefix(part, "name=")
		switch {
		case named:
			t.name = name
		case part == "in":
			t.in = true
		case part == "out":
			t.out = true
		case part == "glue":
			t.glue = true
		case part == "opt":
			t.opt = true
		case text != "":
			w.flaw("the words are in, out, name=, glue and opt", "the tag of field %s.%s has the word %q", in, f.Name, part)
		}
	}
	if t.in && t.out {
		w.flaw("choose one", "field %s.%s is tagged both in and out", in, f.Name)
	}
	return t
}
