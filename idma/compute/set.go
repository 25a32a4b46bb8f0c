package compute

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/millrace-hdl/millrace/hdl"
)

// Set is the operations of an engine, each at the place of its code:
//
//	compute.Set{compute.CodeTranspose: compute.Transpose{}}
//
// Its text form lists their names, in any order: "transpose, mx_quantise_fp32". Only
// the operations of this package can be read from text.
type Set [1 << codeBits]Op

// codeBits is the width of Options.Op.
const codeBits = 4

// Standard is the operations of this package, with all their variants.
func Standard() []Op {
	ops := []Op{Transpose{}, Transpose{OneBank: true}}
	for _, signed := range []bool{false, true} {
		for _, f := range []Float{FP32, FP16} {
			ops = append(ops, MXQuantise{From: f, SignedScale: signed}, MXDequantise{To: f, SignedScale: signed})
		}
	}
	return append(ops, CRC32C{}, ByteSwap{}, FillMask{})
}

// Ops is the operations in the order of their codes.
func (s Set) Ops() []Op {
	return slices.DeleteFunc(slices.Clone(s[:]), func(o Op) bool { return o == nil })
}

// NeedsDstLength tells that requests have to say how many bytes are written, for one of
// the operations at least.
func (s Set) NeedsDstLength() bool { return slices.ContainsFunc(s.Ops(), Op.NeedsDstLength) }

// Validate names what is wrong with the set for a bus of dataWidth bits.
func (s Set) Validate(dataWidth int) error {
	var errs []error
	names := map[string]bool{}
	for code, o := range s {
		switch {
		case o == nil:
		case code == CodeNone:
			errs = append(errs, fmt.Errorf("%s is at the place of code 0, which means no operation; allowed: 1 to %d", o.Name(), len(s)-1))
		case o.Validate(dataWidth) != nil:
			errs = append(errs, fmt.Errorf("%s: %w", o.Name(), o.Validate(dataWidth)))
		case o.Code() != code:
			errs = append(errs, fmt.Errorf("%s is at the place of code %d, but has the code %d", o.Name(), code, o.Code()))
		case names[o.Name()]:
			errs = append(errs, fmt.Errorf("two operations are named %s", o.Name()))
		}
		if o != nil {
			names[o.Name()] = true
		}
	}
	return errors.Join(errs...)
}

// String is the names of the operations.
func (s Set) String() string {
	var names []string
	for _, o := range s.Ops() {
		names = append(names, o.Name())
	}
	return strings.Join(names, ", ")
}

// MarshalText is [Set.String].
func (s Set) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText is the inverse of [Set.MarshalText] for operations of this package.
func (s *Set) UnmarshalText(text []byte) error {
	var set Set
	for _, name := range strings.FieldsFunc(string(text), func(r rune) bool { return strings.ContainsRune(", []", r) }) {
		i := slices.IndexFunc(Standard(), func(o Op) bool { return o.Name() == name })
		if i < 0 {
			var names []string
			for _, o := range Standard() {
				names = append(names, o.Name())
			}
			return fmt.Errorf("%q is none of %s", name, strings.Join(names, ", "))
		}
		o := Standard()[i]
		if other := set[o.Code()]; other != nil {
			return fmt.Errorf("%s and %s have the same code, %d; only one of them can be in an engine", other.Name(), name, o.Code())
		}
		set[o.Code()] = o
	}
	*s = set
	return nil
}

// Grouped is an operation of which several transfers, one behind the other and with the
// same options, make a group: what is written of the first can depend on what is read
// for the last. Other transfers have to stay out of it.
type Grouped interface {
	Op
	// Most is the most transfers that a group may have.
	Most(dataWidth int) int
	// Place judges the transfer that has so many others of its group before it: whether it
	// breaks a rule there, and whether it is the last.
	Place(t Transfer, before hdl.Signal) (violated, last hdl.Signal)
}
