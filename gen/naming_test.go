package gen

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/millrace-hdl/millrace/hdl/ir"
	"github.com/millrace-hdl/millrace/hdl/irtest"
)

// The naming contract of docs/naming.md.

// emitted is the RTL of each module by name.
func emitted(t *testing.T, d *ir.Design) map[string]string {
	t.Helper()
	files, err := Emit(d, Options{})
	require.NoError(t, err)
	text := map[string]string{}
	for _, f := range files {
		text[f.Name] = string(f.Data)
	}
	return text
}

// moved is the first line of before that after does not have at its place: what is
// added may stand between, nothing else. A port list is aligned anew, the line before
// its end changes, and the list of what is not read may lose what now is.
func moved(before, after string) string {
	plain := func(text string) []string {
		text, _, _ = strings.Cut(text, "// Deliberately unread.")
		lines := strings.Split(text, "\n")
		for i, l := range lines {
			lines[i] = strings.TrimSuffix(strings.Join(strings.Fields(l), " "), ",")
		}
		return lines
	}
	rest := plain(after)
	for _, l := range plain(before) {
		i := slices.Index(rest, l)
		if i < 0 && l != "endmodule" {
			return l
		}
		rest = rest[i+1:]
	}
	return ""
}

// TestAddingAStatementMovesNothing adds a port and a statement to the top module of
// random designs: every other line of every module stays what it was.
func TestAddingAStatementMovesNothing(t *testing.T) {
	for _, k := range kinds {
		for _, seed := range seeds(t) {
			d := irtest.Random(seed, k.options)
			before := emitted(t, d)
			m := d.Top
			extra := &ir.Signal{Name: "zz_extra", Kind: ir.Output, Type: ir.Type{Width: 3}, Module: m}
			sum := &ir.Binary{Op: ir.Mul, X: ir.NewConst(ir.Type{Width: 3}, 5), Y: ir.NewConst(ir.Type{Width: 3}, 3)}
			var value ir.Expr = sum
			for _, s := range m.Signals {
				if s.Kind == ir.Input || s.Kind == ir.Reg {
					value = &ir.Binary{Op: ir.Add, X: value, Y: &ir.Extend{X: &ir.Unary{Op: ir.RedXor, X: ref(s)}, Width: 3}}
				}
			}
			m.Signals = append(m.Signals, extra)
			m.Body = append(m.Body, whole(extra, value, ir.Pos{}))
			for name, text := range emitted(t, d) {
				require.Empty(t, moved(before[name], text), "%s seed %d: %s", k.name, seed, name)
			}
		}
	}
}

// TestNamesOfTheDescriptionStay requires each port, register, memory, instance and
// named wire of random designs under its own name.
func TestNamesOfTheDescriptionStay(t *testing.T) {
	for _, k := range kinds {
		for _, seed := range seeds(t) {
			d := irtest.Random(seed, k.options)
			text := emitted(t, d)
			for _, m := range d.Modules {
				if m.Extern != nil {
					continue
				}
				words := map[string]bool{}
				for _, w := range strings.FieldsFunc(text[m.Name+".sv"], func(r rune) bool {
					return r != '_' && (r < '0' || r > '9') && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z')
				}) {
					words[w] = true
				}
				at := fmt.Sprintf("%s seed %d: module %s:", k.name, seed, m.Name)
				for _, s := range m.Signals {
					named := s.Kind == ir.Input || s.Kind == ir.Output || s.Kind == ir.Reg || s.Kind == ir.SyncRead || s.Kind == ir.Wire
					if named && !s.Temp && !s.Ghost && !strings.HasPrefix(s.Name, "_") {
						require.True(t, words[s.Name], "%s %s %s", at, s.Kind, s.Name)
					}
				}
				for _, x := range m.Mems {
					require.True(t, words[x.Name], "%s memory %s", at, x.Name)
				}
				for _, i := range m.Instances {
					require.True(t, words[i.Name], "%s instance %s", at, i.Name)
				}
			}
		}
	}
}
