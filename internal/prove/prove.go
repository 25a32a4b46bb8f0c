// Package prove has open tools decide the properties of a design. Yosys reads the
// emitted RTL together with its properties and makes gates of them, and ABC looks at
// each property: for a proof that holds for all time (property-directed reachability),
// and, where the time limit ends that, for a counterexample up to a depth (bounded model
// checking). What was proved is taken for granted in later looks at the others, so a
// property that ties two registers together helps to prove what follows from it. What
// the top module assumes of its surroundings is taken for granted; what modules inside
// it assume is proved, like their assertions.
//
// A property "where a holds, so does b" says nothing if a never holds. So of each one
// it is also told at which edge a holds first, in some run.
package prove

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
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
	// Condition is whether the property is of the form "where a holds, so does b".
	Condition bool
	Reached   int           // the first edge at which a can hold; 0 if there is none up to Options.Depth
	Time      time.Duration // spent on the property itself
}

// Vacuous reports whether what the property is about does not happen up to
// Options.Depth.
func (p Property) Vacuous() bool { return p.Condition && p.Reached == 0 }

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
	// Prove and Search limit each look at a property, for all time and bounded: whole
	// seconds, at least one.
	Prove, Search time.Duration
	Only          string // decide the properties of this name alone; empty for all
	// Inside has inputs of the top module see what is inside of instances: name of the
	// input, path of the signal, such as u_queue.count_q.
	Inside map[string]string
	// Edit, where it is not nil, changes the emitted files before they are read.
	Edit func([]gen.File) []gen.File
}

// Check decides every property of the design. It adds properties to the design. An
// error is one of the tools or the options; properties that fail are no error.
func Check(ctx context.Context, d *ir.Design, o Options) (Report, error) {
	switch {
	case o.Depth < 1:
		return Report{}, fmt.Errorf("prove: Depth is %d; it must be at least 1", o.Depth)
	case o.Prove < time.Second || o.Search < time.Second:
		return Report{}, fmt.Errorf("prove: Prove is %v, Search is %v; both must be at least 1s", o.Prove, o.Search)
	}
	start := time.Now()
	addConditions(d)
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
	if _, err := run(ctx, o.Dir, "yosys", "-q", "-p", gates(d.Top.Name, sources, o.Inside)); err != nil {
		return Report{}, err
	}
	s, err := newSearch(o, d.Top.Name)
	if err != nil {
		return Report{}, err
	}
	properties, err := s.all(ctx)
	if err != nil {
		return Report{}, fmt.Errorf("%s: %w", d.Top.Name, err)
	}
	return Report{Properties: properties, Time: time.Since(start)}, nil
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

// witness writes a run of so many edges in which the property of a cell fails.
func witness(ctx context.Context, dir, cell string, edges int) (string, error) {
	script := fmt.Sprintf("read_rtlil words.il; select -set others t:$assert %s %%d; delete @others; "+
		"sat -tempinduct -tempinduct-baseonly -prove-asserts -set-assumes -seq 1 -maxsteps %d -show-public -dump_vcd trace.vcd", cell, edges+1)
	file := filepath.Join(dir, "witness.ys")
	if err := os.WriteFile(file, []byte(script), 0o644); err != nil {
		return "", err
	}
	_, err := run(ctx, dir, "yosys", "-q", "witness.ys")
	return filepath.Join(dir, "trace.vcd"), err
}
