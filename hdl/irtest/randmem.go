package irtest

import (
	"fmt"
	"slices"

	"github.com/millrace-hdl/millrace/hdl/ir"
)

// memory is a memory on its way: its ports come last, when everything is ready.
type memory struct {
	*ir.Mem
	writes []*ir.Domain // of the calls of write
	async  bool         // has an asynchronous read port
}

// memories declares the memories and makes their reads ready.
func (b *builder) memories() {
	if b.o.NoMems {
		return
	}
	for i := range b.r.IntN(3) {
		x := &memory{Mem: &ir.Mem{
			Name: fmt.Sprintf("m%d", i), Depth: 1 + b.r.IntN(9), Module: b.m,
			Elem: ir.Type{Width: b.width(), Signed: b.r.IntN(4) == 0},
		}}
		b.m.Mems = append(b.m.Mems, x.Mem)
		b.mems = append(b.mems, x)
		if b.o.Ports {
			b.ports(x)
			continue
		}
		at := side{dom: b.anyDomain()}
		x.writes = []*ir.Domain{at.dom}
		if b.at = at; b.r.IntN(2) == 0 {
			b.asyncRead(x)
		} else {
			b.syncRead(x, fmt.Sprintf("q%d", i), at.dom)
		}
	}
}

// ports chooses depth, contents and ports of a memory. Two domains share it only if
// one of them is the one called alone.
func (b *builder) ports(x *memory) {
	if b.r.IntN(4) == 0 {
		x.Depth += b.r.IntN(60)
	}
	x.Style = []string{"", "", "block", "distributed", "registers"}[b.r.IntN(5)]
	first := b.anyDomain()
	alone := slices.IndexFunc(b.m.Domains, func(d *ir.Domain) bool { return d.Name == Alone })
	domain := func() *ir.Domain {
		if alone >= 0 && b.r.IntN(3) == 0 {
			return b.m.Domains[alone]
		}
		return first
	}
	rom := b.r.IntN(5) == 0
	if rom || b.r.IntN(3) == 0 {
		n := x.Depth
		if !rom {
			n = 1 + b.r.IntN(x.Depth)
		}
		for range n {
			x.Init = append(x.Init, b.literal(x.Elem))
		}
	}
	if !rom {
		d := domain() // one for all: what two domains write at once is undefined
		for range 1 + b.r.IntN(3) {
			x.writes = append(x.writes, d)
		}
	}
	reads := b.r.IntN(4)
	for k := range reads {
		b.syncRead(x, fmt.Sprintf("%s_q%d", x.Name, k), domain())
	}
	b.at = side{dom: first}
	for _, d := range x.writes {
		if d != first {
			b.at = side{any: true}
		}
	}
	for range b.r.IntN(3) {
		reads++
		b.asyncRead(x)
	}
	if reads == 0 {
		b.asyncRead(x)
	}
}

// asyncRead makes a read of the memory that expressions of the present side may
// use. One wire does, whatever they choose.
func (b *builder) asyncRead(x *memory) {
	e := &ir.MemRead{Mem: x.Mem, Addr: b.expr(ir.Type{Width: x.AddrWidth()}, 1)}
	b.share(e)
	x.async = true
	if b.o.Ports {
		s := b.signal(fmt.Sprintf("%s_word%d", x.Name, len(b.m.Signals)), ir.Wire)
		s.Type = x.Elem
		b.sides[s] = b.at
		b.m.Body = append(b.m.Body, &ir.Assign{Target: s, Width: s.Type.Width, Value: e})
		b.publish(s)
	}
}

func (b *builder) syncRead(x *memory, name string, d *ir.Domain) {
	s := b.signal(name, ir.SyncRead)
	s.Type, s.Mem, s.Domain = x.Elem, x.Mem, d
	b.sides[s] = side{dom: d}
	for _, w := range x.writes {
		if w != d {
			s.Crossing, b.sides[s] = "The memory has two clocks.", side{any: true}
		}
	}
	x.Reads = append(x.Reads, &ir.SyncPort{Data: s})
	b.publish(s)
}

// syncReads gives the read ports their addresses, and says what they give during
// the writes, which all exist by now.
func (b *builder) syncReads() {
	for _, x := range b.mems {
		ws := x.Mem.Writes()
		if x.Style == "block" && (x.async || len(ws) > 2) || x.Style == "distributed" && len(ws) > 1 {
			x.Style = "" // there is no such storage
		}
		for _, p := range x.Reads {
			b.at = side{dom: p.Data.Domain}
			p.Addr, p.En = b.expr(ir.Type{Width: x.AddrWidth()}, 1), b.flag()
			during := ir.ReadDuringWrite(b.r.IntN(3))
			for _, w := range ws {
				if b.o.Ports {
					during = ir.ReadDuringWrite(b.r.IntN(3))
				}
				if w.Domain != p.Data.Domain {
					during = ir.Undefined
				}
				p.During = append(p.During, during)
			}
		}
	}
}

func (b *builder) writes() {
	for _, x := range b.mems {
		for _, d := range x.writes {
			b.at = side{dom: d}
			b.write(x.Mem, d)
		}
	}
}

// write adds one or two write ports of a memory, at any depth of conditions.
func (b *builder) write(x *ir.Mem, d *ir.Domain) {
	port := func() ir.Stmt {
		w := &ir.MemWrite{Mem: x, Addr: b.expr(ir.Type{Width: x.AddrWidth()}, 1), Data: b.expr(x.Elem, 2), Domain: d}
		if b.r.IntN(2) == 0 {
			var lanes []int
			for n := 1; n <= x.Elem.Width; n++ {
				if x.Elem.Width%n == 0 {
					lanes = append(lanes, n)
				}
			}
			w.Mask = b.expr(ir.Type{Width: lanes[b.r.IntN(len(lanes))]}, 1)
		}
		return w
	}
	switch b.r.IntN(4) {
	case 0:
		b.m.Body = append(b.m.Body, port())
	case 1:
		b.m.Body = append(b.m.Body, &ir.If{Arms: []ir.Arm{{Cond: b.flag(), Body: []ir.Stmt{port()}}}})
	case 2:
		b.m.Body = append(b.m.Body, &ir.If{
			Arms: []ir.Arm{{Cond: b.flag()}, {Cond: b.flag(), Body: []ir.Stmt{port()}}},
			Else: []ir.Stmt{&ir.If{Arms: []ir.Arm{{Cond: b.flag(), Body: []ir.Stmt{port()}}}}},
		})
	default:
		t := ir.Type{Width: 2}
		b.m.Body = append(b.m.Body, &ir.Switch{
			Subject:    b.expr(t, 1),
			Cases:      []ir.Case{{Values: []*ir.Const{ir.NewConst(t, 1), ir.NewConst(t, 2)}, Body: []ir.Stmt{port()}}},
			Default:    []ir.Stmt{port()},
			HasDefault: true,
		})
	}
}
