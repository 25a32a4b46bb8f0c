package idma

import (
	"fmt"
	"strings"

	"github.com/millrace-hdl/millrace/idma/frontend"
)

// Frontend is what software meets (specification §4).
type Frontend uint8

// The front-ends: a layout of registers each, descriptors, and instructions.
const (
	Reg32     = Frontend(frontend.Reg32)
	Reg32x2D  = Frontend(frontend.Reg32x2D)
	Reg32x3D  = Frontend(frontend.Reg32x3D)
	Reg64     = Frontend(frontend.Reg64)
	Reg64x2D  = Frontend(frontend.Reg64x2D)
	Reg32RT3D = Frontend(frontend.Reg32RT3D)
	Desc64    = Frontend(6)
	Inst64    = Frontend(7)

	frontends = 8
)

// String is the name that the specification gives it.
func (f Frontend) String() string {
	switch {
	case f.registers():
		return frontend.Layout(f).String()
	case f == Desc64:
		return "desc_64"
	case f == Inst64:
		return "inst_64"
	}
	return fmt.Sprintf("Frontend(%d)", uint8(f))
}

// MarshalText is [Frontend.String].
func (f Frontend) MarshalText() ([]byte, error) { return []byte(f.String()), nil }

// UnmarshalText is the inverse of [Frontend.MarshalText].
func (f *Frontend) UnmarshalText(text []byte) error {
	var names []string
	for i := range Frontend(frontends) {
		if i.String() == string(text) {
			*f = i
			return nil
		}
		names = append(names, i.String())
	}
	return fmt.Errorf("%q is no front-end; choose from %s", text, strings.Join(names, ", "))
}

// registers reports whether it is one of registers.
func (f Frontend) registers() bool { return f < Desc64 }
