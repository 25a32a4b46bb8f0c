package diag

// Entry describes a code for people.
type Entry struct {
	Code  Code
	Cause string // what is wrong, in a sentence or two
	Fix   string // what to do about it
}

// Catalogue describes every code. docs/diagnostics.md is made of it.
func Catalogue() []Entry {
	return []Entry{
		{Width, "Two operands, or a target and its value, have different numbers of bits, or a condition has more than one.",
			"Say what is meant: `Trunc` keeps the low bits, `Ext` widens, `Resize` does whichever is needed; `AddX`, `SubX` and `MulX` grow. " +
				"For a condition use `Any`, `All` or a comparison."},
		{Sign, "Signed and unsigned values meet in one operation or assignment.",
			"Reinterpret one of them with `AsSigned` or `AsUnsigned`; widen an unsigned value by a bit first if its top bit may be set."},
		{Literal, "A literal does not fit the type that it takes from its context, or there is no context to take one from.",
			"Widen the other operand, correct the number, or write `hdl.Const(width, value)` where no width is at hand."},
		{Range, "An index, a slice, a width or a size is outside of what exists.",
			"Bits count from 0 to the width minus one; widths and depths are at least 1."},
		{Undriven, "Nothing assigns a wire, an output, or an input of an instance, or some bits of it.",
			"Assign it, or declare it with a `Default`."},
		{Multiple, "Places that neither exclude nor follow each other drive the same bit.",
			"Assign each bit in one place; choose between several values with `Mux`, `Switch` or `FirstOf`."},
		{Overlap, "An unconditional assignment comes after another one, which therefore never takes effect.",
			"Put a default before the conditional assignments, not after them, or remove one of the two."},
		{Latch, "A wire or an output is assigned on some paths through `If` and `Switch` only, and would have to remember its value on the others.",
			"Add an `Else` or a `Default` case, declare the signal with `hdl.Default`, or make it a register if it is to remember."},
		{Loop, "A signal depends on itself within one cycle.",
			"Put a register into the loop, or take the value from before the loop closes."},
		{Unused, "Nothing that matters reads a signal or an input.",
			"Remove it, read it, or declare it with `hdl.MayBeUnused()` if it is there for waves or for later."},
		{Name, "A name is reserved, malformed, too long, or taken by something else in the same module or design, also where only case differs.",
			"Rename it. A field's `hdl:\"name=…\"` tag names a port otherwise than its Go field; `hdl.Named` names a module."},
		{Owner, "A signal of one module is used in another.",
			"Pass it through a port."},
		{Unbound, "A type such as `hdl.U(8)`, or the zero value of a `Signal`, stands where a signal is needed.",
			"Use what `Ports`, `In`, `Out`, `Wire` or `Reg` returned; give every field of an interface a type."},
		{Misuse, "The language is called in a way that it does not allow: an option where it means nothing, an `Else` away from its `If`, a port missing from the " +
			"returned interface, a description that panics.",
			"The message says what was called and what to do instead."},
		{Crossing, "A value of one clock domain, or of none, is taken by a register of another without anything that makes that safe.",
			"Pass it through a synchroniser or an asynchronous FIFO; a register that may take it says why with `hdl.Crosses`."},
		{State, "A state machine has a state that is missing, listed twice, never reached, or without behaviour.",
			"Give each state one `On`, and lead to each with `Next`."},
		{Param, "The `Validate` method of a parameter set refuses it.",
			"The message is that of `Validate`; pass parameters that it accepts."},
	}
}
