package sim_test

import (
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"github.com/millrace-hdl/millrace/hdl/check"
	"github.com/millrace-hdl/millrace/hdl/ir"
	"github.com/millrace-hdl/millrace/hdl/sim"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// golden compares with a file in testdata.
func golden(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join("testdata", name)
	if *update {
		require.NoError(t, os.WriteFile(file, []byte(got), 0o644))
	}
	want, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Empty(t, cmp.Diff(string(want), got))
}

// parse reads a design that passes all checks but for unused signals.
func parse(t testing.TB, text string) *ir.Design {
	t.Helper()
	d, err := ir.Parse("design", text)
	require.NoError(t, err)
	require.NoError(t, check.Valid(d).Err())
	return d
}

func newModel(t testing.TB, text string, o sim.Options) *sim.Model {
	t.Helper()
	m, err := sim.New(parse(t, text), o)
	require.NoError(t, err)
	return m
}

// simNew makes a model, or fails to.
func simNew(t testing.TB, text string) (*sim.Model, error) {
	t.Helper()
	return sim.New(parse(t, text), sim.Options{})
}

// drive sets one-word inputs, in pairs of name and value.
func drive(t testing.TB, e sim.Engine, inputs map[string]uint64) {
	t.Helper()
	for name, v := range inputs {
		p, err := e.Layout().Port(name)
		require.NoError(t, err)
		require.True(t, p.Input)
		e.In()[p.Offset] = v
	}
}

// out is a one-word output.
func out(t testing.TB, e sim.Engine, name string) uint64 {
	t.Helper()
	p, err := e.Layout().Port(name)
	require.NoError(t, err)
	require.False(t, p.Input)
	return e.Out()[p.Offset]
}

// variable finds a variable by path.
func variable(t testing.TB, e sim.Engine, path string) sim.Var {
	t.Helper()
	for _, v := range e.Vars() {
		if v.Path == path {
			return v
		}
	}
	t.Fatalf("no variable %s", path)
	return sim.Var{}
}

// value is the first word of a variable.
func value(t testing.TB, e sim.Engine, path string) uint64 {
	t.Helper()
	return read(e, variable(t, e, path))[0]
}
