package tb

import "github.com/millrace-hdl/millrace/tb/job"

// words is the number of bus words that n bytes from a touch.
func words(a, n uint64, bytes int) uint64 {
	if n == 0 {
		return 0
	}
	b := uint64(bytes)
	return (a+(n-1))/b - a/b + 1
}

// FewestWriteBeats is the fewest W beats that can write every transfer of the list
// on a bus of the given width in bytes.
func FewestWriteBeats(list *job.List, bytes int) uint64 {
	var n uint64
	for i := range list.Jobs {
		n += writeWords(&list.Jobs[i], bytes)
	}
	return n
}

// FewestReadBeats is the fewest beats that can read every transfer of the list.
func FewestReadBeats(list *job.List, bytes int) uint64 {
	var n uint64
	for i := range list.Jobs {
		if j := &list.Jobs[i]; j.Src.Protocol != job.Init { // which is seen on no bus
			for _, beats := range ReadBursts(j, bytes) {
				n += uint64(beats)
			}
		}
	}
	return n
}

// writeWords is the bus words that a transfer writes: a packet of a stream begins in
// lane 0, and what goes to Init is seen on no bus.
func writeWords(j *job.Job, bytes int) uint64 {
	switch j.Dst.Protocol {
	case job.Init:
		return 0
	case job.AXI4Stream:
		return words(0, j.Writes(), bytes)
	case job.TileLink:
		return uint64(len(pieces(j.Dst.Addr, j.Writes(), bytes)))
	}
	return words(j.Dst.Addr, j.Writes(), bytes)
}

// pieces is the beats, 1 each, of accesses that are a power of two of bytes and aligned to
// it, at most a bus word, as those of TileLink are.
func pieces(a, n uint64, bytes int) []int {
	var all []int
	for n > 0 {
		size := uint64(bytes)
		for a%size != 0 || size > n {
			size /= 2
		}
		a, n, all = a+size, n-size, append(all, 1)
	}
	return all
}

// AlignedBound is the utilisation that N outstanding bursts of n beats reach behind
// a read latency of L cycles: min(1, N·n/(L+1+n)). A burst holds its place from
// the acceptance of AR to its last beat, and one cycle more.
func AlignedBound(outstanding, beats, latency int) float64 {
	return min(1, float64(outstanding*beats)/float64(latency+1+beats))
}

// Bound is the same for any list: the fewest W beats over the cycles from the
// first to the last R beat of an engine that asks for the longest legal bursts
// as early as it may. Where all bursts are alike that is [AlignedBound], but for
// the ends of the list.
func Bound(list *job.List, bytes, outstanding, latency int) float64 {
	return boundOf(FewestWriteBeats(list, bytes), list, bytes, outstanding, latency)
}

// ReadBound is [Bound] for the beats that are read, where nothing is seen of writes.
func ReadBound(list *job.List, bytes, outstanding, latency int) float64 {
	return boundOf(FewestReadBeats(list, bytes), list, bytes, outstanding, latency)
}

func boundOf(beats uint64, list *job.List, bytes, outstanding, latency int) float64 {
	var ends []int // cycle of the last beat of each burst
	end, first := 0, 0
	for i := range list.Jobs {
		for _, n := range ReadBursts(&list.Jobs[i], bytes) {
			k := len(ends)
			ask := k
			if !list.Jobs[i].Src.Memory() { // without requests
				ask = end - latency
			} else if k >= outstanding {
				ask = max(k, ends[k-outstanding]+2)
			}
			start := ask + latency
			if k == 0 {
				first = start
			} else {
				start = max(start, end+1)
			}
			end = start + n - 1
			ends = append(ends, end)
		}
	}
	if len(ends) == 0 {
		return 0
	}
	return min(1, float64(beats)/float64(end-first+1))
}

// ReadBursts is the beats of each read burst of a transfer that is cut as seldom
// as it may be: at 4 KiB boundaries and at its own cap, or after each bus word where the
// protocol has no bursts. Those of TileLink are as long as the level UL allows.
func ReadBursts(j *job.Job, bytes int) []int {
	if j.Reads() == 0 {
		return nil
	}
	if j.Src.Protocol == job.TileLink {
		return pieces(j.Src.Addr, j.Length, bytes)
	}
	var bursts []int
	bus := uint64(bytes)
	from := j.Src.Addr
	if !j.Src.Memory() {
		from = 0
	}
	word := from &^ (bus - 1)
	for left := words(from, j.Length, bytes); left > 0; {
		n := min(left, (4096-word%4096)/bus, uint64(j.Src.Beats()))
		bursts = append(bursts, int(n))
		word += n * bus
		left -= n
	}
	return bursts
}
