package hdl

import (
	"fmt"
	"slices"

	"github.com/millrace-hdl/millrace/hdl/check"
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

// ReadDuringWrite says what a synchronous read takes when the same edge writes the
// element: [OldData], [NewData], or [Undefined], on which a description must not
// depend.
type ReadDuringWrite = ir.ReadDuringWrite

const (
	OldData   = ir.OldData   // the element before the write
	NewData   = ir.NewData   // what is being written
	Undefined = ir.Undefined // either
)

// Mem declares a memory of depth elements of type t.
func (m *Module) Mem(name string, t Var, depth int, opts ...Option) *Mem {
	o := apply(opts)
	elem := t.shape()
	mem := &ir.Mem{Name: name, Elem: elem, Depth: depth, Style: o.style, Attrs: o.attrs, Note: o.note, Pos: m.here(), Module: m.ir}
	if !m.live() {
		m = m.design.active
	} else if t.bad {
		t.resolve(m, nil)
	} else {
		m.allow("memory "+name, o, "WithAttr", "Doc", "Style")
		m.ir.Mems = append(m.ir.Mems, mem)
		if elem.Width < 1 || depth < 1 {
			m.report(diag.Range, fmt.Sprintf("memory %s has %d elements of %s", name, depth, counted(elem.Width, "bit")), "both must be at least 1")
		} else if depth > check.MaxDepth {
			m.report(diag.Range, fmt.Sprintf("memory %s has %d elements", name, depth), fmt.Sprintf("depths are 1 to %d", check.MaxDepth))
		}
	}
	mem.Elem.Width, mem.Depth = max(elem.Width, 1), min(max(depth, 1), check.MaxDepth)
	return &Mem{m: m, ir: mem}
}

// AddrBits is the number of bits that tell n values apart, such as the elements of
// a memory: at least 1.
func AddrBits(n int) int { return ir.AddrBits(n) }

// AddrWidth is the width of addresses: the least that reaches every element.
func (mem *Mem) AddrWidth() int { return mem.ir.AddrWidth() }

// operand resolves a value that must be of type t.
func (mem *Mem) operand(v Value, t ir.Type, what string) Signal {
	s := value(v, mem.m, &t)
	if s.bad || s.e.Type().Same(t) {
		return s
	}
	code, fix := diag.Width, "use Trunc, Ext or Resize"
	if s.e.Type().Width == t.Width {
		code, fix = diag.Sign, "use AsSigned or AsUnsigned"
	}
	return fail(mem.m, t, code, fmt.Sprintf("the %s of memory %s is %s, %s is %s", what, mem.ir.Name, t, describe(s.e), s.e.Type()), fix)
}

func (mem *Mem) address(addr Value) Signal {
	return mem.operand(addr, ir.Type{Width: mem.AddrWidth()}, "address")
}

// Write writes the element at the next edge, where the statements around it let
// it. It may be called once per memory.
func (mem *Mem) Write(addr, data Value) { mem.write(addr, data, nil) }

// WriteMask is Write for the lanes whose mask bit is one; the mask's width divides
// the element's.
func (mem *Mem) WriteMask(addr, data, mask Value) { mem.write(addr, data, mask) }

func (mem *Mem) write(addr, data, mask Value) {
	if !mem.m.live() {
		return
	}
	if mem.writes++; mem.writes > 1 {
		mem.m.report(diag.Multiple, fmt.Sprintf("memory %s has one write port and is written a second time", mem.ir.Name),
			"select address and data first, and write once")
		return
	}
	a, d := mem.address(addr), mem.operand(data, mem.ir.Elem, "data")
	w := &ir.MemWrite{Mem: mem.ir, Addr: a.e, Data: d.e, Pos: mem.m.here()}
	if mask != nil {
		k := value(mask, mem.m, nil)
		if k.bad {
			return
		}
		if k.Signed() || mem.ir.Elem.Width%k.Width() != 0 {
			mem.m.report(diag.Width, fmt.Sprintf("the mask of memory %s is %s; the element has %s", mem.ir.Name, k.e.Type(), counted(mem.ir.Elem.Width, "bit")),
				"use an unsigned mask with a bit for each of the equal lanes")
			return
		}
		w.Mask = k.e
	}
	if !a.bad && !d.bad {
		mem.m.add(w)
	}
}

// Read is the asynchronous read: the addressed element as it was before this
// cycle's write. A memory has one read port, so a second read at another address
// is an error.
func (mem *Mem) Read(addr Value) Signal {
	bad := Signal{m: mem.m, bad: true, typ: mem.ir.Elem}
	if !mem.m.live() {
		return bad
	}
	a := mem.address(addr)
	if a.bad {
		return bad
	}
	if mem.ir.Read != nil || mem.read != nil && !sameValue(mem.read, a.e) {
		return mem.secondRead()
	}
	if mem.read == nil {
		mem.read = a.e
	}
	return Signal{m: mem.m, e: &ir.MemRead{Mem: mem.ir, Addr: mem.read, Pos: mem.m.here()}}
}

func (mem *Mem) secondRead() Signal {
	return fail(mem.m, mem.ir.Elem, diag.Multiple, fmt.Sprintf("memory %s has one read port and is read a second time", mem.ir.Name), "use a second memory")
}

// sameValue reports whether two expressions are literals of one value, the same
// bits of one signal, or one node.
func sameValue(x, y ir.Expr) bool {
	switch x := x.(type) {
	case *ir.Const:
		y, ok := y.(*ir.Const)
		return ok && slices.Equal(x.Words, y.Words)
	case *ir.Ref:
		y, ok := y.(*ir.Ref)
		return ok && x.Signal == y.Signal
	case *ir.Slice:
		y, ok := y.(*ir.Slice)
		return ok && x.Lo == y.Lo && x.Width == y.Width && sameValue(x.X, y.X)
	}
	return x == y
}

// SyncRead is a registered read: at an edge with en the result, called name, takes
// the addressed element; otherwise it holds. During says what it takes when the
// same edge writes that element.
func (mem *Mem) SyncRead(name string, addr, en Value, during ReadDuringWrite) Signal {
	bad := Signal{m: mem.m, bad: true, typ: mem.ir.Elem}
	if !mem.m.live() {
		return bad
	}
	a, c := mem.address(addr), condition(mem.m, en, "SyncRead")
	switch {
	case a.bad || c.bad:
		return bad
	case mem.ir.Read != nil || mem.read != nil:
		return mem.secondRead()
	case during > Undefined:
		return fail(mem.m, mem.ir.Elem, diag.Misuse, fmt.Sprintf("memory %s has the read-during-write behaviour %d", mem.ir.Name, during), "use OldData, NewData or Undefined")
	}
	v := mem.m.declare(name, ir.SyncRead, Var{Signal: Signal{typ: mem.ir.Elem}}, nil)
	if v.bad {
		return bad
	}
	v.sig.Mem = mem.ir
	mem.ir.Read = &ir.SyncPort{Addr: a.e, En: c.e, During: during, Data: v.sig}
	return v.Signal
}
