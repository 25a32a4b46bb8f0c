package regs

import (
	"fmt"
	"strings"

	"github.com/millrace-hdl/millrace/gen"
)

// Facts are the map for those who do not read Go: <name>.rdl, <name>.h, <name>.md and
// <name>.html, in this order. The same map gives the same bytes. The error is that of
// [Map.Validate].
func (m *Map) Facts() ([]gen.File, error) {
	if err := m.Validate(); err != nil {
		return nil, err
	}
	return []gen.File{
		{Name: m.Name + ".rdl", Data: []byte(m.systemRDL())},
		{Name: m.Name + ".h", Data: []byte(m.header())},
		{Name: m.Name + ".md", Data: []byte(m.markdown())},
		{Name: m.Name + ".html", Data: []byte(m.html())},
	}, nil
}

// text collects lines.
type text struct{ strings.Builder }

func (t *text) line(format string, args ...any) { fmt.Fprintf(&t.Builder, format+"\n", args...) }

// hex is an offset or a value with as many digits as the largest of its kind.
func hex(v uint64, bits int) string { return fmt.Sprintf("0x%0*x", max((bits+3)/4, 2), v) }

// rights is what software may do with any field of a register, for tables.
func (r *Register) rights() string {
	var names []string
	for i := range accessNames {
		if r.has(func(f *Field) bool { return int(f.Access) == i }) {
			names = append(names, Access(i).String())
		}
	}
	return strings.Join(names, ", ")
}

// sentences are what is to be said of a register: its own text, and what its
// strobes and stalls mean.
func (r *Register) sentences() []string {
	var s []string
	say := func(has bool, sentence string) {
		if has {
			s = append(s, sentence)
		}
	}
	say(r.Doc != "", r.Doc)
	say(r.OnRead, "Hardware takes notice of reads.")
	say(r.OnWrite, "Hardware takes notice of writes.")
	say(r.StallRead, "Reads may be held up.")
	say(r.StallWrite, "Writes may be held up.")
	say(r.present() < r.elements(), fmt.Sprintf("Only the first %d are present; the others read as zero.", r.present()))
	return s
}

// place is the offset of a register, for tables: of arrays the first and the last.
func (m *Map) place(r *Register) string {
	first := hex(r.Offset, m.AddrWidth)
	if r.elements() == 1 {
		return first
	}
	return fmt.Sprintf("%s … %s", first, hex(m.offset(r, r.elements()-1), m.AddrWidth))
}

// title is the name of a register with its number of elements.
func (r *Register) title() string {
	if r.Count == 0 {
		return r.Name
	}
	return fmt.Sprintf("%s[%d]", r.Name, r.Count)
}

// place is the bits of a field.
func (f *Field) place() string {
	if f.Hi == f.Lo {
		return fmt.Sprint(f.Lo)
	}
	return fmt.Sprintf("%d:%d", f.Hi, f.Lo)
}

// initial is what a field holds after reset, for tables.
func (f *Field) initial() string {
	if !f.stored() && f.given() || f.Access == Pulse {
		return "–"
	}
	return fmt.Sprintf("%#x", f.Reset)
}
