// Package workload says what the best engine could make of a transfer list.
package workload

import (
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

// Bound is the highest utilisation that an engine can reach on the list with
// that many outstanding reads and the given read latency in cycles. With equal
// bursts of n beats it is min(1, outstanding·n / (latency+1+n)); with unequal
// ones every group of bursts that is under way together counts with the beats
// that it really has. Write latency does not enter: nothing has to wait for it.
func Bound(l *job.List, bytes, outstanding, latency int) float64 {
	bursts := readBursts(l, bytes)
	if len(bursts) == 0 {
		return 0
	}
	beats := 0
	// End of the last beat of each burst, when reads are asked for as early as the
	// limit allows and data come as early as the memory gives them.
	ends := make([]int, len(bursts))
	end := latency - 1
	for i, n := range bursts {
		ask := i
		if i >= outstanding {
			ask = max(ask, ends[i-outstanding]+2)
		}
		end = max(end+1, ask+latency) + n - 1
		ends[i] = end
		beats += n
	}
	mean := float64(beats) / float64(len(bursts))
	steady := float64(outstanding) * mean / (float64(latency+1) + mean)
	real := float64(tb.FewestWriteBeats(l, bytes)) / float64(end-latency+1)
	return min(1, steady, real)
}
