package verilator_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/millrace-hdl/millrace/gen"
	"github.com/millrace-hdl/millrace/verilator"
)

// tools puts scripts for verilator and g++ at the head of PATH that note each
// call in a log, run the given lines, and then the real program.
type tools struct{ log string }

func wrapTools(t *testing.T, verilatorLines, gxxLines string) *tools {
	t.Helper()
	dir := t.TempDir()
	w := &tools{log: filepath.Join(dir, "log")}
	for name, lines := range map[string]string{"verilator": verilatorLines, "g++": gxxLines} {
		path, err := exec.LookPath(name)
		require.NoError(t, err)
		script := fmt.Sprintf("#!/bin/sh\necho %s \"$@\" >> %s\n%s\nexec %s \"$@\"\n", name, w.log, lines, path)
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(script), 0o777))
	}
	t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
	return w
}

// calls are the calls since the last time, without those for versions.
func (w *tools) calls(t *testing.T) (all, builds []string) {
	t.Helper()
	data, err := os.ReadFile(w.log)
	if os.IsNotExist(err) {
		return nil, nil
	}
	require.NoError(t, err)
	require.NoError(t, os.Remove(w.log))
	for line := range strings.Lines(string(data)) {
		all = append(all, line)
		if strings.Contains(line, "--cc") {
			builds = append(builds, line)
		}
	}
	return all, builds
}

// privateCache is a cache that holds nothing but Verilator's runtime.
func privateCache(t *testing.T) *verilator.Cache {
	t.Helper()
	c, err := verilator.OpenCache(t.TempDir())
	require.NoError(t, err)
	build(t, elaborate(t, counter, width{8}), verilator.Options{})
	for _, dir := range under(t, sharedCache, "entries", "runtime-") {
		require.NoError(t, os.CopyFS(filepath.Join(c.Dir, "entries", filepath.Base(dir)), os.DirFS(dir)))
	}
	return c
}

func comment(text string) func([]gen.File) []gen.File {
	return func(fs []gen.File) []gen.File {
		fs[0].Data = append(fs[0].Data, []byte("// "+text+"\n")...)
		return fs
	}
}

func TestSecondBuildRunsNothing(t *testing.T) {
	d := elaborate(t, counter, width{8})
	cache := privateCache(t)
	w := wrapTools(t, "", "")
	var stages []string
	o := verilator.Options{Cache: cache, Progress: func(s string) { stages = append(stages, s) }}
	cold := build(t, d, o)
	_, builds := w.calls(t)
	require.Len(t, builds, 1)
	require.Contains(t, stages, "verilating counter")
	require.Contains(t, stages, "linking counter")

	stages = nil
	warm := build(t, d, o)
	all, _ := w.calls(t)
	require.Empty(t, all, "a build from the cache runs no tool")
	require.Empty(t, stages)
	require.Equal(t, cold.Path(), warm.Path())

	o.Patch = comment("changed")
	changed := build(t, d, o)
	_, builds = w.calls(t)
	require.Len(t, builds, 1, "changed RTL is another build")
	require.NotEqual(t, cold.Path(), changed.Path())
	for _, s := range stages {
		require.NotContains(t, s, "runtime", "which has the runtime already")
	}

	o.Patch = nil
	o.Gen.Reset = gen.SyncHigh
	require.NotEqual(t, cold.Path(), build(t, d, o).Path(), "and so is another reset style")
}

func TestCorruptLibraryIsBuiltAgain(t *testing.T) {
	d := elaborate(t, counter, width{8})
	cache := privateCache(t)
	path := build(t, d, verilator.Options{Cache: cache}).Path()
	// Not in place: the library is loaded.
	require.NoError(t, os.Remove(path))
	require.NoError(t, os.WriteFile(path, []byte("no library"), 0o777))
	e := start(t, build(t, d, verilator.Options{Cache: cache}), 0)
	require.NoError(t, e.Reset(1))
	require.NoError(t, e.Step())
	require.EqualValues(t, 5, get(t, e, "count"))
	info, err := os.Stat(path)
	require.NoError(t, err)
	require.Greater(t, info.Size(), int64(10000))
}

func TestConcurrentBuildsAreOne(t *testing.T) {
	d := elaborate(t, counter, width{8})
	cache := privateCache(t)
	w := wrapTools(t, "", "")
	var all sync.WaitGroup
	for range 3 {
		all.Go(func() {
			_, err := verilator.Build(context.Background(), d, verilator.Options{Cache: cache})
			if err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	_, builds := w.calls(t)
	require.Len(t, builds, 1)
}

func TestCancelledBuildLeavesNothing(t *testing.T) {
	d := elaborate(t, counter, width{8})
	cache := privateCache(t)
	ctx, cancel := context.WithCancel(t.Context())
	_, err := verilator.Build(ctx, d, verilator.Options{Cache: cache, Progress: func(s string) {
		if strings.HasPrefix(s, "compiling counter") {
			cancel()
		}
	}})
	require.ErrorIs(t, err, context.Canceled)
	require.Empty(t, under(t, cache, "entries", "counter-"))
	require.Empty(t, under(t, cache, "tmp", ""))
	e := start(t, build(t, d, verilator.Options{Cache: cache}), 0)
	require.NoError(t, e.Reset(1))
}

// under are the paths in a directory of the cache that begin with a prefix.
func under(t testing.TB, c *verilator.Cache, dir, prefix string) []string {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(c.Dir, dir, prefix+"*"))
	require.NoError(t, err)
	return found
}

const builderEnv = "MILLRACE_TEST_BUILD_AND_WAIT"

// TestBuilderProcess is no test: it is the process that TestKilledBuildRecovers
// starts.
func TestBuilderProcess(t *testing.T) {
	dir := os.Getenv(builderEnv)
	if dir == "" {
		return
	}
	cache, err := verilator.OpenCache(dir)
	require.NoError(t, err)
	build(t, elaborate(t, counter, width{8}), verilator.Options{Cache: cache})
}

func TestKilledBuildRecovers(t *testing.T) {
	dir, path := filepath.Dir(privateCache(t).Dir), os.Getenv("PATH")
	started := filepath.Join(dir, "started")
	wrapTools(t, "case \"$*\" in *--cc*) touch "+started+"; exec sleep 3;; esac", "")
	cmd := exec.Command(os.Args[0], "-test.run=TestBuilderProcess$")
	cmd.Env = append(os.Environ(), builderEnv+"="+dir)
	require.NoError(t, cmd.Start())
	require.Eventually(t, func() bool { _, err := os.Stat(started); return err == nil }, time.Minute, 20*time.Millisecond)
	require.NoError(t, cmd.Process.Kill())
	require.Error(t, cmd.Wait())

	t.Setenv("PATH", path)
	cache, err := verilator.OpenCache(dir)
	require.NoError(t, err)
	require.Len(t, under(t, cache, "tmp", "counter-"), 1, "the killed build has left something to recover from")
	e := start(t, build(t, elaborate(t, counter, width{8}), verilator.Options{Cache: cache}), 0)
	require.NoError(t, e.Reset(1))
	require.Empty(t, under(t, cache, "tmp", ""))
}

func TestMissingToolsAreNamed(t *testing.T) {
	d, cache := elaborate(t, counter, width{8}), privateCache(t)
	t.Setenv("PATH", "")
	_, err := verilator.Build(t.Context(), d, verilator.Options{Cache: cache})
	require.ErrorIs(t, err, verilator.ErrMissing)
	require.EqualError(t, err, "building counter with Verilator: verilator and g++ not found in PATH: install with `apt-get install verilator g++`")

	real, lookErr := exec.LookPath("/usr/bin/env")
	require.NoError(t, lookErr)
	dir := t.TempDir()
	require.NoError(t, os.Symlink(real, filepath.Join(dir, "verilator")))
	t.Setenv("PATH", dir)
	_, err = verilator.Build(t.Context(), d, verilator.Options{Cache: cache})
	require.ErrorContains(t, err, ": g++ not found in PATH")
	t.Setenv("CXX", "no-such-compiler")
	_, err = verilator.Build(t.Context(), d, verilator.Options{Cache: cache})
	require.ErrorContains(t, err, ": no-such-compiler not found in PATH")
}

func TestOldVerilatorIsRefused(t *testing.T) {
	cache := privateCache(t)
	wrapTools(t, "echo Verilator 4.038 2020-07-11; exit", "")
	_, err := verilator.Build(t.Context(), elaborate(t, counter, width{8}), verilator.Options{Cache: cache})
	require.ErrorContains(t, err, "need Verilator 5.006 or later")
}

// requireLog checks that an error names a log that holds a text.
func requireLog(t *testing.T, err error, text string) {
	t.Helper()
	_, path, found := strings.Cut(err.Error(), "full log: ")
	require.True(t, found, "%v", err)
	data, readErr := os.ReadFile(path)
	require.NoError(t, readErr)
	require.Contains(t, string(data), text)
}

func TestVerilatorsComplaintIsTheError(t *testing.T) {
	_, err := verilator.Build(t.Context(), elaborate(t, counter, width{8}), verilator.Options{
		Cache: privateCache(t),
		Patch: replaceIn(t, "counter.sv", func(s string) string { return strings.Replace(s, "endmodule", "garbage here\nendmodule", 1) }),
	})
	require.ErrorContains(t, err, "building counter with Verilator: verilator failed (exit status 1): %Error: rtl/counter.sv:")
	require.ErrorContains(t, err, "syntax error")
	require.NotContains(t, err.Error(), "\n")
	require.NotContains(t, err.Error(), "Exiting due to")
	requireLog(t, err, "46 | endmodule")
}

func TestCompilersComplaintIsTheError(t *testing.T) {
	cache := privateCache(t)
	wrapTools(t, "", "case \"$*\" in *unit*.cpp*) echo 'In file included from a'; echo 'x.cpp:1:2: error: no luck'; exit 1;; esac")
	_, err := verilator.Build(t.Context(), elaborate(t, counter, width{8}), verilator.Options{Cache: cache})
	require.ErrorContains(t, err, "failed (exit status 1): x.cpp:1:2: error: no luck; full log: ")
	requireLog(t, err, "In file included from a")
}

func TestFullDiskInAToolSaysWhatToDo(t *testing.T) {
	cache := privateCache(t)
	wrapTools(t, "", "case \"$*\" in *unit*.cpp*) echo 'fatal error: error writing to unit0.o: No space left on device'; exit 1;; esac")
	_, err := verilator.Build(t.Context(), elaborate(t, counter, width{8}), verilator.Options{Cache: cache})
	require.ErrorIs(t, err, syscall.ENOSPC)
	require.ErrorContains(t, err, "no space left for the build in ")
	require.ErrorContains(t, err, "error writing to unit0.o")
}

func TestRegisterMissingFromTheRTLIsNamed(t *testing.T) {
	lib := build(t, elaborate(t, pipe, width{33}), verilator.Options{Quick: true, State: true, Patch: func(fs []gen.File) []gen.File {
		fs[0].Data = []byte(strings.ReplaceAll(string(fs[0].Data), "data_q", "data_r"))
		return fs
	}})
	_, err := lib.New(0)
	require.EqualError(t, err, "the RTL has no register or memory u_first.data_q")
}

func TestDesignThatCannotBeEmitted(t *testing.T) {
	_, err := verilator.Build(t.Context(), nil, verilator.Options{Cache: privateCache(t)})
	require.ErrorContains(t, err, "building design with Verilator: nothing to emit")
}
