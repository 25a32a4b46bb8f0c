package gen

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"github.com/millrace-hdl/millrace/hdl/ir"
	"github.com/millrace-hdl/millrace/hdl/irtest"
)

func TestDesignFuzz(t *testing.T) {
	from, n, w := uint64(1), uint64(40), 20
	if s := os.Getenv("FUZZ"); s != "" {
		fmt.Sscanf(s, "%d,%d,%d", &from, &n, &w)
	}
	for seed := from; seed < from+n; seed++ {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			d := irtest.Random(seed, irtest.Options{MaxWidth: w, Signals: 4, Levels: 1, FalseLoops: os.Getenv("LOOPS") != ""})
			r := rand.New(rand.NewPCG(seed, 1))
			style := ResetStyle(r.IntN(4))
			require.Empty(t, blockLoop(unitsOf(t, d, Options{}), d.Top))
			files, err := Emit(d, Options{Reset: style, PlainAlways: true})
			require.NoError(t, err)
			st := randomStimulus(d, r, style, 30)
			want := expected(t, d, st)
			dir := t.TempDir()
			if k := os.Getenv("KEEP"); k != "" {
				dir = k
			}
			writeBench(t, dir, d, files, style, st)
			if x := cmp.Diff(want, icarus(t, dir, svNames(files))); x != "" {
				t.Fatal("icarus", x)
			}
			if os.Getenv("YOSYS") != "" {
				yosysNetlist(t, dir, d, files)
				writeTop(t, dir, d, style, st, netlistState(t, filepath.Join(dir, "netlist.v")))
				if x := cmp.Diff(want, icarus(t, dir, []string{"netlist.v"})); x != "" {
					t.Fatal("yosys", x)
				}
			}
			if os.Getenv("VERILATOR") != "" {
				if x := cmp.Diff(want, verilated(t, dir, svNames(files))); x != "" {
					t.Fatal("verilator", x)
				}
			}
		})
	}
}

func yosysNetlist(t *testing.T, dir string, d *ir.Design, files []File) {
	tool(t, dir, "yosys", "-q", "-p", fmt.Sprintf("read_verilog -sv %s; hierarchy -check -top %s; proc; write_verilog -noattr netlist.v",
		strings.Join(svNames(files), " "), d.Top.Name))
}

// netlistState tells which state elements Yosys kept: those that it found to be
// constant are wires.
func netlistState(t *testing.T, name string) func(*ir.Module, string) bool {
	text, err := os.ReadFile(name)
	require.NoError(t, err)
	kept := map[[2]string]bool{}
	module := ""
	for _, l := range strings.Split(string(text), "\n") {
		if m, ok := strings.CutPrefix(l, "module "); ok {
			module, _, _ = strings.Cut(m, "(")
		}
		if m := netlistReg.FindStringSubmatch(l); m != nil {
			kept[[2]string{module, m[1]}] = true
		}
	}
	return func(m *ir.Module, state string) bool { return kept[[2]string{m.Name, state}] }
}

var netlistReg = regexp.MustCompile(`^  reg (?:signed )?(?:\[.*?\] )?(\w+)(?: \[.*\])?;`)

func verilated(t *testing.T, dir string, sources []string) []string {
	tool(t, dir, "verilator", append([]string{"--binary", "--timing", "-Wno-fatal", "-Wno-lint", "-O1", "--x-initial", "0", "--x-assign", "0", "-CFLAGS", "-O0",
		"--top-module", "tb", "-Mdir", "obj", "tb.sv"}, sources...)...)
	return results(tool(t, dir, filepath.Join(dir, "obj", "Vtb")))
}
