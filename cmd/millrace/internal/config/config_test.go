package config

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
)

type colour uint8

func (c colour) MarshalText() ([]byte, error) { return []byte([]string{"red", "green"}[c]), nil }

func (c *colour) UnmarshalText(b []byte) error {
	switch string(b) {
	case "red":
		*c = 0
	case "green":
		*c = 1
	default:
		return errors.New("choose one of red, green")
	}
	return nil
}

type inner struct {
	Depth int
	Kinds []string
}

type settings struct {
	DataWidth  int
	IDWidth    int
	MaskLanes  bool
	Count      uint8
	Colour     colour
	Buffer     inner
	Shared     `config:"inline"`
	Flat       flat `config:"inline"`
	unexported int
}

// Shared and flat have a tag: their keys are those of the struct around them.
type Shared struct{ Ports int }

type flat struct{ Beats int }

func defaults() settings {
	return settings{DataWidth: 32, IDWidth: 4, MaskLanes: true, Buffer: inner{Depth: 2, Kinds: []string{"a"}}, unexported: 7}
}

func TestKeysAndValues(t *testing.T) {
	s := defaults()
	want := []Key{
		{"data_width", "integer", "32"},
		{"id_width", "integer", "4"},
		{"mask_lanes", "true or false", "true"},
		{"count", "unsigned integer", "0"},
		{"colour", "name", "red"},
		{"buffer.depth", "integer", "2"},
		{"buffer.kinds", "list of text", "[a]"},
		{"ports", "integer", "0"},
		{"beats", "integer", "0"},
	}
	require.Empty(t, cmp.Diff(want, Keys(&s)))

	b, err := json.Marshal(Values(&s))
	require.NoError(t, err)
	require.JSONEq(t, `{"data_width":32,"id_width":4,"mask_lanes":true,"count":0,"colour":"red","buffer":{"depth":2,"kinds":["a"]},"ports":0,"beats":0}`, string(b))
}

func TestLoad(t *testing.T) {
	for _, c := range []struct {
		name, yaml string
		set        []string
		want       func(*settings)
		errs       []string // parts of the error, all of them expected
	}{
		{name: "nothing"},
		{name: "file", yaml: "# comment\ndata_width: 0x40\nmask_lanes: false\ncolour: green\n",
			want: func(s *settings) { s.DataWidth, s.MaskLanes, s.Colour = 64, false, 1 }},
		{name: "nested", yaml: "buffer:\n  depth: 5\n", want: func(s *settings) { s.Buffer.Depth = 5 }},
		{name: "embedded and inline", yaml: "ports: 3\n", set: []string{"beats=5"}, want: func(s *settings) { s.Ports, s.Flat.Beats = 3, 5 }},
		{name: "no key of an inline struct", set: []string{"flat.beats=5"}, errs: []string{"unknown key flat"}},
		{name: "list", yaml: "buffer: {kinds: [x, y]}\n", want: func(s *settings) { s.Buffer.Kinds = []string{"x", "y"} }},
		{name: "pair wins over file", yaml: "data_width: 64\n", set: []string{"data_width=128"},
			want: func(s *settings) { s.DataWidth = 128 }},
		{name: "later pair wins", set: []string{"count=1", "count=2"}, want: func(s *settings) { s.Count = 2 }},
		{name: "dotted pair", set: []string{"buffer.depth=9", "buffer.kinds=[p, q]"},
			want: func(s *settings) { s.Buffer = inner{9, []string{"p", "q"}} }},
		{name: "anchors", yaml: "data_width: &w 64\nid_width: *w\n", want: func(s *settings) { s.DataWidth, s.IDWidth = 64, 64 }},
		{name: "empty file", yaml: "# only a comment\n"},

		{name: "unknown key in file", yaml: "data_width: 32\n\ndata_with: 64\n",
			errs: []string{"f.yaml:3: unknown key data_with; did you mean data_width"}},
		{name: "unknown nested key", yaml: "buffer:\n  depht: 1\n", errs: []string{"f.yaml:2: unknown key buffer.depht; did you mean depth?"}},
		{name: "unknown key in pair", set: []string{"outstanding=3"}, errs: []string{"--set outstanding=3: unknown key outstanding; there are data_width"}},
		{name: "no equals sign", set: []string{"data_width"}, errs: []string{"--set data_width: expected key=value"}},
		{name: "no key", set: []string{"=3"}, errs: []string{"expected key=value"}},
		{name: "no value", set: []string{"data_width="}, errs: []string{`--set data_width=: data_width cannot be ""; wanted: integer`}},
		{name: "null value", yaml: "data_width:\n", errs: []string{"f.yaml:1: data_width has no value; wanted: integer"}},
		{name: "wrong type", yaml: "\ndata_width: wide\n", errs: []string{`f.yaml:2: data_width cannot be "wide"; wanted: integer`}},
		{name: "fraction", set: []string{"data_width=1.5"}, errs: []string{`data_width cannot be "1.5"`}},
		{name: "negative unsigned", set: []string{"count=-1"}, errs: []string{`count cannot be "-1"; wanted: unsigned integer`}},
		{name: "too large", set: []string{"count=256"}, errs: []string{`count cannot be "256"`}},
		{name: "not a truth value", set: []string{"mask_lanes=maybe"}, errs: []string{`mask_lanes cannot be "maybe"; wanted: true or false`}},
		{name: "unknown name", set: []string{"colour=blue"}, errs: []string{`colour cannot be "blue": choose one of red, green`}},
		{name: "list for a number", yaml: "data_width: [1]\n", errs: []string{"data_width cannot be a list; wanted: integer"}},
		{name: "number for a struct", yaml: "buffer: 3\n", errs: []string{"buffer has to be a mapping"}},
		{name: "key below a number", set: []string{"data_width.x=1"}, errs: []string{"data_width has no keys below it"}},
		{name: "set twice", yaml: "count: 1\ncount: 2\n", errs: []string{"f.yaml:2: count is set a second time; the first is in line 1"}},
		{name: "not a mapping", yaml: "- 1\n", errs: []string{"f.yaml:1: the configuration has to be a mapping"}},
		{name: "not YAML", yaml: "a: [1\n", errs: []string{"f.yaml: not valid YAML", "line "}},
		{name: "pair not YAML", set: []string{"buffer.kinds=[a"}, errs: []string{"the value is not valid YAML"}},
		{name: "all problems at once", yaml: "a: 1\nb: 2\n", set: []string{"c=3"}, errs: []string{"f.yaml:1", "f.yaml:2", "--set c=3"}},
		{name: "two documents", yaml: "count: 1\n---\ncount: 2\n", errs: []string{"f.yaml:2: a second document"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := defaults()
			file := ""
			if c.yaml != "" {
				t.Chdir(t.TempDir())
				file = "f.yaml"
				require.NoError(t, os.WriteFile(file, []byte(c.yaml), 0o600))
			}
			err := Load(&got, file, c.set)
			if len(c.errs) > 0 {
				for _, part := range c.errs {
					require.ErrorContains(t, err, part)
				}
				return
			}
			require.NoError(t, err)
			want := defaults()
			if c.want != nil {
				c.want(&want)
			}
			require.Empty(t, cmp.Diff(want, got, cmp.AllowUnexported(settings{})))
		})
	}
}

func TestInKeys(t *testing.T) {
	s := defaults()
	err := errors.Join(errors.New("DataWidth is 3; allowed: 8 to IDWidth, which is 4"), errors.New("Other is Data"))
	require.Equal(t, "data_width is 3; allowed: 8 to id_width, which is 4; Other is Data", InKeys(&s, err))
}

func TestLoadUnreadable(t *testing.T) {
	s := defaults()
	require.ErrorContains(t, Load(&s, filepath.Join(t.TempDir(), "absent.yaml"), nil), "cannot read the configuration: open ")
}
