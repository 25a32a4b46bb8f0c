package main

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/stretchr/testify/require"

	"github.com/millrace-hdl/millrace/gen"
	"github.com/millrace-hdl/millrace/idma/frontend"
	"github.com/millrace-hdl/millrace/tb/job"
)

// block is a fenced block of a Markdown file: its language, the file that its
// info line names, and its text.
type block struct{ language, file, text string }

var fence = regexp.MustCompile("(?ms)^```(\\w+)(?: ([^\n]*))?\n(.*?)^```$")

func blocks(t *testing.T, file string) []block {
	t.Helper()
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	var bs []block
	for _, m := range fence.FindAllStringSubmatch(string(text), -1) {
		bs = append(bs, block{m[1], m[2], m[3]})
	}
	require.NotEmpty(t, bs, "%s has no blocks", file)
	return bs
}

// TestTutorialCode runs the tutorial's Go files as if they lay below
// docs/tutorial; their examples compare what they print.
func TestTutorialCode(t *testing.T) {
	t.Setenv("MILLRACE_CACHE", sharedCache(t))
	runGoBlocks(t, "tutorial", "sum", 4, "tutorial.md")
	runGoBlocks(t, "tutorial", "fir", 5, "tutorial.md")
}

// TestWavesCode does the same with the page on waves.
func TestWavesCode(t *testing.T) { runGoBlocks(t, "waves", "queue", 2, "waves.md") }

// TestConcepts does the same with the pages on concepts, which share helpers and so
// are one package. Each but the index has an example.
func TestConcepts(t *testing.T) {
	pages, err := filepath.Glob(filepath.Join("..", "..", "docs", "concepts", "*.md"))
	require.NoError(t, err)
	index, err := os.ReadFile(filepath.Join("..", "..", "docs", "concepts", "README.md"))
	require.NoError(t, err)
	var documents []string
	for _, page := range pages {
		name := filepath.Base(page)
		documents = append(documents, "concepts/"+name)
		if name != "README.md" {
			require.Contains(t, string(index), "("+name+")", "the index lists every page")
			text, err := os.ReadFile(page)
			require.NoError(t, err)
			require.Contains(t, string(text), "// Output:", name)
		}
	}
	t.Setenv("MILLRACE_CACHE", sharedCache(t))
	runGoBlocks(t, "concepts", "", len(pages)-1, documents...)
}

// TestExtendingCode does the same with the page on extending.
func TestExtendingCode(t *testing.T) { runGoBlocks(t, "extending", "", 2, "extending.md") }

// TestRegistersCode does the same with the page on register maps.
func TestRegistersCode(t *testing.T) { runGoBlocks(t, "registers", "", 1, "registers.md") }

// TestComputeFormatsCode does the same with the page on formats of compute operations.
func TestComputeFormatsCode(t *testing.T) { runGoBlocks(t, "formats", "", 1, "compute-formats.md") }

// TestComputeCode does the same with the page on compute operations.
func TestComputeCode(t *testing.T) { runGoBlocks(t, "compute", "", 1, "compute.md") }

// TestFrontendsCode compiles the driver of the page on front-ends with the header that
// millrace gen writes.
func TestFrontendsCode(t *testing.T) {
	dir := t.TempDir()
	facts, err := frontend.Default(frontend.Reg32x2D).Map().Facts()
	require.NoError(t, err)
	require.NoError(t, gen.WriteDir(dir, facts))
	found := 0
	for _, b := range blocks(t, filepath.Join("..", "..", "docs", "frontends.md")) {
		if b.language != "c" {
			continue
		}
		found++
		file := filepath.Join(dir, b.file)
		use := "\nint main(int argc, char **argv) {\n  if (argc > 9) copy_rows((uintptr_t)argv, 0, 0, 1, 1, 0, 0);\n  return 0;\n}\n"
		require.NoError(t, os.WriteFile(file, []byte(b.text+use), 0o600))
		out, err := exec.CommandContext(t.Context(), "gcc", "-std=c99", "-Wall", "-Wextra", "-pedantic", "-Werror", "-o", file+".out", file).CombinedOutput()
		require.NoError(t, err, "%s", out)
	}
	require.Positive(t, found)
}

// TestDriverCode compiles the programs of the page on the driver with what millrace gen
// writes.
func TestDriverCode(t *testing.T) {
	dir := t.TempDir()
	registers, err := frontend.Default(frontend.Reg64x2D).Facts()
	require.NoError(t, err)
	descriptors, err := frontend.DefaultDesc().Facts()
	require.NoError(t, err)
	require.NoError(t, gen.WriteDir(dir, append(registers, descriptors...)))
	found := 0
	for _, b := range blocks(t, filepath.Join("..", "..", "docs", "driver.md")) {
		if b.language != "c" {
			continue
		}
		found++
		file := filepath.Join(dir, b.file)
		require.NoError(t, os.WriteFile(file, []byte(b.text), 0o600))
		out, err := exec.CommandContext(t.Context(), "gcc", "-std=c99", "-Wall", "-Wextra", "-pedantic", "-Werror", "-I", filepath.Join(dir, "sw"), "-c", "-o", file+".o", file).CombinedOutput()
		require.NoError(t, err, "%s", out)
	}
	require.Equal(t, 2, found)
}

// runGoBlocks runs the examples, at least so many, of one package of the Go files
// that documents show, as if they lay below dir. All paths are below docs.
func runGoBlocks(t *testing.T, dir, pkg string, atLeast int, documents ...string) {
	t.Helper()
	root, err := filepath.Abs(filepath.Join("..", ".."))
	require.NoError(t, err)
	work := t.TempDir()
	overlay := struct{ Replace map[string]string }{map[string]string{}}
	examples := 0
	for _, document := range documents {
		for _, b := range blocks(t, filepath.Join(root, "docs", filepath.FromSlash(document))) {
			if b.language != "go" {
				continue
			}
			real := filepath.Join(work, strings.ReplaceAll(b.file, "/", "_"))
			require.NoError(t, os.WriteFile(real, []byte(b.text), 0o600))
			overlay.Replace[filepath.Join(root, "docs", dir, filepath.FromSlash(b.file))] = real
			if path.Dir(b.file) == path.Join(".", pkg) {
				examples += strings.Count(b.text, "// Output:")
			}
		}
	}
	require.GreaterOrEqual(t, examples, atLeast)
	list, err := json.Marshal(overlay)
	require.NoError(t, err)
	overlayFile := filepath.Join(work, "overlay.json")
	require.NoError(t, os.WriteFile(overlayFile, list, 0o600))

	// Built and run in two steps, since go test would run it in a folder that is
	// not there.
	program := filepath.Join(work, "document.test")
	build := exec.CommandContext(t.Context(), "go", "test", "-c", "-vet=off", "-overlay", overlayFile, "-o", program, "./"+path.Join("docs", dir, pkg))
	build.Dir = root
	out, err := build.CombinedOutput()
	require.NoError(t, err, "%s", out)
	run := exec.CommandContext(t.Context(), program, "-test.v")
	run.Dir = work
	out, err = run.CombinedOutput()
	require.NoError(t, err, "%s", out)
	require.Equal(t, examples, strings.Count(string(out), "--- PASS: Example"), "%s", out)
}

// TestTutorialCommands runs the tutorial's shell lines, with the files that it
// shows, in an empty folder.
func TestTutorialCommands(t *testing.T) {
	runShellBlocks(t, filepath.Join("..", "..", "docs", "tutorial.md"))
}

// TestJobsCommands does the same with the page on job files, which has a row for each
// field.
func TestJobsCommands(t *testing.T) {
	page := filepath.Join("..", "..", "docs", "jobs.md")
	runShellBlocks(t, page)
	text, err := os.ReadFile(page)
	require.NoError(t, err)
	var fields []string
	for _, row := range jobField.FindAllStringSubmatch(string(text), -1) {
		fields = append(fields, strings.Split(strings.ReplaceAll(row[1], "`", ""), ", ")...)
	}
	require.Equal(t, job.FieldNames(), fields)
}

var jobField = regexp.MustCompile("(?m)^\\| (`[a-z_`, ]+`) \\|")

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
