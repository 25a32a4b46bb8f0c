// Package axilite looks at AXI4-Lite from the outside, in plain Go: a [Sample] is what
// one rising clock edge sees on the five channels, and a [Monitor] fed with one sample a
// cycle reports every breach of the protocol as data.
//
// AXI4-Lite (IHI 0022, B1) is AXI4 with bursts of one beat as wide as the bus, without
// identifiers and exclusive accesses. The monitor is that of package axi4 on such bursts,
// and its rules have the same codes.
package axilite

import (
	"math/bits"

	"github.com/millrace-hdl/millrace/bus/axi4"
)

// AddrChannel is AW or AR at a clock edge. The payload counts only while Valid.
type AddrChannel struct {
	Valid, Ready bool
	Addr         uint64 // bytes
	Prot         uint8
}

// DataChannel is W at a clock edge.
type DataChannel struct {
	Valid, Ready bool
	Data, Strb   []uint64 // little-endian words
}

// RespChannel is B at a clock edge.
type RespChannel struct {
	Valid, Ready bool
	Resp         axi4.Resp
}

// ReadChannel is R at a clock edge.
type ReadChannel struct {
	Valid, Ready bool
	Data         []uint64
	Resp         axi4.Resp
}

// Sample is the whole bus at one rising edge. Slices are views that must hold still only
// while the sample is looked at.
type Sample struct {
	AW AddrChannel
	W  DataChannel
	B  RespChannel
	AR AddrChannel
	R  ReadChannel
}

// Monitor checks one AXI4-Lite interface, both sides of it, one sample a cycle. It is not
// safe for concurrent use.
type Monitor struct {
	*axi4.Monitor
	s    axi4.Sample
	size uint8
}

// NewMonitor starts a monitor on an idle bus.
func NewMonitor(cfg axi4.Config) *Monitor {
	return &Monitor{Monitor: axi4.NewMonitor(cfg), size: uint8(bits.TrailingZeros(uint(cfg.Bytes)))}
}

// Reset tells the monitor that reset was asserted at this edge: no VALID may be high,
// and whatever was outstanding is forgotten.
func (m *Monitor) Reset(cycle uint64, s *Sample) { m.Monitor.Reset(cycle, m.widen(s)) }

// Cycle takes the sample of one rising edge outside reset.
func (m *Monitor) Cycle(cycle uint64, s *Sample) { m.Monitor.Cycle(cycle, m.widen(s)) }

// widen is the sample as one of AXI4.
func (m *Monitor) widen(s *Sample) *axi4.Sample {
	addr := func(c AddrChannel) axi4.AddrChannel {
		return axi4.AddrChannel{Valid: c.Valid, Ready: c.Ready,
			Request: axi4.Request{Addr: c.Addr, Size: m.size, Burst: axi4.Incr, Prot: c.Prot}}
	}
	m.s = axi4.Sample{
		AW: addr(s.AW), AR: addr(s.AR),
		W: axi4.DataChannel{Valid: s.W.Valid, Ready: s.W.Ready, Data: s.W.Data, Strb: s.W.Strb, Last: true},
		B: axi4.RespChannel{Valid: s.B.Valid, Ready: s.B.Ready, Resp: s.B.Resp},
		R: axi4.ReadChannel{Valid: s.R.Valid, Ready: s.R.Ready, Data: s.R.Data, Resp: s.R.Resp, Last: true},
	}
	return &m.s
}
