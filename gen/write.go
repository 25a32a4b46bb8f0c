package gen

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"sort"
	"strings"
)

const (
	stagePrefix    = ".millrace-stage-"
	manifestPrefix = ".millrace-files-"
	lockName       = ".millrace-lock"
)

// WriteDir writes a set of files below a directory, which it makes if need be.
// Everything is first written to a hidden directory beside the files and flushed;
// only then are the files renamed into place, the last one of the set last. So on
// a full disk, or a kill before that point, what was there stays as it was, and at
// no time is a file half written. Files that do not change are not touched. Several
// writers of one directory wait for each other.
//
// A hidden manifest, one for each set, remembers what was written. Files of the
// previous emission of the same set that are no longer in it are removed, unless
// they were edited since or belong to another set. A set is known by its last
// file, which for [Emit] is the file list.
func WriteDir(dir string, files []File) error { return writeDir(osFiles{}, dir, files) }

func writeDir(f fileSystem, dir string, files []File) error {
	if len(files) == 0 {
		return errors.New("nothing to write: the set of files is empty")
	}
	if err := checkNames(files); err != nil {
		return err
	}
	if err := f.MkdirAll(dir); err != nil {
		return fmt.Errorf("cannot make the output directory %s: %w", dir, err)
	}
	unlock, err := f.Lock(filepath.Join(dir, lockName))
	if err != nil {
		return fmt.Errorf("cannot write to %s: %w; the files there are as before", dir, err)
	}
	defer unlock()
	w := &dirWriter{f: f, dir: dir}
	w.clean()
	changed, err := w.stage(files)
	if err != nil {
		w.abandon()
		return fmt.Errorf("cannot write to %s: %w; the files there are as before", dir, err)
	}
	if err := w.commit(changed); err != nil {
		w.abandon()
		return fmt.Errorf("cannot replace all files in %s: %w; run again once that is mended", dir, err)
	}
	w.abandon()
	return nil
}

func checkNames(files []File) error {
	seen := map[string]bool{}
	for _, f := range files {
		switch {
		case !filepath.IsLocal(f.Name) || path.Clean(f.Name) != f.Name || f.Name == ".":
			return fmt.Errorf("file name %q does not lie below the output directory", f.Name)
		case strings.HasPrefix(f.Name, ".millrace-"):
			return fmt.Errorf("file name %q is kept for the record of what was written", f.Name)
		case seen[strings.ToLower(f.Name)]:
			return fmt.Errorf("file name %q occurs twice in the set", f.Name)
		}
		seen[strings.ToLower(f.Name)] = true
	}
	return nil
}

// dirWriter is one set on its way to a directory.
type dirWriter struct {
	f     fileSystem
	dir   string
	temp  string            // the stage
	old   map[string]string // the set's previous manifest: name to hash
	stale []string
}

// clean removes the stages of writers that died: nobody else holds the lock.
func (w *dirWriter) clean() {
	entries, err := w.f.ReadDir(w.dir)
	if err != nil {
		return
	}
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), stagePrefix) {
			_ = w.f.RemoveAll(filepath.Join(w.dir, e.Name()))
		}
	}
}

// stage writes what differs from what is there, the manifest as well, to a new
// directory, and returns the names.
func (w *dirWriter) stage(files []File) (changed []string, err error) {
	set := strings.ReplaceAll(files[len(files)-1].Name, "/", "_")
	manifest := manifestPrefix + set
	if w.old, err = w.readManifest(manifest); err != nil {
		return nil, err
	}
	if w.temp, err = w.f.MkdirTemp(w.dir, stagePrefix); err != nil {
		return nil, err
	}
	var list bytes.Buffer
	now := map[string]bool{}
	for _, f := range files {
		now[f.Name] = true
		fmt.Fprintf(&list, "%s  %s\n", hash(f.Data), f.Name)
	}
	for _, f := range append(files[:len(files):len(files)], File{Name: manifest, Data: list.Bytes()}) {
		have, err := w.f.ReadFile(filepath.Join(w.dir, f.Name))
		if err == nil && bytes.Equal(have, f.Data) {
			continue
		}
		if err := w.f.MkdirAll(filepath.Dir(filepath.Join(w.temp, f.Name))); err != nil {
			return nil, err
		}
		if err := w.f.WriteFile(filepath.Join(w.temp, f.Name), f.Data); err != nil {
			return nil, err
		}
		changed = append(changed, f.Name)
	}
	return changed, w.findStale(manifest, now)
}

// findStale lists the files of the previous manifest that are neither in the set
// now nor in another one's manifest nor edited since.
func (w *dirWriter) findStale(manifest string, now map[string]bool) error {
	entries, err := w.f.ReadDir(w.dir)
	if err != nil {
		return err
	}
	other := map[string]bool{}
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), manifestPrefix) && e.Name() != manifest {
			names, err := w.readManifest(e.Name())
			if err != nil {
				return err
			}
			for n := range names {
				other[n] = true
			}
		}
	}
	for name, sum := range w.old {
		if now[name] || other[name] {
			continue
		}
		data, err := w.f.ReadFile(filepath.Join(w.dir, name))
		if err == nil && hash(data) == sum {
			w.stale = append(w.stale, name)
		}
	}
	sort.Strings(w.stale)
	return nil
}

func (w *dirWriter) readManifest(name string) (map[string]string, error) {
	data, err := w.f.ReadFile(filepath.Join(w.dir, name))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	names := map[string]string{}
	for _, l := range strings.Split(string(data), "\n") {
		if sum, file, ok := strings.Cut(l, "  "); ok && filepath.IsLocal(file) {
			names[file] = sum
		}
	}
	return names, nil
}

func hash(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// commit moves the staged files into place and removes stale ones. The manifest
// goes last: until then the previous one tells the next writer what was stale.
func (w *dirWriter) commit(changed []string) error {
	place := func(name string) error {
		to := filepath.Join(w.dir, name)
		if err := w.f.MkdirAll(filepath.Dir(to)); err != nil {
			return err
		}
		return w.f.Rename(filepath.Join(w.temp, name), to)
	}
	last := len(changed)
	if last > 0 && strings.HasPrefix(changed[last-1], manifestPrefix) {
		last--
	}
	for _, name := range changed[:last] {
		if err := place(name); err != nil {
			return err
		}
	}
	for _, name := range w.stale {
		if err := w.f.Remove(filepath.Join(w.dir, name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	for _, name := range changed[last:] {
		if err := place(name); err != nil {
			return err
		}
	}
	return w.f.SyncDir(w.dir)
}

// abandon removes the stage.
func (w *dirWriter) abandon() {
	if w.temp != "" {
		_ = w.f.RemoveAll(w.temp)
	}
}
