package verilator

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// ErrMissing is wrapped by the error of [Build] where Verilator or the C++ compiler
// is not installed; its text says what to install.
var ErrMissing = errors.New("not found in PATH: install with `apt-get install verilator g++`")

// toolset is the programs of a build. Their versions are part of the hash of
// what they make.
type toolset struct {
	Verilator, Compiler               string // paths
	Ccache                            string // path, empty where there is none
	VerilatorVersion, CompilerVersion string
	Root                              string // where Verilator keeps its C++ headers and sources
}

// findTools looks the programs up in PATH; the C++ compiler is $CXX where that is
// set. Versions are kept in the cache, under each program's path, size and
// time of change, so that a second look runs nothing.
func findTools(ctx context.Context, c *Cache) (toolset, error) {
	var t toolset
	cxx := os.Getenv("CXX")
	if cxx == "" {
		cxx = "g++"
	}
	var missing []string
	var err error
	if t.Verilator, err = exec.LookPath("verilator"); err != nil {
		missing = append(missing, "verilator")
	}
	if t.Compiler, err = exec.LookPath(cxx); err != nil {
		missing = append(missing, cxx)
	}
	if len(missing) > 0 {
		return t, fmt.Errorf("%s %w", strings.Join(missing, " and "), ErrMissing)
	}
	t.Ccache, _ = exec.LookPath("ccache")
	if t.VerilatorVersion, err = c.ask(ctx, t.Verilator, "--version"); err != nil {
		return t, err
	}
	if t.Root, err = c.ask(ctx, t.Verilator, "--getenv", "VERILATOR_ROOT"); err != nil {
		return t, err
	}
	if t.CompilerVersion, err = c.ask(ctx, t.Compiler, "--version"); err != nil {
		return t, err
	}
	if !strings.HasPrefix(t.VerilatorVersion, "Verilator 5.") {
		return t, fmt.Errorf("%s is %q: need Verilator 5.006 or later", t.Verilator, t.VerilatorVersion)
	}
	return t, nil
}

// ask returns the first line that a program prints for the arguments.
func (c *Cache) ask(ctx context.Context, program string, args ...string) (string, error) {
	info, err := os.Stat(program)
	if err != nil {
		return "", err
	}
	id, err := json.Marshal([]any{program, info.Size(), info.ModTime().UnixNano(), os.Getenv("VERILATOR_ROOT"), args})
	if err != nil {
		return "", err
	}
	const answer = "answer"
	dir, err := c.entry(ctx, "tool-"+hash(string(id)), func(dir string) error {
		out, err := exec.CommandContext(ctx, program, args...).Output()
		if err != nil {
			return fmt.Errorf("%s %s: %w", program, strings.Join(args, " "), err)
		}
		line, _, _ := strings.Cut(string(out), "\n")
		return os.WriteFile(filepath.Join(dir, answer), []byte(line), 0o666)
	})
	if err != nil {
		return "", err
	}
	data, err := os.ReadFile(filepath.Join(dir, answer))
	return string(data), err
}

// hash is the SHA-256 of texts and of where one ends and the next begins, short
// enough for a file name.
func hash(texts ...string) string {
	h := sha256.New()
	for _, t := range texts {
		fmt.Fprintf(h, "%d:%s", len(t), t)
	}
	return hex.EncodeToString(h.Sum(nil)[:16])
}
