package main

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/stretchr/testify/require"
)

// block is a fenced block of a Markdown file: its language, the file that its
// info line names, and its text.
type block struct{ language, file, text string }

var fence = regexp.MustCompile("(?ms)^```(\\w+)(?: ([^\n]*))?\n(.*?)^```$")

func blocks(t *testing.T, path string) []block {
	t.Helper()
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	var bs []block
	for _, m := range fence.FindAllStringSubmatch(string(text), -1) {
		bs = append(bs, block{m[1], m[2], m[3]})
	}
	require.NotEmpty(t, bs, "%s has no blocks", path)
	return bs
}

// TestTutorialCode runs the tutorial's Go files as if they lay below
// docs/tutorial; their examples compare what they print.
func TestTutorialCode(t *testing.T) { runGoBlocks(t, "tutorial", "sum", 3) }

// TestWavesCode does the same with the page on waves.
func TestWavesCode(t *testing.T) { runGoBlocks(t, "waves", "queue", 2) }

// runGoBlocks runs the examples, at least so many, of one package of a document's
// Go files.
func runGoBlocks(t *testing.T, document, pkg string, atLeast int) {
	t.Helper()
	root, err := filepath.Abs(filepath.Join("..", ".."))
	require.NoError(t, err)
	dir := t.TempDir()
	overlay := struct{ Replace map[string]string }{map[string]string{}}
	examples := 0
	for _, b := range blocks(t, filepath.Join(root, "docs", document+".md")) {
		if b.language != "go" {
			continue
		}
		real := filepath.Join(dir, strings.ReplaceAll(b.file, "/", "_"))
		require.NoError(t, os.WriteFile(real, []byte(b.text), 0o600))
		overlay.Replace[filepath.Join(root, "docs", document, filepath.FromSlash(b.file))] = real
		examples += strings.Count(b.text, "// Output:")
	}
	require.GreaterOrEqual(t, examples, atLeast)
	list, err := json.Marshal(overlay)
	require.NoError(t, err)
	overlayFile := filepath.Join(dir, "overlay.json")
	require.NoError(t, os.WriteFile(overlayFile, list, 0o600))

	// Built and run in two steps, since go test would run it in a folder that is
	// not there.
	program := filepath.Join(dir, "document.test")
	build := exec.CommandContext(t.Context(), "go", "test", "-c", "-vet=off", "-overlay", overlayFile, "-o", program, "./docs/"+document+"/"+pkg)
	build.Dir = root
	out, err := build.CombinedOutput()
	require.NoError(t, err, "%s", out)
	run := exec.CommandContext(t.Context(), program, "-test.v")
	run.Dir = dir
	out, err = run.CombinedOutput()
	require.NoError(t, err, "%s", out)
	require.Equal(t, examples, strings.Count(string(out), "--- PASS: Example"), "%s", out)
}

// TestTutorialCommands runs the tutorial's shell lines, with the files that it
// shows, in an empty folder.
func TestTutorialCommands(t *testing.T) {
	runShellBlocks(t, filepath.Join("..", "..", "docs", "tutorial.md"))
}

// TestWavesCommands does the same with the page on waves.
func TestWavesCommands(t *testing.T) {
	runShellBlocks(t, filepath.Join("..", "..", "docs", "waves.md"))
}

// runShellBlocks makes one script of a document's files and millrace lines.
func runShellBlocks(t *testing.T, path string) {
	t.Helper()
	var script, files bytes.Buffer
	for _, b := range blocks(t, path) {
		switch {
		case b.language == "sh":
			for line := range strings.Lines(b.text) {
				if strings.HasPrefix(line, "millrace ") {
					script.WriteString("exec " + line)
				}
			}
		case b.language != "go" && b.file != "":
			files.WriteString("-- " + b.file + " --\n" + b.text)
		}
	}
	require.NotZero(t, script.Len(), "%s runs no command", path)
	file := filepath.Join(t.TempDir(), "document.txtar")
	require.NoError(t, os.WriteFile(file, append(script.Bytes(), files.Bytes()...), 0o600))
	cache := sharedCache(t)
	testscript.Run(t, testscript.Params{
		Files: []string{file},
		Setup: func(e *testscript.Env) error {
			e.Setenv("MILLRACE_CACHE", cache)
			return nil
		},
	})
}

// TestReadmeCommands does the same with the README's quick start.
func TestReadmeCommands(t *testing.T) { runShellBlocks(t, filepath.Join("..", "..", "README.md")) }
