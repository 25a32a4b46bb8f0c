package main

import (
	"path/filepath"

	"github.com/jedib0t/go-pretty/v6/table"

	"github.com/millrace-hdl/millrace/gen"
)

// genCmd is `millrace gen`.
type genCmd struct {
	target
	Output   string         `short:"o" required:"" placeholder:"DIR" help:"Folder to write to; made where it is missing."`
	Reset    gen.ResetStyle `default:"async_low" placeholder:"STYLE" help:"async_low, async_high, sync_low or sync_high."`
	Locators bool           `help:"Add to each statement the file and line of the description it comes from."`
	Plain    bool           `name:"plain-always" help:"Write combinational blocks as always @*, which Icarus 11 simulates in every case and reads without its remarks on always_comb."`
	JSON     bool           `name:"json" help:"Print one JSON object."`
}

// Help is what --help adds.
func (genCmd) Help() string {
	return `Writes one file a module and the file list <top>.f, and prints what it wrote. A design with registers
comes with its SystemRDL, C header, driver in C, and reference in Markdown and HTML. What an earlier run wrote for a design of that name and this
one does not is removed, unless it was edited since. When it fails, what the folder held before stays whole.

Examples:
  millrace gen idma.backend -o engine
  millrace gen idma.backend --set data_width=64 --set outstanding=8 -o engine64
  millrace gen frontend.reg_32_3d --set bus=obi --set ports=2 -o registers
  millrace example engine.yaml >engine.yaml
  millrace gen idma.backend -c engine.yaml --reset sync_high --locators -o engine`
}

// written is one file that gen wrote.
type written struct {
	Path  string `json:"path"`
	Bytes int    `json:"bytes"`
}

// Run carries out the command.
func (c genCmd) Run(a *app) error {
	d, err := c.load()
	if err != nil {
		return err
	}
	files, err := a.generate(d, gen.Options{Reset: c.Reset, Locators: c.Locators, PlainAlways: c.Plain}, c.Output)
	if err != nil {
		return err
	}
	list := make([]written, len(files))
	for i, f := range files {
		list[i] = written{filepath.Join(c.Output, f.Name), len(f.Data)}
	}
	if c.JSON {
		return a.printJSON(struct {
			Design string         `json:"design"`
			Config map[string]any `json:"config"`
			Files  []written      `json:"files"`
		}{d.name, d.settings(), list})
	}
	t := newTable([]any{"file", "bytes"}, "bytes")
	for _, f := range list {
		t.AppendRow(table.Row{f.Path, f.Bytes})
	}
	return a.printTable(t)
}

// generate emits the design into the folder.
func (a *app) generate(d configured, o gen.Options, dir string) ([]gen.File, error) {
	built, err := d.build()
	if err != nil {
		return nil, err
	}
	files, err := gen.Emit(built, o)
	if err != nil {
		return nil, err
	}
	if d.facts != nil {
		facts, err := d.facts(d.cfg)
		if err != nil {
			return nil, err
		}
		files = append(facts, files...) // the file list stays the last
	}
	if err := a.ctx.Err(); err != nil {
		return nil, err
	}
	return files, gen.WriteDir(dir, files)
}
