package hdl

import (
	"fmt"

	"github.com/millrace-hdl/millrace/hdl/check"
	"github.com/millrace-hdl/millrace/hdl/diag"
	"github.com/millrace-hdl/millrace/hdl/ir"
)

// Module is the module under construction. It is used from one goroutine, and
// only while its build function runs and no child's does.
type Module struct {
	ir      *ir.Module
	design  *design
	body    *[]ir.Stmt // statement list that the next statement joins
	last    ir.Stmt    // the latest of that list, without what stands outside any If
	enables map[*ir.Signal]ir.Expr
	broken  bool       // a child could not be built
	within  *ir.Domain // of what says no other
	mems    []*Mem
	shadows map[pastKey]Var
	atEnd   []func() // checks that need the whole description
}

// Doc is the comment above the module in the RTL; it may have several lines.
func (m *Module) Doc(text string) {
	if m.live() {
		m.ir.Doc = text
	}
}

// Attr sets a synthesis attribute of the module.
func (m *Module) Attr(name, value string) {
	if m.live() {
		m.ir.Attrs = append(m.ir.Attrs, ir.Attr{Name: name, Value: value})
	}
}

// Note is a comment above the next statement.
func (m *Module) Note(text string) { m.add(&ir.Note{Text: text, Pos: m.here()}) }

// Helper marks the calling function as one whose lines positions leave out, in
// favour of its caller's: as in package testing.
func (m *Module) Helper() { m.design.helper(caller()) }

func (m *Module) add(s ir.Stmt) {
	if m.live() {
		*m.body = append(*m.body, s)
		m.last = s
	}
}

// live reports whether m is the module under construction. If it is not, that is
// a mistake of the one that is.
func (m *Module) live() bool {
	now := m.design.active
	if now == m {
		return true
	}
	if now == nil {
		panic(fmt.Sprintf("module %s is used after its elaboration", m.ir.Name))
	}
	now.report(diag.Misuse, fmt.Sprintf("module %s is used while %s is under construction", m.ir.Name, now.ir.Name), "use the Module that the build function receives")
	return false
}

func (m *Module) here() ir.Pos { return ir.Here(m.design.hidden) }

func (m *Module) report(code diag.Code, message, fix string, related ...diag.Related) {
	m.reportAt(m.here(), code, message, fix, related...)
}

func (m *Module) reportAt(pos ir.Pos, code diag.Code, message, fix string, related ...diag.Related) {
	m.design.diags = append(m.design.diags, diag.Diagnostic{
		Code: code, Pos: pos, Module: m.ir.Name, Message: message, Fix: fix, Related: related,
	})
}

// reportLate reports a mistake made where no module was at hand, once per design.
func (m *Module) reportLate(d *diag.Diagnostic) {
	if m.design.once(d) {
		m.reportAt(d.Pos, d.Code, d.Message, d.Fix)
	}
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

// Let names a value: a wire assigned once, here. Inside If and Switch it carries
// the value all the same, whether or not the branch is taken.
func (m *Module) Let(name string, v Value, opts ...Option) Signal {
	return m.assigned(name, ir.Wire, v, opts)
}

// Reg declares a register. It holds its value unless assigned, and resets to 0
// unless an option says otherwise.
func (m *Module) Reg(name string, t Var, opts ...Option) Var {
	return m.declare(name, ir.Reg, t, opts)
}

// RegNext is a register that takes v at every edge, also inside If and Switch.
func (m *Module) RegNext(name string, v Value, opts ...Option) Signal {
	return m.assigned(name, ir.Reg, v, opts)
}

func (m *Module) assigned(name string, kind ir.Kind, v Value, opts []Option) Signal {
	x := value(v, m, nil)
	if x.bad {
		return x
	}
	d := m.declare(name, kind, Var{Signal: Signal{typ: x.e.Type()}}, opts)
	m.always(func() { d.Set(x) })
	return d.Signal
}

func (m *Module) declare(name string, kind ir.Kind, t Var, opts []Option) Var {
	o := apply(opts)
	bad := Var{Signal: Signal{m: m, typ: t.shape(), bad: true}}
	switch {
	case !m.live():
		bad.m = m.design.active
		return bad
	case t.bad:
		t.resolve(m, nil)
		return bad
	}
	t.typ = t.shape() // a bound signal lends its type
	if t.typ.Width < 1 || t.typ.Width > check.MaxWidth {
		fix := "give it a type of at least one bit, such as hdl.U(8)"
		if t.typ.Width > 1 {
			fix = fmt.Sprintf("widths are 1 to %d", check.MaxWidth)
		}
		m.report(diag.Unbound, fmt.Sprintf("%s has width %d", name, t.typ.Width), fix)
		return bad
	}
	s := &ir.Signal{Name: name, Kind: kind, Type: t.typ, Attrs: o.attrs, Note: o.note, Unused: o.unused, Pos: m.here(), Module: m.ir}
	switch kind {
	case ir.Reg, ir.SyncRead:
		s.Domain, s.Crossing = o.clock(m), o.crossing
	case ir.Input, ir.Output:
		if s.Async = o.async; !s.Async {
			s.Domain = o.clock(m)
		}
		s.Registered = o.registered
	}
	m.ir.Signals = append(m.ir.Signals, s)
	v := Var{Signal: Signal{m: m, e: &ir.Ref{Signal: s, Pos: s.Pos}}, sig: s, w: t.typ.Width}
	if len(o.given) > 0 {
		m.allow(kindOf(s)+", "+name, o, allowed[kind]...)
	}
	if kind == ir.Reg {
		m.register(v, o)
	} else if o.defaultTo != nil && kind != ir.Input {
		if d := value(o.defaultTo, m, &t.typ); !d.bad && !mismatch(m, v.Signal, d, "Default").bad {
			s.Default = d.e
		}
	}
	return v
}

// register applies the options of a register.
func (m *Module) register(v Var, o options) {
	s := v.sig
	switch {
	case o.noReset && o.init != nil:
		m.report(diag.Misuse, fmt.Sprintf("register %s has both NoReset and a reset value", s.Name), "remove one of them")
	case o.noReset:
	default:
		if o.init == nil {
			o.init = K(0)
		}
		c := value(o.init, m, &s.Type)
		if c.bad || mismatch(m, v.Signal, c, "reset value").bad {
			break
		}
		k, ok := c.e.(*ir.Const)
		if !ok {
			m.report(diag.Misuse, fmt.Sprintf("the reset value of %s is %s, which is not a constant", s.Name, describe(c.e)), "use a K, Const, BigConst or Ones")
		}
		s.Init = k
	}
	if o.enable != nil {
		if c := condition(m, o.enable, "Enable"); !c.bad {
			m.enables[s] = c.e
		}
	}
}
