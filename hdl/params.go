package hdl

import (
	"fmt"
	"reflect"
	"strings"

	"github.com/millrace-hdl/millrace/hdl/diag"

	"github.com/millrace-hdl/millrace/internal/snake"
)

// Validator is a parameter set that knows what it allows. Validate is called
// before the module is built, and an error is reported in place of building it.
type Validator interface{ Validate() error }

// Suffixer is a parameter set that names its variants: module fifo with suffix
// w8_d4 becomes fifo_w8_d4. Without it the suffix lists the fields that are not
// zero, as in _width8_depth4.
type Suffixer interface{ Suffix() string }

// validate reports what Validate refuses.
func (m *Module) validate(p any) bool {
	v, ok := method[Validator](p)
	if !ok {
		return true
	}
	err := v.Validate()
	if err != nil {
		m.report(diag.Param, m.ir.Name+": "+err.Error(), "pass parameters that its Validate accepts")
	}
	return err == nil
}

// method finds methods of what p points to, or of the pointer.
func method[I any](p any) (I, bool) {
	if i, ok := reflect.ValueOf(p).Elem().Interface().(I); ok {
		return i, true
	}
	i, ok := p.(I)
	return i, ok
}

// suffix names a parameter set: its non-zero fields in order.
func suffix[P any](p P) string {
	if s, ok := method[Suffixer](&p); ok {
		if t := s.Suffix(); t != "" {
			return "_" + t
		}
		return ""
	}
	var b strings.Builder
	eachField(reflect.ValueOf(p), func(name string, v reflect.Value) {
		switch {
		case v.Kind() == reflect.Bool && v.Bool():
			b.WriteString("_" + snake.Case(name))
		case v.CanInt():
			fmt.Fprintf(&b, "_%s%d", snake.Case(name), v.Int())
		case v.CanUint():
			fmt.Fprintf(&b, "_%s%d", snake.Case(name), v.Uint())
		case v.Kind() == reflect.String:
			if w := word(v.String()); w != "" {
				b.WriteString("_" + w)
			}
		}
	})
	return strings.ReplaceAll(b.String(), "-", "m")
}

// word keeps of a text what may stand in a name.
func word(s string) string {
	return strings.Join(strings.FieldsFunc(strings.ToLower(s), func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < '0' || r > '9')
	}), "_")
}

// paramText prints a parameter set for the header comment. It prints no addresses,
// so that it is the same in every run.
func paramText(p any) string {
	var parts []string
	eachField(reflect.ValueOf(p), func(name string, v reflect.Value) {
		if !printable(v.Type()) {
			return
		}
		text := fmt.Sprint(v.Interface())
		if name != "" {
			text = name + "=" + text
		}
		parts = append(parts, text)
	})
	return strings.Join(parts, " ")
}

// printable reports whether the text of values of the type holds no address.
func printable(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Slice, reflect.Array:
		return printable(t.Elem())
	case reflect.Map:
		return printable(t.Key()) && printable(t.Elem())
	case reflect.Struct:
		for i := range t.NumField() {
			if !printable(t.Field(i).Type) {
				return false
			}
		}
		return true
	case reflect.Pointer, reflect.Func, reflect.Chan, reflect.UnsafePointer, reflect.Interface, reflect.Uintptr:
		return false
	}
	return true
}

// eachField calls f for the fields that are exported and not zero, also those of
// structs within, and for a set that is no struct once without a name.
func eachField(v reflect.Value, f func(name string, v reflect.Value)) {
	for v.Kind() == reflect.Pointer && !v.IsNil() {
		v = v.Elem()
	}
	if v.Kind() != reflect.Struct {
		if v.IsValid() && !v.IsZero() {
			f("", v)
		}
		return
	}
	for i := range v.NumField() {
		fv, ft := v.Field(i), v.Type().Field(i)
		switch {
		case !ft.IsExported() || fv.IsZero():
		case fv.Kind() == reflect.Struct, fv.Kind() == reflect.Pointer && fv.Elem().Kind() == reflect.Struct:
			eachField(fv, f)
		default:
			f(ft.Name, fv)
		}
	}
}
