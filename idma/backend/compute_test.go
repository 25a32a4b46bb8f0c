package backend_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/millrace-hdl/millrace/idma/backend"
	"github.com/millrace-hdl/millrace/idma/compute"
	"github.com/millrace-hdl/millrace/tb/computed"
)

// computing is what is asked of the operations for a transfer, and the oracle's answer.
type computing struct {
	code, mode, m, n uint64
	dstLength        uint64                   // if it is to be told
	out              func(read []byte) []byte // what is written
	outLength        uint64
	cause            func() bool // whether a word was read with an error that is told of with this transfer
	nothing          bool        // nothing is read, and something written
	bad              bool        // a rule is broken
}

// why is what a broken rule is answered with.
func (o *computing) why(v move) int {
	if v.length == 0 && o.dstLength == 0 {
		return backend.RefusedZeroLength
	}
	return backend.RefusedCompute
}

// set puts the options on the request port.
func (o *computing) set(set func(name string, x uint64)) {
	if o == nil || o.code == 0 {
		set("req_compute_enable", 0)
		return
	}
	set("req_compute_enable", 1)
	set("req_compute_op", o.code)
	set("req_compute_mode", o.mode)
	set("req_compute_m", o.m)
	set("req_compute_n", o.n)
	set("req_dst_length", o.dstLength)
}

// of is what is written of the bytes read.
func (o *computing) of(read []byte) []byte {
	if o == nil {
		return read
	}
	return o.out(read)
}

// faults is whether a read error is part of the answer, where it touches the transfer's
// own words or not.
func (o *computing) faults(own bool) bool {
	if o == nil || o.cause == nil {
		return own
	}
	return o.cause()
}

// wrote is whether a write error is.
func (o *computing) wrote(b *portBench, v move, plain bool) bool {
	if o == nil {
		return plain
	}
	return b.touches(b.writePorts[v.to], portEnd{true, v.to}, v.dst, o.outLength)
}

// isRefused is whether the engine refuses the transfer.
func (v move) isRefused() bool {
	return v.refused || v.op != nil && v.op.bad || v.length == 0 && (v.op == nil || !v.op.nothing)
}

// all is every operation.
func allOperations() (s compute.Set) {
	for _, o := range []compute.Op{
		compute.Transpose{}, compute.MXQuantise{From: compute.FP32}, compute.MXQuantise{From: compute.FP16, SignedScale: true},
		compute.MXDequantise{To: compute.FP32}, compute.MXDequantise{To: compute.FP16}, compute.CRC32C{}, compute.ByteSwap{}, compute.FillMask{},
	} {
		s[o.Code()] = o
	}
	return s
}

// operation makes a computing of the operation of a code that is none of groups, with the
// bytes that it reads.
func operation(r *rand.Rand, lanes int, code, mode uint64) (length uint64, o *computing) {
	o = &computing{code: code, mode: mode, m: r.Uint64N(4096), n: r.Uint64N(4096)}
	for code == compute.CodeByteSwap && 1<<o.mode > lanes {
		o.mode--
	}
	return o.makes(1 + r.Uint64N(4)), o
}

// makes sets what comes of so many blocks and returns the bytes that are read.
func (o *computing) makes(blocks uint64) (length uint64) {
	mx := computed.MX{E4M3: o.mode&1 == 1, Half: o.code == compute.CodeMXQuantiseFP16 || o.code == compute.CodeMXDequantiseFP16, SignedScale: o.code == compute.CodeMXQuantiseFP16}
	numbers, packed := 128*blocks, 33*blocks
	if mx.Half {
		numbers /= 2
	}
	switch o.code {
	case compute.CodeMXQuantiseFP32, compute.CodeMXQuantiseFP16:
		length, o.outLength, o.out = numbers, packed, mx.Quantise
	case compute.CodeMXDequantiseFP32, compute.CodeMXDequantiseFP16:
		length, o.outLength, o.out = packed, numbers, mx.Dequantise
	case compute.CodeCRC32C:
		length = 121 * blocks
		o.outLength = []uint64{length + 4, 4, length - 4, length}[o.mode]
		o.out = func(in []byte) []byte { out, _ := o.check(in); return out }
	case compute.CodeByteSwap:
		length, o.out = 24*blocks, func(in []byte) []byte { return computed.ByteSwap(in, 1<<o.mode) }
		o.outLength = length
	case compute.CodeFillMask:
		length, o.out = 29*blocks, func(in []byte) []byte { return computed.FillMask(in, int(o.mode), [2]byte{byte(o.m), byte(o.n)}) }
		o.outLength = length
	}
	return length
}

// check is what CRC-32C makes of bytes, and whether it finds them to be right.
func (o *computing) check(in []byte) ([]byte, bool) {
	return computed.CRC32C{FromZero: o.m&compute.CRCFromZero != 0, NotInverted: o.m&compute.CRCNotInverted != 0}.Apply(int(o.mode), in)
}

// tile is the transfers that transpose a tile of rows and columns of elements, the rows pitch
// bytes apart from src on, the columns next to each other from dst on.
func (b *portBench) tile(v move, rows, columns, mode, pitch uint64) (moves []move) {
	var in, out [][]byte
	failed, read := false, 0
	for i := range max(rows, columns) {
		w, o := v, &computing{code: compute.CodeTranspose, mode: mode, m: rows, n: columns}
		if i < rows {
			w.src, w.length = v.src+i*pitch, columns<<mode
		} else {
			w.src, w.length, o.nothing = 0, 0, true
		}
		if i < columns {
			o.dstLength = rows << mode
			w.dst = v.dst + i*o.dstLength
		} else {
			w.dst = 0
		}
		o.outLength = o.dstLength
		w.op = o
		row := b.source(move{from: w.from, src: w.src, length: w.length}, map[int]uint64{})
		if i < rows {
			in = append(in, row)
			failed = failed || b.touches(b.readPorts[w.from], portEnd{false, w.from}, w.src, w.length)
			read++
		}
		o.cause = func() bool { return failed && o.dstLength > 0 }
		place := int(i)
		o.out = func([]byte) []byte {
			if o.dstLength == 0 {
				return nil
			}
			if out == nil {
				out = computed.Transpose(in, 1<<mode)
			}
			return out[place]
		}
		moves = append(moves, w)
	}
	return moves
}

// computed makes random transfers with and without operations, some of which break a rule.
func (b *portBench) computing(n int) (moves []move) {
	var addressed []int // read ports whose bytes are known beforehand
	for i, p := range b.readPorts {
		if p != backend.AXIStream && p != backend.Init {
			addressed = append(addressed, i)
		}
	}
	for _, v := range b.random(n) {
		at := b.at
		v.dst = at
		switch pick := b.rng.IntN(10); {
		case pick < 2:
		case pick < 4 && len(addressed) > 0:
			v.from, v.refused = addressed[b.rng.IntN(len(addressed))], false
			mode := b.rng.Uint64N(4)
			for 1<<mode > b.lanes() {
				mode--
			}
			most := uint64(b.lanes() >> mode)
			rows, columns := 1+b.rng.Uint64N(most), 1+b.rng.Uint64N(most)
			if b.rng.IntN(3) == 0 {
				rows, columns = most, most
			}
			moves = append(moves, b.tile(v, rows, columns, mode, columns<<mode+b.rng.Uint64N(20))...)
			b.at += rows * columns << mode
			continue
		default:
			codes := []uint64{compute.CodeMXQuantiseFP32, compute.CodeMXQuantiseFP16, compute.CodeMXDequantiseFP32, compute.CodeMXDequantiseFP16, compute.CodeCRC32C, compute.CodeByteSwap, compute.CodeFillMask}
			v.length, v.op = operation(b.rng, b.lanes(), codes[b.rng.IntN(len(codes))], b.rng.Uint64N(4))
			if v.op.code == compute.CodeCRC32C && b.readPorts[v.from] != backend.AXIStream {
				if _, right := v.op.check(b.source(v, nil)); !right {
					v.op.cause = func() bool { return true }
				}
			} else if v.op.code == compute.CodeCRC32C && v.op.mode >= compute.CRCModeStrip { // what a stream holds is never right
				v.op.cause = func() bool { return true }
			}
			if b.rng.IntN(8) == 0 {
				v.op.bad = true
				switch b.rng.IntN(4) {
				case 0:
					v.op.code = 9 + b.rng.Uint64N(7)
				case 1:
					v.op.code, v.length = compute.CodeMXQuantiseFP32, v.length|1
				case 2:
					v.op.code, v.length = compute.CodeMXDequantiseFP16, 33*v.length+1
				case 3:
					v.op.code, v.op.mode, v.length = compute.CodeCRC32C, compute.CRCModeStrip, 1+v.length%4
				}
			}
			at += v.op.outLength
		}
		b.at = at + v.length
		moves = append(moves, v)
	}
	return moves
}

// withOperations gives a configuration operations.
func withOperations(c backend.Config) backend.Config {
	c.Compute = allOperations()
	return c
}

// TestOperationsBetweenEveryPairOfProtocols runs random transfers, each with another
// operation or with none, with and without stalls and faults.
func TestOperationsBetweenEveryPairOfProtocols(t *testing.T) {
	everyPair(t, 1, 30, 31, func(t *testing.T, rng *rand.Rand, seed uint64, p [2]string) {
		b := newPortBench(t, goModel, withOperations(portConfig(t, rng, p[0], p[1])), seed)
		b.stall, b.wait, b.faults = rng.IntN(2)*rng.IntN(60), 1+rng.IntN(30), rng.IntN(2) == 0
		b.move(b.computing(60))
	})
}

func TestOperationsInLockstep(t *testing.T) {
	for i, ports := range []string{"axi4", "axi4, obi, axi_lite, tilelink, init, axi_stream"} {
		t.Run(ports, func(t *testing.T) {
			c := withOperations(portConfig(t, rand.New(rand.NewPCG(3, 1)), ports, ports))
			c.DataWidth, c.CombinedShifter = 64, i == 0
			c.TLMaxSize = 0
			b := newPortBench(t, lockstep, c, 3)
			b.stall, b.faults = 25, true
			b.move(b.computing(150))
		})
	}
}

// TestCheckValuesAreVerified moves what ends with the right check value, and the same with another: the bytes go
// either way, and the answer tells. Zeros, of a register of zeros, have the check value zero.
func TestCheckValuesAreVerified(t *testing.T) {
	for _, width := range []int{16, 64, 512} {
		c := withOperations(portConfig(t, rand.New(rand.NewPCG(7, 1)), "init", "axi4"))
		c.DataWidth = width
		b := newPortBench(t, goModel, c, 7)
		var moves []move
		var causes []uint64
		for length := uint64(5); length < 200; length += 13 {
			for i := range uint64(4) {
				right, mode := i%2 == 0, compute.CRCModeStrip+i/2
				o := &computing{code: compute.CodeCRC32C, mode: mode, outLength: length - 4*(1-i/2), cause: func() bool { return !right }}
				causes = append(causes, compute.CauseWrong)
				if right {
					o.m, causes[len(causes)-1] = compute.CRCFromZero|compute.CRCNotInverted, 0
				}
				o.out = func(in []byte) []byte {
					out, ok := o.check(in)
					require.Equal(t, right, ok, "oracle")
					return out
				}
				moves = append(moves, move{length: length, dst: b.at + i, decouple: true, op: o})
				b.at += length + 20
			}
		}
		b.move(moves)
		require.Equal(t, causes, b.causes, "%d bit", width)
	}
}

// TestOperationsAtFullRate compares the cycles that each operation takes with those of a plain
// copy of as many bytes as it moves on the side that has more: at most one in twenty
// more. The cycles themselves are in a golden.
func TestOperationsAtFullRate(t *testing.T) {
	var table strings.Builder
	fmt.Fprintf(&table, "%-23s %5s %8s %8s %10s\n", "operation", "width", "words", "cycles", "plain copy")
	for _, width := range []int{32, 64, 256, 1024} {
		c := withOperations(backend.Default())
		c.DataWidth, c.Outstanding, c.WriteOutstanding, c.LengthWidth = width, 16, 64, 20
		engine := elaborate(t, c)
		cycles := func(moves []move) int {
			b := portBenchOf(t, start(t, goModel, engine, 1), c, 1)
			b.move(moves)
			return b.lastBeat
		}
		compare := func(name string, bytes uint64, moves []move) {
			plain := cycles([]move{{length: bytes, src: 0x10000, dst: 0x100000, decouple: true}})
			took, words := cycles(moves), bytes/uint64(width/8)
			fmt.Fprintf(&table, "%-23s %5d %8d %8d %10d\n", name, width, words, took, plain)
			require.LessOrEqual(t, 20*took, 21*plain, "%s, %d bit", name, width)
		}
		const blocks = 300
		for code := uint64(compute.CodeMXQuantiseFP32); code <= compute.CodeFillMask; code++ {
			op := c.Compute[code]
			if op == nil {
				continue
			}
			v := move{src: 0x10000, dst: 0x100000, decouple: true}
			v.op = &computing{code: code, m: 0x12, n: 0x34}
			v.length = v.op.makes(blocks)
			compare(op.Name(), max(v.length, v.op.outLength), []move{v})
		}
		b := portBenchOf(t, start(t, goModel, engine, 1), c, 1)
		for mode := uint64(0); mode < 4 && 8<<mode <= width; mode++ {
			side, tile := uint64(width/8)>>mode, uint64(width/8)*uint64(width/8)>>mode
			var moves []move
			for i := range 3000 / side {
				v := move{src: 0x10000 + i*tile, dst: 0x100000 + i*tile, decouple: true}
				moves = append(moves, b.tile(v, side, side, mode, side<<mode)...)
			}
			compare(fmt.Sprintf("transpose, %d byte", 1<<mode), uint64(len(moves)*width/8), moves)
		}
	}
	golden(t, "computerates.golden", table.String())
}

// A request is judged for a cycle, and its words pass one buffer more.
func TestOperationsLatency(t *testing.T) {
	first := func(c backend.Config) (read, write int) {
		b := newPortBench(t, goModel, c, 1)
		b.request(move{length: 64, src: 0x1000, dst: 0x2000, decouple: true}, false)
		b.pin("req_valid").setBool(true)
		read = -1
		for b.firstBeat < 0 {
			for _, a := range b.agents {
				a.drive()
			}
			require.NoError(t, b.eng.Step())
			b.pin("req_valid").setBool(!b.pin("req_ready").on() && b.pin("req_valid").on())
			if read < 0 && b.pin("m_axi_arvalid").on() {
				read = b.cycle
			}
			for _, a := range b.agents {
				a.edge()
			}
			b.cycle++
			require.Less(t, b.cycle, 100)
		}
		return read, b.firstBeat
	}
	for _, combined := range []bool{true, false} {
		c := edit(func(c *backend.Config) { c.CombinedShifter = combined })
		read, write := first(c)
		laterRead, laterWrite := first(withOperations(c))
		require.Equal(t, [2]int{1, 2}, [2]int{laterRead - read, laterWrite - write})
	}
}
