// Package axistream looks at AXI4-Stream from the outside, in plain Go: a [Sample] is
// what one rising clock edge sees, and a [Monitor] fed with one sample a cycle reports
// every breach of the protocol as data. Nothing here drives a bus.
//
// Names follow the AMBA AXI-Stream protocol specification (IHI 0051): transmitter and
// receiver, data bytes (TKEEP and TSTRB one), position bytes (TKEEP one, TSTRB zero) and
// null bytes (both zero).
package axistream

import "github.com/millrace-hdl/millrace/bus/monitor"

// Sample is the stream at a rising edge. The payload counts only while Valid. Slices are
// views that must hold still only while the sample is looked at.
type Sample struct {
	Valid, Ready bool
	Data         []uint64 // little-endian words, lane 0 in the lowest byte
	Strb, Keep   []uint64 // one bit a lane
	Last         bool     // end of a packet
	ID, Dest     uint64
	User         []uint64
}

// Rule is the stable code of one protocol rule.
type Rule = monitor.Rule

// The rules that a [Monitor] checks. The last four are not of the standard: they are
// what a transmitter of whole packets, one after the other, promises besides.
const (
	ValidDropped   Rule = "valid-dropped"    // TVALID fell before TREADY
	PayloadChanged Rule = "payload-changed"  // payload changed while TVALID waited
	ValidInReset   Rule = "valid-in-reset"   // TVALID high during reset
	StrobeReserved Rule = "strobe-reserved"  // TSTRB one where TKEEP is zero
	ValidOnReady   Rule = "valid-from-ready" // TVALID depends on TREADY within the cycle
	Interleaved    Rule = "interleaved"      // TID or TDEST changes within a packet
	NullInside     Rule = "null-inside"      // a null byte between data bytes of a packet
	Position       Rule = "position-byte"    // TKEEP one where TSTRB is zero
	PacketOpen     Rule = "packet-open"      // a packet without its end at the end
)

// Violation is one breach of a rule.
type Violation = monitor.Violation
