package backend_test

import (
	"testing"

	"github.com/millrace-hdl/millrace/idma/backend"
	"github.com/millrace-hdl/millrace/idma/compute"
)

// Each rule of an operation that a request breaks is answered with an error, nothing of it
// reaches a bus, and what follows is done as if it had not been there (specification §7,
// hazard 23). Where operands lie, and on which protocol, is no rule of any operation:
// [TestOperationsBetweenEveryPairOfProtocols] has them anywhere.
func TestHazard23BrokenRulesAreAnswered(t *testing.T) {
	c := withOperations(backend.Default())
	c.LengthWidth, c.Compute[compute.CodeFillMask] = 16, nil
	side := uint64(c.DataWidth / 8)
	tile := func(edit func(v *move)) func(v *move) {
		return func(v *move) {
			v.length, v.op = side, &computing{code: compute.CodeTranspose, m: side, n: side, dstLength: side}
			edit(v)
		}
	}
	op := func(code, mode, length uint64) func(v *move) {
		return func(v *move) { v.length, v.op = length, &computing{code: code, mode: mode} }
	}
	for name, edit := range map[string]func(v *move){
		"numbers are no whole block":            op(compute.CodeMXQuantiseFP32, 0, 127),
		"FP16 numbers are no whole block":       op(compute.CodeMXQuantiseFP16, 1, 32),
		"blocks are not whole":                  op(compute.CodeMXDequantiseFP32, 0, 34),
		"blocks of FP16 are not whole":          op(compute.CodeMXDequantiseFP16, 1, 32),
		"more numbers than a length can say":    op(compute.CodeMXDequantiseFP32, 0, 33*512),
		"an element is cut":                     op(compute.CodeByteSwap, 2, 6),
		"an element is wider than the bus":      op(compute.CodeByteSwap, 3, 8),
		"a check value has no room":             op(compute.CodeCRC32C, compute.CRCModeAppend, 65532),
		"no bytes before a check value":         op(compute.CodeCRC32C, compute.CRCModeStrip, 4),
		"less than a check value":               op(compute.CodeCRC32C, compute.CRCModeCheck, 3),
		"the engine has no such operation":      op(compute.CodeFillMask, 0, 8),
		"no operation has the code":             op(15, 0, 8),
		"a tile without rows":                   tile(func(v *move) { v.op.m, v.op.dstLength = 0, 0 }),
		"a tile without columns":                tile(func(v *move) { v.op.n, v.length = 0, 0 }),
		"a tile with more rows than fit":        tile(func(v *move) { v.op.m, v.op.dstLength = side+1, side+1 }),
		"a tile with more columns than fit":     tile(func(v *move) { v.op.n, v.length = side+1, side+1 }),
		"elements so wide that fewer fit":       tile(func(v *move) { v.op.mode = 1 }),
		"an element of a tile is too wide":      tile(func(v *move) { v.op.mode, v.op.m, v.op.n, v.length, v.op.dstLength = 3, 1, 1, 8, 8 }),
		"a row of another length":               tile(func(v *move) { v.length-- }),
		"a column of another length":            tile(func(v *move) { v.op.dstLength-- }),
		"the first transfer reads no row":       tile(func(v *move) { v.length = 0 }),
		"the first transfer writes no column":   tile(func(v *move) { v.op.dstLength = 0 }),
		"both lengths of a tile's row are zero": tile(func(v *move) { v.length, v.op.dstLength = 0, 0 }),
	} {
		t.Run(name, func(t *testing.T) {
			b := newPortBench(t, goModel, c, 1)
			wrong := move{src: 0x1003, dst: 0x5001, decouple: true}
			edit(&wrong)
			wrong.op.bad = true
			moves := []move{{length: 40, src: 0x2001, dst: 0x6002}, wrong, {length: 30, src: 0x3000, dst: 0x7003}}
			moves = append(moves, b.tile(move{src: 0x4001, dst: 0x8001}, side, side, 0, side)...)
			b.move(append(moves, wrong, move{length: 9, src: 0x3000, dst: 0x9000}))
		})
	}
}

// What does not belong to a tile that has begun is refused, and the tile goes on.
func TestHazard23NothingComesBetweenTheRowsOfATile(t *testing.T) {
	c := withOperations(backend.Default())
	side := uint64(c.DataWidth / 8)
	for name, other := range map[string]move{
		"a plain transfer":   {length: 40},
		"another operation":  {length: 4, op: &computing{code: compute.CodeByteSwap}},
		"a tile of other M":  {length: side, op: &computing{code: compute.CodeTranspose, m: side - 1, n: side, dstLength: side - 1}},
		"a tile of other N":  {length: side - 1, op: &computing{code: compute.CodeTranspose, m: side, n: side - 1, dstLength: side}},
		"elements of others": {length: side, op: &computing{code: compute.CodeTranspose, mode: 1, m: side / 2, n: side / 2, dstLength: side}},
		"no row":             {op: &computing{code: compute.CodeTranspose, m: side, n: side, dstLength: side}},
	} {
		t.Run(name, func(t *testing.T) {
			for at := 1; at < int(side); at++ {
				b := newPortBench(t, goModel, c, 1)
				other.src, other.dst = 0x1003, 0x5001
				if other.op == nil {
					other.op = &computing{}
				}
				other.op.bad = true
				moves := b.tile(move{src: 0x4001, dst: 0x8001}, side, side, 0, side)
				moves = append(append(append([]move{}, moves[:at]...), other), moves[at:]...)
				plain := move{length: 40, src: 0x1003, dst: 0x5001}
				b.move(append(moves, plain))
			}
		})
	}
}
