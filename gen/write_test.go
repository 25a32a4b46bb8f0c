package gen

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var errFull = errors.New("no space left on device")

// failing is a file system on which every change from a certain one on fails, as
// on a full disk or for a process that was killed.
type failing struct {
	osFiles
	left int // changes that still succeed
}

func (f *failing) change(do func() error) error {
	if f.left == 0 {
		return errFull
	}
	f.left--
	return do()
}

func (f *failing) MkdirAll(dir string) error {
	return f.change(func() error { return f.osFiles.MkdirAll(dir) })
}

func (f *failing) MkdirTemp(dir, prefix string) (name string, err error) {
	err = f.change(func() error {
		name, err = f.osFiles.MkdirTemp(dir, prefix)
		return err
	})
	return name, err
}

// WriteFile fails with half of the data written.
func (f *failing) WriteFile(name string, data []byte) error {
	if f.left == 0 {
		_ = f.osFiles.WriteFile(name, data[:len(data)/2])
	}
	return f.change(func() error { return f.osFiles.WriteFile(name, data) })
}

func (f *failing) Rename(from, to string) error {
	return f.change(func() error { return f.osFiles.Rename(from, to) })
}

func (f *failing) Remove(name string) error {
	return f.change(func() error { return f.osFiles.Remove(name) })
}

func (f *failing) RemoveAll(dir string) error {
	return f.change(func() error { return f.osFiles.RemoveAll(dir) })
}

// set is a design's files as name and text in turn.
func set(pairs ...string) []File {
	var files []File
	for i := 0; i < len(pairs); i += 2 {
		files = append(files, File{Name: pairs[i], Data: []byte(pairs[i+1])})
	}
	return files
}

// visible is what a directory shows: names to texts, without hidden files.
func visible(t *testing.T, dir string) map[string]string {
	t.Helper()
	got := map[string]string{}
	require.NoError(t, filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if strings.HasPrefix(e.Name(), ".") && path != dir {
			if e.IsDir() {
				return fs.SkipDir
			}
			return nil
		}
		if e.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		name, _ := filepath.Rel(dir, path)
		got[filepath.ToSlash(name)] = string(data)
		return err
	}))
	return got
}

// Wherever writing stops, each file is the old or the new one, whole; before the
// first one is in place all are the old ones; and writing again mends everything.
func TestAnyFailureLeavesWholeFiles(t *testing.T) {
	before := set("a.sv", "old a", "b.sv", "old b", "gone.sv", "old", "top.f", "old list")
	after := set("a.sv", "new a, longer", "b.sv", "new b, longer", "sub/c.sv", "new c", "top.f", "new list")
	old := map[string]string{"a.sv": "old a", "b.sv": "old b", "gone.sv": "old", "top.f": "old list"}
	want := map[string]string{"a.sv": "new a, longer", "b.sv": "new b, longer", "sub/c.sv": "new c", "top.f": "new list"}
	kept := 0
	for changes := 0; ; changes++ {
		dir := t.TempDir()
		require.NoError(t, WriteDir(dir, before))
		f := &failing{left: changes}
		err := writeDir(f, dir, after)
		if err == nil {
			require.Equal(t, want, visible(t, dir))
			break
		}
		require.ErrorIs(t, err, errFull)
		require.Contains(t, err.Error(), dir)
		got := visible(t, dir)
		for name, text := range got {
			require.Contains(t, []string{old[name], want[name]}, text, "%s after %d changes", name, changes)
		}
		if strings.Contains(err.Error(), "as before") {
			require.Equal(t, old, got, "after %d changes", changes)
			kept++
		}
		require.NoError(t, WriteDir(dir, after))
		require.Equal(t, want, visible(t, dir), "mended after %d changes", changes)
	}
	require.Greater(t, kept, 4, "failures before the first file is in place")
}

func TestStaleFilesGo(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "notes.txt"), []byte("mine"), 0o644))
	require.NoError(t, WriteDir(dir, set("top.sv", "1", "old.sv", "1", "edited.sv", "1", "shared.sv", "1", "top.f", "1")))
	require.NoError(t, WriteDir(dir, set("shared.sv", "1", "other.f", "1")))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "edited.sv"), []byte("by hand"), 0o644))
	require.NoError(t, WriteDir(dir, set("top.sv", "2", "top.f", "2")))
	require.Equal(t, map[string]string{
		"notes.txt": "mine", "top.sv": "2", "top.f": "2",
		"edited.sv": "by hand", // the user's now
		"shared.sv": "1", "other.f": "1",
	}, visible(t, dir))
}

func TestUnchangedFilesAreNotTouched(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, WriteDir(dir, set("a.sv", "same", "b.sv", "1", "top.f", "list")))
	past, err := os.Stat(filepath.Join(dir, "a.sv"))
	require.NoError(t, err)
	require.NoError(t, WriteDir(dir, set("a.sv", "same", "b.sv", "2", "top.f", "list")))
	now, err := os.Stat(filepath.Join(dir, "a.sv"))
	require.NoError(t, err)
	require.True(t, os.SameFile(past, now), "the file was replaced")
	var names []string
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	for _, e := range entries {
		names = append(names, e.Name())
	}
	sort.Strings(names)
	require.Equal(t, []string{".millrace-files-top.f", ".millrace-lock", "a.sv", "b.sv", "top.f"}, names)
}

func TestNamesThatCannotBeWritten(t *testing.T) {
	for _, c := range []struct {
		files []File
		want  string
	}{
		{nil, "the set of files is empty"},
		{set("../a.sv", ""), `"../a.sv" does not lie below`},
		{set("/a.sv", ""), `"/a.sv" does not lie below`},
		{set("a/../b.sv", ""), "does not lie below"},
		{set("", ""), "does not lie below"},
		{set("a.sv", "", "A.sv", ""), `"A.sv" occurs twice`},
		{set(".millrace-files-x", ""), "is kept for the record"},
	} {
		dir := t.TempDir()
		require.ErrorContains(t, WriteDir(dir, c.files), c.want)
		require.Empty(t, visible(t, dir))
	}
}

func TestDirectoryThatIsAFile(t *testing.T) {
	name := filepath.Join(t.TempDir(), "out")
	require.NoError(t, os.WriteFile(name, nil, 0o644))
	require.ErrorContains(t, WriteDir(name, set("a.sv", "")), "cannot make the output directory "+name)
}
