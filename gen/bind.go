package gen

import (
	"fmt"
	"strings"

	"github.com/millrace-hdl/millrace/hdl/ir"
)

// placement places a checker in a module: that of the properties itself, or, where
// that has no clock or reset, one above it that has.
type placement struct {
	*checker
	in      *ir.Module
	path    string // from there to the module with the properties, empty or ending with a dot
	name    string // of the instance
	domains map[*ir.Domain]*ir.Domain
}

// placements puts the checkers in place, and lists those that no clock reaches.
func placements(units []*unit, checkers map[*ir.Module]*checker, top *ir.Module) (placed []placement, lost []string) {
	of := map[*ir.Module]*unit{}
	waiting := map[*ir.Module][]placement{} // for a clock or a reset from above
	for _, u := range units {
		of[u.m] = u
		var here []placement
		if c := checkers[u.m]; c != nil {
			same := map[*ir.Domain]*ir.Domain{nil: nil}
			for _, d := range u.m.Domains {
				same[d] = d
			}
			here = append(here, placement{checker: c, in: u.m, domains: same})
		}
		for _, i := range u.m.Instances {
			for _, b := range waiting[i.Of] {
				up := map[*ir.Domain]*ir.Domain{}
				for d, inner := range b.domains {
					up[d] = i.Outer(inner)
				}
				here = append(here, placement{checker: b.checker, in: u.m, path: i.Name + "." + b.path, domains: up})
			}
		}
		for _, b := range here {
			switch clock, reset := b.reaches(u); {
			case clock && (reset || u.m == top):
				b.name = u.names.derive(checkerName(b.path))
				placed = append(placed, b)
			case u.m == top:
				lost = append(lost, b.path+"("+b.of.m.Name+")")
			default:
				waiting[u.m] = append(waiting[u.m], b)
			}
		}
	}
	return placed, lost
}

// reaches reports whether the module has the clocks and the resets of a checker.
func (b placement) reaches(u *unit) (clock, reset bool) {
	clock, reset = true, true
	for _, p := range b.ports() {
		has := u.hasClock(u.o.portName(domainPort{b.domains[p.domain], p.reset}))
		clock = clock && (has || p.reset)
		reset = reset && (has || !p.reset)
	}
	return clock, reset
}

// ports are the clocks and resets of the checker.
func (c *checker) ports() []domainPort {
	var list []domainPort
	for _, p := range append([]domainPort{{nil, false}, {nil, true}}, domainPorts(c.of.m.Domains)...) {
		if name := c.of.o.portName(p); name != "" && c.unit.hasClock(name) {
			list = append(list, p)
		}
	}
	return list
}

func domainPorts(domains []*ir.Domain) []domainPort {
	var list []domainPort
	for _, d := range domains {
		list = append(list, domainPort{d, false}, domainPort{d, true})
	}
	return list
}

// pins are the connections of the checker, seen from outside of the module that it
// is placed in or, with an empty path, from inside.
func (b placement) pins(u *unit, path string) []string {
	var names, values []string
	for _, p := range b.ports() {
		outer := domainPort{b.domains[p.domain], p.reset}
		name := u.o.portName(outer)
		invert := falling(outer.domain) != falling(p.domain)
		if p.reset {
			invert = u.o.styleOf(outer.domain).High() != u.o.styleOf(p.domain).High()
		}
		value := path + name
		switch {
		case !u.hasClock(name) && u.o.styleOf(p.domain).High(): // a design without reset
			value = "1'b0"
		case !u.hasClock(name):
			value = "1'b1"
		case invert:
			value = "!" + value
		}
		names, values = append(names, u.o.portName(p)), append(values, value)
	}
	for _, t := range b.taps {
		names, values = append(names, t.port.Name), append(values, t.value(path+b.path))
	}
	wide := 0
	for _, n := range names {
		wide = max(wide, len(n))
	}
	var lines []string
	for i, n := range names {
		comma := ","
		if i == len(names)-1 {
			comma = ""
		}
		lines = append(lines, fmt.Sprintf(".%-*s (%s)%s", wide, n, values[i], comma))
	}
	return lines
}

// checkerName is the name of the checker of what is at a path.
func checkerName(path string) string {
	if path == "" {
		return "u_props"
	}
	return strings.ReplaceAll(path, ".", "_") + "props"
}

// checker prints an instance of the checker.
func (p *printer) checker(b placement, head, name string, pins []string) {
	p.line(head+b.unit.m.Name+" "+name+" (", ir.Pos{})
	p.indent++
	for _, l := range pins {
		p.line(l, ir.Pos{})
	}
	p.indent--
	p.line(");", ir.Pos{})
	p.blank()
}

// formalText is the RTL of a module with the checkers inside: Yosys neither binds
// nor reads hierarchical names, so those of modules without a clock are left out.
func formalText(u *unit, rtl []byte, placed []placement) []byte {
	p := &printer{u: u, indent: 1}
	for _, b := range placed {
		if b.in == u.m && b.path == "" {
			p.checker(b, "", b.name, b.pins(u, ""))
		}
	}
	const end = "endmodule\n"
	at := strings.LastIndex(string(rtl), end)
	return []byte(string(rtl[:at]) + p.b.String() + string(rtl[at:]))
}

// bindFile puts the checkers in place. Icarus cannot bind: there a second top module
// holds a checker for each instance.
func bindFile(d *ir.Design, o Options, units []*unit, placed []placement, lost []string) []byte {
	of := map[*ir.Module]*unit{}
	for _, u := range units {
		of[u.m] = u
	}
	p := &printer{u: &unit{o: o, m: d.Top}}
	macro := strings.ToUpper(d.Top.Name) + "_PATH"
	p.comment(o.Header)
	p.comment("Puts the properties of " + d.Top.Name + " in place. To Icarus this is a second top module, " + d.Top.Name +
		"_checks;\nwhere the design is not a top module itself, the macro " + macro + " is the path to it.")
	for _, l := range lost {
		p.comment("Not in place, for the design has no clock: the properties of " + l + ".")
	}
	p.line("`default_nettype none", ir.Pos{})
	p.blank()
	p.line("`ifdef __ICARUS__", ir.Pos{})
	p.blank()
	p.line("`ifndef "+macro, ir.Pos{})
	p.line("`define "+macro+" "+d.Top.Name, ir.Pos{})
	p.line("`endif", ir.Pos{})
	p.blank()
	p.line("module "+d.Top.Name+"_checks;", ir.Pos{})
	p.blank()
	p.indent = 1
	names := newNames()
	p.everywhere(d.Top, "", placed, of, macro, names)
	p.indent = 0
	p.line("endmodule", ir.Pos{})
	p.blank()
	p.line("`else", ir.Pos{})
	p.blank()
	for _, b := range placed {
		p.checker(b, "bind "+b.in.Name+" ", b.name, b.pins(of[b.in], ""))
	}
	p.line("`endif", ir.Pos{})
	p.blank()
	p.line("`default_nettype wire", ir.Pos{})
	return []byte(p.b.String())
}

// everywhere instantiates the checkers of all places below a module.
func (p *printer) everywhere(m *ir.Module, path string, placed []placement, of map[*ir.Module]*unit, macro string, names *names) {
	for _, b := range placed {
		if b.in != m {
			continue
		}
		name := names.derive(checkerName(path + b.path))
		p.checker(b, "", name, b.pins(of[m], "`"+macro+"."+path))
	}
	for _, i := range m.Instances {
		p.everywhere(i.Of, path+i.Name+".", placed, of, macro, names)
	}
}
