package ir

// declareModule makes the module, so that instances can name it.
func (p *parser) declareModule(n node) *scope {
	a := n.list[1]
	s := &scope{m: &Module{Name: name(a), Pos: p.at(n)}, key: a.atom,
		signals: map[string]*Signal{}, mems: map[string]*Mem{}, labels: map[string]Expr{}}
	if p.modules[s.key] != nil {
		fail(n.line, "module %s appears twice", s.key)
	}
	p.modules[s.key] = s
	p.d.Modules = append(p.d.Modules, s.m)
	return s
}

// declare makes the signals and memories of a module.
func (p *parser) declare(n node) {
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
		case "let", "instance", "body":
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
		default:
			switch o.atom {
			case "unused":
				s.Unused = true
			case "temp":
				s.Temp = true
			default:
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
	a := args(n, 4, 4)
	r := &SyncPort{Addr: p.expr(a[0]), En: p.expr(a[1]), Data: p.signalNamed(a[3])}
	found := false
	for i, s := range rdwNames {
		if s == a[2].atom {
			r.During, found = ReadDuringWrite(i), true
		}
	}
	if !found {
		fail(n.line, "%q is none of old, new, undefined", a[2].atom)
	}
	r.Data.Mem = m
	m.Read = r
}

func (p *parser) instance(n node) {
	a := args(n, 2, -1)
	child, ok := p.modules[a[1].atom]
	if !ok {
		fail(n.line, "there is no module %s", a[1].atom)
	}
	i := &Instance{Name: name(a[0]), Of: child.m, Pos: p.at(n)}
	for _, o := range a[2:] {
		switch o.head() {
		case "attr":
			i.Attrs = append(i.Attrs, attr(o))
		case "note":
			i.Note = text(args(o, 1, 1)[0])
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
