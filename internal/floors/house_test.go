package floors

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// maxLines is where a file surely holds more than one concept.
const maxLines = 450

// machinePath matches absolute paths below somebody's own folders. It is put
// together so that it does not match itself.
var machinePath = regexp.MustCompile(`(^|[^\w.~/-])/(` + strings.Join([]string{"home", "root", "Users", "work", "farm"}, "|") + `)/\w`)

func TestFilesStaySmall(t *testing.T) {
	eachFile(t, func(path string, text []byte) {
		if long := tooLong(path, text); long > 0 {
			t.Errorf("%s has %d lines, at most %d; split it by concept", path, long, maxLines)
		}
	})
}

func TestNoPathsOfOneMachine(t *testing.T) {
	eachFile(t, func(path string, text []byte) {
		for i, line := range bytes.Split(text, []byte("\n")) {
			if machinePath.Match(line) {
				t.Errorf("%s:%d holds a path of one machine: %s", path, i+1, line)
			}
		}
	})
}

func TestRulesCanFail(t *testing.T) {
	long := []byte(strings.Repeat("\n", maxLines+1))
	require.Equal(t, maxLines+1, tooLong("a/b.go", long))
	require.Zero(t, tooLong("a/b.go", long[1:]))
	require.Zero(t, tooLong("a/zb.go", long), "generated files may be long")
	require.Zero(t, tooLong("a/b.json", long))

	for _, dir := range []string{"home", "root", "work"} {
		require.True(t, machinePath.MatchString("open /"+dir+"/me/x"))
		require.True(t, machinePath.MatchString(`"/`+dir+`/x"`))
		require.False(t, machinePath.MatchString("the folder a/"+dir+"/x"))
	}
}

// tooLong is the number of lines of a hand-written Go file that has too many,
// else zero.
func tooLong(path string, text []byte) int {
	base := filepath.Base(path)
	if filepath.Ext(base) != ".go" || strings.HasPrefix(base, "z") {
		return 0
	}
	if n := bytes.Count(text, []byte("\n")); n > maxLines {
		return n
	}
	return 0
}

// eachFile calls f for every text file of the module, with its slash-separated
// path from the root. Hidden folders and what lands in out/ are left out.
func eachFile(t *testing.T, f func(path string, text []byte)) {
	t.Helper()
	root := moduleRoot(t)
	seen := 0
	err := fs.WalkDir(os.DirFS(root), ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if path != "." && (strings.HasPrefix(d.Name(), ".") || path == "out") {
				return fs.SkipDir
			}
			return nil
		}
		if d.Name() == ".git" { // a file in a linked working tree
			return nil
		}
		text, err := os.ReadFile(filepath.Join(root, path))
		if err != nil {
			return err
		}
		if bytes.IndexByte(text, 0) < 0 {
			seen++
			f(path, text)
		}
		return nil
	})
	require.NoError(t, err)
	require.Greater(t, seen, 10, "too few files to be the module")
}

// moduleRoot is the folder of go.mod.
func moduleRoot(t *testing.T) string {
	t.Helper()
	root, err := filepath.Abs(filepath.Join("..", ".."))
	require.NoError(t, err)
	require.FileExists(t, filepath.Join(root, "go.mod"))
	return root
}
