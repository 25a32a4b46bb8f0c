package wave_test

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"github.com/millrace-hdl/millrace/hdl/check"
	"github.com/millrace-hdl/millrace/hdl/ir"
	"github.com/millrace-hdl/millrace/hdl/irtest"
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

func newModel(t testing.TB, text string, o sim.Options) *sim.Model {
	t.Helper()
	d, err := ir.Parse("design", text)
	require.NoError(t, err)
	require.NoError(t, check.Valid(d).Err())
	m, err := sim.New(d, o)
	require.NoError(t, err)
	return m
}

// drive sets one-word inputs.
func drive(t testing.TB, e sim.Engine, inputs map[string]uint64) {
	t.Helper()
	for name, v := range inputs {
		p, err := e.Layout().Port(name)
		require.NoError(t, err)
		require.True(t, p.Input)
		e.In()[p.Offset] = v
	}
}

// randomise gives all inputs random values, often extreme ones.
func randomise(r *rand.Rand, e sim.Engine) {
	for _, p := range e.Layout().Inputs {
		w := e.In()[p.Offset:][:p.Words()]
		kind := r.IntN(4)
		for i := range w {
			switch kind {
			case 0:
				w[i] = 0
			case 1:
				w[i] = ^uint64(0)
			default:
				w[i] = r.Uint64()
			}
		}
		if n := p.Type.Width % 64; n != 0 {
			w[len(w)-1] &= 1<<n - 1
		}
	}
}

// reading is what a wave file says.
type reading struct {
	values  map[string]string // of "time path": bits without leading zeros, at times at which anything is said
	widths  map[string]int    // of paths
	kinds   map[string]string
	repeats []string // changes that change nothing
	end     int
}

// read reads a wave file strictly: whatever is not understood fails.
func read(t *testing.T, text string) reading {
	t.Helper()
	r := reading{values: map[string]string{}, widths: map[string]int{}, kinds: map[string]string{}}
	paths, now := map[string][]string{}, map[string]string{}
	var scope []string
	at := -1
	settle := func() {
		for id, v := range now {
			for _, p := range paths[id] {
				r.values[fmt.Sprint(at, " ", p)] = v
			}
		}
	}
	for line := range strings.Lines(text) {
		require.True(t, strings.HasSuffix(line, "\n"), "a cut line: %q", line)
		f := strings.Fields(line)
		switch {
		case f[0] == "$version" || f[0] == "$timescale" || f[0] == "$enddefinitions" || f[0] == "$comment":
			require.Equal(t, "$end", f[len(f)-1], line)
		case f[0] == "$dumpvars" || f[0] == "$end":
		case f[0] == "$scope":
			scope = append(scope, f[2])
		case f[0] == "$upscope":
			scope = scope[:len(scope)-1]
		case f[0] == "$var":
			path := strings.Join(append(scope[:len(scope):len(scope)], f[4]), ".")
			require.NotContains(t, r.widths, path, "declared twice")
			_, err := fmt.Sscan(f[2], new(int))
			require.NoError(t, err)
			fmt.Sscan(f[2], &at)
			r.widths[path], r.kinds[path] = at, f[1]
			at = -1
			paths[f[3]] = append(paths[f[3]], path)
			if r.widths[path] > 1 {
				require.Equal(t, fmt.Sprintf("[%d:0]", r.widths[path]-1), f[5])
			} else {
				require.Equal(t, "$end", f[5])
			}
		case f[0][0] == '#':
			require.Empty(t, scope)
			if at >= 0 {
				settle()
			}
			before := at
			_, err := fmt.Sscanf(f[0], "#%d", &at)
			require.NoError(t, err)
			require.Greater(t, at, before)
		default:
			v, id := f[0][:1], f[0][1:]
			if f[0][0] == 'b' {
				v, id = f[0][1:], f[1]
			}
			require.NotEmpty(t, paths[id], line)
			require.Empty(t, strings.Trim(v, "01"), line)
			if now[id] == v {
				r.repeats = append(r.repeats, line)
			}
			now[id] = v
		}
	}
	require.Empty(t, scope)
	settle()
	r.end = at
	return r
}

// at is the value of a path in the middle of a cycle.
func (r reading) at(cycle int, path string) string { return r.values[fmt.Sprint(cycle*10, " ", path)] }

// bits are a value as a file has it.
func bits(w []uint64) string { return fmt.Sprintf("%b", irtest.Value(w)) }

// value is the present value of a variable.
func value(e sim.Engine, v sim.Var) []uint64 {
	w := make([]uint64, v.Type.Words())
	e.Read(v, w)
	return w
}
