package job

import (
	"fmt"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Operation is what an engine can make of bytes on their way, by its code (specification
// §2.7). Codes beyond those named here are of no operation that a bench knows.
type Operation uint8

// The operations.
const (
	NoOperation Operation = iota
	Transpose
	MXQuantiseFP32
	MXQuantiseFP16
	MXDequantiseFP32
	MXDequantiseFP16
	CRC32C
	ByteSwap
	FillMask
)

// MaxOperation is the largest code that a request can have.
const MaxOperation Operation = 15

var operationNames = [...]string{"none", "transpose", "mx_quantise_fp32", "mx_quantise_fp16", "mx_dequantise_fp32", "mx_dequantise_fp16",
	"crc32c", "byte_swap", "fill_mask"}

func (o Operation) String() string {
	if o.known() {
		return operationNames[o]
	}
	return fmt.Sprintf("operation %d", uint8(o))
}

func (o Operation) known() bool { return int(o) < len(operationNames) }

// Compute is the operation of a transfer; the zero value is none. What mode, M and N mean is
// up to the operation.
type Compute struct {
	Op   Operation
	Mode uint8  // 2 bits
	M, N uint16 // 12 bits
	// DstLength is the bytes that are written, for Transpose only; of others it follows.
	DstLength uint64
}

// Capability is an operation that an engine has.
type Capability struct {
	Op          Operation
	SignedScale bool // of MX blocks: scales are in two's complement, not E8M0
}

// judged is what is known of a transfer with an operation on a given engine.
type judged struct {
	broken      bool // a rule of the operation is
	signedScale bool
	tile        int // 1 up from the transfer that begins the tile that it belongs to; 0 for none
	place       int // transfers of the tile before it
}

// SignedScale reports whether the engine of [List.For] keeps scales of MX blocks in two's
// complement.
func (j *Job) SignedScale() bool { return j.judged.signedScale }

// Tile is the number of the transfer that begins the tile that a transposing one belongs
// to, and how many of its transfers come before this one. It is only known of lists of
// [List.For], and not ok for transfers of no tile and those that are refused.
func (j *Job) Tile() (first, place int, ok bool) {
	return j.judged.tile - 1, j.judged.place, j.judged.tile > 0
}

// sameTile reports whether two transfers belong to one tile. All its rows are read before
// any column is written, so that it does not matter where these lie.
func (j *Job) sameTile(o *Job) bool { return j.judged.tile > 0 && j.judged.tile == o.judged.tile }

// result is how many bytes the operation makes of so many that are read, if no rule is
// broken.
func (c *Compute) result(read uint64) uint64 {
	const block, crc = 33, 4
	switch c.Op {
	case Transpose:
		return c.DstLength
	case MXQuantiseFP32, MXQuantiseFP16:
		return read / c.numbers() * block
	case MXDequantiseFP32, MXDequantiseFP16:
		return read / block * c.numbers()
	case CRC32C:
		return [...]uint64{read + crc, crc, read - min(read, crc), read}[c.Mode&3]
	}
	return read
}

// expands is whether several bytes are written for one that is read.
func (c *Compute) expands() bool { return c.Op == MXDequantiseFP32 || c.Op == MXDequantiseFP16 }

// numbers is the bytes of the 32 numbers of an MX block.
func (c *Compute) numbers() uint64 {
	if c.Op == MXQuantiseFP16 || c.Op == MXDequantiseFP16 {
		return 64
	}
	return 128
}

// breaks reports whether a transfer that reads so many bytes, on a bus of so many and with
// so many length bits, breaks a rule of its operation. Those of tiles are not among them.
func (c *Compute) breaks(read uint64, bus, lengthWidth int) bool {
	element, most := uint64(1)<<c.Mode, ones(lengthWidth)
	switch c.Op {
	case Transpose:
		row, column := uint64(c.N)*element, uint64(c.M)*element
		return row == 0 || column == 0 || row > uint64(bus) || column > uint64(bus) ||
			read != 0 && read != row || c.DstLength != 0 && c.DstLength != column
	case MXQuantiseFP32, MXQuantiseFP16:
		return read%c.numbers() != 0
	case MXDequantiseFP32, MXDequantiseFP16:
		return read%33 != 0 || read/33 > most/c.numbers()
	case CRC32C:
		return [...]bool{read > most-4, false, read <= 4, read < 4}[c.Mode&3]
	case ByteSwap:
		return element > uint64(bus) || read%element != 0
	}
	return !c.Op.known()
}

// For is the list as an engine takes it: [List.Check] finds nothing wrong, and of each
// transfer it is known whether it breaks a rule of its operation, and to which tile it
// belongs. Without operations it is the list itself.
func (l *List) For(lim Limits) (*List, error) {
	own, err := l.judge(lim)
	if err != nil {
		return nil, err
	}
	return own, own.check(lim)
}

// judge looks at the operations of a list.
func (l *List) judge(lim Limits) (*List, error) {
	if !l.Computes() {
		return l, nil
	}
	own := &List{Name: l.Name, Jobs: append([]Job(nil), l.Jobs...)}
	var t tile
	for i := range own.Jobs {
		j := &own.Jobs[i]
		j.judged = judged{}
		if j.Compute.Op != NoOperation {
			e := lim.can(&j.Compute)
			if e != nil {
				e.File, e.Line, e.Job = l.Name, j.Line, i
				return nil, e
			}
			j.judged.signedScale = lim.signed(j.Compute.Op)
			j.judged.broken = j.Compute.breaks(j.Length, lim.Bytes, lim.LengthWidth)
		}
		t.take(j, i)
	}
	if t.begun > 0 {
		j := &own.Jobs[t.begun-1]
		return nil, &Error{File: l.Name, Line: j.Line, Job: t.begun - 1, Field: "compute",
			Value: fmt.Sprintf("a tile of %d rows and %d columns, of which the list has %d transfers", j.Compute.M, j.Compute.N, t.place),
			Want:  fmt.Sprintf("expected %d, each with a row to read, a column to write, or both; others are refused until the tile is whole", max(j.Compute.M, j.Compute.N))}
	}
	return own, nil
}

// can refuses an operation that the engine does not have.
func (lim *Limits) can(c *Compute) *Error {
	var names []string
	for _, has := range lim.Compute {
		if has.Op == c.Op {
			if c.Op.known() {
				return nil
			}
			return &Error{Field: "compute.op", Value: c.Op.String(), Want: "none that the bench knows, which therefore cannot judge what comes of it"}
		}
		names = append(names, has.Op.String())
	}
	switch {
	case len(names) == 0:
		return &Error{Field: "compute.op", Value: c.Op.String(), Want: "not by this engine; it is built without operations, which compute=" + c.Op.String() + " adds"}
	case c.Op.known():
		return &Error{Field: "compute.op", Value: c.Op.String(), Want: "not by this engine; it has " + strings.Join(names, ", ")}
	}
	return nil // a code that is refused
}

// signed reports whether the engine keeps scales of the operation in two's complement.
func (lim *Limits) signed(o Operation) bool {
	for _, has := range lim.Compute {
		if has.Op == o {
			return has.SignedScale
		}
	}
	return false
}

// tile is a transposed tile of a list in the making.
type tile struct {
	begun   int // 1 up from its first transfer; 0 for none
	place   int // transfers that it has
	options Compute
}

// take judges transfer i by the rules of tiles: the first M of the transfers of one read a
// row and the first N write a column, and nothing comes between them.
func (t *tile) take(j *Job, i int) {
	options := j.Compute
	options.DstLength = 0
	switch {
	case j.Refused():
		return
	case t.begun > 0 && options != t.options:
		j.judged.broken = true
		return
	case j.Compute.Op != Transpose:
		return
	case (t.place < int(options.M)) != (j.Length > 0), (t.place < int(options.N)) != (j.Compute.DstLength > 0):
		j.judged.broken = true
		return
	}
	if t.begun == 0 {
		t.begun, t.options = i+1, options
	}
	j.judged.tile, j.judged.place = t.begun, t.place
	if t.place++; t.place == int(max(options.M, options.N)) {
		*t = tile{}
	}
}

// compute reads the operation of a transfer.
func (y *yamlReader) compute(v *yaml.Node) (c Compute, err error) {
	const most = 1<<12 - 1 // of M and N
	seen := map[string]bool{}
	err = y.pairs(v, "compute", []string{"op", "mode", "m", "n", "dst_length"}, func(key string, v *yaml.Node) (err error) {
		seen[key] = true
		var n uint64
		switch key {
		case "op":
			c.Op, err = y.operation(v)
		case "mode":
			n, err = y.number(v, "compute.mode", 3)
			c.Mode = uint8(n)
		case "m":
			n, err = y.number(v, "compute.m", most)
			c.M = uint16(n)
		case "n":
			n, err = y.number(v, "compute.n", most)
			c.N = uint16(n)
		case "dst_length":
			c.DstLength, err = y.number(v, "compute.dst_length", ^uint64(0))
		}
		return err
	})
	switch {
	case err != nil:
		return c, err
	case !seen["op"]:
		return c, y.fail(v, "compute.op", "missing", "expected "+operationChoice())
	case seen["dst_length"] && c.Op != Transpose:
		return c, y.fail(v, "compute.dst_length", strconv.FormatUint(c.DstLength, 10), "only for transpose; what others write follows from what they read")
	}
	return c, nil
}

func operationChoice() string {
	return "one of " + strings.Join(operationNames[:], ", ") + fmt.Sprintf(", or a code from 0 to %d", MaxOperation)
}

func (y *yamlReader) operation(v *yaml.Node) (Operation, error) {
	for i := range MaxOperation + 1 {
		if v.Kind == yaml.ScalarNode && (v.Value == strconv.Itoa(int(i)) || i.known() && v.Value == i.String()) {
			return i, nil
		}
	}
	return 0, y.fail(v, "compute.op", describe(v), "expected "+operationChoice())
}
