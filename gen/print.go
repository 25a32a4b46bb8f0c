package gen

import (
	"fmt"
	"regexp"
	"strings"
	"unicode"

	"github.com/millrace-hdl/millrace/hdl/ir"
)

// printer writes the text of one module, the third layer.
type printer struct {
	u      *unit
	b      strings.Builder
	indent int
	flat   map[ir.Expr]text
}

// lineLength is where long expressions are broken.
const lineLength = 100

func (u *unit) print() []byte {
	p := &printer{u: u, flat: map[ir.Expr]text{}}
	p.header()
	p.ports()
	p.indent = 1
	p.declarations()
	p.contents()
	for i, b := range u.blocks {
		p.block(b)
		if i+1 == len(u.blocks) || !together(b, u.blocks[i+1]) {
			p.blank()
		}
	}
	for _, in := range u.insts {
		p.instance(in)
	}
	p.unread()
	p.indent = 0
	p.line("endmodule", ir.Pos{})
	p.blank()
	p.line("`default_nettype wire", ir.Pos{})
	return []byte(p.b.String())
}

// together reports whether two blocks stand without a blank line between.
func together(a, b block) bool {
	_, ok := a.(*assign)
	next, ok2 := b.(*assign)
	return ok && ok2 && len(next.notes) == 0
}

// deepestMargin bounds the indentation: what nests deeper is as far to the right.
const deepestMargin = 30

// margin is how far lines are indented, in steps of two columns.
func (p *printer) margin() int { return min(p.indent, deepestMargin) }

// line writes one line, with the place it comes from if that is asked for.
func (p *printer) line(s string, pos ir.Pos) {
	for range p.margin() {
		p.b.WriteString("  ")
	}
	p.b.WriteString(s)
	p.b.WriteString(p.locator(pos))
	p.b.WriteByte('\n')
}

func (p *printer) locator(pos ir.Pos) string {
	if p.u.o.Locators && pos.Known() {
		return " // " + pos.String()
	}
	return ""
}

func (p *printer) blank() { p.b.WriteByte('\n') }

func (p *printer) comment(s string) {
	if s == "" {
		return
	}
	for _, l := range strings.Split(strings.TrimRight(s, "\n"), "\n") {
		p.line(strings.TrimRight("// "+oneLine(l), " "), ir.Pos{})
	}
}

// directives matches words at the start of a comment that make it one for a tool, in
// any case, and whatever letters follow.
var directives = regexp.MustCompile(`(?i)^( *)((?:ambit|cadence|exemplar|pragma|quartus|synopsys|synthesis|vcs|verilator|xilinx)\pL*)`)

// oneLine is the text of a comment on one line, whatever it holds: control
// characters may end a line, to Yosys a backslash at its end continues it, and tools
// obey a comment that starts with their name.
func oneLine(s string) string {
	s = strings.Map(func(c rune) rune {
		if unicode.IsControl(c) {
			return ' '
		}
		return c
	}, strings.ToValidUTF8(s, "?"))
	return directives.ReplaceAllString(strings.TrimRight(s, ` \`), "$1'$2'")
}

func (p *printer) header() {
	m := p.u.m
	p.comment(p.u.o.Header)
	if p.u.o.Header != "" {
		p.blank()
	}
	p.line("`default_nettype none", ir.Pos{})
	p.blank()
	p.comment(m.Doc)
	if m.Params != "" {
		if m.Doc != "" {
			p.line("//", ir.Pos{})
		}
		p.comment("Parameters: " + m.Params)
	}
	if a := attributes(m.Attrs); a != "" {
		p.line(strings.TrimSpace(a), ir.Pos{})
	}
}

// attributes is the attribute instance with a space behind it, or nothing.
func attributes(list []ir.Attr) string {
	if len(list) == 0 {
		return ""
	}
	var parts []string
	for _, a := range list {
		parts = append(parts, attribute(a))
	}
	return "(* " + strings.Join(parts, ", ") + " *) "
}

func attribute(a ir.Attr) string {
	v := strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`).Replace(a.Value)
	return fmt.Sprintf(`%s = "%s"`, a.Name, v)
}

// vector is the sign and range of a declaration, each with a space behind it.
func vector(t ir.Type) string {
	s := ""
	if t.Signed {
		s = "signed "
	}
	if t.Width > 1 {
		s += fmt.Sprintf("[%d:0] ", t.Width-1)
	}
	return s
}

func (p *printer) ports() {
	type port struct {
		dir, shape, name, attrs, note string
		pos                           ir.Pos
	}
	var list []port
	for _, c := range p.u.clocks {
		list = append(list, port{dir: "input ", name: c.sig.Name, pos: c.sig.Pos})
	}
	wide := 0
	for _, s := range p.u.m.Ports() {
		dir := "input "
		if s.Kind == ir.Output {
			dir = "output"
		}
		l := port{dir, vector(s.Type), s.Name, attributes(s.Attrs), s.Note, s.Pos}
		list = append(list, l)
		wide = max(wide, len(l.shape))
	}
	if len(list) == 0 {
		p.line("module "+p.u.m.Name+";", p.u.m.Pos)
		p.blank()
		return
	}
	p.head()
	p.indent = 1
	for i, l := range list {
		p.comment(l.note)
		comma := ","
		if i == len(list)-1 {
			comma = ""
		}
		p.line(fmt.Sprintf("%s%s logic %-*s%s%s", l.attrs, l.dir, wide, l.shape, l.name, comma), l.pos)
	}
	p.indent = 0
	p.line(");", ir.Pos{})
	p.blank()
}

func (p *printer) declarations() {
	for _, n := range p.u.enums {
		p.line("typedef enum logic "+vector(n.typ)+"{", ir.Pos{})
		for i, v := range n.of.Values {
			comma := ","
			if i == len(n.names)-1 {
				comma = ""
			}
			p.line("  "+n.names[i]+" = "+literal(ir.NewConst(ir.Type{Width: n.typ.Width, Signed: n.typ.Signed}, v.Value))+comma, ir.Pos{})
		}
		p.line("} "+n.name+";", ir.Pos{})
		p.blank()
	}
	any := false
	for _, s := range p.u.signals() {
		if s.Kind == ir.Input || s.Kind == ir.Output || p.u.direct[s] != nil {
			continue
		}
		any = true
		p.comment(s.Note)
		if s.Crossing != "" {
			p.comment("Crosses clock domains: " + s.Crossing)
		}
		kind := "logic " + vector(s.Type)
		if n := p.u.typed[s]; n != nil {
			kind = n.name + " "
		}
		p.line(attributes(s.Attrs)+kind+s.Name+";", s.Pos)
	}
	for _, m := range p.u.m.Mems {
		any = true
		p.memory(m)
	}
	if any {
		p.blank()
	}
}

func (p *printer) instance(in instance) {
	i := in.of
	p.comment(i.Note)
	type pin struct {
		name, value string
		pos         ir.Pos
	}
	var pins []pin
	for _, c := range p.u.o.clocksOf(i.Of) {
		pins = append(pins, pin{name: p.u.o.portName(c), value: p.u.clockOf(i, c)})
	}
	wide := 0
	for _, c := range in.conns {
		p.indent++
		pins = append(pins, pin{c.port.Name, p.expr(c.value, len(c.port.Name)+3), c.pos})
		p.indent--
	}
	for _, c := range pins {
		wide = max(wide, len(c.name))
	}
	head := p.instanceHead(i)
	if len(pins) == 0 {
		p.line(head+" ();", i.Pos)
		p.blank()
		return
	}
	p.line(head+" (", i.Pos)
	p.indent++
	for n, c := range pins {
		comma := ","
		if n == len(pins)-1 {
			comma = ""
		}
		p.line(fmt.Sprintf(".%-*s (%s)%s", wide, c.name, c.value, comma), c.pos)
	}
	p.indent--
	p.line(");", ir.Pos{})
	p.blank()
}

// instanceHead is an instance up to its ports.
func (p *printer) instanceHead(i *ir.Instance) string {
	head := attributes(i.Attrs) + i.Of.Name + " "
	if i.Of.Extern == nil || len(i.Of.Extern.Params) == 0 {
		return head + i.Name
	}
	wide := 0
	for _, c := range i.Of.Extern.Params {
		wide = max(wide, len(c.Name))
	}
	var list []string
	for _, c := range i.Of.Extern.Params {
		list = append(list, fmt.Sprintf("    .%-*s (%s)", wide, c.Name, c.Value))
	}
	return head + "#(\n" + strings.Join(list, ",\n") + "\n  ) " + i.Name
}

func (p *printer) unread() {
	if len(p.u.sink) == 0 {
		return
	}
	p.comment("Deliberately unread.")
	c := &ir.Cat{Parts: append([]ir.Expr{ir.NewConst(ir.Type{Width: 1}, 0)}, p.u.sink...)}
	name := p.u.names.derive("unused_ok")
	p.line("wire "+name+" = &"+p.expr(c, len(name)+9)+";", ir.Pos{})
	p.blank()
}
