package job

import (
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/millrace-hdl/millrace/internal/near"
)

// MaxYAMLBytes bounds a YAML list: its tree takes many times the space of its text.
const MaxYAMLBytes = 8 << 20

// ReadYAML reads the YAML form: a mapping with the key transfers, a list of
// mappings from field names to values, and optionally the key defaults, a
// mapping of the same fields that each transfer starts from.
//
//	defaults:
//	  decouple_aw: true
//	transfers:
//	  - {length: 64, src: 0x1000, dst: 0x2003}
//	  - {length: 8, src: 0, dst: 0x4000, repeat: {count: 100, src_step: 8, dst_step: 16}}
//
// Numbers are decimal or hexadecimal with 0x. A transfer needs length, src and
// dst. The names of all fields are those that [FieldNames] lists.
func ReadYAML(r io.Reader, name string) (list *List, err error) {
	data, err := slurp(r, name)
	if err != nil {
		return nil, err
	}
	if len(data) > MaxYAMLBytes {
		return nil, &Error{File: name, Job: -1, Want: fmt.Sprintf("the file is larger than %d MiB; use the line format or repeat", MaxYAMLBytes>>20)}
	}
	y := &yamlReader{name: name, job: -1}
	root, err := y.parse(data)
	if err != nil {
		return nil, err
	}
	return y.list(root)
}

type yamlReader struct {
	name string
	job  int
}

func (y *yamlReader) fail(n *yaml.Node, field, value, want string) error {
	e := &Error{File: y.name, Job: y.job, Field: field, Value: value, Want: want}
	if n != nil {
		e.Line = n.Line
	}
	return e
}

var yamlLine = regexp.MustCompile(`^yaml: (?:line (\d+): )?`)

// parse turns text into one document. The library reports syntax by errors, but
// its scanner is known to panic on some malformed input.
func (y *yamlReader) parse(data []byte) (root *yaml.Node, err error) {
	defer func() {
		if p := recover(); p != nil {
			root, err = nil, &Error{File: y.name, Job: -1, Want: "not readable as YAML"}
		}
	}()
	dec := yaml.NewDecoder(strings.NewReader(string(data)))
	var doc yaml.Node
	if err := dec.Decode(&doc); err != nil {
		if errors.Is(err, io.EOF) {
			return nil, &Error{File: y.name, Job: -1, Want: "the file is empty; expected the key transfers"}
		}
		e := &Error{File: y.name, Job: -1, Want: "not readable as YAML: "}
		text := err.Error()
		if m := yamlLine.FindStringSubmatch(text); m != nil {
			e.Line, _ = strconv.Atoi(m[1])
			text = text[len(m[0]):]
		}
		e.Want += text
		return nil, e
	}
	var second yaml.Node
	if err := dec.Decode(&second); !errors.Is(err, io.EOF) {
		return nil, y.fail(&second, "", "", "more than one YAML document in the file; expected one")
	}
	if len(doc.Content) == 0 {
		return nil, y.fail(&doc, "", "", "the file is empty; expected the key transfers")
	}
	return doc.Content[0], nil
}

func (y *yamlReader) list(root *yaml.Node) (*List, error) {
	var defaults, transfers *yaml.Node
	err := y.pairs(root, "the file", []string{"defaults", "transfers"}, func(key string, v *yaml.Node) error {
		switch key {
		case "defaults":
			defaults = v
		case "transfers":
			transfers = v
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	if transfers == nil {
		return nil, y.fail(root, "transfers", "missing", "expected a list of transfers")
	}
	start := New(0, 0, 0)
	if defaults != nil {
		if _, err := y.fields(defaults, "defaults", &start, nil); err != nil {
			return nil, err
		}
	}
	if transfers = target(transfers); transfers.Kind != yaml.SequenceNode {
		return nil, y.fail(transfers, "transfers", describe(transfers), "expected a list of transfers")
	}
	list := &List{Name: y.name}
	for _, n := range transfers.Content {
		y.job = len(list.Jobs)
		if err := y.transfer(list, start, n); err != nil {
			return nil, err
		}
	}
	if len(list.Jobs) == 0 {
		return nil, y.fail(transfers, "transfers", "empty", "expected at least one transfer")
	}
	return list, nil
}

func (y *yamlReader) transfer(list *List, start Job, n *yaml.Node) error {
	j := start
	j.Dims = append([]Dim(nil), start.Dims...)
	j.Errors = append([]BusError(nil), start.Errors...)
	rep := repeat{count: 1}
	seen, err := y.fields(n, "the transfer", &j, &rep)
	if err != nil {
		return err
	}
	for _, f := range []string{"length", "src", "dst"} {
		if !seen[f] {
			return y.fail(n, f, "missing", "every transfer needs length, src and dst")
		}
	}
	j.Line = n.Line
	if rep.count > uint64(MaxJobs-len(list.Jobs)) {
		return y.fail(n, "repeat.count", strconv.FormatUint(rep.count, 10), fmt.Sprintf("more than %d transfers; split the file", MaxJobs))
	}
	for range rep.count {
		list.Jobs = append(list.Jobs, j)
		j.Src.Addr += rep.srcStep
		j.Dst.Addr += rep.dstStep
	}
	return nil
}

// target is the node that an alias stands for.
func target(n *yaml.Node) *yaml.Node {
	for n.Kind == yaml.AliasNode && n.Alias != nil {
		n = n.Alias
	}
	return n
}

// describe names a node's content for an error.
func describe(n *yaml.Node) string {
	switch n.Kind {
	case yaml.MappingNode:
		return "a mapping"
	case yaml.SequenceNode:
		return "a list"
	}
	if n.Tag == "!!null" {
		return "empty"
	}
	return quoted(n.Value)
}

// pairs calls f for each key of a mapping, in order; keys must be among names and
// not repeat.
func (y *yamlReader) pairs(n *yaml.Node, what string, names []string, f func(key string, v *yaml.Node) error) error {
	n = target(n)
	if n.Kind != yaml.MappingNode {
		return y.fail(n, "", "", fmt.Sprintf("%s is %s; expected a mapping with keys among %s", what, describe(n), strings.Join(names, ", ")))
	}
	seen := map[string]bool{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		k, v := target(n.Content[i]), target(n.Content[i+1])
		known := false
		for _, name := range names {
			known = known || (k.Kind == yaml.ScalarNode && k.Value == name)
		}
		if !known {
			return y.fail(n.Content[i], "key", describe(k), "unknown in "+what+"; "+near.Hint("key", cut(k.Value), names))
		}
		if seen[k.Value] {
			return y.fail(n.Content[i], k.Value, "given twice", "give it once")
		}
		seen[k.Value] = true
		if err := f(k.Value, v); err != nil {
			return err
		}
	}
	return nil
}
