package job

import (
	"fmt"
	"strings"
)

// Error says what is wrong with a transfer list.
type Error struct {
	File  string
	Line  int    // 1 up; 0 where there is no line
	Job   int    // transfer, 0 up; −1 where there is none
	Field string // field of the transfer, as the YAML form names it
	Value string // what is there; empty if nothing is
	Want  string // what would be right
	Err   error  // cause, if it lies outside the list's text
}

func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString(e.File)
	if e.Line > 0 {
		fmt.Fprintf(&b, ":%d", e.Line)
	}
	b.WriteString(": ")
	if e.Job >= 0 {
		fmt.Fprintf(&b, "transfer %d: ", e.Job)
	}
	if e.Field != "" {
		b.WriteString(e.Field)
		if e.Value != "" {
			fmt.Fprintf(&b, " is %s", e.Value)
		}
		b.WriteString("; ")
	}
	b.WriteString(e.Want)
	if e.Err != nil {
		fmt.Fprintf(&b, ": %v", e.Err)
	}
	return b.String()
}

// Unwrap is the cause.
func (e *Error) Unwrap() error { return e.Err }

// quoted shows a value from a file, shortened where it is long.
func quoted(s string) string { return fmt.Sprintf("%q", cut(s)) }

func cut(s string) string {
	const most = 40
	if r := []rune(s); len(r) > most {
		return string(r[:most]) + "…"
	}
	return s
}
