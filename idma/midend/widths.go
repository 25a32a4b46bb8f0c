package midend

import (
	"fmt"
	"strconv"
	"strings"
)

// maxLoops is how many loops a request may have.
const maxLoops = 7

// Widths are the widths of the repetition counts of loops, the innermost first. In text
// they are separated by commas.
type Widths [maxLoops]uint8

// WidthsOf is a width for each loop, or one for all.
func WidthsOf(widths ...int) (w Widths) {
	for i, x := range widths {
		w[i] = uint8(x)
	}
	return w
}

// count is how many widths there are.
func (w Widths) count() int {
	for i, x := range w {
		if x == 0 {
			return i
		}
	}
	return maxLoops
}

func (w Widths) String() string {
	var all []string
	for _, x := range w[:w.count()] {
		all = append(all, strconv.Itoa(int(x)))
	}
	return strings.Join(all, ", ")
}

// MarshalText implements [encoding.TextMarshaler].
func (w Widths) MarshalText() ([]byte, error) { return []byte(w.String()), nil }

// UnmarshalText implements [encoding.TextUnmarshaler].
func (w *Widths) UnmarshalText(text []byte) error {
	var all Widths
	fields := strings.FieldsFunc(string(text), func(r rune) bool { return strings.ContainsRune(", []", r) })
	if len(fields) > maxLoops {
		return fmt.Errorf("%d widths; there are at most %d loops", len(fields), maxLoops)
	}
	for i, f := range fields {
		n, err := strconv.ParseUint(f, 10, 8)
		if err != nil || n < 1 || n > 32 {
			return fmt.Errorf("%q is no width of repetitions, 1 to 32", f)
		}
		all[i] = uint8(n)
	}
	*w = all
	return nil
}
