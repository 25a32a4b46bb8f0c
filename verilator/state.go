package verilator

import (
	"fmt"
	"slices"
	"unsafe"

	"github.com/ebitengine/purego"

	"github.com/millrace-hdl/millrace/hdl/sim"
)

var _ sim.Stateful = (*Engine)(nil)

// Vars implements [sim.Engine]: the named registers, or nothing without
// Options.State.
func (e *Engine) Vars() []sim.Var { return slices.Clone(e.lib.vars) }

// State implements [sim.Stateful].
func (e *Engine) State() []uint64 {
	if !e.fresh && e.model != 0 {
		purego.SyscallN(e.lib.calls.snapshot, e.model)
		e.fresh = true
	}
	return e.state
}

// StateOffset implements [sim.Stateful].
func (e *Engine) StateOffset(v sim.Var) int { return e.lib.offsets[v.Index] }

// Read implements [sim.Engine].
func (e *Engine) Read(v sim.Var, dst []uint64) {
	copy(dst[:v.Type.Words()], e.State()[e.lib.offsets[v.Index]:])
}

// Write implements [sim.Stateful]. Bits above the width of the register are ignored.
func (e *Engine) Write(v sim.Var, src []uint64) {
	e.transfer(e.lib.calls.set, v.Index, 0, 1, src[:v.Type.Words()])
}

// Mems implements [sim.Stateful]: all memories, or nothing without Options.State.
func (e *Engine) Mems() []sim.MemVar { return slices.Clone(e.lib.mems) }

// ReadMem implements [sim.Stateful].
func (e *Engine) ReadMem(m sim.MemVar, first int, dst []uint64) {
	e.transfer(e.lib.calls.get, len(e.lib.vars)+m.Index, first, elementsIn(m, first, dst), dst)
}

// WriteMem implements [sim.Stateful]. Bits above the width of an element are ignored.
func (e *Engine) WriteMem(m sim.MemVar, first int, src []uint64) {
	e.transfer(e.lib.calls.set, len(e.lib.vars)+m.Index, first, elementsIn(m, first, src), src)
}

// transfer moves n elements of a variable, from the first, to or from words.
func (e *Engine) transfer(call uintptr, variable, first, n int, words []uint64) {
	if e.model == 0 || n == 0 {
		return
	}
	purego.SyscallN(call, e.model, uintptr(variable), uintptr(first), uintptr(n), uintptr(unsafe.Pointer(&words[0])))
	e.fresh = e.fresh && call != e.lib.calls.set
}

// elementsIn is how many elements of a memory the words hold. It panics, as
// indexing an array does, if the memory has not that many from the first: the
// model itself would not notice.
func elementsIn(m sim.MemVar, first int, words []uint64) int {
	n := len(words) / m.Type.Words()
	if first < 0 || n > m.Depth-first {
		panic(fmt.Sprintf("verilator: %d elements from %s[%d]: the memory has %d", n, m.Path, first, m.Depth))
	}
	return n
}
