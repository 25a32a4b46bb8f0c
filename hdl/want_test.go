package hdl_test

import (
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"reflect"

	"github.com/stretchr/testify/require"

	"github.com/millrace-hdl/millrace/hdl"
	"github.com/millrace-hdl/millrace/hdl/diag"
)

// A wrong module is a function in a file want_*_test.go whose name starts with
// wrong. Each of its mistakes carries, on its line, a comment
//
//	// want "code: regexp" …
//
// with one pattern for each diagnostic. The pattern is matched from the start
// against the code, the message, the suggestion and the related places, written
// as line: message. A function whose name starts with right must elaborate.
type (
	none  struct{}
	ports = []hdl.Var
)

// source is what the files say about their functions.
type source struct {
	wants map[string][]want   // by function
	calls map[string][]string // functions of the files that a function names
}

type want struct {
	line    int
	code    string
	pattern string
}

var quotedForm = regexp.MustCompile(`"(?:[^"\\]|\\.)*"`)

func readSource(t *testing.T) source {
	t.Helper()
	files, err := filepath.Glob("want_*_test.go")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	src := source{map[string][]want{}, map[string][]string{}}
	fset := token.NewFileSet()
	for _, name := range files {
		text, err := os.ReadFile(name)
		require.NoError(t, err)
		f, err := parser.ParseFile(fset, name, text, parser.SkipObjectResolution)
		require.NoError(t, err)
		lines := strings.Split(string(text), "\n")
		for _, d := range f.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok {
				continue
			}
			from, to := fset.Position(fn.Pos()).Line, fset.Position(fn.End()).Line
			for n := from; n <= to; n++ {
				_, comment, ok := strings.Cut(lines[n-1], "// want ")
				if !ok {
					continue
				}
				for _, q := range quotedForm.FindAllString(comment, -1) {
					p, err := strconv.Unquote(q)
					require.NoError(t, err, "%s:%d", name, n)
					code, _, ok := strings.Cut(p, ": ")
					require.True(t, ok, "%s:%d: a pattern starts with a code and a colon", name, n)
					src.wants[fn.Name.Name] = append(src.wants[fn.Name.Name], want{n, code, p})
				}
			}
			src.calls[fn.Name.Name] = nil
			ast.Inspect(fn.Body, func(n ast.Node) bool {
				if id, ok := n.(*ast.Ident); ok {
					src.calls[fn.Name.Name] = append(src.calls[fn.Name.Name], id.Name)
				}
				return true
			})
		}
	}
	return src
}

// expected are the wants of a function and of all functions that it names.
func (s source) expected(name string, seen map[string]bool) []want {
	if seen[name] {
		return nil
	}
	seen[name] = true
	ws := s.wants[name]
	for _, c := range s.calls[name] {
		if _, ok := s.calls[c]; ok {
			ws = append(ws[:len(ws):len(ws)], s.expected(c, seen)...)
		}
	}
	return ws
}

func caseName(f any) string {
	n := runtime.FuncForPC(reflect.ValueOf(f).Pointer()).Name()
	return n[strings.LastIndexByte(n, '.')+1:]
}

func text(d diag.Diagnostic) string {
	s := string(d.Code) + ": " + d.Message + "; " + d.Fix
	for _, r := range d.Related {
		s += " | "
		if f := r.Pos.Frames(); len(f) > 0 {
			s += strconv.Itoa(f[0].Line) + ": "
		}
		s += r.Message
	}
	return s
}

func diagnose(t *testing.T, build hdl.Build[none, ports]) diag.List {
	t.Helper()
	_, err := hdl.Elaborate(build, none{}, hdl.Named("m"))
	if err == nil {
		return nil
	}
	var l diag.List
	require.True(t, errors.As(err, &l), "%T: %v", err, err)
	return l
}

func TestWant(t *testing.T) {
	src := readSource(t)
	var names []string
	for _, f := range slices.Concat(buildCases, checkCases, misuseCases, domainCases, constructCases, messageCases) {
		name := caseName(f)
		names = append(names, name)
		t.Run(name, func(t *testing.T) {
			wants := src.expected(name, map[string]bool{})
			if strings.HasPrefix(name, "right") {
				require.Empty(t, wants)
			} else {
				require.NotEmpty(t, wants, "nothing is expected of a wrong module")
			}
			for _, d := range diagnose(t, f) {
				frames := d.Pos.Frames()
				require.NotEmpty(t, frames, "no position: %s", text(d))
				line := frames[0].Line
				i := slices.IndexFunc(wants, func(w want) bool {
					return w.line == line && regexp.MustCompile("^"+w.pattern).MatchString(text(d))
				})
				if i < 0 {
					t.Errorf("line %d: unexpected %s", line, text(d))
					continue
				}
				wants = slices.Delete(slices.Clone(wants), i, i+1)
			}
			for _, w := range wants {
				t.Errorf("line %d: nothing matches %q", w.line, w.pattern)
			}
		})
	}
	for name := range src.calls {
		if strings.HasPrefix(name, "wrong") || strings.HasPrefix(name, "right") {
			require.Contains(t, names, name, "%s is in no list of cases", name)
		}
	}
}

func TestEveryCodeHasTwoCases(t *testing.T) {
	counts := map[string]int{}
	for _, ws := range readSource(t).wants {
		for _, w := range ws {
			counts[w.code]++
		}
	}
	for _, c := range []diag.Code{diag.Width, diag.Sign, diag.Literal, diag.Range, diag.Undriven, diag.Multiple, diag.Overlap,
		diag.Latch, diag.Loop, diag.Unused, diag.Name, diag.Owner, diag.Unbound, diag.Misuse, diag.Crossing, diag.State, diag.Param} {
		require.GreaterOrEqual(t, counts[string(c)], 2, "code %s", c)
		delete(counts, string(c))
	}
	require.Empty(t, counts, "codes that do not exist")
}

// Every message is a sentence fragment that names what it is about: lower case
// or a name first, no period last, and it ends in its code on the one-line form.
func TestMessagesReadWell(t *testing.T) {
	seen := 0
	for _, f := range slices.Concat(buildCases, checkCases, misuseCases, domainCases, constructCases, messageCases) {
		for _, d := range diagnose(t, f) {
			seen++
			s := d.String()
			require.True(t, strings.HasSuffix(s, " ["+string(d.Code)+"]"), s)
			require.True(t, strings.HasPrefix(s, "want_"), "position first: %s", s)
			for _, part := range []string{d.Message, d.Fix} {
				require.NotContains(t, part, "%!", s)
				require.NotContains(t, part, "\n", s)
				require.NotContains(t, part, "nil", s)
				require.NotRegexp(t, `[.;:] *$|^ | $|  `, part, s)
			}
			require.NotEmpty(t, d.Message)
			require.NotEmpty(t, d.Module)
		}
	}
	require.Greater(t, seen, 60)
}

func TestPrintingStopsAtTen(t *testing.T) {
	broken := func(n int) diag.List {
		return diagnose(t, func(m *hdl.Module, _ none) ports {
			a, b := m.In("a", hdl.U(8)), m.In("b", hdl.U(7))
			for range n {
				a.Add(b)
			}
			return ports{a, b}
		})
	}
	for _, c := range []struct{ n, lines int }{{1, 1}, {10, 10}, {11, 10}, {25, 10}} {
		l := broken(c.n)
		require.Len(t, l, c.n)
		s := l.Error()
		require.Equal(t, c.lines, strings.Count(s, "[width]"))
		if c.n > 10 {
			require.Contains(t, s, "\n… and "+strconv.Itoa(c.n-10)+" more")
		} else {
			require.NotContains(t, s, "more")
		}
	}
}

func TestPositionsTellWhoCalled(t *testing.T) {
	adder := func(a, b hdl.Var) hdl.Signal { return a.Add(b) }
	l := diagnose(t, func(m *hdl.Module, _ none) ports {
		a, b := m.In("a", hdl.U(8)), m.In("b", hdl.U(7))
		adder(a, b)
		return ports{a, b}
	})
	require.Len(t, l, 1)
	frames := l[0].Pos.Frames()
	require.Greater(t, len(frames), 1)
	require.Equal(t, frames[0].Line+4-1, frames[1].Line, "the line of the call follows that of the operation")
	require.Contains(t, l.Error(), "\n    called from want_test.go:")
}
