package differ

import (
	"fmt"
	"go/format"
	"go/token"
	"math/big"
	"regexp"
	"strings"

	"github.com/millrace-hdl/millrace/hdl/ir"
	"github.com/millrace-hdl/millrace/hdl/irtest"
)

// Program prints a design as a Go program that describes it with package hdl and
// prints its text form. What the program elaborates to computes the same; it is not
// the same node for node: enumerations, comments and properties are left out, so is
// the Go behaviour of black boxes, and where the language has no word for something
// there are further wires.
func Program(d *ir.Design) ([]byte, error) {
	var b strings.Builder
	b.WriteString("// A design in Go.\npackage main\n\nimport (\n\"fmt\"\n\"math/big\"\n\"os\"\n\n\"github.com/millrace-hdl/millrace/hdl\"\n)\n\n")
	fmt.Fprintf(&b, `func main() {
	d, err := hdl.Elaborate(%s, struct{}{})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Print(d)
}

// number reads a literal of any size.
func number(s string) *big.Int {
	v, _ := new(big.Int).SetString(s, 0)
	return v
}

`, d.Top.Name)
	taken := map[string]bool{"m": true, "hdl": true, "big": true, "fmt": true, "os": true, "number": true, "main": true, "io": true}
	for _, m := range d.Modules {
		taken[m.Name] = true
	}
	for _, m := range d.Modules {
		p := &program{m: m, taken: taken, names: map[any]string{}, uses: map[ir.Expr]int{}, shared: map[ir.Expr]string{}, writes: map[*ir.MemWrite]*earlyWrite{}, plain: map[*ir.Signal]bool{}}
		p.module()
		b.WriteString(p.b.String())
	}
	return format.Source([]byte(b.String()))
}

// program prints one module.
type program struct {
	m      *ir.Module
	b      strings.Builder
	taken  map[string]bool // identifiers of the package
	names  map[any]string  // of signals, memories, domains and instances
	used   map[string]bool
	uses   map[ir.Expr]int
	shared map[ir.Expr]string
	order  []ir.Expr // the roots

	pending []ir.Expr                    // to be printed when everything has a name
	writes  map[*ir.MemWrite]*earlyWrite // that are made ahead of their statements
	ghostly map[ir.Expr]bool             // memo of readsGhost
	plain   map[*ir.Signal]bool          // declared without their sign
}

func (p *program) line(format string, args ...any) { fmt.Fprintf(&p.b, format+"\n", args...) }

// name chooses an identifier.
func (p *program) name(of any, name string) string {
	for name == "" || token.IsKeyword(name) || p.taken[name] || p.used[name] {
		name += "_"
	}
	p.used[name] = true
	if of != nil {
		p.names[of] = name
	}
	return name
}

func (p *program) module() {
	m := p.m
	p.used = map[string]bool{}
	p.line("type %s_ports struct {", m.Name)
	for i, s := range m.Ports() {
		tag := ""
		if s.Kind == ir.Input {
			tag = " `hdl:\"in\"`"
		}
		p.line("P%d hdl.Var%s", i, tag)
	}
	p.line("}\n\nfunc %s(m *hdl.Module, _ struct{}) %s_ports {", m.Name, m.Name)
	head := p.b.String()
	p.b.Reset()
	p.count()
	var declared []string // variables, to be dropped where nothing uses them
	declare := func(of any, name, format string, args ...any) {
		v := p.name(of, name)
		declared = append(declared, v)
		p.line("%s := "+format, append([]any{v}, args...)...)
	}
	if m.Extern != nil {
		p.line("m.External(hdl.External{Name: %q, Source: %q, Params: []hdl.ExternParam{", m.Name, m.Extern.Source)
		for _, x := range m.Extern.Params {
			p.line("{Name: %q, Value: %q},", x.Name, x.Value)
		}
		p.line("}})")
	}
	for _, d := range m.Domains {
		o := fmt.Sprintf("hdl.ClockName(%q), hdl.WithReset(hdl.%s)", d.Clock, [...]string{"DefaultReset", "SyncHigh", "SyncLow", "AsyncHigh", "AsyncLow"}[d.Style])
		if d.Falling {
			o += ", hdl.Falling()"
		}
		if d.Reset == "" {
			o += ", hdl.WithoutReset()"
		} else if d.Style != ir.DefaultReset { // else the name follows from the domain's
			o += fmt.Sprintf(", hdl.ResetName(%q)", d.Reset)
		}
		declare(d, d.Name+"_domain", "m.Domain(%q, %s)", d.Name, o)
	}
	var defaults []string // of signals whose default is an expression
	def := func(s *ir.Signal) string {
		if s.Default == nil {
			return ""
		}
		if c, ok := s.Default.(*ir.Const); ok {
			return ", hdl.Default(" + p.constant(c) + ")"
		}
		v := p.name(nil, s.Name+"_default")
		p.line("%s := m.Wire(%q, %s)", v, v, vectorOf(s.Type))
		defaults = append(defaults, fmt.Sprintf("%s.Set(%s)", v, p.late(s.Default)))
		return ", hdl.Default(" + v + ")"
	}
	for _, s := range m.Signals {
		o := p.options(s)
		switch {
		case s.Ghost:
		case s.Kind == ir.Input:
			declare(s, s.Name, "m.In(%q, %s%s)", s.Name, vectorOf(s.Type), o)
		case s.Kind == ir.Output:
			o += def(s)
			declare(s, s.Name, "m.Out(%q, %s%s)", s.Name, vectorOf(s.Type), o)
		case s.Kind == ir.Wire:
			o += def(s)
			declare(s, s.Name, "m.Wire(%q, %s%s)", s.Name, vectorOf(s.Type), o)
		case s.Kind == ir.Reg && s.Init == nil:
			declare(s, s.Name, "m.Reg(%q, %s, hdl.NoReset()%s)", s.Name, vectorOf(s.Type), o)
		case s.Kind == ir.Reg && s.Type.Signed && valueOf(s.Init).IsInt64():
			declare(s, s.Name, "m.Reg(%q, %s, hdl.Init(%v)%s)", s.Name, vectorOf(s.Type), valueOf(s.Init), o)
		case s.Kind == ir.Reg && s.Type.Signed: // there is no literal for its reset value
			plain := *s.Init
			plain.Typ.Signed, p.plain[s] = false, true
			declare(s, s.Name, "m.Reg(%q, hdl.U(%d), hdl.InitTo(%s)%s)", s.Name, s.Type.Width, p.constant(&plain), o)
		case s.Kind == ir.Reg:
			declare(s, s.Name, "m.Reg(%q, %s, hdl.InitTo(%s)%s)", s.Name, vectorOf(s.Type), p.constant(s.Init), o)
		case s.Kind == ir.InstIn && s.Default != nil: // the port takes a wire that has it
			o += def(s)
			v := p.name(nil, s.Name+"_value")
			p.line("%s := m.Wire(%q, %s, hdl.MayBeUnused()%s)", v, v, vectorOf(s.Type), o)
			p.names[s] = v
		}
	}
	for _, x := range m.Mems {
		o := ""
		if x.Style != "" {
			o += fmt.Sprintf(", hdl.Style(%q)", x.Style)
		}
		if len(x.Init) > 0 {
			var vs []string
			for _, c := range x.Init {
				vs = append(vs, fmt.Sprintf("number(%q)", valueOf(c).String()))
			}
			o += ", hdl.ContentsOf(" + strings.Join(vs, ", ") + ")"
		}
		declare(x, x.Name, "m.Mem(%q, %s, %d%s)", x.Name, vectorOf(x.Elem), x.Depth, o)
	}
	for _, i := range m.Instances {
		o := fmt.Sprintf(", hdl.On(%s)", p.domain(i.Domain))
		for k, d := range i.Of.Domains {
			o += fmt.Sprintf(", hdl.Bind(%q, %s)", d.Name, p.domain(i.Domains[k]))
		}
		declare(i, i.Name, "hdl.Inst(m, %q, %s, struct{}{}%s)", i.Name, i.Of.Name, o)
		for k, c := range i.Conns {
			port := fmt.Sprintf("%s.P%d", p.names[i], k)
			if v, ok := p.names[c]; ok {
				p.line("%s.Set(%s)", port, v)
			} else {
				p.names[c] = port
			}
		}
	}
	p.ports(&defaults)
	p.keep()
	p.sharedNodes()
	for _, s := range defaults {
		p.line("%s", p.now(s))
	}
	p.stmts(m.Body)
	ports := m.Ports()
	var fields []string
	for _, s := range ports {
		fields = append(fields, p.names[s])
	}
	p.line("return %s_ports{%s}\n}\n", m.Name, strings.Join(fields, ", "))
	text := p.b.String()
	for _, v := range declared {
		if len(regexp.MustCompile(`\b`+v+`\b`).FindAllStringIndex(withoutStrings(text), 2)) < 2 {
			text = strings.Replace(text, "\n"+v+" := ", "\n", 1)
			text = strings.TrimPrefix(text, v+" := ")
		}
	}
	p.b.Reset()
	p.b.WriteString(head + text)
}

var stringLiteral = regexp.MustCompile(`"(?:\\.|[^"\\])*"`)

func withoutStrings(text string) string { return stringLiteral.ReplaceAllString(text, `""`) }

// keep reads an output of each instance that nothing reads one of, which would be a
// mistake.
func (p *program) keep() {
	read := map[*ir.Signal]bool{}
	for e := range p.uses {
		if r, ok := e.(*ir.Ref); ok {
			read[r.Signal] = true
		}
	}
	for _, i := range p.m.Instances {
		var out *ir.Signal
		some := false
		for _, c := range i.Conns {
			if c.Kind == ir.InstOut {
				out, some = c, some || read[c]
			}
		}
		if out != nil && !some {
			v := p.name(nil, i.Name+"_unread")
			p.line("m.Wire(%q, %s, hdl.MayBeUnused()).Set(%s)", v, vectorOf(out.Type), p.names[out])
		}
	}
}

// late stands for an expression that is printed when everything has a name.
func (p *program) late(e ir.Expr) string {
	p.pending = append(p.pending, e)
	return fmt.Sprintf("\x00%d\x00", len(p.pending)-1)
}

var pendingMark = regexp.MustCompile("\x00(\\d+)\x00")

func (p *program) now(s string) string {
	return pendingMark.ReplaceAllStringFunc(s, func(mark string) string {
		var n int
		fmt.Sscanf(mark, "\x00%d\x00", &n)
		return p.expr(p.pending[n])
	})
}

// ports makes the ports of memories whose results have names: those of synchronous
// reads, by way of wires for what they read, and before them the writes that one of
// them treats in a way of its own.
func (p *program) ports(sets *[]string) {
	wire := func(name string, t ir.Type, o string) string {
		v := p.name(nil, name)
		p.line("%s := m.Wire(%q, %s%s)", v, v, vectorOf(t), o)
		return v
	}
	for _, x := range p.m.Mems {
		ws := x.Writes()
		handles := map[*ir.MemWrite]string{}
		if !uniform(x, ws) {
			for k, w := range ws {
				base := fmt.Sprintf("%s_w%d", x.Name, k)
				h := &earlyWrite{en: wire(base+"_en", ir.Type{Width: 1}, ", hdl.Default(hdl.K(0))"), addr: wire(base+"_addr", w.Addr.Type(), ", hdl.Default(hdl.K(0))"),
					data: wire(base+"_data", w.Data.Type(), ", hdl.Default(hdl.K(0))")}
				args := h.addr + ", " + h.data
				call := "Write"
				if w.Mask != nil {
					h.mask = wire(base+"_mask", ir.Type{Width: w.Mask.Type().Width}, ", hdl.Default(hdl.K(0))")
					call, args = "WriteMask", args+", "+h.mask
				}
				handles[w] = p.name(nil, base)
				p.line("var %[1]s *hdl.WritePort\n_ = %[1]s", handles[w])
				p.line("m.If(%s, func() { %s = %s.%s(%s, hdl.On(%s)) })", h.en, handles[w], p.names[x], call, args, p.domain(w.Domain))
				p.writes[w] = h
			}
		}
		for _, r := range x.Reads {
			name := r.Data.Name
			addr, en := wire(name+"_addr", r.Addr.Type(), ""), wire(name+"_en", ir.Type{Width: 1}, "")
			o, during := p.options(r.Data), "OldData"
			for k, w := range ws {
				if w.Domain != r.Data.Domain {
					continue
				}
				d := [...]string{"OldData", "NewData", "Undefined"}[r.During[k]]
				if h := handles[w]; h != "" {
					o += fmt.Sprintf(", hdl.During(%s, hdl.%s)", h, d)
				} else {
					during = d
				}
			}
			v := p.name(r.Data, name)
			p.line("%s := %s.SyncRead(%q, %s, %s, hdl.%s%s)\n_ = %s", v, p.names[x], name, addr, en, during, o, v)
			*sets = append(*sets, fmt.Sprintf("%s.Set(%s)", addr, p.late(r.Addr)), fmt.Sprintf("%s.Set(%s)", en, p.late(r.En)))
		}
	}
}

// earlyWrite is the wires of a write port that is made ahead of its statement.
type earlyWrite struct{ en, addr, data, mask string }

// uniform reports whether every read port treats all writes of its domain alike.
func uniform(x *ir.Mem, ws []*ir.MemWrite) bool {
	for _, r := range x.Reads {
		first := -1
		for k, w := range ws {
			switch {
			case w.Domain != r.Data.Domain:
			case first < 0:
				first = k
			case r.During[k] != r.During[first]:
				return false
			}
		}
	}
	return true
}

func (p *program) domain(d *ir.Domain) string {
	if d == nil {
		return "m.DefaultDomain()"
	}
	return p.names[d]
}

func (p *program) options(s *ir.Signal) string {
	o := ""
	if s.Domain != nil {
		o += ", hdl.On(" + p.domain(s.Domain) + ")"
	}
	if s.Async {
		o += ", hdl.Async()"
	}
	if s.Crossing != "" {
		o += fmt.Sprintf(", hdl.Crosses(%q)", s.Crossing)
	}
	if s.Registered {
		o += ", hdl.Registered()"
	}
	if s.Unused && s.Kind != ir.InstIn && s.Kind != ir.InstOut {
		o += ", hdl.MayBeUnused()"
	}
	return o
}

func vectorOf(t ir.Type) string {
	if t.Signed {
		return fmt.Sprintf("hdl.S(%d)", t.Width)
	}
	return fmt.Sprintf("hdl.U(%d)", t.Width)
}

// valueOf is the number that a constant means.
func valueOf(c *ir.Const) *big.Int {
	v := irtest.Value(c.Words)
	if c.Typ.Signed && c.Bit(c.Typ.Width-1) {
		v.Sub(v, new(big.Int).Lsh(big.NewInt(1), uint(c.Typ.Width)))
	}
	return v
}

func (p *program) constant(c *ir.Const) string {
	s := fmt.Sprintf("hdl.Const(%d, %#x)", c.Typ.Width, c.Words[0])
	if c.Typ.Width > 64 {
		s = fmt.Sprintf("hdl.BigConst(%d, number(\"%#x\"))", c.Typ.Width, irtest.Value(c.Words))
	}
	if c.Typ.Signed {
		s += ".AsSigned()"
	}
	return s
}

// count counts the users of each node.
func (p *program) count() {
	ir.RootExprs(p.m, func(e ir.Expr) {
		p.uses[e]++
		p.order = append(p.order, e)
		var walk func(e ir.Expr)
		walk = func(e ir.Expr) {
			for _, o := range ir.Operands(e) {
				if p.uses[o]++; p.uses[o] == 1 {
					walk(o)
				}
			}
		}
		if p.uses[e] == 1 {
			walk(e)
		}
	})
}

// sharedNodes gives names to nodes with several users, operands first.
func (p *program) sharedNodes() {
	seen := map[ir.Expr]bool{}
	var walk func(e ir.Expr)
	walk = func(e ir.Expr) {
		if seen[e] {
			return
		}
		seen[e] = true
		for _, o := range ir.Operands(e) {
			walk(o)
		}
		switch e.(type) {
		case *ir.Const, *ir.Ref:
			return
		}
		if p.uses[e] > 1 {
			text := p.expr(e)
			v := p.name(nil, fmt.Sprintf("x%d", len(p.shared)+1))
			p.shared[e] = v
			p.line("%s := %s\n_ = %s", v, text, v)
		}
	}
	for _, e := range p.order {
		if !p.readsGhost(e) {
			walk(e)
		}
	}
}
