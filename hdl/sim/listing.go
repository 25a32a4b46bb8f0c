package sim

import (
	"fmt"
	"strings"
)

// Listing is the program of the model as text: one instruction a line, with
// ports, registers and memories by name, n.x for the next value of register x,
// constants by value, and tN for intermediate words. It is a function of the
// design alone.
func (m *Model) Listing() string {
	l := &lister{m: m, names: map[int]string{}}
	name := func(slot, words int, s string) {
		l.names[slot] = s
		for i := 1; i < words; i++ {
			l.names[slot+i] = fmt.Sprintf("%s+%d", s, i)
		}
	}
	for _, p := range m.layout.Inputs {
		name(p.Offset, p.Words(), p.Name)
	}
	for _, p := range m.layout.Outputs {
		name(m.layout.InWords+p.Offset, p.Words(), p.Name)
	}
	for i, v := range m.vars {
		if s := m.sources[i].slot; v.State {
			name(s, v.Type.Words(), v.Path)
			name(s+m.regs, v.Type.Words(), "n."+v.Path)
		}
	}
	for i, s := range m.tick {
		name(s, 1, "tick."+m.layout.Domains[i])
	}
	for _, b := range m.boxes {
		for _, p := range b.ins {
			name(b.slot+p.at, p.sig.Type.Words(), b.scope.path+p.sig.Name)
		}
		for _, p := range b.outs {
			name(b.slot+b.inWords+p.at, p.sig.Type.Words(), b.scope.path+p.sig.Name)
		}
	}
	for _, c := range m.checks {
		name(c.known, 1, "known."+c.scope.path+c.decl.Name)
	}
	for i, x := range m.mems {
		name(m.memSlots[i], 1, x.Path)
	}
	for _, c := range m.consts {
		for i, w := range c.value {
			l.names[c.slot+i] = fmt.Sprintf("%#x", w)
		}
	}
	l.section("settle", m.settle)
	l.section("advance", m.advance)
	l.ports()
	return l.b.String()
}

type lister struct {
	m     *Model
	names map[int]string
	b     strings.Builder
}

func (l *lister) slot(s int) string {
	if n, ok := l.names[s]; ok {
		return n
	}
	return fmt.Sprintf("t%d", s-l.m.temps)
}

func (l *lister) section(title string, code []instr) {
	fmt.Fprintf(&l.b, "%s:\n", title)
	for i := range code {
		in := &code[i]
		k := kernels[in.op]
		fmt.Fprintf(&l.b, "%5d  %-10s", i, k.name)
		sep := " "
		for _, f := range strings.Fields(k.fields) {
			l.b.WriteString(sep)
			sep = ", "
			switch strings.TrimRight(f, "*+^!=") {
			case "d":
				l.b.WriteString(l.slot(int(in.d) / 8))
			case "a":
				l.b.WriteString(l.slot(int(in.a) / 8))
			case "b", "B":
				l.b.WriteString(l.slot(int(in.b) / 8))
			case "c":
				l.b.WriteString(l.slot(int(in.c) / 8))
			case "n":
				l.b.WriteString(l.slot(int(in.n) / 8))
			case "#b":
				l.b.WriteString(l.m.boxes[in.b/8].scope.path)
			case "#c":
				fmt.Fprintf(&l.b, "c=%d", in.c)
			case "#n":
				fmt.Fprintf(&l.b, "n=%d", in.n)
			case "#k":
				fmt.Fprintf(&l.b, "k=%d", in.k)
			case "#m":
				fmt.Fprintf(&l.b, "m=%d", in.m)
			}
		}
		l.b.WriteByte('\n')
	}
}

func (l *lister) ports() {
	l.b.WriteString("edge:\n")
	for _, p := range l.m.edge {
		if p.write {
			fmt.Fprintf(&l.b, "       write      %s[%s], %s if %s", l.slot(p.base), l.slot(int(p.addr)), l.slot(int(p.data)), l.slot(int(p.en)))
			if p.lanes > 0 {
				fmt.Fprintf(&l.b, ", lanes %s, n=%d of %d", l.slot(int(p.mask)), p.lanes, p.lane)
			}
		} else {
			fmt.Fprintf(&l.b, "       read       %s, %s[%s] if %s", l.slot(int(p.data)), l.slot(p.base), l.slot(int(p.addr)), l.slot(int(p.en)))
		}
		l.b.WriteByte('\n')
	}
}
