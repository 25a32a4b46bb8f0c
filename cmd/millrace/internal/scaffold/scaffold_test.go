package scaffold

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func module(t *testing.T, name string) Module {
	t.Helper()
	n, err := NewName(name)
	require.NoError(t, err)
	o, err := Find("")
	require.NoError(t, err)
	return Module{Name: n, Path: "example.com/" + name, Dir: filepath.Join(t.TempDir(), name), Origin: o}
}

// goTool runs the Go tool in the folder, without a network.
func goTool(t *testing.T, dir string, env []string, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "go", args...)
	cmd.Dir = dir
	cmd.Env = append(append(os.Environ(), "GOPROXY=off", "GOFLAGS=", "GOWORK=off", "PWD="+dir), env...)
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "go %s: %s", strings.Join(args, " "), out)
	return string(out)
}

// What is written must pass its own tests at once, without a network, and those
// must leave it as it is.
func TestNewModulePassesItsTests(t *testing.T) {
	t.Setenv("GOPROXY", "off")
	m := module(t, "edge_detect")
	files, err := m.Write(t.Context())
	require.NoError(t, err)
	require.Equal(t, []string{"README.md", "edge_detect.go", "edge_detect_test.go", "go.mod", "go.sum", "rtl/edge_detect.f", "rtl/edge_detect.sv"}, files)
	before := contents(t, m.Dir)

	out := goTool(t, m.Dir, nil, "test", "-v", ".")
	for _, name := range []string{"TestModel", "TestLockstep", "TestRTL", "TestParams"} {
		require.Contains(t, out, "--- PASS: "+name)
	}
	goTool(t, m.Dir, []string{"GOFLAGS=-mod=mod"}, "test", ".", "-update")
	require.Equal(t, before, contents(t, m.Dir))

	require.Empty(t, goTool(t, m.Dir, nil, "fmt", "./..."))
	tool := strings.TrimSpace(goTool(t, m.Dir, nil, "tool", "-n", "millracevet"))
	goTool(t, m.Dir, nil, "vet", "./...")
	goTool(t, m.Dir, nil, "vet", "-vettool="+tool, "./...")

	for name, text := range before {
		require.NotContains(t, strings.ToLower(text), "starter", name)
	}
	require.Contains(t, before["edge_detect.go"], "package edgedetect")
	require.Contains(t, before["edge_detect.go"], "func EdgeDetect(m *hdl.Module")
	require.Contains(t, before["rtl/edge_detect.sv"], "module edge_detect (")
}

func TestLockstepIsSkippedWithoutVerilator(t *testing.T) {
	m := module(t, "fir")
	_, err := m.Write(t.Context())
	require.NoError(t, err)
	program := filepath.Join(t.TempDir(), "fir.test")
	goTool(t, m.Dir, nil, "test", "-c", "-o", program, ".")
	cmd := exec.CommandContext(t.Context(), program, "-test.v")
	cmd.Dir, cmd.Env = m.Dir, []string{"PATH=", "HOME=" + t.TempDir()}
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
	require.Regexp(t, `not found in PATH: install with .apt-get install verilator g\+\+.*\n--- SKIP: TestLockstep`, string(out))
}

func contents(t *testing.T, dir string) map[string]string {
	t.Helper()
	names, err := list(dir)
	require.NoError(t, err)
	all := map[string]string{}
	for _, n := range names {
		data, err := os.ReadFile(filepath.Join(dir, n))
		require.NoError(t, err)
		all[n] = string(data)
	}
	return all
}

func TestNothingIsOverwrittenOrLeftBehind(t *testing.T) {
	m := module(t, "fir")
	parent := filepath.Dir(m.Dir)
	require.NoError(t, os.WriteFile(m.Dir, []byte("precious"), 0o600))
	_, err := m.Write(t.Context())
	require.ErrorContains(t, err, "exists already and is left as it is")
	require.Equal(t, map[string]string{"fir": "precious"}, contents(t, parent))

	m.Dir = filepath.Join(parent, "other")
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = m.Write(cancelled)
	require.ErrorIs(t, err, context.Canceled)
	t.Setenv("PATH", "")
	_, err = m.Write(t.Context())
	require.EqualError(t, err, "the go command is not in PATH; it completes the new module's go.mod, so install Go 1.26 or newer")
	require.Equal(t, map[string]string{"fir": "precious"}, contents(t, parent))

	m.Dir = filepath.Join(m.Origin.Dir, "docs", "fir")
	_, err = m.Write(t.Context())
	require.ErrorContains(t, err, "lies inside the checkout of millrace")
	m.Dir = filepath.Join(parent, "absent", "fir")
	_, err = m.Write(t.Context())
	require.ErrorContains(t, err, "no such file or directory")
}

func TestNames(t *testing.T) {
	for _, c := range []struct{ name, pkg, function, want string }{
		{"fir", "fir", "Fir", ""},
		{"edge_detect", "edgedetect", "EdgeDetect", ""},
		{"crc32", "crc32", "Crc32", ""},
		{"", "", "", "cannot name a block; a name is up to 64 lower-case letters"},
		{"EdgeDetect", "", "", "lower-case"},
		{"edge-detect", "", "", "like my_block"},
		{"_edge", "", "", "starts with a letter"},
		{"edge__detect", "", "", "single underscores"},
		{"../up", "", "", "cannot name a block"},
		{strings.Repeat("x", 65), "", "", "up to 64"},
		{"crc_32", "", "", "call it crc32"},
		{"string", "", "", "means something in Go; add a word, such as string_block"},
		{"select", "", "", "means something in Go"},
		{"main", "", "", "means something in Go"},
		{"params", "", "", "would clash with the type Params"},
		{"module", "", "", `"module" cannot name a block: `},
		{"wire", "", "", `"wire" cannot name a block: `},
	} {
		t.Run(c.name, func(t *testing.T) {
			n, err := NewName(c.name)
			if c.want != "" {
				require.ErrorContains(t, err, c.want)
				return
			}
			require.NoError(t, err)
			require.Equal(t, []string{c.name, c.pkg, c.function}, []string{n.String(), n.Package(), n.Function()})
		})
	}
}

func TestOriginIsWhereTheCommandComesFrom(t *testing.T) {
	nowhere := func() string { return "" }
	made := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(made, "go.mod"), []byte("module "+languageModule+"\n"), 0o600))
	source := filepath.Join(made, "cmd", "millrace", "x.go")

	published := &debug.BuildInfo{Main: debug.Module{Path: languageModule, Version: "v1.2.3", Sum: "h1:x"}}
	o, err := find(published, source, nowhere)
	require.NoError(t, err)
	require.Equal(t, Origin{Version: "v1.2.3"}, o)

	stamped := &debug.BuildInfo{Main: debug.Module{Path: languageModule, Version: "v0.0.0-20260101000000-abcdefabcdef"}}
	o, err = find(stamped, source, nowhere)
	require.NoError(t, err)
	require.Equal(t, Origin{Dir: made}, o)

	trimmed := languageModule + "/cmd/millrace/x.go"
	o, err = find(stamped, trimmed, func() string { return made })
	require.NoError(t, err)
	require.Equal(t, Origin{Dir: made}, o)
	_, err = find(stamped, trimmed, nowhere)
	require.ErrorIs(t, err, ErrNoOrigin)
	require.ErrorContains(t, err, "--millrace DIR")

	o, err = Find(made)
	require.NoError(t, err)
	require.Equal(t, Origin{Dir: made}, o)
	_, err = Find(t.TempDir())
	require.ErrorContains(t, err, "is no checkout of millrace")
	require.NoError(t, os.WriteFile(filepath.Join(made, "go.mod"), []byte("module other\n"), 0o600))
	_, err = Find(made)
	require.ErrorContains(t, err, `its go.mod is of module "other"`)
}

// A published version needs no replacement.
func TestGoModOfAPublishedVersion(t *testing.T) {
	m := module(t, "fir")
	m.Origin = Origin{Version: "v1.2.3"}
	text, err := m.goMod()
	require.NoError(t, err)
	require.Contains(t, string(text), "require "+languageModule+" v1.2.3\n")
	require.NotContains(t, string(text), "replace")
	sums, err := m.Origin.sums()
	require.NoError(t, err)
	require.Empty(t, sums)
}
