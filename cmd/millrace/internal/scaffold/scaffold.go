// Package scaffold makes a starter module of a user's own. What it writes is
// package starter, which is built and tested here like any other, with another
// name: a block, its bench and its RTL, beside a go.mod that leads to this module.
package scaffold

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"go/format"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"
)

//go:embed starter/*.go starter/README.md starter/rtl
var starterFiles embed.FS

// Module is what is to be made.
type Module struct {
	Name   Name
	Path   string // of the Go module
	Dir    string // folder to make
	Origin Origin // where the language comes from
}

// Write makes the folder and returns the names of the files in it, sorted. It runs
// the Go tool to complete go.mod. When it fails, it leaves nothing.
func (m Module) Write(ctx context.Context) ([]string, error) {
	if _, err := os.Lstat(m.Dir); err == nil {
		return nil, fmt.Errorf("%s exists already and is left as it is; choose another name, or another folder with --output", m.Dir)
	}
	if in, err := m.Origin.contains(m.Dir); err != nil {
		return nil, err
	} else if in {
		return nil, fmt.Errorf("%s lies inside the checkout of millrace; choose a folder outside with --output", m.Dir)
	}
	stage, err := os.MkdirTemp(filepath.Dir(filepath.Clean(m.Dir)), ".millrace-new-")
	if err != nil {
		return nil, fmt.Errorf("cannot make %s: %w", m.Dir, err)
	}
	defer func() { _ = os.RemoveAll(stage) }()
	dir := filepath.Join(stage, "module")
	if err := m.writeFiles(dir); err != nil {
		return nil, fmt.Errorf("cannot make %s: %w", m.Dir, err)
	}
	if err := m.complete(ctx, dir); err != nil {
		return nil, err
	}
	names, err := list(dir)
	if err != nil {
		return nil, err
	}
	if err := os.Rename(dir, m.Dir); err != nil {
		return nil, fmt.Errorf("cannot make %s: %w", m.Dir, err)
	}
	return names, nil
}

func (m Module) writeFiles(dir string) error {
	files, err := m.files()
	if err != nil {
		return err
	}
	for _, f := range files {
		to := filepath.Join(dir, filepath.FromSlash(f.name))
		if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(to, f.data, 0o644); err != nil {
			return err
		}
	}
	return nil
}

type file struct {
	name string // relative to the folder, with slashes
	data []byte
}

func (m Module) files() ([]file, error) {
	var files []file
	err := fs.WalkDir(starterFiles, "starter", func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := starterFiles.ReadFile(p)
		if err != nil {
			return err
		}
		text := m.Name.rename(string(data))
		if path.Ext(p) == ".go" {
			formatted, err := format.Source([]byte(text))
			if err != nil {
				return err
			}
			text = string(formatted)
		}
		files = append(files, file{m.Name.rename(strings.TrimPrefix(p, "starter/")), []byte(text)})
		return nil
	})
	if err != nil {
		return nil, err
	}
	mod, err := m.goMod()
	if err != nil {
		return nil, err
	}
	files = append(files, file{"go.mod", mod})
	sums, err := m.Origin.sums()
	if len(sums) > 0 {
		files = append(files, file{"go.sum", sums})
	}
	return files, err
}

var (
	packageClause = regexp.MustCompile(`\b([Pp]ackage) starter\b`)
	lower         = regexp.MustCompile(`\bstarter(_test)?\b`)
	upper         = regexp.MustCompile(`\bStarter\b`)
)

// rename gives the starter's files their own names.
func (n Name) rename(text string) string {
	text = packageClause.ReplaceAllString(text, "$1 "+n.Package())
	text = lower.ReplaceAllString(text, n.text+"${1}")
	return upper.ReplaceAllString(text, n.Function())
}

// goMod is the go.mod before the Go tool completes it.
func (m Module) goMod() ([]byte, error) {
	f := new(modfile.File)
	if err := f.AddModuleStmt(m.Path); err != nil {
		return nil, err
	}
	if err := f.AddGoStmt(goVersion); err != nil {
		return nil, err
	}
	if err := f.AddTool(languageModule + "/cmd/millracevet"); err != nil {
		return nil, err
	}
	if err := f.AddRequire(languageModule, m.Origin.version()); err != nil {
		return nil, err
	}
	if m.Origin.Dir != "" {
		if err := f.AddReplace(languageModule, "", m.Origin.Dir, ""); err != nil {
			return nil, err
		}
	}
	f.Cleanup()
	return f.Format()
}

// complete lets the Go tool add the modules that the starter needs.
func (m Module) complete(ctx context.Context, dir string) error {
	// With a checkout everything that can be needed is in its go.mod and go.sum, and
	// listing is enough; that keeps away from the network what need not go there.
	args := []string{"list", "-mod=mod", "-deps", "-test", "./...", "tool"}
	if m.Origin.Dir == "" {
		args = []string{"mod", "tidy"}
	}
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOWORK=off", "PWD="+dir)
	var stderr strings.Builder
	cmd.Stderr = &stderr
	if err := cmd.Run(); err != nil {
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case errors.Is(err, exec.ErrNotFound):
			return fmt.Errorf("the go command is not in PATH; it completes the new module's go.mod, so install Go %s or newer", goVersion)
		}
		return fmt.Errorf("go %s failed in the new module: %w\n%s", strings.Join(args[:2], " "), err, strings.TrimSpace(stderr.String()))
	}
	return nil
}

// list is the files below a folder, sorted.
func list(dir string) ([]string, error) {
	var names []string
	err := fs.WalkDir(os.DirFS(dir), ".", func(p string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			names = append(names, p)
		}
		return err
	})
	slices.Sort(names)
	return names, err
}
