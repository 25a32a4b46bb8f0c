package differ

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"time"

	"github.com/millrace-hdl/millrace/gen"
	"github.com/millrace-hdl/millrace/hdl/ir"
	"github.com/millrace-hdl/millrace/hdl/irtest"
)

// Icarus is the emitted text of a batch, simulated in four states by Icarus Verilog
// below a test bench that prints the outputs.
func Icarus() Engine {
	return Engine{Name: "icarus", Trace: func(ctx context.Context, b *Batch) ([]Trace, error) {
		dir, err := os.MkdirTemp("", "millrace-icarus-")
		if err != nil {
			return nil, err
		}
		defer os.RemoveAll(dir)
		files, err := gen.Emit(b.Design, gen.Options{Reset: b.resetStyle(), PlainAlways: true})
		if err != nil {
			return nil, err
		}
		texts := map[string]string{}
		args := []string{"-g2012", "-s", "tb", "-o", "tb.vvp", "tb.sv"}
		for _, f := range files {
			if name, ok := strings.CutSuffix(f.Name, ".sv"); ok && !f.Checks {
				args = append(args, f.Name)
				texts[name] = string(f.Data)
			}
		}
		if err := errors.Join(gen.WriteDir(dir, files), b.bench(dir, texts)); err != nil {
			return nil, err
		}
		if _, err := command(ctx, dir, "iverilog", args...); err != nil {
			return nil, err
		}
		out, err := command(ctx, dir, "vvp", "-n", "tb.vvp")
		if err != nil {
			return nil, err
		}
		return b.printed(out)
	}}
}

// command runs a tool in a directory.
func command(ctx context.Context, dir, name string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = dir
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.WaitDelay = 5 * time.Second
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		text := errs.String()
		if len(text) > 2000 {
			text = text[:2000]
		}
		return "", fmt.Errorf("%s: %w: %s", name, err, text)
	}
	return out.String(), nil
}

// bench writes the test bench and its stimulus.
func (b *Batch) bench(dir string, texts map[string]string) error {
	cycles := b.cycles()
	var decls, conns, load, show, read strings.Builder
	var errs []error
	file := func(name string, rows []string) {
		errs = append(errs, os.WriteFile(filepath.Join(dir, name), []byte(strings.Join(rows, "\n")+"\n"), 0o644))
		fmt.Fprintf(&read, "    $readmemh(%q, %s);\n", name, strings.TrimSuffix(name, ".hex"))
	}
	for n, c := range b.Cases {
		format, outs := fmt.Sprint(n), ""
		width, at := 0, 0
		for _, p := range c.Design.Top.Ports() {
			if p.Kind == ir.Input {
				width += p.Type.Width
			}
		}
		if width > 0 {
			fmt.Fprintf(&decls, "  reg [%d:0] row%d;\n  reg [%d:0] rows%d [0:%d];\n", width-1, n, width-1, n, cycles-1)
			fmt.Fprintf(&load, "      row%d = rows%d[i];\n", n, n)
		}
		for _, p := range c.Design.Top.Ports() {
			if p.Kind == ir.Input {
				fmt.Fprintf(&conns, ",\n    .d%d_%s(row%d[%d:%d])", n, p.Name, n, at+p.Type.Width-1, at)
				at += p.Type.Width
				continue
			}
			fmt.Fprintf(&decls, "  wire [%d:0] o%d_%s;\n", p.Type.Width-1, n, p.Name)
			fmt.Fprintf(&conns, ",\n    .d%d_%s(o%d_%s)", n, p.Name, n, p.Name)
			format += " %h"
			outs += fmt.Sprintf(", o%d_%s", n, p.Name)
		}
		fmt.Fprintf(&show, "      $display(%q%s);\n", format, outs)
		if width > 0 {
			file(fmt.Sprintf("rows%d.hex", n), rows(c, cycles, width))
		}
	}
	var rest, early, late, edge, ports strings.Builder
	style := b.resetStyle()
	control := make([]string, cycles)
	for i := range control {
		x := b.ticks(i)
		if b.reset(i) {
			x = 1<<len(b.keys) - 1 | 1<<len(b.keys)
		}
		control[i] = fmt.Sprintf("%x", x)
	}
	for i, k := range b.keys {
		own := style
		switch k.style {
		case ir.SyncHigh:
			own = gen.SyncHigh
		case ir.SyncLow:
			own = gen.SyncLow
		case ir.AsyncHigh:
			own = gen.AsyncHigh
		case ir.AsyncLow:
			own = gen.AsyncLow
		}
		idle, released := bit(k.falling), bit(!own.High())
		fmt.Fprintf(&decls, "  reg clk%d = %d;\n  reg rst%d = %d;\n", i, idle, i, released)
		fmt.Fprintf(&rest, "      clk%d = %d;\n", i, idle)
		fmt.Fprintf(&late, "      rst%d = %d;\n", i, released)
		fmt.Fprintf(&early, "      if (ctl[%d]) rst%d = %d;\n", len(b.keys), i, 1-released)
		fmt.Fprintf(&edge, "      if (ctl[%d]) clk%d = %d;\n", i, i, 1-idle)
		clock, reset := gen.Clock, style.Port()
		if i > 0 {
			clock, reset = b.Design.Top.Domains[i-1].Clock, gen.Options{Reset: style}.ResetPort(b.Design.Top.Domains[i-1])
		}
		if i > 0 || b.Design.Top.Clocked() {
			fmt.Fprintf(&ports, ",\n    .%s(clk%d)", clock, i)
		}
		if i > 0 || b.Design.Top.Resettable() {
			fmt.Fprintf(&ports, ",\n    .%s(rst%d)", reset, i)
		}
	}
	file("ctls.hex", control)
	start := zeroState(b.Design.Top, "dut", texts)
	text := fmt.Sprintf(`module tb;
  integer i;
  reg [%d:0] ctl;
  reg [%d:0] ctls [0:%d];
%s
  batch dut (%s
  );
  initial begin
%s    #1;
%s    for (i = 0; i < %d; i = i + 1) begin
      ctl = ctls[i];
%s      #1;
%s      #1;
      // A reset that acts at once comes together with the edge: what it changes is
      // not there yet for those who look at the edge.
%s      #0;
%s      #1;
%s      #1;
%s      #1;
    end
    $finish;
  end
endmodule
`, len(b.keys), len(b.keys), cycles-1, decls.String(), strings.TrimPrefix(ports.String()+conns.String(), ","),
		read.String(), start, cycles, load.String(), show.String(), early.String(), edge.String(), rest.String(), late.String())
	return errors.Join(append(errs, os.WriteFile(filepath.Join(dir, "tb.sv"), []byte(text), 0o644))...)
}

func bit(one bool) int {
	if one {
		return 1
	}
	return 0
}

// rows are the inputs of a case in hexadecimal, the first port lowest.
func rows(c *Case, cycles, width int) []string {
	list := make([]string, cycles)
	for i := range list {
		v := irtest.Value(nil)
		at, from := uint(0), 0
		for _, p := range c.Design.Top.Ports() {
			if p.Kind != ir.Input {
				continue
			}
			if w := p.Type.Words(); i < len(c.Cycles) {
				x := irtest.Value(c.Cycles[i].In[from:][:w])
				v.Or(v, x.Lsh(x, at))
				from += w
			}
			at += uint(p.Type.Width)
		}
		list[i] = fmt.Sprintf("%0*x", (width+3)/4, v)
	}
	return list
}

var (
	clockedName = regexp.MustCompile(`^\s*(\w+)(?:\[.*?\])?\s*<=\s`)
	alwaysHead  = regexp.MustCompile(`^  always\w*(?: @\([^)]*\)| @\*)?`)
	arrayName   = regexp.MustCompile(`(?m)^[^\n]*\blogic (?:signed )?(?:\[[^\]]*\] )?(\w+) \[0:(\d+)\];`)
)

// zeroState is the statements that make all state below a module zero, that which
// the emission adds as well, but for the contents that memories have.
func zeroState(m *ir.Module, path string, texts map[string]string) string {
	var s strings.Builder
	if m.Extern != nil {
		return ""
	}
	text := texts[m.Name]
	done := map[string]bool{}
	given := map[string]int{}
	for _, x := range m.Mems {
		given[x.Name] = len(x.Init)
	}
	for _, a := range arrayName.FindAllStringSubmatch(text, -1) {
		done[a[1]] = true
		fmt.Fprintf(&s, "    for (i = %d; i <= %s; i = i + 1) %s.%s[i] = 0;\n", given[a[1]], a[2], path, a[1])
	}
	clocked, begins := false, false
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\n")
		if head := alwaysHead.FindString(line); head != "" {
			clocked, begins = strings.Contains(head, "edge "), true
			line = line[len(head):]
		}
		if r := clockedName.FindStringSubmatch(line); clocked && begins && r != nil && !done[r[1]] {
			done[r[1]] = true
			fmt.Fprintf(&s, "    %s.%s = 0;\n", path, r[1])
		}
		if t := strings.TrimSpace(line); !strings.HasPrefix(t, "//") { // else the statement goes on
			begins = strings.HasSuffix(t, ";") || strings.HasSuffix(t, "begin") || strings.HasSuffix(t, "end") || strings.HasSuffix(t, "endcase") || strings.HasSuffix(t, ":") || strings.HasSuffix(t, ")")
		}
	}
	for _, i := range m.Instances {
		s.WriteString(zeroState(i.Of, path+"."+i.Name, texts))
	}
	return s.String()
}

// printed reads what the bench prints.
func (b *Batch) printed(out string) ([]Trace, error) {
	list := make([]Trace, len(b.Cases))
	for line := range strings.Lines(out) {
		fields := strings.Fields(line)
		var n int
		if len(fields) == 0 {
			continue
		}
		if _, err := fmt.Sscanf(fields[0], "%d", &n); err != nil || n >= len(list) {
			continue // what the tool says about itself
		}
		c, t := b.Cases[n], &list[n]
		if len(t.Out) == len(c.Cycles) || t.Err != nil {
			continue
		}
		var words []uint64
		at := 1
		for _, p := range c.Design.Top.Ports() {
			if p.Kind != ir.Output {
				continue
			}
			if at >= len(fields) {
				return nil, fmt.Errorf("icarus printed %q", line)
			}
			v := irtest.Value(nil)
			if _, ok := v.SetString(fields[at], 16); !ok {
				t.Err = fmt.Errorf("output %s is %s", p.Name, fields[at])
				break
			}
			words = append(words, irtest.Words(v, p.Type.Width)...)
			at++
		}
		if t.Err == nil {
			t.Out = append(t.Out, words)
		}
	}
	for n, c := range b.Cases {
		if list[n].Err == nil && len(list[n].Out) < len(c.Cycles) {
			return nil, fmt.Errorf("icarus printed %d of %d cycles of case %d", len(list[n].Out), len(c.Cycles), n)
		}
	}
	return list, nil
}
