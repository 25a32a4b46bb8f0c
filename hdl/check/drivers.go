package check

import (
	"fmt"
	"slices"

	"github.com/millrace-hdl/millrace/hdl/diag"
	"github.com/millrace-hdl/millrace/hdl/ir"
)

// driver is one assignment with the branch it stands in.
type driver struct {
	stmt *ir.Assign
	span
	branch
	dead   bitset // target bits that later statements always overwrite; nil for none
	hidden bool   // reported as hidden
}

// span is the bits of its target that an assignment may reach. Unless it assigns
// all of them, it assigns one lane, and so no bit for sure.
type span struct {
	lo, width int
	all       bool
}

func (s span) end() int { return s.lo + s.width }

// spanOf is what an assignment reaches: nothing if its lane is a literal beyond the target.
func spanOf(s *ir.Assign) span {
	if s.Index == nil {
		return span{s.Lo, s.Width, true}
	}
	k, ok := s.Index.(*ir.Const)
	if !ok {
		return span{0, s.Target.Type.Width, false}
	}
	if x, ok := k.Uint64(); ok && x < uint64(s.Target.Type.Width/s.Width) {
		return span{int(x) * s.Width, s.Width, true}
	}
	return span{0, 0, true}
}

// branch is where statements stand.
type branch struct {
	ctl int32 // node of the conditions that lead here, -1 outside branches
	arm arm
}

// arm identifies the conditions that lead to a branch: equal arms are taken
// together, wherever they stand. The zero arm is outside branches.
type arm int

// armKey is one condition more than those of an arm.
type armKey struct {
	outer arm
	cond  int32
	holds bool
}

func (d *driver) kill(lo, width int) {
	if d.dead == nil {
		d.dead = newBits(d.stmt.Target.Type.Width)
	}
	from, to := max(lo, d.lo), min(lo+width, d.end())
	if from < to {
		d.dead.set(from, to-from)
	}
}

// valueBit is the bit of the value that goes to a bit of the target.
func (d *driver) valueBit(bit int) int32 {
	if d.all {
		return int32(bit - d.lo)
	}
	return int32(bit % d.stmt.Width)
}

// drives reports whether the assignment can decide the bit.
func (d *driver) drives(bit int) bool {
	return bit >= d.lo && bit < d.end() && (d.dead == nil || !d.dead.has(bit))
}

// never reports whether the assignment can decide no bit.
func (d *driver) never() bool {
	return d.width == 0 || d.dead != nil && d.dead.count() == d.width
}

// cover is what a statement list does to one signal.
type cover struct {
	must, may bitset // bits assigned on every path, on some path
	drivers   []*driver
}

// scope is what a statement list does.
type scope struct {
	covers map[*ir.Signal]*cover
	order  []*ir.Signal // keys of covers as they appear
}

func newScope() *scope {
	return &scope{covers: map[*ir.Signal]*cover{}}
}

func (sc *scope) cover(s *ir.Signal) *cover {
	cv := sc.covers[s]
	if cv == nil {
		cv = &cover{must: newBits(s.Type.Width), may: newBits(s.Type.Width)}
		sc.covers[s] = cv
		sc.order = append(sc.order, s)
	}
	return cv
}

// walk analyses a statement list that stands at a branch.
func (c *checker) walk(n *netlist, list []ir.Stmt, at branch) *scope {
	sc := newScope()
	for _, s := range list {
		switch s := s.(type) {
		case *ir.Assign:
			c.assigned(sc, s, at)
		case *ir.MemWrite:
			n.writes[s.Mem] = append(n.writes[s.Mem], writePort{s, at.ctl})
		case *ir.If:
			var arms []*scope
			rest := at // where no condition so far holds
			for _, a := range s.Arms {
				cond := n.exprs[a.Cond]
				rest.ctl = n.ctl(rest.ctl, cond)
				arms = append(arms, c.walk(n, a.Body, branch{rest.ctl, n.arm(rest.arm, cond, true)}))
				rest.arm = n.arm(rest.arm, cond, false)
			}
			c.follow(sc, append(arms, c.walk(n, s.Else, rest)))
		case *ir.Switch:
			var arms []*scope
			in := n.ctl(at.ctl, n.exprs[s.Subject])
			for _, k := range s.Cases {
				arms = append(arms, c.walk(n, k.Body, branch{in, n.newArm()}))
			}
			if s.HasDefault || !n.complete(s) {
				arms = append(arms, c.walk(n, s.Default, branch{in, n.newArm()}))
			}
			c.follow(sc, arms)
		}
	}
	return sc
}

// arm is outer with one condition more.
func (n *netlist) arm(outer arm, cond int32, holds bool) arm {
	k := armKey{outer, cond, holds}
	a, ok := n.armOf[k]
	if !ok {
		a = n.newArm()
		n.armOf[k] = a
	}
	return a
}

func (n *netlist) newArm() arm {
	n.arms++
	return n.arms
}

// ctl is the node of a condition under those of outer.
func (n *netlist) ctl(outer, cond int32) int32 {
	v := vertex{rule: all, width: 1, ops: []int32{cond}}
	if outer >= 0 {
		v.ops = append(v.ops, outer)
	}
	return n.add(v)
}

// complete reports whether the cases list every value of the subject.
func (n *netlist) complete(s *ir.Switch) bool {
	w := n.types[s.Subject].Width
	listed := 0
	for _, k := range s.Cases {
		listed += len(k.Values)
	}
	return w < 31 && listed == 1<<w
}

func (c *checker) assigned(sc *scope, s *ir.Assign, at branch) {
	cv, d := sc.cover(s.Target), &driver{stmt: s, span: spanOf(s), branch: at}
	if d.all {
		if cv.may.meets(d.lo, d.width) {
			for _, o := range cv.drivers {
				c.overwritten(o, d)
				o.kill(d.lo, d.width)
			}
		}
		cv.must.set(d.lo, d.width)
	}
	cv.may.set(d.lo, d.width)
	cv.drivers = append(cv.drivers, d)
}

// overwritten checks an earlier assignment against a later one that is executed
// whenever the earlier one is: in the same list, or under the same conditions. Overwriting a part of the earlier one is how
// exceptions to a general assignment are written; overwriting all of it, or a
// part while reaching beyond it, is a mistake. Of lanes that an index chooses, one
// may follow the other, and only what overwrites every lane hides them.
func (c *checker) overwritten(d, by *driver) {
	from, to := max(d.lo, by.lo), min(d.end(), by.end())
	if d.hidden || from >= to || !by.all {
		return
	}
	s, inside := by.stmt, d.lo <= by.lo && by.end() <= d.end()
	switch {
	case from == d.lo && to == d.end():
		d.hidden = true
		c.report(diag.Overlap, s.Pos, fmt.Sprintf("this assignment of %s hides an earlier one of %s, which never takes effect", by.target(), d.target()),
			"remove one of them, or put the later one under a condition", diag.Related{Pos: d.stmt.Pos, Message: "the hidden assignment is here"})
	case !inside:
		c.report(diag.Multiple, s.Pos, fmt.Sprintf("%s is driven here and, as part of %s, by an earlier assignment",
			ranged(s.Target.Name, from, to-from, -1), d.target()),
			"assign each bit once", diag.Related{Pos: d.stmt.Pos, Message: "the earlier assignment is here"})
	}
}

// target names what is assigned.
func (d *driver) target() string {
	if !d.all {
		return "a lane of " + d.stmt.Target.Name
	}
	return ranged(d.stmt.Target.Name, d.lo, d.width, d.stmt.Target.Type.Width)
}

// follow adds to sc a statement whose branches are arms, of which exactly one runs.
func (c *checker) follow(sc *scope, arms []*scope) {
	joined := newScope()
	for _, a := range arms {
		for _, s := range a.order {
			cv := joined.cover(s)
			cv.may.or(a.covers[s].may)
			cv.drivers = append(cv.drivers, a.covers[s].drivers...)
		}
	}
	for _, s := range joined.order {
		j := joined.covers[s]
		j.must.or(j.may)
		for _, a := range arms {
			if cv := a.covers[s]; cv != nil {
				j.must.and(cv.must)
			} else {
				j.must = newBits(s.Type.Width)
			}
		}
		cv := sc.cover(s)
		if len(cv.drivers) > 0 {
			j.must.ranges(s.Type.Width, func(lo, n int) {
				for _, d := range cv.drivers {
					d.kill(lo, n)
				}
			})
		}
		for _, d := range cv.drivers {
			for _, o := range j.drivers {
				if d.arm == o.arm {
					c.overwritten(d, o)
				}
			}
		}
		cv.must.or(j.must)
		cv.may.or(j.may)
		cv.drivers = append(cv.drivers, j.drivers...)
	}
}

// drivers reports bits without driver and latches.
func (c *checker) drivers(n *netlist) {
	if n.m.Extern != nil {
		return
	}
	for _, s := range n.m.Signals {
		if s.Kind.Driven() && !(n.unread(s) && n.cover[s] == nil) {
			c.driven(n, s)
		}
	}
	for _, x := range n.m.Mems {
		if len(n.writes[x]) == 0 && len(x.Init) == 0 && n.memRead(x) {
			c.report(diag.Undriven, x.Pos, fmt.Sprintf("memory %s is never written: its contents stay undefined", x.Name), "write it, give it initial contents, or remove it")
		}
	}
}

func (c *checker) driven(n *netlist, s *ir.Signal) {
	w := s.Type.Width
	every := newBits(w)
	every.set(0, w)
	cv := n.cover[s]
	if cv == nil {
		cv = &cover{must: newBits(w), may: newBits(w)}
	}
	missing := every.without(cv.may)
	if s.Kind == ir.Reg {
		switch {
		case missing.count() == 0:
		case missing.count() == w && s.Init != nil:
			c.report(diag.Undriven, s.Pos, fmt.Sprintf("%s is never assigned: it stays at its reset value", what(s)), "assign it, or use a constant")
		case s.Init == nil:
			c.report(diag.Undriven, s.Pos, fmt.Sprintf("%s never assigned and without reset: the value stays undefined", bitsOf(s, missing)), "assign it, or give it a reset value")
		}
		return
	}
	if s.Default != nil {
		return
	}
	if missing.count() > 0 {
		fix := "assign it, or declare it with hdl.Default"
		if s.Kind == ir.InstIn {
			fix = "connect it"
		}
		c.report(diag.Undriven, s.Pos, fmt.Sprintf("%s never assigned", bitsOf(s, missing)), fix)
	}
	if latched := cv.may.without(cv.must); latched.count() > 0 {
		bit := 0
		for !latched.has(bit) {
			bit++
		}
		c.report(diag.Latch, s.Pos, fmt.Sprintf("%s not assigned on every path", bitsOf(s, latched)),
			"assign it on every path, declare it with hdl.Default, or make it a register", c.path(n, n.m.Body, s, bit)...)
	}
}

// bitsOf is "wire x is" for all bits of a signal, else "bits 7:4, 1 of wire x (8 bits) are".
func bitsOf(s *ir.Signal, set bitset) string {
	w := s.Type.Width
	if set.count() == w {
		return what(s) + " is"
	}
	var runs []string
	set.ranges(w, func(lo, n int) {
		r := fmt.Sprint(lo)
		if n > 1 {
			r = fmt.Sprintf("%d:%d", lo+n-1, lo)
		}
		runs = append(runs, r)
	})
	slices.Reverse(runs)
	text, more := "", ""
	if len(runs) > 4 {
		runs, more = runs[:4], ", …"
	}
	for i, r := range runs {
		if i > 0 {
			text += ", "
		}
		text += r
	}
	if set.count() == 1 {
		return fmt.Sprintf("bit %s of %s (%s) is", text, what(s), bitsWord(w))
	}
	return fmt.Sprintf("bits %s%s of %s (%s) are", text, more, what(s), bitsWord(w))
}
