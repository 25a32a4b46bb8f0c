package verilator

import (
	_ "embed"
	"fmt"
	"strings"

	"github.com/millrace-hdl/millrace/gen"
	"github.com/millrace-hdl/millrace/hdl/ir"
	"github.com/millrace-hdl/millrace/hdl/sim"
)

// harness is the name of the module around the design, and of its C++ class. Its
// ports have names of our own, so that no name of the design can clash with
// C++ or with a member of Verilator's classes.
const harness = "millrace_harness"

//go:embed shim/body.cpp
var shimBody string

// printHeader is included before every C++ file: it diverts what the model prints.
const printHeader = `#ifdef __cplusplus
extern "C"
#endif
void millrace_print(const char* format, ...);
`

// element is a register or memory of the flattened design as the shim finds it.
type element struct {
	path  string // below the top, joined by dots
	typ   ir.Type
	depth int // 0 for a register
}

// elements lists the registers and then the memories, in the order of a walk
// that visits a module's own before its instances'.
func elements(d *ir.Design) (registers, memories []element) {
	var walk func(m *ir.Module, prefix string)
	walk = func(m *ir.Module, prefix string) {
		for _, s := range m.Signals {
			if stateful(s) {
				registers = append(registers, element{path: prefix + s.Name, typ: s.Type})
			}
		}
		for _, mem := range m.Mems {
			memories = append(memories, element{path: prefix + mem.Name, typ: mem.Elem, depth: mem.Depth})
		}
		for _, i := range m.Instances {
			walk(i.Of, prefix+i.Name+".")
		}
	}
	walk(d.Top, "")
	return registers, memories
}

// stateful reports whether a signal is state, which the RTL keeps by name. Ghosts
// live in modules of their own.
func stateful(s *ir.Signal) bool { return (s.Kind == ir.Reg || s.Kind == ir.SyncRead) && !s.Ghost }

// control is the clock and the reset of a domain of the top module as the RTL has
// them. The harness calls them clock<i> and reset<i> by the domain's bit.
type control struct {
	clock, reset string // port names, empty where the top has none
	falling      bool
	activeLow    bool
}

// controls lists those of all domains, the implicit one first.
func controls(d *ir.Design, o gen.Options) []control {
	first := control{activeLow: !o.Reset.High()}
	if d.Top.Clocked() {
		first.clock = gen.Clock
	}
	if d.Top.Resettable() {
		first.reset = o.Reset.Port()
	}
	list := []control{first}
	for _, c := range d.Top.Domains {
		low := c.Style == ir.SyncLow || c.Style == ir.AsyncLow || c.Style == ir.DefaultReset && first.activeLow
		list = append(list, control{clock: c.Clock, reset: o.ResetPort(c), falling: c.Falling, activeLow: low})
	}
	return list
}

// harnessSV is the SystemVerilog of the module around the design.
func harnessSV(d *ir.Design, l *sim.Layout, cs []control) string {
	ports, conns := []string{}, []string{}
	connect := func(port, signal string) {
		conns = append(conns, fmt.Sprintf("    .%s(%s)", port, signal))
	}
	for i, c := range cs {
		ports = append(ports, fmt.Sprintf("  input logic clock%d", i), fmt.Sprintf("  input logic reset%d", i))
		if c.clock != "" {
			connect(c.clock, fmt.Sprintf("clock%d", i))
		}
		if c.reset != "" {
			connect(c.reset, fmt.Sprintf("reset%d", i))
		}
	}
	for i, p := range l.Inputs {
		ports = append(ports, fmt.Sprintf("  input logic [%d:0] i%d", p.Type.Width-1, i))
		connect(p.Name, fmt.Sprintf("i%d", i))
	}
	for i, p := range l.Outputs {
		ports = append(ports, fmt.Sprintf("  output logic [%d:0] o%d", p.Type.Width-1, i))
		connect(p.Name, fmt.Sprintf("o%d", i))
	}
	return fmt.Sprintf("module %s (\n%s\n);\n  %s dut (\n%s\n  );\nendmodule\n",
		harness, strings.Join(ports, ",\n"), d.Top.Name, strings.Join(conns, ",\n"))
}

// shimCPP is the C++ around the model. The tables of registers and memories are
// empty without state.
func shimCPP(d *ir.Design, l *sim.Layout, cs []control, state bool) string {
	var b strings.Builder
	fmt.Fprintf(&b, `#include "V%s.h"
#include "V%[1]s___024root.h"
#include "verilated_syms.h"
#include <algorithm>
#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

// Verilator's function that evaluates all combinational logic.
void V%[1]s___024root___eval_settle(V%[1]s___024root*);

namespace {

using Model = V%[1]s;

void settle_all(V%[1]s___024root* root) { V%[1]s___024root___eval_settle(root); }

struct Variable {
    const char* scope;
    const char* name;
    uint32_t width;
};

`, harness)
	b.WriteString("inline void load_inputs(Model& m, const uint64_t* in) {\n    (void)m; (void)in;\n")
	for i, p := range l.Inputs {
		if p.Type.Width <= 64 {
			fmt.Fprintf(&b, "    m.i%d = in[%d];\n", i, p.Offset)
		} else {
			fmt.Fprintf(&b, "    memcpy(&m.i%d[0], in + %d, %d);\n", i, p.Offset, (p.Type.Width+31)/32*4)
		}
	}
	b.WriteString("}\n\ninline void store_outputs(const Model& m, uint64_t* out) {\n    (void)m; (void)out;\n")
	for i, p := range l.Outputs {
		if p.Type.Width <= 64 {
			fmt.Fprintf(&b, "    out[%d] = m.o%d;\n", p.Offset, i)
		} else {
			fmt.Fprintf(&b, "    memcpy(out + %d, &m.o%d[0], %d);\n", p.Offset, i, (p.Type.Width+31)/32*4)
		}
	}
	b.WriteString("}\n\n")
	clocks(&b, cs)
	var registers, memories []element
	if state {
		registers, memories = elements(d)
	}
	table(&b, d, "register", "registers", registers)
	table(&b, d, "memory", "memories", memories)
	b.WriteString("}  // namespace\n\n")
	b.WriteString(shimBody)
	return b.String()
}

// clocks writes the C++ functions that move clocks and resets.
func clocks(b *strings.Builder, cs []control) {
	level := func(high bool) int {
		if high {
			return 1
		}
		return 0
	}
	b.WriteString("inline void idle_clocks(Model& m) {\n")
	for i, c := range cs {
		fmt.Fprintf(b, "    m.clock%d = %d;\n", i, level(c.falling))
	}
	b.WriteString("}\n\ninline void move_clocks(Model& m, uint64_t domains) {\n")
	for i, c := range cs {
		fmt.Fprintf(b, "    if (domains >> %d & 1) m.clock%d = %d;\n", i, i, level(!c.falling))
	}
	b.WriteString("}\n\nvoid assert_resets(Model& m) {\n")
	for i, c := range cs {
		fmt.Fprintf(b, "    m.reset%d = %d;\n", i, level(!c.activeLow))
	}
	b.WriteString("}\n\nvoid release_resets(Model& m) {\n")
	for i, c := range cs {
		fmt.Fprintf(b, "    m.reset%d = %d;\n", i, level(c.activeLow))
	}
	b.WriteString("}\n\n")
}

// table writes a C++ table of variables; its last entry is a sentinel, as C++ has
// no empty arrays.
func table(b *strings.Builder, d *ir.Design, one, many string, es []element) {
	fmt.Fprintf(b, "constexpr size_t %s_count = %d;\nconst Variable %s[] = {\n", one, len(es), many)
	for _, e := range es {
		scope, name := harness+".dut", e.path
		if dot := strings.LastIndexByte(e.path, '.'); dot >= 0 {
			scope, name = scope+"."+e.path[:dot], e.path[dot+1:]
		}
		fmt.Fprintf(b, "    {%q, %q, %d},\n", scope, name, e.typ.Width)
	}
	b.WriteString("    {nullptr, nullptr, 0},\n};\n\n")
}

// publicVLT is Verilator's configuration that keeps every register and memory by
// name. It names what it wants as Verilator does inside: a double underscore is
// spelt out, and a C++ keyword has a prefix.
func publicVLT(d *ir.Design) string {
	var b strings.Builder
	b.WriteString("`verilator_config\n")
	keep := func(m *ir.Module, name string) {
		for _, prefix := range []string{"", "__SYM__"} {
			fmt.Fprintf(&b, "public_flat_rw -module %q -var %q\n", mangle(m.Name), prefix+mangle(name))
		}
	}
	for _, m := range d.Modules {
		for _, s := range m.Signals {
			if stateful(s) {
				keep(m, s.Name)
			}
		}
		for _, mem := range m.Mems {
			keep(m, mem.Name)
		}
	}
	return b.String()
}

func mangle(name string) string { return strings.ReplaceAll(name, "__", "___05F") }
