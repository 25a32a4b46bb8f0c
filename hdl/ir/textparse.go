package ir

import (
	"fmt"
	"math/big"
	"strconv"
	"strings"
)

// Parse reads the text form. Positions of the result are lines of the given
// file name. It checks the grammar and that names resolve, and leaves everything
// else (widths, ranges, ownership) to the checks, so that wrong designs can be
// written down. Errors name the file and line.
func Parse(file, text string) (d *Design, err error) {
	defer func() {
		switch e := recover().(type) {
		case nil:
		case parseError:
			d, err = nil, fmt.Errorf("%s:%d: %s", file, e.line, e.msg)
		default:
			panic(e)
		}
	}()
	p := &parser{file: file, d: &Design{}, enums: map[string]*Enum{}, modules: map[string]*scope{}, foreign: map[string]any{}}
	p.design(text)
	return p.d, nil
}

type parser struct {
	file    string
	d       *Design
	enums   map[string]*Enum
	modules map[string]*scope
	foreign map[string]any // module::name of every signal and memory
	*scope                 // of the module being built
}

// scope is one module while it is read. Keys are names as printed.
type scope struct {
	m       *Module
	key     string
	signals map[string]*Signal
	mems    map[string]*Mem
	domains map[string]*Domain
	labels  map[string]Expr
}

func (p *parser) at(n node) Pos { return At(p.file, n.line) }

func (p *parser) design(text string) {
	r := reader{src: text, line: 1}
	var modules []node
	top := node{line: 1}
	for r.skip() {
		n := r.node(0)
		switch n.head() {
		case "design":
			top = args(n, 1, 1)[0]
		case "enum":
			p.enum(n)
		case "module":
			args(n, 1, -1)
			modules = append(modules, n)
		default:
			fail(n.line, "expected (design …), (enum …) or (module …)")
		}
	}
	// Three rounds, since text may name what comes after it.
	scopes := make([]*scope, len(modules))
	for i, n := range modules {
		scopes[i] = p.declareModule(n)
	}
	for i, n := range modules {
		p.scope = scopes[i]
		p.declare(n)
	}
	for i, n := range modules {
		p.scope = scopes[i]
		p.fill(n)
	}
	s, ok := p.modules[top.atom]
	if !ok {
		fail(top.line, "the text needs (design name) with the name of one of its modules")
	}
	p.d.Top = s.m
}

// args returns what follows the head of a list and checks how many there are;
// max < 0 means any number.
func args(n node, min, max int) []node {
	a := n.list[1:]
	if len(a) < min || max >= 0 && len(a) > max {
		fail(n.line, "(%s …) has %d operands", n.head(), len(a))
	}
	return a
}

// name is the plain name behind a printed one.
func name(n node) string {
	if n.isList || len(n.ranges) > 0 {
		fail(n.line, "expected a name")
	}
	s := n.atom
	if i := strings.LastIndexByte(s, '#'); i > strings.LastIndexByte(s, '"') {
		s = s[:i]
	}
	return unquote(n, s)
}

func unquote(n node, s string) string {
	if !strings.HasPrefix(s, `"`) {
		return s
	}
	u, err := strconv.Unquote(s)
	if err != nil {
		fail(n.line, "malformed string %s", s)
	}
	return u
}

func text(n node) string {
	if n.isList || !strings.HasPrefix(n.atom, `"`) {
		fail(n.line, "expected a string in double quotes")
	}
	return unquote(n, n.atom)
}

func integer(n node) int {
	v, err := strconv.Atoi(n.atom)
	if err != nil {
		fail(n.line, "expected a number, found %q", n.atom)
	}
	return v
}

func (p *parser) enum(n node) {
	a := args(n, 1, -1)
	e := &Enum{Name: name(a[0])}
	for _, v := range a[1:] {
		if !v.isList || len(v.list) != 2 {
			fail(v.line, "expected (name value)")
		}
		x, err := strconv.ParseUint(v.list[1].atom, 10, 64)
		if err != nil {
			fail(v.line, "%q is no enumeration value", v.list[1].atom)
		}
		e.Values = append(e.Values, EnumValue{name(v.list[0]), x})
	}
	if p.enums[a[0].atom] != nil {
		fail(n.line, "enumeration %s appears twice", a[0].atom)
	}
	p.enums[a[0].atom] = e
}

func (p *parser) typ(n node, s string) Type {
	base, enum, has := strings.Cut(s, "/")
	var t Type
	if has {
		if t.Enum = p.enums[enum]; t.Enum == nil {
			fail(n.line, "there is no enumeration %s", enum)
		}
	}
	if base == "" || base[0] != 'u' && base[0] != 's' {
		fail(n.line, "%q is no type; write u8 or s8", s)
	}
	t.Signed = base[0] == 's'
	w, err := strconv.Atoi(base[1:])
	if err != nil {
		fail(n.line, "%q is no type; write u8 or s8", s)
	}
	t.Width = w
	return t
}

// maxConst bounds the width of a literal, so that text cannot ask for all memory.
const maxConst = 1 << 20

// constant reads number:type, with ok false if the atom has another form.
func (p *parser) constant(n node) (c *Const, ok bool) {
	num, ty, ok := strings.Cut(n.atom, ":")
	if n.isList || !ok || num == "" || num[0] != '-' && (num[0] < '0' || num[0] > '9') {
		return nil, false
	}
	v, good := new(big.Int).SetString(num, 0)
	if !good {
		fail(n.line, "%q is no number", num)
	}
	t := p.typ(n, ty)
	if t.Width < 1 || t.Width > maxConst {
		fail(n.line, "literal %s is %d bits wide; the range is 1 to %d", n.atom, t.Width, maxConst)
	}
	span := new(big.Int).Lsh(big.NewInt(1), uint(t.Width))
	low := new(big.Int)
	if t.Signed {
		low.Neg(new(big.Int).Rsh(span, 1))
	}
	if v.Cmp(low) < 0 || v.Cmp(span) >= 0 {
		fail(n.line, "%s does not fit %s", num, t)
	}
	v.Mod(v, span)
	c = &Const{Typ: t, Words: make([]uint64, t.Words()), Pos: p.at(n)}
	mask := new(big.Int).SetUint64(^uint64(0))
	for i := range c.Words {
		c.Words[i] = new(big.Int).And(v, mask).Uint64()
		v.Rsh(v, 64)
	}
	return c, true
}

func (p *parser) signalNamed(n node) *Signal {
	if s, ok := p.signals[n.atom]; ok && !n.isList {
		return s
	}
	if s, ok := p.foreign[n.atom].(*Signal); ok {
		return s
	}
	fail(n.line, "there is no signal %s in module %s", n.atom, p.key)
	return nil
}

func (p *parser) memNamed(n node) *Mem {
	if m, ok := p.mems[n.atom]; ok && !n.isList {
		return m
	}
	if m, ok := p.foreign[n.atom].(*Mem); ok {
		return m
	}
	fail(n.line, "there is no memory %s in module %s", n.atom, p.key)
	return nil
}
