package sim

// port is what a memory port does at the clock edge: writes first, in the order
// of the statements, then reads of the data being written.
type port struct {
	write                bool
	en, addr, data, mask uint32 // slots; data of a read is the next value of its register
	base                 int    // slot of element 0
	depth                uint64
	words                int
	lanes, lane          int // number and width of mask lanes; no lanes: whole elements
}

func (p *port) clock(slots []uint64) {
	if slots[p.en] == 0 {
		return
	}
	data := slots[p.data : int(p.data)+p.words]
	at := slots[p.addr]
	if at >= p.depth {
		if !p.write {
			clear(data)
		}
		return
	}
	elem := slots[p.base+int(at)*p.words:][:p.words]
	switch {
	case !p.write:
		copy(data, elem)
	case p.lanes == 0:
		copy(elem, data)
	default:
		for i := range p.lanes {
			if slots[int(p.mask)+i/64]>>(i%64)&1 == 1 {
				copyBits(elem, data, i*p.lane, p.lane)
			}
		}
	}
}

// copyBits copies n bits from bit lo up of a to the same place in d.
func copyBits(d, a []uint64, lo, n int) {
	for n > 0 {
		s := lo % 64
		c := min(n, 64-s)
		m := topMask(c) << s
		d[lo/64] = d[lo/64]&^m | a[lo/64]&m
		lo, n = lo+c, n-c
	}
}
