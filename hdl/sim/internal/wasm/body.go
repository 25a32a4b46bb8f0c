package wasm

import "encoding/binary"

// Op is an instruction without immediate operands.
type Op byte

// Instructions, by the names of the text format.
const (
	Else   Op = 0x05
	End    Op = 0x0b
	Drop   Op = 0x1a
	Select Op = 0x1b

	I32Eqz Op = 0x45
	I32Eq  Op = 0x46
	I32Ne  Op = 0x47
	I32LtU Op = 0x49
	I64Eqz Op = 0x50
	I64Eq  Op = 0x51
	I64Ne  Op = 0x52
	I64LtS Op = 0x53
	I64LtU Op = 0x54
	I64GeS Op = 0x59
	I64GeU Op = 0x5a

	I32Add Op = 0x6a
	I32Sub Op = 0x6b
	I32Mul Op = 0x6c
	I32And Op = 0x71
	I32Or  Op = 0x72
	I32Xor Op = 0x73
	I32Shl Op = 0x74

	I64Popcnt Op = 0x7b
	I64Add    Op = 0x7c
	I64Sub    Op = 0x7d
	I64Mul    Op = 0x7e
	I64And    Op = 0x83
	I64Or     Op = 0x84
	I64Xor    Op = 0x85
	I64Shl    Op = 0x86
	I64ShrS   Op = 0x87
	I64ShrU   Op = 0x88
	I64Rotl   Op = 0x89

	I32WrapI64    Op = 0xa7
	I64ExtendI32U Op = 0xad
)

// Body is the code of a function.
type Body struct {
	code   []byte
	first  uint32 // index of the first local that is no parameter
	locals []Type
	n      int
}

// NewBody starts the body of a function with the given number of parameters.
func NewBody(params int) *Body { return &Body{first: uint32(params)} }

// Count is the number of instructions so far.
func (b *Body) Count() int { return b.n }

// Local makes a new local and returns its index.
func (b *Body) Local(t Type) uint32 {
	b.locals = append(b.locals, t)
	return b.first + uint32(len(b.locals)) - 1
}

// Op appends an instruction without immediates.
func (b *Body) Op(op Op) { b.put(byte(op)) }

func (b *Body) put(op byte) {
	b.code = append(b.code, op)
	b.n++
}

// Get pushes a local.
func (b *Body) Get(local uint32) { b.index(0x20, local) }

// Set pops into a local.
func (b *Body) Set(local uint32) { b.index(0x21, local) }

// Tee copies the top of the stack into a local.
func (b *Body) Tee(local uint32) { b.index(0x22, local) }

// Call calls a function.
func (b *Body) Call(f uint32) { b.index(0x10, f) }

// BranchIf leaves blocks, or repeats a loop, if the top of the stack is not zero.
func (b *Body) BranchIf(depth uint32) { b.index(0x0d, depth) }

func (b *Body) index(op byte, i uint32) {
	b.put(op)
	b.code = binary.AppendUvarint(b.code, uint64(i))
}

// If starts a block that runs if the top of the stack is not zero.
func (b *Body) If(result Type) {
	b.put(0x04)
	b.code = append(b.code, byte(result))
}

// Loop starts a loop without a result.
func (b *Body) Loop() {
	b.put(0x03)
	b.code = append(b.code, byte(Void))
}

// Const32 pushes an i32.
func (b *Body) Const32(v uint32) {
	b.put(0x41)
	b.code = signed(b.code, int64(int32(v)))
}

// Const64 pushes an i64.
func (b *Body) Const64(v uint64) {
	b.put(0x42)
	b.code = signed(b.code, int64(v))
}

// Load replaces an address by the value at it plus offset bytes.
func (b *Body) Load(t Type, offset uint32) { b.access(0x28, t, offset) }

// Store pops a value and an address and writes to it plus offset bytes.
func (b *Body) Store(t Type, offset uint32) { b.access(0x36, t, offset) }

func (b *Body) access(op byte, t Type, offset uint32) {
	align := byte(2)
	if t == I64 {
		op, align = op+1, 3
	}
	b.put(op)
	b.code = binary.AppendUvarint(append(b.code, align), uint64(offset))
}

// finish is the body with its locals, as a module holds it.
func (b *Body) finish() []byte {
	var runs, list []byte
	n := uint64(0)
	for i := 0; i < len(b.locals); n++ {
		j := i
		for j < len(b.locals) && b.locals[j] == b.locals[i] {
			j++
		}
		list = append(binary.AppendUvarint(list, uint64(j-i)), byte(b.locals[i]))
		i = j
	}
	runs = append(binary.AppendUvarint(runs, n), list...)
	return append(append(runs, b.code...), byte(End))
}

// signed appends a number in signed LEB128.
func signed(b []byte, v int64) []byte {
	for {
		c := byte(v & 0x7f)
		v >>= 7
		if v == 0 && c&0x40 == 0 || v == -1 && c&0x40 != 0 {
			return append(b, c)
		}
		b = append(b, c|0x80)
	}
}
