package gen

import "github.com/millrace-hdl/millrace/hdl/ir"

// paths knows, for each module, which outputs depend on which inputs within a
// cycle.
type paths struct {
	through map[*ir.Module]map[*ir.Signal][]*ir.Signal // input to outputs
}

func newPaths() *paths {
	return &paths{map[*ir.Module]map[*ir.Signal][]*ir.Signal{}}
}

// add records a module whose children are recorded.
func (p *paths) add(m *ir.Module) {
	if m.Extern != nil {
		p.addBlackBox(m)
		return
	}
	defaults := map[*ir.Signal]ir.Expr{}
	for _, s := range m.Signals {
		if s.Default != nil && s.Kind.Comb() {
			defaults[s] = s.Default
		}
	}
	g := newGraph(m, m.Signals, m.Body, defaults, p)
	t := map[*ir.Signal][]*ir.Signal{}
	for _, in := range m.Ports() {
		if in.Kind != ir.Input {
			continue
		}
		reached := g.reach(g.id[in])
		for _, out := range m.Ports() {
			if out.Kind == ir.Output && reached[g.id[out]] {
				t[in] = append(t[in], out)
			}
		}
	}
	p.through[m] = t
}

// addBlackBox takes every output to depend on every input, but for those that are
// known not to.
func (p *paths) addBlackBox(m *ir.Module) {
	t := map[*ir.Signal][]*ir.Signal{}
	for _, in := range m.Ports() {
		for _, out := range m.Ports() {
			if in.Kind == ir.Input && out.Kind == ir.Output && !out.Registered {
				t[in] = append(t[in], out)
			}
		}
	}
	p.through[m] = t
}

// graph says which combinational signals each signal feeds directly. Signals are
// numbered in their order in the module.
type graph struct {
	id    map[*ir.Signal]int
	list  []*ir.Signal
	feeds [][]int
	has   map[[2]int]bool
	reads map[ir.Expr][]*ir.Signal
}

func newGraph(m *ir.Module, signals []*ir.Signal, body []ir.Stmt, defaults map[*ir.Signal]ir.Expr, p *paths) *graph {
	g := &graph{
		id: map[*ir.Signal]int{}, list: signals, feeds: make([][]int, len(signals)),
		has: map[[2]int]bool{}, reads: map[ir.Expr][]*ir.Signal{},
	}
	for i, s := range signals {
		g.id[s] = i
	}
	for _, s := range signals {
		if d, ok := defaults[s]; ok {
			g.addExpr(d, s)
		}
	}
	eachAssign(body, nil, func(a *ir.Assign, conds []ir.Expr) {
		if a.Target.Kind.Comb() {
			g.addExpr(a.Value, a.Target)
			if a.Index != nil {
				g.addExpr(a.Index, a.Target)
			}
			for _, c := range conds {
				g.addExpr(c, a.Target)
			}
		}
	})
	for _, i := range m.Instances {
		port := map[*ir.Signal]*ir.Signal{}
		for _, c := range i.Conns {
			port[c.Port] = c
		}
		for _, c := range i.Conns {
			for _, out := range p.through[i.Of][c.Port] {
				if to := port[out]; to != nil {
					g.add(c, to)
				}
			}
		}
	}
	return g
}

func (g *graph) add(from, to *ir.Signal) {
	k := [2]int{g.id[from], g.id[to]}
	if !g.has[k] {
		g.has[k] = true
		g.feeds[k[0]] = append(g.feeds[k[0]], k[1])
	}
}

func (g *graph) addExpr(e ir.Expr, to *ir.Signal) {
	for _, s := range g.signals(e) {
		g.add(s, to)
	}
}

// signals are the signals that e reads.
func (g *graph) signals(e ir.Expr) []*ir.Signal {
	if r, ok := g.reads[e]; ok {
		return r
	}
	var r []*ir.Signal
	seen, listed := map[ir.Expr]bool{}, map[*ir.Signal]bool{}
	ir.WalkExpr(e, func(e ir.Expr) bool {
		if seen[e] {
			return false
		}
		seen[e] = true
		if ref, ok := e.(*ir.Ref); ok && !listed[ref.Signal] {
			listed[ref.Signal] = true
			r = append(r, ref.Signal)
		}
		return true
	})
	g.reads[e] = r
	return r
}

// reach marks everything that signal from feeds, directly or not.
func (g *graph) reach(from int) []bool {
	seen := make([]bool, len(g.list))
	todo := []int{from}
	for len(todo) > 0 {
		at := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		for _, to := range g.feeds[at] {
			if !seen[to] {
				seen[to] = true
				todo = append(todo, to)
			}
		}
	}
	return seen
}

// cyclic returns the signals that feed themselves, in order. Taking away what
// nothing feeds first leaves few to search from.
func (g *graph) cyclic() []*ir.Signal {
	fed := make([]int, len(g.list))
	for _, tos := range g.feeds {
		for _, to := range tos {
			fed[to]++
		}
	}
	var free []int
	for i, n := range fed {
		if n == 0 {
			free = append(free, i)
		}
	}
	for len(free) > 0 {
		at := free[len(free)-1]
		free = free[:len(free)-1]
		for _, to := range g.feeds[at] {
			if fed[to]--; fed[to] == 0 {
				free = append(free, to)
			}
		}
	}
	var r []*ir.Signal
	for i, s := range g.list {
		if fed[i] > 0 && g.reach(i)[i] {
			r = append(r, s)
		}
	}
	return r
}

// eachAssign calls f for every assignment with the conditions that decide whether
// it runs. The list is valid during the call only.
func eachAssign(list []ir.Stmt, conds []ir.Expr, f func(a *ir.Assign, conds []ir.Expr)) {
	for _, s := range list {
		switch s := s.(type) {
		case *ir.Assign:
			f(s, conds)
		case *ir.If:
			in := conds
			for _, a := range s.Arms {
				in = append(in[:len(in):len(in)], a.Cond)
				eachAssign(a.Body, in, f)
			}
			eachAssign(s.Else, in, f)
		case *ir.Switch:
			in := append(conds[:len(conds):len(conds)], s.Subject)
			for _, k := range s.Cases {
				eachAssign(k.Body, in, f)
			}
			eachAssign(s.Default, in, f)
		}
	}
}
