package verilator

import (
	"slices"

	"github.com/millrace-hdl/millrace/hdl/ir"
	"github.com/millrace-hdl/millrace/hdl/sim"
)

// comparison compares registers that lie in two arrays, in stretches as long as
// their order in both allows.
type comparison struct {
	registers []pair // in the order of the first array
	stretches []stretch
}

// pair is a register of both engines.
type pair struct {
	path string
	typ  ir.Type
	a, b int // first word
}

type stretch struct{ a, b, words int }

func compare(pairs []pair) comparison {
	slices.SortFunc(pairs, func(x, y pair) int { return x.a - y.a })
	c := comparison{registers: pairs}
	for _, p := range pairs {
		n := p.typ.Words()
		if i := len(c.stretches) - 1; i >= 0 {
			if s := &c.stretches[i]; s.a+s.words == p.a && s.b+s.words == p.b {
				s.words += n
				continue
			}
		}
		c.stretches = append(c.stretches, stretch{p.a, p.b, n})
	}
	return c
}

// equal reports whether all registers are equal.
func (c *comparison) equal(a, b []uint64) bool {
	for _, s := range c.stretches {
		if !slices.Equal(a[s.a:s.a+s.words], b[s.b:s.b+s.words]) {
			return false
		}
	}
	return true
}

// difference is the first register that differs.
func (c *comparison) difference(a, b []uint64) (p pair, found bool) {
	for _, p := range c.registers {
		n := p.typ.Words()
		if !slices.Equal(a[p.a:p.a+n], b[p.b:p.b+n]) {
			return p, true
		}
	}
	return pair{}, false
}

// memories compares memories that both engines have.
type memories struct {
	pairs [][2]sim.MemVar
	a, b  []uint64 // room for the largest
	every uint64   // cycles from one comparison to the next
}

// matchMems pairs memories by path. They are compared so seldom that the average
// cycle has no more than 64 words and four memories to compare.
func matchMems(a, b []sim.MemVar) memories {
	byPath := map[string]sim.MemVar{}
	for _, m := range b {
		byPath[m.Path] = m
	}
	ms := memories{}
	total, largest := 0, 0
	for _, m := range a {
		if o, ok := byPath[m.Path]; ok {
			ms.pairs = append(ms.pairs, [2]sim.MemVar{m, o})
			n := m.Depth * m.Type.Words()
			total, largest = total+n, max(largest, n)
		}
	}
	ms.a, ms.b = make([]uint64, largest), make([]uint64, largest)
	ms.every = uint64(1 + max(total/64, len(ms.pairs)/4))
	return ms
}

// difference is the first memory element that differs.
func (ms *memories) difference(a, b sim.Stateful) (m sim.MemVar, addr int, found bool) {
	for _, p := range ms.pairs {
		n := p[0].Depth * p[0].Type.Words()
		wa, wb := ms.a[:n], ms.b[:n]
		a.ReadMem(p[0], 0, wa)
		b.ReadMem(p[1], 0, wb)
		if !slices.Equal(wa, wb) {
			i := 0
			for wa[i] == wb[i] {
				i++
			}
			return p[0], i / p[0].Type.Words(), true
		}
	}
	return m, 0, false
}
