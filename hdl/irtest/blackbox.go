package irtest

import "github.com/millrace-hdl/millrace/hdl/ir"

// call evaluates a black box and reports whether a port changed.
func (p *place) call() bool {
	changed := false
	p.inputs = nil
	var out [][]uint64
	for _, s := range p.mod.Ports() {
		if s.Kind == ir.Output {
			out = append(out, Words(p.value[s], s.Type.Width))
			continue
		}
		if p.parent != nil {
			v := p.parent.value[p.conns[s]]
			changed = changed || v.Cmp(p.value[s]) != 0
			p.value[s] = v
		}
		p.inputs = append(p.inputs, Words(p.value[s], s.Type.Width))
	}
	p.box.Eval(p.inputs, out)
	for _, s := range p.mod.Ports() {
		if s.Kind == ir.Output {
			v := bits(Value(out[0]), s.Type.Width)
			changed = changed || v.Cmp(p.value[s]) != 0
			p.value[s], out = v, out[1:]
		}
	}
	return changed
}

func (p *place) edgeBox(ticks func(*ir.Domain) bool) {
	for _, d := range p.mod.Domains {
		if p.box != nil && ticks(d) {
			p.box.Edge(d, p.inputs)
		}
	}
}

func (p *place) resetBox(ticks func(*ir.Domain) bool) {
	for _, d := range p.mod.Domains {
		if p.box != nil && ticks(d) && d.Reset != "" {
			p.box.Reset(d)
		}
	}
}
