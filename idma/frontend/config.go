package frontend

import (
	"errors"
	"fmt"
	"math/bits"
	"strings"

	"github.com/millrace-hdl/millrace/idma/backend"
)

// Layout is a member of the family of register maps (specification §4.1).
type Layout uint8

// The layouts: by the width of addresses and lengths, and by the dimensions of a
// transfer.
const (
	Reg32 Layout = iota
	Reg32x2D
	Reg32x3D
	Reg64
	Reg64x2D
	Reg32RT3D // Reg32x3D, and events for the real-time mid-end

	layouts = 6
)

var layoutNames = [layouts]string{"reg_32", "reg_32_2d", "reg_32_3d", "reg_64", "reg_64_2d", "reg_32_rt_3d"}

// String is the name that the specification gives it.
func (l Layout) String() string { return named(layoutNames[:], int(l), "Layout") }

// MarshalText is [Layout.String].
func (l Layout) MarshalText() ([]byte, error) { return []byte(l.String()), nil }

// UnmarshalText is the inverse of [Layout.MarshalText].
func (l *Layout) UnmarshalText(text []byte) error {
	i, err := parse(layoutNames[:], text, "layout")
	*l = Layout(i)
	return err
}

// loops is how many dimensions the layout has beyond the linear transfer.
func (l Layout) loops() int { return [layouts]int{0, 1, 2, 0, 1, 2}[l] }

// Dims is how many dimensions its transfers may have.
func (l Layout) Dims() int { return l.loops() + 1 }

// wide reports whether addresses and lengths take two registers.
func (l Layout) wide() bool { return l == Reg64 || l == Reg64x2D }

// timed reports whether the layout has events.
func (l Layout) timed() bool { return l == Reg32RT3D }

// Bus is the bus of the register ports.
type Bus uint8

// The buses.
const (
	APB Bus = iota // APB4
	AXILite
	OBI

	buses = 3
)

var busNames = [buses]string{"apb", "axi_lite", "obi"}

// String is its name in lower case.
func (b Bus) String() string { return named(busNames[:], int(b), "Bus") }

// MarshalText is [Bus.String].
func (b Bus) MarshalText() ([]byte, error) { return []byte(b.String()), nil }

// UnmarshalText is the inverse of [Bus.MarshalText].
func (b *Bus) UnmarshalText(text []byte) error {
	i, err := parse(busNames[:], text, "bus")
	*b = Bus(i)
	return err
}

func named(names []string, i int, kind string) string {
	if i >= len(names) {
		return fmt.Sprintf("%s(%d)", kind, i)
	}
	return names[i]
}

func parse(names []string, text []byte, kind string) (int, error) {
	for i, n := range names {
		if n == string(text) {
			return i, nil
		}
	}
	return 0, fmt.Errorf("%q is no %s; choose from %s", text, kind, strings.Join(names, ", "))
}

// maxEvents is how many events the layout has room for.
const maxEvents = 16

// maxStreams is how many streams the layouts have room for.
const maxStreams = 16

// Config holds the parameters of a register front-end. Start from [Default].
type Config struct {
	// Layout is the register map: reg_32, reg_32_2d, reg_32_3d, reg_64, reg_64_2d or
	// reg_32_rt_3d.
	Layout  Layout
	Options `config:"inline"`
	// Backend is the configuration of the back-ends: widths, protocols and options of the
	// requests.
	Backend backend.Config
}

// Options are the parameters of a register front-end beside its layout.
type Options struct {
	// Bus is that of the register ports: apb, axi_lite or obi.
	Bus Bus
	// PortIDWidth is the width of aid and rid of OBI register ports, 1 to 32 bits.
	PortIDWidth int
	// Ports is the number of register ports, 1 to 16, each with registers of its own.
	Ports int
	// Streams is the number of request streams, 1 to 16, each for an engine of its own.
	Streams int
	// Queue is how many launched transfers of a stream may wait for it, 1 to 64. While it
	// is full, reads of next_id wait.
	Queue int
	// TransferIDBits is the width of the numbers that transfers get: 8 to 32, and enough
	// for twice what can be under way.
	TransferIDBits int
	// RepsWidth is the width of the repetition counts, 1 to 32, where there are several
	// dimensions.
	RepsWidth int
	// Events is how many events reg_32_rt_3d has, 1 to 16; 0 for other layouts.
	Events int
	// ErrorInfo adds registers that tell of the latest bus error of each stream. Back-ends
	// with error handling need it: it has the register that answers them.
	ErrorInfo bool
	// Interrupts adds an interrupt for each port, at completion, at errors, or both.
	Interrupts bool
	// Counters lets software read the counters of the back-ends, which have some by their
	// CounterWidth: the low 32 bits of each.
	Counters bool
}

// Default is a front-end with a layout over APB: one port, one stream, for the default
// back-end, or one with 64-bit addresses where the layout has them.
func Default(l Layout) Config {
	c := Config{Layout: l, Options: DefaultOptions(), Backend: backend.Default()}
	if l.timed() {
		c.Events = 8
	}
	if l.wide() {
		c.Backend.AddrWidth, c.Backend.DataWidth = 64, 64
	}
	return c
}

// DefaultOptions are those of [Default], without events.
func DefaultOptions() Options {
	return Options{Bus: APB, PortIDWidth: 1, Ports: 1, Streams: 1, Queue: 2, TransferIDBits: 32, RepsWidth: 32}
}

// Validate returns every parameter out of range, each a [*backend.FieldError].
func (c Config) Validate() error {
	errs := []error{}
	check := func(ok bool, field string, value any, format string, args ...any) {
		if !ok {
			errs = append(errs, &backend.FieldError{Field: field, Value: value, Allowed: fmt.Sprintf(format, args...)})
		}
	}
	between := func(field string, v, lo, hi int) { check(lo <= v && v <= hi, field, v, "%d to %d", lo, hi) }
	check(c.Layout < layouts, "Layout", c.Layout, "%s", strings.Join(layoutNames[:], ", "))
	check(c.Bus < buses, "Bus", c.Bus, "%s", strings.Join(busNames[:], ", "))
	between("PortIDWidth", c.PortIDWidth, 1, 32)
	if c.Layout == Reg32RT3D { // events are those of one port
		check(c.Ports == 1, "Ports", c.Ports, "1 with events")
		between("Events", c.Events, 1, maxEvents)
	} else {
		between("Ports", c.Ports, 1, 16)
		check(c.Events == 0, "Events", c.Events, "0 for layouts without events")
	}
	between("Streams", c.Streams, 1, maxStreams)
	between("Queue", c.Queue, 1, 64)
	between("TransferIDBits", c.TransferIDBits, leastIDBits(c.Queue, c.Backend), 32)
	between("RepsWidth", c.RepsWidth, 1, 32)
	check(c.ErrorInfo || !c.Backend.ErrorHandling, "ErrorInfo", c.ErrorInfo, "true where Backend has ErrorHandling, whose questions a register answers")
	check(c.Backend.CounterWidth > 0 || !c.Counters, "Backend.CounterWidth", c.Backend.CounterWidth, "8 to 64 with Counters")
	if err := c.Backend.Validate(); err != nil {
		errs = append(errs, fmt.Errorf("in Backend: %w", err))
	}
	return errors.Join(errs...)
}

// leastIDBits is how many bits tell all transfers apart that can be under way, in a
// queue of that depth and in the engine, and which of two came first.
func leastIDBits(queue int, b backend.Config) int {
	underWay := queue + b.Outstanding + max(b.WriteOutstanding, 16, 2*b.Outstanding) + 16
	return max(8, bits.Len(uint(underWay))+1)
}

// Suffix names the variant in module names.
func (c Config) Suffix() string { return c.Layout.String() }
