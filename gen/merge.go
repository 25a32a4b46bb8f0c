package gen

import "github.com/millrace-hdl/millrace/hdl/ir"

// merger decides which combinational signals may share a block. A block is one
// node of the graph: what feeds one member feeds all.
type merger struct {
	g       *graph
	fedBy   [][]int // the inverse of feeds
	member  []*group
	inputs  []int
	outputs []int
	depends map[[2]int]bool // input and output with a path between
}

func newMerger(g *graph) *merger {
	m := &merger{g: g, fedBy: make([][]int, len(g.list)), member: make([]*group, len(g.list)), depends: map[[2]int]bool{}}
	for from, tos := range g.feeds {
		for _, to := range tos {
			m.fedBy[to] = append(m.fedBy[to], from)
		}
	}
	for i, s := range g.list {
		switch s.Kind {
		case ir.Input:
			m.inputs = append(m.inputs, i)
		case ir.Output:
			m.outputs = append(m.outputs, i)
		}
	}
	for _, in := range m.inputs {
		reached := g.reach(in)
		for _, out := range m.outputs {
			if reached[out] {
				m.depends[[2]int{in, out}] = true
			}
		}
	}
	return m
}

// fits reports whether a signal may join a group.
func (m *merger) fits(c *group, id int) bool {
	after, behind := m.closure(m.g.feeds, c.ids), m.closure(m.g.feeds, []int{id})
	if after[id] || behind[c.ids[0]] {
		return false
	}
	before, ahead := m.closure(m.fedBy, c.ids), m.closure(m.fedBy, []int{id})
	mark(after, c.ids)
	mark(behind, []int{id})
	for _, in := range m.inputs {
		for _, out := range m.outputs {
			if (before[in] && behind[out] || ahead[in] && after[out]) && !m.depends[[2]int{in, out}] {
				return false
			}
		}
	}
	return true
}

func mark(set []bool, ids []int) {
	for _, i := range ids {
		set[i] = true
	}
}

// closure marks what the edges lead to from the start, where entering a group is
// entering all its members.
func (m *merger) closure(edges [][]int, start []int) []bool {
	seen := make([]bool, len(m.g.list))
	todo := append([]int(nil), start...)
	for len(todo) > 0 {
		at := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		for _, to := range edges[at] {
			enter := []int{to}
			if m.member[to] != nil {
				enter = m.member[to].ids
			}
			for _, e := range enter {
				if !seen[e] {
					seen[e] = true
					todo = append(todo, e)
				}
			}
		}
	}
	return seen
}
