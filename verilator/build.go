// Package verilator runs the emitted SystemVerilog. [Build] emits a design,
// has Verilator turn it into C++, and compiles that into a shared library in a
// cache, under a hash of everything that went in. A [Library] makes running
// models, each a [sim.Engine] whose inputs and outputs are arrays shared with
// the C++ side, so that a cycle is one call. [Lockstep] runs two engines of one
// design and stops at the first difference.
package verilator

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/millrace-hdl/millrace/gen"
	"github.com/millrace-hdl/millrace/hdl/ir"
	"github.com/millrace-hdl/millrace/hdl/sim"
)

// Options choose how a design is built. The zero value builds the fastest model.
type Options struct {
	// Gen is how the RTL is written; its reset style is the one that the model's
	// Reset drives.
	Gen gen.Options
	// State keeps every register and memory accessible by name, through a
	// configuration file beside the RTL. It makes the model slower.
	State bool
	// Quick builds several times sooner a model that runs slower: for a design that
	// is to run for some ten thousand cycles.
	Quick bool
	// Assertions checks the properties of the design, the assertions of the RTL and that
	// its unique cases are.
	Assertions bool
	// Flags are further flags of Verilator, and Level the flags of the compiler that
	// say how far to optimise, by default -O1: for measurements.
	Flags, Level []string
	// Cache holds the builds. Where it is nil, OpenCache("") gives it.
	Cache *Cache
	// Jobs is how many compilers run at once, by default one for each processor.
	Jobs int
	// Progress, if not nil, is told what the build is about to do. A build found in
	// the cache says nothing.
	Progress func(stage string)
	// Patch, if not nil, changes the RTL on its way to Verilator. It is how tests
	// put mistakes into it.
	Patch func([]gen.File) []gen.File
}

// Build returns the design's model, from the cache where it is there. It fails
// with the first complaints of the tool that failed and the path of its log, or
// with one line that names the tools to install. A build that ctx ends leaves
// nothing.
func Build(ctx context.Context, d *ir.Design, o Options) (*Library, error) {
	lib, err := newBuild(d, o).library(ctx)
	if err != nil {
		name := "design"
		if d != nil && d.Top != nil {
			name = d.Top.Name
		}
		return nil, fmt.Errorf("building %s with Verilator: %w", name, err)
	}
	return lib, nil
}

// build is one build under way.
type build struct {
	Options
	design *ir.Design
	tools  toolset
}

func newBuild(d *ir.Design, o Options) *build {
	if o.Jobs <= 0 {
		o.Jobs = runtime.NumCPU()
	}
	return &build{Options: o, design: d}
}

func (b *build) progress(format string, args ...any) {
	if b.Progress != nil {
		b.Progress(fmt.Sprintf(format, args...))
	}
}

const libraryName = "model.so"

// runtimeText holds the parts of Verilator's runtime that a model can need.
const runtimeText = `#include "verilated.cpp"
#include "verilated_dpi.cpp"
#include "verilated_threads.cpp"
`

// compileFlags go to the compiler for every file. Hidden symbols keep the models
// of one process apart.
var compileFlags = []string{
	"-std=gnu++17", "-fPIC", "-fvisibility=hidden", "-w", "-pthread",
	"-DVERILATOR=1", "-DVM_COVERAGE=0", "-DVM_SC=0", "-DVM_TRACE=0",
	"-DVL_USER_STOP", "-DVL_USER_FATAL", "-DVL_USER_FINISH",
	"-DVL_PRINTF=millrace_print",
}

// More optimisation makes no model faster, and what runs once is worth none.
const (
	fastLevel = "-O1"
	slowLevel = "-O0"
)

const (
	printName = "millrace_print.h"
	shimName  = "millrace_shim.cpp"
)

// source is a file that Verilator or the compiler reads.
type source struct{ name, text string }

// writeAll writes files below dir.
func writeAll(dir string, files []source) error {
	for _, f := range files {
		path := filepath.Join(dir, f.name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			return err
		}
		if err := os.WriteFile(path, []byte(f.text), 0o666); err != nil {
			return err
		}
	}
	return nil
}

func (b *build) library(ctx context.Context) (*Library, error) {
	rtl, err := gen.Emit(b.design, b.Gen)
	if err != nil {
		return nil, err
	}
	if b.Patch != nil {
		rtl = b.Patch(rtl)
	}
	return b.compiled(ctx, rtl)
}

// compiled is the library of the design whose RTL is given.
func (b *build) compiled(ctx context.Context, rtl []gen.File) (lib *Library, err error) {
	if b.Cache == nil {
		if b.Cache, err = OpenCache(""); err != nil {
			return nil, err
		}
	}
	if b.tools, err = findTools(ctx, b.Cache); err != nil {
		return nil, err
	}
	layout := sim.NewLayout(b.design)
	sources, flags := b.sources(rtl, layout)
	key := []string{b.tools.VerilatorVersion, b.tools.CompilerVersion, fastLevel, slowLevel, fmt.Sprint(b.Quick)}
	key = append(append(append(key, flags...), compileFlags...), b.Level...)
	for _, s := range sources {
		key = append(key, s.name, s.text)
	}
	made := false
	dir, err := b.Cache.entry(ctx, b.design.Top.Name+"-"+hash(key...), func(dir string) error {
		made = true
		return b.make(ctx, dir, sources, flags)
	})
	if err != nil {
		return nil, err
	}
	if lib, err = open(filepath.Join(dir, libraryName), b.design, layout, b.State); err != nil {
		return nil, err
	}
	if made {
		if err := b.Cache.Trim(); err != nil {
			return nil, err
		}
	}
	return lib, nil
}

// sources are the files of the build, and the flags that Verilator gets.
func (b *build) sources(rtl []gen.File, layout *sim.Layout) ([]source, []string) {
	cs := controls(b.design, b.Gen)
	flags := []string{"--cc", "--prefix", "V" + harness, "--top-module", harness, "--Mdir", "obj",
		"--x-initial", "unique", "--output-split", "20000", "-Wno-fatal", "-Wno-lint", "-Wno-style"}
	flags = append(flags, b.Flags...)
	if b.Assertions {
		flags = append(flags, "--assert")
	}
	files := []source{{printName, printHeader}, {fixesName, fixesText}, {shimName, shimCPP(b.design, layout, cs, b.State)}}
	if b.State {
		files = append(files, source{harness + ".vlt", publicVLT(b.design)})
		flags = append(flags, harness+".vlt")
	}
	files = append(files, source{harness + ".sv", harnessSV(b.design, layout, cs)})
	flags = append(flags, harness+".sv")
	for _, f := range rtl {
		if f.Checks && (!b.Assertions || strings.HasPrefix(f.Name, "formal/")) {
			continue // copies of the RTL, for tools that do not bind
		}
		files = append(files, source{filepath.Join("rtl", f.Name), string(f.Data)})
		if strings.HasSuffix(f.Name, ".sv") {
			flags = append(flags, filepath.Join("rtl", f.Name))
		}
	}
	return files, flags
}

// make fills dir with the library, built in a directory below it.
func (b *build) make(ctx context.Context, dir string, sources []source, flags []string) error {
	name := b.design.Top.Name
	work := filepath.Join(dir, "work")
	if err := writeAll(work, sources); err != nil {
		return err
	}
	r := newRunner(work, filepath.Join(b.Cache.logs(), filepath.Base(dir)+".log"))
	b.progress("verilating %s", name)
	if err := r.run(ctx, b.tools.Verilator, flags...); err != nil {
		return err
	}
	rt, err := b.runtime(ctx)
	if err != nil {
		return err
	}
	prelude, most := printName, unitSize
	if b.Quick {
		most = 0
		if prelude, err = b.headers(ctx); err != nil {
			return err
		}
	}
	units, err := unite(work, most)
	if err != nil {
		return err
	}
	if err := b.compile(ctx, r, name, prelude, units); err != nil {
		return err
	}
	link := []string{"-shared", "-pthread", "-o", filepath.Join("..", libraryName)}
	if runtime.GOOS == "linux" {
		link = append(link, "-Wl,-z,defs")
	}
	var objects []string
	for _, u := range units {
		objects = append(objects, u.name+".o")
	}
	objects = append(objects, filepath.Join(rt, "runtime.cpp.o"))
	b.progress("linking %s", name)
	if err := r.run(ctx, b.tools.Compiler, append(link, objects...)...); err != nil {
		return err
	}
	return errors.Join(r.discard(), os.RemoveAll(work))
}

// runtime returns the directory of the runtime's object, the same for all models.
func (b *build) runtime(ctx context.Context) (string, error) {
	key := append([]string{b.tools.VerilatorVersion, b.tools.CompilerVersion, b.tools.Root, fastLevel, printHeader, runtimeText}, compileFlags...)
	return b.Cache.entry(ctx, "runtime-"+hash(key...), func(dir string) error {
		work := filepath.Join(dir, "work")
		u := &unit{name: "runtime.cpp"}
		if err := writeAll(work, []source{{printName, printHeader}, {u.name, runtimeText}}); err != nil {
			return err
		}
		r := newRunner(work, filepath.Join(b.Cache.logs(), filepath.Base(dir)+".log"))
		if err := b.compile(ctx, r, "Verilator's runtime", printName, []*unit{u}); err != nil {
			return err
		}
		object := u.name + ".o"
		if err := os.Rename(filepath.Join(work, object), filepath.Join(dir, object)); err != nil {
			return err
		}
		return errors.Join(r.discard(), os.RemoveAll(work))
	})
}

// compile makes <unit>.o in the runner's directory of each unit. The prelude is
// the header that comes before everything.
func (b *build) compile(ctx context.Context, r *runner, what, prelude string, units []*unit) error {
	var calls [][]string
	for _, u := range units {
		var call []string
		if b.tools.Ccache != "" && !b.Quick {
			call = append(call, b.tools.Ccache)
		}
		level := []string{fastLevel}
		if u.slow {
			level = []string{slowLevel}
		} else if len(b.Level) > 0 {
			level = b.Level
		}
		call = append(append(call, b.tools.Compiler), b.flags(level...)...)
		calls = append(calls, append(call, "-include", prelude, "-c", "-o", u.name+".o", u.name))
	}
	return r.all(ctx, b.Jobs, calls, func(n int) { b.progress("compiling %s, %d of %d", what, n, len(calls)) })
}

// flags are those of the compiler but for what it reads and writes.
func (b *build) flags(level ...string) []string {
	include := filepath.Join(b.tools.Root, "include")
	return slices.Concat(compileFlags, []string{"-I.", "-Iobj", "-isystem", include, "-isystem", filepath.Join(include, "vltstd")}, level)
}
