// Package lint has independent tools read emitted SystemVerilog. A design is fit
// to hand out when each of them accepts it without a warning.
package lint

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// Tool is a program that reads SystemVerilog.
type Tool string

// The tools.
const (
	Verilator Tool = "verilator" // all warnings on
	Yosys     Tool = "yosys"     // elaboration and a check for loops and missing drivers
	Icarus    Tool = "iverilog"  // elaboration
)

// All lists the tools.
func All() []Tool { return []Tool{Verilator, Yosys, Icarus} }

// Result is what one tool said.
type Result struct {
	Tool   Tool
	Output string // complaints, without what is known to be harmless; empty if there are none
	Err    error  // why the tool did not accept the design; nil if it did
}

// ErrMissing is wrapped by [Result].Err when a tool is not installed.
var ErrMissing = errors.New("tool not installed")

// Lint runs tools on the design whose file list <top>.f lies in dir, together with
// other files, such as stubs of black boxes, whose names are absolute or relative to
// dir. The results are in the order of the tools. A cancelled context ends what runs.
func Lint(ctx context.Context, dir, top string, tools []Tool, others ...string) []Result {
	results := make([]Result, 0, len(tools))
	files, err := Files(filepath.Join(dir, top+".f"))
	files = append(files, others...)
	for _, t := range tools {
		if err != nil {
			results = append(results, Result{Tool: t, Err: err})
			continue
		}
		results = append(results, run(ctx, t, dir, top, files))
	}
	return results
}

// Files reads a file list: one name a line, relative to the list, among lines of
// comment that start with //.
func Files(list string) ([]string, error) {
	data, err := os.ReadFile(list)
	if err != nil {
		return nil, fmt.Errorf("cannot read the file list: %w", err)
	}
	var files []string
	for line := range strings.Lines(string(data)) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "//") {
			files = append(files, line)
		}
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("the file list %s names no file", list)
	}
	return files, nil
}

// arguments are those of a command line that reads the files and exits with an
// error if something is wrong with them.
func arguments(t Tool, top string, files []string) ([]string, error) {
	switch t {
	case Verilator:
		return append([]string{"--lint-only", "-Wall", "--top-module", top}, files...), nil
	case Yosys:
		script := fmt.Sprintf("read_verilog -sv %s; hierarchy -check -top %s; proc; check -assert", strings.Join(files, " "), top)
		return []string{"-q", "-p", script}, nil
	case Icarus:
		return append([]string{"-g2012", "-Wall", "-t", "null", "-s", top}, files...), nil
	}
	return nil, fmt.Errorf("unknown tool %q; choose from %v", t, All())
}

func run(ctx context.Context, t Tool, dir, top string, files []string) Result {
	r := Result{Tool: t}
	args, err := arguments(t, top, files)
	if err != nil {
		r.Err = err
		return r
	}
	program, err := exec.LookPath(string(t))
	if err != nil {
		r.Err = fmt.Errorf("%w: %s; install it with: apt-get install %s", ErrMissing, t, t)
		return r
	}
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Dir = dir
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	err = cmd.Run()
	r.Output = filter(t, out.String())
	switch {
	case ctx.Err() != nil:
		r.Err = fmt.Errorf("%s was stopped: %w", t, ctx.Err())
	case err != nil:
		r.Err = fmt.Errorf("%s refuses %s: %w", t, top, err)
	case r.Output != "":
		r.Err = fmt.Errorf("%s warns about %s", t, top)
	}
	return r
}

// harmless are messages that say nothing about the design: Icarus widens the
// sensitivity of blocks with constant selects to the whole signal, which computes
// the same.
var harmless = map[Tool][]string{
	Icarus: {
		"sorry: constant selects in always_",
		"sorry: Case unique/unique0 qualities are ignored",
	},
}

func filter(t Tool, out string) string {
	var keep []string
	for _, l := range strings.Split(out, "\n") {
		skip := strings.TrimSpace(l) == ""
		for _, h := range harmless[t] {
			skip = skip || strings.Contains(l, h)
		}
		if !skip {
			keep = append(keep, l)
		}
	}
	return strings.Join(keep, "\n")
}
