package ir

import "slices"

// declareModule makes the module, so that instances can name it.
func (p *parser) declareModule(n node) *scope {
	a := n.list[1]
	s := &scope{m: &Module{Name: name(a), Pos: p.at(n)}, key: a.atom,
		signals: map[string]*Signal{}, mems: map[string]*Mem{}, domains: map[string]*Domain{}, labels: map[string]Expr{}}
	if p.modules[s.key] != nil {
		fail(n.line, "module %s appears twice", s.key)
	}
	p.modules[s.key] = s
	p.d.Modules = append(p.d.Modules, s.m)
	return s
}

// declare makes the domains, signals and memories of a module.
func (p *parser) declare(n node) {
	for _, item := range n.list[2:] {
		if item.head() == "domain" {
			p.declareDomain(item)
		}
	}
	for _, item := range n.list[2:] {
		switch k := item.head(); k {
		case "mem":
			p.declareMem(item)
		case "doc":
			p.m.Doc = text(args(item, 1, 1)[0])
		case "params":
			p.m.Params = text(args(item, 1, 1)[0])
		case "attr":
			p.m.Attrs = append(p.m.Attrs, attr(item))
		case "extern":
			p.m.Extern = extern(item)
		case "let", "instance", "body", "domain", "assert", "assume", "cover":
		default:
			p.declareSignal(item, kindNamed(item, k))
		}
	}
}

func kindNamed(n node, s string) Kind {
	for k, name := range kindNames {
		if s == name {
			return Kind(k)
		}
	}
	fail(n.line, "a module has no item of this kind: %q", s)
	return 0
}

func attr(n node) Attr {
	a := args(n, 2, 2)
	return Attr{name(a[0]), text(a[1])}
}

func (p *parser) declareSignal(n node, k Kind) {
	a := args(n, 2, -1)
	s := &Signal{Name: name(a[0]), Kind: k, Type: p.typ(a[1], a[1].atom), Module: p.m, Pos: p.at(n)}
	for _, o := range a[2:] {
		switch o.head() {
		case "attr":
			s.Attrs = append(s.Attrs, attr(o))
		case "note":
			s.Note = text(args(o, 1, 1)[0])
		case "init":
			v := args(o, 1, 1)[0]
			c, ok := p.constant(v)
			if !ok {
				fail(o.line, "expected a literal such as 0:u8")
			}
			s.Init = c
		case "default": // once all signals are known
		case "on":
			s.Domain = p.domain(o)
		case "crossing":
			s.Crossing = text(args(o, 1, 1)[0])
		default:
			if !s.flag(o.atom) {
				fail(o.line, "a signal has no property %q", o.head()+o.atom)
			}
		}
	}
	if p.signals[a[0].atom] != nil {
		fail(n.line, "signal %s appears twice; write the second as %s#2", a[0].atom, a[0].atom)
	}
	p.signals[a[0].atom] = s
	p.foreign[p.key+"::"+a[0].atom] = s
	p.m.Signals = append(p.m.Signals, s)
}

// flag sets a property that is one word, if there is such a one.
func (s *Signal) flag(word string) bool {
	for _, f := range signalFlags {
		if f.name == word {
			*f.of(s) = true
			return true
		}
	}
	return false
}

func (p *parser) declareDomain(n node) {
	a := args(n, 3, 5)
	d := &Domain{Name: name(a[0]), Clock: text(a[1]), Reset: text(a[2]), Pos: p.at(n)}
	for _, o := range a[3:] {
		i := slices.Index(resetNames[:], o.atom)
		switch {
		case o.atom == "falling":
			d.Falling = true
		case i >= 0 && !o.isList:
			d.Style = ResetStyle(i)
		default:
			fail(o.line, "a domain has no property %q", o.head()+o.atom)
		}
	}
	if p.domains[a[0].atom] != nil {
		fail(n.line, "domain %s appears twice; write the second as %s#2", a[0].atom, a[0].atom)
	}
	p.domains[a[0].atom] = d
	p.m.Domains = append(p.m.Domains, d)
}

// domain reads (on name), and domainNamed the name; nil is the implicit domain.
func (p *parser) domain(n node) *Domain { return p.domainNamed(args(n, 1, 1)[0]) }

func (p *parser) domainNamed(n node) *Domain {
	d, ok := p.domains[n.atom]
	if n.isList || !ok && n.atom != "nil" {
		fail(n.line, "there is no domain %s in module %s", n.atom, p.key)
	}
	return d
}

func extern(n node) *Extern {
	e := &Extern{}
	for _, o := range n.list[1:] {
		switch o.head() {
		case "param":
			a := args(o, 2, 2)
			e.Params = append(e.Params, Param{name(a[0]), text(a[1])})
		case "source":
			e.Source = text(args(o, 1, 1)[0])
		default:
			fail(o.line, "a black box has no property %q", o.head()+o.atom)
		}
	}
	return e
}

func (p *parser) property(n node) {
	a := args(n, 2, -1)
	c := &Property{Kind: PropertyKind(slices.Index(propertyNames[:], n.head())), Name: text(a[0]), Cond: p.signalNamed(a[1]), Pos: p.at(n)}
	for _, o := range a[2:] {
		switch o.head() {
		case "on":
			c.Domain = p.domain(o)
		case "note":
			c.Note = text(args(o, 1, 1)[0])
		default:
			fail(o.line, "a property has no property %q", o.head()+o.atom)
		}
	}
	p.m.Properties = append(p.m.Properties, c)
}

func (p *parser) declareMem(n node) {
	a := args(n, 3, -1)
	m := &Mem{Name: name(a[0]), Elem: p.typ(a[1], a[1].atom), Depth: integer(a[2]), Module: p.m, Pos: p.at(n)}
	for _, o := range a[3:] {
		switch o.head() {
		case "style":
			m.Style = name(args(o, 1, 1)[0])
		case "attr":
			m.Attrs = append(m.Attrs, attr(o))
		case "note":
			m.Note = text(args(o, 1, 1)[0])
		case "init":
			for _, v := range o.list[1:] {
				c, ok := p.constant(v)
				if !ok {
					fail(o.line, "expected a literal such as 0:u8")
				}
				m.Init = append(m.Init, c)
			}
		case "sync": // once all signals are known
		default:
			fail(o.line, "a memory has no property %q", o.head()+o.atom)
		}
	}
	if p.mems[a[0].atom] != nil {
		fail(n.line, "memory %s appears twice; write the second as %s#2", a[0].atom, a[0].atom)
	}
	p.mems[a[0].atom] = m
	p.foreign[p.key+"::"+a[0].atom] = m
	p.m.Mems = append(p.m.Mems, m)
}

// fill reads what refers to declarations: defaults, read ports, instances and the body.
func (p *parser) fill(n node) {
	for _, item := range n.list[2:] {
		switch item.head() {
		case "let":
			p.let(item)
		case "instance":
			p.instance(item)
		case "assert", "assume", "cover":
			p.property(item)
		case "doc", "params", "attr", "domain", "extern":
		case "body":
			p.m.Body = append(p.m.Body, p.stmts(item.list[1:])...)
		case "mem":
			for _, o := range item.list[4:] {
				if o.head() == "sync" {
					p.sync(p.mems[item.list[1].atom], o)
				}
			}
		default:
			for _, o := range item.list[1:] {
				if o.head() == "default" {
					p.signals[item.list[1].atom].Default = p.expr(args(o, 1, 1)[0])
				}
			}
		}
	}
}

func (p *parser) sync(m *Mem, n node) {
	a := args(n, 3, -1)
	r := &SyncPort{Addr: p.expr(a[0]), En: p.expr(a[1]), Data: p.signalNamed(a[2])}
	for _, d := range a[3:] {
		i := slices.Index(rdwNames[:], d.atom)
		if i < 0 {
			fail(n.line, "%q is none of old, new, undefined", d.atom)
		}
		r.During = append(r.During, ReadDuringWrite(i))
	}
	r.Data.Mem = m
	m.Reads = append(m.Reads, r)
}

func (p *parser) instance(n node) {
	a := args(n, 2, -1)
	child, ok := p.modules[a[1].atom]
	if !ok {
		fail(n.line, "there is no module %s", a[1].atom)
	}
	i := &Instance{Name: name(a[0]), Of: child.m, Domains: make([]*Domain, len(child.m.Domains)), Pos: p.at(n)}
	for _, o := range a[2:] {
		switch o.head() {
		case "attr":
			i.Attrs = append(i.Attrs, attr(o))
		case "note":
			i.Note = text(args(o, 1, 1)[0])
		case "on":
			i.Domain = p.domain(o)
		case "clock":
			c := args(o, 2, 2)
			k := slices.IndexFunc(child.m.Domains, func(d *Domain) bool { return child.domains[c[0].atom] == d })
			if k < 0 {
				fail(o.line, "module %s has no domain %s", child.key, c[0].atom)
			}
			i.Domains[k] = p.domainNamed(c[1])
		case "port":
			c := args(o, 2, 2)
			s := p.signalNamed(c[1])
			port, ok := child.signals[c[0].atom]
			if !ok {
				fail(o.line, "module %s has no port %s", child.key, c[0].atom)
			}
			s.Inst, s.Port = i, port
			i.Conns = append(i.Conns, s)
		default:
			fail(o.line, "an instance has no property %q", o.head()+o.atom)
		}
	}
	p.m.Instances = append(p.m.Instances, i)
}
