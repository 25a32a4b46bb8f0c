package sim

import (
	"hash/fnv"
	"math/rand/v2"
	"slices"

	"github.com/millrace-hdl/millrace/hdl/ir"
)

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

// State implements [Stateful].
func (m *Model) State() []uint64 { return m.slots[m.cur : m.cur+m.regs : m.cur+m.regs] }

// StateOffset implements [Stateful].
func (m *Model) StateOffset(v Var) int { return m.register(v) - m.cur }

// Write implements [Stateful]. Bits above the width of the register are ignored.
func (m *Model) Write(v Var, src []uint64) {
	s, n := m.register(v), v.Type.Words()
	m.put(s, src[:n], v.Type)
	copy(m.slots[s+m.regs:][:n], m.slots[s:])
	m.watch.stale = true
	m.sleep.wake()
}

func (m *Model) register(v Var) int {
	if !m.vars[v.Index].State {
		panic("sim: " + v.Path + " is a wire, not a register")
	}
	return m.sources[v.Index].slot
}

// put gives consecutive slots the elements at src.
func (m *Model) put(slot int, src []uint64, t ir.Type) {
	n := t.Words()
	d := m.slots[slot : slot+len(src)]
	copy(d, src)
	for i := n - 1; i < len(d); i += n {
		d[i] &= topMask(t.Width)
	}
}

// Mems implements [Stateful]: in the order of the description, a module before
// its instances.
func (m *Model) Mems() []MemVar { return slices.Clone(m.mems) }

// ReadMem implements [Stateful].
func (m *Model) ReadMem(mem MemVar, first int, dst []uint64) {
	copy(dst, m.elements(mem, first, len(dst)))
}

// WriteMem implements [Stateful]. Bits above the width of an element are ignored.
func (m *Model) WriteMem(mem MemVar, first int, src []uint64) {
	m.elements(mem, first, len(src))
	m.put(m.memSlots[mem.Index]+first*mem.Type.Words(), src, mem.Type)
	m.watch.stale = true
	m.sleep.wake()
}

// elements is the part of a memory that starts at an element, in words.
func (m *Model) elements(mem MemVar, first, n int) []uint64 {
	w := mem.Type.Words()
	all := m.slots[m.memSlots[mem.Index]:][: mem.Depth*w : mem.Depth*w]
	return all[first*w:][:n]
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
		for i, mem := range m.mems {
			m.scramble(mem.Path, m.memSlots[i], mem.Depth, mem.Type)
		}
	}
	for i, mem := range m.watch.h.mems {
		for k, c := range mem.mem.Init {
			copy(m.slots[m.memSlots[i]+k*mem.words():], c.Words)
		}
	}
	m.initialise()
	m.watch.stale = true
	m.sleep.wake()
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
