package gen_test

import (
	"context"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"github.com/millrace-hdl/millrace/gen"
	"github.com/millrace-hdl/millrace/gen/lint"
	"github.com/millrace-hdl/millrace/hdl"
)

// claims says which properties a design states.
type claims struct{ Hold, Fail bool }

type boundedIO struct {
	En  hdl.Var `hdl:"in"`
	Cnt hdl.Var
}

// bounded counts from 0 to 9 and starts again.
func bounded(m *hdl.Module, c claims) boundedIO {
	io := hdl.Ports(m, "", hdl.Source, boundedIO{En: hdl.Bool(), Cnt: hdl.U(4)})
	cnt := m.Reg("cnt_q", hdl.U(4))
	last := m.Let("last", cnt.Eq(hdl.K(9)))
	m.If(io.En, func() {
		cnt.Set(hdl.Mux(last, hdl.Const(4, 0), cnt.Add(hdl.K(1))))
		if c.Hold {
			m.Cover("wraps", last)
		}
	})
	if c.Hold {
		m.Assert("in_range", cnt.Le(hdl.K(9)), hdl.Doc("The count stays within its bounds."))
		m.Assert("holds", hdl.Implies(hdl.Past(io.En.Signal).Not(), hdl.Stable(cnt.Signal)))
	}
	if c.Fail {
		m.Assert("below_nine", cnt.Lt(hdl.K(9)))
	}
	io.Cnt.Set(cnt)
	return io
}

type gateIO struct {
	A, B hdl.Var `hdl:"in"`
	Y    hdl.Var
}

// gate has no clock of its own, but properties.
func gate(m *hdl.Module, c claims) gateIO {
	io := hdl.Ports(m, "", hdl.Source, gateIO{A: hdl.U(4), B: hdl.U(4), Y: hdl.U(4)})
	io.Y.Set(io.A.And(io.B))
	if c.Hold {
		m.Assert("not_more", io.Y.Le(io.A))
	}
	return io
}

type twinIO struct {
	EnA, EnB hdl.Var `hdl:"in"`
	Both     hdl.Var
}

// twin has two counters.
func twin(m *hdl.Module, c claims) twinIO {
	io := hdl.Ports(m, "", hdl.Source, twinIO{EnA: hdl.Bool(), EnB: hdl.Bool(), Both: hdl.U(4)})
	a, b := hdl.Inst(m, "u_a", bounded, c, hdl.Named("bounded")), hdl.Inst(m, "u_b", bounded, c, hdl.Named("bounded"))
	a.En.Set(io.EnA)
	b.En.Set(io.EnB)
	g := hdl.Inst(m, "u_gate", gate, c, hdl.Named("gate"))
	g.A.Set(a.Cnt)
	g.B.Set(b.Cnt)
	io.Both.Set(g.Y)
	return io
}

const twinBench = `module tb;
  reg clk = 0, rst_n = 0;
  wire [3:0] both;
  twin dut (.clk(clk), .rst_n(rst_n), .en_a(1'b0), .en_b(1'b1), .both(both));
  integer i;
  initial begin
    for (i = 0; i < 30; i = i + 1) begin
      #1 clk = 1;
      #1 clk = 0;
      rst_n = i > 1;
    end
    $display("reached the end");
    $finish;
  end
endmodule
`

// twinFiles writes the design and its bench, and returns the names of the sources,
// those of the properties last.
func twinFiles(t *testing.T, c claims) (dir string, sources []string) {
	d, err := hdl.Elaborate(twin, c)
	require.NoError(t, err)
	files, err := gen.Emit(d, gen.Options{})
	require.NoError(t, err)
	dir = t.TempDir()
	require.NoError(t, gen.WriteDir(dir, files))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "tb.sv"), []byte(twinBench), 0o644))
	for _, list := range []string{"twin.f", "twin_checks.f"} {
		names, err := lint.Files(filepath.Join(dir, list))
		require.NoError(t, err)
		sources = append(sources, names...)
	}
	return dir, sources
}

func formalSources(t *testing.T, dir string) string {
	names, err := lint.Files(filepath.Join(dir, "twin_formal.f"))
	require.NoError(t, err)
	return strings.Join(names, " ")
}

// say runs a program and returns all that it says and how it ended.
func say(t *testing.T, dir, name string, args ...string) (string, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// propertyRuns are the ways to check properties. Each returns what is said and
// whether all was well.
var propertyRuns = map[string]func(t *testing.T, dir string, sources []string) (string, bool){
	"Verilator": func(t *testing.T, dir string, sources []string) (string, bool) {
		out, err := say(t, dir, "verilator", append([]string{"--binary", "--timing", "--assert", "-Wno-fatal", "-Wno-lint", "-j", "2",
			"-MAKEFLAGS", "OPT_FAST=-O0 OPT_SLOW=-O0 OPT_GLOBAL=-O0", "--top-module", "tb", "-Mdir", "obj", "tb.sv"}, sources...)...)
		require.NoError(t, err, out)
		out, err = say(t, dir, filepath.Join(dir, "obj", "Vtb"))
		return out, err == nil
	},
	"Icarus": func(t *testing.T, dir string, sources []string) (string, bool) {
		out, err := say(t, dir, "iverilog", append([]string{"-g2012", "-DTWIN_PATH=tb.dut", "-s", "tb", "-s", "twin_checks", "-o", "tb.vvp", "tb.sv"}, sources...)...)
		require.NoError(t, err, out)
		out, err = say(t, dir, "vvp", "-n", "tb.vvp")
		require.NoError(t, err, out)
		return out, !strings.Contains(out, "ERROR")
	},
	"Yosys": func(t *testing.T, dir string, sources []string) (string, bool) {
		out, err := say(t, dir, "yosys", "-Q", "-p", "read_verilog -sv -formal "+formalSources(t, dir)+"; prep -top twin -flatten -nordff; async2sync; "+
			"select -assert-count 2 t:$cover; chformal -cover -remove; dffunmap; opt; tee -o sat.txt sat -tempinduct -prove-asserts -set-assumes -seq 1 -maxsteps 14 -show-ports -verify")
		told, _ := os.ReadFile(filepath.Join(dir, "sat.txt"))
		require.NotEmpty(t, told, out)
		return string(told), err == nil
	},
}

// smt runs the solver that yosys-smtbmc calls.
var smt = flag.String("smt", "", "solver that proves properties too, such as z3")

// TestPropertiesInTools has a design with properties that hold, and one with one
// that fails in one of two instances.
func TestPropertiesInTools(t *testing.T) {
	for _, name := range []string{"Verilator", "Icarus", "Yosys"} {
		t.Run(name, func(t *testing.T) {
			dir, sources := twinFiles(t, claims{Hold: true})
			out, well := propertyRuns[name](t, dir, sources)
			require.True(t, well, out)
			if name != "Yosys" {
				require.Contains(t, out, "reached the end")
			}
			dir, sources = twinFiles(t, claims{Hold: true, Fail: true})
			out, well = propertyRuns[name](t, dir, sources)
			require.False(t, well, out)
			if name == "Yosys" {
				require.Contains(t, out, "model found for base case: FAIL")
			} else {
				require.Contains(t, out, "bounded_props.sv")
				require.Regexp(t, `u_b[._]\w*props\.below_nine`, out)
				require.NotRegexp(t, `u_a[._]\w*props\.below_nine`, out)
			}
		})
	}
}

// With a solver: a search for counterexamples, a proof by induction, and a cover that
// is reached.
func TestPropertiesWithSolver(t *testing.T) {
	if *smt == "" {
		t.Skip("run with -smt z3")
	}
	model := func(c claims) string {
		dir, _ := twinFiles(t, c)
		out, err := say(t, dir, "yosys", "-q", "-p", "read_verilog -sv -formal "+formalSources(t, dir)+"; prep -top twin -nordff; async2sync; dffunmap; write_smt2 -wires twin.smt2")
		require.NoError(t, err, out)
		return dir
	}
	dir := model(claims{Hold: true})
	for _, args := range [][]string{{"-t", "14"}, {"-i", "-t", "14"}, {"-c", "-t", "14"}} {
		out, err := say(t, dir, "yosys-smtbmc", append(append([]string{"-s", *smt}, args...), "twin.smt2")...)
		require.NoError(t, err, out)
	}
	out, err := say(t, model(claims{Hold: true, Fail: true}), "yosys-smtbmc", "-s", *smt, "-t", "14", "twin.smt2")
	require.Error(t, err)
	require.Contains(t, out, "bounded_props.sv")
}

// Properties leave the RTL alone.
func TestPropertiesAreNoPartOfTheRTL(t *testing.T) {
	rtl := func(c claims) []gen.File {
		d, err := hdl.Elaborate(twin, c)
		require.NoError(t, err)
		files, err := gen.Emit(d, gen.Options{})
		require.NoError(t, err)
		var list []gen.File
		for _, f := range files {
			if !f.Checks {
				// The parameters in the header say which properties there are.
				f.Data = regexp.MustCompile(`(?m)^// Parameters: .*\n`).ReplaceAll(f.Data, nil)
				list = append(list, f)
			}
		}
		return list
	}
	require.Empty(t, cmp.Diff(rtl(claims{}), rtl(claims{Hold: true, Fail: true})))
}

// All tools read the properties without a warning.
func TestToolsAcceptProperties(t *testing.T) {
	dir, sources := twinFiles(t, claims{Hold: true, Fail: true})
	names, err := lint.Files(filepath.Join(dir, "twin_checks.f"))
	require.NoError(t, err)
	for _, r := range lint.Lint(t.Context(), dir, "twin", lint.All(), names...) {
		require.NoError(t, r.Err, "%s: %s", r.Tool, r.Output)
	}
	out, err := say(t, dir, "iverilog", append([]string{"-g2012", "-Wall", "-t", "null", "-s", "twin", "-s", "twin_checks"}, sources...)...)
	require.NoError(t, err, out)
	require.Empty(t, out)
	out, err = say(t, dir, "verilator", append([]string{"--lint-only", "-Wall", "--assert", "--top-module", "twin"}, sources...)...)
	require.NoError(t, err, out)
}
