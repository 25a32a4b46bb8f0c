package regs

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/millrace-hdl/millrace/hdl"
)

// FileParams name the map of a [File].
type FileParams struct{ m *Map }

// Validate is that of the map.
func (p FileParams) Validate() error { return p.m.Validate() }

// Suffix names the variant.
func (p FileParams) Suffix() string { return p.m.Name }

// FileIO is the interface of a [File]. [Registers] finds its parts by their names.
type FileIO struct {
	Bus Bus `hdl:"in"`
	// Words are the registers in the order of the map, arrays element by element, without
	// those that are not present.
	Words []WordIO
}

// WordIO is what hardware has to do with a register.
type WordIO struct {
	Fields                []FieldIO // in the order of the map
	WasRead, WasWritten   []hdl.Var `hdl:"opt"`    // with OnRead, OnWrite: now
	ReadAsked, WriteAsked []hdl.Var `hdl:"opt"`    // with StallRead, StallWrite: offered now, whether or not it is held up
	ReadReady, WriteReady []hdl.Var `hdl:"in,opt"` // with StallRead, StallWrite: zero holds the access up
}

// FieldIO is what hardware has to do with a field.
type FieldIO struct {
	Value []hdl.Var `hdl:"opt"`    // what hardware reads
	Next  []hdl.Var `hdl:"in,opt"` // what hardware gives: the value, or for W1C and RC the bits to set
	Load  []hdl.Var `hdl:"in,opt"` // RW: takes Next, but for bytes that software writes in this cycle
}

// File is the register file of a map, a module. Reads and writes take one cycle each,
// reads are combinational, what software writes is there in the next cycle. Of two at
// once, software's write comes after the hardware's value, and a bit that hardware sets
// is not lost to one that software clears. Ports are called as register, number of the
// element and field, with _in for what hardware gives, _load, and of registers _read,
// _written, _read_asked, _write_asked, _read_ready and _write_ready.
func File(m *hdl.Module, p FileParams) FileIO {
	m.Doc(fmt.Sprintf("Registers of %s.\n%s", p.m.Name, p.m.Doc))
	f := &file{Module: m, mp: p.m, bus: hdl.Ports(m, "bus", hdl.Sink, NewBus(p.m.Widths()), hdl.MayBeUnused())}
	for i := range p.m.Registers {
		r := &p.m.Registers[i]
		for k := range r.present() {
			f.words = append(f.words, f.declare(r, k))
		}
	}
	io := FileIO{Bus: f.bus}
	for _, w := range f.words {
		io.Words = append(io.Words, w.io)
	}
	f.index = m.Let("index", f.bus.Addr.Bits(p.m.AddrWidth-1, p.m.wordBits()), hdl.Doc("Number of the word."))
	f.answer()
	f.act()
	return io
}

// file is a register file under construction.
type file struct {
	*hdl.Module
	mp    *Map
	bus   Bus
	index hdl.Signal
	words []*word
}

// word is a register of the hardware.
type word struct {
	r    *Register
	at   int       // number of the word
	keep []hdl.Var // registers of the fields, unbound where they have none
	io   WordIO
}

func (f *file) declare(r *Register, element int) *word {
	w := &word{r: r, at: int(f.mp.offset(r, element) / f.mp.bytes()), keep: make([]hdl.Var, len(r.Fields)), io: wordPorts(f.Module, r, element)}
	for i := range r.Fields {
		d := &r.Fields[i]
		if d.stored() {
			w.keep[i] = f.Reg(portName(r, element, d.Name)+"_q", hdl.U(d.width()), hdl.InitTo(hdl.Const(d.width(), d.Reset)))
			if d.seen() {
				w.io.Fields[i].Value[0].Set(w.keep[i])
			}
		}
	}
	for _, strobe := range slices.Concat(w.io.WasRead, w.io.WasWritten, w.io.ReadAsked, w.io.WriteAsked) {
		strobe.Set(hdl.K(0))
	}
	return w
}

// answer is what the bus gets back.
func (f *file) answer() {
	f.bus.Ready.Set(hdl.K(1))
	f.bus.RData.Set(hdl.K(0))
	sw := f.Switch(f.index)
	for _, w := range f.words {
		sw.Case(hdl.K(w.at), func() {
			if w.r.readable() {
				f.bus.RData.Set(f.read(w))
			}
			switch readReady, writeReady := w.io.ReadReady, w.io.WriteReady; {
			case len(readReady) > 0 && len(writeReady) > 0:
				f.bus.Ready.Set(hdl.Mux(f.bus.Write, writeReady[0], readReady[0]))
			case len(readReady) > 0:
				f.bus.Ready.Set(f.bus.Write.Or(readReady[0]))
			case len(writeReady) > 0:
				f.bus.Ready.Set(f.bus.Write.Not().Or(writeReady[0]))
			}
		})
	}
	f.bus.Err.Set(hdl.K(1))
	f.Switch(f.index).CaseIn(f.places(), func() { f.bus.Err.Set(hdl.K(0)) })
}

// places are the words of the map, also those that the hardware does not have.
func (f *file) places() (at []hdl.Value) {
	for i := range f.mp.Registers {
		r := &f.mp.Registers[i]
		for k := range r.elements() {
			at = append(at, hdl.K(int(f.mp.offset(r, k)/f.mp.bytes())))
		}
	}
	return at
}

// read is what a word reads as.
func (f *file) read(w *word) hdl.Signal {
	order := make([]int, len(w.r.Fields))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(w.r.Fields[b].Hi, w.r.Fields[a].Hi) })
	var parts []hdl.Value
	top := f.mp.DataWidth // bits above are there already
	gap := func(hi int) {
		if n := top - 1 - hi; n > 0 {
			parts = append(parts, hdl.Const(n, 0))
		}
	}
	for _, i := range order {
		d := &w.r.Fields[i]
		gap(d.Hi)
		top = d.Lo
		switch {
		case !d.readable():
			parts = append(parts, hdl.Const(d.width(), 0))
		case d.stored():
			parts = append(parts, w.keep[i])
		case d.given():
			parts = append(parts, w.io.Fields[i].Next[0])
		default:
			parts = append(parts, hdl.Const(d.width(), d.Reset))
		}
	}
	gap(-1)
	return hdl.Cat(parts...)
}

// act is what happens to the registers: first what hardware does, then the access.
func (f *file) act() {
	for _, w := range f.words {
		for i := range w.r.Fields {
			d, io := &w.r.Fields[i], w.io.Fields[i]
			switch {
			case d.Access == Pulse:
				io.Value[0].Set(hdl.K(0))
			case d.Access == W1C || d.Access == RC:
				w.keep[i].Set(w.keep[i].Or(io.Next[0]))
			case d.Access == RW && d.given():
				f.If(io.Load[0], func() { w.keep[i].Set(io.Next[0]) })
			}
		}
	}
	if es := f.those(f.afterWrite); len(es) > 0 {
		f.If(f.Let("writes", f.bus.Valid.And(f.bus.Write)), func() { f.cases(es) })
	}
	if es := f.those(f.afterRead); len(es) > 0 {
		f.If(f.Let("reads", f.bus.Valid.AndNot(f.bus.Write.Signal)), func() { f.cases(es) })
	}
}

// effect is what an access does to a word.
type effect struct {
	at int
	do func()
}

func (f *file) those(of func(w *word) func()) (es []effect) {
	for _, w := range f.words {
		if do := of(w); do != nil {
			es = append(es, effect{w.at, do})
		}
	}
	return es
}

func (f *file) cases(es []effect) {
	sw := f.Switch(f.index)
	for _, e := range es {
		sw.Case(hdl.K(e.at), e.do)
	}
}

// unless runs the body where nothing holds the access up.
func (f *file) unless(ready []hdl.Var, body func()) {
	if len(ready) == 0 {
		body()
		return
	}
	f.If(ready[0], body)
}

// afterRead is what a read does to a word, nil for nothing.
func (f *file) afterRead(w *word) func() {
	if !w.r.OnRead && !w.r.StallRead && !w.r.has(func(d *Field) bool { return d.Access == RC }) {
		return nil
	}
	return func() {
		if w.r.StallRead {
			w.io.ReadAsked[0].Set(hdl.K(1))
		}
		f.unless(w.io.ReadReady, func() {
			if w.r.OnRead {
				w.io.WasRead[0].Set(hdl.K(1))
			}
			for i, d := range w.r.Fields {
				if d.Access == RC {
					w.keep[i].Set(w.io.Fields[i].Next[0])
				}
			}
		})
	}
}

// afterWrite is what a write does to a word, nil for nothing.
func (f *file) afterWrite(w *word) func() {
	if !w.r.writable() {
		return nil
	}
	return func() {
		if w.r.StallWrite {
			w.io.WriteAsked[0].Set(hdl.K(1))
		}
		f.unless(w.io.WriteReady, func() {
			if w.r.OnWrite {
				w.io.WasWritten[0].Set(f.bus.Strb.Any())
			}
			for lane := range f.mp.DataWidth / 8 {
				f.writeLane(w, lane)
			}
		})
	}
}

// writeLane writes a byte into the fields that have a part of it.
func (f *file) writeLane(w *word, lane int) {
	part := func(d *Field) (hi, lo int) { return min(d.Hi, 8*lane+7), max(d.Lo, 8*lane) }
	touches := func(d *Field) bool { hi, lo := part(d); return d.writable() && hi >= lo }
	if !w.r.has(touches) {
		return
	}
	f.If(f.bus.Strb.Bit(lane), func() {
		for i := range w.r.Fields {
			d := &w.r.Fields[i]
			if !touches(d) {
				continue
			}
			hi, lo := part(d)
			target, io, data := w.keep[i], w.io.Fields[i], f.bus.WData.Bits(hi, lo)
			if d.Access == Pulse {
				target = io.Value[0]
			}
			bits := func(v hdl.Var) hdl.Signal { return v.Bits(hi-d.Lo, lo-d.Lo) }
			if d.Access == W1C {
				data = bits(target).AndNot(data).Or(bits(io.Next[0]))
			}
			if hi-lo+1 == d.width() {
				target.Set(data)
			} else {
				target.Part(lo-d.Lo, hi-lo+1).Set(data)
			}
		}
	})
}
