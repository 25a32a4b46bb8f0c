package irtest

import (
	"fmt"
	"slices"

	"github.com/millrace-hdl/millrace/hdl/ir"
)

// Alone is the name of a clock domain whose edges must not coincide with those of
// other domains: memories of [Random] that two domains use are shared with this one,
// and what simultaneous accesses to one element do is undefined.
const Alone = "alone"

// kind is what two domains have in common if one may clock the other.
type kind struct {
	falling bool
	style   ir.ResetStyle
	noReset bool
	alone   bool
}

// side is where a value belongs: to one domain, or to none.
type side struct {
	dom *ir.Domain
	any bool // may depend on any domain
}

// known is what expressions of a side may read.
type known struct {
	ready []*ir.Signal
	pool  []ir.Expr // made before, to be shared
}

// menu chooses the kinds of domains that the design has.
func (g *generator) menu() {
	g.menus = []kind{{}}
	if g.o.Domains <= 0 {
		return
	}
	for range 3 {
		g.menus = append(g.menus, kind{falling: g.r.IntN(3) == 0, style: ir.ResetStyle(g.r.IntN(5)), noReset: g.r.IntN(6) == 0})
	}
	g.menus = append(g.menus, kind{falling: g.r.IntN(2) == 0, style: ir.ResetStyle(g.r.IntN(5)), alone: true})
}

// domains declares clock domains: some at random, and one for each kind that a
// domain of a child needs.
func (b *builder) domains(children []*ir.Module) {
	if b.o.Domains <= 0 {
		return
	}
	for range b.r.IntN(b.o.Domains + 1) {
		if k := b.r.IntN(len(b.menus)); !b.menus[k].alone || len(b.ofKind(k)) == 0 {
			b.domain(k)
		}
	}
	for _, c := range children {
		for _, d := range c.Domains {
			if k := b.kinds[d]; len(b.ofKind(k)) == 0 {
				b.domain(k)
			}
		}
	}
}

func (b *builder) domain(n int) *ir.Domain {
	k := b.menus[n]
	name := string(rune('a' + len(b.m.Domains)))
	if k.alone {
		name = Alone
	}
	d := &ir.Domain{Name: name, Clock: name + "_clk", Reset: name + "_rst", Falling: k.falling, Style: k.style}
	if k.noReset {
		d.Reset = ""
	}
	b.kinds[d] = n
	b.m.Domains = append(b.m.Domains, d)
	return d
}

// dropDomains removes the domains that nothing has come to belong to.
func (b *builder) dropDomains() {
	used := map[*ir.Domain]bool{}
	for _, s := range b.m.Signals {
		used[s.Domain] = true
	}
	for _, x := range b.m.Mems {
		for _, w := range x.Writes() {
			used[w.Domain] = true
		}
	}
	for _, p := range b.m.Properties {
		used[p.Domain] = true
	}
	for _, i := range b.m.Instances {
		used[i.Domain] = true
		for _, d := range i.Domains {
			used[d] = true
		}
	}
	b.m.Domains = slices.DeleteFunc(b.m.Domains, func(d *ir.Domain) bool { return !used[d] })
}

// ofKind lists the module's domains of a kind.
func (b *builder) ofKind(k int) []*ir.Domain {
	var list []*ir.Domain
	for _, d := range append([]*ir.Domain{nil}, b.m.Domains...) {
		if b.kinds[d] == k {
			list = append(list, d)
		}
	}
	return list
}

// bind clocks an instance with domains of the kinds that it needs.
func (b *builder) bind(i *ir.Instance) {
	pick := func(k int) *ir.Domain {
		list := b.ofKind(k)
		if len(list) == 1 {
			return list[0]
		}
		return list[b.r.IntN(len(list))]
	}
	i.Domain = pick(0)
	for _, d := range i.Of.Domains {
		i.Domains = append(i.Domains, pick(b.kinds[d]))
	}
}

func (b *builder) resets(d *ir.Domain) bool { return d == nil || d.Reset != "" }

// allSides lists the sides in a fixed order.
func (b *builder) allSides() []side {
	list := []side{{}}
	for _, d := range b.m.Domains {
		list = append(list, side{dom: d})
	}
	return append(list, side{any: true})
}

// anyDomain is a domain of the module at random.
func (b *builder) anyDomain() *ir.Domain {
	if len(b.m.Domains) == 0 {
		return nil
	}
	return append([]*ir.Domain{nil}, b.m.Domains...)[b.r.IntN(1+len(b.m.Domains))]
}

// settle chooses the side of a signal. That of a register is what it may depend
// on: its own domain, or anything if it may cross.
func (b *builder) settle(s *ir.Signal) {
	if len(b.m.Domains) == 0 {
		return
	}
	at := side{dom: b.anyDomain()}
	loose := b.r.IntN(6) == 0
	switch s.Kind {
	case ir.Input, ir.Output:
		if loose {
			s.Async, at = true, side{any: true}
		} else {
			s.Domain = at.dom
		}
	case ir.Wire:
		if loose {
			at = side{any: true}
		}
	case ir.Reg:
		s.Domain = at.dom
		if loose { // see synchronisers
			s.Crossing, at = fmt.Sprintf("%s is a synchroniser by decree.", s.Name), side{any: true}
		}
	case ir.SyncRead:
		s.Domain = at.dom
	}
	b.sides[s] = at
}

// here is what may be read now.
func (b *builder) here() *known { return b.on(b.at) }

func (b *builder) on(at side) *known {
	k := b.known[at]
	if k == nil {
		k = &known{}
		b.known[at] = k
	}
	return k
}

// publish makes a signal ready.
func (b *builder) publish(s *ir.Signal) {
	at := b.sides[s]
	if s.Kind == ir.Reg || s.Kind == ir.SyncRead {
		at = side{dom: s.Domain}
	}
	if !at.any {
		k := b.on(at)
		k.ready = append(k.ready, s)
	}
	k := b.on(side{any: true})
	k.ready = append(k.ready, s)
}

// share puts an expression of the present side into the pool.
func (b *builder) share(e ir.Expr) {
	if !b.at.any {
		k := b.here()
		k.pool = append(k.pool, e)
	}
	k := b.on(side{any: true})
	k.pool = append(k.pool, e)
}

// synchronisers assigns registers that may cross: they take state of any domain, or
// parts of it, without logic between.
func (b *builder) synchronisers(list []*ir.Signal) {
	var state []*ir.Signal
	for _, s := range b.here().ready {
		if s.Kind == ir.Reg || s.Kind == ir.SyncRead {
			state = append(state, s)
		}
	}
	for _, s := range list {
		set := ir.Stmt(&ir.Assign{Target: s, Width: s.Type.Width, Value: b.fit(&ir.Ref{Signal: state[b.r.IntN(len(state))]}, s.Type)})
		if b.at = (side{dom: s.Domain}); b.r.IntN(2) == 0 {
			set = b.when(b.condition(), set, nil)
		}
		b.m.Body = append(b.m.Body, set)
	}
}
