package check

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/millrace-hdl/millrace/hdl/diag"
	"github.com/millrace-hdl/millrace/hdl/ir"
)

// Signal, memory, instance and module names are lower-case identifiers. Enum values are
// identifiers of either case, since they are constants in RTL.
var (
	nameForm  = regexp.MustCompile(`^_?[a-z][a-z0-9]*(_[a-z0-9]+)*$`)
	valueForm = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_]*$`)
	attrForm  = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)
)

// implicit are the names that every module's clock and reset may take.
var implicit = map[string]string{"clk": "clock", "rst": "reset", "rst_n": "reset"}

// Reserved reports whether the name is a keyword of SystemVerilog, also in the
// dialect of a tool, ignoring case.
func Reserved(name string) bool {
	name = strings.ToLower(name)
	return keywords[name] || dialect[name]
}

// names checks the names of modules and of what is in them.
func (c *checker) names() {
	modules := map[string]*ir.Module{}
	enums := map[*ir.Enum]bool{}
	for _, m := range c.d.Modules {
		c.m = m
		key := strings.ToLower(m.Name)
		if m.Extern != nil { // written elsewhere: several may share a name, and none is ours
			if o := modules[key]; o == nil || o.Extern == nil {
				c.externName(m.Pos, "black box", m.Name)
			}
			if o := modules[key]; o != nil && o.Extern != nil {
				c.members(m, enums)
				continue
			}
		} else {
			c.name(m.Pos, "module", m.Name)
		}
		if o := modules[key]; o != nil {
			c.report(diag.Name, m.Pos, fmt.Sprintf("two modules are named %s", m.Name), "rename one of them", diag.Related{Pos: o.Pos, Message: "the other is here, as " + o.Name})
		} else {
			modules[key] = m
		}
		c.members(m, enums)
	}
}

// member is anything that has a name in a module.
type member struct {
	what, name string
	pos        ir.Pos
	port       bool
}

func (c *checker) members(m *ir.Module, enums map[*ir.Enum]bool) {
	c.attrs(m.Pos, "module "+m.Name, m.Attrs)
	taken := map[string]member{strings.ToLower(m.Name): {what: "module", name: m.Name, pos: m.Pos}}
	add := func(x member, check bool) {
		form := c.name
		if m.Extern != nil {
			form = c.externName
		}
		if check && !form(x.pos, x.what, x.name) {
			return
		}
		key := strings.ToLower(x.name)
		if check && portWords[key] && x.port {
			c.rename(x.pos, x.what, x.name, "a word of C++, which Verilator does not accept as a port")
			return
		}
		if what, ok := implicit[key]; ok && m.Extern == nil {
			c.report(diag.Name, x.pos, fmt.Sprintf("%s %s has the name of the implicit %s", x.what, x.name, what),
				"rename it; clock and reset are not declared")
			return
		}
		if o, ok := taken[key]; ok {
			c.report(diag.Name, x.pos, fmt.Sprintf("%s %s has the name of %s %s", x.what, x.name, o.what, o.name), "rename one of them; case does not distinguish names",
				diag.Related{Pos: o.pos, Message: "the other is declared here"})
			return
		}
		taken[key] = x
	}
	for _, s := range m.Signals {
		if s == nil {
			continue
		}
		c.attrs(s.Pos, what(s), s.Attrs)
		kind, _, _ := strings.Cut(what(s), " "+s.Name)
		if s.Kind == ir.InstIn || s.Kind == ir.InstOut {
			kind = "instance port"
		}
		// Derived names are checked where their parts are given.
		add(member{kind, s.Name, s.Pos, s.Kind == ir.Input || s.Kind == ir.Output}, !s.Temp && s.Inst == nil)
		if e := s.Type.Enum; e != nil && !enums[e] {
			enums[e] = true
			c.enumNames(s.Pos, e)
		}
	}
	for _, x := range m.Mems {
		if x != nil {
			c.attrs(x.Pos, "memory "+x.Name, x.Attrs)
			add(member{"memory", x.Name, x.Pos, false}, true)
		}
	}
	for _, i := range m.Instances {
		c.attrs(i.Pos, "instance "+i.Name, i.Attrs)
		add(member{"instance", i.Name, i.Pos, false}, true)
	}
	c.domainNames(m, add)
	c.propertyNames(m, add)
}

// domainNames adds the clocks and resets of the named domains, which are ports.
func (c *checker) domainNames(m *ir.Module, add func(member, bool)) {
	names, clocks := map[string]*ir.Domain{}, map[string]*ir.Domain{}
	for _, d := range m.Domains {
		if d == nil {
			continue
		}
		form, key := c.name, strings.ToLower(d.Name)
		if m.Extern != nil {
			form = c.externName
		}
		if o := names[key]; o != nil {
			c.report(diag.Name, d.Pos, fmt.Sprintf("two clock domains are named %s", d.Name), "rename one of them; case does not distinguish names", diag.Related{Pos: o.Pos, Message: "the other is declared here, as " + o.Name})
		} else if form(d.Pos, "clock domain", d.Name) {
			names[key] = d
		}
		if o := clocks[strings.ToLower(d.Clock)]; o != nil {
			c.report(diag.Name, d.Pos, fmt.Sprintf("clock domains %s and %s have the same clock, %s", o.Name, d.Name, d.Clock), "use one domain for both, or give each a clock of its own",
				diag.Related{Pos: o.Pos, Message: fmt.Sprintf("clock domain %s is declared here", o.Name)})
		} else {
			clocks[strings.ToLower(d.Clock)] = d
			add(member{"clock", d.Clock, d.Pos, true}, true)
		}
		if d.Reset != "" {
			add(member{"reset", d.Reset, d.Pos, true}, true)
			if d.Style == ir.DefaultReset { // the emission chooses the level, and with it the name
				add(member{"reset", d.Reset + "_n", d.Pos, true}, true)
			}
		}
	}
}

// propertyNames adds the properties. A property may share its name with the wire
// that is its condition, since that is not in the RTL.
func (c *checker) propertyNames(m *ir.Module, add func(member, bool)) {
	first := map[string]*ir.Property{}
	for _, p := range m.Properties {
		if p == nil {
			continue
		}
		key := strings.ToLower(p.Name)
		if o := first[key]; o != nil {
			c.report(diag.Name, p.Pos, fmt.Sprintf("two properties are named %s", p.Name), "rename one of them; case does not distinguish names", diag.Related{Pos: o.Pos, Message: "the other is here, as " + o.Name})
			continue
		}
		first[key] = p
		if p.Cond == nil || p.Cond.Name != p.Name {
			add(member{"property", p.Name, p.Pos, false}, true)
		}
	}
}

// attrs checks the names of the attributes of something. Case distinguishes them.
func (c *checker) attrs(pos ir.Pos, of string, list []ir.Attr) {
	seen := map[string]bool{}
	for _, a := range list {
		switch {
		case !attrForm.MatchString(a.Name):
			c.report(diag.Name, pos, fmt.Sprintf("%s has an attribute with a malformed name: %q", of, a.Name), "use letters, digits and underscores, starting with a letter or an underscore")
		case Reserved(a.Name):
			c.report(diag.Name, pos, fmt.Sprintf("%s has an attribute with a reserved name: %s", of, a.Name), "the attributes of tools have other names")
		case seen[a.Name]:
			c.report(diag.Name, pos, fmt.Sprintf("%s has two attributes named %s", of, a.Name), "keep one of them")
		}
		seen[a.Name] = true
	}
}

func (c *checker) enumNames(pos ir.Pos, e *ir.Enum) {
	if c.name(pos, "enumeration", e.Name) && len(e.Values) == 0 {
		c.report(diag.Name, pos, fmt.Sprintf("enumeration %s has no values", e.Name), "name at least one")
	}
	for _, v := range e.Values {
		of := "value of enumeration " + e.Name
		if !valueForm.MatchString(v.Name) {
			c.report(diag.Name, pos, fmt.Sprintf("%s has a malformed name: %q", of, v.Name), "use letters, digits and underscores, starting with a letter")
		} else if Reserved(v.Name) || classes[v.Name] {
			c.reserved(pos, of, v.Name)
		}
	}
}

// name checks the form of a name.
func (c *checker) name(pos ir.Pos, of, name string) bool {
	switch {
	case name == "":
		c.report(diag.Name, pos, fmt.Sprintf("%s has no name", article(of)), "name it")
	case !nameForm.MatchString(name):
		c.report(diag.Name, pos, fmt.Sprintf("%s has a malformed name: %q", article(of), name),
			"use lower-case letters, digits and single underscores, starting with a letter and not ending in an underscore")
	case Reserved(name), classes[name] && of != "module":
		c.reserved(pos, of, name)
	default:
		return true
	}
	return false
}

// externName checks the form of a name that is given elsewhere.
func (c *checker) externName(pos ir.Pos, of, name string) bool {
	if !valueForm.MatchString(name) {
		c.report(diag.Name, pos, fmt.Sprintf("%s has a malformed name: %q", article(of), name), "use letters, digits and underscores, starting with a letter")
		return false
	}
	if Reserved(name) {
		c.reserved(pos, of, name)
		return false
	}
	return true
}

func (c *checker) reserved(pos ir.Pos, of, name string) {
	why := "a SystemVerilog keyword"
	switch name = strings.ToLower(name); {
	case dialect[name]:
		why = "a keyword of Icarus"
	case classes[name]:
		why = "a class of SystemVerilog"
	}
	c.rename(pos, of, name, why)
}

func (c *checker) rename(pos ir.Pos, of, name, why string) {
	c.report(diag.Name, pos, fmt.Sprintf("%s %s has a reserved name: %s", of, name, why), "rename it, for example to "+strings.TrimLeft(name, "_")+"_i")
}

func article(of string) string {
	if strings.IndexByte("aeiou", of[0]) >= 0 {
		return "an " + of
	}
	return "a " + of
}
