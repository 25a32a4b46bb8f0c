package compute

import (
	"github.com/millrace-hdl/millrace/hdl"
	"github.com/millrace-hdl/millrace/hdl/ir"
)

// Entry is a unit by itself in a list of all.
type Entry struct {
	Name    string // of its design
	Summary string // what it does
	// Defaults returns a pointer to a fresh configuration.
	Defaults func() any
	// Check says what is out of range in a configuration that Defaults returned.
	Check func(cfg any) error
	// Elaborate builds the unit for it as the top of a design.
	Elaborate func(cfg any) (*ir.Design, error)
}

// MXConfig is a unit of MX blocks by itself.
type MXConfig struct {
	// DataWidth is the width of a bus word: a power of two, 16 to 1024 bits.
	DataWidth int
	// Numbers is the format of what is quantised, or made of blocks: fp32 or fp16.
	Numbers Float
	// SignedScale keeps scales in two's complement, not as E8M0.
	SignedScale bool
}

// TransposeConfig is a transposing unit by itself.
type TransposeConfig struct {
	// DataWidth is the width of a bus word: a power of two, 16 to 1024 bits.
	DataWidth int
	// OneBank halves memory and rate: a tile is taken when the one before has gone.
	OneBank bool
}

// UnitConfig is a unit by itself that has no choices but its width.
type UnitConfig struct {
	// DataWidth is the width of a bus word: a power of two, 16 to 1024 bits.
	DataWidth int
}

func entry[C any](name, summary string, defaults C, params func(C) Params) Entry {
	return Entry{
		Name: name, Summary: summary,
		Defaults: func() any { c := defaults; return &c },
		Check:    func(cfg any) error { return params(*cfg.(*C)).Validate() },
		Elaborate: func(cfg any) (*ir.Design, error) {
			return hdl.Elaborate(Compute, params(*cfg.(*C)), hdl.Named(name))
		},
	}
}

// Catalogue is every unit, in the order of the documentation.
func Catalogue() []Entry {
	return []Entry{
		entry("mx_quantise", "makes MX blocks of FP32 or FP16 numbers, with elements of E5M2 or E4M3", MXConfig{DataWidth: 64},
			func(c MXConfig) Params {
				return Params{MXQuantise{From: c.Numbers, SignedScale: c.SignedScale}, c.DataWidth}
			}),
		entry("mx_dequantise", "makes FP32 or FP16 numbers of MX blocks", MXConfig{DataWidth: 64},
			func(c MXConfig) Params {
				return Params{MXDequantise{To: c.Numbers, SignedScale: c.SignedScale}, c.DataWidth}
			}),
		entry("transpose", "makes columns of the rows of tiles, of elements of 1 to 8 bytes", TransposeConfig{DataWidth: 64},
			func(c TransposeConfig) Params { return Params{Transpose{OneBank: c.OneBank}, c.DataWidth} }),
		entry("crc32c", "appends the CRC-32C of transfers, gives it alone, strips it or checks it", UnitConfig{DataWidth: 64},
			func(c UnitConfig) Params { return Params{CRC32C{}, c.DataWidth} }),
		entry("byte_swap", "reverses the bytes of elements of 1 to 8 bytes", UnitConfig{DataWidth: 64},
			func(c UnitConfig) Params { return Params{ByteSwap{}, c.DataWidth} }),
		entry("fill_mask", "replaces bytes by a pattern of two, or combines them with it", UnitConfig{DataWidth: 64},
			func(c UnitConfig) Params { return Params{FillMask{}, c.DataWidth} }),
	}
}
