package frontend

import (
	"errors"
	"fmt"
	"strings"

	"github.com/millrace-hdl/millrace/idma/backend"
	"github.com/millrace-hdl/millrace/regs"
)

// FetchBus is the bus over which descriptors are fetched and marked.
type FetchBus uint8

// The buses of descriptors.
const (
	FetchAXI4 FetchBus = iota
	FetchAXILite
	FetchOBI

	fetchBuses = 3
)

var fetchNames = [fetchBuses]string{"axi4", "axi_lite", "obi"}

// String is its name in lower case.
func (b FetchBus) String() string { return named(fetchNames[:], int(b), "FetchBus") }

// MarshalText is [FetchBus.String].
func (b FetchBus) MarshalText() ([]byte, error) { return []byte(b.String()), nil }

// UnmarshalText is the inverse of [FetchBus.MarshalText].
func (b *FetchBus) UnmarshalText(text []byte) error {
	i, err := parse(fetchNames[:], text, "bus of descriptors")
	*b = FetchBus(i)
	return err
}

// DescConfig holds the parameters of the descriptor front-end. Start from [DefaultDesc].
type DescConfig struct {
	DescOptions `config:"inline"`
	// Backend is the configuration of the back-end.
	Backend backend.Config
}

// DescOptions are the parameters of a descriptor front-end.
type DescOptions struct {
	// Bus is that of the register port: apb, axi_lite or obi.
	Bus Bus
	// RegWidth is the width of the registers, 64 bits, or 32 with the address of a chain
	// in two halves.
	RegWidth int
	// PortIDWidth is the width of aid and rid of an OBI register port, 1 to 32 bits.
	PortIDWidth int
	// Fetch is the bus of the descriptors: axi4, axi_lite or obi.
	Fetch FetchBus
	// FetchWidth is its data width: 32 to 1024 bits over axi4, 32 or 64 over the others.
	FetchWidth int
	// FetchIDWidth is the width of its identifiers, 1 to 32 bits.
	FetchIDWidth int
	// Heads is how many chains may wait, 1 to 64. While that is full, writes of desc_addr wait.
	Heads int
	// Pending is how many transfers whose descriptors were fetched, or are being fetched, may
	// wait for the engine, 1 to 64.
	Pending int
	// Speculation is how many descriptors are fetched ahead, from the places behind the
	// one under way, 0 to 16.
	Speculation int
	// InFlight is how many transfers may be in the engine, or done and not marked yet, 1 to
	// 1024; 0 stands for three times the reads that it may have outstanding, and 16.
	InFlight int
	// ErrorMarks tells in the mark of a descriptor how its transfer failed, over its length.
	// Otherwise all marks are ones.
	ErrorMarks bool
}

// DefaultDesc is a front-end with 64-bit registers over APB that fetches over AXI4 of 64
// bits, for an engine with 64-bit addresses.
func DefaultDesc() DescConfig {
	c := DescConfig{
		DescOptions: DescOptions{Bus: APB, RegWidth: 64, PortIDWidth: 1, Fetch: FetchAXI4, FetchWidth: 64, FetchIDWidth: 1, Heads: 8, Pending: 8, Speculation: 4},
		Backend:     backend.Default(),
	}
	c.Backend.AddrWidth, c.Backend.DataWidth, c.Backend.IDWidth = 64, 64, 8
	return c
}

// Validate returns every parameter out of range, each a [*backend.FieldError].
func (c DescConfig) Validate() error {
	errs := []error{}
	check := func(ok bool, field string, value any, format string, args ...any) {
		if !ok {
			errs = append(errs, &backend.FieldError{Field: field, Value: value, Allowed: fmt.Sprintf(format, args...)})
		}
	}
	between := func(field string, v, lo, hi int) { check(lo <= v && v <= hi, field, v, "%d to %d", lo, hi) }
	check(c.Bus < buses, "Bus", c.Bus, "%s", strings.Join(busNames[:], ", "))
	check(c.RegWidth == 32 || c.RegWidth == 64, "RegWidth", c.RegWidth, "32 or 64")
	between("PortIDWidth", c.PortIDWidth, 1, 32)
	check(c.Fetch < fetchBuses, "Fetch", c.Fetch, "%s", strings.Join(fetchNames[:], ", "))
	widest := 64
	if c.Fetch == FetchAXI4 {
		widest = 1024
	}
	check(c.FetchWidth >= 32 && c.FetchWidth <= widest && c.FetchWidth&(c.FetchWidth-1) == 0, "FetchWidth", c.FetchWidth, "a power of two, 32 to %d", widest)
	between("FetchIDWidth", c.FetchIDWidth, 1, 32)
	between("Heads", c.Heads, 1, 64)
	between("Pending", c.Pending, 1, 64)
	between("Speculation", c.Speculation, 0, 16)
	between("InFlight", c.InFlight, 0, 1024)
	b := c.Backend
	check(b.LengthWidth >= 32, "Backend.LengthWidth", b.LengthWidth, "32 or more, which descriptors have")
	if err := b.Validate(); err != nil {
		errs = append(errs, fmt.Errorf("in Backend: %w", err))
	}
	return errors.Join(errs...)
}

// Suffix names the variant in module names.
func (c DescConfig) Suffix() string { return "desc_64" }

func (c DescConfig) inFlight() int {
	if c.InFlight > 0 {
		return c.InFlight
	}
	return min(3*c.Backend.Outstanding+16, 1024)
}

// fetches is how many descriptors may be on their way, those that are no longer wanted
// among them.
func (c DescConfig) fetches() int { return 2 * (c.Speculation + 1) }

// Map is the register map of the front-end (specification §4.2; errors are beyond it).
func (c DescConfig) Map() *regs.Map {
	m := &regs.Map{
		Name: "desc_64", DataWidth: c.RegWidth, AddrWidth: 6,
		Doc: "Registers of the iDMA descriptor front-end. A write of the address of a chain's first descriptor launches the chain.",
	}
	head := regs.Register{Name: "desc_addr", Doc: "A write launches the chain whose first descriptor is at this address, a multiple of 32. It waits while too many chains do.",
		Offset: 0, OnWrite: true, StallWrite: true, Fields: []regs.Field{{Name: "desc_addr", Doc: "Address of the descriptor.", Hi: 63, Lo: 0, Access: regs.Pulse}}}
	if c.RegWidth == 32 {
		m.Registers = []regs.Register{{Name: "desc_addr_low", Doc: "Lower half of the address of a chain's first descriptor, a multiple of 32.", Offset: 0,
			Fields: []regs.Field{{Name: "desc_addr_low", Doc: "Bits 31:0.", Hi: 31, Lo: 0, Reset: 1<<32 - 1}}}}
		head.Name, head.Offset, head.Doc = "desc_addr_high", 4, "Upper half of that address. A write launches the chain. It waits while too many chains do."
		head.Fields = []regs.Field{{Name: "desc_addr_high", Doc: "Bits 63:32.", Hi: 31, Lo: 0, Access: regs.Pulse}}
	}
	status := []regs.Field{
		{Name: "busy", Doc: "A chain waits or is under way, or a descriptor has not been marked.", Hi: 0, Lo: 0, Access: regs.RO},
		{Name: "full", Doc: "A write of desc_addr would wait.", Hi: 1, Lo: 1, Access: regs.RO},
		{Name: "transfer_error", Doc: "A transfer had an error. A one clears it.", Hi: 2, Lo: 2, Access: regs.W1C},
		{Name: "desc_error", Doc: "A descriptor could not be fetched, which ends its chain, or not be marked. A one clears it.", Hi: 3, Lo: 3, Access: regs.W1C},
	}
	if c.Backend.ErrorHandling {
		status = append(status, c.waitingFields()...)
	}
	m.Registers = append(m.Registers, head, regs.Register{Name: "status", Doc: "What is going on.", Offset: 8, Fields: status})
	c.address(m, "error_addr", "Address of the descriptor of the latest error.", 0x10)
	if c.Backend.ErrorHandling {
		c.errorRegisters(m)
	}
	return m
}

// address adds the register of an address, or the two of its halves.
func (c DescConfig) address(m *regs.Map, name, where string, at uint64) {
	if c.RegWidth == 32 {
		width := c.Backend.AddrWidth
		high := field(name+"_high", "Bits 63:32.", max(width-33, 0), 0, false, 0)
		if width > 32 {
			high.Access, high.Hardware, high.Doc = regs.RO, regs.Usual, "Bits 63:32."
		}
		m.Registers = append(m.Registers,
			regs.Register{Name: name + "_low", Doc: where, Offset: at, Fields: []regs.Field{{Name: name + "_low", Doc: "Bits 31:0.", Hi: 31, Lo: 0, Access: regs.RO}}},
			regs.Register{Name: name + "_high", Doc: where, Offset: at + 4, Fields: []regs.Field{high}})
		return
	}
	m.Registers = append(m.Registers, regs.Register{Name: name, Doc: where, Offset: at,
		Fields: []regs.Field{{Name: name, Doc: "Its bits.", Hi: c.Backend.AddrWidth - 1, Lo: 0, Access: regs.RO}}})
}
