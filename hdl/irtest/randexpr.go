package irtest

import "github.com/millrace-hdl/millrace/hdl/ir"

// literal is a constant, often one of those at which things change.
func (b *builder) literal(t ir.Type) *ir.Const {
	c := &ir.Const{Typ: ir.Type{Width: t.Width, Signed: t.Signed}, Words: make([]uint64, t.Words())}
	switch b.r.IntN(5) {
	case 0: // zero
	case 1:
		for i := range c.Words {
			c.Words[i] = ^uint64(0)
		}
	case 2:
		c.Words[(t.Width-1)/64] = 1 << ((t.Width - 1) % 64)
	case 3:
		c.Words[0] = uint64(b.r.IntN(16))
	default:
		for i := range c.Words {
			c.Words[i] = b.r.Uint64()
		}
	}
	c.Words[len(c.Words)-1] &= ^uint64(0) >> (uint(-t.Width) & 63)
	return c
}

func (b *builder) flag() ir.Expr { return b.expr(ir.Type{Width: 1}, b.o.ExprDepth) }

// expr makes or finds an expression of the type.
func (b *builder) expr(t ir.Type, depth int) ir.Expr {
	t.Enum = nil
	if depth <= 0 || b.r.IntN(8) == 0 {
		return b.leaf(t)
	}
	e := b.node(t, depth-1)
	if b.r.IntN(3) == 0 && !b.named {
		b.share(e)
	}
	return e
}

// leaf reads a signal, a shared expression or a constant.
func (b *builder) leaf(t ir.Type) ir.Expr {
	k := b.here()
	n := len(k.ready) + len(k.pool)
	if b.named {
		n = len(k.ready)
	}
	if n == 0 || b.r.IntN(6) == 0 {
		return b.literal(t)
	}
	if i := b.r.IntN(n); i < len(k.ready) {
		return b.fit(&ir.Ref{Signal: k.ready[i]}, t)
	} else {
		return b.fit(k.pool[i-len(k.ready)], t)
	}
}

// fit gives an expression another width and signedness.
func (b *builder) fit(e ir.Expr, t ir.Type) ir.Expr {
	switch w := e.Type().Width; {
	case w > t.Width:
		e = &ir.Slice{X: e, Lo: b.r.IntN(w - t.Width + 1), Width: t.Width}
	case w < t.Width && b.r.IntN(3) == 0: // repeated
		c := &ir.Cat{}
		for left := t.Width; left > 0; left -= w {
			if left < w {
				e = &ir.Slice{X: e, Width: left}
			}
			c.Parts = append(c.Parts, e)
		}
		e = c
	case w < t.Width:
		e = &ir.Extend{X: e, Width: t.Width}
	}
	if e.Type().Signed != t.Signed {
		e = &ir.Cast{X: e, Signed: t.Signed}
	}
	return e
}

// node makes an operation whose operands nest at most depth deep.
func (b *builder) node(t ir.Type, depth int) ir.Expr {
	sub := func() ir.Expr { return b.expr(t, depth) }
	if b.o.Lanes && b.r.IntN(10) == 0 {
		return b.choice(t, depth)
	}
	if t.Width == 1 && !t.Signed && b.r.IntN(2) == 0 {
		in := ir.Type{Width: b.width(), Signed: b.r.IntN(3) == 0}
		if b.r.IntN(3) == 0 {
			return &ir.Unary{Op: ir.RedAnd + ir.UnaryOp(b.r.IntN(3)), X: b.expr(in, depth)}
		}
		return &ir.Binary{Op: ir.Eq + ir.BinaryOp(b.r.IntN(6)), X: b.expr(in, depth), Y: b.expr(in, depth)}
	}
	switch b.r.IntN(8) {
	case 0:
		return &ir.Unary{Op: ir.UnaryOp(b.r.IntN(2)), X: sub()}
	case 1, 2:
		return &ir.Binary{Op: ir.BinaryOp(b.r.IntN(int(ir.Mul) + 1)), X: sub(), Y: sub()}
	case 3:
		y := ir.Type{Width: 1 + b.r.IntN(8)}
		if b.r.IntN(6) == 0 {
			y.Width = b.width()
		}
		return &ir.Binary{Op: ir.Shl + ir.BinaryOp(b.r.IntN(2)), X: sub(), Y: b.expr(y, depth)}
	case 4:
		return &ir.Mux{Cond: b.expr(ir.Type{Width: 1}, depth), Then: sub(), Else: sub()}
	case 5:
		if t.Width == 1 {
			break
		}
		c := &ir.Cat{}
		for left := t.Width; left > 0; {
			w := 1 + b.r.IntN(left)
			c.Parts = append(c.Parts, b.expr(ir.Type{Width: w, Signed: b.r.IntN(4) == 0}, depth))
			left -= w
		}
		return b.fit(c, t)
	case 6:
		if in := 1 + b.r.IntN(t.Width); in < t.Width {
			return &ir.Extend{X: b.expr(ir.Type{Width: in, Signed: t.Signed}, depth), Width: t.Width}
		}
	}
	return b.fit(b.expr(ir.Type{Width: b.width(), Signed: b.r.IntN(3) == 0}, depth), t)
}

// choice takes lanes of an expression, overlapping ones as well, or bits anywhere.
func (b *builder) choice(t ir.Type, depth int) ir.Expr {
	x := b.expr(ir.Type{Width: b.width(), Signed: b.r.IntN(4) == 0}, depth)
	e := &ir.Select{X: x, Index: b.expr(ir.Type{Width: b.indexWidth()}, depth), Width: min(t.Width, x.Type().Width)}
	switch b.r.IntN(4) {
	case 0:
		e.Stride = 1
	case 1:
		e.Stride = 1 + b.r.IntN(2*e.Width)
	default:
		e.Stride = e.Width
	}
	return b.fit(e, t)
}

// indexWidth is mostly small, so that indices hit, and now and then as wide as
// anything.
func (b *builder) indexWidth() int {
	if b.r.IntN(8) == 0 {
		return b.width()
	}
	return 1 + b.r.IntN(5)
}
