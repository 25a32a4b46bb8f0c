package irtest

import "github.com/millrace-hdl/millrace/hdl/ir"

// assign makes statements that give every signal of the list a value on every
// path. Registers and signals with a default may be left alone on some.
func (b *builder) assign(list []*ir.Signal) []ir.Stmt {
	var body []ir.Stmt
	var rest []*ir.Signal
	for _, s := range list {
		switch {
		case s.Kind != ir.Reg && s.Default == nil || b.r.IntN(3) == 0:
			body = append(body, b.cover(s)...)
		case s.Kind == ir.Reg:
			rest = append(rest, s)
		}
	}
	body = append(body, b.branches(list, 2)...)
	for _, s := range rest { // every register is assigned somewhere
		body = append(body, b.when(b.condition(), b.set(s), nil))
	}
	return body
}

// condition is a flag that is the condition of no other if: under a condition
// that is met twice, the later assignment hides the earlier one.
func (b *builder) condition() ir.Expr {
	e := b.flag()
	var key any = e
	for {
		if c, ok := key.(*ir.Cast); ok {
			key = c.X
		} else if r, ok := key.(*ir.Ref); ok {
			key = r.Signal
		} else {
			break
		}
	}
	if b.conds[key] {
		return &ir.Unary{Op: ir.Not, X: e}
	}
	b.conds[key] = true
	return e
}

func (b *builder) when(c ir.Expr, then, other ir.Stmt) ir.Stmt {
	s := &ir.If{Arms: []ir.Arm{{Cond: c, Body: []ir.Stmt{then}}}}
	if other != nil {
		s.Else = []ir.Stmt{other}
	}
	return s
}

// cover assigns all bits of a signal, whole, in parts, or whole with a part
// overridden.
func (b *builder) cover(s *ir.Signal) []ir.Stmt {
	w := s.Type.Width
	switch {
	case w > 1 && b.r.IntN(4) == 0:
		k := 1 + b.r.IntN(w-1)
		return []ir.Stmt{b.part(s, k, w-k), b.part(s, 0, k)}
	case w > 1 && b.r.IntN(4) == 0:
		n := 1 + b.r.IntN(w-1)
		return []ir.Stmt{b.set(s), b.part(s, b.r.IntN(w-n+1), n)}
	case b.o.Lanes && b.r.IntN(4) == 0:
		return []ir.Stmt{b.set(s), b.lane(s)}
	case b.r.IntN(5) == 0:
		return []ir.Stmt{b.when(b.condition(), b.set(s), b.set(s))}
	case b.r.IntN(5) == 0: // a switch without a way around it
		t := ir.Type{Width: 1}
		one := func(v uint64) ir.Case {
			return ir.Case{Values: []*ir.Const{ir.NewConst(t, v)}, Body: []ir.Stmt{b.set(s)}}
		}
		return []ir.Stmt{&ir.Switch{Subject: b.flag(), Cases: []ir.Case{one(1), one(0)}}}
	}
	return []ir.Stmt{b.set(s)}
}

func (b *builder) set(s *ir.Signal) ir.Stmt {
	return &ir.Assign{Target: s, Width: s.Type.Width, Value: b.expr(s.Type, b.o.ExprDepth)}
}

func (b *builder) part(s *ir.Signal, lo, w int) ir.Stmt {
	t := ir.Type{Width: w, Signed: s.Type.Signed && w == s.Type.Width} // proper parts have no sign
	return &ir.Assign{Target: s, Lo: lo, Width: w, Value: b.expr(t, b.o.ExprDepth)}
}

// lane assigns the lane that an index chooses.
func (b *builder) lane(s *ir.Signal) ir.Stmt {
	var widths []int
	for w := 1; w <= s.Type.Width; w++ {
		if s.Type.Width%w == 0 {
			widths = append(widths, w)
		}
	}
	w := widths[b.r.IntN(len(widths))]
	t := ir.Type{Width: w, Signed: b.r.IntN(4) == 0}
	index := b.expr(ir.Type{Width: b.indexWidth()}, 1)
	if _, fixed := index.(*ir.Const); fixed && w == s.Type.Width {
		index = &ir.Unary{Op: ir.Not, X: index} // a literal would hide what is assigned before
	}
	return &ir.Assign{Target: s, Width: w, Index: index, Value: b.expr(t, b.o.ExprDepth)}
}

// some assigns some bits of some of the signals.
func (b *builder) some(list []*ir.Signal, depth int) []ir.Stmt {
	var body []ir.Stmt
	for _, s := range list {
		switch b.r.IntN(4) {
		case 0:
			body = append(body, b.set(s))
		case 1:
			n := 1 + b.r.IntN(s.Type.Width)
			body = append(body, b.part(s, b.r.IntN(s.Type.Width-n+1), n))
		case 2:
			if b.o.Lanes && b.r.IntN(2) == 0 {
				body = append(body, b.lane(s))
			}
		}
	}
	if depth > 0 {
		body = append(body, b.branches(list, depth-1)...)
	}
	return body
}

// branches makes conditional statements over the signals.
func (b *builder) branches(list []*ir.Signal, depth int) []ir.Stmt {
	var body []ir.Stmt
	for range b.r.IntN(3) {
		if b.r.IntN(3) == 0 {
			body = append(body, b.choose(list, depth))
			continue
		}
		s := &ir.If{}
		for range 1 + b.r.IntN(3) {
			s.Arms = append(s.Arms, ir.Arm{Cond: b.condition(), Body: b.some(list, depth)})
		}
		if b.r.IntN(2) == 0 {
			s.Else = b.some(list, depth)
		}
		body = append(body, s)
	}
	return body
}

// choose makes a switch, now and then one that lists every value.
func (b *builder) choose(list []*ir.Signal, depth int) ir.Stmt {
	t := ir.Type{Width: 1 + b.r.IntN(3), Signed: b.r.IntN(4) == 0}
	if b.r.IntN(4) == 0 {
		t.Width = b.width()
	}
	s := &ir.Switch{Subject: b.expr(t, 2)}
	all := 1 << min(t.Width, 3)
	values := b.r.Perm(all)
	if t.Width > 3 || b.r.IntN(2) == 0 {
		values = values[:1+b.r.IntN(all)]
	}
	for len(values) > 0 {
		n := min(len(values), 1+b.r.IntN(2))
		c := ir.Case{Body: b.some(list, depth)}
		for _, v := range values[:n] {
			c.Values = append(c.Values, ir.NewConst(t, uint64(v)))
		}
		s.Cases = append(s.Cases, c)
		values = values[n:]
	}
	if b.r.IntN(2) == 0 {
		s.HasDefault, s.Default = true, b.some(list, depth)
	}
	return s
}
