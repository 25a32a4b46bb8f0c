// Package config fills a Go configuration struct from YAML and from key=value
// pairs. Keys are the snake_case of the exported field names, dotted for nested
// structs; nothing has to be declared twice. Every problem is an error that says
// where it stands (file and line, or the pair), the value, and what is allowed.
package config

import (
	"encoding"
	"fmt"
	"reflect"
	"regexp"
	"strings"

	"github.com/millrace-hdl/millrace/internal/snake"
)

// Key is one setting of a configuration struct.
type Key struct {
	Name  string // snake_case, dotted for fields of nested structs
	Type  string // integer, boolean, text, or "list of" one of these
	Value string // present value, as it would be written in YAML
}

// Keys lists the settings of the struct that cfg points to, in field order.
func Keys(cfg any) []Key {
	return keys("", reflect.ValueOf(cfg).Elem())
}

func keys(prefix string, v reflect.Value) []Key {
	var ks []Key
	for _, f := range fields(v.Type()) {
		name, fv := prefix+f.key, v.FieldByIndex(f.index)
		if nested(fv.Type()) {
			ks = append(ks, keys(name+".", fv)...)
		} else {
			ks = append(ks, Key{name, typeName(fv.Type()), text(fv)})
		}
	}
	return ks
}

// InKeys is the error's text with the names of fields of the struct that cfg
// points to replaced by their keys, and joined errors on one line.
func InKeys(cfg any, err error) string {
	t := reflect.TypeOf(cfg).Elem()
	text := strings.ReplaceAll(err.Error(), "\n", "; ")
	return word.ReplaceAllStringFunc(text, func(w string) string {
		if hasField(t, w) {
			return snake.Case(w)
		}
		return w
	})
}

// hasField reports whether the struct, or one nested in it, has a field of that name.
func hasField(t reflect.Type, name string) bool {
	if f, ok := t.FieldByName(name); ok && f.IsExported() {
		return true
	}
	for i := range t.NumField() {
		if f := t.Field(i); f.IsExported() && nested(f.Type) && hasField(f.Type, name) {
			return true
		}
	}
	return false
}

var word = regexp.MustCompile(`\b[A-Z]\w*\b`)

type field struct {
	key   string
	index []int
}

// fields are those with keys. The fields of a struct with the tag config:"inline" count as
// those of the struct around it.
func fields(t reflect.Type) []field {
	var fs []field
	for i := range t.NumField() {
		f := t.Field(i)
		switch {
		case !f.IsExported():
		case nested(f.Type) && f.Tag.Get("config") == "inline":
			for _, inner := range fields(f.Type) {
				fs = append(fs, field{inner.key, append([]int{i}, inner.index...)})
			}
		default:
			fs = append(fs, field{snake.Case(f.Name), []int{i}})
		}
	}
	return fs
}

func fieldNames(t reflect.Type) []string {
	fs := fields(t)
	names := make([]string, len(fs))
	for i, f := range fs {
		names[i] = f.key
	}
	return names
}

var textMarshaler = reflect.TypeFor[encoding.TextMarshaler]()

// nested reports whether a field is a struct with keys of its own.
func nested(t reflect.Type) bool {
	return t.Kind() == reflect.Struct && !t.Implements(textMarshaler)
}

func typeName(t reflect.Type) string {
	if t.Implements(textMarshaler) {
		return "name"
	}
	switch t.Kind() {
	case reflect.Bool:
		return "true or false"
	case reflect.Slice, reflect.Array:
		return "list of " + typeName(t.Elem())
	case reflect.String:
		return "text"
	case reflect.Float32, reflect.Float64:
		return "number"
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return "unsigned integer"
	}
	return "integer"
}

func text(v reflect.Value) string {
	if m, ok := v.Interface().(encoding.TextMarshaler); ok {
		if b, err := m.MarshalText(); err == nil {
			return string(b)
		}
	}
	if v.Kind() == reflect.Slice || v.Kind() == reflect.Array {
		parts := make([]string, v.Len())
		for i := range parts {
			parts[i] = text(v.Index(i))
		}
		return "[" + strings.Join(parts, ", ") + "]"
	}
	return fmt.Sprint(v.Interface())
}

// Values returns the settings as a tree for JSON: numbers, truth values, texts
// and lists under their keys, nested structs as maps.
func Values(cfg any) map[string]any { return values(reflect.ValueOf(cfg).Elem()) }

func values(v reflect.Value) map[string]any {
	m := map[string]any{}
	for _, f := range fields(v.Type()) {
		if fv := v.FieldByIndex(f.index); nested(fv.Type()) {
			m[f.key] = values(fv)
		} else {
			m[f.key] = fv.Interface()
		}
	}
	return m
}
