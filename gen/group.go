package gen

import (
	"maps"
	"slices"
	"sort"

	"github.com/millrace-hdl/millrace/hdl/ir"
)

// target is what statements drive: a signal, or what one clock domain does with a
// memory.
type target struct {
	signal *ir.Signal
	mem    *ir.Mem
	domain *ir.Domain // of a memory's ports, or of a register
	tops   []int      // the top-level statements that drive it
	plain  bool       // all of them are plain assignments
}

// group is the targets of one block.
type group struct {
	members []*target
	ids     []int // of combinational signals in the graph
	tops    map[int]bool
	first   int
}

func (g *group) add(t *target) {
	g.members = append(g.members, t)
	for _, i := range t.tops {
		g.tops[i] = true
		g.first = min(g.first, i)
	}
}

func newGroup(t *target) *group {
	g := &group{tops: map[int]bool{}, first: t.tops[0]}
	g.add(t)
	return g
}

func (g *group) has(s *ir.Signal, m *ir.Mem, d *ir.Domain) bool {
	for _, t := range g.members {
		if t.signal == s && t.mem == m && (m == nil || t.domain == d) {
			return true
		}
	}
	return false
}

// targets lists what the body drives, in the order of first mention.
func (u *unit) targets() []*target {
	type key struct {
		s *ir.Signal
		m *ir.Mem
		d *ir.Domain
	}
	var list []*target
	known := map[key]*target{}
	for i, top := range u.body {
		ir.WalkStmts([]ir.Stmt{top}, func(s ir.Stmt) bool {
			var k key
			switch s := s.(type) {
			case *ir.Assign:
				k.s, k.d = s.Target, s.Target.Domain
				if m := u.words[s.Target]; m != nil {
					k = key{m: m, d: s.Target.Domain}
				}
			case *ir.MemWrite:
				k.m, k.d = s.Mem, s.Domain
			default:
				return true
			}
			t := known[k]
			if t == nil {
				t = &target{signal: k.s, mem: k.m, domain: k.d, plain: true}
				known[k] = t
				list = append(list, t)
			}
			if n := len(t.tops); n == 0 || t.tops[n-1] != i {
				t.tops = append(t.tops, i)
			}
			a, ok := s.(*ir.Assign)
			t.plain = t.plain && s == top && !(ok && a.Index != nil)
			return true
		})
	}
	return list
}

// isComb reports whether s is driven combinationally in this emission.
func (u *unit) isComb(s *ir.Signal) bool { return s != nil && (s.Kind.Comb() || u.comb[s]) }

// group sorts the targets into blocks and makes the blocks.
func (u *unit) group() {
	var plain, always, regs, mems []*target
	assigned := map[*ir.Signal]bool{}
	eachAssign(u.body, nil, func(a *ir.Assign, _ []ir.Expr) { assigned[a.Target] = true })
	for _, t := range u.targets() {
		switch {
		case t.mem != nil:
			mems = append(mems, t)
		case !u.isComb(t.signal):
			regs = append(regs, t)
		case t.plain:
			plain = append(plain, t)
		default:
			always = append(always, t)
		}
	}
	u.idle(assigned)
	type item struct {
		at   int
		emit func()
	}
	var items []item
	for _, t := range plain {
		items = append(items, item{t.tops[0], func() { u.plainBlock(t) }})
	}
	for _, g := range u.combGroups(always) {
		items = append(items, item{g.first, func() { u.combBlock(g) }})
	}
	for _, g := range u.regGroups(regs) {
		items = append(items, item{g.first, func() { u.seqBlock(g) }})
	}
	for _, t := range mems {
		g := newGroup(t)
		items = append(items, item{g.first, func() { u.seqBlock(g) }})
	}
	sort.SliceStable(items, func(i, j int) bool { return items[i].at < items[j].at })
	for _, it := range items {
		it.emit()
	}
}

// holdBits lets bits of registers without reset that nothing assigns keep their
// value in so many words; tools take them for undriven.
func (u *unit) holdBits() {
	set := map[*ir.Signal][]bool{}
	eachAssign(u.body, nil, func(a *ir.Assign, _ []ir.Expr) {
		if set[a.Target] == nil {
			set[a.Target] = make([]bool, a.Target.Type.Width)
		}
		lo, width := a.Lo, a.Width
		if a.Index != nil {
			lo, width = 0, a.Target.Type.Width
		}
		for i := lo; i < lo+width; i++ {
			set[a.Target][i] = true
		}
	})
	for _, s := range u.signals() {
		if s.Init != nil || s.Kind != ir.Reg && s.Kind != ir.SyncRead {
			continue
		}
		bits := set[s]
		if bits == nil {
			u.body = append(u.body, whole(s, ref(s), s.Pos))
		}
		eachRun(bits, false, func(lo, width int) {
			u.body = append(u.body, &ir.Assign{Target: s, Lo: lo, Width: width, Value: slice(ref(s), lo, width, s.Pos), Pos: s.Pos})
		})
	}
}

// eachRun calls f for every longest run of bits that are as wanted.
func eachRun(bits []bool, want bool, f func(lo, width int)) {
	for lo := 0; lo < len(bits); lo++ {
		hi := lo
		for hi < len(bits) && bits[hi] == want {
			hi++
		}
		if hi > lo {
			f(lo, hi-lo)
			lo = hi
		}
	}
}

// idle makes blocks for what no statement drives: a wire keeps its default, a
// register its reset value.
func (u *unit) idle(assigned map[*ir.Signal]bool) {
	var resets []*seq // one for each domain
	for _, s := range u.signals() {
		switch {
		case assigned[s]:
		case s.Kind == ir.Reg && s.Init != nil:
			i := slices.IndexFunc(resets, func(q *seq) bool { return q.domain == s.Domain })
			if i < 0 {
				i = len(resets)
				resets = append(resets, &seq{reset: true, domain: s.Domain, pos: s.Pos})
			}
			resets[i].regs = append(resets[i].regs, s)
		case s.Kind.Comb() && u.defaults[s] != nil:
			u.drive(&assign{target: s, value: u.defaults[s], pos: s.Pos})
		}
	}
	for _, q := range resets {
		u.blocks = append(u.blocks, q)
	}
}

// combGroups puts targets together that share a statement, as long as no member
// feeds another, directly or through other signals and groups, and as long as no
// output of the module seems to depend on more inputs than it does: to the tools
// all that a block drives depends on all that it reads, and what looks like a loop
// through a child is one to an event-driven simulator.
func (u *unit) combGroups(targets []*target) []*group {
	m := newMerger(u.graph())
	var groups []*group
	for _, t := range targets {
		id := m.g.id[t.signal]
		var into *group
		for _, c := range groups {
			if u.share(c, t) && m.fits(c, id) {
				into = c
				break
			}
		}
		if into == nil {
			into = newGroup(t)
			groups = append(groups, into)
		} else {
			into.add(t)
		}
		into.ids = append(into.ids, id)
		m.member[id] = into
	}
	return groups
}

// share reports whether a compound statement drives both.
func (u *unit) share(g *group, t *target) bool {
	for _, i := range t.tops {
		if g.tops[i] {
			if _, simple := u.body[i].(*ir.Assign); !simple {
				return true
			}
		}
	}
	return false
}

// regGroups puts registers together that share a statement or are assigned one
// after the other, those of different clock domains apart, and those with and
// without reset.
func (u *unit) regGroups(targets []*target) []*group {
	type place struct {
		top    int
		domain *ir.Domain
		reset  bool
	}
	var groups []*group
	owner := map[place]*group{} // of compound statements
	plain := map[place]*group{} // of registers with one plain assignment
	for _, t := range targets {
		domain, reset := t.domain, t.signal.Init != nil
		lone := t.plain && len(t.tops) == 1
		var into *group
		join := func(g *group) {
			switch {
			case g == nil || g == into:
			case into == nil:
				into = g
			default: // the statements of t join two groups
				for _, m := range g.members {
					into.add(m)
				}
				g.members = nil
				for _, at := range []map[place]*group{owner, plain} {
					for _, i := range sortedTops(g) {
						if k := (place{i, domain, reset}); at[k] == g {
							at[k] = into
						}
					}
				}
			}
		}
		if lone {
			join(plain[place{t.tops[0] - 1, domain, reset}])
		}
		for _, i := range t.tops {
			join(owner[place{i, domain, reset}])
		}
		if into == nil {
			into = newGroup(t)
			groups = append(groups, into)
		} else {
			into.add(t)
		}
		if lone {
			plain[place{t.tops[0], domain, reset}] = into
		}
		for _, i := range t.tops {
			if _, simple := u.body[i].(*ir.Assign); !simple {
				owner[place{i, domain, reset}] = into
			}
		}
	}
	return slices.DeleteFunc(groups, func(g *group) bool { return len(g.members) == 0 })
}

// sortedTops are the statements of a group in order.
func sortedTops(g *group) []int { return slices.Sorted(maps.Keys(g.tops)) }
