package tb

import (
	"fmt"
	"strings"
)

// Result is what a run measured and found. Cycle counts are differences of cycle
// numbers; definitions follow the published comparisons.
type Result struct {
	Jobs       int    `json:"jobs"`
	Bytes      uint64 `json:"bytes"`         // read
	Written    uint64 `json:"bytes_written"` // as many but for operations
	Cycles     uint64 `json:"cycles"`        // first request accepted to last response
	ReadBeats  uint64 `json:"read_beats"`
	WriteBeats uint64 `json:"write_beats"`
	// Utilisation is FewestWriteBeats over the cycles from the first to the last
	// W beat inclusive, and over the number of back-ends; 0 where nothing is written.
	Utilisation float64 `json:"utilisation"`
	// ReadUtilisation is the same of reads. Where operations write less than they read it is
	// the one that shows how much of the bus is used.
	ReadUtilisation float64 `json:"read_utilisation"`
	// Mismatches counts bytes of memory that are not as they must be, and
	// responses and bursts that are not as asked for, and assertions and assumptions
	// of the design that are violated.
	Mismatches     int     `json:"mismatches"`
	ProtocolErrors int     `json:"protocol_errors"`
	ErrorResponses int     `json:"error_responses"`
	Seed           uint64  `json:"seed"`
	CyclesPerSec   float64 `json:"cycles_per_second"` // of the whole run, engine and bench

	FewestWriteBeats uint64 `json:"fewest_write_beats"`
	FewestReadBeats  uint64 `json:"fewest_read_beats"`
	// RequestToRead is the cycles from the first request accepted to the first
	// ARVALID; −1 if there was none.
	RequestToRead int `json:"request_to_read"`
	// RequestToWrite and ReadToWrite are the cycles from the first request accepted,
	// and from the first R beat, to the first WVALID; −1 if there was none.
	RequestToWrite int    `json:"request_to_write"`
	ReadToWrite    int    `json:"read_to_write"`
	ReadBursts     uint64 `json:"read_bursts"`
	WriteBursts    uint64 `json:"write_bursts"`
	MaxReads       int    `json:"max_outstanding_reads"`
	MaxWrites      int    `json:"max_outstanding_writes"`
	TotalCycles    uint64 `json:"total_cycles"` // stepped, reset left out
	// Backends are the figures of each back-end of a whole engine, where there are several.
	Backends []Share `json:"backends,omitempty"`

	// Findings is what Mismatches counts, as text, the first of each kind.
	Findings []string `json:"findings,omitempty"`
	// Violations is what ProtocolErrors counts, the first of them.
	Violations []Violation `json:"-"`
}

// Err is nil if the run found nothing wrong, else an error that says what, with
// the first findings.
func (r *Result) Err() error {
	if r.Mismatches == 0 && r.ProtocolErrors == 0 {
		return nil
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%d mismatches and %d protocol errors (seed %d)", r.Mismatches, r.ProtocolErrors, r.Seed)
	const most = 5
	for _, f := range r.Findings[:min(most, len(r.Findings))] {
		b.WriteString("\n  " + f)
	}
	for _, v := range r.Violations[:min(most, len(r.Violations))] {
		b.WriteString("\n  " + v.String())
	}
	return fmt.Errorf("%s", b.String())
}
