package sim_test

import (
	"fmt"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/millrace-hdl/millrace/hdl/ir"
	"github.com/millrace-hdl/millrace/hdl/irtest"
	"github.com/millrace-hdl/millrace/hdl/sim"
)

// TestMemories runs every kind of memory against a slice: asynchronous and
// synchronous reads, old and new data, masks, depths that leave addresses unused.
func TestMemories(t *testing.T) {
	for _, width := range []int{1, 8, 24, 64, 72, 200} {
		for _, depth := range []int{1, 2, 5, 8, 9} {
			for _, read := range []string{"async", "old", "new", "undefined"} {
				for _, lanes := range []int{0, 1, width / 8, width} {
					if lanes == 0 && width < 8 {
						continue
					}
					for _, kind := range kinds {
						t.Run(fmt.Sprintf("%dx%d/%s/lanes%d/%s", depth, width, read, lanes, kind), func(t *testing.T) {
							memory(t, kind, width, depth, read, lanes)
						})
					}
				}
			}
		}
	}
}

func memory(t *testing.T, kind sim.Kind, width, depth int, read string, lanes int) {
	aw := ir.AddrBits(depth)
	port, data, signal, mask := "", "(read m ra)", "", ""
	if read != "async" {
		port, data, signal = fmt.Sprintf("(sync ra re q %s)", read), "q", fmt.Sprintf("(sync_read q u%d)", width)
	}
	maskBits := max(lanes, 1)
	if lanes > 0 {
		mask = "(mask k)"
	}
	m := newModel(t, fmt.Sprintf(`(design top) (module top
		(input we u1) (input wa u%[1]d) (input d u%[2]d) (input k u%[3]d) (input re u1) (input ra u%[1]d)
		(output y u%[2]d) %[4]s (mem m u%[2]d %[5]d %[6]s)
		(body (if (when we (write m wa d %[7]s))) (set y %[8]s)))`,
		aw, width, maskBits, signal, depth, port, mask, data), sim.Options{Kind: kind})
	r := rand.New(rand.NewPCG(uint64(width), uint64(depth)))
	number := func(bits int) *big.Int {
		v := make([]uint64, (bits+63)/64)
		stimulus(r, v, bits)
		return irtest.Value(v)
	}
	content := make([]*big.Int, depth)
	for i := range content {
		content[i] = new(big.Int)
	}
	at := func(a int) *big.Int {
		if a < depth {
			return content[a]
		}
		return new(big.Int)
	}
	q := new(big.Int)
	for cycle := range 60 {
		we, re := r.IntN(2) == 1, r.IntN(2) == 1
		wa, ra := r.IntN(1<<aw), r.IntN(1<<aw)
		if r.IntN(2) == 0 {
			ra = wa
		}
		d, k := number(width), number(maskBits)
		for name, v := range map[string]*big.Int{"we": truth(we), "wa": big.NewInt(int64(wa)), "d": d, "k": k, "re": truth(re), "ra": big.NewInt(int64(ra))} {
			set(t, m, name, v)
		}
		require.NoError(t, m.Step())
		want, before := q, at(ra)
		if read == "async" {
			want = before
		}
		p := m.Layout().Outputs[0]
		require.Zero(t, want.Cmp(irtest.Value(m.Out()[p.Offset:][:p.Words()])), "cycle %d", cycle)
		if we && wa < depth {
			v := new(big.Int)
			for b := range width {
				from := d
				if lanes > 0 && k.Bit(b/(width/lanes)) == 0 {
					from = content[wa]
				}
				v.SetBit(v, b, from.Bit(b))
			}
			content[wa] = v
		}
		if re {
			if q = before; read == "new" {
				q = at(ra)
			}
		}
	}
	got := make([]uint64, (width+63)/64)
	for i, want := range content {
		m.ReadMem(m.Mems()[0], i, got)
		require.Zero(t, want.Cmp(irtest.Value(got)), "element %d", i)
	}
}

// TestExclusiveWrites: one memory may be written in branches that exclude each
// other.
func TestExclusiveWrites(t *testing.T) {
	m := newModel(t, `(design top) (module top (input s u2) (input a u2) (output y u8)
		(mem m u8 4)
		(body (switch s (case 0:u2 (write m a 17:u8)) (case 1:u2) (default (if (when s[0] (write m a 34:u8)) (else (write m 0:u2 51:u8)))))
			(set y (read m a))))`, sim.Options{})
	for _, step := range []struct{ s, a, y uint64 }{{0, 2, 0}, {1, 2, 17}, {3, 2, 17}, {1, 2, 34}, {2, 1, 0}, {1, 1, 0}, {1, 0, 51}} {
		drive(t, m, map[string]uint64{"s": step.s, "a": step.a})
		require.NoError(t, m.Step())
		require.Equal(t, step.y, out(t, m, "y"), "%+v", step)
	}
}

func TestMemoryTooLarge(t *testing.T) {
	_, err := sim.New(parse(t, `(design top) (module top (input a u30) (output y u64) (mem big u64 1000000000)
		(body (write big a 0:u64) (set y (read big a))))`), sim.Options{})
	require.ErrorContains(t, err, "memory big: 1000000000 elements of 64 bits: the state of a design is limited to 4294967296 bytes")
}
