package hdl

import (
	"fmt"
	"reflect"
	"strings"

	"github.com/millrace-hdl/millrace/hdl/diag"
	"github.com/millrace-hdl/millrace/hdl/ir"
)

// Inst places a child module and returns its interface as the parent sees it: the
// child's inputs are to be assigned, its outputs can be read. Children of one
// function and equal parameters are one module. Its name is the function's in
// snake_case with a suffix of the parameters (see [Suffixer]), and for a closure
// or a method that of the parent and the instance. [Named], [WithAttr], [Doc],
// [On] and [Bind] are its options.
func Inst[P, IO any](m *Module, name string, build Build[P, IO], p P, opts ...Option) IO {
	var none IO
	if !m.live() {
		return lost(m.design.active, none)
	}
	o := apply(opts)
	m.allow("instance "+name, o, "Named", "WithAttr", "Doc", "On", "Bind")
	base, identity := functionName(build)
	switch {
	case o.module != "":
		o.module = m.design.prefix + o.module
	case base == "":
		o.module = m.ir.Name + "_" + name
	default:
		o.module = m.design.prefix + base + suffix(p)
	}
	type built struct {
		mod *ir.Module
		io  IO
	}
	var child built
	key := cacheKey{function: reflect.ValueOf(build).Pointer(), name: o.module}
	if identity = identity && reflect.ValueOf(&p).Elem().Comparable(); identity {
		key.params = p
	}
	cached, ok := m.design.cache[key]
	switch {
	case !identity || !ok:
		if identity {
			m.design.cache[key] = nil // under construction
		}
		child.mod, child.io = construct(m.design, build, p, o)
		if identity {
			m.design.cache[key] = child
		}
	case cached == nil:
		m.report(diag.Misuse, fmt.Sprintf("module %s instantiates itself with equal parameters", o.module), "a parameter must end the recursion")
	default:
		child = cached.(built)
	}
	if child.mod == nil {
		m.broken = true
		return lost(m, child.io)
	}
	return place(m, name, child.mod, child.io, o)
}

// lost is the interface of a child that could not be built.
func lost[IO any](m *Module, io IO) IO {
	ls, _ := leaves(&io, "")
	for _, l := range ls {
		*l.v = Var{Signal: Signal{m: m, typ: l.v.shape(), bad: true}}
	}
	return io
}

func place[IO any](m *Module, name string, mod *ir.Module, io IO, o options) IO {
	inst := &ir.Instance{Name: name, Of: mod, Attrs: o.attrs, Note: o.note, Pos: m.here()}
	m.ir.Instances = append(m.ir.Instances, inst)
	m.clock(inst, o)
	conns := map[string]Var{}
	for _, port := range mod.Ports() {
		kind := ir.InstIn
		if port.Kind == ir.Output {
			kind = ir.InstOut
		}
		v := m.declare(name+"_"+connName(port), kind, Var{Signal: Signal{typ: port.Type}}, nil)
		v.sig.Inst, v.sig.Port = inst, port
		inst.Conns = append(inst.Conns, v.sig)
		conns[port.Name] = v
	}
	ls, _ := leaves(&io, "")
	for _, l := range ls {
		v, ok := Var{}, false
		if l.v.sig != nil {
			v, ok = conns[l.v.sig.Name]
		}
		if !ok { // no port, as the child's elaboration has reported
			v = Var{Signal: Signal{m: m, typ: l.v.shape(), bad: true}}
		}
		*l.v = v
	}
	return io
}

// clock binds the domains of an instance.
func (m *Module) clock(inst *ir.Instance, o options) {
	inst.Domain = o.clock(m)
	bound := map[string]*ir.Domain{}
	for _, b := range o.binds {
		bound[b.child] = m.clockOf(b.to)
	}
	for _, inner := range inst.Of.Domains {
		outer, ok := bound[inner.Name]
		delete(bound, inner.Name)
		for _, d := range m.ir.Domains {
			if !ok && d.Name == inner.Name {
				outer, ok = d, true
			}
		}
		if !ok {
			m.report(diag.Unbound, fmt.Sprintf("clock domain %s of instance %s has no clock", inner.Name, inst.Name),
				fmt.Sprintf("use hdl.Bind(%q, …), or declare a domain of that name", inner.Name), diag.Related{Pos: inner.Pos, Message: "it is declared here"})
		}
		inst.Domains = append(inst.Domains, outer)
	}
	for _, b := range o.binds {
		if _, left := bound[b.child]; left {
			m.report(diag.Misuse, fmt.Sprintf("module %s of instance %s has no clock domain %s", inst.Of.Name, inst.Name, b.child), "see its Domain declarations")
		}
	}
}

// connName is a port's name in the parent: black boxes may have capitals.
func connName(port *ir.Signal) string {
	if port.Module.Extern != nil {
		return strings.ToLower(port.Name)
	}
	return port.Name
}
