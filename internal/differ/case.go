package differ

import (
	"fmt"
	"hash/fnv"
	"math/rand/v2"

	"github.com/millrace-hdl/millrace/hdl/ir"
	"github.com/millrace-hdl/millrace/hdl/irtest"
	"github.com/millrace-hdl/millrace/hdl/sim"
)

// Case is a design and what happens to it.
type Case struct {
	// Seed is what the case was made of by [Random], and Feature what it was allowed.
	Seed    uint64
	Feature Feature
	Design  *ir.Design
	Cycles  []Cycle
}

// Cycle is what happens in one cycle: the inputs are set, the outputs are observed,
// and then there are edges.
type Cycle struct {
	In    []uint64 // words, as the engine's layout has them
	Reset bool     // one edge of all domains with all resets held
	Ticks uint64   // one edge of each domain of the top whose bit is set; none is none
}

// Feature limits the language that designs use.
type Feature uint8

const (
	Core Feature = iota // one domain, memories with one port each
	Full                // everything
)

var featureNames = [...]string{"core", "full"}

func (f Feature) String() string { return featureNames[f] }

// ParseFeature reads the text form.
func ParseFeature(s string) (Feature, error) {
	for i, n := range featureNames {
		if s == n {
			return Feature(i), nil
		}
	}
	return 0, fmt.Errorf("unknown feature %q; choose one of core, full", s)
}

// Random makes the case of a seed: its design is of a size and width that the seed
// chooses.
func Random(seed uint64, f Feature, cycles int) *Case {
	o := irtest.Options{
		MaxWidth:   []int{4, 8, 20, 40, 70, 9, 33, 130}[seed%8],
		Signals:    1 + int(seed/8%4),
		Levels:     int(seed/3%3) - 1,
		ExprDepth:  1 + int(seed/5%2),
		FalseLoops: seed%11 == 0,
	}
	if seed%32 == 31 {
		o.MaxWidth = 600
	}
	if o.Levels <= 0 {
		o.Levels += []int{-1, 1}[seed%2] // mostly a small hierarchy
	}
	if o.Levels == 0 {
		o.Levels = -1
	}
	if f == Full {
		o = o.Full()
	}
	c := &Case{Seed: seed, Feature: f, Design: irtest.Random(seed, o)}
	c.Stimulate(cycles)
	return c
}

// Stimulate makes the cycles anew from the seed. Which domains have an edge depends
// on their kind and the cycle alone, so that designs which share clocks agree on it.
func (c *Case) Stimulate(cycles int) {
	r := rand.New(rand.NewPCG(c.Seed, 2))
	l := sim.NewLayout(c.Design)
	keys := domainKeys(c.Design.Top)
	c.Cycles = nil
	for n := range cycles {
		y := Cycle{In: make([]uint64, l.InWords), Reset: n == 0 || chance(n, "reset", 9)}
		for _, p := range l.Inputs {
			value(r, y.In[p.Offset:][:p.Words()], p.Type.Width)
		}
		for i, k := range keys {
			if ticks(n, k) {
				y.Ticks |= 1 << i
			}
		}
		c.Cycles = append(c.Cycles, y)
	}
}

// value is a random value, often one of those at which things change.
func value(r *rand.Rand, w []uint64, width int) {
	switch r.IntN(6) {
	case 0:
	case 1:
		for i := range w {
			w[i] = ^uint64(0)
		}
	case 2:
		w[0] = r.Uint64N(4)
	case 3:
		w[len(w)-1] = 1 << ((width - 1) % 64)
	default:
		for i := range w {
			w[i] = r.Uint64()
		}
	}
	w[len(w)-1] &= ^uint64(0) >> (uint(-width) & 63)
}

// domainKey is what domains must have in common to share a clock.
type domainKey struct {
	falling bool
	style   ir.ResetStyle
	alone   bool
	number  int // among those of a module that are equal otherwise
}

// domainKeys are those of the domains of a module, the implicit one first.
func domainKeys(m *ir.Module) []domainKey {
	keys := []domainKey{{}}
	seen := map[domainKey]int{{}: 1}
	for _, d := range m.Domains {
		k := domainKey{falling: d.Falling, style: d.Style, alone: d.Name == irtest.Alone}
		n := seen[k]
		seen[k]++
		k.number = n
		keys = append(keys, k)
	}
	return keys
}

func (k domainKey) name() string {
	s := "k"
	if k.alone {
		s = irtest.Alone
	}
	if k.falling {
		s += "_falling"
	}
	return fmt.Sprintf("%s_%s_%d", s, k.style, k.number)
}

// ticks reports whether domains of a kind have an edge in a cycle: those called
// alone in some, the others in the rest, all of them in every second.
func ticks(cycle int, k domainKey) bool {
	if chance(cycle, "alone", 4) {
		return k.alone
	}
	return !k.alone && (chance(cycle, "all", 2) || chance(cycle, k.name(), 2))
}

// chance is true in one of n cycles, at random by the name.
func chance(cycle int, name string, n uint64) bool {
	h := fnv.New64a()
	fmt.Fprintf(h, "%d/%s", cycle, name)
	x := h.Sum64()
	return (x^x>>29)*0x9e3779b97f4a7c15>>33%n == 0
}
