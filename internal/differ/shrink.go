package differ

import (
	"context"
	"fmt"

	"github.com/millrace-hdl/millrace/hdl/check"
	"github.com/millrace-hdl/millrace/hdl/ir"
	"github.com/millrace-hdl/millrace/hdl/sim"
)

// Shrink makes a case small: it tries what [reductions] lists, many at a time, and
// keeps the first that leaves a valid design of which fails says that it is still
// wrong, until nothing goes any more, so many calls of fails were made, or ctx
// ends. The case itself is left as it is.
//
// Fails is told cases that are fit for one batch, and answers for each.
func Shrink(ctx context.Context, c *Case, calls int, fails func([]*Case) []bool) *Case {
	const most = 32
	together := 2 // more as long as nothing goes, fewer when something does
	best := clone(c)
	if n := len(best.Cycles); n > 1 { // fewer cycles, by halves
		for _, k := range []int{2, 3, 5, 9, 17, 33} {
			if k < n && calls > 0 {
				calls--
				short := clone(best)
				short.Cycles = short.Cycles[:k]
				if fails([]*Case{short})[0] {
					best = short
					break
				}
			}
		}
	}
	from := 0
	for clean := false; calls > 0 && ctx.Err() == nil; {
		var tries []*Case
		at, text := from, best.Design.String()
		var places []int
		for ; len(tries) < together; at++ {
			next := copied(best, text)
			list := reductions(next.Design)
			if at >= len(list) {
				break
			}
			if next = reduced(best, text, next, list[at]); next != nil {
				tries, places = append(tries, next), append(places, at)
			}
		}
		if len(tries) > 0 {
			calls--
			won := -1
			for i, bad := range fails(tries) {
				if bad {
					won = i
					break
				}
			}
			if won >= 0 {
				best, from, clean = clone(tries[won]), places[won], false
				together = max(2, together/2)
				continue
			}
		}
		full := len(tries) == together
		together = min(2*together, most)
		if from = at; !full { // the end of the list
			if clean {
				break
			}
			from, clean = 0, true
		}
	}
	return best
}

// reduced is a copy of a case after a reduction, or nil if that leaves nothing valid
// or nothing smaller.
func reduced(old *Case, before string, c *Case, reduce func()) (r *Case) {
	defer func() {
		if recover() != nil { // a reduction met what it does not fit
			r = nil
		}
	}()
	reduce()
	prune(c.Design)
	if c.Design.String() == before || check.Design(c.Design).Err() != nil || len(sim.NewLayout(c.Design).Outputs) == 0 {
		return nil
	}
	c.follow(old)
	return c
}

// follow gives the case of a changed design the cycles of another: inputs by name,
// edges by the kind of the domains.
func (c *Case) follow(old *Case) {
	was, now := sim.NewLayout(old.Design), sim.NewLayout(c.Design)
	keys := domainKeys(c.Design.Top)
	c.Cycles = nil
	for n, o := range old.Cycles {
		y := Cycle{Reset: o.Reset, In: make([]uint64, now.InWords)}
		for _, p := range now.Inputs {
			if q, err := was.Port(p.Name); err == nil && q.Input {
				w := y.In[p.Offset:][:p.Words()]
				copy(w, o.In[q.Offset:][:q.Words()])
				w[len(w)-1] &= ^uint64(0) >> (uint(-p.Type.Width) & 63)
			}
		}
		for i, k := range keys {
			if ticks(n, k) {
				y.Ticks |= 1 << i
			}
		}
		c.Cycles = append(c.Cycles, y)
	}
}

// clone copies a case by way of its text.
func clone(c *Case) *Case { return copied(c, c.Design.String()) }

func copied(c *Case, text string) *Case {
	d, err := ir.Parse(fmt.Sprintf("seed %d", c.Seed), text)
	if err != nil {
		panic(fmt.Sprintf("the text of a design does not read back: %v", err))
	}
	boxes := map[string]*ir.Extern{}
	for _, m := range c.Design.Modules {
		boxes[m.Name] = m.Extern
	}
	for _, m := range d.Modules {
		if m.Extern != nil {
			m.Extern.Model = boxes[m.Name].Model
		}
	}
	n := *c
	n.Design = d
	return &n
}

// Disagree returns what tells for each case of a batch whether two engines disagree
// on it as they did, for [Shrink]: in a value, or because one fails.
func Disagree(ctx context.Context, like *Disagreement, a, b Engine) func([]*Case) []bool {
	return func(cases []*Case) []bool {
		bad := make([]bool, len(cases))
		found, err := Run(ctx, cases, []Engine{a, b})
		if err != nil {
			return bad
		}
		for _, d := range found {
			for i, c := range cases {
				bad[i] = bad[i] || c == d.Case && (d.ErrA == nil) == (like.ErrA == nil) && (d.ErrB == nil) == (like.ErrB == nil)
			}
		}
		return bad
	}
}
