package sim

import (
	"math/bits"

	"github.com/millrace-hdl/millrace/hdl/sim/internal/wasm"
)

// read reads a word of an element, or zero beyond the end.
func (e *emitter) read(nd *node) {
	m := e.scalars.mems[nd.imm]
	word := 0
	if len(nd.args) > 1 {
		word = int(e.plan.nodes[nd.args[1]].value[0])
	}
	addr := nd.args[0]
	t := typeOf(nd.width)
	e.push64(addr)
	if eff := e.plan.nodes[addr].eff; eff < 63 && m.mem.Depth >= 1<<eff {
		e.b.Op(wasm.I32WrapI64)
		e.element(m)
		e.b.Load(t, uint32(m.slot+word)*8)
		return
	}
	at := e.b.Local(wasm.I64)
	e.b.Tee(at)
	e.b.Const64(uint64(m.mem.Depth))
	e.b.Op(wasm.I64LtU)
	e.b.If(t)
	e.b.Get(at)
	e.b.Op(wasm.I32WrapI64)
	e.element(m)
	e.b.Load(t, uint32(m.slot+word)*8)
	e.b.Op(wasm.Else)
	if t == wasm.I32 {
		e.b.Const32(0)
	} else {
		e.b.Const64(0)
	}
	e.b.Op(wasm.End)
}

// element replaces the number of an element by its distance from the first, in
// bytes.
func (e *emitter) element(m *memory) {
	if n := m.words() * 8; n&(n-1) == 0 {
		e.b.Const32(uint32(bits.TrailingZeros(uint(n))))
		e.b.Op(wasm.I32Shl)
	} else {
		e.b.Const32(uint32(n))
		e.b.Op(wasm.I32Mul)
	}
}

// clock does what a memory port does at the edge.
func (e *emitter) clock(a *action) {
	p := &e.ports[a.slot]
	m := p.mem
	n := m.words()
	always := e.plan.isConst(p.en)
	if always && e.plan.isZero(p.en) {
		return
	}
	if !always {
		e.push(p.en)
		e.b.If(wasm.Void)
	}
	at := e.b.Local(wasm.I32)
	e.b.Get(0)
	e.b.Load(wasm.I64, uint32(p.addr)*8)
	e.b.Const64(uint64(m.mem.Depth))
	e.b.Op(wasm.I64LtU)
	e.b.If(wasm.Void)
	e.b.Get(0)
	e.b.Load(wasm.I32, uint32(p.addr)*8)
	e.element(m)
	e.b.Set(at)
	if p.access.data != none {
		e.b.Get(0)
		e.b.Const32(1)
		e.b.Store(wasm.I32, uint32(e.wrote)*8)
	}
	for i := range n {
		slot := uint32(m.slot+i) * 8
		load := func(s int) {
			e.b.Get(0)
			e.b.Load(wasm.I64, uint32(s+i)*8)
		}
		switch {
		case p.access.data == none:
			e.b.Get(0)
			e.b.Get(at)
			e.b.Load(wasm.I64, slot)
			e.b.Store(wasm.I64, uint32(p.data+i)*8)
			continue
		case p.access.mask == none:
			e.b.Get(at)
			load(p.data)
		default: // old ^ (old ^ data) & mask
			e.b.Get(at)
			e.b.Get(at)
			e.b.Load(wasm.I64, slot)
			e.b.Get(at)
			e.b.Load(wasm.I64, slot)
			load(p.data)
			e.b.Op(wasm.I64Xor)
			load(p.mask)
			e.b.Op(wasm.I64And)
			e.b.Op(wasm.I64Xor)
		}
		e.b.Store(wasm.I64, slot)
	}
	if p.access.data == none {
		e.b.Op(wasm.Else)
		for i := range n {
			e.b.Get(0)
			e.b.Const64(0)
			e.b.Store(wasm.I64, uint32(p.data+i)*8)
		}
	}
	e.b.Op(wasm.End)
	if !always {
		e.b.Op(wasm.End)
	}
}
