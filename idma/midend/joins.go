package midend

import (
	"fmt"
	"strings"
)

// LinkError is a pair of links of different types where stages are to be joined.
type LinkError struct {
	Above, Below LinkConfig
	Differences  []string // in what: each with both values
}

func (e *LinkError) Error() string {
	return fmt.Sprintf("the link has %s above and %s below; they differ in %s; give both stages the same",
		e.Above, e.Below, strings.Join(e.Differences, ", "))
}

// Joins is nil if a stage with the one link below can stand above a stage with the other
// link above, else a [*LinkError]. What concerns the inside of the back-end alone, such as
// its buffer, may differ.
func Joins(above, below LinkConfig) error {
	var differences []string
	as, bs := above.properties(), below.properties()
	for i, a := range as {
		if b := bs[i]; a.value != b.value {
			differences = append(differences, fmt.Sprintf("%s (%v, %v)", a.name, a.value, b.value))
		}
	}
	if len(differences) == 0 {
		return nil
	}
	return &LinkError{above, below, differences}
}

// property is one of those in which the links of two stages must agree: together they
// make the types of requests, responses and actions.
type property struct {
	name  string
	value any
}

func (c LinkConfig) properties() []property {
	b := c.Backend
	return []property{
		{"Dims", c.Dims}, {"RepsWidths", strings.Trim(fmt.Sprint(c.widths()), "[]")},
		{"AddrWidth", b.AddrWidth}, {"LengthWidth", b.LengthWidth}, {"IDWidth", b.IDWidth}, {"UserWidth", b.UserWidth},
		{"ReadProtocols", b.ReadProtocols.String()}, {"WriteProtocols", b.WriteProtocols.String()},
		{"Coupler", b.Coupler}, {"Legalizer", b.Legalizer}, {"ErrorHandling", b.ErrorHandling},
		{"Compute", b.Compute.String()}, {"Compute", b.Compute.String()},
	}
}

// String tells what requests the link has.
func (c LinkConfig) String() string {
	dims := "1 dimension"
	if c.Dims != 1 {
		dims = fmt.Sprintf("%d dimensions, counted in %s bits", c.Dims, strings.ReplaceAll(strings.Trim(fmt.Sprint(c.widths()), "[]"), " ", ", "))
	}
	b := c.Backend
	s := fmt.Sprintf("requests of %s, for a back-end from %s to %s with addresses of %d and lengths of %d bits", dims, b.ReadProtocols, b.WriteProtocols, b.AddrWidth, b.LengthWidth)
	if b.ErrorHandling {
		s += " and error handling"
	}
	return s
}
