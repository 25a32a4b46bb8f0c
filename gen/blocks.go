package gen

import (
	"math/big"
	"slices"
	"sort"

	"github.com/millrace-hdl/millrace/hdl/ir"
)

// drive adds a continuous assignment, or, for the input of an instance that nothing
// else reads, connects the value to the port.
func (u *unit) drive(a *assign) {
	if a.target.Kind == ir.InstIn && !u.isRead[a.target] {
		u.direct[a.target] = a
		return
	}
	u.blocks = append(u.blocks, a)
}

// plainBlock makes one assignment of a target whose assignments are all
// unconditional.
func (u *unit) plainBlock(t *target) {
	s := t.signal
	a := &assign{target: s, pos: u.body[t.tops[0]].Position()}
	type span struct {
		lo    int
		value ir.Expr
	}
	var spans []span
	claimed := make([]bool, s.Type.Width)
	for i := len(t.tops) - 1; i >= 0; i-- { // the last one wins
		st := u.body[t.tops[i]].(*ir.Assign)
		a.notes = append(u.notesBefore(t.tops[i]), a.notes...)
		if st.Whole() && i == len(t.tops)-1 {
			a.value, a.pos = st.Value, st.Pos
			u.drive(a)
			return
		}
		eachRun(claimed[st.Lo:st.Lo+st.Width], false, func(lo, width int) {
			spans = append(spans, span{st.Lo + lo, deepSlice(st.Value, lo, width, st.Pos)})
		})
		for bit := st.Lo; bit < st.Lo+st.Width; bit++ {
			claimed[bit] = true
		}
	}
	eachRun(claimed, false, func(lo, width int) {
		var rest ir.Expr = constant(ir.Type{Width: width}, new(big.Int), s.Pos)
		if d := u.defaults[s]; d != nil {
			rest = deepSlice(d, lo, width, s.Pos)
		}
		spans = append(spans, span{lo, rest})
	})
	sort.Slice(spans, func(i, j int) bool { return spans[i].lo > spans[j].lo })
	c := &ir.Cat{Pos: a.pos}
	for _, sp := range spans {
		c.Parts = append(c.Parts, sp.value)
	}
	a.value = cast(foldCat(c), s.Type.Signed, a.pos)
	u.drive(a)
}

// combBlock makes a combinational block.
func (u *unit) combBlock(g *group) {
	b := &comb{pos: u.body[g.first].Position()}
	body := u.project(g)
	for _, t := range g.members {
		s := t.signal
		d := u.defaults[s]
		if d == nil {
			if covered(body, s) {
				continue
			}
			// Every path assigns every bit, but not in a way that tools see.
			d = constant(s.Type, new(big.Int), s.Pos)
		}
		b.body = append(b.body, &ir.Assign{Target: s, Width: s.Type.Width, Value: d, Pos: s.Pos})
	}
	b.body = append(b.body, body...)
	u.blocks = append(u.blocks, b)
}

// covered reports whether every path through the list assigns every bit of s.
func covered(list []ir.Stmt, s *ir.Signal) bool {
	for _, bit := range cover(list, s) {
		if !bit {
			return false
		}
	}
	return true
}

// cover marks the bits of s that every path through the list assigns.
func cover(list []ir.Stmt, s *ir.Signal) []bool {
	set := make([]bool, s.Type.Width)
	for _, st := range list {
		switch st := st.(type) {
		case *ir.Assign:
			if st.Target == s && st.Index == nil {
				for i := st.Lo; i < st.Lo+st.Width; i++ {
					set[i] = true
				}
			}
		case *ir.If, *ir.Switch:
			if sw, ok := st.(*ir.Switch); ok && !sw.HasDefault {
				continue
			}
			var all []bool // bits that each body so far assigns
			for _, body := range ir.Bodies(st) {
				c := cover(body, s)
				for i := range c {
					c[i] = c[i] && (all == nil || all[i])
				}
				all = c
			}
			for i, bit := range all {
				set[i] = set[i] || bit
			}
		}
	}
	return set
}

// seqBlock makes an always_ff block.
func (u *unit) seqBlock(g *group) {
	b := &seq{body: u.project(g), domain: g.members[0].domain, pos: u.body[g.first].Position()}
	for _, t := range g.members {
		if t.signal == nil {
			writers := u.writers[t.mem]
			b.shared = slices.Contains(writers, t.domain) && (len(u.contents[t.mem]) > 0 || len(writers) > 1)
			continue
		}
		b.regs = append(b.regs, t.signal)
		b.reset = t.signal.Init != nil
	}
	u.blocks = append(u.blocks, b)
}

// project is the part of the body that drives the members of a group.
func (u *unit) project(g *group) []ir.Stmt {
	want := func(s ir.Stmt) bool {
		switch s := s.(type) {
		case *ir.Assign:
			if m := u.words[s.Target]; m != nil {
				return g.has(nil, m, s.Target.Domain)
			}
			return g.has(s.Target, nil, nil)
		case *ir.MemWrite:
			return g.has(nil, s.Mem, s.Domain)
		}
		return false
	}
	return u.filter(u.statements(g), want)
}

// statements are the top-level statements that drive members of a group, with the
// comments before them.
func (u *unit) statements(g *group) []ir.Stmt {
	var list []ir.Stmt
	for _, at := range sortedTops(g) {
		first := at
		for first > 0 {
			if _, ok := u.body[first-1].(*ir.Note); !ok {
				break
			}
			first--
		}
		list = append(list, u.body[first:at+1]...)
	}
	return list
}

// filter keeps the simple statements that want accepts, what encloses them, and
// the comments before them that no earlier block took.
func (u *unit) filter(list []ir.Stmt, want func(ir.Stmt) bool) []ir.Stmt {
	var out []ir.Stmt
	var notes []*ir.Note
	for _, s := range list {
		if n, ok := s.(*ir.Note); ok {
			notes = append(notes, n)
			continue
		}
		var kept ir.Stmt
		switch s := s.(type) {
		case *ir.If:
			if c := u.filterIf(s, want); c != nil {
				kept = c
			}
		case *ir.Switch:
			if c := u.filterSwitch(s, want); c != nil {
				kept = c
			}
		default:
			if want(s) {
				kept = s
			}
		}
		if kept != nil {
			for _, n := range notes {
				if !u.noted[n] {
					u.noted[n] = true
					out = append(out, n)
				}
			}
			out = append(out, kept)
		}
		notes = nil
	}
	return out
}

func (u *unit) filterIf(s *ir.If, want func(ir.Stmt) bool) *ir.If {
	c := &ir.If{Else: u.filter(s.Else, want), Pos: s.Pos}
	for _, a := range s.Arms {
		c.Arms = append(c.Arms, ir.Arm{Cond: a.Cond, Body: u.filter(a.Body, want), Pos: a.Pos})
	}
	for len(c.Else) == 0 && len(c.Arms) > 0 && len(c.Arms[len(c.Arms)-1].Body) == 0 {
		c.Arms = c.Arms[:len(c.Arms)-1]
	}
	if len(c.Arms) == 0 {
		return nil
	}
	if len(c.Arms[0].Body) > 0 {
		return c
	}
	// Nothing is left where the first condition holds.
	cond := foldUnary(&ir.Unary{Op: ir.Not, X: c.Arms[0].Cond, Pos: c.Arms[0].Pos}, false)
	rest := c.Else
	switch {
	case len(c.Arms) == 2 && len(c.Else) == 0:
		next := c.Arms[1]
		cond = foldBinary(&ir.Binary{Op: ir.And, X: cond, Y: next.Cond, Pos: next.Pos})
		return &ir.If{Arms: []ir.Arm{{Cond: cond, Body: next.Body, Pos: next.Pos}}, Pos: s.Pos}
	case len(c.Arms) > 1:
		rest = []ir.Stmt{&ir.If{Arms: c.Arms[1:], Else: c.Else, Pos: c.Arms[1].Pos}}
	}
	return &ir.If{Arms: []ir.Arm{{Cond: cond, Body: rest, Pos: s.Pos}}, Pos: s.Pos}
}

func (u *unit) filterSwitch(s *ir.Switch, want func(ir.Stmt) bool) *ir.Switch {
	c := &ir.Switch{Subject: s.Subject, Default: u.filter(s.Default, want), HasDefault: s.HasDefault, Pos: s.Pos}
	any := len(c.Default) > 0
	for _, k := range s.Cases {
		body := u.filter(k.Body, want)
		if len(body) > 0 || len(c.Default) > 0 {
			c.Cases = append(c.Cases, ir.Case{Values: k.Values, Body: body, Pos: k.Pos})
		}
		any = any || len(body) > 0
	}
	if !any {
		return nil
	}
	return c
}

// notesBefore takes the comments right before a top-level statement.
func (u *unit) notesBefore(at int) []string {
	var texts []string
	for i := at - 1; i >= 0; i-- {
		n, ok := u.body[i].(*ir.Note)
		if !ok {
			break
		}
		if !u.noted[n] {
			u.noted[n] = true
			texts = append([]string{n.Text}, texts...)
		}
	}
	return texts
}
