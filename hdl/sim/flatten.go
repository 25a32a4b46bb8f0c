package sim

import (
	"slices"

	"github.com/millrace-hdl/millrace/hdl/ir"
)

// scope is one place of a module in the hierarchy.
type scope struct {
	path   string // instance names joined by dots with a trailing dot; "" for the top
	mod    *moduleIndex
	parent *scope
	conn   map[*ir.Signal]*ir.Signal // port → the parent's signal
	below  map[*ir.Instance]*scope
	nets   map[*ir.Signal]*net
	mems   map[*ir.Mem]*memory
	clocks map[*ir.Domain]int // domain → that of the top: 0, or one more than its index
	box    *box               // of a black box
}

// net is one signal of one scope that has a value of its own: a top input, a
// driven signal, or a register.
type net struct {
	sig    *ir.Signal
	scope  *scope
	slot   int   // inputs, registers and outputs of black boxes: where the value lies
	cuts   []int // driven: boundaries of its segments, from 0 to the width
	segs   []segment
	single bool // every segment is one bit
}

type segment struct {
	node id
	mark uint8 // 0 untouched, 1 in progress, 2 done
}

// state reports whether the net takes its value at a clock edge.
func (n *net) state() bool { return n.sig.Kind == ir.Reg || n.sig.Kind == ir.SyncRead }

// held reports whether the net's present value lies in its slot.
func (n *net) held() bool { return !n.sig.Kind.Comb() || n.sig.Registered }

func (n *net) path() string { return n.scope.path + n.sig.Name }

func (n *net) reset() {
	n.segs = make([]segment, len(n.cuts)-1)
}

// split makes every bit a segment of its own.
func (n *net) split() {
	n.single = true
	n.cuts = n.cuts[:0]
	for i := range n.sig.Type.Width + 1 {
		n.cuts = append(n.cuts, i)
	}
}

// memory is one memory of one scope.
type memory struct {
	mem   *ir.Mem
	scope *scope
	slot  int // first word of element 0
	index int
}

func (m *memory) words() int { return m.mem.Elem.Words() }

// moduleIndex holds what all instances of a module share: which statements
// assign which signals.
type moduleIndex struct {
	mod    *ir.Module
	lists  map[*ir.Stmt]map[*ir.Signal][]touch // by the first statement of a list
	cuts   map[*ir.Signal][]int
	writes []*ir.MemWrite
}

// bitRange is the bits from lo up to, not including, hi.
type bitRange struct{ lo, hi int }

// touch is a statement of a list that assigns bits of a signal, itself or in one
// of its bodies.
type touch struct {
	at, body int
	bitRange
}

// assigned is the bits that an assignment may change.
func assigned(s *ir.Assign) bitRange {
	if s.Index != nil {
		return bitRange{0, s.Target.Type.Width}
	}
	return bitRange{s.Lo, s.Lo + s.Width}
}

// touches lists the statements that assign bits of a signal, in order.
func (x *moduleIndex) touches(list []ir.Stmt, sig *ir.Signal) []touch {
	if len(list) == 0 {
		return nil
	}
	return x.lists[&list[0]][sig]
}

func indexModule(m *ir.Module) *moduleIndex {
	x := &moduleIndex{mod: m, lists: map[*ir.Stmt]map[*ir.Signal][]touch{}, cuts: map[*ir.Signal][]int{}}
	x.scan(m.Body)
	for _, s := range m.Signals {
		c := append(x.cuts[s], 0, s.Type.Width)
		slices.Sort(c)
		x.cuts[s] = slices.Compact(c)
	}
	return x
}

// scan enters a list and those within it, and returns what they assign.
func (x *moduleIndex) scan(list []ir.Stmt) map[*ir.Signal][]touch {
	if len(list) == 0 {
		return nil
	}
	all := map[*ir.Signal][]touch{}
	x.lists[&list[0]] = all
	for i, s := range list {
		switch s := s.(type) {
		case *ir.Assign:
			b := assigned(s)
			x.cuts[s.Target] = append(x.cuts[s.Target], b.lo, b.hi)
			all[s.Target] = append(all[s.Target], touch{i, 0, b})
		case *ir.MemWrite:
			x.writes = append(x.writes, s)
		case *ir.If, *ir.Switch:
			for k, b := range ir.Bodies(s) {
				for sig, below := range x.scan(b) {
					for _, t := range below {
						if t.at, t.body = i, k; !slices.Contains(all[sig][since(all[sig], i, k):], t) {
							all[sig] = append(all[sig], t)
						}
					}
				}
			}
		}
	}
	return all
}

// since is where the touches of a body of statement at, the last one, start.
func since(ts []touch, at, body int) int {
	n := len(ts)
	for n > 0 && ts[n-1].at == at && ts[n-1].body == body {
		n--
	}
	return n
}

// hierarchy is the flattened design before lowering.
type hierarchy struct {
	nets   []*net // in the order of the description, parents before children
	mems   []*memory
	boxes  []*box
	checks []*property
	ghosts bool
	top    *scope
}

// flatten places the modules below top, with what exists for properties or without.
func flatten(top *ir.Module, ghosts bool) *hierarchy {
	h := &hierarchy{ghosts: ghosts}
	h.top = h.place(top, "", nil, nil, map[*ir.Module]*moduleIndex{})
	return h
}

func (h *hierarchy) place(m *ir.Module, path string, parent *scope, inst *ir.Instance, seen map[*ir.Module]*moduleIndex) *scope {
	x := seen[m]
	if x == nil {
		x = indexModule(m)
		seen[m] = x
	}
	s := &scope{
		path: path, mod: x, parent: parent,
		conn:   map[*ir.Signal]*ir.Signal{},
		below:  map[*ir.Instance]*scope{},
		nets:   map[*ir.Signal]*net{},
		mems:   map[*ir.Mem]*memory{},
		clocks: map[*ir.Domain]int{nil: 0},
	}
	for k, d := range m.Domains {
		s.clocks[d] = k + 1
	}
	if inst != nil {
		s.clocks[nil] = parent.clocks[inst.Domain]
		for k, d := range m.Domains {
			s.clocks[d] = parent.clocks[inst.Domains[k]]
		}
		for _, c := range inst.Conns {
			s.conn[c.Port] = c
		}
	}
	for _, sig := range m.Signals {
		if sig.Ghost && !h.ghosts {
			continue
		}
		if sig.Kind.Driven() || sig.Kind == ir.SyncRead || sig.Kind == ir.Input && parent == nil {
			n := &net{sig: sig, scope: s, cuts: slices.Clone(x.cuts[sig])}
			s.nets[sig] = n
			h.nets = append(h.nets, n)
		}
	}
	if m.Extern != nil {
		s.box = newBox(s, len(h.boxes))
		h.boxes = append(h.boxes, s.box)
	}
	if h.ghosts {
		for _, p := range m.Properties {
			h.checks = append(h.checks, &property{decl: p, scope: s})
		}
	}
	for _, mem := range m.Mems {
		mm := &memory{mem: mem, scope: s, index: len(h.mems)}
		s.mems[mem] = mm
		h.mems = append(h.mems, mm)
	}
	for _, i := range m.Instances {
		s.below[i] = h.place(i.Of, path+i.Name+".", s, i, seen)
	}
	return s
}

// resolve finds the net that gives a signal of a scope its value.
func (s *scope) resolve(sig *ir.Signal) *net {
	for {
		switch {
		case sig.Kind == ir.Input && s.parent != nil:
			s, sig = s.parent, s.conn[sig]
		case sig.Kind == ir.InstOut:
			s, sig = s.below[sig.Inst], sig.Port
		default:
			return s.nets[sig]
		}
	}
}
