package sim

import (
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"slices"

	"github.com/millrace-hdl/millrace/hdl/ir"
)

// Memory is a memory inside a design.
type Memory struct {
	Path  string // as of [Var]
	Type  ir.Type
	Depth int
	Index int // position in Mems
	slot  int
}

// Vars implements [Engine]: registers, synchronous read ports, and the wires
// and instance ports that the description names, in the order of the
// description, a module before its instances. Ports of the top are not among
// them.
func (m *Model) Vars() []Var { return slices.Clone(m.vars) }

// StateVars is the registers among Vars: together with the memories, the whole
// state.
func (m *Model) StateVars() []Var {
	return slices.DeleteFunc(slices.Clone(m.vars), func(v Var) bool { return !v.State })
}

// Read implements [Engine]. A wire has the value that the present registers and
// inputs give it: after Step, that of the cycle to come.
func (m *Model) Read(v Var, dst []uint64) {
	s := m.sources[v.Index].slot
	if s < 0 {
		s = m.observe(v.Index)
	}
	copy(dst[:v.Type.Words()], m.slots[s:])
}

// Write sets the present value of a register. Bits above its width are ignored.
// Writing a wire is an error.
func (m *Model) Write(v Var, value []uint64) error {
	if v.Index < 0 || v.Index >= len(m.vars) || !m.vars[v.Index].State {
		return fmt.Errorf("write %s: it is no register of the design", v.Path)
	}
	n := v.Type.Words()
	if len(value) < n {
		return fmt.Errorf("write %s: %d words given, %d needed for %d bits", v.Path, len(value), n, v.Type.Width)
	}
	s := m.sources[v.Index].slot
	m.put(s, value[:n], v.Type.Width)
	m.put(s+m.regs, value[:n], v.Type.Width)
	m.watch.stale = true
	return nil
}

func (m *Model) put(slot int, value []uint64, width int) {
	d := m.slots[slot : slot+len(value)]
	copy(d, value)
	trim(d, width)
}

// Mems lists the memories, in the order of the description, a module before its
// instances.
func (m *Model) Mems() []Memory { return slices.Clone(m.mems) }

// ReadMem copies an element into dst, which has at least as many words as the
// element type.
func (m *Model) ReadMem(mem Memory, addr int, dst []uint64) error {
	if err := mem.check(addr); err != nil {
		return fmt.Errorf("read %w", err)
	}
	n := mem.Type.Words()
	copy(dst[:n], m.slots[mem.slot+addr*n:])
	return nil
}

// WriteMem sets an element. Bits above its width are ignored.
func (m *Model) WriteMem(mem Memory, addr int, value []uint64) error {
	n := mem.Type.Words()
	if err := mem.check(addr); err != nil {
		return fmt.Errorf("write %w", err)
	}
	if len(value) < n {
		return fmt.Errorf("write %s[%d]: %d words given, %d needed for %d bits", mem.Path, addr, len(value), n, mem.Type.Width)
	}
	m.put(mem.slot+addr*n, value[:n], mem.Type.Width)
	m.watch.stale = true
	return nil
}

func (m Memory) check(addr int) error {
	if addr < 0 || addr >= m.Depth {
		return fmt.Errorf("%s[%d]: the memory has elements 0 to %d", m.Path, addr, m.Depth-1)
	}
	return nil
}

// start gives the state its start values. Each comes from the seed and its own
// path alone, so that it does not depend on what else the design holds.
func (m *Model) start() {
	if m.opt.Seed != 0 {
		for i, v := range m.vars {
			if v.State {
				s := m.sources[i].slot
				m.scramble(v.Path, s, 1, v.Type)
				copy(m.slots[s+m.regs:][:v.Type.Words()], m.slots[s:])
			}
		}
		for _, mem := range m.mems {
			m.scramble(mem.Path, mem.slot, mem.Depth, mem.Type)
		}
	}
	m.initialise()
	m.watch.stale = true
}

func (m *Model) scramble(path string, slot, count int, t ir.Type) {
	h := fnv.New64a()
	h.Write([]byte(path))
	r := rand.NewPCG(m.opt.Seed, h.Sum64())
	n := t.Words()
	for i := range count {
		d := m.slots[slot+i*n:][:n]
		for j := range d {
			d[j] = r.Uint64()
		}
		trim(d, t.Width)
	}
}
