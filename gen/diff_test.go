package gen

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"github.com/millrace-hdl/millrace/gen/lint"
	"github.com/millrace-hdl/millrace/hdl/ir"
	"github.com/millrace-hdl/millrace/hdl/irtest"
)

var (
	firstSeed = flag.Uint64("seed", 1, "seed of the first random design")
	designs   = flag.Int("designs", 6, "random designs a kind")
)

// seeds are those of one test run: the same ones each time, unless the flags say
// otherwise.
func seeds(t *testing.T) []uint64 {
	list := make([]uint64, *designs)
	for i := range list {
		list[i] = *firstSeed + uint64(i)
	}
	t.Logf("seeds %v; replay one with -seed N -designs 1", list)
	return list
}

// kinds of random designs.
var kinds = []struct {
	name    string
	options irtest.Options
}{
	{"small", irtest.Options{MaxWidth: 12, Signals: 4, Levels: 1}},
	{"wide", irtest.Options{MaxWidth: 140, Signals: 4, Levels: 1}},
	{"false loops", irtest.Options{MaxWidth: 9, Signals: 4, Levels: 1, FalseLoops: true}},
	{"deep", irtest.Options{MaxWidth: 20, Signals: 3, Levels: 2}},
	{"lanes", irtest.Options{MaxWidth: 40, Signals: 4, Levels: 1, Lanes: true}},
	{"ports", irtest.Options{MaxWidth: 16, Signals: 3, Levels: 1, Ports: true}},
	{"everything", irtest.Options{MaxWidth: 10, Signals: 3, Levels: 2}.Full()},
	{"domains", irtest.Options{MaxWidth: 12, Signals: 4, Levels: 2, Domains: 2, Ports: true}},
}

// eachRandom runs a test for random designs of every kind.
func eachRandom(t *testing.T, f func(t *testing.T, d *ir.Design, seed uint64)) {
	for _, k := range kinds {
		t.Run(k.name, func(t *testing.T) {
			for _, seed := range seeds(t) {
				t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) { f(t, irtest.Random(seed, k.options), seed) })
			}
		})
	}
}

// TestRandomDesigns has the emitted text of random designs simulated, directly and
// as Yosys writes it anew, and compares every output of every cycle with the
// reference.
func TestRandomDesigns(t *testing.T) {
	eachRandom(t, func(t *testing.T, d *ir.Design, seed uint64) {
		agree(t, d, seed, ResetStyle(seed%4), viewIcarus, viewYosys)
	})
}

// TestVerilatorComputesARandomDesign takes one of two kinds, for it is slow to compile.
func TestVerilatorComputesARandomDesign(t *testing.T) {
	seed := seeds(t)[0]
	for _, k := range kinds {
		if k.name == "small" || k.name == "everything" {
			agree(t, irtest.Random(seed, k.options), seed, SyncLow, viewVerilator)
		}
	}
}

// TestToolsAcceptRandomDesigns has the tools' warnings on.
func TestToolsAcceptRandomDesigns(t *testing.T) {
	eachRandom(t, func(t *testing.T, d *ir.Design, seed uint64) {
		require.Empty(t, blockLoop(unitsOf(t, d, Options{}), d.Top), "a loop of blocks")
		files, err := Emit(d, Options{Reset: ResetStyle(seed % 4)})
		require.NoError(t, err)
		dir := t.TempDir()
		require.NoError(t, WriteDir(dir, files))
		// At random some comparisons are constant, which is worth a warning elsewhere, and
		// some indices, which leaves lanes unused.
		flags := []string{"--lint-only", "-Wall", "-Wno-UNSIGNED", "-Wno-CMPCONST", "--top-module", d.Top.Name}
		others := []lint.Tool{lint.Yosys, lint.Icarus}
		if s := d.String(); strings.Contains(s, "(select ") || strings.Contains(s, "(lane ") || strings.Contains(s, "(domain ") {
			flags = append(flags, "-Wno-UNUSEDSIGNAL", "-Wno-SELRANGE")
			// Yosys leaves gates behind of assignments by index that can never run, and
			// registers without driver of read ports that are never enabled.
			tool(t, dir, "yosys", "-q", "-p", fmt.Sprintf("read_verilog -sv %s; hierarchy -check -top %s; proc",
				strings.Join(svNames(files), " "), d.Top.Name))
			others = others[1:]
		}
		tool(t, dir, "verilator", append(flags, svNames(files)...)...)
		if checks, err := lint.Files(filepath.Join(dir, d.Top.Name+"_checks.f")); err == nil {
			tool(t, dir, "verilator", append(append(append(flags, "--assert"), svNames(files)...), checks...)...)
		}
		for _, r := range lint.Lint(t.Context(), dir, d.Top.Name, others) {
			require.NoError(t, r.Err, r.Output)
		}
	})
}

// view is a way to compute what emitted text means: the outputs of each cycle.
type view struct {
	name string
	run  func(t *testing.T, dir string, d *ir.Design, style ResetStyle, st stimulus, sources []string) []string
}

var (
	viewIcarus = view{"Icarus", func(t *testing.T, dir string, d *ir.Design, _ ResetStyle, _ stimulus, sources []string) []string {
		checks, err := lint.Files(filepath.Join(dir, d.Top.Name+"_checks.f"))
		if err != nil { // there are no properties
			return icarus(t, dir, sources)
		}
		return icarus(t, dir, append(sources[:len(sources):len(sources)], checks...),
			"-s", d.Top.Name+"_checks", "-D"+strings.ToUpper(d.Top.Name)+"_PATH=tb.dut")
	}}
	viewVerilator = view{"Verilator", func(t *testing.T, dir string, _ *ir.Design, _ ResetStyle, _ stimulus, sources []string) []string {
		return verilated(t, dir, sources)
	}}
	viewYosys = view{"Yosys", func(t *testing.T, dir string, d *ir.Design, style ResetStyle, st stimulus, sources []string) []string {
		script := fmt.Sprintf("read_verilog -sv %s; hierarchy -check -top %s; proc; tee -o undriven.txt check; write_verilog -noattr netlist.v",
			strings.Join(sources, " "), d.Top.Name)
		tool(t, dir, "yosys", "-q", "-p", script)
		writeTop(t, dir, d, style, st, netlistState(t, dir))
		return icarus(t, dir, []string{"netlist.v"})
	}}
)

// agree compares views of a design with the reference.
func agree(t *testing.T, d *ir.Design, seed uint64, style ResetStyle, views ...view) {
	t.Helper()
	files, err := Emit(d, Options{Reset: style, PlainAlways: true})
	require.NoError(t, err)
	st := randomStimulus(d, rand.New(rand.NewPCG(seed, 1)), style, 25)
	want := expected(t, d, st)
	dir := t.TempDir()
	writeBench(t, dir, d, files, style, st)
	for _, v := range views {
		require.Empty(t, cmp.Diff(want, v.run(t, dir, d, style, st, svNames(files))), v.name)
	}
}

// verilated compiles and runs the bench in dir.
func verilated(t *testing.T, dir string, sources []string) []string {
	tool(t, dir, "verilator", append([]string{"--binary", "--timing", "-Wno-fatal", "-Wno-lint", "--x-initial", "0", "--x-assign", "0",
		"-j", "2", "--output-split", "20000", "-MAKEFLAGS", "OPT_FAST=-O0 OPT_SLOW=-O0 OPT_GLOBAL=-O0",
		"--top-module", "tb", "-Mdir", "obj", "tb.sv"}, sources...)...)
	return results(tool(t, dir, filepath.Join(dir, "obj", "Vtb")))
}

var netlistReg = regexp.MustCompile(`^  reg (?:signed )?(?:\[.*?\] )?(\w+)(?: \[.*\])?;`)

var undriven = regexp.MustCompile(`Wire (\w+)\.\\(\w+).* is used but has no driver`)

// netlistState tells how to set the state elements that Yosys kept: those that it
// found to be constant are wires, and those that nothing ever loads are nothing.
func netlistState(t *testing.T, dir string) func(*ir.Module, string) string {
	text, err := os.ReadFile(filepath.Join(dir, "netlist.v"))
	require.NoError(t, err)
	check, err := os.ReadFile(filepath.Join(dir, "undriven.txt"))
	require.NoError(t, err)
	kept := map[[2]string]string{}
	module := ""
	for _, l := range strings.Split(string(text), "\n") {
		if m, ok := strings.CutPrefix(l, "module "); ok {
			module, _, _ = strings.Cut(m, "(")
		}
		if m := netlistReg.FindStringSubmatch(l); m != nil {
			kept[[2]string{module, m[1]}] = "set"
		}
	}
	for _, m := range undriven.FindAllStringSubmatch(string(check), -1) {
		kept[[2]string{m[1], m[2]}] = "force"
	}
	return func(m *ir.Module, state string) string { return kept[[2]string{m.Name, state}] }
}
