package irtest

import (
	"fmt"
	"math/big"
	"slices"

	"github.com/millrace-hdl/millrace/hdl/ir"
)

// Reference is a running design. Values are in [0, 2^width), those of signed
// signals as well. All state starts at zero but for registers with a reset
// value, which start with it.
type Reference struct {
	design *ir.Design
	places []*place // parents before children
	byPath map[string]located
	cycle  uint64
	hits   map[string]uint64
}

type located struct {
	place  *place
	signal *ir.Signal
}

// place is one module in the hierarchy.
type place struct {
	path   string
	mod    *ir.Module
	parent *place
	conns  map[*ir.Signal]*ir.Signal // port → the parent's signal
	below  map[*ir.Instance]*place
	value  map[*ir.Signal]*big.Int
	next   map[*ir.Signal]*big.Int // registers
	mem    map[*ir.Mem][]*big.Int
	clock  map[*ir.Domain]*ir.Domain // to the top's
	writes []memWrite
	box    ir.ExternModel
	inputs [][]uint64           // of the box, as its last evaluation saw them
	memo   map[ir.Expr]*big.Int // of the present pass
	stale  bool                 // something it reads changed since its last pass
}

type memWrite struct {
	port       *ir.MemWrite
	addr, data *big.Int
	mask       *big.Int // of bits
}

// NewReference prepares a design to run.
func NewReference(d *ir.Design) *Reference {
	r := &Reference{design: d, byPath: map[string]located{}, hits: map[string]uint64{}}
	r.place(d.Top, "", nil, nil)
	for _, p := range r.places {
		p.resetBox(func(*ir.Domain) bool { return true })
	}
	return r
}

func (r *Reference) place(m *ir.Module, path string, parent *place, inst *ir.Instance) *place {
	p := &place{
		path: path, mod: m, parent: parent, stale: true, conns: map[*ir.Signal]*ir.Signal{}, below: map[*ir.Instance]*place{},
		value: map[*ir.Signal]*big.Int{}, next: map[*ir.Signal]*big.Int{}, mem: map[*ir.Mem][]*big.Int{},
		clock: map[*ir.Domain]*ir.Domain{},
	}
	r.places = append(r.places, p)
	for _, d := range append([]*ir.Domain{nil}, m.Domains...) {
		p.clock[d] = d
		if inst != nil {
			p.clock[d] = parent.clock[inst.Outer(d)]
		}
	}
	if inst != nil {
		for _, c := range inst.Conns {
			p.conns[c.Port] = c
		}
	}
	if m.Extern != nil {
		p.box = m.Extern.Model()
	}
	for _, s := range m.Signals {
		r.byPath[path+s.Name] = located{p, s}
		p.value[s] = new(big.Int)
		if s.Init != nil {
			p.value[s] = constant(s.Init)
		}
	}
	for _, x := range m.Mems {
		p.mem[x] = make([]*big.Int, x.Depth)
		for i := range p.mem[x] {
			p.mem[x][i] = new(big.Int)
			if i < len(x.Init) {
				p.mem[x][i] = constant(x.Init[i])
			}
		}
	}
	for _, i := range m.Instances {
		p.below[i] = r.place(i.Of, path+i.Name+".", p, i)
	}
	return p
}

func (r *Reference) find(path string) (*place, *ir.Signal) {
	l, ok := r.byPath[path]
	if !ok {
		panic(fmt.Sprintf("irtest: the design has no signal %s", path))
	}
	return l.place, l.signal
}

// Set gives an input of the top, or a register, a value.
func (r *Reference) Set(path string, v *big.Int) {
	p, s := r.find(path)
	p.value[s], p.stale = new(big.Int).Set(v), true
}

// Get is the value of any signal: instance names and signal name joined by
// dots. Wires and outputs are as of the last Settle.
func (r *Reference) Get(path string) *big.Int {
	p, s := r.find(path)
	return p.value[s]
}

// Mem is the live contents of a memory, to be changed only before the first
// Settle.
func (r *Reference) Mem(path string) []*big.Int {
	for _, p := range r.places {
		for _, x := range p.mod.Mems {
			if p.path+x.Name == path {
				return p.mem[x]
			}
		}
	}
	panic(fmt.Sprintf("irtest: the design has no memory %s", path))
}

// Settle computes the combinational logic. It fails if that does not come to
// rest, which means that there is a loop.
func (r *Reference) Settle() error {
	for range 100_000 {
		changed := false
		for _, p := range r.places {
			if !p.stale {
				continue
			}
			if p.stale = p.pass(); p.stale {
				changed = true
				p.touch()
			}
		}
		if !changed {
			return nil
		}
	}
	return fmt.Errorf("the combinational logic does not settle")
}

// touch marks what reads the signals of p.
func (p *place) touch() {
	if p.parent != nil {
		p.parent.stale = true
	}
	for _, i := range p.mod.Instances {
		p.below[i].stale = true
	}
}

// Edge is one edge of all clocks after Settle, with all resets on or off.
func (r *Reference) Edge(reset bool) {
	r.Tick(reset, append([]*ir.Domain{nil}, r.design.Top.Domains...)...)
}

// Tick is one edge of the clocks of some of the top's domains at once, nil being the
// implicit one. Writes from two of them to one element are not modelled.
func (r *Reference) Tick(reset bool, domains ...*ir.Domain) {
	if !reset {
		r.check(domains)
	}
	r.cycle++
	for _, p := range r.places {
		p.stale = true
		ticks := func(d *ir.Domain) bool { return slices.Contains(domains, p.clock[d]) }
		p.writes = slices.DeleteFunc(p.writes, func(w memWrite) bool { return !ticks(w.port.Domain) })
		taken := map[*ir.Signal]*big.Int{}
		for _, x := range p.mod.Mems {
			for _, port := range x.Reads {
				if ticks(port.Data.Domain) && p.eval(port.En).Sign() != 0 {
					taken[port.Data] = p.syncRead(x, port)
				}
			}
		}
		for _, w := range p.writes {
			if a := w.addr; a.Cmp(big.NewInt(int64(w.port.Mem.Depth))) < 0 {
				p.mem[w.port.Mem][a.Int64()] = w.over(p.mem[w.port.Mem][a.Int64()])
			}
		}
		for _, s := range p.mod.Signals {
			switch {
			case taken[s] != nil:
				p.value[s] = taken[s]
			case s.Kind != ir.Reg || !ticks(s.Domain):
			case reset && s.Init != nil:
				p.value[s] = constant(s.Init)
			default:
				p.value[s] = p.next[s]
			}
		}
		p.edgeBox(ticks)
		if reset {
			p.resetBox(ticks)
		}
	}
}

// over is v with what the port writes over it.
func (w memWrite) over(v *big.Int) *big.Int {
	v = new(big.Int).AndNot(v, w.mask)
	return v.Or(v, new(big.Int).And(w.data, w.mask))
}

// syncRead is what a read port takes at this edge.
func (p *place) syncRead(x *ir.Mem, port *ir.SyncPort) *big.Int {
	addr := p.eval(port.Addr)
	v := p.read(x, addr)
	if addr.Cmp(big.NewInt(int64(x.Depth))) >= 0 {
		return v
	}
	for i, w := range x.Writes() {
		for _, done := range p.writes {
			if done.port == w && port.During[i] == ir.NewData && done.addr.Cmp(addr) == 0 {
				v = done.over(v)
			}
		}
	}
	return v
}

func (p *place) read(x *ir.Mem, addr *big.Int) *big.Int {
	if addr.Cmp(big.NewInt(int64(x.Depth))) >= 0 {
		return new(big.Int)
	}
	return p.mem[x][addr.Int64()]
}

// pass executes the body once over the present values and reports whether any
// combinational signal changed.
func (p *place) pass() bool {
	if p.box != nil {
		return p.call()
	}
	got := map[*ir.Signal]*big.Int{}
	p.writes, p.memo = nil, map[ir.Expr]*big.Int{}
	for _, s := range p.mod.Signals {
		switch {
		case s.Kind == ir.Input && p.parent != nil:
			got[s] = p.parent.value[p.conns[s]]
		case s.Kind == ir.InstOut:
			got[s] = p.below[s.Inst].value[s.Port]
		case s.Kind == ir.Reg:
			got[s] = p.value[s]
		case s.Kind.Comb() && s.Default != nil:
			got[s] = p.eval(s.Default)
		case s.Kind.Comb():
			got[s] = new(big.Int)
		}
	}
	p.exec(p.mod.Body, got)
	changed := false
	for _, s := range p.mod.Signals {
		v := got[s]
		switch {
		case v == nil:
		case s.Kind == ir.Reg:
			p.next[s] = v
		case v.Cmp(p.value[s]) != 0:
			p.value[s], changed = v, true
		}
	}
	return changed
}

func (p *place) exec(list []ir.Stmt, got map[*ir.Signal]*big.Int) {
	for _, s := range list {
		switch s := s.(type) {
		case *ir.Assign:
			lo := uint(s.Lo)
			if s.Index != nil {
				lo = lane(p.eval(s.Index), s.Width, s.Target.Type.Width)
			}
			if lo < uint(s.Target.Type.Width) {
				m := new(big.Int).Lsh(ones(s.Width), lo)
				v := new(big.Int).AndNot(got[s.Target], m)
				got[s.Target] = v.Or(v, new(big.Int).Lsh(p.eval(s.Value), lo))
			}
		case *ir.If:
			body := s.Else
			for _, a := range s.Arms {
				if p.eval(a.Cond).Sign() != 0 {
					body = a.Body
					break
				}
			}
			p.exec(body, got)
		case *ir.Switch:
			v, body := p.eval(s.Subject), s.Default
			for _, c := range s.Cases {
				for _, k := range c.Values {
					if constant(k).Cmp(v) == 0 {
						body = c.Body
					}
				}
			}
			p.exec(body, got)
		case *ir.MemWrite:
			w := memWrite{s, p.eval(s.Addr), p.eval(s.Data), ones(s.Mem.Elem.Width)}
			if s.Mask != nil {
				m, lanes := p.eval(s.Mask), s.Mask.Type().Width
				lane := s.Mem.Elem.Width / lanes
				w.mask = new(big.Int)
				for i := range lanes {
					if m.Bit(i) == 1 {
						w.mask.Or(w.mask, new(big.Int).Lsh(ones(lane), uint(i*lane)))
					}
				}
			}
			p.writes = append(p.writes, w)
		}
	}
}
