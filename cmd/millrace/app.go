package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/alecthomas/kong"
	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"
	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"
)

// app is one call of the command.
type app struct {
	ctx            context.Context
	stdout, stderr io.Writer
	progress       bool // asked for, even where standard error is no terminal
}

// cli is the grammar of the command line.
type cli struct {
	Version  kong.VersionFlag `help:"Print the version and exit."`
	Progress bool             `help:"Show progress on standard error also where it is no terminal."`

	List    listCmd    `cmd:"" help:"List designs and protocols, each with a line of what it is; or the keys of a design."`
	Gen     genCmd     `cmd:"" help:"Emit a design as SystemVerilog with its file list."`
	Sim     simCmd     `cmd:"" help:"Run a job file through a design and check memory byte for byte."`
	New     newCmd     `cmd:"" help:"Make a Go module of your own: a block, its bench and its RTL, ready for go test."`
	Bench   benchCmd   `cmd:"" help:"Measure: the tables of the README, regenerated."`
	Example exampleCmd `cmd:"" help:"Print the files that the examples of these helps read."`
	Check   checkCmd   `cmd:"" help:"Generate the engine in several widths, lint it, run job files in lockstep."`
}

const description = `Hardware described once, in Go: generated, simulated and measured.

Examples:
  millrace list
  millrace gen idma.backend --set data_width=64 -o engine
  millrace example jobs.yaml >jobs.yaml
  millrace sim idma.backend --jobs jobs.yaml --engine lockstep
  millrace bench latency
  millrace new my_block`

// version is that of the build: of a release, of the commit it was built from, or
// none that is known.
func version() string {
	v := "devel"
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" && info.Main.Version != "(devel)" {
		v = info.Main.Version
	}
	return fmt.Sprintf("millrace %s (%s)", v, runtime.Version())
}

// withDefault is the help of a flag or an argument with its default.
func withDefault(v *kong.Value) string {
	help := kong.DefaultHelpValueFormatter(v)
	if v.HasDefault && v.Default != "" && !v.IsBool() {
		help += " Default: " + v.Default + "."
	}
	return help
}

// execute parses the arguments and runs the command they name.
func (a *app) execute(args []string) error {
	var c cli
	parser, err := kong.New(&c,
		kong.Name("millrace"),
		kong.Description(description),
		kong.Vars{"version": version()},
		kong.ValueFormatter(withDefault),
		kong.Writers(a.stdout, a.stderr),
		kong.Exit(func(code int) { panic(exit(code)) }),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true, WrapUpperBound: 100, NoExpandSubcommands: false}),
	)
	if err != nil {
		return err
	}
	if len(args) == 0 {
		args = []string{"--help"}
	}
	k, err := parser.Parse(args)
	if err != nil {
		return usageFor(err)
	}
	a.progress = c.Progress
	return k.Run(a)
}

// usageFor words a parser's error as one paragraph with a way on.
func usageFor(err error) error {
	help := "millrace --help"
	var pe *kong.ParseError
	if errors.As(err, &pe) && pe.Context != nil && pe.Context.Command() != "" {
		help = "millrace " + strings.Fields(pe.Context.Command())[0] + " --help"
	}
	return usagef("%s; see %s", err, help)
}

// printJSON writes v as one indented object.
func (a *app) printJSON(v any) error {
	enc := json.NewEncoder(a.stdout)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(v)
}

// newTable is an empty table in the one style of this command. Columns whose
// title is in numbers are aligned to the right.
func newTable(titles []any, numbers ...string) table.Writer {
	t := table.NewWriter()
	t.SetStyle(table.StyleLight)
	t.Style().Format.Header = text.FormatDefault
	t.Style().Options.SeparateRows = false
	t.AppendHeader(titles)
	var cs []table.ColumnConfig
	for _, n := range numbers {
		cs = append(cs, table.ColumnConfig{Name: n, Align: text.AlignRight, AlignHeader: text.AlignRight})
	}
	t.SetColumnConfigs(cs)
	return t
}

func (a *app) printTable(t table.Writer) error {
	_, err := fmt.Fprintln(a.stdout, t.Render())
	return err
}

// bar is a progress bar on standard error where somebody can see it, else a
// silent one. Steps below zero make it a spinner.
func (a *app) bar(steps int, what string) *progressbar.ProgressBar {
	f, ok := a.stderr.(*os.File)
	visible := a.progress || ok && term.IsTerminal(int(f.Fd()))
	options := []progressbar.Option{
		progressbar.OptionSetWriter(a.stderr),
		progressbar.OptionSetVisibility(visible),
		progressbar.OptionSetDescription(what),
		progressbar.OptionSetWidth(24),
		progressbar.OptionThrottle(100e6),
		progressbar.OptionClearOnFinish(),
	}
	if steps >= 0 {
		options = append(options, progressbar.OptionShowCount())
	}
	return progressbar.NewOptions(steps, options...)
}
