package backend

import (
	"errors"
	"fmt"
	"math/bits"
	"strings"

	"github.com/millrace-hdl/millrace/hdl"
	"github.com/millrace-hdl/millrace/idma/compute"
)

// Config holds the parameters of the back-end. Start from [Default].
type Config struct {
	// ReadProtocols lists the ports of the source side, at least one. With several, a
	// request names the one that it takes.
	ReadProtocols PortSet
	// WriteProtocols lists the ports of the destination side in the same way.
	WriteProtocols PortSet
	// DataWidth is the width of the data buses: a power of two, 16 to 1024 bits.
	DataWidth int
	// AddrWidth is the width of byte addresses, 12 to 64 bits.
	AddrWidth int
	// IDWidth is the width of the identifiers of AXI4, OBI and AXI4-Stream, 1 to 32 bits.
	// The sources of TileLink are as wide as the accesses under way need.
	IDWidth int
	// UserWidth is the width of the AXI user signals, 1 to 1024 bits.
	UserWidth int
	// Outstanding is how many read bursts may be under way, 1 to 256.
	Outstanding int
	// WriteOutstanding is how many written bursts may wait for their response, 1 to
	// 1024; 0 stands for the larger of 16 and twice Outstanding.
	WriteOutstanding int
	// BufferDepth is the number of bus words between reads and writes, 1 to 64,
	// besides the one being assembled. Misaligned copies need 2 for full speed, 3
	// where short transfers mix.
	BufferDepth int
	// LengthWidth is the width of the transfer length in bytes, from 12 up to
	// AddrWidth.
	LengthWidth int
	// CombinedShifter aligns with one byte rotation before the buffer, instead of
	// one before and one behind it.
	CombinedShifter bool
	// Coupler gives transfers with decouple_aw = 0 their meaning: AW waits for the
	// burst's first data. Without it AW is always issued at once.
	Coupler bool
	// MaskInvalidLanes writes zeros in byte lanes whose strobe is zero.
	MaskInvalidLanes bool
	// Legalizer splits transfers into legal bursts. Without it every request must
	// be one legal burst on both sides, and its read is offered in the same cycle.
	Legalizer bool
	// ReserveBuffer issues a read only when there is room for all of it, so that
	// the engine never holds up the R channel. Bursts are then no longer than
	// the buffer, or than the store where there is one.
	ReserveBuffer bool
	// StoreDepth is how many bus words of memory the data pass before the buffer, so that
	// reads can run ahead of writes by as much: 2 to 65536, or 0 for none.
	StoreDepth int
	// StoreTransfers writes nothing of a transfer before all of it was read, if it fits
	// into the store; longer ones go once the store is full. Needs a store.
	StoreTransfers bool
	// OBIReady gives OBI ports the optional rready. Without it the engine keeps room
	// for every response that it asks for.
	OBIReady bool
	// TLMaxSize is the bytes of the longest access of TileLink ports: 0, or as many as a
	// bus word has, for the conformance level UL; above that a power of two up to 4096,
	// at most 256 bus words, for UH. Writes are also limited to the bus words that fit
	// into BufferDepth, and with ErrorHandling to one. Where the links of both sides lead
	// to subordinates whose answers can wait for each other, use ReserveBuffer.
	TLMaxSize int
	// ErrorHandling reports each bus error when it comes and waits for what to do
	// about it: continue, abort or replay. Without it the response of the transfer says
	// that there was one.
	ErrorHandling bool
	// Watchdog is after how many cycles without progress a subordinate that has something to
	// take or to answer is given up, 2 to 16777216; 0 for never. Not for streams, for
	// which waiting is no fault.
	Watchdog int
	// Compute is the operations that transfers can have done on their bytes on the way: each is a
	// unit between the read and the write side. Not with ErrorHandling, and only with Legalizer.
	Compute compute.Set
	// CounterWidth is the width of counters of bytes, beats, errors and stalls by cause, 8 to 64
	// bits; 0 for none.
	CounterWidth int
}

// Default is a 32-bit engine with 8 outstanding reads.
func Default() Config {
	return Config{
		ReadProtocols: PortsOf(AXI4), WriteProtocols: PortsOf(AXI4),
		DataWidth: 32, AddrWidth: 32, IDWidth: 4, UserWidth: 1,
		Outstanding: 8, BufferDepth: 3, LengthWidth: 32,
		CombinedShifter: true, Coupler: true, MaskInvalidLanes: true, Legalizer: true,
	}
}

// FieldError is one parameter out of range.
type FieldError struct {
	Field   string // the Go name
	Value   any
	Allowed string
}

func (e *FieldError) Error() string {
	return fmt.Sprintf("%s is %v; allowed: %s", e.Field, e.Value, e.Allowed)
}

// Validate returns every parameter out of range, each a [*FieldError].
func (c Config) Validate() error {
	var errs []error
	check := func(ok bool, field string, value any, format string, args ...any) {
		if !ok {
			errs = append(errs, &FieldError{field, value, fmt.Sprintf(format, args...)})
		}
	}
	between := func(field string, v, lo, hi int) { check(lo <= v && v <= hi, field, v, "%d to %d", lo, hi) }
	check(c.DataWidth >= 16 && c.DataWidth <= 1024 && c.DataWidth&(c.DataWidth-1) == 0,
		"DataWidth", c.DataWidth, "16, 32, 64, 128, 256, 512 or 1024")
	between("AddrWidth", c.AddrWidth, 12, 64)
	between("IDWidth", c.IDWidth, 1, 32)
	between("UserWidth", c.UserWidth, 1, 1024)
	between("Outstanding", c.Outstanding, 1, 256)
	between("WriteOutstanding", c.WriteOutstanding, 0, 1024)
	ports := func(field string, s PortSet) {
		check(s.count() > 0 && s.heads() <= maxHeads, field, s, "at least one of %s, each up to %d times", strings.Join(protocolNames[:], ", "), maxHeads)
	}
	ports("ReadProtocols", c.ReadProtocols)
	ports("WriteProtocols", c.WriteProtocols)
	onlyAXI4 := c.ReadProtocols.kinds() == int(min(c.ReadProtocols[AXI4], 1)) && c.WriteProtocols.kinds() == int(min(c.WriteProtocols[AXI4], 1))
	check(c.Legalizer || onlyAXI4, "Legalizer", c.Legalizer, "true, but for back-ends with AXI4 alone")
	check(c.Legalizer || !c.ErrorHandling, "Legalizer", c.Legalizer, "true with ErrorHandling, which takes back what was not issued yet")
	if err := c.Compute.Validate(c.DataWidth); err != nil {
		errs = append(errs, &FieldError{"Compute", c.Compute, err.Error()})
	}
	check(!c.computes() || !c.ErrorHandling, "Compute", c.Compute, "none with ErrorHandling: what an operation has made of bytes cannot be taken up in the middle")
	check(!c.computes() || c.Legalizer, "Compute", c.Compute, "none without Legalizer, which cuts what is written apart from what is read")
	check(c.Watchdog == 0 || c.Watchdog >= 2 && c.Watchdog <= 1<<24, "Watchdog", c.Watchdog, "0, or 2 to 16777216")
	check(c.CounterWidth == 0 || c.CounterWidth >= 8 && c.CounterWidth <= 64, "CounterWidth", c.CounterWidth, "0, or 8 to 64")
	check(!c.ReserveBuffer || c.ReadProtocols.count() <= 1, "ReserveBuffer", c.ReserveBuffer, "false where there are several read ports")
	between("BufferDepth", c.BufferDepth, 1, 64)
	size, word := c.TLMaxSize, c.DataWidth/8
	check(size == 0 || size >= word && size <= min(4096, 256*word) && size&(size-1) == 0,
		"TLMaxSize", size, "0, or a power of two from a bus word, %d, to %d", word, min(4096, 256*word))
	check(c.StoreDepth == 0 || c.StoreDepth >= 2 && c.StoreDepth <= 1<<16, "StoreDepth", c.StoreDepth, "0, or 2 to 65536")
	check(!c.StoreTransfers || c.StoreDepth > 0, "StoreTransfers", c.StoreTransfers, "false where StoreDepth is 0")
	check(c.LengthWidth >= 12 && c.LengthWidth <= c.AddrWidth, "LengthWidth", c.LengthWidth, "12 to AddrWidth, which is %d", c.AddrWidth)
	return errors.Join(errs...)
}

// Suffix names the variant in module names.
func (c Config) Suffix() string { return fmt.Sprintf("%d", c.DataWidth) }

// computes is whether there are operations.
func (c Config) computes() bool { return c.Compute != compute.Set{} }

// lanes is the number of bytes of a bus word, offsetBits its logarithm.
func (c Config) lanes() int      { return c.DataWidth / 8 }
func (c Config) offsetBits() int { return bits.TrailingZeros(uint(c.lanes())) }

// indexBits is the width of the number of a bus word in its transfer.
func (c Config) indexBits() int { return c.LengthWidth - c.offsetBits() + 1 }

// failure is the error that a response code stands for, or 0. With a watchdog the
// guards have made 0 of every code that is none.
func (c Config) failure(resp hdl.Var) hdl.Signal {
	if c.Watchdog > 0 {
		return resp.Signal
	}
	return resp.And(hdl.Repeat(resp.Bit(1), 2))
}

// guarded is the response code that a manager sees behind its guard.
func guarded(resp hdl.Var, lost hdl.Var) hdl.Var {
	return hdl.V(hdl.Mux(lost, hdl.Const(2, CauseNoAnswer), resp.And(hdl.Repeat(resp.Bit(1), 2))))
}

// noBurst is the burst of data that come without one.
func (c Config) noBurst() []hdl.Var {
	return optional(c.ErrorHandling, hdl.V(hdl.Const(c.indexBits(), 0)))
}

func (c Config) writeOutstanding() int {
	if c.WriteOutstanding > 0 {
		return c.WriteOutstanding
	}
	return max(16, 2*c.Outstanding)
}

// maxReadLen is the longest AxLEN of a read burst: 2^n−1, at most 255.
func (c Config) maxReadLen() int {
	if !c.ReserveBuffer {
		return 255
	}
	room := c.BufferDepth
	if c.StoreDepth > 0 {
		room = c.StoreDepth
	}
	return min(255, 1<<(bits.Len(uint(room))-1)-1)
}
