package wave

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/millrace-hdl/millrace/hdl/sim"
)

// Text draws signals with characters: a row for each, a column for each cycle. It is
// for few signals over few cycles, in documents and in the golden files of tests:
//
//	cycle  0  1  2  3
//	valid  ▁▁▁╱▔▔▔▔▔╲▁▁
//	data   │0 │3f   │0
//
// Single bits are levels. Other values stand where they begin: in hexadecimal, signed
// ones in decimal, enumerations by name. A design with several clock domains has a row
// for each clock, with a mark at the end of the cycles that its edge ends.
type Text struct {
	probe *probe
	rows  []row
	marks []row // of clocks, if there are several
	first uint64
	count int
}

// row is a name with the value of each cycle.
type row struct {
	name   string
	bit    bool
	values []string
}

// NewText draws signals of the engine, in the order given, nil for [Ports].
func NewText(e sim.Engine, signals []Signal) *Text {
	if signals == nil {
		signals = Ports(e)
	}
	t := &Text{probe: newProbe("", e, signals)}
	for _, s := range signals {
		t.rows = append(t.rows, row{name: s.Path, bit: s.Type.Width == 1 && s.Type.Enum == nil})
	}
	if cs := e.Layout().Clocks; len(cs) > 1 {
		for _, c := range cs {
			t.marks = append(t.marks, row{name: c.Clock})
		}
	}
	return t
}

// Sample implements [Tracer]. Cycles follow each other.
func (t *Text) Sample(next Edge) error {
	n := t.probe.e.Cycle()
	if t.count == 0 {
		t.first = n
	} else if n != t.first+uint64(t.count) {
		return fmt.Errorf("drawing waves: cycle %d is sampled after %d", n, t.first+uint64(t.count)-1)
	}
	t.count++
	now := make([]uint64, t.probe.words)
	t.probe.collect(now)
	for i, s := range t.probe.signals {
		t.rows[i].values = append(t.rows[i].values, show(s, s.value(now)))
	}
	for i := range t.marks {
		t.marks[i].values = append(t.marks[i].values, strconv.FormatUint(next.Domains>>i&1, 2))
	}
	return nil
}

// widest is how many characters a number takes before its middle is left out.
const widest = 20

func show(s probed, x []uint64) string {
	switch {
	case s.Type.Enum != nil:
		return enumName(s.Type.Enum, x)
	case s.Type.Signed && s.Type.Width <= 64:
		shift := 64 - s.Type.Width
		return strconv.FormatInt(int64(x[0]<<shift)>>shift, 10)
	}
	text := hex(x)
	if len(text) > widest {
		return text[:widest/2-1] + ".." + text[len(text)-widest/2+1:]
	}
	return text
}

// String draws with the box characters of Unicode.
func (t *Text) String() string { return t.draw('╱', '╲', '▔', '▁', '│', '╵') }

// ASCII draws with plain characters.
func (t *Text) ASCII() string { return t.draw('/', '\\', '~', '_', '|', '^') }

func (t *Text) draw(up, down, high, low, bar, edge rune) string {
	names := len("cycle")
	for _, r := range append(t.rows, t.marks...) {
		names = max(names, len(r.name))
	}
	width := t.width()
	var b strings.Builder
	line := func(name string, cells []rune) {
		b.WriteString(strings.TrimRight(fmt.Sprintf("%-*s  %s", names, name, string(cells)), " "))
		b.WriteByte('\n')
	}
	line("cycle", t.scale(width))
	for _, m := range t.marks {
		cells := blank(t.count * width)
		for i, v := range m.values {
			if v == "1" {
				cells[(i+1)*width-1] = edge
			}
		}
		line(m.name, cells)
	}
	for _, r := range t.rows {
		cells := blank(t.count * width)
		for i, v := range r.values {
			changed := i == 0 || r.values[i-1] != v
			at := cells[i*width:]
			if !r.bit {
				if changed {
					at[0] = bar
					copy(at[1:], []rune(v))
				}
				continue
			}
			level, turn := low, down
			if v == "1" {
				level, turn = high, up
			}
			for k := range width {
				at[k] = level
			}
			if changed && i > 0 {
				at[0] = turn
			}
		}
		line(r.name, cells)
	}
	return b.String()
}

func blank(n int) []rune { return []rune(strings.Repeat(" ", n)) }

// width is that of a cycle: such that each value fits into the cycles that it lasts.
func (t *Text) width() int {
	width := 2
	for _, r := range t.rows {
		for i := 0; i < len(r.values) && !r.bit; {
			end := i + 1
			for end < len(r.values) && r.values[end] == r.values[i] {
				end++
			}
			need := utf8.RuneCountInString(r.values[i]) + 1
			width = max(width, (need+end-i-1)/(end-i))
			i = end
		}
	}
	return width
}

// scale are the numbers of cycles, of as many as there is room for.
func (t *Text) scale(width int) []rune {
	if t.count == 0 {
		return nil
	}
	room := len(strconv.FormatUint(t.first+uint64(t.count)-1, 10)) + 1
	every := uint64(1)
	for _, n := range []uint64{1, 2, 5, 10, 20, 50, 100} {
		if every = n; int(n)*width >= room {
			break
		}
	}
	cells := blank(t.count*width + room)
	for i := range t.count {
		if n := t.first + uint64(i); n%every == 0 {
			copy(cells[i*width:], []rune(strconv.FormatUint(n, 10)))
		}
	}
	return cells
}
