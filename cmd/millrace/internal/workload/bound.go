// Package workload says what the best engine could make of a transfer list.
package workload

import (
	"slices"

	"github.com/millrace-hdl/millrace/tb"
	"github.com/millrace-hdl/millrace/tb/job"
)

// readBursts is the beats of each read burst when every transfer is cut as
// seldom as it may: at 4 KiB boundaries, after 256 beats and at its own cap. The
// bus has that many bytes.
func readBursts(l *job.List, bytes int) []int {
	const page = 4096
	var bursts []int
	for i := range l.Jobs {
		j := &l.Jobs[i]
		bus := uint64(bytes)
		most := uint64(j.Src.MaxBeats) * bus
		word, end := j.Src.Addr&^(bus-1), j.Src.Addr+j.Length
		for j.Length > 0 && word < end {
			stop := min(end, word&^(page-1)+page, word+most)
			bursts = append(bursts, int((stop-word+bus-1)/bus))
			word = stop
		}
	}
	return bursts
}

// Bound is the utilisation that published tables take for the best: with that many
// outstanding reads of n beats each and the given read latency in cycles,
// min(1, outstanding·n / (latency+1+n)). It counts one cycle between the last beat
// of a burst and the next request in its place. Where bursts differ it follows
// them one by one, each with the beats that it really has. Write latency does not
// enter: nothing has to wait for it.
func Bound(l *job.List, bytes, outstanding, latency int) float64 {
	return bound(l, bytes, outstanding, latency, 1)
}

// Limit is the same for an engine that loses no cycle.
func Limit(l *job.List, bytes, outstanding, latency int) float64 {
	return bound(l, bytes, outstanding, latency, 0)
}

func bound(l *job.List, bytes, outstanding, latency, lost int) float64 {
	bursts := readBursts(l, bytes)
	if len(bursts) == 0 {
		return 0
	}
	if n := bursts[0]; slices.Max(bursts) == n && slices.Min(bursts) == n {
		return min(1, float64(outstanding*n)/float64(latency+lost+n))
	}
	return min(1, float64(tb.FewestWriteBeats(l, bytes))/float64(readCycles(bursts, outstanding, latency, lost)))
}

// readCycles is the cycles from the first to the last read beat when reads are
// asked for as early as the limit allows and data come as early as the memory
// gives them.
func readCycles(bursts []int, outstanding, latency, lost int) int {
	ends := make([]int, len(bursts)) // cycle of each burst's last beat
	end := latency - 1
	for i, n := range bursts {
		ask := i
		if i >= outstanding {
			ask = max(ask, ends[i-outstanding]+1+lost)
		}
		end = max(end+1, ask+latency) + n - 1
		ends[i] = end
	}
	return end - latency + 1
}
