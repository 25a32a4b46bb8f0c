package hdl

import (
	"fmt"
	"math/big"

	"github.com/millrace-hdl/millrace/hdl/check"
	"github.com/millrace-hdl/millrace/hdl/diag"
	"github.com/millrace-hdl/millrace/hdl/ir"
)

// Mem is a memory. Each call of Write, WriteMask, Read and SyncRead makes a port;
// what FPGAs and memory compilers have as blocks is one port of each kind, or two
// that both read and write. Contents are undefined until written, unless [Contents]
// gives them. Where several ports write an element at one edge, the later call wins.
type Mem struct {
	m     *Module
	ir    *ir.Mem
	reads []*readPort
}

// WritePort is a write port of a memory, to be named in [During].
type WritePort struct{ stmt *ir.MemWrite }

// readPort is a synchronous read port whose behaviour during writes is completed
// when all write ports are known.
type readPort struct {
	ir     *ir.SyncPort
	during ReadDuringWrite
	for_   []duringWrite
}

type duringWrite struct {
	port   *WritePort
	during ReadDuringWrite
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
		m.allow("memory "+name, o, "WithAttr", "Doc", "Style", "Contents")
		m.ir.Mems = append(m.ir.Mems, mem)
		if elem.Width < 1 || depth < 1 {
			m.report(diag.Range, fmt.Sprintf("memory %s has %d elements of %s", name, depth, counted(elem.Width, "bit")), "both must be at least 1")
		} else if depth > check.MaxDepth {
			m.report(diag.Range, fmt.Sprintf("memory %s has %d elements", name, depth), fmt.Sprintf("depths are 1 to %d", check.MaxDepth))
		}
	}
	mem.Elem.Width, mem.Depth = max(elem.Width, 1), min(max(depth, 1), check.MaxDepth)
	out := &Mem{m: m, ir: mem}
	out.fill(o.contents)
	m.mems = append(m.mems, out)
	return out
}

// fill gives the memory its initial contents.
func (mem *Mem) fill(contents []*big.Int) {
	if len(contents) > mem.ir.Depth {
		mem.m.report(diag.Range, fmt.Sprintf("memory %s has %s and contents for %d", mem.ir.Name, counted(mem.ir.Depth, "element"), len(contents)), "leave the rest out")
		return
	}
	for i, v := range contents {
		if v == nil || !holds(mem.ir.Elem, v) {
			mem.m.report(diag.Literal, fmt.Sprintf("element %d of memory %s cannot be %v: elements are %s (%s)", i, mem.ir.Name, v, mem.ir.Elem, span(mem.ir.Elem)), "use a value in that range")
			return
		}
		c := bigConst(mem.ir.Elem, v)
		c.Pos = mem.ir.Pos
		mem.ir.Init = append(mem.ir.Init, c)
	}
}

// holds reports whether v is a value of the type.
func holds(t ir.Type, v *big.Int) bool {
	if !t.Signed {
		return v.Sign() >= 0 && v.BitLen() <= t.Width
	}
	if v.Sign() < 0 {
		v = new(big.Int).Not(v)
	}
	return v.BitLen() < t.Width
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

// Write makes a write port: it writes the element at the next edge, where the
// statements around it let it. [On] is its option.
func (mem *Mem) Write(addr, data Value, opts ...Option) *WritePort {
	return mem.write(addr, data, nil, opts)
}

// WriteMask is Write for the lanes whose mask bit is one; the mask's width divides
// the element's.
func (mem *Mem) WriteMask(addr, data, mask Value, opts ...Option) *WritePort {
	return mem.write(addr, data, mask, opts)
}

func (mem *Mem) write(addr, data, mask Value, opts []Option) *WritePort {
	m, o := mem.m, apply(opts)
	w := &ir.MemWrite{Mem: mem.ir, Domain: o.clock(m)}
	port := &WritePort{w}
	if !m.live() {
		return port
	}
	m.allow("a write port of memory "+mem.ir.Name, o, "On")
	a, d := mem.address(addr), mem.operand(data, mem.ir.Elem, "data")
	w.Addr, w.Data, w.Pos = a.e, d.e, m.here()
	if mask != nil {
		k := value(mask, m, nil)
		if k.bad {
			return port
		}
		if k.Signed() || mem.ir.Elem.Width%k.Width() != 0 {
			m.report(diag.Width, fmt.Sprintf("the mask of memory %s is %s; the element has %s", mem.ir.Name, k.e.Type(), counted(mem.ir.Elem.Width, "bit")),
				"use an unsigned mask with a bit for each of the equal lanes")
			return port
		}
		w.Mask = k.e
	}
	if !a.bad && !d.bad {
		m.add(w)
	}
	return port
}

// Read makes an asynchronous read port: the addressed element as it was before
// this cycle's writes.
func (mem *Mem) Read(addr Value) Signal {
	bad := Signal{m: mem.m, bad: true, typ: mem.ir.Elem}
	if !mem.m.live() {
		return bad
	}
	a := mem.address(addr)
	if a.bad {
		return bad
	}
	return Signal{m: mem.m, e: &ir.MemRead{Mem: mem.ir, Addr: a.e, Pos: mem.m.here()}}
}

// SyncRead makes a registered read port: at an edge with en the result, called
// name, takes the addressed element; otherwise it holds. During says what it takes
// when the same edge writes that element through a port of the same clock domain;
// [During] says otherwise for single ports, and across domains it is undefined.
// [On], [Crosses] and [During] are its options.
func (mem *Mem) SyncRead(name string, addr, en Value, during ReadDuringWrite, opts ...Option) Signal {
	m, o := mem.m, apply(opts)
	bad := Signal{m: m, bad: true, typ: mem.ir.Elem}
	if !m.live() {
		return bad
	}
	a, c := mem.address(addr), condition(m, en, "SyncRead")
	switch {
	case a.bad || c.bad:
		return bad
	case during > Undefined:
		return fail(m, mem.ir.Elem, diag.Misuse, fmt.Sprintf("memory %s has the read-during-write behaviour %d", mem.ir.Name, during), "use OldData, NewData or Undefined")
	}
	v := m.declare(name, ir.SyncRead, Var{Signal: Signal{typ: mem.ir.Elem}}, opts)
	if v.bad {
		return bad
	}
	v.sig.Mem = mem.ir
	p := &readPort{ir: &ir.SyncPort{Addr: a.e, En: c.e, Data: v.sig}, during: during, for_: o.during}
	mem.ir.Reads = append(mem.ir.Reads, p.ir)
	mem.reads = append(mem.reads, p)
	return v.Signal
}

// finish completes the read ports, once all write ports are known.
func (mem *Mem) finish() {
	writes := mem.ir.Writes()
	for _, p := range mem.reads {
		for _, w := range writes {
			during := p.during
			if w.Domain != p.ir.Data.Domain {
				during = Undefined
			}
			for _, f := range p.for_ {
				if f.port != nil && f.port.stmt == w {
					during = f.during
				}
			}
			p.ir.During = append(p.ir.During, during)
		}
		for _, f := range p.for_ {
			if f.port == nil || f.port.stmt.Mem != mem.ir {
				mem.m.reportAt(p.ir.Data.Pos, diag.Misuse, fmt.Sprintf("During of %s names a port of another memory", p.ir.Data.Name), "pass what Write of this memory returned")
			}
		}
	}
}
