package wave

import (
	"fmt"
	"io"
	"math/bits"
	"slices"
	"strconv"

	"github.com/millrace-hdl/millrace/hdl/ir"
	"github.com/millrace-hdl/millrace/hdl/sim"
)

// VCD writes waves as a value change dump. A cycle takes 10 ns. Its values hold from
// its beginning on; the edge that ends it samples them, and shows as the active edge
// of the clocks that have it, where the next cycle begins. Clocks and resets are in
// the top's scope, as the design names them; a reset is shown as active where its
// declaration says so, and otherwise high. Values of enumerations are numbers: their
// names are in comments of the header and in the views of [File].
//
// The file can be read at any time: whole cycles are written, every 64 KiB or 1024
// cycles at the latest. The first error of the writer sticks: all later calls return
// it.
type VCD struct {
	probe *probe
	enc   *encoder
	now   []uint64
}

// NewVCD writes signals of the engine to w, nil for [All]. The design appears under
// the name top.
func NewVCD(w io.Writer, top string, e sim.Engine, signals []Signal) *VCD {
	if signals == nil {
		signals = All(e)
	}
	p := newProbe(top, e, signals)
	return &VCD{probe: p, enc: newEncoder(w, p), now: make([]uint64, p.words)}
}

// Sample implements [Tracer].
func (v *VCD) Sample(next Edge) error {
	v.probe.collect(v.now)
	v.enc.cycle(v.probe.e.Cycle(), next, v.now)
	return v.enc.err
}

// Close ends the last cycle and writes what is buffered. The writer stays open.
func (v *VCD) Close() error { return v.enc.close() }

const (
	period      = 10 // ns
	flushBytes  = 1 << 16
	flushCycles = 1024
)

// encoder writes the file from samples, wherever they come from: one sample of each
// probe a cycle.
type encoder struct {
	w       io.Writer
	err     error
	started bool
	end     uint64 // time at which the last cycle ends
	edges   uint64 // domains that have an edge then
	clocks  []clock
	tops    []*branch
	vars    []variable
	last    []uint64
	text    []byte
	waiting int // cycles in text
	inReset bool
}

// variable is a signal of the file.
type variable struct {
	probed
	name string // in its scope
	id   string
}

// clock is a domain's clock and reset. The reset has no id if there is none.
type clock struct {
	name, reset, id, resetID string
	falling, low             bool
}

func newEncoder(w io.Writer, probes ...*probe) *encoder {
	e := &encoder{w: w}
	n := 0
	next := func() string { n++; return code(n - 1) }
	for _, d := range probes[0].e.Layout().Clocks {
		c := clock{name: d.Clock, reset: d.Reset, id: next(), falling: d.Falling, low: d.Style == ir.SyncLow || d.Style == ir.AsyncLow}
		if c.reset != "" {
			c.resetID = next()
		}
		e.clocks = append(e.clocks, c)
	}
	words := 0
	e.tops = make([]*branch, len(probes))
	for i, p := range probes {
		e.tops[i] = &branch{name: p.top}
		for _, s := range p.signals {
			s.offset += words
			v := variable{s, "", next()}
			v.name = e.tops[i].add(s.Path, v)
			e.vars = append(e.vars, v)
		}
		words += p.words
	}
	e.header()
	e.last = make([]uint64, words)
	return e
}

// code is the n-th identifier: printable characters, shortest first.
func code(n int) string {
	s := []byte{byte('!' + n%94)}
	for n = n/94 - 1; n >= 0; n = n/94 - 1 {
		s = append(s, byte('!'+n%94))
	}
	return string(s)
}

func (e *encoder) printf(format string, args ...any) { e.text = fmt.Appendf(e.text, format, args...) }

func (e *encoder) fail(err error) {
	if err != nil && e.err == nil {
		e.err = fmt.Errorf("writing waves: %w", err)
	}
}

func (e *encoder) flush() {
	if e.err == nil {
		_, err := e.w.Write(e.text)
		e.fail(err)
	}
	e.text, e.waiting = e.text[:0], 0
}

func (e *encoder) stamp(t uint64) {
	e.text = append(strconv.AppendUint(append(e.text, '#'), t, 10), '\n')
}

func (e *encoder) scalar(one bool, id string) {
	v := byte('0')
	if one {
		v = '1'
	}
	e.text = append(append(append(e.text, v), id...), '\n')
}

// cycle writes the changes of one cycle and ends with the middle of it, where the
// clocks go back.
func (e *encoder) cycle(n uint64, next Edge, now []uint64) {
	start := n * period
	if e.err == nil && e.started && start < e.end {
		e.fail(fmt.Errorf("cycle %d is sampled after a later one", n))
	}
	if e.err != nil {
		return
	}
	if !e.started {
		e.edges = 1<<len(e.clocks) - 1 // the first cycle begins like any other
	}
	e.stamp(start)
	if !e.started {
		e.printf("$dumpvars\n")
	}
	for i, c := range e.clocks {
		if e.edges>>i&1 == 1 {
			e.scalar(!c.falling, c.id)
		}
		if c.resetID != "" && (!e.started || next.Reset != e.inReset) {
			e.scalar(next.Reset != c.low, c.resetID)
		}
	}
	for i := range e.vars {
		v := &e.vars[i]
		x := v.value(now)
		if !e.started || !slices.Equal(x, v.value(e.last)) {
			e.change(v, x)
		}
	}
	if !e.started {
		e.printf("$end\n")
	}
	if e.edges != 0 {
		e.stamp(start + period/2)
		for i, c := range e.clocks {
			if e.edges>>i&1 == 1 {
				e.scalar(c.falling, c.id)
			}
		}
	}
	copy(e.last, now)
	first := !e.started
	e.started, e.inReset, e.end, e.edges = true, next.Reset, start+period, next.Domains
	if e.waiting++; first || e.waiting >= flushCycles || len(e.text) >= flushBytes {
		e.flush()
	}
}

// change writes the new value of a variable.
func (e *encoder) change(v *variable, x []uint64) {
	if v.Type.Width == 1 {
		e.scalar(x[0]&1 == 1, v.id)
		return
	}
	b := append(e.text, 'b')
	for i := max(length(x), 1) - 1; i >= 0; i-- {
		b = append(b, '0'+byte(x[i/64]>>(i%64)&1))
	}
	e.text = append(append(append(b, ' '), v.id...), '\n')
}

// length is the number of bits up to the highest one.
func length(x []uint64) int {
	for i := len(x) - 1; i >= 0; i-- {
		if x[i] != 0 {
			return i*64 + bits.Len64(x[i])
		}
	}
	return 0
}

// close ends the last cycle with its edges. A file without any sample has its header.
func (e *encoder) close() error {
	if e.started {
		e.stamp(e.end)
		for i, c := range e.clocks {
			if e.edges>>i&1 == 1 {
				e.scalar(!c.falling, c.id)
			}
		}
		e.started = false
	}
	e.flush()
	return e.err
}
