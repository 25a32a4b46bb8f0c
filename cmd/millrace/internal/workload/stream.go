// Package workload holds the transfer streams that the benchmarks run, and the
// best that any engine could make of them.
package workload

import (
	"fmt"

	"github.com/millrace-hdl/millrace/tb/job"
)

// Sizes are the transfer sizes of the tables, in bytes.
var Sizes = []int{8, 16, 32, 64, 128, 256, 512, 1 << 10, 4 << 10, 64 << 10}

// Latencies are the read latencies of the tables, in cycles.
var Latencies = []int{3, 13, 100, 200}

const (
	leastBytes     = 64 << 10
	leastTransfers = 4
	// From fullBeats bus words a transfer on, a stream has at least leastBeats.
	fullBeats  = 4
	leastBeats = 4096

	srcBase = 0x0010_0000
	dstBase = 0x4000_0000
	// Where misaligned streams start in their first bus word.
	srcMisaligned = 3
	dstMisaligned = 5
)

// Stream is transfers of one size, back to back and contiguous, on a bus of the
// given width in bits. Aligned ones start at a bus word on both sides; misaligned
// ones at byte 3 of the source and byte 5 of the destination.
func Stream(width, size int, aligned bool) *job.List {
	lanes := width / 8
	beats := (size + lanes - 1) / lanes
	n := max(leastTransfers, (leastBytes+size-1)/size)
	name := "aligned"
	src, dst := uint64(srcBase), uint64(dstBase)
	if !aligned {
		name, src, dst = "misaligned", src+srcMisaligned, dst+dstMisaligned
	}
	if beats >= fullBeats {
		n = max(n, (leastBeats+beats-1)/beats)
	}
	l := &job.List{Name: fmt.Sprintf("%d transfers of %d bytes, %s", n, size, name), Jobs: make([]job.Job, n)}
	for i := range l.Jobs {
		l.Jobs[i] = job.New(uint64(size), src+uint64(i*size), dst+uint64(i*size))
	}
	return l
}

// FewestWriteBeats is the number of bus words that the list's destinations
// touch, each transfer by itself.
func FewestWriteBeats(width int, l *job.List) int {
	lanes := uint64(width / 8)
	n := uint64(0)
	for i := range l.Jobs {
		if j := &l.Jobs[i]; j.Length > 0 {
			n += (j.Dst.Addr+j.Length-1)/lanes - j.Dst.Addr/lanes + 1
		}
	}
	return int(n)
}

// readBursts is the beats of each read burst when every transfer is cut as
// seldom as AXI4 allows: at 4 KiB boundaries and after 256 beats.
func readBursts(width int, l *job.List) []int {
	const page, most = 4096, 256
	lanes := uint64(width / 8)
	var bursts []int
	for i := range l.Jobs {
		j := &l.Jobs[i]
		word, end := j.Src.Addr&^(lanes-1), j.Src.Addr+j.Length
		for word < end {
			stop := min(end, word&^(page-1)+page, word+most*lanes)
			bursts = append(bursts, int((stop-word+lanes-1)/lanes))
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
func Bound(width int, l *job.List, outstanding, latency int) float64 {
	bursts := readBursts(width, l)
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
	real := float64(FewestWriteBeats(width, l)) / float64(end-latency+1)
	return min(1, steady, real)
}
