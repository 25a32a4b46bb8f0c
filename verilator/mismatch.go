package verilator

import (
	"fmt"
	"strings"

	"github.com/millrace-hdl/millrace/hdl/ir"
)

// Mismatch is the first difference between two engines in lockstep.
type Mismatch struct {
	// Cycle in which the values differ: the number of clock edges before them. A
	// register differs in the cycle after the edge that loaded it.
	Cycle uint64
	// Within is how many cycles earlier the difference may have arisen; 0 for all but
	// memories.
	Within uint64
	// Path of the output, register or memory element, without the top's name.
	Path string
	Type ir.Type
	// A and B are the values of the two engines, named NameA and NameB.
	A, B         []uint64
	NameA, NameB string
	// Waves is the file with the cycles up to the difference, empty where there is
	// none; WavesErr is why not.
	Waves    string
	WavesErr error
}

// Error is a sentence with the cycle, the signal, both values and the waves.
func (m *Mismatch) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "cycle %d", m.Cycle)
	if m.Within > 0 {
		fmt.Fprintf(&b, " (or up to %d earlier)", m.Within)
	}
	fmt.Fprintf(&b, ": %s is %s in the %s and %s in the %s", m.Path, value(m.Type, m.A), m.NameA, value(m.Type, m.B), m.NameB)
	switch {
	case m.Waves != "":
		fmt.Fprintf(&b, "; waves: %s", m.Waves)
	case m.WavesErr != nil:
		fmt.Fprintf(&b, "; no waves: %v", m.WavesErr)
	}
	return b.String()
}

// value prints words in hexadecimal, with the name that the type has for them.
func value(t ir.Type, words []uint64) string {
	var b strings.Builder
	b.WriteString("0x")
	digits := (t.Width + 3) / 4
	for i := digits - 1; i >= 0; i-- {
		fmt.Fprintf(&b, "%x", words[i/16]>>(i%16*4)&15)
	}
	if t.Enum != nil && t.Width <= 64 {
		for _, v := range t.Enum.Values {
			if v.Value == words[0] {
				fmt.Fprintf(&b, " (%s)", v.Name)
			}
		}
	}
	return b.String()
}
