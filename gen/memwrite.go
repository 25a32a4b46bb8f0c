package gen

import (
	"slices"

	"github.com/millrace-hdl/millrace/hdl/ir"
)

// writePort is one write port of a memory in the emission: one statement, or several
// of which at most one runs, in which case they share the port.
type writePort struct {
	domain *ir.Domain
	writes []*ir.MemWrite
	paths  [][]step
	// What it writes, and whether, once that is visible outside its conditions.
	visible *ir.MemWrite
	enable  ir.Expr
}

// step is a choice on the way to a statement.
type step struct {
	stmt ir.Stmt
	arm  int
}

// exclude reports whether two statements stand in different branches of one.
func exclude(a, b []step) bool {
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			return a[i].stmt == b[i].stmt
		}
	}
	return false
}

// writePorts sorts the write statements of a memory into ports. A statement joins
// the first port with all of whose statements it cannot run together, if reads treat
// them alike. So of two statements of different ports that can run together the
// later one is of the later port, which is the one that wins.
func (u *unit) writePorts(mem *ir.Mem) []*writePort {
	var ports []*writePort
	var visit func(list []ir.Stmt, path []step)
	visit = func(list []ir.Stmt, path []step) {
		for _, s := range list {
			for i, b := range ir.Bodies(s) {
				visit(b, append(path[:len(path):len(path)], step{s, i}))
			}
			w, ok := s.(*ir.MemWrite)
			if !ok || w.Mem != mem {
				continue
			}
			i := slices.IndexFunc(ports, func(p *writePort) bool { return u.mayJoin(p, w, path) })
			if i < 0 {
				i = len(ports)
				ports = append(ports, &writePort{domain: w.Domain})
			}
			ports[i].writes = append(ports[i].writes, w)
			ports[i].paths = append(ports[i].paths, path)
		}
	}
	visit(u.body, nil)
	return ports
}

func (u *unit) mayJoin(p *writePort, w *ir.MemWrite, path []step) bool {
	if p.domain != w.Domain {
		return false
	}
	for _, r := range u.reads[w.Mem] {
		if r.During[u.port[w]] != r.During[u.port[p.writes[0]]] {
			return false
		}
	}
	for _, other := range p.paths {
		if !exclude(other, path) {
			return false
		}
	}
	return true
}

// mergePorts makes one statement of each port that has several, at the end of the
// body; what comes after such a port in its domain moves behind it.
func (u *unit) mergePorts(mem *ir.Mem, ports []*writePort) {
	moves := map[*ir.Domain]bool{}
	for _, p := range ports {
		if len(p.writes) > 1 {
			moves[p.domain] = true
		}
		if moves[p.domain] {
			u.movePort(mem, p)
		}
	}
}

// movePort lets the statements of a port set wires, and writes what those say.
func (u *unit) movePort(mem *ir.Mem, p *writePort) {
	pos := p.writes[0].Pos
	lanes := 1
	for _, w := range p.writes {
		lanes = lcm(lanes, laneCount(w))
	}
	we := u.control(mem.Name+"_write", ir.Type{Width: 1}, pos)
	addr := u.control(mem.Name+"_addr", ir.Type{Width: mem.AddrWidth()}, pos)
	data := u.control(mem.Name+"_data", mem.Elem, pos)
	one := &ir.MemWrite{Mem: mem, Addr: ref(addr), Data: ref(data), Domain: p.domain, Pos: pos}
	var mask *ir.Signal
	if lanes > 1 {
		mask = u.control(mem.Name+"_mask", ir.Type{Width: lanes}, pos)
		one.Mask = ref(mask)
	}
	u.replaceWrites(p, func(w *ir.MemWrite) []ir.Stmt {
		list := []ir.Stmt{whole(we, truth(true, w.Pos), w.Pos), whole(addr, w.Addr, w.Pos), whole(data, w.Data, w.Pos)}
		if lanes > 1 {
			list = append(list, whole(mask, spread(w, lanes), w.Pos))
		} else if w.Mask != nil { // of one bit
			list[0] = whole(we, cast(w.Mask, false, w.Pos), w.Pos)
		}
		return list
	})
	u.body = append(u.body, &ir.If{Arms: []ir.Arm{{Cond: ref(we), Body: []ir.Stmt{one}, Pos: pos}}, Pos: pos})
	p.visible, p.enable = one, ref(we)
}

// show makes what a port writes visible outside its conditions.
func (u *unit) show(p *writePort) {
	if p.visible != nil {
		return
	}
	w := p.writes[0]
	p.visible, p.enable = w, truth(true, w.Pos)
	if len(p.paths[0]) > 0 {
		we := u.control(w.Mem.Name+"_write", ir.Type{Width: 1}, w.Pos)
		u.replaceWrites(p, func(w *ir.MemWrite) []ir.Stmt { return []ir.Stmt{whole(we, truth(true, w.Pos), w.Pos), w} })
		p.enable = ref(we)
	}
}

// replaceWrites replaces the statements of a port.
func (u *unit) replaceWrites(p *writePort, f func(*ir.MemWrite) []ir.Stmt) {
	u.body = mapList(u.body, func(s ir.Stmt) []ir.Stmt {
		if w, ok := s.(*ir.MemWrite); ok && slices.Contains(p.writes, w) {
			return f(w)
		}
		return []ir.Stmt{s}
	})
}

// spread is the mask of a write in the given number of lanes.
func spread(w *ir.MemWrite, lanes int) ir.Expr {
	n := laneCount(w)
	c := &ir.Cat{Pos: w.Pos}
	for i := n - 1; i >= 0; i-- {
		var bit ir.Expr = truth(true, w.Pos)
		if w.Mask != nil {
			bit = slice(w.Mask, i, 1, w.Pos)
		}
		for range lanes / n {
			c.Parts = append(c.Parts, bit)
		}
	}
	return foldCat(c)
}

func laneCount(w *ir.MemWrite) int {
	if w.Mask == nil {
		return 1
	}
	return w.Mask.Type().Width
}

func lcm(a, b int) int {
	x, y := a, b
	for y != 0 {
		x, y = y, x%y
	}
	return a / x * b
}
