package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/alecthomas/kong"
	"github.com/stretchr/testify/require"
)

// slow are examples that take minutes; they are only parsed.
var slow = map[string]bool{
	"millrace bench utilisation --json":                                                true,
	"millrace bench utilisation --engine verilator":                                    true,
	"millrace bench simspeed":                                                          true,
	"millrace bench simspeed --json":                                                   true,
	"millrace bench simspeed --widths 64 --workloads busy --no-best --rounds 3 --json": true,
}

// Whoever pastes the examples of a help into a shell, one after the other in an
// empty folder, must see them work.
func TestHelpExamplesWork(t *testing.T) {
	t.Setenv("MILLRACE_CACHE", sharedCache(t))
	var c cli
	parser, err := kong.New(&c, kong.Name("millrace"), kong.Description(description), kong.Vars{"version": ""})
	require.NoError(t, err)
	helps := 0
	require.NoError(t, kong.Visit(parser.Model, func(n kong.Visitable, next kong.Next) error {
		text := ""
		switch n := n.(type) {
		case *kong.Application:
			text = n.Help
		case *kong.Node:
			text = n.Detail
			require.Contains(t, text, "Examples:", n.FullPath())
		}
		if text != "" {
			helps++
			runExamples(t, parser, text)
		}
		return next(nil)
	}))
	require.Greater(t, helps, 5)
}

func runExamples(t *testing.T, parser *kong.Kong, text string) {
	t.Chdir(t.TempDir())
	_, examples, ok := strings.Cut(text, "Examples:\n")
	require.True(t, ok, text)
	for line := range strings.Lines(examples) {
		line = strings.TrimSpace(line)
		if folder, ok := strings.CutPrefix(line, "mkdir "); ok {
			require.NoError(t, os.Mkdir(folder, 0o700), line)
			continue
		}
		command, file, redirected := strings.Cut(line, " >")
		words := strings.Fields(command)
		require.Equal(t, "millrace", words[0], line)
		if slow[line] {
			_, err := parser.Parse(words[1:])
			require.NoError(t, err, line)
			continue
		}
		var stdout, stderr bytes.Buffer
		require.Zero(t, run(t.Context(), words[1:], &stdout, &stderr), "%s\n%s", line, stderr.String())
		require.NotZero(t, stdout.Len(), line)
		if redirected {
			require.NoError(t, os.WriteFile(filepath.Join(".", file), stdout.Bytes(), 0o600))
		}
	}
}

func TestHelpShowsDefaults(t *testing.T) {
	code, stdout, _ := call(t, "sim", "--help")
	require.Zero(t, code)
	text := strings.Join(strings.Fields(stdout), " ")
	require.Contains(t, text, "--read-latency=L Cycles from a read request to its first data, at least 1. Default: 1.")
	require.Contains(t, text, "Default: go.")
	require.NotContains(t, text, "Default: false")
}

func TestVersion(t *testing.T) {
	code, stdout, _ := call(t, "--version")
	require.Zero(t, code)
	require.Regexp(t, `^millrace \S+ \(go1\.\d+\S*\)\n$`, stdout)
}

func TestExamplesAreListedAndPrinted(t *testing.T) {
	entries, err := exampleFiles.ReadDir("examples")
	require.NoError(t, err)
	require.Len(t, entries, len(exampleSummaries))
	code, stdout, _ := call(t, "example")
	require.Zero(t, code)
	for _, e := range entries {
		require.Contains(t, stdout, e.Name())
		code, text, _ := call(t, "example", e.Name())
		require.Zero(t, code)
		want, err := os.ReadFile(filepath.Join("examples", e.Name()))
		require.NoError(t, err)
		require.Equal(t, string(want), text)
	}
	code, _, stderr := call(t, "example", "job.yaml")
	require.Equal(t, exitUsage, code)
	require.Contains(t, stderr, `there is no example "job.yaml"; did you mean jobs.yaml?`)
}
