// Package mem is what benches put behind a manager's bus: a sparse byte
// [Store] over the whole 64-bit space, and the [AXI4] subordinate that serves
// one with exact latencies. Unwritten bytes read as a seeded function of their
// address, so that no two places look alike, and every written byte is counted,
// so that a write too many or in the wrong place shows even where the data
// happen to agree.
package mem

import (
	"encoding/binary"
	"slices"
)

// PageBytes is the granule of a Store.
const PageBytes = 256

// Page is the bytes of one aligned granule and how often each was written. The
// count stops at 255.
type Page struct {
	Data   [PageBytes]byte
	Writes [PageBytes]uint8
}

// Store is a sparse memory. It is not safe for concurrent use.
type Store struct {
	seed  uint64
	pages map[uint64]*Page // by address / PageBytes
	// The page read last and the page written last: a copy goes back and forth
	// between two places.
	reads, writes spot
}

// spot is a page found before; a nil page says that there is none.
type spot struct {
	key   uint64
	page  *Page
	known bool
}

// NewStore is a memory that nobody has written: it reads as the source pattern.
func NewStore(seed uint64) *Store { return &Store{seed: seed, pages: map[uint64]*Page{}} }

// lookup is the page of the address, or nil.
func (s *Store) lookup(a uint64) *Page {
	key := a / PageBytes
	if s.reads.known && s.reads.key == key {
		return s.reads.page
	}
	s.reads = spot{key, s.pages[key], true}
	return s.reads.page
}

// touch is the page of the address, made if need be.
func (s *Store) touch(a uint64) *Page {
	key := a / PageBytes
	if s.writes.known && s.writes.key == key {
		return s.writes.page
	}
	p := s.pages[key]
	if p == nil {
		p = s.Fresh(a)
		s.pages[key] = p
		if s.reads.key == key {
			s.reads.known = false
		}
	}
	s.writes = spot{key, p, true}
	return p
}

// Fresh is what the page of the address holds as long as nothing touches it.
func (s *Store) Fresh(a uint64) *Page {
	p := &Page{}
	base := a &^ (PageBytes - 1)
	for i := uint64(0); i < PageBytes; i += 8 {
		binary.LittleEndian.PutUint64(p.Data[i:], SourceWord(s.seed, base+i))
	}
	return p
}

// Byte is the byte at an address.
func (s *Store) Byte(a uint64) byte {
	if p := s.lookup(a); p != nil {
		return p.Data[a%PageBytes]
	}
	return byte(SourceWord(s.seed, a) >> (a % 8 * 8))
}

// Writes is how often the byte at an address was written, 255 at most.
func (s *Store) Writes(a uint64) int {
	if p := s.lookup(a); p != nil {
		return int(p.Writes[a%PageBytes])
	}
	return 0
}

// SetByte writes a byte and counts it.
func (s *Store) SetByte(a uint64, v byte) {
	p := s.touch(a)
	i := a % PageBytes
	p.Data[i] = v
	if p.Writes[i] < 255 {
		p.Writes[i]++
	}
}

// ReadWord is the eight bytes at the aligned address a.
func (s *Store) ReadWord(a uint64) uint64 {
	if p := s.lookup(a); p != nil {
		return binary.LittleEndian.Uint64(p.Data[a%PageBytes:])
	}
	return SourceWord(s.seed, a)
}

// WriteWord writes and counts the bytes of the aligned word at a that strb
// enables, bit k for byte a+k.
func (s *Store) WriteWord(a, v uint64, strb uint8) {
	if strb == 0 {
		return
	}
	p := s.touch(a)
	i := a % PageBytes
	d, n := p.Data[i:i+8:i+8], p.Writes[i:i+8:i+8]
	for k := range 8 {
		if strb>>k&1 != 0 {
			d[k] = byte(v >> (8 * k))
			if n[k] < 255 {
				n[k]++
			}
		}
	}
}

// Paint gives n bytes from a the canary pattern, without counting them as
// written. Bytes beyond the top of the address space are left out.
func (s *Store) Paint(seed, a, n uint64) {
	for n > 0 {
		p := s.touch(a)
		s.paintWord(p, seed, &a, &n)
		if a == 0 {
			return
		}
	}
}

func (s *Store) paintWord(p *Page, seed uint64, a, n *uint64) {
	w := CanaryWord(seed, *a)
	for {
		p.Data[*a%PageBytes] = byte(w >> (*a % 8 * 8))
		*a++
		*n--
		if *n == 0 || *a%8 == 0 {
			return
		}
	}
}

// Pages calls f for every page in ascending order of address.
func (s *Store) Pages(f func(base uint64, p *Page) bool) {
	keys := make([]uint64, 0, len(s.pages))
	for k := range s.pages {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	for _, k := range keys {
		if !f(k*PageBytes, s.pages[k]) {
			return
		}
	}
}

// Page is the page that holds an address, or nil if nothing ever touched it.
func (s *Store) Page(a uint64) *Page { return s.lookup(a) }

// Clone is an independent copy.
func (s *Store) Clone() *Store {
	c := NewStore(s.seed)
	for k, p := range s.pages { // order does not matter: each page is copied alone
		q := *p
		c.pages[k] = &q
	}
	return c
}
