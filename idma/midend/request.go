// Package midend is what stands between front-ends and back-ends (specification §3):
// it makes linear transfers of those that front-ends describe.
package midend

import (
	"slices"

	"github.com/millrace-hdl/millrace/hdl"
	"github.com/millrace-hdl/millrace/idma/backend"
)

// Request is a transfer of any number of dimensions (specification §1.1): a linear one,
// and a loop around it for each further dimension.
type Request struct {
	Transfer backend.Request `hdl:"name="`
	Dims     []Dim           `hdl:"name=dim"` // the innermost loop first
}

// Dim is a loop. Strides are jumps: they are added to the address of the transfer just
// issued when the loop goes on, so where inner loops have moved the address a stride
// counts from there (specification §3.2).
type Dim struct {
	Reps      hdl.Var // how often
	SrcStride hdl.Var // bytes, two's complement, as wide as addresses
	DstStride hdl.Var
}

// RequestType is the type of requests with so many loops around the transfers of a
// back-end, counted in repsWidth bits.
func RequestType(c backend.Config, loops, repsWidth int) Request {
	return requestType(c, slices.Repeat([]int{repsWidth}, loops)...)
}

// requestType is the same with a width for each loop, the innermost first.
func requestType(c backend.Config, repsWidths ...int) Request {
	r := Request{Transfer: c.RequestType()}
	for _, w := range repsWidths {
		r.Dims = append(r.Dims, Dim{hdl.U(w), hdl.U(c.AddrWidth), hdl.U(c.AddrWidth)})
	}
	return r
}

// Event is a transfer that is launched again and again (specification §3.5), as levels:
// they hold still while Enable is one.
type Event struct {
	Enable  hdl.Var
	Period  hdl.Var // cycles from one launch to the next
	Request Request `hdl:"name="`
}

// EventType is the type of events whose transfers have so many loops.
func EventType(c backend.Config, loops, repsWidth int) Event {
	return Event{hdl.Bool(), hdl.U(32), RequestType(c, loops, repsWidth)}
}
