package axi4

// Lanes is a set of byte lanes: bit k of the 128 stands for lane k.
type Lanes [2]uint64

// Span is the set of lanes lo…hi−1.
func Span(lo, hi int) Lanes {
	return Lanes{ones(lo, min(hi, 64)), ones(max(lo-64, 0), hi-64)}
}

// ones has bits lo…hi−1 set, within one word.
func ones(lo, hi int) uint64 {
	if hi <= lo {
		return 0
	}
	return ^uint64(0) >> (64 - (hi - lo)) << lo
}

// Without is the lanes of l that are not in m.
func (l Lanes) Without(m Lanes) Lanes { return Lanes{l[0] &^ m[0], l[1] &^ m[1]} }

// Empty reports whether no lane is in the set.
func (l Lanes) Empty() bool { return l[0]|l[1] == 0 }

// BeatAddr is the address of beat k (from 0) as the specification computes it:
// the start address for the first beat, aligned to the size for the others, and
// wrapped at the container of a WRAP burst.
func (r *Request) BeatAddr(k int) uint64 {
	if k == 0 || r.Burst == Fixed {
		return r.Addr
	}
	bytes := uint64(1) << r.Size
	a := r.Addr&^(bytes-1) + uint64(k)*bytes
	if r.Burst == Wrap {
		container := bytes * uint64(r.Beats())
		base := r.Addr - r.Addr%container
		a = base + (a-base)%container
	}
	return a
}

// BeatLanes is the set of lanes that beat k may use on a bus of the given
// width in bytes: from the beat's address up to the end of its aligned size.
func (r *Request) BeatLanes(bus, k int) Lanes {
	bytes := uint64(1) << r.Size
	a := r.BeatAddr(k)
	word := a &^ (uint64(bus) - 1)
	return Span(int(a-word), int(a&^(bytes-1)+bytes-word))
}

// LastByte is the highest address that the burst touches. It saturates at the
// top of the 64-bit space.
func (r *Request) LastByte() uint64 {
	bytes := uint64(1) << r.Size
	start := r.Addr &^ (bytes - 1)
	span := bytes
	switch r.Burst {
	case Wrap:
		span = bytes * uint64(r.Beats())
		start = r.Addr - r.Addr%span
	case Fixed:
	default:
		span = bytes * uint64(r.Beats())
	}
	if end := start + span - 1; end >= start {
		return end
	}
	return ^uint64(0)
}
