package gen

import (
	"fmt"
	"slices"
	"strings"

	"github.com/millrace-hdl/millrace/hdl/ir"
)

// print is the text of the checker.
func (c *checker) print() []byte {
	p := &printer{u: c.unit, flat: map[ir.Expr]text{}}
	p.header()
	p.ports()
	p.indent = 1
	p.declarations()
	for i, b := range c.unit.blocks {
		p.block(b)
		if i+1 == len(c.unit.blocks) || !together(b, c.unit.blocks[i+1]) {
			p.blank()
		}
	}
	var domains []*ir.Domain
	for _, x := range c.claims {
		if !slices.Contains(domains, x.Domain) {
			domains = append(domains, x.Domain)
		}
	}
	for _, d := range domains {
		p.claims(c, d)
	}
	p.unread()
	p.indent = 0
	p.line("endmodule", ir.Pos{})
	p.blank()
	p.line("`default_nettype wire", ir.Pos{})
	return []byte(p.b.String())
}

var claimText = [...]string{"assert", "assume", "cover"}

// claims prints the properties of one clock domain. Each has a block of its name,
// which tools print when it fails; no tool but Verilator takes a label everywhere.
func (p *printer) claims(c *checker, d *ir.Domain) {
	edge := "posedge " + clockName(d)
	if falling(d) {
		edge = "negedge " + clockName(d)
	}
	reset, head, also := p.u.o.ResetPort(d), "begin", ""
	if reset != "" {
		active, outside, begins := "!"+reset, reset, "negedge "
		if p.u.o.styleOf(d).High() {
			active, outside, begins = reset, "!"+reset, "posedge "
		}
		if p.u.o.styleOf(d).Async() {
			also = " or " + begins + reset
		}
		head = "if (" + outside + ") begin"
		p.line("`ifdef FORMAL", ir.Pos{})
		p.line("initial assume ("+active+");", ir.Pos{})
		p.line("`endif", ir.Pos{})
		p.blank()
	}
	if also != "" {
		p.line("`ifdef YOSYS", ir.Pos{})
		p.line("always @("+edge+") begin", ir.Pos{})
		p.line("`else // The reset is asynchronous everywhere.", ir.Pos{})
		p.line("always @("+edge+also+") begin", ir.Pos{})
		p.line("`endif", ir.Pos{})
	} else {
		p.line("always @("+edge+") begin", ir.Pos{})
	}
	p.indent++
	for _, x := range c.claims {
		if x.Domain != d {
			continue
		}
		p.comment(x.Note)
		p.line(head+" : "+x.Name, x.Pos)
		p.indent++
		p.line(claimText[x.Kind]+" ("+x.cond.Name+");", ir.Pos{})
		p.indent--
		p.line("end", ir.Pos{})
	}
	p.indent--
	p.line("end", ir.Pos{})
	p.blank()
}

// value is what an input is connected to, seen from the given path, which ends with
// a dot or is empty.
func (t tap) value(path string) string {
	if t.mem == nil {
		return path + t.signal.Name
	}
	var list []string
	for i := t.mem.Depth - 1; i >= 0; i-- {
		list = append(list, fmt.Sprintf("%s%s[%d]", path, t.mem.Name, i))
	}
	return "{" + strings.Join(list, ", ") + "}"
}
