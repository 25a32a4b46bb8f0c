package sim

import (
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
)

// TestScheduleKeepsMeaning runs random programs, whose instructions overwrite
// what others read, before and after they are put in order.
func TestScheduleKeepsMeaning(t *testing.T) {
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 0))
		code := randomCode(r, 40, 2)
		a := &assembler{h: &hierarchy{}, plan: newPlan(newNetlist()), code: slices.Clone(code), free: 64}
		better := ended(a.schedule())
		before, after := make([]uint64, 65), make([]uint64, 65)
		for i := range before {
			before[i] = r.Uint64() >> r.IntN(64)
		}
		copy(after, before)
		run(unsafe.Pointer(&before[0]), ended(code), nil)
		run(unsafe.Pointer(&after[0]), better, nil)
		require.Equal(t, before, after, "seed %d", seed)
	}
}

// TestScheduleAtTheEnd: a shift of the last words looks one word beyond them.
func TestScheduleAtTheEnd(t *testing.T) {
	code := []instr{{op: opSliceW, d: 0, a: 2 * 8, k: 5, m: 9, n: 2}}
	a := &assembler{h: &hierarchy{}, plan: newPlan(newNetlist()), code: slices.Clone(code), free: 4}
	require.Equal(t, code, a.schedule())
}

// randomCode is instructions over 40 slots, with branches nested to the depth.
// Rotations, memories and black boxes are left out: not all values are amounts or
// addresses, and there is no model to call.
func randomCode(r *rand.Rand, n, depth int) []instr {
	var code []instr
	for range n {
		slot := func() uint32 { return uint32(r.IntN(40)) * 8 }
		in := instr{op: opcode(r.IntN(int(opCount))), d: slot(), a: slot(), b: slot(), c: slot(), k: uint8(r.IntN(64)), m: uint8(r.IntN(64))}
		wide := uint32(1 + r.IntN(4))
		switch in.op {
		case opEnd, opRot, opRotW, opRead, opReadW, opTable3, opTable4, opSpread, opCall:
			continue
		case opJump, opIf, opUnless:
			if depth == 0 {
				continue
			}
			in.op = []opcode{opIf, opUnless}[r.IntN(2)]
			then := randomCode(r, r.IntN(8), depth-1)
			in.n = uint32(len(then))
			var other []instr
			if in.op == opUnless && len(then) > 0 {
				if other = randomCode(r, r.IntN(8), depth-1); len(other) > 0 {
					then = append(then, instr{op: opJump, n: uint32(len(other))})
					in.n++
				}
			}
			code = append(append(append(code, in), then...), other...)
			continue
		case opSextW:
			in.c, in.n, in.k = wide, wide+1, 1
		case opPick, opPut:
			in.c, in.n = wide, uint32(1+r.IntN(4))
		case opField, opCatField:
			in.n = uint32(r.IntN(64))
		default:
			in.n = wide
		}
		code = append(code, in)
	}
	return code
}
