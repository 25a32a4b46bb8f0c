package mem

import "fmt"

// DefaultOutstanding is how many bursts a subordinate holds in each direction.
const DefaultOutstanding = 64

// Stalls is how often, in percent of cycles, a channel holds back. AR, AW and W
// keep READY low; R and B delay the next VALID, which then stays until taken.
type Stalls struct {
	AR, R, AW, W, B int
}

// AllStalls is the same percentage on every channel.
func AllStalls(percent int) Stalls { return Stalls{percent, percent, percent, percent, percent} }

// WriteOrder says which of a write's address and data the subordinate takes first.
type WriteOrder uint8

// The orders.
const (
	AnyOrder     WriteOrder = iota
	AddressFirst            // W is refused until the request of the burst was accepted
	DataFirst               // AW is refused until the burst's first data were accepted
)

// Config is the timing and the faults of an [AXI4] subordinate.
type Config struct {
	Bytes        int // data bus width in bytes, a power of two, 1…128
	ReadLatency  int // cycles from AR accepted to the first R beat valid, at least 1
	WriteLatency int // cycles from the later of AW and last W accepted to B valid, at least 1
	Reads        int // bursts held, 0 for DefaultOutstanding
	Writes       int // bursts held, 0 for DefaultOutstanding
	Stalls       Stalls
	// ReadsFirst is one port for both directions: AW and W are refused while a read
	// is pending.
	ReadsFirst bool
	// WriteOrder is what a write waits for.
	WriteOrder WriteOrder
	Seed       uint64 // of the stalls
	Faults     []Fault
}

// Validate names the field out of range.
func (c *Config) Validate() error {
	if c.Bytes < 1 || c.Bytes > 128 || c.Bytes&(c.Bytes-1) != 0 {
		return fmt.Errorf("memory: bus of %d bytes; a power of two from 1 to 128", c.Bytes)
	}
	const far = 1 << 20
	for _, f := range []struct {
		name      string
		v, lo, hi int
	}{
		{"read latency", c.ReadLatency, 1, far}, {"write latency", c.WriteLatency, 1, far},
		{"outstanding reads", c.Reads, 0, far}, {"outstanding writes", c.Writes, 0, far},
		{"AR stalls", c.Stalls.AR, 0, 99}, {"R stalls", c.Stalls.R, 0, 99}, {"AW stalls", c.Stalls.AW, 0, 99},
		{"W stalls", c.Stalls.W, 0, 99}, {"B stalls", c.Stalls.B, 0, 99},
	} {
		if f.v < f.lo || f.v > f.hi {
			return fmt.Errorf("memory: %s is %d; %d…%d", f.name, f.v, f.lo, f.hi)
		}
	}
	if c.WriteOrder > DataFirst {
		return fmt.Errorf("memory: write order %d; 0…%d", c.WriteOrder, DataFirst)
	}
	for _, f := range c.Faults {
		if f.Lo > f.Hi {
			return fmt.Errorf("memory: fault from %#x to %#x; the first address must not lie above the last", f.Lo, f.Hi)
		}
	}
	return nil
}
