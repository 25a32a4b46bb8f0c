package regs

import (
	"fmt"
	"strings"
)

// markdown is the reference of the map.
func (m *Map) markdown() string {
	var t text
	t.line("# %s\n\n<!-- Generated from the register map; do not edit. -->\n", m.Name)
	if m.Doc != "" {
		t.line("%s\n", m.Doc)
	}
	t.line("Registers of %d bits at byte offsets.\n", m.DataWidth)
	t.line("| offset | register | access | |\n|---|---|---|---|")
	for i := range m.Registers {
		r := &m.Registers[i]
		t.line("| %s | [`%s`](#%s) | %s | %s |", m.place(r), r.title(), r.Name, r.rights(), cell(r.Doc))
	}
	for i := range m.Registers {
		r := &m.Registers[i]
		t.line("\n## %s\n", r.Name)
		t.line("Offset %s%s.%s\n", m.place(r), m.steps(r), spaced(strings.Join(r.sentences(), " ")))
		t.line("| bits | field | access | reset | |\n|---|---|---|---|---|")
		for k := range r.Fields {
			f := &r.Fields[k]
			t.line("| %s | `%s` | %s | %s | %s |", f.place(), f.Name, f.Access, f.initial(), cell(f.meaning()))
		}
	}
	return t.String()
}

// steps says how far the elements of an array are apart.
func (m *Map) steps(r *Register) string {
	if r.Count < 2 {
		return ""
	}
	return fmt.Sprintf(", %d elements %#x apart", r.Count, m.stride(r))
}

// meaning is the text of a field with its named values.
func (f *Field) meaning() string {
	var parts []string
	for _, v := range f.Values {
		p := fmt.Sprintf("%d %s", v.Value, v.Name)
		if v.Doc != "" {
			p += " (" + v.Doc + ")"
		}
		parts = append(parts, p)
	}
	if len(parts) == 0 {
		return f.Doc
	}
	return strings.TrimSpace(f.Doc + " Values: " + strings.Join(parts, ", ") + ".")
}

// cell is text for a table.
func cell(s string) string {
	return strings.ReplaceAll(strings.ReplaceAll(s, "|", `\|`), "\n", " ")
}
