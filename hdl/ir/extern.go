package ir

// Extern is what is known of a black box besides its ports: how to instantiate it,
// and how it behaves. Its clocks and resets are those of the module's named domains.
type Extern struct {
	Params []Param // parameters of the instantiation, in order
	// Source is the SystemVerilog of the module, for simulation and lint; empty where
	// the module comes from a vendor's library.
	Source string
	// Model makes the behaviour of one instance; nil where there is none. It is the one
	// part of a design that is code, and has no text form.
	Model func() ExternModel
}

// Param is a parameter of a black box. Value is a literal as SystemVerilog writes
// it, such as 8, 4'b1010 or "BLOCK" with its quotes.
type Param struct{ Name, Value string }

// ExternModel is the behaviour of one instance of a black box. Values are as in
// constants: little-endian words, bits above the width zero; in and out follow the
// order of the module's inputs and of its outputs.
type ExternModel interface {
	// Reset puts the state into what reset of the domain makes of it.
	Reset(d *Domain)
	// Eval sets the outputs from the inputs and the state.
	Eval(in, out [][]uint64)
	// Edge advances the state at an active edge of the domain. The inputs are those
	// before the edge; if several domains have their edge at once, each is called.
	Edge(d *Domain, in [][]uint64)
}
