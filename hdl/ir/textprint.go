package ir

import (
	"fmt"
	"math/big"
	"regexp"
	"strconv"
)

// texter turns a design into cells.
type texter struct {
	Printer
	out     layout
	modules map[*Module]string
	members map[any]string // signals, memories and instances of the current module
	enumOf  map[*Enum]string
	module_ *Module

	uses   map[Expr]int
	labels map[Expr]string
	lets   []cell // definitions to print before the statement being built
}

func newTexter(p Printer, mods []*Module) *texter {
	t := &texter{Printer: p, modules: map[*Module]string{}, enumOf: map[*Enum]string{}}
	n := namer{}
	for _, m := range mods {
		if _, ok := t.modules[m]; m != nil && !ok {
			t.modules[m] = n.name(m.Name)
		}
	}
	return t
}

// namer makes printed names unique: the second x is x#2.
type namer map[string]int

var identifier = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

func quoteName(s string) string {
	if identifier.MatchString(s) && s != "nil" {
		return s
	}
	return strconv.Quote(s)
}

func (n namer) name(s string) string {
	q := quoteName(s)
	n[q]++
	if n[q] > 1 {
		q += "#" + itoa(n[q])
	}
	return q
}

func quoted(s string) cell { return atom(strconv.Quote(s)) }
func number(n int) cell    { return atom(itoa(n)) }

func (t *texter) pos(c cell, p Pos) cell {
	if t.Positions && p.Known() {
		return c.at(p.String())
	}
	return c
}

func (t *texter) design(d *Design) {
	t.out.line(list(2, atom("design"), atom(t.moduleName(d.Top))))
	t.enums(d.Modules...)
	for _, m := range d.Modules {
		t.module(m)
	}
}

func (t *texter) moduleName(m *Module) string {
	if m == nil {
		return "nil"
	}
	if n, ok := t.modules[m]; ok {
		return n
	}
	return quoteName(m.Name)
}

// enums prints the enumerations of the modules in order of appearance.
func (t *texter) enums(mods ...*Module) {
	n := namer{}
	see := func(ty Type) {
		e := ty.Enum
		if e == nil || t.enumOf[e] != "" {
			return
		}
		t.enumOf[e] = n.name(e.Name)
		items := []cell{atom("enum"), atom(t.enumOf[e])}
		for _, v := range e.Values {
			items = append(items, list(2, atom(quoteName(v.Name)), atom(strconv.FormatUint(v.Value, 10))))
		}
		t.out.line(list(2, items...))
	}
	for _, m := range mods {
		for _, s := range m.Signals {
			see(s.Type)
			if s.Init != nil {
				see(s.Init.Typ)
			}
		}
		for _, mem := range m.Mems {
			see(mem.Elem)
			for _, c := range mem.Init {
				see(c.Typ)
			}
		}
		seen := map[Expr]bool{}
		RootExprs(m, func(e Expr) {
			WalkExpr(e, func(e Expr) bool {
				if e == nil || seen[e] {
					return false
				}
				seen[e] = true
				if c, ok := e.(*Const); ok {
					see(c.Typ)
				}
				return true
			})
		})
		WalkStmts(m.Body, func(s Stmt) bool {
			if s, ok := s.(*Switch); ok {
				for _, c := range s.Cases {
					for _, v := range c.Values {
						see(v.Typ)
					}
				}
			}
			return true
		})
	}
}

func (t *texter) module(m *Module) {
	t.module_ = m
	t.members = map[any]string{}
	n := namer{}
	for _, s := range m.Signals {
		t.members[s] = n.name(s.Name)
	}
	n = namer{}
	for _, x := range m.Mems {
		t.members[x] = n.name(x.Name)
	}
	n = namer{}
	for _, i := range m.Instances {
		t.members[i] = n.name(i.Name)
	}
	n = namer{}
	for _, d := range m.Domains {
		t.members[d] = n.name(d.Name)
	}
	t.countModule(m)

	items := []cell{atom("module"), atom(t.moduleName(m))}
	if m.Doc != "" {
		items = append(items, list(1, atom("doc"), quoted(m.Doc)))
	}
	if m.Params != "" {
		items = append(items, list(1, atom("params"), quoted(m.Params)))
	}
	items = t.attrs(items, m.Attrs)
	if m.Extern != nil {
		items = append(items, t.extern(m.Extern))
	}
	for _, d := range m.Domains {
		items = append(items, t.domain(d))
	}
	for _, s := range m.Signals {
		items = t.flush(items, t.signal(s))
	}
	for _, mem := range m.Mems {
		items = t.flush(items, t.mem(mem))
	}
	for _, i := range m.Instances {
		items = append(items, t.instance(i))
	}
	for _, p := range m.Properties {
		items = append(items, t.property(p))
	}
	body := append([]cell{atom("body")}, t.stmts(m.Body)...)
	t.out.line(t.pos(block(2, append(items, block(1, body...))...), m.Pos))
}

// flush appends the pending lets and then c.
func (t *texter) flush(items []cell, c cell) []cell {
	items = append(items, t.lets...)
	t.lets = nil
	return append(items, c)
}

func (t *texter) attrs(items []cell, as []Attr) []cell {
	for _, a := range as {
		items = append(items, list(2, atom("attr"), atom(quoteName(a.Name)), quoted(a.Value)))
	}
	return items
}

func (t *texter) note(items []cell, s string) []cell {
	if s != "" {
		items = append(items, list(1, atom("note"), quoted(s)))
	}
	return items
}

func (t *texter) typ(ty Type) string {
	if ty.Enum != nil {
		if n := t.enumOf[ty.Enum]; n != "" {
			return ty.String() + "/" + n
		}
		return ty.String() + "/" + quoteName(ty.Enum.Name)
	}
	return ty.String()
}

func (t *texter) signal(s *Signal) cell {
	items := []cell{atom(s.Kind.String()), atom(t.members[s]), atom(t.typ(s.Type))}
	if s.Init != nil {
		items = append(items, list(2, atom("init"), atom(t.constant(s.Init))))
	}
	if s.Default != nil {
		items = append(items, list(1, atom("default"), t.expr(s.Default)))
	}
	items = t.on(items, s.Domain)
	if s.Crossing != "" {
		items = append(items, list(1, atom("crossing"), quoted(s.Crossing)))
	}
	for _, f := range signalFlags {
		if *f.of(s) {
			items = append(items, atom(f.name))
		}
	}
	items = t.note(t.attrs(items, s.Attrs), s.Note)
	return t.pos(list(3, items...), s.Pos)
}

func (t *texter) mem(m *Mem) cell {
	items := []cell{atom("mem"), atom(t.members[m]), atom(t.typ(m.Elem)), number(m.Depth)}
	if m.Style != "" {
		items = append(items, list(2, atom("style"), atom(quoteName(m.Style))))
	}
	if len(m.Init) > 0 {
		init := []cell{atom("init")}
		for _, c := range m.Init {
			init = append(init, atom(t.constant(c)))
		}
		items = append(items, list(1, init...))
	}
	for _, r := range m.Reads {
		sync := []cell{atom("sync"), t.expr(r.Addr), t.expr(r.En), atom(t.signalName(r.Data))}
		for _, d := range r.During {
			sync = append(sync, atom(d.String()))
		}
		items = append(items, list(1, sync...))
	}
	items = t.note(t.attrs(items, m.Attrs), m.Note)
	return t.pos(list(4, items...), m.Pos)
}

func (t *texter) instance(i *Instance) cell {
	items := []cell{atom("instance"), atom(t.members[i]), atom(t.moduleName(i.Of))}
	for _, s := range i.Conns {
		port := "nil"
		if s != nil && s.Port != nil {
			port = quoteName(s.Port.Name)
		}
		items = append(items, list(3, atom("port"), atom(port), atom(t.signalName(s))))
	}
	items = t.on(items, i.Domain)
	for k, d := range i.Domains {
		inner := "nil"
		if i.Of != nil && k < len(i.Of.Domains) {
			inner = quoteName(i.Of.Domains[k].Name)
		}
		items = append(items, list(3, atom("clock"), atom(inner), atom(t.domainName(d))))
	}
	items = t.note(t.attrs(items, i.Attrs), i.Note)
	return t.pos(list(3, items...), i.Pos)
}

// signalFlags are the properties of a signal that are one word.
var signalFlags = [...]struct {
	name string
	of   func(*Signal) *bool
}{
	{"async", func(s *Signal) *bool { return &s.Async }},
	{"ghost", func(s *Signal) *bool { return &s.Ghost }},
	{"registered", func(s *Signal) *bool { return &s.Registered }},
	{"unused", func(s *Signal) *bool { return &s.Unused }},
	{"temp", func(s *Signal) *bool { return &s.Temp }},
}

func (t *texter) domain(d *Domain) cell {
	items := []cell{atom("domain"), atom(t.members[d]), quoted(d.Clock), quoted(d.Reset)}
	if d.Falling {
		items = append(items, atom("falling"))
	}
	if d.Style != DefaultReset {
		items = append(items, atom(d.Style.String()))
	}
	return t.pos(list(4, items...), d.Pos)
}

// domainName is a domain of the current module; the implicit one is nil.
func (t *texter) domainName(d *Domain) string {
	if d == nil {
		return "nil"
	}
	if n, ok := t.members[d]; ok {
		return n
	}
	return "foreign::" + quoteName(d.Name)
}

// on says the domain where it is not the implicit one.
func (t *texter) on(items []cell, d *Domain) []cell {
	if d != nil {
		items = append(items, list(2, atom("on"), atom(t.domainName(d))))
	}
	return items
}

func (t *texter) extern(e *Extern) cell {
	items := []cell{atom("extern")}
	for _, p := range e.Params {
		items = append(items, list(3, atom("param"), atom(quoteName(p.Name)), quoted(p.Value)))
	}
	if e.Source != "" {
		items = append(items, list(1, atom("source"), quoted(e.Source)))
	}
	return list(1, items...)
}

func (t *texter) property(p *Property) cell {
	items := t.on([]cell{atom(p.Kind.String()), quoted(p.Name), atom(t.signalName(p.Cond))}, p.Domain)
	return t.pos(list(3, t.note(items, p.Note)...), p.Pos)
}

func (t *texter) signalName(s *Signal) string {
	if s == nil {
		return "nil"
	}
	return t.member(s, s.Module, s.Name)
}

// member is the printed name of a signal or memory, qualified if it is not one
// of the current module.
func (t *texter) member(x any, owner *Module, name string) string {
	if n, ok := t.members[x]; ok {
		return n
	}
	if t.module_ == nil {
		return quoteName(name)
	}
	return t.moduleName(owner) + "::" + quoteName(name)
}

// constant is number:type. Small values are decimal, others hexadecimal.
func (t *texter) constant(c *Const) string {
	if c == nil {
		return "nil"
	}
	v := c.big()
	if c.Typ.Signed && c.Typ.Width > 0 && v.Bit(c.Typ.Width-1) == 1 {
		n := new(big.Int).Sub(v, new(big.Int).Lsh(big.NewInt(1), uint(c.Typ.Width)))
		if n.Sign() < 0 && n.BitLen() <= 16 {
			v = n
		}
	}
	s := v.String()
	if v.BitLen() > 16 {
		s = fmt.Sprintf("%#x", v)
	}
	return s + ":" + t.typ(c.Typ)
}

func (c *Const) big() *big.Int {
	v := new(big.Int)
	for i := len(c.Words) - 1; i >= 0; i-- {
		v.Or(v.Lsh(v, 64), new(big.Int).SetUint64(c.Words[i]))
	}
	return v
}
