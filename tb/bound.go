package tb

import "github.com/millrace-hdl/millrace/tb/job"

// words is the number of bus words that n bytes from a touch.
func words(a, n uint64, bytes int) uint64 {
	if n == 0 {
		return 0
	}
	b := uint64(bytes)
	return (a+n-1)/b - a/b + 1
}

// FewestWriteBeats is the fewest W beats that can write every transfer of the list
// on a bus of the given width in bytes.
func FewestWriteBeats(list *job.List, bytes int) uint64 {
	var n uint64
	for i := range list.Jobs {
		if j := &list.Jobs[i]; !j.Refused() {
			n += words(j.Dst.Addr, j.Length, bytes)
		}
	}
	return n
}

// AlignedBound is the utilisation that N outstanding bursts of n beats reach behind
// a read latency of L cycles: min(1, N·n/(L+1+n)). A burst holds its slot from
// the acceptance of AR to its last beat, and one cycle more.
func AlignedBound(outstanding, beats, latency int) float64 {
	return min(1, float64(outstanding*beats)/float64(latency+1+beats))
}

// Bound is the same for any list: the fewest W beats over the cycles that the
// busiest resource needs, which is the W channel, the R channel, or the read
// slots: one burst of n beats takes one of them for L+1+n cycles. Bursts are as
// long as protocol and caps allow: up to the end of the aligned window of 256
// beats, 4 KiB or the transfer's own cap, and for coupled transfers up to the end of
// the destination's window as well.
func Bound(list *job.List, bytes, outstanding, latency int) float64 {
	var w, r, slots uint64
	for i := range list.Jobs {
		j := &list.Jobs[i]
		if j.Refused() {
			continue
		}
		w += words(j.Dst.Addr, j.Length, bytes)
		for _, n := range ReadBursts(j, bytes) {
			r += n
			slots += uint64(latency) + 1 + n
		}
	}
	if w == 0 {
		return 0
	}
	return float64(w) / max(float64(w), float64(r), float64(slots)/float64(outstanding))
}

// ReadBursts is the beats of each read burst that the transfer needs.
func ReadBursts(j *job.Job, bytes int) []uint64 {
	var bursts []uint64
	src, dst := j.Src.Addr, j.Dst.Addr
	for left := j.Length; left > 0; {
		n := min(left, room(src, j.Src.MaxBeats, bytes))
		if !j.DecoupleRW {
			n = min(n, room(dst, j.Dst.MaxBeats, bytes))
		}
		bursts = append(bursts, words(src, n, bytes))
		src, dst, left = src+n, dst+n, left-n
	}
	return bursts
}

// room is the bytes from a to the end of the window that a burst may not leave.
func room(a uint64, maxBeats, bytes int) uint64 {
	window := uint64(min(maxBeats*bytes, 4096))
	return window - a%window
}
