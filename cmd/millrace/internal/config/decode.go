package config

import (
	"encoding"
	"errors"
	"fmt"
	"io"
	"os"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/millrace-hdl/millrace/internal/near"
)

// Load applies the YAML file, unless its name is empty, and then each key=value
// pair to the struct that cfg points to. Later values win. All problems are
// reported at once, joined.
func Load(cfg any, file string, pairs []string) error {
	var errs []error
	if file != "" {
		errs = append(errs, loadFile(cfg, file))
	}
	for _, p := range pairs {
		errs = append(errs, set(cfg, p))
	}
	return errors.Join(errs...)
}

func loadFile(cfg any, name string) error {
	f, err := os.Open(name)
	if err != nil {
		return fmt.Errorf("cannot read the configuration: %w", err)
	}
	defer f.Close()
	return Decode(cfg, name, f)
}

// Decode applies one YAML document; name is what errors call it.
func Decode(cfg any, name string, r io.Reader) (err error) {
	defer func() {
		if p := recover(); p != nil { // the library's scanner does that on some malformed inputs
			err = fmt.Errorf("%s: not valid YAML: %v", name, p)
		}
	}()
	var doc, next yaml.Node
	dec := yaml.NewDecoder(r)
	if err := dec.Decode(&doc); err != nil {
		if errors.Is(err, io.EOF) {
			return nil // an empty file changes nothing
		}
		return fmt.Errorf("%s: not valid YAML: %s", name, strings.TrimPrefix(err.Error(), "yaml: "))
	}
	d := decoder{where: func(n *yaml.Node) string { return name + ":" + strconv.Itoa(n.Line) }}
	d.structure("", doc.Content[0], reflect.ValueOf(cfg).Elem())
	if err := dec.Decode(&next); err == nil {
		d.fail(&next, "a second document; a configuration is one")
	} else if !errors.Is(err, io.EOF) {
		d.errs = append(d.errs, fmt.Errorf("%s: not valid YAML: %w", name, err))
	}
	return errors.Join(d.errs...)
}

// set applies one key=value pair.
func set(cfg any, pair string) error {
	key, value, ok := strings.Cut(pair, "=")
	if key = strings.TrimSpace(key); !ok || key == "" {
		return fmt.Errorf("--set %s: expected key=value, for example --set data_width=64", pair)
	}
	d := decoder{where: func(*yaml.Node) string { return "--set " + pair }}
	node := &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str"}
	var doc yaml.Node
	if err := yaml.Unmarshal([]byte(value), &doc); err != nil {
		return fmt.Errorf("--set %s: the value is not valid YAML: %s", pair, strings.TrimPrefix(err.Error(), "yaml: "))
	} else if len(doc.Content) > 0 {
		node = doc.Content[0]
	}
	v := reflect.ValueOf(cfg).Elem()
	path := strings.Split(key, ".")
	for i, name := range path {
		f, ok := d.field(strings.Join(path[:i], "."), name, node, v)
		if !ok {
			return errors.Join(d.errs...)
		}
		if v = f; i < len(path)-1 && !nested(v.Type()) {
			return fmt.Errorf("--set %s: %s has no keys below it", pair, strings.Join(path[:i+1], "."))
		}
	}
	d.value(key, node, v)
	return errors.Join(d.errs...)
}

type decoder struct {
	where func(*yaml.Node) string
	errs  []error
}

func (d *decoder) fail(n *yaml.Node, format string, args ...any) {
	d.errs = append(d.errs, fmt.Errorf("%s: %s", d.where(n), fmt.Sprintf(format, args...)))
}

// structure applies a mapping to a struct; path is the dotted key of the struct.
func (d *decoder) structure(path string, n *yaml.Node, v reflect.Value) {
	for n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	if n.Kind == yaml.ScalarNode && n.Tag == "!!null" {
		return
	}
	if n.Kind != yaml.MappingNode {
		what := "the configuration"
		if path != "" {
			what = path
		}
		d.fail(n, "%s has to be a mapping of key: value, one a line", what)
		return
	}
	seen := map[string]int{}
	for i := 0; i < len(n.Content); i += 2 {
		k, val := n.Content[i], n.Content[i+1]
		if line, twice := seen[k.Value]; twice {
			d.fail(k, "%s is set a second time; the first is in line %d", k.Value, line)
			continue
		}
		seen[k.Value] = k.Line
		if f, ok := d.field(path, k.Value, k, v); ok {
			d.value(join(path, k.Value), val, f)
		}
	}
}

// field finds the field of a key, or reports it with the names near it.
func (d *decoder) field(path, name string, n *yaml.Node, v reflect.Value) (reflect.Value, bool) {
	for _, f := range fields(v.Type()) {
		if f.key == name {
			return v.FieldByIndex(f.index), true
		}
	}
	d.fail(n, "unknown key %s; %s", join(path, name), near.Hint("key", name, fieldNames(v.Type())))
	return reflect.Value{}, false
}

// value applies a node to a field of any kind.
func (d *decoder) value(key string, n *yaml.Node, v reflect.Value) {
	if nested(v.Type()) {
		d.structure(key, n, v)
		return
	}
	fresh := reflect.New(v.Type())
	if n.Tag == "!!null" {
		d.fail(n, "%s has no value; wanted: %s", key, typeName(v.Type()))
		return
	}
	n = joined(n, fresh)
	err := n.Decode(fresh.Interface())
	if hasFraction(n) && strings.HasSuffix(typeName(v.Type()), "integer") {
		err = &yaml.TypeError{} // the library would cut the fraction off
	}
	if err != nil {
		var te *yaml.TypeError
		if errors.As(err, &te) || n.Kind != yaml.ScalarNode {
			d.fail(n, "%s cannot be %s; wanted: %s", key, literal(n), typeName(v.Type()))
		} else {
			d.fail(n, "%s cannot be %s: %v", key, literal(n), err)
		}
		return
	}
	v.Set(fresh.Elem())
}

// joined is a list of words as one text where the field reads such a text.
func joined(n *yaml.Node, fresh reflect.Value) *yaml.Node {
	if _, ok := fresh.Interface().(encoding.TextUnmarshaler); !ok || n.Kind != yaml.SequenceNode {
		return n
	}
	var words []string
	for _, c := range n.Content {
		if c.Kind != yaml.ScalarNode {
			return n
		}
		words = append(words, c.Value)
	}
	return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: strings.Join(words, ", "), Line: n.Line}
}

// hasFraction reports whether the node is or holds a number with a fraction.
func hasFraction(n *yaml.Node) bool {
	return n.ShortTag() == "!!float" || slices.ContainsFunc(n.Content, hasFraction)
}

func literal(n *yaml.Node) string {
	switch n.Kind {
	case yaml.MappingNode:
		return "a mapping"
	case yaml.SequenceNode:
		return "a list"
	}
	return strconv.Quote(n.Value)
}

func join(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}
