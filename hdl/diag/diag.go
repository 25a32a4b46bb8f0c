// Package diag holds what is wrong with a description, as data: each
// [Diagnostic] has a code that never changes, a position, a message with the
// values involved and a suggestion. A [List] of them is an error.
package diag

import (
	"fmt"
	"strings"

	"github.com/millrace-hdl/millrace/hdl/ir"
)

// Code names a kind of mistake. Codes are stable: tests, filters and the
// documentation refer to them.
type Code string

// The mistakes that elaboration finds.
const (
	Width    Code = "width"    // operands, assignment or condition of unequal width
	Sign     Code = "sign"     // signed and unsigned mixed
	Literal  Code = "literal"  // a literal that does not fit, or has no width to take
	Range    Code = "range"    // an index, slice or size out of range
	Undriven Code = "undriven" // a wire, output or instance input bit that nothing assigns
	Multiple Code = "multiple" // one bit driven from two places that do not exclude or order each other
	Overlap  Code = "overlap"  // an unconditional assignment that hides an earlier one
	Latch    Code = "latch"    // a wire that some path leaves unassigned
	Loop     Code = "loop"     // a combinational cycle
	Unused   Code = "unused"   // a signal or input that nothing reads
	Name     Code = "name"     // a reserved, malformed or clashing name
	Owner    Code = "owner"    // a signal used in a module that does not own it
	Unbound  Code = "unbound"  // a type used as a signal, or a zero Signal
	Misuse   Code = "misuse"   // the language called in a way that it does not allow
	Crossing Code = "crossing" // a value of one clock domain taken in another without synchronisation
	State    Code = "state"    // a state machine with states that are missing, unreachable or without behaviour
	Param    Code = "param"    // a parameter set that its Validate refuses
)

// Diagnostic is one mistake.
type Diagnostic struct {
	Code    Code
	Pos     ir.Pos
	Module  string // module being built
	Message string // what, with both values: "x is 8 bits, value is 7 bits"
	Fix     string // what to do about it; may be empty
	Related []Related
}

// Related is a second place that the message is about.
type Related struct {
	Pos     ir.Pos
	Message string
}

// String is the diagnostic on one line, without the related places. It starts with
// the path and line of the mistake, relative to the working directory.
func (d Diagnostic) String() string {
	s := place(d.Pos) + ": " + d.Message
	if d.Fix != "" {
		s += "; " + d.Fix
	}
	return s + " [" + string(d.Code) + "]"
}

// Limit is how many diagnostics the text of a [List] shows.
const Limit = 10

// List is what elaboration found, in the order of the description.
type List []Diagnostic

// Error prints up to [Limit] diagnostics, each with its related places, and
// says how many more there are.
func (l List) Error() string {
	var b strings.Builder
	for i, d := range l {
		if i == Limit {
			fmt.Fprintf(&b, "\n… and %d more", len(l)-Limit)
			break
		}
		if i > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(d.String())
		for j, f := range d.Pos.Frames() {
			if j > 0 && j <= 4 {
				fmt.Fprintf(&b, "\n    called from %s", framePlace(f))
			}
		}
		for _, r := range d.Related {
			fmt.Fprintf(&b, "\n    %s: %s", place(r.Pos), r.Message)
		}
	}
	return b.String()
}

// Err is the list as an error, nil when it is empty.
func (l List) Err() error {
	if len(l) == 0 {
		return nil
	}
	return l
}
