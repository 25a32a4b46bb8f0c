package wave

import (
	"fmt"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/millrace-hdl/millrace/hdl/ir"
	"github.com/millrace-hdl/millrace/hdl/sim"
	"github.com/millrace-hdl/millrace/internal/near"
)

// Signal is something that a wave can show: a port of the design, a variable inside,
// or an element of a memory.
type Signal struct {
	Path  string // below the top, joined by dots; an element ends in its index: u_fifo.mem[3]
	Type  ir.Type
	State bool // a register or an element of a memory

	source source
	port   sim.Port
	v      sim.Var
	mem    sim.MemVar
	index  int // of the element
}

type source uint8

const (
	fromPort source = iota
	fromVar
	fromMem
)

// Ports are the ports of an engine, inputs first.
func Ports(e sim.Engine) []Signal {
	var ss []Signal
	l := e.Layout()
	for _, p := range slices.Concat(l.Inputs, l.Outputs) {
		ss = append(ss, Signal{Path: p.Name, Type: p.Type, source: fromPort, port: p})
	}
	return ss
}

// Vars are the signals of variables of an engine.
func Vars(vars []sim.Var) []Signal {
	ss := make([]Signal, len(vars))
	for i, v := range vars {
		ss[i] = Signal{Path: v.Path, Type: v.Type, State: v.State, source: fromVar, v: v}
	}
	return ss
}

// All are the ports and all variables of an engine: all that it shows but the
// contents of memories.
func All(e sim.Engine) []Signal { return append(Ports(e), Vars(e.Vars())...) }

// Registers are the ports and the registers: cheaper than all, since they need no
// evaluation of wires.
func Registers(e sim.Engine) []Signal {
	return append(Ports(e), Vars(slices.DeleteFunc(slices.Clone(e.Vars()), func(v sim.Var) bool { return !v.State }))...)
}

// element is a pattern of elements of memories: a path and one index or two.
var element = regexp.MustCompile(`^(.*)\[(\d+)(?::(\d+))?\]$`)

// Find returns the signals that patterns choose, in their order, each once. A pattern
// is a path in which * and ? stand for characters other than dots, or the path of a
// memory with an index or a range of them: "out_*", "u_fifo.count", "u_fifo.mem[0:7]",
// "*.mem[3]". What exists for properties only is found by its path alone, without * and
// ?. A pattern that nothing fits is an error that names what is near.
func Find(e sim.Engine, patterns ...string) ([]Signal, error) {
	all := All(e)
	var found []Signal
	seen := map[string]bool{}
	for _, p := range patterns {
		hits, err := match(e, all, p)
		if err != nil {
			return nil, err
		}
		for _, s := range hits {
			if !seen[s.Path] {
				seen[s.Path] = true
				found = append(found, s)
			}
		}
	}
	return found, nil
}

func match(e sim.Engine, all []Signal, pattern string) (hits []Signal, err error) {
	if m := element.FindStringSubmatch(pattern); m != nil {
		return elements(e, pattern, m[1], m[2], m[3])
	}
	ghosts := map[string]bool{}
	for _, v := range e.Vars() {
		ghosts[v.Path] = v.Ghost
	}
	for _, s := range all {
		ok, err := fits(pattern, s.Path)
		if err != nil {
			return nil, fmt.Errorf("signal pattern %q: %w", pattern, err)
		}
		if ok && (!ghosts[s.Path] || pattern == s.Path) {
			hits = append(hits, s)
		}
	}
	if len(hits) > 0 {
		return hits, nil
	}
	names := make([]string, len(all))
	for i, s := range all {
		names[i] = s.Path
	}
	for _, m := range memories(e) {
		if ok, _ := fits(pattern, m.Path); ok {
			return nil, fmt.Errorf("%q is a memory; say which elements: %q, of 0 to %d", pattern, fmt.Sprintf("%s[0:%d]", pattern, m.Depth-1), m.Depth-1)
		}
	}
	return nil, fmt.Errorf("no signal of the design fits %q; %s", pattern, near.Hint("signal", pattern, names))
}

// fits matches part by part: a star covers no dot.
func fits(pattern, name string) (bool, error) {
	return path.Match(strings.ReplaceAll(pattern, ".", "/"), strings.ReplaceAll(name, ".", "/"))
}

func memories(e sim.Engine) []sim.MemVar {
	if r, ok := e.(sim.MemReader); ok {
		return r.Mems()
	}
	return nil
}

func elements(e sim.Engine, pattern, memory, first, last string) (hits []Signal, err error) {
	if last == "" {
		last = first
	}
	lo, err := strconv.Atoi(first)
	if err != nil {
		return nil, fmt.Errorf("signal pattern %q: %w", pattern, err)
	}
	hi, err := strconv.Atoi(last)
	if err != nil {
		return nil, fmt.Errorf("signal pattern %q: %w", pattern, err)
	}
	lo, hi = min(lo, hi), max(lo, hi)
	var names []string
	for _, m := range memories(e) {
		names = append(names, m.Path)
		ok, err := fits(memory, m.Path)
		if err != nil {
			return nil, fmt.Errorf("signal pattern %q: %w", pattern, err)
		}
		if !ok {
			continue
		}
		if hi >= m.Depth {
			return nil, fmt.Errorf("%q: %s has the elements 0 to %d", pattern, m.Path, m.Depth-1)
		}
		for i := lo; i <= hi; i++ {
			hits = append(hits, Signal{Path: fmt.Sprintf("%s[%d]", m.Path, i), Type: m.Type, State: true, source: fromMem, mem: m, index: i})
		}
	}
	switch {
	case len(hits) > 0:
		return hits, nil
	case len(names) == 0:
		return nil, fmt.Errorf("%q: the design has no memories, or this engine does not show them, as the Go model and a lockstep with it do", pattern)
	}
	return nil, fmt.Errorf("no memory of the design fits %q; %s", memory, near.Hint("memory", memory, names))
}
