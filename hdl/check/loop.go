package check

import (
	"fmt"
	"strings"

	"github.com/millrace-hdl/millrace/hdl/diag"
	"github.com/millrace-hdl/millrace/hdl/ir"
)

// loops reports combinational cycles, each in the smallest module that contains
// it. A module with a cycle below it is not searched itself. It returns the modules
// with a cycle in or below them.
func (c *checker) loops(nets []*netlist) map[*netlist]bool {
	dirty := map[*netlist]bool{}
	for _, n := range nets {
		c.m = n.m
		for _, i := range n.m.Instances {
			dirty[n] = dirty[n] || dirty[n.children[i]]
		}
		if dirty[n] {
			continue
		}
		for _, comp := range n.components() {
			if cycle := n.cycle(comp); cycle != nil {
				dirty[n] = true
				c.loop(cycle)
			}
		}
	}
	return dirty
}

func (c *checker) loop(cycle []bit) {
	hs := hops(cycle)
	var names []string
	var related []diag.Related
	for i, h := range hs {
		if i < 6 || i == len(hs)-1 {
			names = append(names, h.Signal)
		} else if i == 6 {
			names = append(names, "…")
		}
		if i+1 < len(hs) {
			how := "%s is computed from %s here"
			if h.Condition {
				how = "%s is assigned here under a condition on %s"
			}
			related = append(related, diag.Related{Pos: h.Pos, Message: fmt.Sprintf(how, h.Signal, hs[i+1].Signal)})
		}
	}
	c.report(diag.Loop, hs[0].Pos, "combinational loop: "+strings.Join(names, " ← "), "break it with a register", related...)
}

// components returns the sets of nodes that contain a cycle between whole nodes,
// in order of their lowest node (Tarjan's strongly connected components).
func (n *netlist) components() [][]int32 {
	var (
		index, low = make([]int32, len(n.nodes)), make([]int32, len(n.nodes))
		on         = make([]bool, len(n.nodes))
		stack      []int32
		next       int32
		found      [][]int32
		visit      func(int32)
	)
	visit = func(v int32) {
		next++
		index[v], low[v] = next, next
		stack, on[v] = append(stack, v), true
		self := false
		for _, w := range n.edges[v] {
			self = self || w == v
			if index[w] == 0 {
				visit(w)
				low[v] = min(low[v], low[w])
			} else if on[w] {
				low[v] = min(low[v], index[w])
			}
		}
		if low[v] != index[v] {
			return
		}
		at := len(stack) - 1
		for stack[at] != v {
			at--
		}
		comp := append([]int32(nil), stack[at:]...)
		stack = stack[:at]
		for _, w := range comp {
			on[w] = false
		}
		if len(comp) > 1 || self {
			found = append(found, comp)
		}
	}
	for v := range n.nodes {
		if index[v] == 0 {
			visit(int32(v))
		}
	}
	return found
}

// Marks of the depth-first search.
const (
	open = 1 + iota
	done
)

// cycle searches a component bit by bit and returns a cycle of bits, first and
// last equal, or nil if there is none.
func (n *netlist) cycle(comp []int32) []bit {
	root := newPlace(n, nil, nil)
	inside := make([]bool, len(n.nodes))
	for _, id := range comp {
		inside[id] = true
	}
	follow := func(b bit) bool {
		if b.place == root {
			return inside[b.node]
		}
		return b.place.net.reach[b.node]
	}
	for id := range n.m.Signals {
		if !inside[id] {
			continue
		}
		for i := range n.nodes[id].width {
			if b := (bit{root, int32(id), i}); *b.mark() == 0 {
				if hit, ok := search(b, follow); ok {
					return rotate(shortest([]bit{hit}, func(e bit) bool { return e == hit }, follow))
				}
			}
		}
	}
	return nil
}

// rotate lets a cycle start at its first declared signal that the module itself assigns.
func rotate(cycle []bit) []bit {
	first, at := int32(-1), 0
	for i, b := range cycle[:len(cycle)-1] {
		s := b.vertex().signal
		if b.place.parent == nil && s != nil && s.Kind.Driven() && (first < 0 || b.node < first || b.node == first && b.index < cycle[at].index) {
			first, at = b.node, i
		}
	}
	turned := append(append([]bit(nil), cycle[at:len(cycle)-1]...), cycle[:at]...)
	return append(turned, turned[0])
}

// search walks depth first from b and returns a bit of a signal that lies on a cycle.
func search(b bit, follow func(bit) bool) (bit, bool) {
	type frame struct {
		at         bit
		next, last int // edges still to follow, in buf
	}
	var buf []bit
	var stack []frame
	push := func(b bit) {
		*b.mark() = open
		from := len(buf)
		buf = b.edges(buf)
		stack = append(stack, frame{b, from, len(buf)})
	}
	push(b)
	for len(stack) > 0 {
		f := &stack[len(stack)-1]
		if f.next == f.last {
			*f.at.mark() = done
			stack = stack[:len(stack)-1]
			if len(stack) > 0 {
				buf = buf[:stack[len(stack)-1].last]
			}
			continue
		}
		e := buf[f.next]
		f.next++
		if !follow(e) {
			continue
		}
		switch *e.mark() {
		case 0:
			push(e)
		case open:
			for i := len(stack) - 1; ; i-- { // a cycle passes through a declared signal
				s := stack[i].at
				if s.place.parent == nil && s.vertex().signal != nil {
					return s, true
				}
			}
		}
	}
	return bit{}, false
}

// Path says that a top-level output depends combinationally on a top-level input.
type Path struct {
	Output, Input *ir.Signal
	Hops          []Hop // one shortest path, from the output to the input
}

// CombPaths returns which outputs of the top module depend, within a cycle, on
// which inputs, through any number of instances: outputs in declaration order
// and for each its inputs likewise. It works bit by bit, so an output that
// shares a vector with a path has not therefore a path. The error is [Valid]'s.
func CombPaths(d *ir.Design) ([]Path, error) {
	if err := Valid(d).Err(); err != nil {
		return nil, err
	}
	c := newChecker(d)
	c.valid()
	nets := c.netlists()
	return combPaths(nets[len(nets)-1]), nil
}

func combPaths(n *netlist) []Path {
	root := newPlace(n, nil, nil)
	follow := func(b bit) bool { return b.place.net.reach[b.node] }
	var paths []Path
	epoch := uint32(0)
	for id, s := range n.m.Signals {
		if s.Kind != ir.Output || len(n.inputs[id]) == 0 {
			continue
		}
		epoch++
		outs := make([]bit, s.Type.Width)
		for i := range outs {
			outs[i] = bit{root, int32(id), int32(i)}
		}
		seen := map[int32]bool{}
		var buf []bit
		for todo := append([]bit(nil), outs...); len(todo) > 0; {
			b := todo[len(todo)-1]
			todo = todo[:len(todo)-1]
			m := b.mark()
			if *m == epoch || !follow(b) {
				continue
			}
			*m = epoch
			if o := b.vertex().signal; b.place == root && o != nil && o.Kind == ir.Input {
				seen[b.node] = true
			}
			buf = b.edges(buf[:0])
			todo = append(todo, buf...)
		}
		for _, in := range n.inputs[id] {
			if seen[in] {
				to := func(b bit) bool { return b.place == root && b.node == in }
				paths = append(paths, Path{s, n.m.Signals[in], hops(shortest(outs, to, follow))})
			}
		}
	}
	return paths
}
