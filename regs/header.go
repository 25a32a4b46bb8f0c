package regs

import (
	"fmt"
	"strings"
)

// header is the map for C99 and C++: offsets, shifts, masks, named values, and inline
// functions that read and write registers and take words apart.
func (m *Map) header() string {
	var t text
	guard := strings.ToUpper(m.Name) + "_H"
	t.line("/* Register map %s. Generated; do not edit. */\n#ifndef %s\n#define %s\n\n#include <stdint.h>\n", m.Name, guard, guard)
	read, write := m.access()
	t.line("/* How a register is read and written. Define both before this file is included where more is needed, such as a barrier. */")
	t.line("#ifndef %s\n#define %s(address) (*(volatile %s *)(address))\n#define %s(address, word) (*(volatile %s *)(address) = (word))\n#endif\n",
		read, read, m.word(), write, m.word())
	t.line("#ifdef __cplusplus\nextern \"C\" {\n#endif\n")
	m.comment(&t, []string{m.Doc})
	for i := range m.Registers {
		m.cRegister(&t, &m.Registers[i])
		if i > 0 {
			m.cPair(&t, &m.Registers[i-1], &m.Registers[i])
		}
	}
	t.line("#ifdef __cplusplus\n}\n#endif\n\n#endif")
	return t.String()
}

// comment is a comment of sentences, none for no text.
func (m *Map) comment(t *text, sentences []string) {
	if s := strings.Join(sentences, " "); s != "" {
		t.line("/* %s */", strings.ReplaceAll(s, "*/", "* /"))
	}
}

// constant is a literal as wide as a register.
func (m *Map) constant(v uint64) string {
	if m.DataWidth == 64 {
		return fmt.Sprintf("UINT64_C(%#x)", v)
	}
	return fmt.Sprintf("UINT32_C(%#x)", v)
}

// access are the macros that all accesses go through.
func (m *Map) access() (read, write string) {
	return fmt.Sprintf("REGISTER_READ%d", m.DataWidth), fmt.Sprintf("REGISTER_WRITE%d", m.DataWidth)
}

// word is the type of a register.
func (m *Map) word() string { return fmt.Sprintf("uint%d_t", m.DataWidth) }

func (m *Map) cRegister(t *text, r *Register) {
	id := m.Name + "_" + r.Name
	macro := strings.ToUpper(id)
	t.line("/* ---- %s, %s ---- */", r.title(), r.rights())
	m.comment(t, r.sentences())
	at := macro + "_OFFSET"
	index, comma := "", ""
	if r.Count == 0 {
		t.line("#define %s UINT32_C(%#x)", at, r.Offset)
	} else {
		t.line("#define %s_COUNT %d", macro, r.Count)
		t.line("#define %s_PRESENT %d", macro, r.present())
		t.line("#define %s(i) (UINT32_C(%#x) + UINT32_C(%#x) * (uint32_t)(i))", at, r.Offset, m.stride(r))
		at, index, comma = at+"(i)", "unsigned i", ", "
	}
	t.line("")
	w := m.word()
	read, write := m.access()
	if r.readable() {
		t.line("static inline %s %s_read(uintptr_t base%s%s) {\n  return %s(base + %s);\n}\n", w, id, comma, index, read, at)
	}
	if r.writable() {
		t.line("static inline void %s_write(uintptr_t base%s%s, %s word) {\n  %s(base + %s, word);\n}\n", id, comma, index, w, write, at)
	}
	for i := range r.Fields {
		m.cField(t, r, &r.Fields[i])
	}
}

// cPair are functions for values of 64 bits in two registers that are called _low and
// _high. The lower half goes first.
func (m *Map) cPair(t *text, low, high *Register) {
	name, ok := strings.CutSuffix(low.Name, "_low")
	if !ok || high.Name != name+"_high" || m.DataWidth != 32 || low.Count != high.Count || m.has(name) {
		return
	}
	id, index, pass := m.Name+"_"+name, "", ""
	if low.Count > 0 {
		index, pass = ", unsigned i", ", i"
	}
	t.line("/* ---- %s, both halves ---- */\n", name)
	if low.readable() && high.readable() {
		t.line("static inline uint64_t %s_read(uintptr_t base%s) {\n  uint64_t low = %s_low_read(base%s);\n  return low | (uint64_t)%s_high_read(base%s) << 32;\n}\n",
			id, index, id, pass, id, pass)
	}
	if low.writable() && high.writable() {
		t.line("static inline void %s_write(uintptr_t base%s, uint64_t value) {\n  %s_low_write(base%s, (uint32_t)value);\n  %s_high_write(base%s, (uint32_t)(value >> 32));\n}\n",
			id, index, id, pass, id, pass)
	}
}

// has reports whether there is a register of that name.
func (m *Map) has(name string) bool {
	for i := range m.Registers {
		if m.Registers[i].Name == name {
			return true
		}
	}
	return false
}

func (m *Map) cField(t *text, r *Register, f *Field) {
	id := m.Name + "_" + r.Name + "_" + f.Name
	macro, w := strings.ToUpper(id), m.word()
	mask := ^uint64(0) >> (64 - f.width()) << f.Lo
	m.comment(t, []string{f.Access.String() + "." + spaced(f.Doc)})
	t.line("#define %s_SHIFT %d\n#define %s_WIDTH %d\n#define %s_MASK %s", macro, f.Lo, macro, f.width(), macro, m.constant(mask))
	if f.stored() || !f.given() && f.Access == RO {
		t.line("#define %s_RESET %s", macro, m.constant(f.Reset))
	}
	m.cValues(t, id, f)
	t.line("")
	if f.readable() {
		t.line("static inline %s %s_get(%s word) {\n  return (%s)((word & %s_MASK) >> %s_SHIFT);\n}\n", w, id, w, w, macro, macro)
	}
	if f.writable() {
		t.line("static inline %s %s_set(%s word, %s value) {\n  return (%s)((word & (%s)~%s_MASK) | (((%s)value << %s_SHIFT) & %s_MASK));\n}\n",
			w, id, w, w, w, w, macro, w, macro, macro)
	}
}

// cValues are the named values of a field: an enumeration where they are ints.
func (m *Map) cValues(t *text, id string, f *Field) {
	if len(f.Values) == 0 {
		return
	}
	macro := strings.ToUpper(id)
	ints := f.width() < 32
	if ints {
		t.line("enum %s {", id)
	}
	for i, v := range f.Values {
		doc := ""
		if v.Doc != "" {
			doc = " /* " + v.Doc + " */"
		}
		comma := ","
		if i == len(f.Values)-1 {
			comma = ""
		}
		if ints {
			t.line("  %s_%s = %d%s%s", macro, strings.ToUpper(v.Name), v.Value, comma, doc)
		} else {
			t.line("#define %s_%s %s%s", macro, strings.ToUpper(v.Name), m.constant(v.Value), doc)
		}
	}
	if ints {
		t.line("};")
	}
}

// spaced puts a space in front of what is not empty.
func spaced(s string) string {
	if s == "" {
		return ""
	}
	return " " + s
}
