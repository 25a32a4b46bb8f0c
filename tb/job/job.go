// Package job holds transfer lists: what a bench asks an engine to move. A
// [List] comes from a file, either in the line format of the public iDMA job
// files (one value a line) or in the YAML form of this project, or from code.
// Readers refuse every malformed input with an [Error] that names file, line,
// field, value and what would be right; [List.Check] then refuses what a given
// engine cannot do.
package job

import (
	"fmt"
	"slices"
)

// Protocol is a bus protocol, numbered as in job files.
type Protocol uint8

// The protocols.
const (
	AXI4 Protocol = iota
	OBI
	AXI4Lite
	TileLink
	Init
	AXI4Stream
)

var protocolNames = [...]string{"axi4", "obi", "axi4_lite", "tilelink", "init", "axi4_stream"}

func (p Protocol) String() string {
	if int(p) < len(protocolNames) {
		return protocolNames[p]
	}
	return fmt.Sprintf("protocol %d", uint8(p))
}

// NoBeatLimit is the burst cap that means "no limit beyond the protocol's".
const NoBeatLimit = 256

// Attributes are the AXI4 request attributes of one side of a transfer.
type Attributes struct {
	Burst  uint8 // 0 FIXED, 1 INCR; engines that only do INCR answer others with an error
	Cache  uint8 // 4 bits
	Lock   bool
	Prot   uint8 // 3 bits
	QoS    uint8 // 4 bits
	Region uint8 // 4 bits
}

// DefaultAttributes is what a side has where the list says nothing: INCR,
// normal non-cacheable bufferable memory.
var DefaultAttributes = Attributes{Burst: 1, Cache: 0b0011}

// Side is one end of a transfer.
type Side struct {
	// Addr is a byte address, any alignment. A stream has none: as a source it gives its
	// next bytes, as a destination it gets a packet with the low bits as TDEST. For Init as
	// a source it is the value that the data begin with.
	Addr     uint64
	Protocol Protocol
	Head     int   // which port of the protocol, 0…MaxHeads-1
	Mode     uint8 // of Init as a source: 0 repeat, 1 increment, 2 random
	MaxBeats int   // longest burst in beats: a power of two, 1…128, or NoBeatLimit
	Attributes
}

// MaxHeads is the most ports of one protocol on a side.
const MaxHeads = 8

// Memory reports whether the side lies in a memory: streams and Init do not, so nothing
// overlaps there.
func (s *Side) Memory() bool { return s.Protocol != Init && s.Protocol != AXI4Stream }

// Beats is the longest burst that the side may have, in beats.
func (s *Side) Beats() int {
	if s.Protocol == AXI4 || s.Protocol == TileLink {
		return s.MaxBeats
	}
	return 1
}

// Dim is one dimension of an ND transfer, innermost first.
type Dim struct {
	Reps                 uint64
	SrcStride, DstStride uint64
}

// Action is what is to be done about a bus error.
type Action uint8

// The actions.
const (
	Continue Action = iota
	Abort
	Replay
)

// actionLetters are the actions in job files.
const actionLetters = "cap"

func (a Action) String() string {
	if int(a) < len(actionLetters) {
		return [...]string{"continue", "abort", "replay"}[a]
	}
	return fmt.Sprintf("action %d", uint8(a))
}

// BusError is an error that the memory shall give at one address, as long as the
// transfer runs, or with Replay until it is replayed.
type BusError struct {
	Write  bool
	Action Action
	Addr   uint64
}

// Job is one transfer.
type Job struct {
	Length     uint64 // bytes
	Src, Dst   Side
	DecoupleAW bool
	DecoupleRW bool
	Last       bool   // "last of a group" mark, returned in the response
	User       uint64 // user bits of the write request
	Dims       []Dim  // empty for a 1D transfer
	Errors     []BusError
	Compute    Compute
	// Stream is which stream of a whole engine it goes to, or AnyStream: those that do not
	// say go to all in turn.
	Stream int
	Line   int // where it starts in its file; 0 if it comes from code

	judged judged // with an operation, on the engine of [List.For]
}

// MaxStreams is the most streams of an engine.
const MaxStreams = 16

// AnyStream stands for a stream that is not said.
const AnyStream = -1

// New is a plain AXI4 transfer of length bytes.
func New(length, src, dst uint64) Job {
	side := Side{MaxBeats: NoBeatLimit, Attributes: DefaultAttributes}
	j := Job{Length: length, Src: side, Dst: side, Last: true, Stream: AnyStream}
	j.Src.Addr, j.Dst.Addr = src, dst
	return j
}

// Causes of responses to refused transfers.
const (
	RefusedZeroLength = 0
	RefusedBurst      = 1
	RefusedCompute    = 3
)

// Refused reports whether an engine must answer the transfer with an error and without bus
// traffic: it has no bytes, or asks AXI4 for anything but plain INCR bursts, or, which is
// only known of lists of [List.For], breaks a rule of its operation.
func (j *Job) Refused() bool {
	_, refused := j.Refusal()
	return refused
}

// Refusal is whether an engine must refuse the transfer, and the cause that it gives then.
func (j *Job) Refusal() (cause uint64, refused bool) {
	switch {
	case j.Length == 0 && (j.Compute.Op != Transpose || j.Compute.DstLength == 0):
		return RefusedZeroLength, true
	case !j.Src.plain() || !j.Dst.plain():
		return RefusedBurst, true
	}
	return RefusedCompute, j.judged.broken
}

func (s *Side) plain() bool { return s.Protocol != AXI4 || s.Burst == 1 && !s.Lock }

// Reads is the bytes that the transfer reads.
func (j *Job) Reads() uint64 {
	if j.Refused() {
		return 0
	}
	return j.Length
}

// Writes is the bytes that the transfer writes: as many as it reads, where no operation makes
// others of them.
func (j *Job) Writes() uint64 {
	if j.Refused() {
		return 0
	}
	return j.Compute.result(j.Length)
}

// List is a transfer list in the order in which it is to be launched.
type List struct {
	Name string // file or workload it comes from
	Jobs []Job
}

// Bytes is the number of bytes that the list reads, ND repetitions not counted.
func (l *List) Bytes() uint64 {
	var n uint64
	for i := range l.Jobs {
		n += l.Jobs[i].Reads()
	}
	return n
}

// Computes reports whether a transfer of the list has an operation.
func (l *List) Computes() bool {
	return slices.ContainsFunc(l.Jobs, func(j Job) bool { return j.Compute.Op != NoOperation })
}

// Written is the number of bytes that the list writes: as many as it reads but for
// operations.
func (l *List) Written() uint64 {
	var n uint64
	for i := range l.Jobs {
		n += l.Jobs[i].Writes()
	}
	return n
}
