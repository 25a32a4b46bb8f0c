package verilator

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"syscall"
	"time"

	"github.com/gofrs/flock"
)

// DefaultCacheLimit is the size in bytes above which a cache drops the builds
// that were unused for longest.
const DefaultCacheLimit = 2 << 30

// sealName is the file that makes a cache entry valid: it lists the entry's other
// files with their SHA-256, and is written last.
const sealName = "seal"

// Cache is a directory of sealed entries, each a directory whose name holds the
// hash of everything that went into it. An entry is made in a temporary
// directory and renamed into place, so a builder that dies leaves nothing that
// counts; one whose files no longer match their seal is made again. Processes
// that want the same entry wait for one another.
type Cache struct {
	Dir   string // absolute
	Limit int64  // bytes; see [Cache.Trim]
}

// OpenCache returns the cache at dir, or where dir is empty at the directory that
// the environment variable MILLRACE_CACHE names, or else at millrace in the
// user's cache directory. The limit is [DefaultCacheLimit]. Nothing is created.
func OpenCache(dir string) (*Cache, error) {
	if dir == "" {
		dir = os.Getenv("MILLRACE_CACHE")
	}
	if dir == "" {
		base, err := os.UserCacheDir()
		if err != nil {
			return nil, fmt.Errorf("no cache directory: %w; set MILLRACE_CACHE to a directory for builds", err)
		}
		dir = filepath.Join(base, "millrace")
	}
	dir, err := filepath.Abs(filepath.Join(dir, "verilator"))
	if err != nil {
		return nil, fmt.Errorf("cache directory: %w", err)
	}
	return &Cache{Dir: dir, Limit: DefaultCacheLimit}, nil
}

func (c *Cache) entries() string { return filepath.Join(c.Dir, "entries") }
func (c *Cache) tmp() string     { return filepath.Join(c.Dir, "tmp") }
func (c *Cache) logs() string    { return filepath.Join(c.Dir, "logs") }
func (c *Cache) locks() string   { return filepath.Join(c.Dir, "locks") }

// entry returns the directory of the entry of that name, making it first where
// it is absent or damaged: fill writes its files into the directory it is given.
func (c *Cache) entry(ctx context.Context, name string, fill func(dir string) error) (dir string, err error) {
	dir = filepath.Join(c.entries(), name)
	if sealed(dir) {
		c.touch(dir)
		return dir, nil
	}
	for _, d := range []string{c.entries(), c.tmp(), c.logs(), c.locks()} {
		if err := os.MkdirAll(d, 0o777); err != nil {
			return "", c.explain(err)
		}
	}
	lock := flock.New(filepath.Join(c.locks(), name))
	if _, err := lock.TryLockContext(ctx, 20*time.Millisecond); err != nil {
		return "", c.explain(fmt.Errorf("waiting for another build: %w", err))
	}
	defer func() { _ = lock.Unlock() }()
	if sealed(dir) {
		c.touch(dir)
		return dir, nil
	}
	if err := c.dropLeftovers(name); err != nil {
		return "", c.explain(err)
	}
	work, err := os.MkdirTemp(c.tmp(), name+".")
	if err != nil {
		return "", c.explain(err)
	}
	defer func() { _ = os.RemoveAll(work) }()
	if err := os.Chmod(work, 0o755); err != nil { // others may read the cache
		return "", c.explain(err)
	}
	if err := fill(work); err != nil {
		return "", c.explain(err)
	}
	if err := seal(work); err != nil {
		return "", c.explain(err)
	}
	if err := os.RemoveAll(dir); err != nil {
		return "", c.explain(err)
	}
	if err := os.Rename(work, dir); err != nil {
		return "", c.explain(err)
	}
	return dir, nil
}

// dropLeftovers removes what builders of the entry left when they were killed.
// The caller holds the entry's lock, so none is alive.
func (c *Cache) dropLeftovers(name string) error {
	old, err := filepath.Glob(filepath.Join(c.tmp(), name+".*"))
	if err != nil {
		return err
	}
	for _, d := range old {
		if err := os.RemoveAll(d); err != nil {
			return err
		}
	}
	return nil
}

// touch records the use of an entry; failing to does no harm.
func (c *Cache) touch(dir string) {
	now := time.Now()
	_ = os.Chtimes(filepath.Join(dir, sealName), now, now)
}

// explain says what to do about errors of the file system that a user meets.
func (c *Cache) explain(err error) error {
	const remedy = "set MILLRACE_CACHE to a directory that can"
	switch {
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		return fmt.Errorf("no space left for the build in %s: %w; free some or set MILLRACE_CACHE to a directory elsewhere", c.Dir, err)
	case errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EROFS), errors.Is(err, syscall.ENOTDIR):
		return fmt.Errorf("the build cache %s cannot be written: %w; %s", c.Dir, err, remedy)
	}
	return err
}

// Trim removes the entries unused for longest until all together are no larger
// than Limit, and what killed builders left. An entry being made is kept.
func (c *Cache) Trim() error { return c.shrink(c.Limit) }

// Clean removes everything in the cache that no builder is at work on.
func (c *Cache) Clean() error { return c.shrink(-1) }

type usage struct {
	name string
	size int64
	used time.Time
}

func (c *Cache) shrink(limit int64) error {
	if err := c.sweep(); err != nil {
		return c.explain(err)
	}
	names, err := list(c.entries())
	if err != nil {
		return c.explain(err)
	}
	var total int64
	var all []usage
	for _, n := range names {
		u := usage{name: n}
		files, err := os.ReadDir(filepath.Join(c.entries(), n))
		if err != nil {
			continue // another process removed it
		}
		for _, f := range files {
			if info, err := f.Info(); err == nil {
				u.size += info.Size()
				if f.Name() == sealName {
					u.used = info.ModTime()
				}
			}
		}
		total += u.size
		all = append(all, u)
	}
	sort.SliceStable(all, func(i, j int) bool { return all[i].used.Before(all[j].used) })
	for _, u := range all {
		if total <= limit {
			break
		}
		removed, err := c.removeUnlocked(u.name, filepath.Join(c.entries(), u.name))
		if err != nil {
			return c.explain(err)
		}
		if removed {
			total -= u.size
		}
	}
	if limit >= 0 {
		return nil
	}
	return c.explain(os.RemoveAll(c.logs()))
}

// sweep removes temporary directories whose builder is gone.
func (c *Cache) sweep() error {
	names, err := list(c.tmp())
	if err != nil {
		return err
	}
	for _, n := range names {
		owner := n[:max(strings.LastIndexByte(n, '.'), 0)]
		if _, err := c.removeUnlocked(owner, filepath.Join(c.tmp(), n)); err != nil {
			return err
		}
	}
	return nil
}

// removeUnlocked removes path unless a builder holds the lock of the name.
func (c *Cache) removeUnlocked(name, path string) (bool, error) {
	if err := os.MkdirAll(c.locks(), 0o777); err != nil {
		return false, err
	}
	lock := flock.New(filepath.Join(c.locks(), name))
	ok, err := lock.TryLock()
	if err != nil || !ok {
		return false, err
	}
	defer func() { _ = lock.Unlock() }()
	return true, os.RemoveAll(path)
}

// list names what a directory holds, nothing where it does not exist.
func list(dir string) ([]string, error) {
	es, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	names := make([]string, len(es))
	for i, e := range es {
		names[i] = e.Name()
	}
	return names, err
}

// seal writes the list of a directory's files and their hashes into it.
func seal(dir string) error {
	names, err := list(dir)
	if err != nil {
		return err
	}
	var b strings.Builder
	for _, n := range names {
		h, err := fileHash(filepath.Join(dir, n))
		if err != nil {
			return err
		}
		fmt.Fprintf(&b, "%s  %s\n", h, n)
	}
	return os.WriteFile(filepath.Join(dir, sealName), []byte(b.String()), 0o666)
}

// sealed reports whether a directory has a seal that its files match.
func sealed(dir string) bool {
	data, err := os.ReadFile(filepath.Join(dir, sealName))
	if err != nil || len(data) == 0 {
		return false
	}
	for line := range strings.Lines(string(data)) {
		want, name, ok := strings.Cut(strings.TrimSuffix(line, "\n"), "  ")
		if !ok {
			return false
		}
		if got, err := fileHash(filepath.Join(dir, name)); err != nil || got != want {
			return false
		}
	}
	return true
}

func fileHash(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}
