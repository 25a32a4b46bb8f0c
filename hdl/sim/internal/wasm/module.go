// Package wasm writes WebAssembly modules in the binary format: functions over
// one memory, as a compiler of designs needs them. A [Module] collects functions;
// the body of each is written through a [Body], instruction after instruction.
// Nothing is checked here: who reads the module validates it.
package wasm

import "encoding/binary"

// Type is the type of a value.
type Type byte

// The types in use.
const (
	I32 Type = 0x7f
	I64 Type = 0x7e
)

// Void is the type of a block without a result.
const Void Type = 0x40

// PageSize is the unit in which memory is sized, in bytes.
const PageSize = 1 << 16

// Module is a module with one memory, exported as "memory".
type Module struct {
	Pages uint32 // of memory, which never grows
	funcs []function
}

type function struct {
	export string // "" if the function is internal
	params []Type
	body   *Body
}

// Add appends a function, which returns nothing, and returns its index. It is
// exported if it has a name.
func (m *Module) Add(export string, params []Type, b *Body) uint32 {
	m.funcs = append(m.funcs, function{export, params, b})
	return uint32(len(m.funcs) - 1)
}

// Bytes is the module in the binary format.
func (m *Module) Bytes() []byte {
	out := []byte("\x00asm\x01\x00\x00\x00")
	section := func(id byte, content []byte) {
		out = binary.AppendUvarint(append(out, id), uint64(len(content)))
		out = append(out, content...)
	}
	n := uint64(len(m.funcs))
	types, index := binary.AppendUvarint(nil, n), binary.AppendUvarint(nil, n)
	exports, code := []byte(nil), binary.AppendUvarint(nil, n)
	exported := uint64(1)
	for i, f := range m.funcs {
		types = binary.AppendUvarint(append(types, 0x60), uint64(len(f.params)))
		for _, t := range f.params {
			types = append(types, byte(t))
		}
		types = append(types, 0)
		index = binary.AppendUvarint(index, uint64(i))
		if f.export != "" {
			exports = binary.AppendUvarint(append(name(exports, f.export), 0), uint64(i))
			exported++
		}
		b := f.body.finish()
		code = append(binary.AppendUvarint(code, uint64(len(b))), b...)
	}
	section(1, types)
	section(3, index)
	section(5, binary.AppendUvarint(binary.AppendUvarint([]byte{1, 1}, uint64(m.Pages)), uint64(m.Pages)))
	section(7, append(append(name(binary.AppendUvarint(nil, exported), "memory"), 2, 0), exports...))
	section(10, code)
	return out
}

func name(b []byte, s string) []byte {
	return append(binary.AppendUvarint(b, uint64(len(s))), s...)
}
