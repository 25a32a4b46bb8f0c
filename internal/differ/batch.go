package differ

import (
	"fmt"

	"github.com/millrace-hdl/millrace/hdl/ir"
	"github.com/millrace-hdl/millrace/hdl/sim"
)

// Batch is cases as the instances of one module.
type Batch struct {
	Cases  []*Case
	Design *ir.Design // the module around the cases
	keys   []domainKey
	layout *sim.Layout
	places []place
}

// place is where the ports of a case lie in those of the batch.
type place struct{ in, out []stretch }

// stretch is a port's words: in the arrays of the case and in those of the batch.
type stretch struct{ of, batch, words int }

// NewBatch puts cases together. It renames their modules, so that each name is there
// once.
func NewBatch(cases []*Case) *Batch {
	b := &Batch{Cases: cases, keys: []domainKey{{}}}
	top := &ir.Module{Name: "batch", Doc: "Designs side by side."}
	d := &ir.Design{Top: top}
	domains := map[domainKey]*ir.Domain{{}: nil}
	boxes := map[string]*ir.Module{}
	for n, c := range cases {
		swap := map[*ir.Module]*ir.Module{}
		for _, m := range c.Design.Modules {
			if m.Extern != nil {
				if boxes[m.Name] == nil {
					boxes[m.Name] = m
					d.Modules = append(d.Modules, m)
				}
				swap[m] = boxes[m.Name]
				continue
			}
			for _, i := range m.Instances {
				if o := swap[i.Of]; o != nil {
					i.Of = o
					for k, p := range o.Ports() {
						i.Conns[k].Port = p
					}
				}
			}
			m.Name = fmt.Sprintf("d%d_%s", n, trimDesign(m.Name))
			d.Modules = append(d.Modules, m)
		}
		b.instance(top, fmt.Sprintf("d%d", n), c.Design.Top, domains)
	}
	d.Modules = append(d.Modules, top)
	b.Design = d
	b.layout = sim.NewLayout(d)
	for n, c := range cases {
		own := sim.NewLayout(c.Design)
		var p place
		find := func(q sim.Port) stretch {
			o, err := b.layout.Port(fmt.Sprintf("d%d_%s", n, q.Name))
			if err != nil {
				panic(err) // the ports were made of these
			}
			return stretch{q.Offset, o.Offset, q.Words()}
		}
		for _, q := range own.Inputs {
			p.in = append(p.in, find(q))
		}
		for _, q := range own.Outputs {
			p.out = append(p.out, find(q))
		}
		b.places = append(b.places, p)
	}
	return b
}

// trimDesign removes the prefix that an earlier batch put before a module's name.
func trimDesign(name string) string {
	var n int
	var rest string
	if _, err := fmt.Sscanf(name, "d%d_%s", &n, &rest); err == nil {
		return rest
	}
	return name
}

// instance places a design's top and takes all its ports outside.
func (b *Batch) instance(top *ir.Module, name string, of *ir.Module, domains map[domainKey]*ir.Domain) {
	i := &ir.Instance{Name: "i_" + name, Of: of}
	for _, k := range domainKeys(of)[1:] {
		d, ok := domains[k]
		if !ok {
			n := k.name()
			d = &ir.Domain{Name: n, Clock: n + "_clk", Reset: n + "_rst", Falling: k.falling, Style: k.style}
			domains[k] = d
			b.keys = append(b.keys, k)
			top.Domains = append(top.Domains, d)
		}
		i.Domains = append(i.Domains, d)
	}
	top.Instances = append(top.Instances, i)
	for _, p := range of.Ports() {
		kind, conn := ir.InstIn, ir.Input
		if p.Kind == ir.Output {
			kind, conn = ir.InstOut, ir.Output
		}
		inner := &ir.Signal{Name: i.Name + "_" + p.Name, Kind: kind, Type: p.Type, Inst: i, Port: p, Module: top}
		outer := &ir.Signal{Name: name + "_" + p.Name, Kind: conn, Type: p.Type, Module: top, Async: p.Async}
		if !p.Async {
			outer.Domain = i.Outer(p.Domain)
		}
		i.Conns = append(i.Conns, inner)
		top.Signals = append(top.Signals, inner, outer)
		from, to := outer, inner
		if p.Kind == ir.Output {
			from, to = inner, outer
		}
		top.Body = append(top.Body, &ir.Assign{Target: to, Width: p.Type.Width, Value: &ir.Ref{Signal: from}})
	}
}

// cycles is how many cycles the longest case has.
func (b *Batch) cycles() int {
	n := 0
	for _, c := range b.Cases {
		n = max(n, len(c.Cycles))
	}
	return n
}

// ticks is which domains of the batch have an edge in a cycle.
func (b *Batch) ticks(cycle int) uint64 {
	var mask uint64
	for i, k := range b.keys {
		if ticks(cycle, k) {
			mask |= 1 << i
		}
	}
	return mask
}

// reset reports whether a cycle of the batch is one of reset, which it is for all.
func (b *Batch) reset(cycle int) bool {
	for _, c := range b.Cases {
		if cycle < len(c.Cycles) {
			return c.Cycles[cycle].Reset
		}
	}
	return false
}

// load writes the inputs of a cycle into the words of the batch.
func (b *Batch) load(cycle int, in []uint64) {
	for n, c := range b.Cases {
		if cycle >= len(c.Cycles) {
			continue
		}
		for _, s := range b.places[n].in {
			copy(in[s.batch:][:s.words], c.Cycles[cycle].In[s.of:])
		}
	}
}

// store appends what the outputs of the batch are to the traces of its cases.
func (b *Batch) store(cycle int, out []uint64, to []Trace) {
	for n, c := range b.Cases {
		if cycle >= len(c.Cycles) {
			continue
		}
		var words []uint64
		for _, s := range b.places[n].out {
			words = append(words, out[s.batch:][:s.words]...)
		}
		to[n].Out = append(to[n].Out, words)
	}
}
