package hdl

import (
	"fmt"

	"github.com/millrace-hdl/millrace/hdl/diag"
	"github.com/millrace-hdl/millrace/hdl/ir"
)

// Mem is a memory with one write port and one read port. Its contents are
// undefined until written.
type Mem struct {
	m      *Module
	ir     *ir.Mem
	writes int
	read   ir.Expr // address of the asynchronous read
}

// Mem declares a memory of depth elements of type t.
func (m *Module) Mem(name string, t Var, depth int, opts ...Option) *Mem {
	o := apply(opts)
	mem := &ir.Mem{Name: name, Elem: t.typ, Depth: depth, Style: o.style, Attrs: o.attrs, Note: o.note, Pos: m.here(), Module: m.ir}
	if t.typ.Width < 1 || depth < 1 {
		m.report(diag.Range, fmt.Sprintf("memory %s has %d elements of %d bits", name, depth, t.typ.Width), "both must be at least 1")
		mem.Elem.Width, mem.Depth = max(t.typ.Width, 1), max(depth, 1)
	}
	m.ir.Mems = append(m.ir.Mems, mem)
	return &Mem{m: m, ir: mem}
}

// AddrWidth is the width of addresses: the least that reaches every element.
func (mem *Mem) AddrWidth() int { return mem.ir.AddrWidth() }

func (mem *Mem) operand(v Value, t ir.Type, what string) (Signal, bool) {
	s := v.resolve(mem.m, &t)
	if s.bad {
		return s, false
	}
	want := Signal{m: mem.m, e: ir.NewConst(t, 0)}
	if !s.e.Type().Same(t) {
		mem.m.report(diag.Width, fmt.Sprintf("the %s of memory %s is %s, %s is %s", what, mem.ir.Name, want.e.Type(), describe(s.e), s.e.Type()),
			"use Trunc, Ext or Resize")
		return s, false
	}
	return s, true
}

// Write writes the element at the next edge, where the statements around it let
// it. It may be called once per memory.
func (mem *Mem) Write(addr, data Value) { mem.write(addr, data, nil) }

// WriteMask is Write for the lanes whose mask bit is one; the mask's width divides
// the element's.
func (mem *Mem) WriteMask(addr, data, mask Value) { mem.write(addr, data, mask) }

func (mem *Mem) write(addr, data, mask Value) {
	if mem.writes++; mem.writes > 1 {
		mem.m.report(diag.Multiple, fmt.Sprintf("memory %s has one write port and is written a second time", mem.ir.Name),
			"select address and data first, and write once")
		return
	}
	a, okA := mem.operand(addr, ir.Type{Width: mem.AddrWidth()}, "address")
	d, okD := mem.operand(data, mem.ir.Elem, "data")
	if !okA || !okD {
		return
	}
	w := &ir.MemWrite{Mem: mem.ir, Addr: a.e, Data: d.e, Pos: mem.m.here()}
	if mask != nil {
		k := mask.resolve(mem.m, nil)
		if k.bad {
			return
		}
		if mem.ir.Elem.Width%k.Width() != 0 {
			mem.m.report(diag.Width, fmt.Sprintf("the mask of memory %s is %d bits, which does not divide the element's %d", mem.ir.Name, k.Width(), mem.ir.Elem.Width), "")
			return
		}
		w.Mask = k.e
	}
	mem.m.add(w)
}

// Read is the asynchronous read: the addressed element as it was before this
// cycle's write. A memory has one address to read at, so a second call with
// another address is an error.
func (mem *Mem) Read(addr Value) Signal {
	a, ok := mem.operand(addr, ir.Type{Width: mem.AddrWidth()}, "address")
	if !ok {
		return Signal{m: mem.m, bad: true, typ: mem.ir.Elem}
	}
	if mem.ir.Read != nil || mem.read != nil && mem.read != a.e {
		mem.m.report(diag.Multiple, fmt.Sprintf("memory %s has one read port and is read a second time", mem.ir.Name), "use a second memory")
		return Signal{m: mem.m, bad: true, typ: mem.ir.Elem}
	}
	mem.read = a.e
	return Signal{m: mem.m, e: &ir.MemRead{Mem: mem.ir, Addr: a.e, Pos: mem.m.here()}}
}

// SyncRead is a registered read: at an edge with en the result, called name, takes
// the addressed element; otherwise it holds. During says what it takes when the
// same edge writes that element.
func (mem *Mem) SyncRead(name string, addr, en Value, during ir.ReadDuringWrite) Signal {
	a, ok := mem.operand(addr, ir.Type{Width: mem.AddrWidth()}, "address")
	c := mem.m.condition(en, "SyncRead")
	if !ok || c.bad {
		return Signal{m: mem.m, bad: true, typ: mem.ir.Elem}
	}
	if mem.ir.Read != nil || mem.read != nil {
		mem.m.report(diag.Multiple, fmt.Sprintf("memory %s has one read port and is read a second time", mem.ir.Name), "use a second memory")
		return Signal{m: mem.m, bad: true, typ: mem.ir.Elem}
	}
	v := mem.m.declare(name, ir.SyncRead, Var{Signal: Signal{typ: mem.ir.Elem}}, nil)
	v.sig.Mem = mem.ir
	mem.ir.Read = &ir.SyncPort{Addr: a.e, En: c.e, During: during, Data: v.sig}
	return v.Signal
}
