package sim

// opcode selects a kernel. Kernels with suffix W loop over the words of their
// operands; the others work on single words.
type opcode uint16

const (
	opMove opcode = iota
	opNot         // d = ^a, m
	opAnd
	opAndNot // d = a &^ b
	opOr
	opXor
	opAdd
	opAddM // cleaned by m, as are all with suffix M
	opSub
	opMul
	opMulM
	opEq
	opNe
	opLt
	opLe
	opLts // k: shift that brings the sign to the top
	opLes
	opShl
	opShr
	opSar      // k: as opLts
	opMux      // d = c ? a : b
	opShift    // d = a >> k
	opSlice    // d = (a >> k), m
	opFunnel   // d = (a >> k | a[1] << (64-k)), m
	opLeft     // d = a << k
	opCat      // d = a | b << k
	opCatSlice // d = a | (b >> k, m) << n
	opSext     // d = a with sign at bit 63-k, m
	opParity
	opRead // d = n > a ? mem b[a] : 0; mems of one word
	opSat  // d = a as a shift count, saturated; n words
	opKeep // if c { d = a }

	opMoveW
	opNotW
	opAndW
	opAndNotW
	opOrW
	opXorW
	opAddW
	opSubW
	opMulW
	opEqW
	opNeW
	opLtW
	opLeW
	opLtsW
	opLesW
	opShlW
	opShrW
	opSarW
	opMuxW
	opSliceW
	opSextW // c: words of a; k: width of a modulo 64
	opParityW
	opReadW // c words per element
	opKeepW

	opCount
)

var opNames = [opCount]string{
	"move", "not", "and", "andnot", "or", "xor", "add", "addm", "sub", "mul", "mulm", "eq", "ne", "lt", "le", "lts", "les",
	"shl", "shr", "sar", "mux", "shift", "slice", "funnel", "left", "cat", "catslice", "sext", "parity", "read", "sat", "keep",
	"move.w", "not.w", "and.w", "andnot.w", "or.w", "xor.w", "add.w", "sub.w", "mul.w", "eq.w", "ne.w", "lt.w", "le.w",
	"lts.w", "les.w", "shl.w", "shr.w", "sar.w", "mux.w", "slice.w", "sext.w", "parity.w", "read.w", "keep.w",
}

// instr is one instruction, 24 bytes. d, a, b and c are slots in bytes from the
// start of the array; m is 64 less the bits of the highest word of the result.
type instr struct {
	op         opcode
	k, m       uint8
	n          uint32
	d, a, b, c uint32
}
