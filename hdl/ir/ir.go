// Package ir is the data that one hardware description becomes: a [Design] is a
// set of modules; a [Module] owns signals, memories, instances and an ordered
// list of statements; statements assign expressions to signals. The node set is
// closed: every consumer (checks, emission, simulation) handles exactly the
// kinds below and reaches children through the one generic walk in walk.go.
//
// Semantics in one paragraph. All signals are two-state vectors. Statements of a
// module run in order, and the last executed assignment to a bit wins. A Wire or
// InstIn takes its value in the same cycle; a Reg takes it at the next active edge
// of its clock domain and otherwise holds. Every module has one implicit domain,
// written as a nil *[Domain]; it may have named ones besides. All registers with a
// non-nil Init are reset by the reset of their domain; the style of the implicit
// domain's reset is no property of the IR: the emitter chooses it per design.
//
// What exists only to state properties is a ghost: signals with Ghost set, the
// statements that assign them, and the module's Properties. Nothing else reads a
// ghost, so that leaving them out changes nothing.
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
	Name   string
	Doc    string // comment above the module; may have several lines
	Params string // the Go parameters it was built from, for the header comment
	Attrs  []Attr
	// Domains are the named clock domains, whose clocks and resets are inputs of the
	// module. The implicit domain is not among them.
	Domains    []*Domain
	Signals    []*Signal // ports in declaration order among them
	Mems       []*Mem
	Instances  []*Instance
	Body       []Stmt
	Properties []*Property
	// Extern makes the module a black box: it has ports and domains and nothing else
	// of the above.
	Extern *Extern
	Pos    Pos
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
	Mem *Mem
	// Domain is the clock of a Reg or SyncRead, and what an Input or Output belongs to;
	// nil is the module's implicit domain. Of other kinds it is nil and means nothing:
	// their domain follows from what drives them.
	Domain *Domain
	// Async marks an Input that belongs to no domain, and an Output that may carry
	// values of any.
	Async bool
	// Crossing says why a Reg or SyncRead may take values of another domain, such as
	// being the first stage of a synchroniser; empty if it may not.
	Crossing string
	// Ghost marks a Wire or Reg that exists only for properties.
	Ghost bool
	// Registered marks an Output of a black box that no input reaches in the same cycle.
	Registered bool
	Attrs      []Attr
	Note       string // comment above the declaration; may have several lines
	Pos        Pos
	Module     *Module
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

// Mem is a memory of Depth elements. Each [MemWrite] statement is a write port and
// each [MemRead] expression an asynchronous read port (always old data); Reads are
// the synchronous ones. Contents that Init does not give are undefined until
// written. A read beyond Depth is undefined and simulates as zero; a write beyond
// it is dropped. Where two ports of one domain write an element at one edge, the
// later statement wins; of different domains, the element becomes undefined.
type Mem struct {
	Name   string
	Elem   Type
	Depth  int
	Style  string   // "", "block", "distributed" or "registers"
	Init   []*Const // initial contents from element 0 up, at most Depth; may be empty
	Reads  []*SyncPort
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

// SyncPort is a synchronous read port: at the edge of Data's domain, if En, Data
// takes the addressed element; otherwise it holds.
type SyncPort struct {
	Addr Expr
	En   Expr // 1 bit
	// During has one entry per write port, in the order of [Mem.Writes]. It is
	// Undefined for ports of another domain.
	During []ReadDuringWrite
	Data   *Signal // Kind SyncRead
}

// Instance places a child module. Each port of the child has one signal in the
// parent (Kind InstIn or InstOut), in the child's port order.
type Instance struct {
	Name  string
	Of    *Module
	Conns []*Signal
	// Domain is the parent's domain that clocks the child's implicit domain, and
	// Domains those that clock its named ones, in order.
	Domain  *Domain
	Domains []*Domain
	Attrs   []Attr
	Note    string
	Pos     Pos
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

// Uses reports whether the module or anything below it holds state in the domain,
// that is, whether it needs the domain's clock, and whether any of that state has a
// reset value, that is, whether it needs the reset. With ghosts, state that exists
// for properties counts, and so do the properties.
func (m *Module) Uses(d *Domain, ghosts bool) (clock, reset bool) {
	if m.Extern != nil {
		return d != nil, d != nil && d.Reset != ""
	}
	for _, s := range m.Signals {
		if (s.Kind == Reg || s.Kind == SyncRead) && s.Domain == d && (ghosts || !s.Ghost) {
			clock = true
			reset = reset || s.Init != nil
		}
	}
	if ghosts {
		for _, p := range m.Properties {
			if p.Domain == d {
				return true, true
			}
		}
	}
	for _, mem := range m.Mems {
		for _, w := range mem.Writes() {
			clock = clock || w.Domain == d
		}
	}
	for _, i := range m.Instances {
		of := func(inner, outer *Domain) {
			if outer == d && !(clock && reset) {
				c, r := i.Of.Uses(inner, ghosts)
				clock, reset = clock || c, reset || r
			}
		}
		of(nil, i.Domain)
		for k, inner := range i.Of.Domains {
			of(inner, i.Domains[k])
		}
	}
	return clock, reset
}

// Clocked reports whether the module or anything below it, ghosts apart, needs the
// clock of the implicit domain.
func (m *Module) Clocked() bool {
	c, _ := m.Uses(nil, false)
	return c
}

// Resettable reports whether the module or anything below it, ghosts apart, needs
// the reset of the implicit domain.
func (m *Module) Resettable() bool {
	_, r := m.Uses(nil, false)
	return r
}
