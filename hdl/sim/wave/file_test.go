package wave_test

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/millrace-hdl/millrace/hdl/sim"
	"github.com/millrace-hdl/millrace/hdl/sim/wave"
)

// needFST skips a test where FST cannot be written.
func needFST(t *testing.T) {
	t.Helper()
	for _, tool := range []string{"vcd2fst", "fst2vcd"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skip(tool + " is not there: package gtkwave")
		}
	}
}

// fromFST converts a file back.
func fromFST(t *testing.T, path string) (text string, ok bool) {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "fst2vcd", path).Output()
	return string(out), err == nil
}

// last are the last values of all variables.
func last(text string) map[string]string {
	paths, values := map[string]string{}, map[string]string{}
	var scope []string
	for line := range strings.Lines(text) {
		f := strings.Fields(line)
		if len(f) == 0 {
			continue
		}
		switch f[0] {
		case "$scope":
			scope = append(scope, f[2])
		case "$upscope":
			scope = scope[:len(scope)-1]
		case "$var":
			paths[f[3]] = strings.Join(append(slices.Clone(scope), f[4]), ".")
		default:
			v, id := f[0][:1], f[0][1:]
			if v == "b" {
				v, id = f[0][1:], f[1]
			}
			if paths[id] != "" && strings.Trim(v, "01") == "" {
				if v = strings.TrimLeft(v, "0"); v == "" {
					v = "0"
				}
				values[paths[id]] = v
			}
		}
	}
	return values
}

// TestFST: an FST file holds what the VCD file does.
func TestFST(t *testing.T) {
	needFST(t)
	dir := create(t, "run.fst")
	require.Equal(t, []string{".surfer/mappings/run_state_2", "run.fst", "run.gtkw", "run.sucl"}, files(t, dir))
	text, ok := fromFST(t, filepath.Join(dir, "run.fst"))
	require.True(t, ok)
	got := last(text)
	vcd, err := os.ReadFile(filepath.Join(create(t, "run.vcd"), "run.vcd"))
	require.NoError(t, err)
	require.NotEmpty(t, got)
	require.Equal(t, last(string(vcd)), got)
}

func TestFSTWithoutItsProgram(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	dir := t.TempDir()
	_, err := wave.Create(filepath.Join(dir, "run.fst"), "top", newModel(t, waved, sim.Options{}), nil)
	require.ErrorContains(t, err, "FST takes the program vcd2fst, which is not there: install the package gtkwave, or write VCD to ")
	require.Empty(t, files(t, dir))
}

func TestBadPaths(t *testing.T) {
	m := newModel(t, waved, sim.Options{})
	_, err := wave.Create("run.ghw", "top", m, nil)
	require.EqualError(t, err, "the ending of run.ghw does not say the format of the waves: .vcd or .fst")
	_, err = wave.Create(filepath.Join(t.TempDir(), "absent", "run.vcd"), "top", m, nil)
	require.ErrorIs(t, err, os.ErrNotExist)
	if _, missing := exec.LookPath("vcd2fst"); missing == nil {
		_, err = wave.Create(filepath.Join(t.TempDir(), "absent", "run.fst"), "top", m, nil)
		require.ErrorIs(t, err, os.ErrNotExist)
	}
}

// TestKilled kills a program that writes waves: the file has all cycles up to the last
// write, and nothing else lies beside it.
func TestKilled(t *testing.T) {
	if dir := os.Getenv("WAVE_TEST_RUNS_FOR_EVER"); dir != "" {
		m := newModel(t, waved, sim.Options{})
		f, err := wave.Create(dir, "top", m, nil)
		require.NoError(t, err)
		e := wave.Trace(m, f)
		for i := range uint64(1 << 40) {
			drive(t, e, map[string]uint64{"word": i})
			require.NoError(t, e.Step())
			if i == 20_000 {
				_, _ = os.Stdout.WriteString("running\n")
				select {}
			}
		}
	}
	for _, name := range []string{"run.vcd", "run.fst"} {
		t.Run(name, func(t *testing.T) {
			if name == "run.fst" {
				needFST(t)
			}
			dir := t.TempDir()
			c := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestKilled$")
			c.Env = append(os.Environ(), "WAVE_TEST_RUNS_FOR_EVER="+filepath.Join(dir, name))
			out, err := c.StdoutPipe()
			require.NoError(t, err)
			require.NoError(t, c.Start())
			line, err := bufio.NewReader(out).ReadString('\n')
			require.NoError(t, err)
			require.Equal(t, "running\n", line)
			require.NoError(t, c.Process.Kill())
			require.Error(t, c.Wait())
			path := filepath.Join(dir, name)
			var text string
			if name == "run.vcd" {
				b, err := os.ReadFile(path)
				require.NoError(t, err)
				text = string(b)
				require.Equal(t, 0, read(t, text).end%10-5, "ends with a whole cycle")
			} else {
				// The converter completes the file when its input ends.
				for ok := false; !ok || len(text) < 100_000; time.Sleep(20 * time.Millisecond) {
					require.NoError(t, t.Context().Err())
					text, ok = fromFST(t, path)
				}
			}
			require.Greater(t, len(text), 100_000)
			require.ElementsMatch(t, []string{".surfer/mappings/run_state_2", "run.gtkw", "run.sucl", name}, files(t, dir))
		})
	}
}
