package oracle

import (
	"github.com/millrace-hdl/millrace/tb/computed"
	"github.com/millrace-hdl/millrace/tb/job"
)

// made is what a transfer writes whose bytes an operation changes.
type made struct {
	out   []byte
	open  bool // errors before have left bytes open that were read
	fails bool // bytes were read with an error
	wrong bool // the operation finds that the bytes are wrong
}

// rows is the transposed tile that is under way.
type rows struct {
	columns     [][]byte
	open, fails bool
}

// make is what transfer i writes.
func (o *Oracle) make(i int) made {
	j := &o.list.Jobs[i]
	if first, place, ok := j.Tile(); ok {
		if place == 0 {
			o.tile = o.transpose(first)
		}
		if j.Compute.DstLength == 0 {
			return made{}
		}
		return made{out: o.tile.columns[place], open: o.tile.open, fails: o.tile.fails}
	}
	in, open := o.bytes(i)
	out, right := apply(j, in)
	return made{out: out, open: open, fails: o.fails(&j.Src, j.Reads(), false), wrong: !right}
}

// transpose reads the tile that begins with transfer i. Nothing of it is written before all
// is read.
func (o *Oracle) transpose(i int) rows {
	var t rows
	var in [][]byte
	c := o.list.Jobs[i].Compute
	for n := i; len(in) < int(c.M); n++ {
		j := &o.list.Jobs[n]
		if first, _, ok := j.Tile(); !ok || first != i {
			continue
		}
		row, open := o.bytes(n)
		in = append(in, row)
		t.open = t.open || open
		t.fails = t.fails || o.fails(&j.Src, j.Reads(), false)
	}
	t.columns = computed.Transpose(in, 1<<c.Mode)
	return t
}

// bytes is what transfer i reads, and whether errors before have left any of it open.
func (o *Oracle) bytes(i int) (in []byte, open bool) {
	src := &o.ends[i].Src
	from, seen := src.Store, vague{}
	if sp := o.space(from); sp != nil {
		from, seen = sp.want, sp.vague
	}
	for k := range o.list.Jobs[i].Reads() {
		in = append(in, src.byte(from, k))
		open = open || src.Store != nil && seen.value(src.Addr+k)
	}
	return in, open
}

// apply is what the operation of a transfer makes of bytes, and false where it finds these
// to be wrong.
func apply(j *job.Job, in []byte) (out []byte, right bool) {
	c := &j.Compute
	mx := computed.MX{E4M3: c.Mode&1 == 1, SignedScale: j.SignedScale(), Half: c.Op == job.MXQuantiseFP16 || c.Op == job.MXDequantiseFP16}
	switch c.Op {
	case job.MXQuantiseFP32, job.MXQuantiseFP16:
		return mx.Quantise(in), true
	case job.MXDequantiseFP32, job.MXDequantiseFP16:
		return mx.Dequantise(in), true
	case job.CRC32C:
		return computed.CRC32C{FromZero: c.M&1 != 0, NotInverted: c.M&2 != 0}.Apply(int(c.Mode), in)
	case job.ByteSwap:
		return computed.ByteSwap(in, 1<<c.Mode), true
	case job.FillMask:
		return computed.FillMask(in, int(c.Mode), [2]byte{byte(c.M), byte(c.N)}), true
	}
	return in, true
}

// compute is transfer i, which has an operation.
func (o *Oracle) compute(i int, r *Response) {
	j := &o.list.Jobs[i]
	w := o.make(i)
	r.ReadFails, r.WriteFails = w.fails, j.Writes() > 0 && o.fails(&j.Dst, j.Writes(), true)
	r.Wrong, r.Open = w.wrong, w.open && j.Compute.Op == job.CRC32C && j.Compute.Mode >= 2
	dst := &o.ends[i].Dst
	to := o.space(dst.Store)
	if to == nil {
		return
	}
	for k, v := range w.out {
		to.want.SetByte(dst.Addr+uint64(k), v)
		to.vague.copied(dst.Addr+uint64(k), w.open || w.fails, r.WriteFails)
	}
}
