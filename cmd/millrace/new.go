package main

import (
	"fmt"
	"path"
	"path/filepath"
	"strings"

	"golang.org/x/mod/module"

	"github.com/millrace-hdl/millrace/cmd/millrace/internal/scaffold"
)

// newCmd is `millrace new`.
type newCmd struct {
	Name     string `arg:"" help:"Name of the block, such as my_block, or a Go module path that ends in one."`
	Output   string `short:"o" placeholder:"DIR" help:"Folder to make; by default one with the block's name."`
	Millrace string `placeholder:"DIR" help:"Checkout of millrace to use; by default where this command comes from."`
	JSON     bool   `name:"json" help:"Print one JSON object."`
}

// Help is what --help adds.
func (newCmd) Help() string {
	return `Makes a Go module of your own with a small stream block in it: parameters, a bench that runs it in Go and in
lockstep with its RTL, and the RTL itself. It is ready for go test. The folder must not be there yet.

Examples:
  millrace new my_block
  millrace new example.com/me/my_block -o block`
}

// defaultHost starts the path of a module whose caller names none; a path without
// a dot could be a package of Go's own.
const defaultHost = "example.com/"

// Run carries out the command.
func (c newCmd) Run(a *app) error {
	m, err := c.module()
	if err != nil {
		return err
	}
	bar := a.bar(-1, "completing go.mod")
	files, err := m.Write(a.ctx)
	_ = bar.Clear()
	if err != nil {
		return err
	}
	if c.JSON {
		return a.printJSON(struct {
			Name     string   `json:"name"`
			Module   string   `json:"module"`
			Dir      string   `json:"dir"`
			Millrace string   `json:"millrace"`
			Files    []string `json:"files"`
		}{m.Name.String(), m.Path, m.Dir, m.Origin.Dir + m.Origin.Version, files})
	}
	fmt.Fprintf(a.stdout, "%s, module %s, with millrace from %s:\n", m.Dir, m.Path, m.Origin.Dir+m.Origin.Version)
	for _, f := range files {
		fmt.Fprintln(a.stdout, "  "+f)
	}
	_, err = fmt.Fprintf(a.stdout, "Next:\n  cd %s\n  go test\n", m.Dir)
	return err
}

func (c newCmd) module() (scaffold.Module, error) {
	name, err := scaffold.NewName(path.Base(c.Name))
	if err != nil {
		return scaffold.Module{}, usage(err)
	}
	m := scaffold.Module{Name: name, Path: c.Name, Dir: c.Output}
	if !strings.Contains(c.Name, "/") {
		m.Path = defaultHost + c.Name
	}
	if err := module.CheckPath(m.Path); err != nil {
		return m, usagef("the Go module cannot be called %s: %w", m.Path, err)
	}
	if m.Dir == "" {
		m.Dir = name.String()
	}
	m.Dir = filepath.Clean(m.Dir)
	m.Origin, err = scaffold.Find(c.Millrace)
	return m, usage(err)
}
