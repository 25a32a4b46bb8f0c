package wave_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/millrace-hdl/millrace/hdl/sim"
	"github.com/millrace-hdl/millrace/hdl/sim/wave"
)

func draw(t *testing.T, patterns ...string) *wave.Text {
	t.Helper()
	m := newModel(t, piped, sim.Options{})
	signals, err := wave.Find(m, patterns...)
	require.NoError(t, err)
	d := wave.NewText(m, signals)
	runPiped(t, wave.Trace(m, d))
	return d
}

func TestText(t *testing.T) {
	d := draw(t, "a_valid", "a_data", "u.full", "y_*", "level", "now", "tick", "store[1]")
	golden(t, "text.txt", d.String())
	golden(t, "text-ascii.txt", d.ASCII())
}

func TestTextOfLongValues(t *testing.T) {
	m := newModel(t, `(design top) (module top (input a u600) (output y u600) (output one u1) (body (set y (not a)) (set one a[0])))`, sim.Options{})
	d := wave.NewText(m, nil)
	e := wave.Trace(m, d)
	require.NoError(t, e.Run(12))
	m.In()[0] = 1
	require.NoError(t, e.Run(100))
	golden(t, "text-long.txt", d.ASCII())
}

func TestTextOfNothing(t *testing.T) {
	require.Equal(t, "cycle\na\nab\n", wave.NewText(newModel(t, `(design top) (module top (input a u1) (output ab u1) (body (set ab a)))`, sim.Options{}), nil).String())
}

func TestTextCyclesFollow(t *testing.T) {
	m := newModel(t, waved, sim.Options{})
	d := wave.NewText(m, nil)
	require.NoError(t, m.Run(3))
	require.NoError(t, d.Sample(wave.Edge{}))
	require.NoError(t, m.Run(2))
	require.ErrorContains(t, d.Sample(wave.Edge{}), "cycle 5 is sampled after 3")
}

func TestFind(t *testing.T) {
	m := newModel(t, piped, sim.Options{})
	find := func(patterns ...string) (paths []string) {
		ss, err := wave.Find(m, patterns...)
		require.NoError(t, err)
		for _, s := range ss {
			paths = append(paths, s.Path)
		}
		return paths
	}
	require.Equal(t, []string{"y_valid", "y_data", "y_ready"}, find("y_valid", "y_data", "y_*"), "in the order given, each once")
	require.Equal(t, []string{"u.in_data", "u.out_data"}, find("u.*_data"))
	require.Equal(t, []string{"store[1]", "store[2]", "store[3]"}, find("st*[3:1]"))
	require.Empty(t, find())
	for pattern, want := range map[string]string{
		"a_vald":                      `no signal of the design fits "a_vald"; did you mean a_valid`,
		"*.nothing*":                  `no signal of the design fits "*.nothing*"; `,
		"store":                       `"store" is a memory; say which elements: "store[0:3]", of 0 to 3`,
		"store[4]":                    `"store[4]": store has the elements 0 to 3`,
		"stor[0]":                     `no memory of the design fits "stor"; did you mean store?`,
		"[a":                          `signal pattern "[a": syntax error in pattern`,
		"store[99999999999999999999]": `value out of range`,
	} {
		_, err := wave.Find(m, pattern)
		require.ErrorContains(t, err, want)
	}
	_, err := wave.Find(newModel(t, waved, sim.Options{}), "store[0]")
	require.ErrorContains(t, err, "the design has no memories, or this engine does not show them, as the Go model and a lockstep with it do")
}
