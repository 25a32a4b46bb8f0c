// Package obi looks at OBI from the outside, in plain Go: a [Sample] is what one rising
// clock edge sees, and a [Monitor] fed with one sample a cycle reports every breach of
// the protocol as data. Nothing here drives a bus.
//
// Names follow the OpenHW Open Bus Interface specification, version 1.5: manager and
// subordinate, address phase (req, gnt) and response phase (rvalid, and rready where the
// bus has it).
package obi

import "github.com/millrace-hdl/millrace/bus/monitor"

// Request is the payload of the address phase.
type Request struct {
	Addr  uint64 // bytes
	Write bool
	BE    []uint64 // bit k enables lane k
	WData []uint64 // little-endian words; counts for writes
	AID   uint64
}

// Response is the payload of the response phase.
type Response struct {
	RData []uint64 // counts for reads
	Err   bool
	RID   uint64
}

// Sample is the bus at a rising edge. Slices are views that must hold still only while
// the sample is looked at.
type Sample struct {
	Req, Gnt bool
	Request
	RValid bool
	RReady bool // where the bus has it
	Response
}

// Rule is the stable code of one protocol rule.
type Rule = monitor.Rule

// The rules that a [Monitor] checks.
const (
	ReqDropped      Rule = "req-dropped"      // req fell before gnt
	RequestChanged  Rule = "request-changed"  // the address phase changed while req waited
	ReqInReset      Rule = "req-in-reset"     // req or rvalid high during reset
	RValidDropped   Rule = "rvalid-dropped"   // rvalid fell before rready
	ResponseChanged Rule = "response-changed" // the response phase changed while rvalid waited
	NoRequest       Rule = "no-request"       // rvalid that no granted request asked for, or in the very cycle of its grant
	WrongID         Rule = "wrong-id"         // rid is not the aid of the oldest request: responses are in order
	Outstanding     Rule = "outstanding"      // more requests outstanding than allowed
	Unanswered      Rule = "unanswered"       // a granted request without its response at the end
	ReqOnGnt        Rule = "req-from-gnt"     // req depends on gnt within the cycle
	Misaligned      Rule = "misaligned"       // a byte enable below the lane of the address
)

// Violation is one breach of a rule.
type Violation = monitor.Violation
