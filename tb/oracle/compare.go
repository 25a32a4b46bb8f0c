package oracle

import (
	"fmt"

	"github.com/millrace-hdl/millrace/tb/mem"
)

// Mismatch is one byte of memory that is not as it must be.
type Mismatch struct {
	Addr                  uint64
	Got, Want             byte
	GotWrites, WantWrites int    // how often it was written, 255 at most
	Job                   int    // last transfer with this byte in its destination, or −1
	Offset                uint64 // byte within that transfer
	near                  string // what lies next to it, if Job is −1
}

func (m Mismatch) String() string {
	where := m.near
	if m.Job >= 0 {
		where = fmt.Sprintf("byte %d of transfer %d", m.Offset, m.Job)
	}
	switch {
	case m.WantWrites > 0 && m.GotWrites == 0:
		return fmt.Sprintf("%#x (%s) was never written: it holds %#02x and should hold %#02x", m.Addr, where, m.Got, m.Want)
	case m.WantWrites == 0:
		return fmt.Sprintf("%#x (%s) was written %s and belongs to no destination: it holds %#02x and held %#02x", m.Addr, where, times(m.GotWrites), m.Got, m.Want)
	case m.GotWrites != m.WantWrites:
		return fmt.Sprintf("%#x (%s) was written %s instead of %s: it holds %#02x and should hold %#02x", m.Addr, where, times(m.GotWrites), times(m.WantWrites), m.Got, m.Want)
	}
	return fmt.Sprintf("%#x (%s) holds %#02x and should hold %#02x", m.Addr, where, m.Got, m.Want)
}

func plural(n uint64) string {
	if n == 1 {
		return "1 byte"
	}
	return fmt.Sprintf("%d bytes", n)
}

func times(n int) string {
	switch n {
	case 1:
		return "once"
	case 255:
		return "255 times or more"
	}
	return fmt.Sprintf("%d times", n)
}

// Compare finds the bytes of the memory, wherever they are, whose value or
// number of writes differs from the expectation. It returns the first keep of
// them in order of address, and how many there are.
func (o *Oracle) Compare(got *mem.Store, keep int) (first []Mismatch, total int) {
	page := func(base uint64, g, w *mem.Page) {
		if *g == *w {
			return
		}
		for i := range g.Data {
			if g.Data[i] == w.Data[i] && g.Writes[i] == w.Writes[i] {
				continue
			}
			a := base + uint64(i)
			if len(o.any) > 0 && o.undefined(a) {
				continue
			}
			total++
			if len(first) < keep {
				m := Mismatch{Addr: a, Got: g.Data[i], Want: w.Data[i], GotWrites: int(g.Writes[i]), WantWrites: int(w.Writes[i])}
				o.locate(&m)
				first = append(first, m)
			}
		}
	}
	// Every page that should be written was painted, and so exists on both sides;
	// any other page of got is one that was written by mistake.
	got.Pages(func(base uint64, g *mem.Page) bool {
		w := o.want.Page(base)
		if w == nil {
			w = o.want.Fresh(base)
		}
		page(base, g, w)
		return true
	})
	return first, total
}

// locate finds the transfer that a byte belongs to, or the nearest one.
func (o *Oracle) locate(m *Mismatch) {
	m.Job = -1
	nearest := ^uint64(0)
	m.near = "far from every destination"
	for i := len(o.list.Jobs) - 1; i >= 0; i-- {
		j := &o.list.Jobs[i]
		if j.Refused() {
			continue
		}
		lo, hi := j.Dst.Addr, j.Dst.Addr+j.Length-1
		switch {
		case m.Addr >= lo && m.Addr <= hi:
			m.Job, m.Offset = i, m.Addr-lo
			return
		case m.Addr > hi && m.Addr-hi < nearest:
			nearest = m.Addr - hi
			m.near = fmt.Sprintf("%s past the end of transfer %d's destination", plural(nearest), i)
		case m.Addr < lo && lo-m.Addr < nearest:
			nearest = lo - m.Addr
			m.near = fmt.Sprintf("%s before transfer %d's destination", plural(nearest), i)
		}
	}
}
