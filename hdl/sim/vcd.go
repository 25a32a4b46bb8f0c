package sim

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/millrace-hdl/millrace/hdl/ir"
)

// VCD writes the waves of an engine as a value change dump. A cycle takes 10 ns:
// the clock rises when it begins, its values hold until the next one, and the
// edge that ends it samples them. An enumerated signal appears twice: as bits,
// and as a string variable with _name added, which viewers show as text.
//
// Sampling changes nothing in the engine. The first error of the writer sticks:
// all later calls return it.
type VCD struct {
	probe *probe
	enc   *encoder
	now   []uint64
}

// NewVCD writes to w the ports of the engine and the given variables of its
// Vars; nil means all. The design appears under the name top.
func NewVCD(w io.Writer, top string, e Engine, vars []Var) *VCD {
	p := newProbe(top, e, vars)
	return &VCD{probe: p, enc: newEncoder(w, p), now: make([]uint64, p.words)}
}

// Sample implements [Tracer].
func (v *VCD) Sample(reset bool) error {
	v.probe.collect(v.now)
	v.enc.cycle(v.probe.e.Cycle(), reset, v.now)
	return v.enc.err
}

// Close ends the last cycle and writes what is buffered. The writer stays open.
func (v *VCD) Close() error { return v.enc.close() }

const period = 10 // ns

// encoder writes the file from samples, wherever they come from: one sample of
// each probe a cycle.
type encoder struct {
	w       *bufio.Writer
	err     error
	started bool
	end     uint64 // time at which the last cycle ends
	vars    []wave
	last    []uint64
	text    []byte
	clk     string
	rst     string
	inReset bool
}

// wave is one variable of the file.
type wave struct {
	probed
	id, nameID string // nameID of the string variable, "" without enumeration
}

func newEncoder(w io.Writer, probes ...*probe) *encoder {
	e := &encoder{w: bufio.NewWriterSize(w, 1<<16)}
	n := 0
	next := func() string { n++; return code(n - 1) }
	e.clk, e.rst = next(), next()
	e.printf("$version millrace $end\n$timescale 1ns $end\n")
	e.printf("$var wire 1 %s clk $end\n$var wire 1 %s rst $end\n", e.clk, e.rst)
	words := 0
	for _, p := range probes {
		root := &branch{name: p.top}
		for _, s := range p.signals {
			s.offset += words
			v := wave{probed: s, id: next()}
			if s.typ.Enum != nil {
				v.nameID = next()
			}
			e.vars = append(e.vars, v)
			root.add(strings.Split(s.path, "."), v)
		}
		e.scope(root)
		words += p.words
	}
	e.printf("$enddefinitions $end\n")
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

// branch is a scope of the file.
type branch struct {
	name  string
	vars  []wave
	below []*branch
}

func (b *branch) add(path []string, v wave) {
	if len(path) == 1 {
		v.path = path[0]
		b.vars = append(b.vars, v)
		return
	}
	i := slices.IndexFunc(b.below, func(c *branch) bool { return c.name == path[0] })
	if i < 0 {
		i = len(b.below)
		b.below = append(b.below, &branch{name: path[0]})
	}
	b.below[i].add(path[1:], v)
}

func (e *encoder) scope(b *branch) {
	e.printf("$scope module %s $end\n", b.name)
	for _, v := range b.vars {
		kind, bits := "wire", ""
		if v.state {
			kind = "reg"
		}
		if v.typ.Width > 1 {
			bits = fmt.Sprintf(" [%d:0]", v.typ.Width-1)
		}
		e.printf("$var %s %d %s %s%s $end\n", kind, v.typ.Width, v.id, v.path, bits)
		if v.nameID != "" {
			e.printf("$var string 1 %s %s_name $end\n", v.nameID, v.path)
		}
	}
	for _, c := range b.below {
		e.scope(c)
	}
	e.printf("$upscope $end\n")
}

func (e *encoder) printf(format string, args ...any) {
	if e.err == nil {
		_, err := fmt.Fprintf(e.w, format, args...)
		e.fail(err)
	}
}

func (e *encoder) fail(err error) {
	if err != nil && e.err == nil {
		e.err = fmt.Errorf("writing waves: %w", err)
	}
}

// cycle writes the changes of one cycle.
func (e *encoder) cycle(n uint64, reset bool, now []uint64) {
	if e.err != nil {
		return
	}
	b := e.text[:0]
	stamp := func(t uint64) {
		b = append(b, '#')
		b = strconv.AppendUint(b, t, 10)
		b = append(b, '\n')
	}
	scalar := func(v byte, id string) {
		b = append(b, v)
		b = append(b, id...)
		b = append(b, '\n')
	}
	start := n * period
	if e.started && start < e.end {
		e.fail(fmt.Errorf("cycle %d is sampled after a later one", n))
		return
	}
	if e.started {
		stamp(e.end - period/2)
		scalar('0', e.clk)
	}
	stamp(start)
	if !e.started {
		b = append(b, "$dumpvars\n"...)
	}
	scalar('1', e.clk)
	if !e.started || reset != e.inReset {
		scalar('0'+byte(bit(reset)), e.rst)
	}
	for i := range e.vars {
		v := &e.vars[i]
		w := v.typ.Words()
		x := now[v.offset : v.offset+w]
		if e.started && slices.Equal(x, e.last[v.offset:v.offset+w]) {
			continue
		}
		b = v.change(b, x)
	}
	if !e.started {
		b = append(b, "$end\n"...)
	}
	copy(e.last, now)
	e.started, e.inReset, e.end, e.text = true, reset, start+period, b
	_, err := e.w.Write(b)
	e.fail(err)
}

// change appends the new value of a variable.
func (v *wave) change(b []byte, x []uint64) []byte {
	if v.typ.Width == 1 {
		b = append(b, '0'+byte(x[0]&1))
	} else {
		b = append(b, 'b')
		for i := max(bitLen(x), 1) - 1; i >= 0; i-- {
			b = append(b, '0'+byte(x[i/64]>>(i%64)&1))
		}
		b = append(b, ' ')
	}
	b = append(append(b, v.id...), '\n')
	if v.nameID != "" {
		b = append(append(b, 's'), enumName(v.typ.Enum, x)...)
		b = append(append(append(b, ' '), v.nameID...), '\n')
	}
	return b
}

// enumName is the name of a value, or its number after a question mark.
func enumName(e *ir.Enum, x []uint64) string {
	if bitLen(x) <= 64 {
		for _, v := range e.Values {
			if v.Value == x[0] {
				return v.Name
			}
		}
	}
	return fmt.Sprintf("?%d", x[0])
}

func (e *encoder) close() error {
	if e.started {
		e.printf("#%d\n0%s\n#%d\n", e.end-period/2, e.clk, e.end)
		e.started = false
	}
	if e.err == nil {
		e.fail(e.w.Flush())
	}
	return e.err
}
