package hdl

import (
	"fmt"

	"github.com/millrace-hdl/millrace/hdl/diag"
	"github.com/millrace-hdl/millrace/hdl/ir"
)

// Assert claims that cond holds at every edge outside reset, where the statements
// around it let it. Properties and what serves them alone stay out of the RTL: they
// become a module of their own that is bound to it. Their names are unique in the
// module. [On] and [Doc] are its options.
func (m *Module) Assert(name string, cond Value, opts ...Option) {
	m.property(ir.Assert, name, cond, opts)
}

// Assume claims what the surroundings owe: that cond holds at every edge outside
// reset, where the statements around it let it.
func (m *Module) Assume(name string, cond Value, opts ...Option) {
	m.property(ir.Assume, name, cond, opts)
}

// Cover asks whether cond holds at some edge outside reset, where the statements
// around it let it.
func (m *Module) Cover(name string, cond Value, opts ...Option) {
	m.property(ir.Cover, name, cond, opts)
}

func (m *Module) property(kind ir.PropertyKind, name string, cond Value, opts []Option) {
	if !m.live() {
		return
	}
	o := apply(opts)
	m.allow("property "+name, o, "On", "Doc")
	c := condition(m, cond, kind.String()+" "+name)
	if c.bad {
		return
	}
	holds := K(1) // where the statements around do not let it
	if kind == ir.Cover {
		holds = 0
	}
	w := m.ghost(name, ir.Wire, ir.Type{Width: 1}, Default(holds))
	if w.bad {
		return
	}
	w.Set(c)
	m.ir.Properties = append(m.ir.Properties, &ir.Property{Kind: kind, Name: name, Cond: w.sig, Domain: o.clock(m), Note: o.note, Pos: m.here()})
}

// AssertWithin claims that after each cycle with trigger, response holds in that
// cycle or in one of the n that follow.
func (m *Module) AssertWithin(name string, n int, trigger, response Value, opts ...Option) {
	if !m.live() {
		return
	}
	o := apply(opts)
	m.allow("property "+name, o, "On", "Doc")
	if n < 1 {
		m.report(diag.Range, fmt.Sprintf("AssertWithin %s waits for %d cycles", name, n), "wait for at least one")
		return
	}
	t, r := condition(m, trigger, "AssertWithin "+name), condition(m, response, "AssertWithin "+name)
	if t.bad || r.bad {
		return
	}
	inDomain := []Option{On(&Domain{m, o.clock(m)})}
	wait := m.ghost(name+"_wait", ir.Reg, ir.Type{Width: ir.AddrBits(n + 1)}, inDomain...)
	late := wait.Eq(K(n))
	m.always(func() {
		wait.Set(FirstOf(wait.Signal,
			Choice{r.Or(late), K(0)},
			Choice{wait.Any(), wait.Add(K(1))},
			Choice{t, K(1)}))
	})
	m.Assert(name, late.Not().Or(r), opts...)
}

// Implies is one bit: where a holds, b does.
func Implies(a, b Signal) Signal { return a.Not().Or(b) }

// ImpliesNext is one bit: where a held at the edge before, b holds. It is for
// properties only, as are [Past], [Stable], [Rose] and [Fell]; its first operand
// is a signal with a name, or a part of one.
func ImpliesNext(a, b Signal) Signal {
	p := a.past("ImpliesNext")
	return p.known.And(p.value).Not().Or(b)
}

// Past is the value that s, a signal with a name or a part of one, had at the edge
// before. At the first edge after reset it is what it was in reset; before any edge
// it is undefined.
func Past(s Signal) Signal { return s.past("Past").value }

// Stable is one bit: s is what it was at the edge before; it holds at the first
// edge outside reset.
func Stable(s Signal) Signal {
	p := s.past("Stable")
	return p.known.Not().Or(s.Eq(p.value))
}

// Rose is one bit: the one-bit s is one and was zero at the edge before.
func Rose(s Signal) Signal {
	p := s.past("Rose")
	return p.known.And(s).And(p.value.Not())
}

// Fell is one bit: the one-bit s is zero and was one at the edge before.
func Fell(s Signal) Signal {
	p := s.past("Fell")
	return p.known.And(s.Not()).And(p.value)
}

// past is the shadow of a signal: its value at the last edge, and whether that was
// outside reset.
type past struct{ value, known Signal }

type pastKey struct {
	sig    *ir.Signal // nil for the register that knows of reset
	lo, w  int
	domain *ir.Domain
}

func (s Signal) past(what string) past {
	m := moduleOf(s)
	a := s.resolve(m, nil)
	if a.bad {
		return past{a, a.invalid(ir.Type{Width: 1})}
	}
	if m == nil {
		c := Signal{e: a.e}
		return past{c, Const(1, 1)}
	}
	k := pastKey{w: a.Width(), domain: m.within}
	switch e := a.e.(type) {
	case *ir.Ref:
		k.sig = e.Signal
	case *ir.Slice:
		if r, ok := e.X.(*ir.Ref); ok {
			k.sig, k.lo = r.Signal, e.Lo
		}
	}
	if k.sig == nil {
		bad := fail(m, a.shape(), diag.Misuse, what+" of a value without a name", "name it with Let")
		return past{bad, bad.invalid(ir.Type{Width: 1})}
	}
	if (k.sig.Kind == ir.Reg || k.sig.Kind == ir.SyncRead || k.sig.Kind == ir.Input || k.sig.Kind == ir.Output) && k.sig.Domain != nil {
		k.domain = k.sig.Domain
	}
	name := "past_" + k.sig.Name
	if k.w != k.sig.Type.Width {
		name += fmt.Sprintf("_%d_%d", k.lo+k.w-1, k.lo)
	}
	was := m.shadow(k, name, func(on Option) Var {
		return m.ghost(name, ir.Reg, a.e.Type(), on, NoReset())
	}, a)
	started := "past_known"
	if k.domain != nil {
		started += "_" + k.domain.Name
	}
	known := m.shadow(pastKey{domain: k.domain}, started, func(on Option) Var {
		return m.ghost(started, ir.Reg, ir.Type{Width: 1}, on)
	}, Const(1, 1))
	return past{was, known}
}

// shadow finds or makes the ghost register that takes v at every edge.
func (m *Module) shadow(k pastKey, name string, declare func(Option) Var, v Signal) Signal {
	if m.shadows == nil {
		m.shadows = map[pastKey]Var{}
	}
	r, ok := m.shadows[k]
	if !ok {
		r = declare(On(&Domain{m, k.domain}))
		if !r.bad {
			m.always(func() { r.Set(v) })
		}
		m.shadows[k] = r
	}
	return r.Signal
}

// ghost declares a signal that exists only for properties.
func (m *Module) ghost(name string, kind ir.Kind, t ir.Type, opts ...Option) Var {
	v := m.declare(name, kind, Var{Signal: Signal{typ: ir.Type{Width: t.Width, Signed: t.Signed}}}, opts)
	if !v.bad {
		v.sig.Ghost = true
	}
	return v
}

// Obey adds the properties of the stream contract to a stream of the module: once
// Valid is one, it and Data stay until the transfer. Where the module is the source
// they are assertions, where it is the sink assumptions. All fields of Data have to
// be signals with a name, as those of ports are.
func Obey[T any](m *Module, name string, role Role, s Stream[T], opts ...Option) {
	claim := m.Assert
	if role == Sink {
		claim = m.Assume
	}
	waits := m.ghost(name+"_waits", ir.Wire, ir.Type{Width: 1})
	if waits.bad {
		return
	}
	m.always(func() { waits.Set(s.Valid.AndNot(s.Ready)) })
	claim(name+"_valid_stays", ImpliesNext(waits.Signal, s.Valid.Signal), opts...)
	var stable []Signal
	ls, _ := leaves(&s.Data, "")
	for _, l := range ls {
		if l.out {
			stable = append(stable, Stable(l.v.Signal))
		}
	}
	if len(stable) > 0 {
		claim(name+"_data_stays", ImpliesNext(waits.Signal, AllOf(stable...)), opts...)
	}
}
