package ir

import "slices"

func (p *parser) let(n node) {
	a := args(n, 2, 2)
	if len(a[0].atom) < 2 || a[0].atom[0] != '%' {
		fail(n.line, "a label starts with %%")
	}
	if _, ok := p.labels[a[0].atom]; ok {
		fail(n.line, "label %s is bound twice", a[0].atom)
	}
	p.labels[a[0].atom] = p.expr(a[1])
}

func (p *parser) stmts(list []node) []Stmt {
	var out []Stmt
	for _, n := range list {
		pos := p.at(n)
		switch n.head() {
		case "let":
			p.let(n)
		case "note":
			out = append(out, &Note{text(args(n, 1, 1)[0]), pos})
		case "set":
			a := args(n, 2, 3)
			s := p.signalNamed(a[0])
			set := &Assign{Target: s, Width: s.Type.Width, Value: p.expr(a[len(a)-1]), Pos: pos}
			if len(a) == 3 {
				if a[1].head() != "lane" {
					fail(n.line, "expected (lane …)")
				}
				l := args(a[1], 2, 2)
				set.Index, set.Width = p.expr(l[0]), integer(l[1])
			}
			if r := a[0].ranges; len(r) == 1 {
				set.Lo, set.Width = r[0][1], r[0][0]-r[0][1]+1
			} else if len(r) > 1 {
				fail(n.line, "a target has at most one range")
			}
			out = append(out, set)
		case "write":
			a := args(n, 3, -1)
			w := &MemWrite{Mem: p.memNamed(a[0]), Addr: p.expr(a[1]), Data: p.expr(a[2]), Pos: pos}
			for _, o := range a[3:] {
				switch o.head() {
				case "mask":
					w.Mask = p.expr(args(o, 1, 1)[0])
				case "on":
					w.Domain = p.domain(o)
				default:
					fail(n.line, "expected (mask …) or (on …)")
				}
			}
			out = append(out, w)
		case "if":
			out = append(out, p.branch(n))
		case "switch":
			out = append(out, p.choice(n))
		default:
			fail(n.line, "there is no statement %q", n.head()+n.atom)
		}
	}
	return out
}

// body is stmts for a branch that is present, if empty.
func (p *parser) body(list []node) []Stmt {
	if len(list) == 0 {
		return []Stmt{}
	}
	return p.stmts(list)
}

func (p *parser) branch(n node) *If {
	s := &If{Pos: p.at(n)}
	for i, a := range n.list[1:] {
		switch a.head() {
		case "when":
			w := args(a, 1, -1)
			s.Arms = append(s.Arms, Arm{p.expr(w[0]), p.body(w[1:]), p.at(a)})
		case "else":
			if i != len(n.list)-2 {
				fail(a.line, "else is not last")
			}
			s.Else = p.body(a.list[1:])
		default:
			fail(a.line, "expected (when …) or (else …)")
		}
	}
	return s
}

func (p *parser) choice(n node) *Switch {
	a := args(n, 1, -1)
	s := &Switch{Subject: p.expr(a[0]), Pos: p.at(n)}
	for i, k := range a[1:] {
		switch k.head() {
		case "case":
			c := Case{Pos: p.at(k)}
			rest := k.list[1:]
			for len(rest) > 0 {
				v, ok := p.constant(rest[0])
				if !ok {
					break
				}
				c.Values, rest = append(c.Values, v), rest[1:]
			}
			c.Body = p.body(rest)
			s.Cases = append(s.Cases, c)
		case "default":
			if i != len(a)-2 {
				fail(k.line, "default is not last")
			}
			s.HasDefault, s.Default = true, p.body(k.list[1:])
		default:
			fail(k.line, "expected (case …) or (default …)")
		}
	}
	return s
}

func (p *parser) expr(n node) Expr {
	e := p.primary(n)
	for _, r := range n.ranges {
		e = &Slice{e, r[1], r[0] - r[1] + 1, p.at(n)}
	}
	return e
}

func (p *parser) primary(n node) Expr {
	pos := p.at(n)
	if !n.isList {
		if c, ok := p.constant(n); ok {
			return c
		}
		if n.atom[0] != '%' {
			return &Ref{p.signalNamed(node{atom: n.atom, line: n.line}), pos}
		}
		e, ok := p.labels[n.atom]
		if !ok {
			fail(n.line, "label %s is used before its let", n.atom)
		}
		return e
	}
	op := n.head()
	operand := func(i int) Expr { return p.expr(n.list[1+i]) }
	if i := slices.Index(unaryNames[:], op); i >= 0 {
		args(n, 1, 1)
		return &Unary{UnaryOp(i), operand(0), pos}
	}
	if i := slices.Index(binaryNames[:], op); i >= 0 {
		args(n, 2, 2)
		return &Binary{BinaryOp(i), operand(0), operand(1), pos}
	}
	switch op {
	case "mux":
		args(n, 3, 3)
		return &Mux{operand(0), operand(1), operand(2), pos}
	case "cat":
		c := &Cat{Pos: pos}
		for _, x := range args(n, 1, -1) {
			c.Parts = append(c.Parts, p.expr(x))
		}
		return c
	case "signed", "unsigned":
		args(n, 1, 1)
		return &Cast{operand(0), op == "signed", pos}
	case "extend":
		a := args(n, 2, 2)
		return &Extend{operand(0), integer(a[1]), pos}
	case "select":
		a := args(n, 4, 4)
		return &Select{operand(0), operand(1), integer(a[2]), integer(a[3]), pos}
	case "read":
		a := args(n, 2, 2)
		return &MemRead{p.memNamed(a[0]), operand(1), pos}
	}
	fail(n.line, "there is no operator %q", op)
	return nil
}
