package verilator

import (
	"errors"
	"fmt"
	"runtime"
	"strings"
	"unsafe"

	"github.com/ebitengine/purego"

	"github.com/millrace-hdl/millrace/hdl/sim"
)

// Engine is a running Verilated model. Each method is one call into it or none.
// A failing assertion, $stop or $finish ends no process: the method that ran
// into it returns an error with the RTL's message.
//
// Without Options.State it has no Vars.
type Engine struct {
	lib            *Library
	model          uintptr
	in, out, state []uint64 // shared with the model
	handle         *handle
	cleanup        runtime.Cleanup
	cycle          uint64
	stops          uintptr
	fresh          bool // state is that of the model
}

// Layout implements [sim.Engine].
func (e *Engine) Layout() *sim.Layout { return e.lib.layout }

// In implements [sim.Engine].
func (e *Engine) In() []uint64 { return e.in }

// Out implements [sim.Engine].
func (e *Engine) Out() []uint64 { return e.out }

// Cycle implements [sim.Engine].
func (e *Engine) Cycle() uint64 { return e.cycle }

var errClosed = errors.New("the model is closed")

// Eval implements [sim.Engine].
func (e *Engine) Eval() error {
	if e.model == 0 {
		return errClosed
	}
	stops, _, _ := purego.SyscallN(e.lib.calls.eval, e.model)
	return e.check(stops)
}

// Step implements [sim.Engine].
func (e *Engine) Step() error { return e.tick(e.lib.layout.AllDomains()) }

// Tick implements [sim.Engine].
func (e *Engine) Tick(domains uint64) error {
	if err := e.lib.layout.CheckDomains(domains); err != nil {
		return err
	}
	return e.tick(domains)
}

func (e *Engine) tick(domains uint64) error {
	if e.model == 0 {
		return errClosed
	}
	stops, _, _ := purego.SyscallN(e.lib.calls.tick, e.model, uintptr(domains))
	e.cycle++
	e.fresh = true
	if stops == e.stops {
		return nil
	}
	return e.check(stops)
}

// Run implements [sim.Engine]. A stop in the RTL ends it after that cycle.
func (e *Engine) Run(n int) error {
	if e.model == 0 {
		return errClosed
	}
	if n < 0 {
		return fmt.Errorf("run %d cycles: the number must not be negative", n)
	}
	if n == 0 {
		return nil
	}
	var done uint64
	stops, _, _ := purego.SyscallN(e.lib.calls.run, e.model, uintptr(n), uintptr(unsafe.Pointer(&done)))
	e.cycle += done
	e.fresh = true
	return e.check(stops)
}

// Reset implements [sim.Engine]. The reset is asserted together with the first
// clock edge, so that one that needs no edge acts in the same cycle as one that
// does, and released while the clock is low.
func (e *Engine) Reset(cycles int) error {
	if e.model == 0 {
		return errClosed
	}
	if cycles < 1 {
		return fmt.Errorf("reset for %d cycles: at least 1 is needed", cycles)
	}
	stops, _, _ := purego.SyscallN(e.lib.calls.reset, e.model, uintptr(cycles))
	e.cycle += uint64(cycles)
	e.fresh = true
	return e.check(stops)
}

// check turns new stops into an error.
func (e *Engine) check(stops uintptr) error {
	if stops == e.stops {
		return nil
	}
	e.stops = stops
	var text [4096]byte
	purego.SyscallN(e.lib.calls.text, e.model, uintptr(unsafe.Pointer(&text[0])), uintptr(len(text)))
	s, _, _ := strings.Cut(string(text[:]), "\x00")
	return fmt.Errorf("cycle %d: the RTL stopped: %s", e.cycle, strings.Join(strings.Fields(s), " "))
}

// Close implements [sim.Engine].
func (e *Engine) Close() error {
	if e.model == 0 {
		return nil
	}
	e.cleanup.Stop()
	e.handle.close()
	e.model = 0
	return nil
}
