package backend

import (
	"fmt"
	"strings"

	"github.com/millrace-hdl/millrace/hdl/ir"
)

// Protocol is what a port of the back-end speaks. Its number is that of the
// requests (specification §1.1).
type Protocol uint8

// The protocols.
const (
	AXI4 Protocol = iota
	OBI
	AXILite
	TileLink
	Init // reads: a generator of data; writes: a sink
	AXIStream

	protocols = 6
)

var protocolNames = [protocols]string{"axi4", "obi", "axi_lite", "tilelink", "init", "axi_stream"}

func (p Protocol) String() string { return protocolNames[p] }

// PortSet says how many ports of each protocol one side of the back-end has. Its
// text form lists them: "axi4, obi", or "axi4, axi4" for two of one protocol.
type PortSet [protocols]uint8

// PortsOf is the set of one port for each protocol named.
func PortsOf(ps ...Protocol) PortSet {
	var s PortSet
	for _, p := range ps {
		s[p]++
	}
	return s
}

// list is the ports in the order of their numbers: by protocol, then by head.
func (s PortSet) list() []Protocol {
	var ps []Protocol
	for p, n := range s {
		for range n {
			ps = append(ps, Protocol(p))
		}
	}
	return ps
}

// count is the number of ports.
func (s PortSet) count() int { return len(s.list()) }

// kinds is the number of protocols.
func (s PortSet) kinds() int {
	n := 0
	for _, c := range s {
		if c > 0 {
			n++
		}
	}
	return n
}

// heads is the most ports of one protocol.
func (s PortSet) heads() int {
	n := 0
	for _, c := range s {
		n = max(n, int(c))
	}
	return n
}

// any reports whether the set has a port of one of the protocols.
func (s PortSet) any(ps ...Protocol) bool {
	for _, p := range ps {
		if s[p] > 0 {
			return true
		}
	}
	return false
}

// number is the place of a port among all.
func (s PortSet) number(p Protocol, head int) int {
	n := head
	for _, c := range s[:p] {
		n += int(c)
	}
	return n
}

// headBits is the width of the head in requests.
func (s PortSet) headBits() int { return ir.AddrBits(s.heads()) }

func (s PortSet) String() string {
	var names []string
	for _, p := range s.list() {
		names = append(names, p.String())
	}
	return strings.Join(names, ", ")
}

// MarshalText implements [encoding.TextMarshaler].
func (s PortSet) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText implements [encoding.TextUnmarshaler].
func (s *PortSet) UnmarshalText(text []byte) error {
	var set PortSet
	for _, name := range strings.FieldsFunc(string(text), func(r rune) bool { return strings.ContainsRune(", []", r) }) {
		found := false
		for p, n := range protocolNames {
			if n == name {
				found = true
				if set[p]++; set[p] > maxHeads {
					return fmt.Errorf("more than %d ports of %s", maxHeads, name)
				}
			}
		}
		if !found {
			return fmt.Errorf("%q is none of %s", name, strings.Join(protocolNames[:], ", "))
		}
	}
	*s = set
	return nil
}

// maxHeads is the most ports of one protocol.
const maxHeads = 8
