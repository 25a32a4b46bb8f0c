package gen

import (
	"fmt"
	"strings"

	"github.com/millrace-hdl/millrace/hdl/ir"
)

// styles are the attributes that ask for a kind of memory: of Vivado and Yosys,
// then of Quartus, which has no word for a block of any size, then of Synplify.
var styles = map[string]struct{ ram, rom []ir.Attr }{
	"block": {
		ram: []ir.Attr{{Name: "ram_style", Value: "block"}, {Name: "syn_ramstyle", Value: "block_ram"}},
		rom: []ir.Attr{{Name: "rom_style", Value: "block"}, {Name: "syn_romstyle", Value: "block_rom"}},
	},
	"distributed": {
		ram: []ir.Attr{{Name: "ram_style", Value: "distributed"}, {Name: "ramstyle", Value: "MLAB"}, {Name: "syn_ramstyle", Value: "select_ram"}},
		rom: []ir.Attr{{Name: "rom_style", Value: "distributed"}, {Name: "romstyle", Value: "MLAB"}, {Name: "syn_romstyle", Value: "select_rom"}},
	},
	"registers": {
		ram: []ir.Attr{{Name: "ram_style", Value: "registers"}, {Name: "ramstyle", Value: "logic"}, {Name: "syn_ramstyle", Value: "registers"}},
		rom: []ir.Attr{{Name: "rom_style", Value: "registers"}, {Name: "romstyle", Value: "logic"}, {Name: "syn_romstyle", Value: "logic"}},
	},
}

// memory declares the array of a memory.
func (p *printer) memory(m *ir.Mem) {
	p.comment(m.Note)
	var list []string
	if p.u.unchecked[m] {
		list = append(list, "no_rw_check")
	}
	given := map[string]bool{}
	for _, a := range m.Attrs {
		given[a.Name] = true
	}
	style := styles[m.Style].ram
	if len(p.u.writers[m]) == 0 {
		style = styles[m.Style].rom
	}
	for _, a := range style {
		if !given[a.Name] {
			list = append(list, attribute(a))
		}
	}
	for _, a := range m.Attrs {
		list = append(list, attribute(a))
	}
	attrs := ""
	if len(list) > 0 {
		attrs = "(* " + strings.Join(list, ", ") + " *) "
	}
	twice := len(p.u.writers[m]) > 1
	if twice { // which is what a memory with two clocks is
		p.line("// verilator lint_off MULTIDRIVEN", ir.Pos{})
	}
	p.line(fmt.Sprintf("%slogic %s%s [0:%d];", attrs, vector(m.Elem), m.Name, m.Depth-1), m.Pos)
	if twice {
		p.line("// verilator lint_on MULTIDRIVEN", ir.Pos{})
	}
}

// contents gives memories their initial contents.
func (p *printer) contents() {
	for _, m := range p.u.m.Mems {
		init := p.u.contents[m]
		if len(init) == 0 {
			continue
		}
		p.line("initial begin", m.Pos)
		p.indent++
		for i, c := range init {
			p.line(fmt.Sprintf("%s[%d] = %s;", m.Name, i, literal(c)), ir.Pos{})
		}
		p.indent--
		p.line("end", ir.Pos{})
		p.blank()
	}
}
