package sim

import (
	"github.com/millrace-hdl/millrace/hdl/ir"
)

// lowering turns expressions and statements into nodes of the netlist, on
// demand from the sinks. Driven signals are cut into segments where assignments
// cut them, so that a signal whose high bits depend on its low ones is no loop.
// Where segments still form one, the signals on it are split into bits and the
// lowering starts over: what remains is a loop of bits, which is an error.
type lowering struct {
	*netlist
	h     *hierarchy
	ticks []int // slot of each domain's tick; empty where all tick at once
	calls map[*box]id
	memo  map[memoKey]id
	// chains holds, of an If, whether one of its first arms is taken, and of a
	// Switch, whether one of its cases is.
	chains map[chainKey][]id
	stack  []step // segments in progress
	loops  [][]step
	exact  bool // some nets are split: evaluate no bit that is not asked for

	looked int // statements looked at: the measure of the work
}

type memoKey struct {
	scope *scope
	expr  ir.Expr
	lo, w int
}

type chainKey struct {
	scope *scope
	stmt  ir.Stmt
}

type step struct {
	net *net
	seg int
}

func newLowering(h *hierarchy, ticks []int) *lowering {
	l := &lowering{
		netlist: newNetlist(), h: h, ticks: ticks,
		calls: map[*box]id{}, memo: map[memoKey]id{}, chains: map[chainKey][]id{},
	}
	for _, n := range h.nets {
		n.reset()
		l.exact = l.exact || n.single
	}
	return l
}

// expr lowers w bits of e from lo up.
func (l *lowering) expr(s *scope, e ir.Expr, lo, w int) id {
	if !l.exact {
		return l.slice(l.whole(s, e, 0, e.Type().Width), lo, w)
	}
	return l.whole(s, e, lo, w)
}

func (l *lowering) all(s *scope, e ir.Expr) id { return l.expr(s, e, 0, e.Type().Width) }

func (l *lowering) whole(s *scope, e ir.Expr, lo, w int) id {
	switch e := e.(type) {
	case *ir.Ref:
		return l.ref(s.resolve(e.Signal), lo, w)
	case *ir.Const:
		return l.slice(l.constant(e.Typ.Width, e.Words), lo, w)
	}
	k := memoKey{s, e, lo, w}
	if x, ok := l.memo[k]; ok {
		return x
	}
	x := l.compute(s, e, lo, w)
	l.memo[k] = x
	return x
}

// compute lowers an operation. Bits of a sum or product depend on no higher
// bits of the operands; all other arithmetic on all of them.
func (l *lowering) compute(s *scope, e ir.Expr, lo, w int) id {
	sub := func(x ir.Expr) id { return l.expr(s, x, lo, w) }
	low := func(x ir.Expr) id { return l.expr(s, x, 0, lo+w) }
	switch e := e.(type) {
	case *ir.Unary:
		switch e.Op {
		case ir.Not:
			return l.not(sub(e.X))
		case ir.Neg:
			x := low(e.X)
			return l.slice(l.minus(l.small(lo+w, 0), x), lo, w)
		}
		x := l.all(s, e.X)
		switch e.Op {
		case ir.RedAnd:
			return l.eq(x, l.ones(l.width(x)))
		case ir.RedOr:
			return l.not(l.eq(x, l.small(l.width(x), 0)))
		}
		return l.parity(x)
	case *ir.Binary:
		switch e.Op {
		case ir.And, ir.Or:
			return l.masked(s, e, lo, w)
		case ir.Xor:
			return l.xor(sub(e.X), sub(e.Y))
		case ir.Add:
			return l.slice(l.plus(low(e.X), low(e.Y)), lo, w)
		case ir.Sub:
			return l.slice(l.minus(low(e.X), low(e.Y)), lo, w)
		case ir.Mul:
			return l.slice(l.mul(low(e.X), low(e.Y)), lo, w)
		case ir.Shl, ir.Shr:
			if k, ok := e.Y.(*ir.Const); ok {
				return l.moved(s, e, int(min(shiftCount(k.Words), uint64(e.X.Type().Width))), lo, w)
			} else if e.Op == ir.Shl {
				return l.slice(l.shl(low(e.X), l.all(s, e.Y)), lo, w)
			}
			// A right shift of the bits from lo up, with the true sign.
			x, y := l.expr(s, e.X, lo, e.X.Type().Width-lo), l.all(s, e.Y)
			return l.slice(l.shr(x, y, e.X.Type().Signed), 0, w)
		}
		return l.compare(e.Op, l.all(s, e.X), l.all(s, e.Y), e.X.Type().Signed)
	case *ir.Mux:
		if c, ok := e.Cond.(*ir.Const); ok {
			if c.IsZero() {
				return sub(e.Else)
			}
			return sub(e.Then)
		}
		return l.mux(l.all(s, e.Cond), sub(e.Then), sub(e.Else))
	case *ir.Cat:
		var parts []id
		at := 0
		for i := len(e.Parts) - 1; i >= 0; i-- {
			p := e.Parts[i]
			pw := p.Type().Width
			if from, to := max(lo, at), min(lo+w, at+pw); from < to {
				parts = append(parts, l.expr(s, p, from-at, to-from))
			}
			at += pw
		}
		return l.cat(parts...)
	case *ir.Slice:
		return l.expr(s, e.X, e.Lo+lo, w)
	case *ir.Cast:
		return sub(e.X)
	case *ir.Extend:
		return l.window(s, e.X, lo, w)
	case *ir.Select:
		return l.pick(s, e, lo, w)
	case *ir.MemRead:
		m := s.mems[e.Mem]
		return l.slice(l.add(nRead, e.Mem.Elem.Width, m.index, l.all(s, e.Addr)), lo, w)
	}
	panic("unreachable: the expression set is closed")
}

// masked lowers bits of an and or or. Bits that a literal decides do not depend
// on the other operand.
func (l *lowering) masked(s *scope, e *ir.Binary, lo, w int) id {
	x, y := e.X, e.Y
	if _, ok := x.(*ir.Const); ok {
		x, y = y, x
	}
	op := l.and
	if e.Op == ir.Or {
		op = l.or
	}
	k, ok := y.(*ir.Const)
	if !ok || !l.exact {
		return op(l.expr(s, x, lo, w), l.expr(s, y, lo, w))
	}
	decides := e.Op == ir.Or
	var parts []id
	for w > 0 {
		n := 1
		for n < w && k.Bit(lo+n) == k.Bit(lo) {
			n++
		}
		if k.Bit(lo) == decides {
			parts = append(parts, l.expr(s, k, lo, n))
		} else {
			parts = append(parts, l.expr(s, x, lo, n))
		}
		lo, w = lo+n, w-n
	}
	return l.cat(parts...)
}

// moved lowers bits of a shift by k, which is at most the width.
func (l *lowering) moved(s *scope, e *ir.Binary, k, lo, w int) id {
	if e.Op == ir.Shr {
		return l.window(s, e.X, lo+k, w)
	}
	zeros := min(max(k-lo, 0), w)
	switch zeros {
	case 0:
		return l.expr(s, e.X, lo-k, w)
	case w:
		return l.small(w, 0)
	}
	return l.cat(l.small(zeros, 0), l.expr(s, e.X, lo+zeros-k, w-zeros))
}

// window lowers w bits of x from lo up, extended without end.
func (l *lowering) window(s *scope, x ir.Expr, lo, w int) id {
	in, sign := x.Type().Width, x.Type().Signed
	switch {
	case lo+w <= in:
		return l.expr(s, x, lo, w)
	case sign:
		from := min(lo, in-1)
		return l.sext(l.expr(s, x, from, in-from), w)
	case lo >= in:
		return l.small(w, 0)
	}
	return l.zext(l.expr(s, x, lo, in-lo), w)
}

func (l *lowering) compare(op ir.BinaryOp, x, y id, signed bool) id {
	switch op {
	case ir.Eq:
		return l.eq(x, y)
	case ir.Ne:
		return l.not(l.eq(x, y))
	case ir.Lt:
		return l.less(x, y, signed)
	case ir.Ge:
		return l.not(l.less(x, y, signed))
	case ir.Gt:
		return l.less(y, x, signed)
	}
	return l.not(l.less(y, x, signed))
}

// ref lowers w bits of a net from lo up: of the present value if it is held in a
// slot.
func (l *lowering) ref(n *net, lo, w int) id {
	if n.held() {
		return l.slice(l.loc(n.sig.Type.Width, n.slot), lo, w)
	}
	return l.driven(n, lo, w)
}

// driven lowers w bits, from lo up, of what the statements assign to a net.
func (l *lowering) driven(n *net, lo, w int) id {
	var parts []id
	for i := range n.segs {
		at, end := n.cuts[i], n.cuts[i+1]
		if from, to := max(lo, at), min(lo+w, end); from < to {
			parts = append(parts, l.slice(l.segment(n, i), from-at, to-from))
		}
	}
	return l.cat(parts...)
}

func (l *lowering) segment(n *net, i int) id {
	seg := &n.segs[i]
	lo, w := n.cuts[i], n.cuts[i+1]-n.cuts[i]
	switch seg.mark {
	case 1:
		for j := len(l.stack) - 1; j >= 0; j-- {
			if l.stack[j] == (step{n, i}) {
				l.loops = append(l.loops, append([]step(nil), l.stack[j:]...))
				break
			}
		}
		return l.small(w, 0)
	case 0:
		seg.mark = 1
		l.stack = append(l.stack, step{n, i})
		seg.node = l.drive(n, lo, w)
		l.stack = l.stack[:len(l.stack)-1]
		seg.mark = 2
	}
	return seg.node
}
