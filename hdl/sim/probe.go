package sim

import "github.com/millrace-hdl/millrace/hdl/ir"

// probe collects what a wave shows of an engine in one cycle: ports and
// variables, side by side in one array of words.
type probe struct {
	e        Engine
	top      string
	signals  []probed
	words    int
	stateful Stateful // nil if the engine is not
	state    int      // offset of its registers
	read     []Var    // variables to be read one by one
	at       []int    // their offsets
}

type probed struct {
	path   string // below the top
	typ    ir.Type
	state  bool
	offset int
}

// newProbe shows the ports and the given variables of an engine; nil means all.
func newProbe(top string, e Engine, vars []Var) *probe {
	p := &probe{e: e, top: top}
	l := e.Layout()
	for _, q := range l.Inputs {
		p.signals = append(p.signals, probed{q.Name, q.Type, false, q.Offset})
	}
	for _, q := range l.Outputs {
		p.signals = append(p.signals, probed{q.Name, q.Type, false, l.InWords + q.Offset})
	}
	p.words = l.InWords + l.OutWords
	if s, ok := e.(Stateful); ok {
		p.stateful, p.state = s, p.words
		p.words += len(s.State())
	}
	if vars == nil {
		vars = e.Vars()
	}
	for _, v := range vars {
		if v.State && p.stateful != nil {
			p.signals = append(p.signals, probed{v.Path, v.Type, true, p.state + p.stateful.StateOffset(v)})
			continue
		}
		p.signals = append(p.signals, probed{v.Path, v.Type, v.State, p.words})
		p.read, p.at = append(p.read, v), append(p.at, p.words)
		p.words += v.Type.Words()
	}
	return p
}

// collect copies the present values into dst.
func (p *probe) collect(dst []uint64) {
	n := copy(dst, p.e.In())
	copy(dst[n:], p.e.Out())
	if p.stateful != nil {
		copy(dst[p.state:], p.stateful.State())
	}
	for i, v := range p.read {
		p.e.Read(v, dst[p.at[i]:])
	}
}
