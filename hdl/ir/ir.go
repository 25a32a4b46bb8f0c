// Package ir is the data that one hardware description becomes: a [Design] is a
// set of modules; a [Module] owns signals, memories, instances and an ordered
// list of statements; statements assign expressions to signals. The node set is
// closed: every consumer (checks, emission, simulation) handles exactly the
// kinds below and reaches children through the one generic walk in walk.go.
//
// Semantics in one paragraph. All signals are two-state vectors. Statements of a
// module run in order, and the last executed assignment to a bit wins. A Wire or
// InstIn takes its value in the same cycle; a Reg takes it at the next rising
// edge of the module's one implicit clock and otherwise holds. All registers with
// a non-nil Init are reset by the one implicit reset, whose style (synchronous or
// not, polarity) is no property of the IR: the emitter chooses it per design.
package ir

import "math/bits"

// Design is a hierarchy ready for emission or simulation.
type Design struct {
	Top *Module
	// Modules holds each module once, children before parents, Top last. The
	// order is a function of the description alone.
	Modules []*Module
}

// Module is one hardware module. Names of signals, memories and instances share
// one namespace, unique ignoring case.
type Module struct {
	Name      string
	Doc       string // comment above the module; may have several lines
	Params    string // the Go parameters it was built from, for the header comment
	Attrs     []Attr
	Signals   []*Signal // ports in declaration order among them
	Mems      []*Mem
	Instances []*Instance
	Body      []Stmt
	Pos       Pos
}

// Attr is a synthesis attribute: (* Name = "Value" *).
type Attr struct{ Name, Value string }

// Type is the shape of a value. Enum, when set, names values for waves and RTL
// and plays no part in type equality.
type Type struct {
	Width  int // bits, at least 1
	Signed bool
	Enum   *Enum
}

// Same reports whether two types have equal width and signedness.
func (t Type) Same(o Type) bool { return t.Width == o.Width && t.Signed == o.Signed }

// Words is the number of 64-bit words that hold a value of the type.
func (t Type) Words() int { return (t.Width + 63) / 64 }

// String prints u8 for an unsigned, s8 for a signed type.
func (t Type) String() string {
	if t.Signed {
		return "s" + itoa(t.Width)
	}
	return "u" + itoa(t.Width)
}

// Enum names the values of a signal.
type Enum struct {
	Name   string // type name, snake_case
	Values []EnumValue
}

// EnumValue is one named value.
type EnumValue struct {
	Name  string // as it appears in RTL and waves
	Value uint64
}

// Kind says how a signal gets its value.
type Kind uint8

const (
	Input    Kind = iota // port, driven from outside
	Output               // port, assigned by the body like a wire; readable inside
	Wire                 // assigned by the body
	Reg                  // assigned by the body, takes effect at the clock edge
	InstIn               // input port of a child instance: assigned by the body like a wire
	InstOut              // output port of a child instance: read only
	SyncRead             // data register of a memory's synchronous read port: read only
)

var kindNames = [...]string{"input", "output", "wire", "reg", "inst_in", "inst_out", "sync_read"}

func (k Kind) String() string { return kindNames[k] }

// Driven reports whether statements of the body assign signals of this kind.
func (k Kind) Driven() bool { return k == Output || k == Wire || k == Reg || k == InstIn }

// Comb reports whether the body assigns such signals combinationally.
func (k Kind) Comb() bool { return k == Output || k == Wire || k == InstIn }

// Signal is a named vector owned by one module.
type Signal struct {
	Name string // unique in its module; for InstIn/InstOut: <instance>_<port>
	Kind Kind
	Type Type
	// Init is the reset value of a Reg; nil for a register without reset.
	Init *Const
	// Default is what a Wire, Output or InstIn carries where no statement assigns
	// it; nil means that the statements must assign every bit on every path.
	Default Expr
	// Inst and Port are set for InstIn and InstOut: the instance and the child's port.
	Inst *Instance
	Port *Signal
	// Mem is set for SyncRead.
	Mem    *Mem
	Attrs  []Attr
	Note   string // comment above the declaration; may have several lines
	Pos    Pos
	Module *Module
	// Temp marks a name that the tools derived; it may be folded away. Names given
	// by the user never have it set.
	Temp bool
	// Unused records that the description declared the signal deliberately
	// unread (or, for an input, deliberately unconnected inside).
	Unused bool
}

// ReadDuringWrite says what a read port returns when the address is written in
// the same cycle.
type ReadDuringWrite uint8

const (
	OldData   ReadDuringWrite = iota // the value before the write
	NewData                          // the value being written
	Undefined                        // either; a description must not depend on it
)

var rdwNames = [...]string{"old", "new", "undefined"}

func (r ReadDuringWrite) String() string { return rdwNames[r] }

// Mem is a memory of Depth elements with one write port (its [MemWrite]
// statement) and one read port: asynchronous ([MemRead] expressions, always old
// data) or synchronous (Read). Contents are undefined until written. A read
// beyond Depth is undefined and simulates as zero; a write beyond it is dropped.
type Mem struct {
	Name   string
	Elem   Type
	Depth  int
	Style  string // "", "block", "distributed" or "registers"
	Read   *SyncPort
	Attrs  []Attr
	Note   string
	Pos    Pos
	Module *Module
}

// AddrWidth is the width of the memory's addresses, at least 1.
func (m *Mem) AddrWidth() int { return AddrBits(m.Depth) }

// AddrBits is the number of bits that address n elements, at least 1.
func AddrBits(n int) int {
	if n <= 2 {
		return 1
	}
	return bits.Len(uint(n - 1))
}

// SyncPort is a synchronous read port: at the clock edge, if En, Data takes the
// addressed element; otherwise it holds.
type SyncPort struct {
	Addr   Expr
	En     Expr // 1 bit
	During ReadDuringWrite
	Data   *Signal // Kind SyncRead
}

// Instance places a child module. Each port of the child has one signal in the
// parent (Kind InstIn or InstOut), in the child's port order.
type Instance struct {
	Name  string
	Of    *Module
	Conns []*Signal
	Attrs []Attr
	Note  string
	Pos   Pos
}

// Ports returns the inputs and outputs in declaration order.
func (m *Module) Ports() []*Signal {
	var ps []*Signal
	for _, s := range m.Signals {
		if s.Kind == Input || s.Kind == Output {
			ps = append(ps, s)
		}
	}
	return ps
}

// Clocked reports whether the module or anything below it holds state, that is,
// whether it needs the clock.
func (m *Module) Clocked() bool {
	if len(m.Mems) > 0 {
		return true
	}
	for _, s := range m.Signals {
		if s.Kind == Reg {
			return true
		}
	}
	for _, i := range m.Instances {
		if i.Of.Clocked() {
			return true
		}
	}
	return false
}

// Resettable reports whether the module or anything below it has a register with
// a reset value, that is, whether it needs the reset.
func (m *Module) Resettable() bool {
	for _, s := range m.Signals {
		if s.Kind == Reg && s.Init != nil {
			return true
		}
	}
	for _, i := range m.Instances {
		if i.Of.Resettable() {
			return true
		}
	}
	return false
}
