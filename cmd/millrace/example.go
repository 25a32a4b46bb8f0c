package main

import (
	"embed"
	"io/fs"
	"slices"

	"github.com/jedib0t/go-pretty/v6/table"

	"github.com/millrace-hdl/millrace/internal/near"
)

// exampleCmd is `millrace example`.
type exampleCmd struct {
	File string `arg:"" optional:"" help:"File to print; without it they are listed."`
}

// Help is what --help adds.
func (exampleCmd) Help() string {
	return `The examples of the other commands read these files.

Examples:
  millrace example
  millrace example jobs.yaml >jobs.yaml
  millrace example engine.yaml >engine.yaml`
}

//go:embed examples
var exampleFiles embed.FS

var exampleSummaries = []item{
	{"engine.yaml", "a configuration of idma.backend, for -c"},
	{"errors.yaml", "transfers with bus errors, for sim --jobs with error_handling=true"},
	{"jobs.yaml", "transfers, for sim --jobs"},
	{"ports.yaml", "transfers between AXI4, OBI and AXI4-Stream, for sim --jobs"},
}

// Run carries out the command.
func (c exampleCmd) Run(a *app) error {
	if c.File == "" {
		t := newTable([]any{"file", "what it is"})
		for _, e := range exampleSummaries {
			t.AppendRow(table.Row{e.Name, e.Summary})
		}
		return a.printTable(t)
	}
	if !slices.ContainsFunc(exampleSummaries, func(e item) bool { return e.Name == c.File }) {
		var names []string
		for _, e := range exampleSummaries {
			names = append(names, e.Name)
		}
		return usagef("there is no example %q; %s", c.File, near.Hint("example", c.File, names))
	}
	data, err := fs.ReadFile(exampleFiles, "examples/"+c.File)
	if err != nil {
		return err
	}
	_, err = a.stdout.Write(data)
	return err
}
