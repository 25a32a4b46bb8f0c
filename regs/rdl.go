package regs

import (
	"fmt"
	"slices"
	"strings"
)

// systemRDL is the map in SystemRDL 2.0. What has no word there is a property of this
// project: reads and writes that wait, and elements that are not present.
func (m *Map) systemRDL() string {
	var t text
	t.line("// Register map %s. Generated; do not edit.\n", m.Name)
	t.line("property stalls_read { component = reg; type = boolean; };")
	t.line("property stalls_write { component = reg; type = boolean; };")
	t.line("property present { component = reg; type = longint unsigned; };\n")
	for i := range m.Registers {
		r := &m.Registers[i]
		for k := range r.Fields {
			m.rdlEnum(&t, r, &r.Fields[k])
		}
	}
	t.line("addrmap %s {", rdlName(m.Name))
	if m.Doc != "" {
		t.line("  desc = %s;", rdlText(m.Doc))
	}
	t.line("  addressing = compact;\n  default regwidth = %d;\n  default accesswidth = %d;\n  littleendian;\n  lsb0;", m.DataWidth, m.DataWidth)
	for i := range m.Registers {
		m.rdlRegister(&t, &m.Registers[i])
	}
	t.line("};")
	return t.String()
}

// rdlWords are the words of SystemRDL that begin with a lower case letter.
var rdlWords = strings.Fields(`abstract accesstype addressingtype addrmap alias all bit boolean bothedge compact
	component componentwidth constraint default encode enum external false field fullalign hw inside internal level
	longint mem na negedge nonsticky number onreadtype onwritetype posedge property r rclr ref reg regalign regfile rset
	ruser rw rw1 signal string struct sw this true type unsigned w w1 wclr woclr woset wot wr wset wuser wzc wzs wzt`)

// rdlName is a name, escaped where it is a word of the language.
func rdlName(s string) string {
	if slices.Contains(rdlWords, s) {
		return `\` + s
	}
	return s
}

// rdlText is a string; SystemRDL knows two escapes.
func rdlText(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(s) + `"`
}

func (m *Map) enumName(r *Register, f *Field) string {
	return fmt.Sprintf("%s_%s", m.Name, portName(&Register{Name: r.Name}, 0, f.Name))
}

func (m *Map) rdlEnum(t *text, r *Register, f *Field) {
	if len(f.Values) == 0 {
		return
	}
	t.line("enum %s {", m.enumName(r, f))
	for _, v := range f.Values {
		doc := ""
		if v.Doc != "" {
			doc = fmt.Sprintf(" { desc = %s; }", rdlText(v.Doc))
		}
		t.line("  %s = %d'd%d%s;", rdlName(v.Name), f.width(), v.Value, doc)
	}
	t.line("};\n")
}

func (m *Map) rdlRegister(t *text, r *Register) {
	t.line("\n  reg {")
	if s := r.sentences(); len(s) > 0 {
		t.line("    desc = %s;", rdlText(strings.Join(s, " ")))
	}
	if r.StallRead {
		t.line("    stalls_read = true;")
	}
	if r.StallWrite {
		t.line("    stalls_write = true;")
	}
	if r.present() < r.elements() {
		t.line("    present = %d;", r.present())
	}
	for i := range r.Fields {
		f := &r.Fields[i]
		t.line("    field {")
		if f.Doc != "" {
			t.line("      desc = %s;", rdlText(f.Doc))
		}
		for _, p := range rdlProperties(r, f) {
			t.line("      %s;", p)
		}
		if len(f.Values) > 0 {
			t.line("      encode = %s;", m.enumName(r, f))
		}
		reset := ""
		if f.stored() || !f.given() { // a pulse is zero otherwise
			reset = fmt.Sprintf(" = %d'h%x", f.width(), f.Reset)
		}
		t.line("    } %s[%d:%d]%s;", rdlName(f.Name), f.Hi, f.Lo, reset)
	}
	array := ""
	if r.Count > 0 {
		array = fmt.Sprintf("[%d]", r.Count)
	}
	step := ""
	if r.Count > 0 {
		step = fmt.Sprintf(" += %#x", m.stride(r))
	}
	t.line("  } %s%s @ %#x%s;", rdlName(r.Name), array, r.Offset, step)
}

// rdlProperties say what software and hardware do with a field.
func rdlProperties(r *Register, f *Field) []string {
	sw := map[Access]string{RW: "rw", RO: "r", WO: "w", W1C: "rw", RC: "r", Pulse: "w"}[f.Access]
	hw := map[Hardware]string{Unseen: "na", Read: "r", Written: "w", Both: "rw"}[f.resolved()]
	p := []string{"sw = " + sw, "hw = " + hw}
	switch {
	case f.Access == W1C:
		p = append(p, "onwrite = woclr", "level intr", "stickybit")
	case f.Access == RC:
		p = append(p, "onread = rclr", "level intr", "stickybit")
	case f.Access == Pulse && f.width() == 1:
		p = append(p, "singlepulse")
	case f.Access == RW && f.given():
		p = append(p, "we")
	}
	if r.OnRead && f.readable() {
		p = append(p, "swacc")
	}
	if (r.OnWrite || f.Access == Pulse && f.width() > 1) && f.writable() {
		p = append(p, "swmod")
	}
	return p
}
