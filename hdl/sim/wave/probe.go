package wave

import "github.com/millrace-hdl/millrace/hdl/sim"

// probe collects the values of signals of an engine in one cycle, side by side in one
// array of words.
type probe struct {
	e        sim.Engine
	top      string
	signals  []probed
	words    int
	stateful sim.Stateful  // nil if the engine is not
	mems     sim.MemReader // nil if the engine is not
	state    int           // offset of its registers, if any are shown
	inState  bool
	read     []probed // to be read one by one
}

type probed struct {
	Signal
	offset int
}

func newProbe(top string, e sim.Engine, signals []Signal) *probe {
	p := &probe{e: e, top: top}
	l := e.Layout()
	p.words = l.InWords + l.OutWords
	p.mems, _ = e.(sim.MemReader)
	if s, ok := e.(sim.Stateful); ok {
		p.stateful, p.state = s, p.words
		for _, s := range signals {
			p.inState = p.inState || s.source == fromVar && s.State
		}
		if p.inState {
			p.words += len(s.State())
		}
	}
	for _, s := range signals {
		at := p.words
		switch {
		case s.source == fromPort && s.port.Input:
			at = s.port.Offset
		case s.source == fromPort:
			at = l.InWords + s.port.Offset
		case s.source == fromVar && s.State && p.stateful != nil:
			at = p.state + p.stateful.StateOffset(s.v)
		default:
			p.words += s.Type.Words()
			p.read = append(p.read, probed{s, at})
		}
		p.signals = append(p.signals, probed{s, at})
	}
	return p
}

// collect copies the present values into dst.
func (p *probe) collect(dst []uint64) {
	n := copy(dst, p.e.In())
	copy(dst[n:], p.e.Out())
	if p.inState {
		copy(dst[p.state:], p.stateful.State())
	}
	for _, s := range p.read {
		w := dst[s.offset:][:s.Type.Words()]
		if s.source == fromMem {
			p.mems.ReadMem(s.mem, s.index, w)
		} else {
			p.e.Read(s.v, w)
		}
	}
}

// value is a signal's part of a sample.
func (s probed) value(sample []uint64) []uint64 { return sample[s.offset:][:s.Type.Words()] }
