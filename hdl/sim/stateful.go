package sim

import "github.com/millrace-hdl/millrace/hdl/ir"

// Stateful is an [Engine] whose registers and memories can be read in bulk and
// written: what it takes to start two engines alike and to compare them.
type Stateful interface {
	Engine
	MemReader
	// State is the present contents of all registers: an array that is valid until
	// the next call. It may hold other words between them.
	State() []uint64
	// StateOffset is where a register of Vars starts in State.
	StateOffset(v Var) int
	// Write gives a register of Vars the value at src. Combinational logic follows
	// at the next Eval or Step.
	Write(v Var, src []uint64)
	// WriteMem gives elements from first up the values in src.
	WriteMem(m MemVar, first int, src []uint64)
}

// MemReader is what shows its memories.
type MemReader interface {
	// Mems lists the memories. The order is fixed.
	Mems() []MemVar
	// ReadMem copies elements from first up into dst, as many as fill it. Each takes
	// as many words as its type.
	ReadMem(m MemVar, first int, dst []uint64)
}

// MemVar is a memory inside a design.
type MemVar struct {
	Path  string // instance names and memory name joined by dots, without the top's name
	Type  ir.Type
	Depth int
	Index int // position in Mems
}
