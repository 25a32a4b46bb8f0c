// Package prove has open tools decide the properties of a design. Yosys reads the
// emitted RTL together with its properties and makes gates of them, and ABC looks at
// each property by itself: first for a proof that holds for all time (property-directed
// reachability), within a time limit, then for a counterexample up to a depth (bounded
// model checking). What the top module assumes of its surroundings is taken for granted;
// what modules inside it assume is proved, like their assertions.
package prove

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/millrace-hdl/millrace/gen"
	"github.com/millrace-hdl/millrace/gen/lint"
	"github.com/millrace-hdl/millrace/hdl/ir"
)

// ErrMissing is wrapped by the error of [Check] when a tool is not installed.
var ErrMissing = errors.New("tool not installed")

// Status is what was found out about a property.
type Status int

// The statuses.
const (
	Proved  Status = iota // holds at every edge
	Bounded               // holds at the first Depth edges; nothing is known of later ones
	Failed                // does not hold: at edge Depth there is a counterexample
)

func (s Status) String() string { return [...]string{"proved", "bounded", "FAILED"}[s] }

// Property is one property of a design, in one instance, with what was found out.
type Property struct {
	Name   string // path of the instance, empty for the top module, and name of the property
	Status Status
	Depth  int    // edges looked at; 0 with Proved
	Trace  string // Failed: a VCD file of the counterexample
}

// Report is what was found out about a design.
type Report struct {
	Properties []Property // in an order that is the same in each run
	Time       time.Duration
}

// Count is the number of properties with the status.
func (r Report) Count(s Status) int {
	n := 0
	for _, p := range r.Properties {
		if p.Status == s {
			n++
		}
	}
	return n
}

// Depth is the least depth of the properties that were not proved; 0 if all were.
func (r Report) Depth() int {
	least := 0
	for _, p := range r.Properties {
		if p.Status != Proved && (least == 0 || p.Depth < least) {
			least = p.Depth
		}
	}
	return least
}

// Options say how far to look.
type Options struct {
	Dir   string // an existing folder for all files
	Depth int    // edges of the bounded search, at least 1
	// Prove and Search limit both looks at a property, for all time and bounded: whole
	// seconds, at least one.
	Prove, Search time.Duration
	Only          string // decide the properties of this name alone; empty for all
	// Edit, where it is not nil, changes the emitted files before they are read.
	Edit func([]gen.File) []gen.File
}

// Check decides every property of the design. An error is one of the tools or the
// options; properties that fail are no error.
func Check(ctx context.Context, d *ir.Design, o Options) (Report, error) {
	switch {
	case o.Depth < 1:
		return Report{}, fmt.Errorf("prove: Depth is %d; it must be at least 1", o.Depth)
	case o.Prove < time.Second || o.Search < time.Second:
		return Report{}, fmt.Errorf("prove: Prove is %v, Search is %v; both must be at least 1s", o.Prove, o.Search)
	}
	start := time.Now()
	files, err := gen.Emit(d, gen.Options{})
	if err != nil {
		return Report{}, err
	}
	if o.Edit != nil {
		files = o.Edit(files)
	}
	if err := gen.WriteDir(o.Dir, files); err != nil {
		return Report{}, err
	}
	sources, err := lint.Files(filepath.Join(o.Dir, d.Top.Name+"_formal.f"))
	if err != nil {
		return Report{}, fmt.Errorf("prove: %s has no properties: %w", d.Top.Name, err)
	}
	if _, err := run(ctx, o.Dir, "yosys", "-q", "-p", gates(d.Top.Name, sources)); err != nil {
		return Report{}, err
	}
	names, err := properties(o.Dir)
	if err != nil {
		return Report{}, err
	}
	r := Report{}
	for i, name := range names {
		if name == "" || o.Only != "" && name != o.Only {
			continue
		}
		p, err := decide(ctx, o, i)
		if err != nil {
			return r, fmt.Errorf("property %s of %s: %w", name, d.Top.Name, err)
		}
		p.Name = name
		r.Properties = append(r.Properties, p)
	}
	r.Time = time.Since(start)
	return r, nil
}

// gates is the script that makes the properties outputs of a netlist of gates.
// Writing RTLIL sorts the cells, so that its order is that of the outputs.
func gates(top string, sources []string) string {
	return strings.Join([]string{
		"read_verilog -sv -formal " + strings.Join(sources, " "), "prep -top " + top + " -nordff",
		"chformal -assume2assert */t:$assume " + top + "_props/* %d",
		"flatten", "async2sync", "chformal -cover -remove", "setundef -undriven -anyseq",
		"design -save words", "dffunmap", "memory_map", "opt", "write_rtlil words.il", "design -load words",
		"delete -output", "memory_map", "formalff -clk2ff -ff2anyinit", "techmap", "opt -fast", "dffunmap", "simplemap",
		"abc -g AND -fast", "opt_clean", "write_rtlil gates.il",
		"write_aiger -I -B -zinit -no-startoffset gates.aig",
	}, "; ")
}

var cell = regexp.MustCompile(`(?m)^  cell \$assert (?:\$flatten((?:\\\w+\.)*))?\\?(?:u_props|\w*props)?\.?\S*?\$ass\w+\$(\S+):(\d+)\$`)

// properties are the names of the properties in the order of the outputs; empty ones
// are for what says that a run begins in reset.
func properties(dir string) ([]string, error) {
	netlist, err := os.ReadFile(filepath.Join(dir, "gates.il"))
	if err != nil {
		return nil, err
	}
	var names []string
	for line := range strings.Lines(string(netlist)) {
		if !strings.HasPrefix(line, "  cell $assert ") {
			continue
		}
		m := cell.FindStringSubmatch(line)
		if m == nil {
			return nil, fmt.Errorf("the assertion %q has no place in a source", strings.TrimSpace(line))
		}
		name, err := label(filepath.Join(dir, m[2]), m[3])
		if err != nil {
			return nil, err
		}
		if name != "" {
			path := strings.Split(strings.ReplaceAll(m[1], `\`, ""), ".")
			name = strings.Join(append(path[:max(0, len(path)-2)], name), ".")
		}
		names = append(names, name)
	}
	return names, nil
}

// label is the label of the block that begins in a line.
func label(file, line string) (string, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return "", err
	}
	n, err := strconv.Atoi(line)
	lines := strings.Split(string(text), "\n")
	if err != nil || n < 1 || n > len(lines) {
		return "", fmt.Errorf("%s has no line %s", file, line)
	}
	_, name, _ := strings.Cut(lines[n-1], "begin : ")
	return strings.TrimSpace(name), nil
}

var (
	clean = regexp.MustCompile(`No output asserted in (\d+) frames`)
	hit   = regexp.MustCompile(`Output 0 of miter "\w+" was asserted in frame (\d+)`)
)

// decide looks at the property of one output. What is claimed at an edge is seen by the
// tools one step later.
func decide(ctx context.Context, o Options, output int) (Property, error) {
	only := fmt.Sprintf("read_aiger gates.aig; fold; strash; cone -s -O %d; ", output)
	said, err := run(ctx, o.Dir, "yosys-abc", "-c", only+fmt.Sprintf("pdr -T %d", o.Prove/time.Second))
	if err != nil {
		return Property{}, err
	}
	if strings.Contains(said, "Property proved") || strings.Contains(said, "the miter is trivially unsatisfiable") {
		return Property{Status: Proved}, nil
	}
	said, err = run(ctx, o.Dir, "yosys-abc", "-c", only+fmt.Sprintf("bmc3 -F %d -T %d", o.Depth+1, o.Search/time.Second))
	if err != nil {
		return Property{}, err
	}
	if m := hit.FindStringSubmatch(said); m != nil {
		frame, err := strconv.Atoi(m[1])
		if err != nil {
			return Property{}, err
		}
		trace, err := witness(ctx, o.Dir, frame)
		return Property{Status: Failed, Depth: frame, Trace: trace}, err
	}
	m := clean.FindStringSubmatch(said)
	if m == nil {
		return Property{}, fmt.Errorf("cannot read what yosys-abc said: %s", said)
	}
	depth, err := strconv.Atoi(m[1])
	return Property{Status: Bounded, Depth: max(0, depth-1)}, err
}

// witness writes a run of so many edges in which a property fails.
func witness(ctx context.Context, dir string, edges int) (string, error) {
	_, err := run(ctx, dir, "yosys", "-q", "-p", fmt.Sprintf(
		"read_rtlil words.il; sat -tempinduct -tempinduct-baseonly -prove-asserts -set-assumes -seq 1 -maxsteps %d -show-public -dump_vcd trace.vcd", edges+1))
	return filepath.Join(dir, "trace.vcd"), err
}

func run(ctx context.Context, dir, name string, args ...string) (string, error) {
	program, err := exec.LookPath(name)
	if err != nil {
		return "", fmt.Errorf("%w: %s; install it with: apt-get install yosys", ErrMissing, name)
	}
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("%s: %w\n%s", name, err, out)
	}
	return string(out), nil
}
