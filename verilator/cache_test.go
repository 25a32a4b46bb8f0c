package verilator

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func testCache(t *testing.T) *Cache {
	t.Helper()
	c, err := OpenCache(t.TempDir())
	require.NoError(t, err)
	return c
}

// filler returns a fill function that writes text to a file called data, and
// counts its calls.
func filler(text string) (fill func(string) error, calls *atomic.Int32) {
	calls = new(atomic.Int32)
	return func(dir string) error {
		calls.Add(1)
		return os.WriteFile(filepath.Join(dir, "data"), []byte(text), 0o666)
	}, calls
}

func TestEntryIsMadeOnce(t *testing.T) {
	c := testCache(t)
	fill, calls := filler("x")
	first, err := c.entry(t.Context(), "a-1", fill)
	require.NoError(t, err)
	second, err := c.entry(t.Context(), "a-1", fill)
	require.NoError(t, err)
	require.Equal(t, first, second)
	require.EqualValues(t, 1, calls.Load())
	_, err = c.entry(t.Context(), "a-2", fill)
	require.NoError(t, err)
	require.EqualValues(t, 2, calls.Load(), "another name is another entry")
}

func TestDamagedEntryIsMadeAgain(t *testing.T) {
	damage := map[string]func(dir string) error{
		"changed":       func(dir string) error { return os.WriteFile(filepath.Join(dir, "data"), []byte("y"), 0o666) },
		"truncated":     func(dir string) error { return os.Truncate(filepath.Join(dir, "data"), 0) },
		"missing":       func(dir string) error { return os.Remove(filepath.Join(dir, "data")) },
		"no seal":       func(dir string) error { return os.Remove(filepath.Join(dir, sealName)) },
		"empty seal":    func(dir string) error { return os.Truncate(filepath.Join(dir, sealName), 0) },
		"cut seal":      func(dir string) error { return os.Truncate(filepath.Join(dir, sealName), 10) },
		"a file itself": func(dir string) error { return errors.Join(os.RemoveAll(dir), os.WriteFile(dir, nil, 0o666)) },
	}
	for name, f := range damage {
		t.Run(name, func(t *testing.T) {
			c := testCache(t)
			fill, calls := filler("x")
			dir, err := c.entry(t.Context(), "a", fill)
			require.NoError(t, err)
			require.NoError(t, f(dir))
			_, err = c.entry(t.Context(), "a", fill)
			require.NoError(t, err)
			require.EqualValues(t, 2, calls.Load())
			data, err := os.ReadFile(filepath.Join(dir, "data"))
			require.NoError(t, err)
			require.Equal(t, "x", string(data))
		})
	}
}

func TestFailedFillLeavesNothing(t *testing.T) {
	c := testCache(t)
	boom := errors.New("boom")
	_, err := c.entry(t.Context(), "a", func(dir string) error {
		require.NoError(t, os.WriteFile(filepath.Join(dir, "data"), nil, 0o666))
		return boom
	})
	require.ErrorIs(t, err, boom)
	for _, d := range []string{c.entries(), c.tmp()} {
		names, err := list(d)
		require.NoError(t, err)
		require.Empty(t, names)
	}
}

func TestLeftoversOfKilledBuildersGo(t *testing.T) {
	c := testCache(t)
	fill, _ := filler("x")
	_, err := c.entry(t.Context(), "a", fill)
	require.NoError(t, err)
	for _, n := range []string{"a.1", "b.2"} {
		require.NoError(t, os.MkdirAll(filepath.Join(c.tmp(), n, "work"), 0o777))
	}
	_, err = c.entry(t.Context(), "b", fill)
	require.NoError(t, err)
	names, err := list(c.tmp())
	require.NoError(t, err)
	require.Equal(t, []string{"a.1"}, names, "a builder clears up after its like")
	require.NoError(t, c.Trim())
	names, err = list(c.tmp())
	require.NoError(t, err)
	require.Empty(t, names, "and Trim after all")
}

func TestBuildersWaitForOneAnother(t *testing.T) {
	c := testCache(t)
	fill, calls := filler("x")
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			_, err := c.entry(t.Context(), "a", func(dir string) error {
				time.Sleep(50 * time.Millisecond)
				return fill(dir)
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	require.EqualValues(t, 1, calls.Load())
}

func TestWaitingEndsWithTheContext(t *testing.T) {
	c := testCache(t)
	began, end := make(chan struct{}), make(chan struct{})
	var all sync.WaitGroup
	all.Go(func() {
		_, _ = c.entry(context.Background(), "a", func(string) error { close(began); <-end; return nil })
	})
	<-began
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	_, err := c.entry(ctx, "a", func(string) error { return nil })
	require.ErrorIs(t, err, context.DeadlineExceeded)
	require.ErrorContains(t, err, "waiting for another build")
	close(end)
	all.Wait()
}

func TestTrimDropsWhatWasUnusedForLongest(t *testing.T) {
	c := testCache(t)
	fill, _ := filler(string(make([]byte, 1000)))
	age := func(name string, d time.Duration) {
		at := time.Now().Add(-d)
		require.NoError(t, os.Chtimes(filepath.Join(c.entries(), name, sealName), at, at))
	}
	for _, n := range []string{"a", "b", "c"} {
		_, err := c.entry(t.Context(), n, fill)
		require.NoError(t, err)
	}
	age("a", 3*time.Hour)
	age("b", 2*time.Hour)
	age("c", 1*time.Hour)
	_, err := c.entry(t.Context(), "a", fill)
	require.NoError(t, err, "a use makes it young")
	c.Limit = 2500
	require.NoError(t, c.Trim())
	names, err := list(c.entries())
	require.NoError(t, err)
	require.Equal(t, []string{"a", "c"}, names)
	require.NoError(t, c.Clean())
	names, err = list(c.entries())
	require.NoError(t, err)
	require.Empty(t, names)
}

func TestCleanKeepsWhatIsBeingBuilt(t *testing.T) {
	c := testCache(t)
	_, err := c.entry(t.Context(), "a", func(dir string) error {
		if err := os.WriteFile(filepath.Join(dir, "data"), nil, 0o666); err != nil {
			return err
		}
		return c.Clean()
	})
	require.NoError(t, err)
	require.True(t, sealed(filepath.Join(c.entries(), "a")))
}

func TestCleanOfNothing(t *testing.T) {
	require.NoError(t, testCache(t).Clean())
}

func TestUnwritableCacheSaysWhatToDo(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(file, nil, 0o666))
	c, err := OpenCache(file)
	require.NoError(t, err)
	_, err = c.entry(t.Context(), "a", func(string) error { return nil })
	require.ErrorIs(t, err, syscall.ENOTDIR)
	require.ErrorContains(t, err, "the build cache "+filepath.Join(file, "verilator")+" cannot be written")
	require.ErrorContains(t, err, "set MILLRACE_CACHE to a directory that can")
}

func TestFullCacheSaysWhatToDo(t *testing.T) {
	c := testCache(t)
	_, err := c.entry(t.Context(), "a", func(string) error {
		return &os.PathError{Op: "write", Path: "unit0.cpp", Err: syscall.ENOSPC}
	})
	require.ErrorIs(t, err, syscall.ENOSPC)
	require.ErrorContains(t, err, "no space left for the build in "+c.Dir)
	require.ErrorContains(t, err, "MILLRACE_CACHE")
}

func TestWhereTheCacheIs(t *testing.T) {
	t.Setenv("MILLRACE_CACHE", "")
	t.Setenv("XDG_CACHE_HOME", "/xdg")
	dir := func(option string) string {
		c, err := OpenCache(option)
		require.NoError(t, err)
		return c.Dir
	}
	require.Equal(t, "/xdg/millrace/verilator", dir(""))
	t.Setenv("MILLRACE_CACHE", "/env")
	require.Equal(t, "/env/verilator", dir(""))
	require.Equal(t, "/option/verilator", dir("/option"))
}
