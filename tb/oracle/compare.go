package oracle

import (
	"fmt"

	"github.com/millrace-hdl/millrace/tb/mem"
)

// Kind is what is wrong with a byte of memory.
type Kind uint8

// The kinds.
const (
	WrongData  Kind = iota // written as often as it must be, with the wrong value
	NotWritten             // never written, but should be
	Outside                // written, but belongs to no destination
	WrongCount             // written more or less often than it must be
)

// Mismatch is neighbouring bytes of memory that are wrong in the same way. Values
// are those of the first.
type Mismatch struct {
	Kind                  Kind
	Addr, Bytes           uint64
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
	s := fmt.Sprintf("%#x (%s) ", m.Addr, where)
	switch m.Kind {
	case NotWritten:
		s += fmt.Sprintf("was never written: it holds %#02x and should hold %#02x", m.Got, m.Want)
	case Outside:
		s += fmt.Sprintf("was written %s and belongs to no destination: it holds %#02x and held %#02x", times(m.GotWrites), m.Got, m.Want)
	case WrongCount:
		s += fmt.Sprintf("was written %s instead of %s: it holds %#02x and should hold %#02x", times(m.GotWrites), times(m.WantWrites), m.Got, m.Want)
	default:
		s += fmt.Sprintf("holds %#02x and should hold %#02x", m.Got, m.Want)
	}
	if m.Bytes > 1 {
		s += fmt.Sprintf("; likewise the next %s", plural(m.Bytes-1))
	}
	return s
}

func plural(n uint64) string {
	if n == 1 {
		return "byte"
	}
	return fmt.Sprintf("%d bytes", n)
}

func times(n int) string {
	switch n {
	case 0:
		return "never"
	case 1:
		return "once"
	case 255:
		return "255 times or more"
	}
	return fmt.Sprintf("%d times", n)
}

// kindOf says what is wrong with a byte, if anything.
func kindOf(gotData, wantData byte, gotWrites, wantWrites uint8) (k Kind, wrong bool) {
	switch {
	case gotWrites == wantWrites:
		return WrongData, gotData != wantData
	case gotWrites == 0:
		return NotWritten, true
	case wantWrites == 0:
		return Outside, true
	}
	return WrongCount, true
}

// Compare finds the bytes of one of the memories that are written, wherever they are, whose value or
// number of writes differs from the expectation. It returns the first keep runs
// of them in order of address, and how many bytes there are.
func (o *Oracle) Compare(got *mem.Store, keep int) (first []Mismatch, total int) {
	sp := o.space(got)
	if sp == nil {
		return nil, 0
	}
	// Every page that should be written was painted, and so exists on both sides;
	// any other page of got is one that was written by mistake.
	got.Pages(func(base uint64, g *mem.Page) bool {
		w := sp.want.Page(base)
		if w == nil {
			w = sp.want.Fresh(base)
		}
		if *g != *w {
			first, total = sp.page(base, g, w, keep, first, total)
		}
		return true
	})
	for i := range first {
		o.locate(&first[i], got)
	}
	return first, total
}

func (sp *space) page(base uint64, g, w *mem.Page, keep int, first []Mismatch, total int) ([]Mismatch, int) {
	for i := range g.Data {
		k, wrong := kindOf(g.Data[i], w.Data[i], g.Writes[i], w.Writes[i])
		a := base + uint64(i)
		if !wrong || sp.excused(a, k, g.Data[i] == w.Data[i], g.Writes[i] > w.Writes[i]) {
			continue
		}
		total++
		if n := len(first); n > 0 && first[n-1].Kind == k && first[n-1].Addr+first[n-1].Bytes == a {
			first[n-1].Bytes++
		} else if n < keep {
			first = append(first, Mismatch{Kind: k, Addr: a, Bytes: 1, Got: g.Data[i], Want: w.Data[i],
				GotWrites: int(g.Writes[i]), WantWrites: int(w.Writes[i])})
		}
	}
	return first, total
}

// excused reports whether an injected error explains what is wrong with a byte.
func (sp *space) excused(a uint64, k Kind, right, more bool) bool {
	switch k {
	case WrongData:
		return sp.vague.value(a)
	case Outside:
		return false
	}
	return (sp.vague.count(a) || more && sp.vague.again(a)) && (right || sp.vague.value(a))
}

// locate finds the transfer that a byte belongs to, or the nearest one.
func (o *Oracle) locate(m *Mismatch, got *mem.Store) {
	m.Job = -1
	nearest := ^uint64(0)
	m.near = "far from every destination"
	for i := len(o.list.Jobs) - 1; i >= 0; i-- {
		j := &o.list.Jobs[i]
		if j.Writes() == 0 || o.ends[i].Dst.Store != got {
			continue
		}
		lo := o.ends[i].Dst.Addr
		hi := lo + j.Writes() - 1
		switch {
		case m.Addr >= lo && m.Addr <= hi:
			m.Job, m.Offset = i, m.Addr-lo
			return
		case m.Addr > hi && m.Addr-hi < nearest:
			nearest = m.Addr - hi
			m.near = fmt.Sprintf("%#x bytes past the end of transfer %d's destination", nearest, i)
		case m.Addr < lo && lo-m.Addr < nearest:
			nearest = lo - m.Addr
			m.near = fmt.Sprintf("%#x bytes before transfer %d's destination", nearest, i)
		}
	}
}
