package hdl

import (
	"fmt"

	"github.com/millrace-hdl/millrace/hdl/diag"
	"github.com/millrace-hdl/millrace/hdl/ir"
)

// Module is the module under construction. It is used from one goroutine, and
// only while its build function runs.
type Module struct {
	ir      *ir.Module
	design  *design
	body    *[]ir.Stmt // statement list that the next statement joins
	enables map[*ir.Signal]ir.Expr
}

// Doc is the comment above the module in the RTL; it may have several lines.
func (m *Module) Doc(text string) { m.ir.Doc = text }

// Attr sets a synthesis attribute of the module.
func (m *Module) Attr(name, value string) {
	m.ir.Attrs = append(m.ir.Attrs, ir.Attr{Name: name, Value: value})
}

// Note is a comment above the next statement.
func (m *Module) Note(text string) { m.add(&ir.Note{Text: text, Pos: m.here()}) }

// Helper marks the calling function as one whose lines positions leave out, in
// favour of its caller's: as in package testing.
func (m *Module) Helper() { m.design.helper(caller()) }

func (m *Module) add(s ir.Stmt) { *m.body = append(*m.body, s) }

func (m *Module) here() ir.Pos { return ir.Here(m.design.hidden) }

func (m *Module) report(code diag.Code, message, fix string, related ...diag.Related) {
	if m.design != nil {
		m.reportAt(m.here(), code, message, fix, related...)
	}
}

func (m *Module) reportAt(pos ir.Pos, code diag.Code, message, fix string, related ...diag.Related) {
	if m.design == nil {
		return // only measuring a bundle
	}
	m.design.diags = append(m.design.diags, diag.Diagnostic{
		Code: code, Pos: pos, Module: m.ir.Name, Message: message, Fix: fix, Related: related,
	})
}

// Option sets a property of a signal, a memory or an instance where it is made.
type Option func(*options)

type options struct {
	init      *K
	noReset   bool
	enable    Value
	defaultTo Value
	attrs     []ir.Attr
	note      string
	style     string
	unused    bool
	module    string
	prefix    string
}

// Init is the reset value of a register; the default is 0.
func Init(v K) Option { return func(o *options) { o.init = &v } }

// NoReset makes a register without reset, whose value is undefined until assigned.
func NoReset() Option { return func(o *options) { o.noReset = true } }

// Enable makes a register ignore assignments while the one-bit value is zero.
func Enable(v Value) Option { return func(o *options) { o.enable = v } }

// Default is what a wire, an output or an instance input carries where no
// statement assigns it.
func Default(v Value) Option { return func(o *options) { o.defaultTo = v } }

// WithAttr sets a synthesis attribute.
func WithAttr(name, value string) Option {
	return func(o *options) { o.attrs = append(o.attrs, ir.Attr{Name: name, Value: value}) }
}

// Doc is the comment at the declaration.
func Doc(text string) Option { return func(o *options) { o.note = text } }

// Style asks for a kind of memory: "block", "distributed" or "registers".
func Style(s string) Option { return func(o *options) { o.style = s } }

// MayBeUnused says that nothing need read the signal.
func MayBeUnused() Option { return func(o *options) { o.unused = true } }

func apply(opts []Option) options {
	var o options
	for _, f := range opts {
		f(&o)
	}
	return o
}

// In declares an input port, which can be read only.
func (m *Module) In(name string, t Var, opts ...Option) Var {
	return m.declare(name, ir.Input, t, opts)
}

// Out declares an output port, to be assigned like a wire.
func (m *Module) Out(name string, t Var, opts ...Option) Var {
	return m.declare(name, ir.Output, t, opts)
}

// Wire declares a combinational signal, to be assigned on every path or given a
// [Default].
func (m *Module) Wire(name string, t Var, opts ...Option) Var {
	return m.declare(name, ir.Wire, t, opts)
}

// Let names a value: a wire assigned once, here.
func (m *Module) Let(name string, v Signal, opts ...Option) Signal {
	v = v.resolve(m, nil)
	if v.bad {
		return v
	}
	w := m.declare(name, ir.Wire, Var{Signal: Signal{typ: v.e.Type()}}, opts)
	w.Set(v)
	return w.Signal
}

// Reg declares a register. It holds its value unless assigned, and resets to 0
// unless an option says otherwise.
func (m *Module) Reg(name string, t Var, opts ...Option) Var {
	return m.declare(name, ir.Reg, t, opts)
}

// RegNext is a register that takes v at every edge.
func (m *Module) RegNext(name string, v Signal, opts ...Option) Signal {
	v = v.resolve(m, nil)
	if v.bad {
		return v
	}
	r := m.declare(name, ir.Reg, Var{Signal: Signal{typ: v.e.Type()}}, opts)
	r.Set(v)
	return r.Signal
}

func (m *Module) declare(name string, kind ir.Kind, t Var, opts []Option) Var {
	o := apply(opts)
	if t.m != nil || t.e != nil {
		t.typ = t.e.Type() // a bound signal lends its type
	}
	if t.typ.Width < 1 {
		m.report(diag.Unbound, fmt.Sprintf("%s has width %d", name, t.typ.Width), "give it a type of at least one bit, such as hdl.U(8)")
		return Var{Signal: Signal{m: m, bad: true}}
	}
	s := &ir.Signal{Name: name, Kind: kind, Type: t.typ, Attrs: o.attrs, Note: o.note, Unused: o.unused, Pos: m.here(), Module: m.ir}
	m.ir.Signals = append(m.ir.Signals, s)
	v := Var{Signal: Signal{m: m, e: &ir.Ref{Signal: s, Pos: s.Pos}}, sig: s, w: t.typ.Width}
	if kind == ir.Reg && !o.noReset {
		init := K(0)
		if o.init != nil {
			init = *o.init
		}
		if c := init.resolve(m, &t.typ); !c.bad {
			s.Init = c.e.(*ir.Const)
		}
	}
	if o.enable != nil {
		if c := m.condition(o.enable, "Enable"); !c.bad {
			m.enables[s] = c.e
		}
	}
	if o.defaultTo != nil {
		if d := o.defaultTo.resolve(m, &t.typ); !d.bad && m.sameType(v.Signal, d, "Default") {
			s.Default = d.e
		}
	}
	return v
}
