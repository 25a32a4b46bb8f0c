package computed

import (
	"encoding/binary"
	"hash/crc32"
)

// CRC32C is a check of RFC 3720 (iSCSI), or one with another start or end. The RFC's is that of
// the standard library, which takes and gives its register inverted.
type CRC32C struct {
	FromZero    bool // the register is zero before the first byte, not all ones
	NotInverted bool // the register is the check value, not its complement
}

// Value is the check value of bytes, as it lies in memory.
func (c CRC32C) Value(data []byte) []byte {
	start := uint32(0)
	if c.FromZero {
		start = ^start
	}
	v := crc32.Update(start, crc32.MakeTable(crc32.Castagnoli), data)
	if c.NotInverted {
		v = ^v
	}
	return binary.LittleEndian.AppendUint32(nil, v)
}

// Apply is what a transfer writes in a mode: 0 appends the check value, 1 gives it alone, 2 strips
// it and 3 leaves it. In the last two, right tells whether it is that of the bytes before it.
func (c CRC32C) Apply(mode int, in []byte) (out []byte, right bool) {
	switch mode {
	case 0:
		return append(append([]byte{}, in...), c.Value(in)...), true
	case 1:
		return c.Value(in), true
	}
	end := len(in) - 4
	right = string(c.Value(in[:end])) == string(in[end:])
	if mode == 2 {
		return in[:end], right
	}
	return in, right
}
