// Package mistakes holds programs as newcomers write them: each compiles, and each
// has one mistake that elaboration finds. A comment "// mistake" stands on the line
// that the diagnostic names. Together they show every code of package diag.
package mistakes

import (
	"github.com/millrace-hdl/millrace/hdl"
	"github.com/millrace-hdl/millrace/hdl/diag"
)

// Mistake is one of the programs.
type Mistake struct {
	File      string // that it stands in
	Code      diag.Code
	Elaborate func() error
}

// All returns every program, in the order of the codes.
func All() []Mistake {
	return []Mistake{
		{"width.go", diag.Width, elaborate(Average, none{})},
		{"sign.go", diag.Sign, elaborate(Offset, none{})},
		{"literal.go", diag.Literal, elaborate(Divider, none{})},
		{"range.go", diag.Range, elaborate(Opcode, none{})},
		{"undriven.go", diag.Undriven, elaborate(Alarm, none{})},
		{"double_drive.go", diag.Multiple, elaborate(Status, none{})},
		{"overwrite.go", diag.Overlap, elaborate(Urgency, none{})},
		{"latch.go", diag.Latch, elaborate(Arbiter, none{})},
		{"comb_loop.go", diag.Loop, elaborate(Handshake, none{})},
		{"unused.go", diag.Unused, elaborate(Meter, none{})},
		{"reserved_name.go", diag.Name, elaborate(Mailbox, none{})},
		{"other_module.go", diag.Owner, elaborate(Watchdog, none{})},
		{"unbound.go", diag.Unbound, elaborate(Parity, none{})},
		{"forgotten_port.go", diag.Misuse, elaborate(Counter, none{})},
		{"clock_crossing.go", diag.Crossing, elaborate(Button, none{})},
		{"memory_promise.go", diag.Crossing, elaborate(Queue, none{})},
		{"unreachable_state.go", diag.State, elaborate(Lock, none{})},
		{"param.go", diag.Param, elaborate(Carousel, none{})},
	}
}

// none is the parameter set of a module that has no parameters.
type none struct{}

func elaborate[P, IO any](build hdl.Build[P, IO], p P) func() error {
	return func() error {
		_, err := hdl.Elaborate(build, p)
		return err
	}
}
