package gen

import (
	"bytes"
	"context"
	"fmt"
	"math/big"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/millrace-hdl/millrace/hdl/ir"
	"github.com/millrace-hdl/millrace/hdl/irtest"
)

// stimulus is what a run feeds: in each cycle the inputs, which clocks tick, and
// whether reset is on.
type stimulus struct {
	inputs [][]*big.Int // by cycle, then by input port
	ticks  []uint64     // bit 0 for the implicit domain of the top, bit k+1 for its named domain k
	reset  []bool
}

// domains are those that tick in a cycle.
func (st stimulus) domains(m *ir.Module, cycle int) []*ir.Domain {
	var list []*ir.Domain
	for k, d := range append([]*ir.Domain{nil}, m.Domains...) {
		if st.ticks[cycle]>>k&1 == 1 {
			list = append(list, d)
		}
	}
	return list
}

// randomStimulus holds reset for two cycles. Styles that act at the edge get more
// resets later on.
func randomStimulus(d *ir.Design, r *rand.Rand, style ResetStyle, cycles int) stimulus {
	var st stimulus
	for i := range cycles {
		var row []*big.Int
		for _, p := range d.Top.Ports() {
			if p.Kind == ir.Input {
				row = append(row, randomValue(r, p.Type.Width))
			}
		}
		st.inputs = append(st.inputs, row)
		reset := i < 2 || len(d.Top.Domains) == 0 && !style.Async() && r.IntN(8) == 0
		ticks := uint64(2)<<len(d.Top.Domains) - 1
		if !reset && len(d.Top.Domains) > 0 {
			ticks &= r.Uint64()
		}
		if k := slices.IndexFunc(d.Top.Domains, func(d *ir.Domain) bool { return d.Name == irtest.Alone }); k >= 0 {
			alone, turn := uint64(2)<<k, i%2 == 0
			if !reset {
				turn = r.IntN(2) == 0
			}
			if ticks&alone != 0 && turn {
				ticks = alone
			} else {
				ticks &^= alone
			}
		}
		st.reset, st.ticks = append(st.reset, reset), append(st.ticks, ticks)
	}
	return st
}

func randomValue(r *rand.Rand, width int) *big.Int {
	v := new(big.Int)
	switch r.IntN(6) {
	case 0:
	case 1:
		return ones(width)
	case 2:
		return v.SetBit(v, width-1, 1)
	case 3:
		return v.And(v.SetUint64(r.Uint64N(4)), ones(width))
	default:
		for range (width + 63) / 64 {
			v.Lsh(v, 64).Or(v, new(big.Int).SetUint64(r.Uint64()))
		}
		v.And(v, ones(width))
	}
	return v
}

// expected runs the reference: the outputs of each cycle in hexadecimal.
func expected(t *testing.T, d *ir.Design, st stimulus) []string {
	ref := irtest.NewReference(d)
	var lines []string
	for i, row := range st.inputs {
		n := 0
		for _, p := range d.Top.Ports() {
			if p.Kind == ir.Input {
				ref.Set(p.Name, row[n])
				n++
			}
		}
		require.NoError(t, ref.Settle())
		var outs []string
		for _, p := range d.Top.Ports() {
			if p.Kind == ir.Output {
				outs = append(outs, fmt.Sprintf("%0*x", (p.Type.Width+3)/4, ref.Get(p.Name)))
			}
		}
		lines = append(lines, strings.Join(outs, " "))
		ref.Tick(st.reset[i], st.domains(d.Top, i)...)
	}
	return lines
}

// bench is a SystemVerilog test bench with the same start state, stimulus and
// output format as the reference. State comes to life as zero there, in the tools
// not in general, so the bench sets it by its hierarchical name.
func bench(d *ir.Design, units map[*ir.Module]*unit, style ResetStyle, st stimulus, has func(m *ir.Module, state string) string) string {
	var b, ports, format, outs strings.Builder
	var in int
	for _, p := range d.Top.Ports() {
		fmt.Fprintf(&ports, ", .%s(%s)", p.Name, p.Name)
		if p.Kind == ir.Input {
			in += p.Type.Width
			continue
		}
		fmt.Fprintf(&b, "  wire [%d:0] %s;\n", p.Type.Width-1, p.Name)
		format.WriteString(" %h")
		outs.WriteString(", " + p.Name)
	}
	at := in
	for _, p := range d.Top.Ports() {
		if p.Kind == ir.Input {
			fmt.Fprintf(&b, "  wire [%d:0] %s = row[%d:%d];\n", p.Type.Width-1, p.Name, at-1, at-p.Type.Width)
			at -= p.Type.Width
		}
	}
	o := Options{Reset: style}
	idle := 0
	for _, p := range o.clocksOf(d.Top) {
		k := 1 + slices.Index(d.Top.Domains, p.domain)
		switch {
		case p.reset:
			fmt.Fprintf(&ports, ", .%s(rst == 1'b%d)", o.portName(p), map[bool]int{true: 1, false: 0}[o.styleOf(p.domain).High()])
			continue
		case falling(p.domain):
			idle |= 1 << k
		}
		fmt.Fprintf(&ports, ", .%s(clocks[%d])", o.portName(p), k)
	}
	n, m := len(st.inputs), len(d.Top.Domains)
	var init strings.Builder
	startState(units, d.Top, "dut.", has, &init)
	return fmt.Sprintf(`module tb;
  reg [%d:0] clocks = %d;
  reg [%d:0] ticks;
  reg rst = 1;
  integer at;
  reg [%d:0] row;
  reg [%d:0] rows [0:%d];
%s
  %s dut (%s);
  initial begin
    $readmemh("stim.hex", rows);
    #1;
%s    for (at = 0; at < %d; at = at + 1) begin
      {rst, ticks, row} = rows[at];
      #1;
      $display("%s"%s);
      #1 clocks = %d ^ ticks;
      #1 clocks = %d;
      #1;
    end
    $finish;
  end
endmodule
`, m, idle, m, in-1, in+m+1, n-1, b.String(), d.Top.Name, strings.TrimPrefix(ports.String(), ", "), init.String(), n,
		strings.TrimPrefix(format.String(), " "), outs.String(), idle, idle)
}

// startState sets every register and memory below a module, those that emission
// adds as well.
func startState(units map[*ir.Module]*unit, m *ir.Module, path string, has func(*ir.Module, string) string, b *strings.Builder) {
	done := map[string]bool{}
	set := func(name string, f func()) {
		if done[name] {
			return
		}
		done[name] = true
		switch has(m, name) {
		case "set":
			f()
		case "force":
			fmt.Fprintf(b, "    force %s%s = 0;\n", path, name)
		}
	}
	register := func(s *ir.Signal) {
		set(s.Name, func() {
			v := "0"
			if s.Init != nil {
				v = literal(s.Init)
			}
			fmt.Fprintf(b, "    %s%s = %s;\n", path, s.Name, v)
		})
	}
	for _, blk := range units[m].blocks {
		q, ok := blk.(*seq)
		if !ok {
			continue
		}
		for _, r := range q.regs {
			register(r)
		}
		ir.WalkStmts(q.body, func(s ir.Stmt) bool {
			switch s := s.(type) {
			case *ir.Assign:
				register(s.Target)
			case *ir.MemWrite:
				set(s.Mem.Name, func() {
					fmt.Fprintf(b, "    for (at = %d; at < %d; at = at + 1) %s%s[at] = 0;\n", len(s.Mem.Init), s.Mem.Depth, path, s.Mem.Name)
				})
			}
			return true
		})
	}
	for _, i := range m.Instances {
		startState(units, i.Of, path+i.Name+".", has, b)
	}
}

// unitsOf is the design after the second layer.
func unitsOf(t *testing.T, d *ir.Design, o Options) map[*ir.Module]*unit {
	list, err := lower(d, o)
	require.NoError(t, err)
	units := map[*ir.Module]*unit{}
	for _, u := range list {
		units[u.m] = u
	}
	return units
}

// writeBench puts the emitted files, the bench and its stimulus in a directory.
func writeBench(t *testing.T, dir string, d *ir.Design, files []File, style ResetStyle, st stimulus) {
	require.NoError(t, WriteDir(dir, files))
	var rows strings.Builder
	for i, row := range st.inputs {
		v := new(big.Int)
		if st.reset[i] {
			v.SetInt64(1)
		}
		v.Lsh(v, uint(len(d.Top.Domains)+1)).Or(v, new(big.Int).SetUint64(st.ticks[i]))
		n := 0
		for _, p := range d.Top.Ports() {
			if p.Kind == ir.Input {
				v.Lsh(v, uint(p.Type.Width)).Or(v, row[n])
				n++
			}
		}
		fmt.Fprintf(&rows, "%x\n", v)
	}
	require.NoError(t, os.WriteFile(filepath.Join(dir, "stim.hex"), []byte(rows.String()), 0o644))
	writeTop(t, dir, d, style, st, func(*ir.Module, string) string { return "set" })
}

// writeTop writes the bench; has says how a register or memory of a module is set,
// if it is there.
func writeTop(t *testing.T, dir string, d *ir.Design, style ResetStyle, st stimulus, has func(*ir.Module, string) string) {
	text := bench(d, unitsOf(t, d, Options{Reset: style}), style, st, has)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "tb.sv"), []byte(text), 0o644))
}

// tool runs a program in a directory. A missing one fails the test.
func tool(t *testing.T, dir, name string, args ...string) string {
	t.Helper()
	program, err := exec.LookPath(name)
	if err != nil {
		t.Fatalf("%s is not installed; install it with: apt-get install %s", filepath.Base(name), filepath.Base(name))
	}
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Dir = dir
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	require.NoError(t, cmd.Run(), "%s %s\n%s%s", name, strings.Join(args, " "), out.String(), errs.String())
	return out.String()
}

func svNames(files []File) []string {
	var names []string
	for _, f := range files {
		if strings.HasSuffix(f.Name, ".sv") && !f.Checks {
			names = append(names, f.Name)
		}
	}
	return names
}

// icarus simulates the bench in dir; flags are further ones, such as those of checks,
// whose failures are among the results.
func icarus(t *testing.T, dir string, sources []string, flags ...string) []string {
	args := append([]string{"-g2012", "-s", "tb", "-o", "tb.vvp"}, flags...)
	tool(t, dir, "iverilog", append(append(args, "tb.sv"), sources...)...)
	return results(tool(t, dir, "vvp", "-n", "tb.vvp"))
}

func results(out string) []string {
	var lines []string
	for _, l := range strings.Split(strings.TrimSpace(out), "\n") {
		if !strings.HasPrefix(l, "- ") && !strings.Contains(l, "$finish called") {
			lines = append(lines, l)
		}
	}
	return lines
}
