package frontend

import (
	"errors"
	"fmt"
	"math/bits"

	"github.com/millrace-hdl/millrace/idma/backend"
)

// maxChannels is how many channels the encoding has room for.
const maxChannels = 8

// InstConfig holds the parameters of the instruction front-end. Start from
// [DefaultInst].
type InstConfig struct {
	InstOptions `config:"inline"`
	// Backend is the configuration of the back-ends.
	Backend backend.Config
}

// InstOptions are the parameters of an instruction front-end.
type InstOptions struct {
	// Channels is the number of channels, 1 to 8, each with a request stream for an engine
	// of its own. Their numbers are the identifiers of their transfers on the bus.
	Channels int
	// Queue is how many copies of a channel may wait for its engine, 1 to 64. While it is
	// full, further ones wait, and hold up the instructions behind them.
	Queue int
	// TransferIDBits is the width of the numbers that copies get: 8 to 32, and enough for
	// twice what can be under way.
	TransferIDBits int
	// RepsWidth is the width of the repetition count, 1 to 32.
	RepsWidth int
	// TagWidth is the width of what names an instruction in its result, 1 to 32 bits.
	TagWidth int
	// WindowStart is where the memory begins that is reached over OBI. All else is reached
	// over the protocol with the lowest number.
	WindowStart uint64
	// WindowEnd is the first address behind it; the same as WindowStart for no such memory.
	WindowEnd uint64
}

// DefaultInst is one channel for an engine with AXI4, a local memory of 128 KiB on OBI,
// and fill.
func DefaultInst() InstConfig {
	c := InstConfig{
		InstOptions: InstOptions{Channels: 1, Queue: 3, TransferIDBits: 32, RepsWidth: 32, TagWidth: 5, WindowStart: 0x1000_0000, WindowEnd: 0x1002_0000},
		Backend:     backend.Default(),
	}
	b := &c.Backend
	b.ReadProtocols = backend.PortsOf(backend.AXI4, backend.OBI, backend.Init)
	b.WriteProtocols = backend.PortsOf(backend.AXI4, backend.OBI)
	b.AddrWidth, b.DataWidth, b.Coupler = 48, 64, false
	return c
}

// Validate returns every parameter out of range, each a [*backend.FieldError].
func (c InstConfig) Validate() error {
	errs := []error{}
	check := func(ok bool, field string, value any, format string, args ...any) {
		if !ok {
			errs = append(errs, &backend.FieldError{Field: field, Value: value, Allowed: fmt.Sprintf(format, args...)})
		}
	}
	between := func(field string, v, lo, hi int) { check(lo <= v && v <= hi, field, v, "%d to %d", lo, hi) }
	between("Channels", c.Channels, 1, maxChannels)
	between("Queue", c.Queue, 1, 64)
	between("TransferIDBits", c.TransferIDBits, leastIDBits(c.Queue, c.Backend), 32)
	between("RepsWidth", c.RepsWidth, 1, 32)
	between("TagWidth", c.TagWidth, 1, 32)
	b := c.Backend
	check(c.WindowStart <= c.WindowEnd, "WindowEnd", fmt.Sprintf("%#x", c.WindowEnd), "WindowStart, %#x, or more", c.WindowStart)
	check(bits.Len64(c.WindowEnd) <= b.AddrWidth, "WindowEnd", fmt.Sprintf("%#x", c.WindowEnd), "what %d bits of address hold", b.AddrWidth)
	check(!b.ErrorHandling, "Backend.ErrorHandling", b.ErrorHandling, "false, since there is no instruction that says what to do about errors")
	check(c.Channels <= 1<<min(b.IDWidth, 8), "Backend.IDWidth", b.IDWidth, "enough bits for the number of a channel")
	if err := b.Validate(); err != nil {
		errs = append(errs, fmt.Errorf("in Backend: %w", err))
	}
	return errors.Join(errs...)
}

// Suffix names the variant in module names.
func (c InstConfig) Suffix() string { return "inst_64" }

// fills reports whether engines can fill memory.
func (c InstConfig) fills() bool { return c.Backend.ReadProtocols[backend.Init] > 0 }

// windowed reports whether addresses of one of these ports choose between protocols.
func (c InstConfig) windowed(set backend.PortSet) bool {
	return set[backend.OBI] > 0 && c.usual(set) != backend.OBI && c.WindowStart < c.WindowEnd
}

// usual is the protocol of these ports for memory outside the window: the one with the
// lowest number that is no generator.
func (c InstConfig) usual(set backend.PortSet) backend.Protocol {
	for p, n := range set {
		if n > 0 && backend.Protocol(p) != backend.Init {
			return backend.Protocol(p)
		}
	}
	return backend.Init
}
