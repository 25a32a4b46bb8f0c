package sim

// opcode selects a kernel. Kernels with suffix W loop over the words of their
// operands; the others work on single words.
type opcode uint16

const (
	opJump   opcode = iota // past the next n instructions
	opIf                   // if bit k of c, past the next n
	opUnless               // if not bit k of c, past the next n
	opMove
	opMove2 // d = a, b = c
	opNot   // d = ^a, m
	opAnd
	opAndNot // d = a &^ b
	opOr
	opOrNot // d = a | ^b, m
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
	opMux      // d = bit k of c ? a : b
	opShift    // d = a >> k
	opSlice    // d = (a >> k), m
	opFunnel   // d = (a >> k | a[1] << (64-k)), m
	opLeft     // d = a << k
	opCat      // d = a | b << k
	opField    // d = (a >> k, m) << n
	opCatField // d = a | (b >> k, m) << n
	opSext     // d = a with sign at bit 63-k, m
	opRead     // d = n > a ? mem b[a] : 0; mems of one word
	opKeep     // if bit k of c { d = a }
	opOrIf     // d = bit k of c ? a | b : a
	opBlend    // d = a & c | b &^ c
	opRot      // d = a rotated left by b; m
	opTable3   // d = bit (a, b, c) of k
	opTable4   // d = bit (a, b, c, n) of k, m

	opMoveW
	opAndW
	opAndNotW
	opOrW
	opXorW
	opMuxW
	opKeepW
	opOrIfW
	opBlendW

	// Executed out of the main loop.
	opEnd
	opParity
	opSpread // k bits from each bit; c words of a
	opSat    // d = a as a shift count, saturated; n words
	opNotW
	opOrNotW
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
	opSliceW
	opSextW // c: words of a; k: width of a modulo 64
	opParityW
	opReadW // c words per element
	opRotW
	opPick // d = bits of a, which has c words, from bit b + k up; zeros beyond; n words, m
	opPut  // bits of d, which has n words, from bit b up = a: c words, k bits less; m
	opCall // black box b: outputs d, n words, from inputs a, c words

	opCount
)

// kernels names the instructions and the fields that each uses: the slots d, which
// it writes, and a, b, c and n, which it reads; B is the start of a memory; with #
// the numbers n, k, m and c. After a slot stands how many words it is where that
// is not one: * for n, + for n+1, ^ for c; ! if what is there may stay; and = if
// it is written although it is not d.
var kernels = [opCount]struct{ name, fields string }{
	opEnd:      {"end", ""},
	opJump:     {"jump", "#n"},
	opIf:       {"if", "c #k #n"},
	opUnless:   {"unless", "c #k #n"},
	opOrNot:    {"ornot", "d a b #m"},
	opOrNotW:   {"ornot.w", "d* a* b* #n #m"},
	opMove:     {"move", "d a"},
	opNot:      {"not", "d a #m"},
	opAnd:      {"and", "d a b"},
	opAndNot:   {"andnot", "d a b"},
	opOr:       {"or", "d a b"},
	opXor:      {"xor", "d a b"},
	opAdd:      {"add", "d a b"},
	opAddM:     {"addm", "d a b #m"},
	opSub:      {"sub", "d a b #m"},
	opMul:      {"mul", "d a b"},
	opMulM:     {"mulm", "d a b #m"},
	opEq:       {"eq", "d a b"},
	opNe:       {"ne", "d a b"},
	opLt:       {"lt", "d a b"},
	opLe:       {"le", "d a b"},
	opLts:      {"lts", "d a b #k"},
	opLes:      {"les", "d a b #k"},
	opShl:      {"shl", "d a b #m"},
	opShr:      {"shr", "d a b"},
	opSar:      {"sar", "d a b #k #m"},
	opMux:      {"mux", "d c #k a b"},
	opShift:    {"shift", "d a #k"},
	opSlice:    {"slice", "d a #k #m"},
	opFunnel:   {"funnel", "d a+ #k #m"},
	opLeft:     {"left", "d a #k"},
	opCat:      {"cat", "d a b #k"},
	opCatField: {"catfield", "d a b #k #m #n"},
	opSext:     {"sext", "d a #k #m"},
	opParity:   {"parity", "d a"},
	opRead:     {"read", "d B a #n"},
	opSpread:   {"spread", "d* a^ #n #c #k"},
	opSat:      {"sat", "d a* #n"},
	opKeep:     {"keep", "d! c #k a"},
	opMoveW:    {"move.w", "d* a* #n"},
	opNotW:     {"not.w", "d* a* #n #m"},
	opAndW:     {"and.w", "d* a* b* #n"},
	opAndNotW:  {"andnot.w", "d* a* b* #n"},
	opOrW:      {"or.w", "d* a* b* #n"},
	opXorW:     {"xor.w", "d* a* b* #n"},
	opAddW:     {"add.w", "d* a* b* #n #m"},
	opSubW:     {"sub.w", "d* a* b* #n #m"},
	opMulW:     {"mul.w", "d* a* b* #n #m"},
	opEqW:      {"eq.w", "d a* b* #n"},
	opNeW:      {"ne.w", "d a* b* #n"},
	opLtW:      {"lt.w", "d a* b* #n"},
	opLeW:      {"le.w", "d a* b* #n"},
	opLtsW:     {"lts.w", "d a* b* #n #k"},
	opLesW:     {"les.w", "d a* b* #n #k"},
	opShlW:     {"shl.w", "d* a* b #n #m"},
	opShrW:     {"shr.w", "d* a* b #n"},
	opSarW:     {"sar.w", "d* a* b #n #k #m"},
	opMuxW:     {"mux.w", "d* c #k a* b* #n"},
	opSliceW:   {"slice.w", "d* a+ #n #k #m"},
	opSextW:    {"sext.w", "d* a^ #n #c #k #m"},
	opParityW:  {"parity.w", "d a* #n"},
	opReadW:    {"read.w", "d^ B a #n #c"},
	opMove2:    {"move2", "d a b= c"},
	opField:    {"field", "d a #k #m #n"},
	opOrIf:     {"orif", "d a b c #k"},
	opBlend:    {"blend", "d a b c"},
	opRot:      {"rot", "d a b #m"},
	opTable3:   {"table3", "d a b c #k"},
	opTable4:   {"table4", "d a b c n #k #m"},
	opOrIfW:    {"orif.w", "d* a* b* c #k #n"},
	opBlendW:   {"blend.w", "d* a* b* c* #n"},
	opRotW:     {"rot.w", "d* a* b #n"},
	opKeepW:    {"keep.w", "d!* c #k a* #n"},
	opPick:     {"pick", "d* a^ b #n #c #k #m"},
	opPut:      {"put", "d!* a^ b #n #c #k #m"},
	opCall:     {"call", "d* a^ #b #n #c"},
}

// instr is one instruction, 24 bytes. d, a, b and c are slots in bytes from the
// start of the array; m is 64 less the bits of the highest word of the result.
type instr struct {
	op         opcode
	k, m       uint8
	n          uint32
	d, a, b, c uint32
}
