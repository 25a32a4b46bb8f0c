package check_test

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/millrace-hdl/millrace/hdl/check"
	"github.com/millrace-hdl/millrace/hdl/diag"
	"github.com/millrace-hdl/millrace/hdl/ir"
)

func parse(t testing.TB, text string) *ir.Design {
	t.Helper()
	if !strings.Contains(text, "(design") {
		text = "(design m)" + text
	}
	d, err := ir.Parse("t.ir", text)
	require.NoError(t, err)
	return d
}

var wantForm = regexp.MustCompile(`"(?:[^"\\]|\\.)*"`)

// expect compares the diagnostics of a text with its comments: each ; want
// "code: regexp" "…" must be matched by one diagnostic on that line, and no other
// diagnostic may exist.
func expect(t *testing.T, text string) diag.List {
	t.Helper()
	d := parse(t, text)
	list := check.Design(d)
	left := append(diag.List(nil), list...)
	for i, line := range strings.Split(text, "\n") {
		_, comment, ok := strings.Cut(line, "; want ")
		if !ok {
			continue
		}
		for _, q := range wantForm.FindAllString(comment, -1) {
			s, err := strconv.Unquote(q)
			require.NoError(t, err)
			re := regexp.MustCompile("^" + s)
			found := false
			for k, g := range left {
				if g.Pos.Frames()[0].Line == i+1 && re.MatchString(string(g.Code)+": "+full(g)) {
					left, found = append(left[:k:k], left[k+1:]...), true
					break
				}
			}
			if !found {
				t.Errorf("line %d: nothing matches %q", i+1, s)
			}
		}
	}
	for _, g := range left {
		t.Errorf("line %d: unexpected %s: %s", g.Pos.Frames()[0].Line, g.Code, full(g))
	}
	return list
}

// full is the message with the suggestion and the related places by line.
func full(d diag.Diagnostic) string {
	s := d.Message + "; " + d.Fix
	for _, r := range d.Related {
		s += fmt.Sprintf(" | %s: %s", strings.TrimPrefix(r.Pos.String(), "t.ir:"), r.Message)
	}
	return s
}

type testCase struct{ name, text string }

func run(t *testing.T, cases []testCase) {
	t.Helper()
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) { expect(t, c.text) })
	}
}
