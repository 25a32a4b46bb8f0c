// Package computed says what the operations of in-stream accelerators make of bytes. It is
// written from the specification (§2.7) and the OCP formats, and shares no code with
// the units in hardware.
package computed

// Transpose is the columns of rows of elements of size bytes: out[n][m] = in[m][n].
func Transpose(in [][]byte, size int) (out [][]byte) {
	for n := range len(in[0]) / size {
		var row []byte
		for m := range in {
			row = append(row, in[m][n*size:(n+1)*size]...)
		}
		out = append(out, row)
	}
	return out
}

// ByteSwap reverses the bytes of each element of size bytes.
func ByteSwap(in []byte, size int) []byte {
	out := make([]byte, len(in))
	for i := range out {
		out[i] = in[i-i%size+size-1-i%size]
	}
	return out
}

// FillMask combines the bytes with the two of a pattern, by turns: modes are 0 to replace them, 1
// for AND, 2 for OR, 3 for exclusive OR.
func FillMask(in []byte, mode int, pattern [2]byte) []byte {
	out := make([]byte, len(in))
	for i, x := range in {
		p := pattern[i%2]
		out[i] = [...]byte{p, x & p, x | p, x ^ p}[mode]
	}
	return out
}
