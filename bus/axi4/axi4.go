// Package axi4 looks at AXI4 from the outside, in plain Go: a [Sample] is what
// one rising clock edge sees on the five channels, and a [Monitor] fed with one
// sample a cycle reports every breach of the protocol as data. Nothing here
// drives a bus or knows where the samples come from.
//
// Names follow the AMBA AXI and ACE protocol specification (IHI 0022): manager
// and subordinate, beat and burst, strobe.
package axi4

// Boundary is the address span that no burst may cross, in bytes.
const Boundary = 4096

// MaxLanes is the widest data bus that the protocol knows, in bytes.
const MaxLanes = 128

// Channel names one of the five channels.
type Channel uint8

// The channels, requests before what answers them.
const (
	AW Channel = iota
	W
	B
	AR
	R
)

var channelNames = [...]string{"AW", "W", "B", "AR", "R"}

func (c Channel) String() string { return channelNames[c] }

// Burst is the burst type, AxBURST.
type Burst uint8

// The burst types; 3 is reserved.
const (
	Fixed Burst = iota
	Incr
	Wrap
)

func (b Burst) String() string {
	switch b {
	case Fixed:
		return "FIXED"
	case Incr:
		return "INCR"
	case Wrap:
		return "WRAP"
	}
	return "reserved"
}

// Resp is the response code, BRESP or RRESP.
type Resp uint8

// The response codes.
const (
	Okay Resp = iota
	ExOkay
	SlvErr
	DecErr
)

func (r Resp) String() string {
	return [...]string{"OKAY", "EXOKAY", "SLVERR", "DECERR"}[r&3]
}

// Request is the payload of AW or AR without its user bits.
type Request struct {
	ID     uint64
	Addr   uint64 // bytes
	Len    uint8  // beats − 1
	Size   uint8  // log2 of the bytes a beat
	Burst  Burst
	Lock   bool
	Cache  uint8
	Prot   uint8
	QoS    uint8
	Region uint8
}

// Beats is the number of beats of the burst, 1…256.
func (r *Request) Beats() int { return int(r.Len) + 1 }

// AddrChannel is AW or AR at a clock edge. The payload counts only while Valid.
type AddrChannel struct {
	Valid, Ready bool
	Request
	User []uint64 // little-endian words; nil where the bus has none
}

// DataChannel is W at a clock edge.
type DataChannel struct {
	Valid, Ready bool
	Data         []uint64 // little-endian words, lane 0 in the lowest byte
	Strb         []uint64 // bit k enables lane k
	Last         bool
	User         []uint64
}

// RespChannel is B at a clock edge.
type RespChannel struct {
	Valid, Ready bool
	ID           uint64
	Resp         Resp
	User         []uint64
}

// ReadChannel is R at a clock edge.
type ReadChannel struct {
	Valid, Ready bool
	ID           uint64
	Data         []uint64
	Resp         Resp
	Last         bool
	User         []uint64
}

// Sample is the whole bus at one rising edge. Slices are views that must hold
// still only while the sample is looked at.
type Sample struct {
	AW AddrChannel
	W  DataChannel
	B  RespChannel
	AR AddrChannel
	R  ReadChannel
}
