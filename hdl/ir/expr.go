package ir

import "strconv"

func itoa(n int) string { return strconv.Itoa(n) }

// Expr is a value. Expressions form a directed acyclic graph: one node may have
// several users. The implementations are the types of this file and no others.
type Expr interface {
	Type() Type
	Position() Pos
	expr()
}

// UnaryOp is an operator with one operand.
type UnaryOp uint8

const (
	Not    UnaryOp = iota // every bit inverted; type of the operand
	Neg                   // two's complement; type of the operand
	RedAnd                // 1 bit: all ones
	RedOr                 // 1 bit: any one
	RedXor                // 1 bit: parity
)

var unaryNames = [...]string{"not", "neg", "and_r", "or_r", "xor_r"}

func (o UnaryOp) String() string { return unaryNames[o] }

// BinaryOp is an operator with two operands. Except for shifts both operands
// have the same type.
type BinaryOp uint8

const (
	And BinaryOp = iota // bitwise; type of the operands, as up to Mul
	Or
	Xor
	Add // modulo 2^width
	Sub
	Mul
	Eq // 1 bit unsigned, as up to Ge; order follows the operands' signedness
	Ne
	Lt
	Le
	Gt
	Ge
	Shl // type of X; Y is unsigned of any width; zeros enter
	Shr // type of X; Y is unsigned of any width; the sign enters if X is signed
)

var binaryNames = [...]string{"and", "or", "xor", "add", "sub", "mul", "eq", "ne", "lt", "le", "gt", "ge", "shl", "shr"}

func (o BinaryOp) String() string { return binaryNames[o] }

// Compare reports whether the operator yields a truth value.
func (o BinaryOp) Compare() bool { return o >= Eq && o <= Ge }

type (
	// Ref reads a signal of the same module.
	Ref struct {
		Signal *Signal
		Pos    Pos
	}
	// Const is a literal. Words are little-endian, and bits above the width are zero,
	// also for negative values of signed types.
	Const struct {
		Typ   Type
		Words []uint64
		Pos   Pos
	}
	// Unary applies Op to X.
	Unary struct {
		Op  UnaryOp
		X   Expr
		Pos Pos
	}
	// Binary applies Op to X and Y.
	Binary struct {
		Op   BinaryOp
		X, Y Expr
		Pos  Pos
	}
	// Mux is Then where the 1-bit Cond is one, else Else; both have the same type.
	Mux struct {
		Cond, Then, Else Expr
		Pos              Pos
	}
	// Cat concatenates, most significant part first; the result is unsigned.
	Cat struct {
		Parts []Expr
		Pos   Pos
	}
	// Slice is Width bits of X from bit Lo up; the result is unsigned.
	Slice struct {
		X         Expr
		Lo, Width int
		Pos       Pos
	}
	// Extend widens X to Width, with its sign if X is signed and zeros if not; the
	// signedness stays.
	Extend struct {
		X     Expr
		Width int
		Pos   Pos
	}
	// Cast reads the bits of X as signed or unsigned.
	Cast struct {
		X      Expr
		Signed bool
		Pos    Pos
	}
	// Select is Width bits of X from bit Index times Stride up; the result is unsigned,
	// and bits beyond X are zero. Index is unsigned, of any width.
	Select struct {
		X, Index      Expr
		Stride, Width int
		Pos           Pos
	}
	// MemRead is the asynchronous read of a memory.
	MemRead struct {
		Mem  *Mem
		Addr Expr // unsigned, Mem.AddrWidth bits
		Pos  Pos
	}
)

func (e *Ref) Type() Type   { return e.Signal.Type }
func (e *Const) Type() Type { return e.Typ }
func (e *Unary) Type() Type {
	if e.Op >= RedAnd {
		return Type{Width: 1}
	}
	return plain(e.X.Type())
}
func (e *Binary) Type() Type {
	if e.Op.Compare() {
		return Type{Width: 1}
	}
	return plain(e.X.Type())
}
func (e *Mux) Type() Type { return e.Then.Type() }
func (e *Cat) Type() Type {
	w := 0
	for _, p := range e.Parts {
		w += p.Type().Width
	}
	return Type{Width: w}
}
func (e *Slice) Type() Type   { return Type{Width: e.Width} }
func (e *Extend) Type() Type  { return Type{Width: e.Width, Signed: e.X.Type().Signed} }
func (e *Cast) Type() Type    { return Type{Width: e.X.Type().Width, Signed: e.Signed} }
func (e *Select) Type() Type  { return Type{Width: e.Width} }
func (e *MemRead) Type() Type { return e.Mem.Elem }

// plain drops the enumeration, which arithmetic does not keep.
func plain(t Type) Type { return Type{Width: t.Width, Signed: t.Signed} }

func (e *Ref) Position() Pos     { return e.Pos }
func (e *Const) Position() Pos   { return e.Pos }
func (e *Unary) Position() Pos   { return e.Pos }
func (e *Binary) Position() Pos  { return e.Pos }
func (e *Mux) Position() Pos     { return e.Pos }
func (e *Cat) Position() Pos     { return e.Pos }
func (e *Slice) Position() Pos   { return e.Pos }
func (e *Extend) Position() Pos  { return e.Pos }
func (e *Cast) Position() Pos    { return e.Pos }
func (e *Select) Position() Pos  { return e.Pos }
func (e *MemRead) Position() Pos { return e.Pos }

func (*Ref) expr()     {}
func (*Const) expr()   {}
func (*Unary) expr()   {}
func (*Binary) expr()  {}
func (*Mux) expr()     {}
func (*Cat) expr()     {}
func (*Slice) expr()   {}
func (*Extend) expr()  {}
func (*Cast) expr()    {}
func (*Select) expr()  {}
func (*MemRead) expr() {}

// NewConst returns the literal v, modulo 2^width.
func NewConst(t Type, v uint64) *Const {
	w := make([]uint64, t.Words())
	w[0] = v
	c := &Const{Typ: t, Words: w}
	c.mask()
	return c
}

func (c *Const) mask() {
	if r := c.Typ.Width % 64; r != 0 {
		c.Words[len(c.Words)-1] &= 1<<r - 1
	}
}

// IsZero reports whether all bits are zero.
func (c *Const) IsZero() bool {
	for _, w := range c.Words {
		if w != 0 {
			return false
		}
	}
	return true
}

// Bit is bit i of the literal.
func (c *Const) Bit(i int) bool { return c.Words[i/64]>>(i%64)&1 == 1 }

// Uint64 is the value, with ok false if it needs more than 64 bits.
func (c *Const) Uint64() (v uint64, ok bool) {
	for _, w := range c.Words[1:] {
		if w != 0 {
			return 0, false
		}
	}
	return c.Words[0], true
}
