package main

import (
	"errors"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"github.com/millrace-hdl/millrace/cmd/millrace/internal/config"
	"github.com/millrace-hdl/millrace/internal/snake"
)

var update = flag.Bool("update", false, "rewrite generated documents")

const modulePath = "github.com/millrace-hdl/millrace/"

// TestReferenceIsCurrent generates the configuration reference from the designs'
// configuration structs and their comments.
func TestReferenceIsCurrent(t *testing.T) {
	var b strings.Builder
	b.WriteString("# Configuration reference\n\n" +
		"<!-- Generated from the configuration structs; `go test ./cmd/millrace -update` writes it. -->\n\n" +
		"Keys are set in the YAML file of `-c`, one `key: value` a line, or with `--set key=value`, which wins. An unknown key and a value\n" +
		"out of range are errors.\n")
	first := map[reflect.Type]design{} // of its configuration
	for _, d := range catalogue() {
		cfg := d.defaults()
		typ := reflect.TypeOf(cfg)
		known, again := first[typ]
		if !again {
			first[typ] = d
		}
		var usual []config.Key // the defaults that need no repetition
		if again {
			usual = config.Keys(known.defaults())
		}
		fmt.Fprintf(&b, "\n## %s\n\n%s%s.\n\n", d.name, strings.ToUpper(d.summary[:1]), d.summary[1:])
		if again {
			fmt.Fprintf(&b, "The keys are those of [%s](#%s)", known.name, strings.ReplaceAll(known.name, ".", ""))
			if slices.Equal(config.Keys(cfg), usual) {
				b.WriteString(".\n")
				continue
			}
			b.WriteString(", with other defaults:\n\n")
		}
		b.WriteString("| key | type | default | meaning |\n|---|---|---|---|\n")
		for i := range typ.Elem().NumField() {
			f := typ.Elem().Field(i)
			inner, ok := first[reflect.PointerTo(f.Type)]
			if !ok || again {
				continue
			}
			prefix := prefixOf(f)
			label := "`" + prefix + "…`"
			if prefix == "" {
				label = "…"
			}
			fmt.Fprintf(&b, "| %s | | | The keys of [%s](#%s). |\n", label, inner.name, strings.ReplaceAll(inner.name, ".", ""))
			for _, k := range config.Keys(inner.defaults()) {
				k.Name = prefix + k.Name
				usual = append(usual, k)
			}
		}
		docs := fieldComments(t, reflect.TypeOf(cfg).Elem())
		for _, k := range config.Keys(cfg) {
			if slices.Contains(usual, k) {
				continue
			}
			fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", k.Name, k.Type, k.Value, docs[k.Name])
		}
	}
	isCurrent(t, filepath.Join("..", "..", "docs", "configuration.md"), b.String())
}

// TestReferenceOfKeysIsCurrent does the same with what millrace list says of keys.
func TestReferenceOfKeysIsCurrent(t *testing.T) {
	var b strings.Builder
	seen := map[string]bool{}
	for _, d := range catalogue() {
		cfg := d.defaults()
		name := configType(cfg)
		if seen[name] {
			continue
		}
		seen[name] = true
		docs := fieldComments(t, reflect.TypeOf(cfg).Elem())
		for _, k := range config.Keys(cfg) {
			require.NotEmpty(t, docs[k.Name], "%s.%s", name, k.Name)
			fmt.Fprintf(&b, "%s\t%s\t%s\n", name, k.Name, strings.ReplaceAll(docs[k.Name], `\|`, "|"))
		}
	}
	isCurrent(t, "keys.tsv", b.String())
}

// isCurrent compares a generated file, or writes it anew.
func isCurrent(t *testing.T, path, want string) {
	t.Helper()
	if *update {
		require.NoError(t, os.WriteFile(path, []byte(want), 0o600))
	}
	have, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Empty(t, cmp.Diff(string(have), want), "run go test ./cmd/millrace -update")
}

// prefixOf is what stands before the keys of a nested struct.
func prefixOf(f reflect.StructField) string {
	if f.Tag.Get("config") == "inline" {
		return ""
	}
	return snake.Case(f.Name) + "."
}

// fieldComments reads the comments of a struct's fields from its source, by key,
// with Go field names turned into keys.
func fieldComments(t *testing.T, s reflect.Type) map[string]string {
	t.Helper()
	dir := filepath.Join("..", "..", filepath.FromSlash(strings.TrimPrefix(s.PkgPath(), modulePath)))
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	zero := reflect.New(s).Interface()
	docs := map[string]string{}
	for i := range s.NumField() {
		if f := s.Field(i); f.IsExported() && f.Type.Kind() == reflect.Struct {
			for k, text := range fieldComments(t, f.Type) {
				docs[prefixOf(f)+k] = config.InKeys(zero, errors.New(text))
			}
		}
	}
	for _, e := range entries {
		if filepath.Ext(e.Name()) != ".go" {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(dir, e.Name()), nil, parser.ParseComments)
		require.NoError(t, err)
		ast.Inspect(file, func(n ast.Node) bool {
			ts, ok := n.(*ast.TypeSpec)
			if !ok || ts.Name.Name != s.Name() {
				return true
			}
			for _, f := range ts.Type.(*ast.StructType).Fields.List {
				for _, name := range f.Names {
					require.NotEmpty(t, f.Doc.Text()+f.Comment.Text(), "%s.%s has no comment", s, name.Name)
					text := strings.Join(strings.Fields(f.Doc.Text()+f.Comment.Text()), " ")
					text = strings.TrimPrefix(strings.TrimPrefix(text, name.Name+" "), "is ")
					text = strings.ToUpper(text[:1]) + text[1:]
					docs[snake.Case(name.Name)] = config.InKeys(zero, errors.New(strings.ReplaceAll(text, "|", `\|`)))
				}
			}
			return false
		})
	}
	return docs
}
