package gen

import (
	"fmt"
	"strings"

	"github.com/millrace-hdl/millrace/hdl/ir"
)

// unit is one module on its way to text. It starts as a copy of what the module
// holds, and each layer replaces parts of it.
type unit struct {
	m     *ir.Module
	o     Options
	names *names
	paths *paths

	body     []ir.Stmt
	defaults map[*ir.Signal]ir.Expr // of combinational signals
	reads    map[*ir.Mem][]ir.SyncPort
	port     map[*ir.MemWrite]int // which write port of its memory a statement is
	gone     map[*ir.Signal]bool  // folded away: neither declared nor printed
	comb     map[*ir.Signal]bool  // read data that became combinational
	memories
	isRead   map[*ir.Signal]bool // by an expression of the module
	readMemo map[ir.Expr]bool
	direct   map[*ir.Signal]*assign // values that go straight to an instance's port
	noted    map[*ir.Note]bool      // comments that a block has taken

	// What the second layer gives the third.
	enums   []*enum
	typed   map[*ir.Signal]*enum // signals declared with an enumeration
	derived []*ir.Signal         // declared beside the module's own signals
	blocks  []block
	insts   []instance
	clocks  []clockPort
	watched []ir.Expr // read by properties, beyond the blocks
	sink    []ir.Expr // bits that nothing reads
}

func newUnit(m *ir.Module, o Options, p *paths) (*unit, error) {
	return newUnitWith(m, o, p, o.clocksOf(m))
}

// newUnitWith is newUnit of a module with the given clocks and resets.
func newUnitWith(m *ir.Module, o Options, p *paths, clocks []domainPort) (*unit, error) {
	u := &unit{
		m: m, o: o, names: newNames(), paths: p,
		body:     realStmts(m.Body),
		defaults: map[*ir.Signal]ir.Expr{},
		reads:    map[*ir.Mem][]ir.SyncPort{},
		port:     map[*ir.MemWrite]int{},
		gone:     map[*ir.Signal]bool{},
		comb:     map[*ir.Signal]bool{},
		memories: newMemories(),
		isRead:   map[*ir.Signal]bool{},
		readMemo: map[ir.Expr]bool{},
		direct:   map[*ir.Signal]*assign{},
		noted:    map[*ir.Note]bool{},
	}
	if err := u.claim(m.Name, "module"); err != nil {
		return nil, err
	}
	if err := u.claimClocks(clocks); err != nil {
		return nil, err
	}
	for _, s := range m.Signals {
		if s.Ghost {
			u.gone[s] = true
			continue
		}
		if err := u.claim(s.Name, s.Kind.String()); err != nil {
			return nil, err
		}
		if s.Type.Width < 1 {
			return nil, fmt.Errorf("%s %s has width %d; a signal has at least one bit", s.Kind, s.Name, s.Type.Width)
		}
		if s.Default != nil && s.Kind.Comb() {
			u.defaults[s] = s.Default
		}
	}
	if err := u.claimParams(); err != nil {
		return nil, err
	}
	ports := map[*ir.Mem]int{}
	ir.WalkStmts(m.Body, func(s ir.Stmt) bool {
		if w, ok := s.(*ir.MemWrite); ok {
			u.port[w] = ports[w.Mem]
			ports[w.Mem]++
		}
		return true
	})
	for _, mem := range m.Mems {
		if err := u.claim(mem.Name, "memory"); err != nil {
			return nil, err
		}
		for _, r := range mem.Reads {
			u.reads[mem] = append(u.reads[mem], *r)
		}
	}
	for _, i := range m.Instances {
		if err := u.claim(i.Name, "instance"); err != nil {
			return nil, err
		}
	}
	return u, nil
}

// claim takes a name of the description, which must be an identifier and free.
func (u *unit) claim(name, what string) error {
	for i, c := range name {
		letter := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_'
		if !letter && (i == 0 || c < '0' || c > '9') {
			return fmt.Errorf("%s name %q: %q cannot stand in a SystemVerilog name; use letters, digits and _", what, name, c)
		}
	}
	if name == "" {
		return fmt.Errorf("a %s has no name", what)
	}
	if !u.names.take(name) {
		return fmt.Errorf("%s name %q is taken, perhaps by the clock, the reset or a name that differs in case; rename it", what, name)
	}
	return nil
}

// wire makes a wire of the second layer. Only plain shapes get one, so the
// enumeration is dropped.
func (u *unit) wire(base string, t ir.Type, pos ir.Pos) *ir.Signal {
	return &ir.Signal{
		Name: u.names.derive(strings.ToLower(base)), Kind: ir.Wire,
		Type: ir.Type{Width: t.Width, Signed: t.Signed}, Pos: pos, Module: u.m, Temp: true,
	}
}

// signals are the module's own and the derived ones, without those folded away and
// without ghosts.
func (u *unit) signals() []*ir.Signal {
	var list []*ir.Signal
	for _, s := range u.m.Signals {
		if !u.gone[s] {
			list = append(list, s)
		}
	}
	for _, s := range u.derived {
		if !u.gone[s] {
			list = append(list, s)
		}
	}
	return list
}

// graph is the present dependencies among the signals.
func (u *unit) graph() *graph {
	return newGraph(u.m, u.signals(), u.body, u.defaults, u.paths)
}

// mapExprs replaces every expression of the module by f of it.
func (u *unit) mapExprs(f func(ir.Expr) ir.Expr) {
	for _, s := range u.signals() {
		if d, ok := u.defaults[s]; ok {
			u.defaults[s] = f(d)
		}
	}
	for _, mem := range u.m.Mems {
		for i, r := range u.reads[mem] {
			u.reads[mem][i].Addr, u.reads[mem][i].En = f(r.Addr), f(r.En)
		}
	}
	u.body = u.mapStmts(u.body, f)
}

// mapStmts copies a list of statements with every expression replaced by f of it.
func (u *unit) mapStmts(list []ir.Stmt, f func(ir.Expr) ir.Expr) []ir.Stmt {
	if list == nil {
		return nil
	}
	out := make([]ir.Stmt, 0, len(list))
	for _, s := range list {
		switch s := s.(type) {
		case *ir.Assign:
			c := *s
			if s.Index != nil {
				c.Index = f(s.Index)
			}
			c.Value = f(s.Value)
			out = append(out, &c)
		case *ir.If:
			c := ir.If{Pos: s.Pos, Else: u.mapStmts(s.Else, f)}
			for _, a := range s.Arms {
				c.Arms = append(c.Arms, ir.Arm{Cond: f(a.Cond), Body: u.mapStmts(a.Body, f), Pos: a.Pos})
			}
			out = append(out, &c)
		case *ir.Switch:
			c := *s
			c.Subject, c.Cases, c.Default = f(s.Subject), nil, u.mapStmts(s.Default, f)
			for _, k := range s.Cases {
				c.Cases = append(c.Cases, ir.Case{Values: k.Values, Body: u.mapStmts(k.Body, f), Pos: k.Pos})
			}
			out = append(out, &c)
		case *ir.MemWrite:
			c := *s
			c.Addr, c.Data = f(s.Addr), f(s.Data)
			if s.Mask != nil {
				c.Mask = f(s.Mask)
			}
			u.port[&c] = u.port[s]
			out = append(out, &c)
		default:
			out = append(out, s)
		}
	}
	return out
}

// exprs calls f for every root expression of the module as it stands.
func (u *unit) exprs(f func(ir.Expr)) {
	for _, s := range u.signals() {
		if d, ok := u.defaults[s]; ok {
			f(d)
		}
	}
	for _, mem := range u.m.Mems {
		for _, r := range u.reads[mem] {
			f(r.Addr)
			f(r.En)
		}
	}
	ir.WalkStmts(u.body, func(s ir.Stmt) bool {
		for _, e := range ir.Exprs(s) {
			f(e)
		}
		return true
	})
}
