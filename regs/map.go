// Package regs describes register maps as data and makes everything of them from
// that one source: the register file as a module of the language, with adapters for
// APB4, AXI4-Lite and OBI, and as facts for others SystemRDL, a C header, Markdown
// and HTML.
//
// A [Map] is a list of words at offsets, each with fields. What software may do with
// a field is its [Access]; what hardware does with it is its [Hardware]. A register
// can tell hardware that it was read or written, and hardware can hold up either.
package regs

import "math/bits"

// Map is a register map: words of DataWidth bits below 2^AddrWidth bytes.
type Map struct {
	Name      string // in snake_case: of modules, types and macros
	Doc       string // sentences on the whole
	DataWidth int    // bits of a register and of the bus: 8, 16, 32 or 64
	AddrWidth int    // bits of a byte offset, 1 to 32
	Registers []Register
}

// Register is a word of the map, or an array of such words.
type Register struct {
	Name   string // in snake_case
	Doc    string // sentences
	Offset uint64 // in bytes, a multiple of the word's
	// Count makes an array of so many elements, Stride bytes apart; 0 is a single
	// register, and a Stride of 0 the word's bytes. No register lies between the elements.
	Count  int
	Stride uint64
	// Present is how many elements of an array the hardware has, from the first on; 0
	// stands for all. Others read as zero and ignore writes.
	Present int
	Fields  []Field
	// OnRead and OnWrite give hardware a strobe in the cycle in which software reads or
	// writes the register. Writes without any byte strobe do not count.
	OnRead, OnWrite bool
	// StallRead and StallWrite let hardware hold up reads or writes, and show it those
	// that are offered.
	StallRead, StallWrite bool
}

// Field is bits Hi down to Lo of a register.
type Field struct {
	Name     string // in snake_case; that of its register where there is nothing to add
	Doc      string // sentences
	Hi, Lo   int
	Access   Access
	Hardware Hardware
	Reset    uint64 // after reset; what constants read as
	Values   []Value
}

// Value is a named value of a field.
type Value struct {
	Name  string // in snake_case
	Value uint64
	Doc   string // may be empty
}

// Access is what software may do with a field.
type Access uint8

const (
	RW    Access = iota // software reads what it wrote
	RO                  // software reads what hardware gives; writes are ignored
	WO                  // software writes, and reads zero
	W1C                 // hardware sets bits, software clears those where it writes one
	RC                  // hardware sets bits, a read returns and clears them
	Pulse               // nothing is stored: hardware sees what is written in the cycle of the write, and zero otherwise
)

var accessNames = [...]string{"RW", "RO", "WO", "W1C", "RC", "pulse"}

// String is the usual abbreviation.
func (a Access) String() string { return name(accessNames[:], int(a), "Access") }

// Hardware is what hardware does with a field.
type Hardware uint8

const (
	// Usual is read for RW, WO and Pulse, written for RO, and both for W1C and RC.
	Usual   Hardware = iota
	Unseen           // neither: software keeps a value there, or reads a constant
	Read             // hardware reads it
	Written          // hardware writes it: RO always, RW where it loads, W1C and RC the bits that it sets
	Both             // both
)

var hardwareNames = [...]string{"usual", "unseen", "read", "written", "both"}

// String is the name in lower case.
func (h Hardware) String() string { return name(hardwareNames[:], int(h), "Hardware") }

// width is the number of bits.
func (f *Field) width() int { return f.Hi - f.Lo + 1 }

// resolved is what hardware does, without Usual.
func (f *Field) resolved() Hardware {
	if f.Hardware != Usual {
		return f.Hardware
	}
	switch f.Access {
	case RO:
		return Written
	case W1C, RC:
		return Both
	}
	return Read
}

// seen reports whether hardware reads the field, given whether it gives it a value.
func (f *Field) seen() bool  { return f.resolved() == Read || f.resolved() == Both }
func (f *Field) given() bool { return f.resolved() == Written || f.resolved() == Both }

// stored reports whether the field has flip-flops.
func (f *Field) stored() bool { return f.Access != RO && f.Access != Pulse }

// readable and writable are software's rights.
func (f *Field) readable() bool { return f.Access != WO && f.Access != Pulse }
func (f *Field) writable() bool { return f.Access != RO && f.Access != RC }

// elements is how many words the register has in the map, and how many of them in
// hardware.
func (r *Register) elements() int { return max(r.Count, 1) }

func (r *Register) present() int {
	if r.Present == 0 {
		return r.elements()
	}
	return r.Present
}

func (r *Register) readable() bool { return r.has((*Field).readable) }
func (r *Register) writable() bool { return r.has((*Field).writable) }

func (r *Register) has(f func(*Field) bool) bool {
	for i := range r.Fields {
		if f(&r.Fields[i]) {
			return true
		}
	}
	return false
}

// bytes is the size of a word.
func (m *Map) bytes() uint64 { return uint64(m.DataWidth / 8) }

// stride is the distance of the elements of an array.
func (m *Map) stride(r *Register) uint64 {
	if r.Stride == 0 {
		return m.bytes()
	}
	return r.Stride
}

// offset is that of element i.
func (m *Map) offset(r *Register, i int) uint64 { return r.Offset + uint64(i)*m.stride(r) }

// wordBits is how many bits of a byte offset lie within a word.
func (m *Map) wordBits() int { return bits.Len(uint(max(m.DataWidth/8, 1)) - 1) }

// File is the parameter of the modules that are made of the map, such as [File] and
// [OnAPB]. The map must not change afterwards.
func (m *Map) File() FileParams { return FileParams{m} }
