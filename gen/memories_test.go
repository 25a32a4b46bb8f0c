package gen

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/millrace-hdl/millrace/hdl/ir"
	"github.com/millrace-hdl/millrace/hdl/irtest"
)

// memorySpec is a kind of memory.
type memorySpec struct {
	name, style   string
	depth, lanes  int // lanes of a mask, 0 for none
	writes, reads int
	async         bool
	during        ir.ReadDuringWrite
	shared        bool // write port k and read port k have one address, and one clock
	clocks        bool // the second port, or the read port if there is one write port, has a clock of its own
	exclusive     bool // the writes stand in branches of one if
	contents      int
}

const memoryWidth = 8

// memoryPorts are the signals that all memories share; port k has the k-th of each.
var memoryPorts = []struct {
	name  string
	width func(s memorySpec) int
}{
	{"we", func(memorySpec) int { return 1 }},
	{"wa", func(s memorySpec) int { return ir.AddrBits(s.depth) }},
	{"wd", func(memorySpec) int { return memoryWidth }},
	{"wm", func(s memorySpec) int { return max(s.lanes, 1) }},
	{"re", func(memorySpec) int { return 1 }},
	{"ra", func(s memorySpec) int { return ir.AddrBits(s.depth) }},
}

// module is a module with one memory of the kind.
func (s memorySpec) module() *ir.Module {
	k := newMaker(s.name)
	var other *ir.Domain
	if s.clocks {
		other = &ir.Domain{Name: irtest.Alone, Clock: "other_clk"}
		k.m.Domains = []*ir.Domain{other}
	}
	in := map[string]*ir.Signal{}
	for i := range max(s.writes, s.reads) {
		for _, p := range memoryPorts {
			switch {
			case p.name[0] == 'w' && i >= s.writes || p.name[0] == 'r' && i >= s.reads,
				p.name == "wm" && s.lanes == 0, p.name == "ra" && s.shared, p.name == "re" && s.async:
				continue
			}
			name := fmt.Sprintf("%s%d", p.name, i)
			in[name] = k.signal(name, ir.Input, u(p.width(s)))
		}
	}
	mem := &ir.Mem{Name: "mem", Elem: u(memoryWidth), Depth: s.depth, Style: s.style, Module: k.m}
	k.m.Mems = []*ir.Mem{mem}
	for i := range s.contents {
		mem.Init = append(mem.Init, ir.NewConst(u(memoryWidth), uint64(37*i+11)))
	}
	domain := func(i int, read bool) *ir.Domain {
		if i == 1 || read && s.writes <= 1 && !s.shared {
			return other
		}
		return nil
	}
	both := &ir.If{}
	for i := range s.writes {
		w := &ir.MemWrite{Mem: mem, Addr: ref(in[fmt.Sprintf("wa%d", i)]), Data: ref(in[fmt.Sprintf("wd%d", i)]), Domain: domain(i, false)}
		if s.lanes > 0 {
			w.Mask = ref(in[fmt.Sprintf("wm%d", i)])
		}
		arm := ir.Arm{Cond: ref(in[fmt.Sprintf("we%d", i)]), Body: []ir.Stmt{w}}
		if s.exclusive {
			both.Arms = append(both.Arms, arm)
			continue
		}
		k.add(&ir.If{Arms: []ir.Arm{arm}})
	}
	if s.exclusive {
		k.add(both)
	}
	for i := range s.reads {
		addr := in[fmt.Sprintf("ra%d", i)]
		if s.shared {
			addr = in[fmt.Sprintf("wa%d", i)]
		}
		if s.async {
			k.out(fmt.Sprintf("q%d", i), &ir.MemRead{Mem: mem, Addr: ref(addr)})
			continue
		}
		d := k.signal(fmt.Sprintf("q%d_q", i), ir.SyncRead, mem.Elem)
		d.Mem, d.Domain = mem, domain(i, true)
		p := &ir.SyncPort{Addr: ref(addr), En: ref(in[fmt.Sprintf("re%d", i)]), Data: d}
		for j := range s.writes {
			during := s.during
			if domain(j, false) != d.Domain {
				during = ir.Undefined
			}
			p.During = append(p.During, during)
		}
		mem.Reads = append(mem.Reads, p)
		k.out(fmt.Sprintf("q%d", i), ref(d))
	}
	return k.m
}

// memoryTop places one of each kind.
func memoryTop(specs []memorySpec) *ir.Design {
	k := newMaker("memories")
	other := &ir.Domain{Name: irtest.Alone, Clock: "other_clk"}
	k.m.Domains = []*ir.Domain{other}
	d := &ir.Design{Top: k.m}
	in := map[string]*ir.Signal{}
	for i := range 2 {
		for _, p := range memoryPorts {
			name, width := fmt.Sprintf("%s%d", p.name, i), 0
			for _, s := range specs {
				width = max(width, p.width(s))
			}
			in[name] = k.signal(name, ir.Input, u(width))
		}
	}
	for _, s := range specs {
		m := s.module()
		d.Modules = append(d.Modules, m)
		inst := &ir.Instance{Name: "u_" + s.name, Of: m}
		if len(m.Domains) > 0 {
			inst.Domains = []*ir.Domain{other}
		}
		k.m.Instances = append(k.m.Instances, inst)
		for _, p := range m.Ports() {
			kind := ir.InstOut
			if p.Kind == ir.Input {
				kind = ir.InstIn
			}
			c := k.signal(inst.Name+"_"+p.Name, kind, p.Type)
			c.Inst, c.Port = inst, p
			inst.Conns = append(inst.Conns, c)
			if kind == ir.InstIn {
				k.add(whole(c, slice(ref(in[p.Name]), 0, p.Type.Width, ir.Pos{}), ir.Pos{}))
			} else {
				k.out(s.name+"_"+p.Name, ref(c))
			}
		}
	}
	d.Modules = append(d.Modules, k.m)
	return d
}

// memoryMatrix is every combination that can behave differently.
func memoryMatrix() []memorySpec {
	var list []memorySpec
	for _, ports := range []memorySpec{
		{name: "one", writes: 1, reads: 1},
		{name: "two_reads", writes: 1, reads: 2},
		{name: "dual", writes: 2, reads: 2, shared: true},
		{name: "exclusive", writes: 2, reads: 1, exclusive: true},
		{name: "across", writes: 1, reads: 1, clocks: true},
		{name: "dual_across", writes: 2, reads: 2, shared: true, clocks: true},
		{name: "rom", reads: 2, contents: 6},
	} {
		for _, read := range []string{"async", "old", "new", "any"} {
			for _, lanes := range []int{0, 2} {
				for _, contents := range []int{0, 3} {
					if ports.writes == 0 && (lanes > 0 || contents > 0) {
						continue
					}
					s := ports
					s.name = fmt.Sprintf("%s_%s_%d_%d", ports.name, read, lanes, contents)
					s.lanes, s.contents, s.async = lanes, max(contents, ports.contents), read == "async"
					s.during = map[string]ir.ReadDuringWrite{"old": ir.OldData, "new": ir.NewData, "any": ir.Undefined}[read]
					s.depth = 4 + len(list)%3 // some addresses are beyond
					s.contents = min(s.contents, s.depth)
					list = append(list, s)
				}
			}
		}
	}
	return list
}

// Every kind of memory computes in every tool what the reference does.
func TestMemoryMatrix(t *testing.T) {
	d := memoryTop(memoryMatrix())
	for i := range uint64(3) {
		agree(t, d, 100+i, SyncLow, viewIcarus)
	}
	agree(t, d, 103, SyncLow, viewYosys, viewVerilator)
	accepted(t, d, Options{})
}

// inferred are the kinds of memory of the table of what tools make of them.
var inferred = []struct {
	text string
	spec memorySpec
}{
	{"one write, one read; old data", memorySpec{writes: 1, reads: 1, during: ir.OldData}},
	{"one write, one read; new data", memorySpec{writes: 1, reads: 1, during: ir.NewData}},
	{"one write, one read; undefined", memorySpec{writes: 1, reads: 1, during: ir.Undefined}},
	{"the same with byte enables", memorySpec{writes: 1, reads: 1, during: ir.Undefined, lanes: 2}},
	{"the same with byte enables; new data", memorySpec{writes: 1, reads: 1, during: ir.NewData, lanes: 2}},
	{"the same with contents", memorySpec{writes: 1, reads: 1, during: ir.Undefined, contents: 16}},
	{"one write, two reads; undefined", memorySpec{writes: 1, reads: 2, during: ir.Undefined}},
	{"two exclusive writes, one read; undefined", memorySpec{writes: 2, reads: 1, during: ir.Undefined, exclusive: true}},
	{"two ports that write and read; undefined", memorySpec{writes: 2, reads: 2, during: ir.Undefined, shared: true}},
	{"two ports that write and read; old data", memorySpec{writes: 2, reads: 2, during: ir.OldData, shared: true}},
	{"one write, one read, of two clocks", memorySpec{writes: 1, reads: 1, during: ir.Undefined, clocks: true}},
	{"two ports that write and read, of two clocks", memorySpec{writes: 2, reads: 2, during: ir.Undefined, shared: true, clocks: true}},
	{"contents, one read", memorySpec{reads: 1, contents: 512}},
	{"one write, one asynchronous read", memorySpec{writes: 1, reads: 1, async: true, style: "distributed", depth: 32}},
	{"one write, one read, style registers", memorySpec{writes: 1, reads: 1, style: "registers", depth: 16}},
}

// families are those of the table, what their synthesis is called, and their memories.
var families = []struct {
	name, command string
	cells         []string
}{
	{"iCE40", "synth_ice40 -noflatten -run begin:map_ffram", []string{"SB_RAM40_4K"}},
	{"ECP5", "synth_ecp5 -noflatten -run begin:map_ffram", []string{"DP16KD", "TRELLIS_DPR16X4"}},
	{"Xilinx 7", "synth_xilinx -family xc7 -run begin:map_ffram", []string{"RAMB18E1", "RAMB36E1", "RAM32M", "RAM32X1D", "RAM64M"}},
}

var (
	statCell   = regexp.MustCompile(`(?m)^\s+(\w+)\s+(\d+)$`)
	writeTable = flag.Bool("table", false, "write the table of inferred memories anew")
	allRows    = flag.Bool("inferred", false, "check every row of the table of inferred memories")
)

// infer is what a family makes of a memory.
func infer(t *testing.T, dir, top, command string, cells []string) string {
	script := fmt.Sprintf("read_verilog -sv %s.sv; %s -top %s; tee -o stat.txt stat", top, command, top)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, "yosys", "-q", "-p", script)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		require.Contains(t, string(out), "no valid mapping found for memory")
		return "none"
	}
	text, err := os.ReadFile(filepath.Join(dir, "stat.txt"))
	require.NoError(t, err)
	var found []string
	for _, m := range statCell.FindAllStringSubmatch(string(text), -1) {
		if slices.Contains(cells, m[1]) {
			found = append(found, m[2]+" "+m[1])
		}
	}
	if len(found) == 0 {
		return "logic"
	}
	return strings.Join(found, ", ")
}

// TestInferredMemories has Yosys make memories of three families, and compares with
// the table of the documentation: a few rows, or all by flag.
func TestInferredMemories(t *testing.T) {
	doc := filepath.Join("..", "docs", "memories.md")
	const begin, end = "<!-- table -->\n", "<!-- end of table -->\n"
	text, err := os.ReadFile(doc)
	require.NoError(t, err)
	before, rest, ok := strings.Cut(string(text), begin)
	require.True(t, ok, "%s has no table", doc)
	table, after, ok := strings.Cut(rest, end)
	require.True(t, ok, "%s has no end of the table", doc)
	head, rule := "| memory |", "|---|"
	for _, g := range families {
		head, rule = head+" "+g.name+" |", rule+"---|"
	}
	lines := []string{head, rule}
	for i, x := range inferred {
		if i%5 != 2 && !*allRows && !*writeTable {
			continue
		}
		s := x.spec
		s.name = "mem"
		if s.depth == 0 {
			s.depth = 512
		}
		m := s.module()
		m.Name = "one"
		files, err := Emit(&ir.Design{Top: m, Modules: []*ir.Module{m}}, Options{})
		require.NoError(t, err)
		dir := t.TempDir()
		require.NoError(t, WriteDir(dir, files))
		row := "| " + x.text + " |"
		for _, g := range families {
			row += " " + infer(t, dir, "one", g.command, g.cells) + " |"
		}
		lines = append(lines, row)
		if !*writeTable {
			require.Contains(t, strings.Split(table, "\n"), row, "run with -table if the change is wanted")
		}
	}
	if *writeTable {
		require.NoError(t, os.WriteFile(doc, []byte(before+begin+strings.Join(lines, "\n")+"\n"+end+after), 0o644))
	}
}
