package hdl

import (
	"fmt"

	"github.com/millrace-hdl/millrace/hdl/ir"
)

// Enum is a set of named values whose names reach RTL and waves.
type Enum struct{ ir *ir.Enum }

// NewEnum names the values 0, 1, 2, … of a type.
func NewEnum(name string, values ...string) Enum {
	e := &ir.Enum{Name: name}
	for i, v := range values {
		e.Values = append(e.Values, ir.EnumValue{Name: v, Value: uint64(i)})
	}
	return Enum{e}
}

// Type is the unsigned type that just holds the enumeration's values.
func (e Enum) Type() Var {
	return Var{Signal: Signal{typ: ir.Type{Width: ir.AddrBits(len(e.ir.Values)), Enum: e.ir}}}
}

// K is the literal of a named value. It panics for a name that the enumeration
// does not have, which elaboration reports.
func (e Enum) K(value string) K {
	for _, v := range e.ir.Values {
		if v.Name == value {
			return K(v.Value)
		}
	}
	panic(fmt.Sprintf("enumeration %s has no value %q", e.ir.Name, value))
}
