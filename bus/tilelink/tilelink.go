// Package tilelink looks at TileLink UL and UH from the outside, in plain Go: a
// [Sample] is what one rising clock edge sees on the channels A and D, and a
// [Monitor] fed with one sample a cycle reports every breach of the protocol as data.
// Nothing here drives a bus or knows where the samples come from.
//
// Names follow the SiFive TileLink specification (1.8): messages and beats, sources
// and sinks.
package tilelink

import "github.com/millrace-hdl/millrace/bus"

// MaxLanes is the widest data bus that a [Monitor] knows, in bytes.
const MaxLanes = 128

// Channel names one of the two channels.
type Channel uint8

// The channels, requests before answers.
const (
	A Channel = iota
	D
)

func (c Channel) String() string { return [...]string{"A", "D"}[c] }

// Request is the control part of a message on channel A. All beats of a message have
// the same one.
type Request struct {
	Opcode  uint8 // a bus.TLGet, bus.TLPutFull, …
	Param   uint8
	Size    uint8 // log2 of the bytes
	Source  uint64
	Address uint64 // bytes
}

// Bytes is what the message is about.
func (r *Request) Bytes() uint64 { return 1 << r.Size }

// Writes reports whether the request carries data.
func (r *Request) Writes() bool { return r.Opcode <= bus.TLLogical }

// Reads reports whether the answer carries data.
func (r *Request) Reads() bool { return r.Opcode >= bus.TLArithmetic && r.Opcode <= bus.TLGet }

// beats is how many beats data of the message take on a bus of so many bytes.
func (r *Request) beats(lanes int) int { return max(1, int(r.Bytes()/uint64(lanes))) }

// Beats is how many beats the request takes on a bus of so many bytes.
func (r *Request) Beats(lanes int) int {
	if r.Writes() {
		return r.beats(lanes)
	}
	return 1
}

// AnswerBeats is how many beats the answer takes.
func (r *Request) AnswerBeats(lanes int) int {
	if r.Reads() {
		return r.beats(lanes)
	}
	return 1
}

// Answer is the opcode that answers the request.
func (r *Request) Answer() uint8 {
	switch {
	case r.Reads():
		return bus.TLAccessAckData
	case r.Opcode == bus.TLIntent:
		return bus.TLHintAck
	}
	return bus.TLAccessAck
}

// Lanes is the lanes that a beat of the message has on a bus of so many bytes: those of
// its bytes if it is less than a bus word, else all. Bit k of the 128 stands for lane k.
func (r *Request) Lanes(lanes int) [2]uint64 {
	n, low := uint64(lanes), uint64(0)
	if r.Bytes() < n {
		n, low = r.Bytes(), r.Address%uint64(lanes)&^(r.Bytes()-1)
	}
	var set [2]uint64
	for k := low; k < low+n; k++ {
		set[k/64] |= 1 << (k % 64)
	}
	return set
}

// AChannel is channel A at a clock edge. The payload counts only while Valid.
type AChannel struct {
	Valid, Ready bool
	Request
	Mask    []uint64 // bit k enables lane k
	Data    []uint64 // little-endian words, lane 0 in the lowest byte
	Corrupt bool
}

// Answer is the control part of a message on channel D.
type Answer struct {
	Opcode uint8 // a bus.TLAccessAck, …
	Param  uint8
	Size   uint8
	Source uint64
	Sink   uint64
	Denied bool
}

// DChannel is channel D at a clock edge.
type DChannel struct {
	Valid, Ready bool
	Answer
	Data    []uint64
	Corrupt bool
}

// Sample is both channels at one rising edge. Slices are views that must hold still
// only while the sample is looked at.
type Sample struct {
	A AChannel
	D DChannel
}
