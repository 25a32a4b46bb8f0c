package job

import (
	"cmp"
	"fmt"
	"slices"
)

// overlap reports whether n bytes from a and m bytes from b share a byte. Ranges do
// not wrap.
func overlap(a, n, b, m uint64) bool {
	return n > 0 && m > 0 && a <= b+(m-1) && b <= a+(n-1)
}

// meet is overlap of two sides, of which both lie in memory.
func meet(a *Side, n uint64, b *Side, m uint64) bool {
	return a.Memory() && b.Memory() && overlap(a.Addr, n, b.Addr, m)
}

func samePort(a, b *Side) bool { return a.Protocol == b.Protocol && a.Head == b.Head }

// DependsOn reports whether j may not run beside the earlier transfer e when both
// work on one memory: it reads what e writes, or writes what e reads, or writes through
// another port what e writes. Through one port two transfers write the same bytes in
// order and need no care.
func (j *Job) DependsOn(e *Job) bool {
	if j.sameTile(e) {
		return false
	}
	return meet(&j.Src, j.Reads(), &e.Dst, e.Writes()) || meet(&j.Dst, j.Writes(), &e.Src, e.Reads()) ||
		!samePort(&j.Dst, &e.Dst) && meet(&j.Dst, j.Writes(), &e.Dst, e.Writes())
}

// WritesWhat reports whether j writes bytes that o writes as well.
func (j *Job) WritesWhat(o *Job) bool { return meet(&j.Dst, j.Writes(), &o.Dst, o.Writes()) }

// OverlapsUpward reports whether the transfer's destination overlaps its own
// source from above. An engine reads ahead of its writes by an unspecified
// distance, so such a transfer would have no defined result. Downward (or in
// place) there is one: a byte is overwritten only after it was read. With an operation that
// writes several bytes for one that it reads there is none either way; with one that reads
// all of a tile before it writes any, always.
func (j *Job) OverlapsUpward() bool {
	return j.Compute.Op != Transpose && (j.Dst.Addr > j.Src.Addr || j.Compute.expands()) && j.Overlaps()
}

// Overlaps reports whether the transfer's destination overlaps its own source. What
// has been written then has destroyed what was read, and cannot be written again.
func (j *Job) Overlaps() bool { return meet(&j.Src, j.Reads(), &j.Dst, j.Writes()) }

// CheckOverlap refuses transfers whose result on one shared memory would
// depend on how far an engine reads ahead.
func (l *List) CheckOverlap() error {
	for i := range l.Jobs {
		if j := &l.Jobs[i]; j.OverlapsUpward() {
			how, instead := fmt.Sprintf("from %d bytes above", j.Dst.Addr-j.Src.Addr), "copy downward"
			if j.Compute.expands() {
				how, instead = "with more bytes than it reads", "write elsewhere"
			}
			return &Error{File: l.Name, Line: j.Line, Job: i, Field: "dst", Value: fmt.Sprintf("%#x", j.Dst.Addr),
				Want: fmt.Sprintf("it overlaps the transfer's own source %s, and the engine reads ahead of its writes: "+
					"the result would depend on timing; %s, split the transfer, or give source and destination separate memories", how, instead)}
		}
	}
	return nil
}

// CheckIndependent refuses a list in which some transfer depends on an earlier
// one, wherever in the list, so that launching without waiting has one result.
func (l *List) CheckIndependent() error {
	type end struct {
		lo, hi uint64
		job    int
		tile   int // or, for transfers of a tile, its first
		write  bool
	}
	ends := make([]end, 0, 2*len(l.Jobs))
	for i := range l.Jobs {
		j := &l.Jobs[i]
		together := i
		if first, _, ok := j.Tile(); ok {
			together = first
		}
		for k, n := range []uint64{j.Reads(), j.Writes()} {
			if s := []*Side{&j.Src, &j.Dst}[k]; s.Memory() && n > 0 {
				ends = append(ends, end{s.Addr, s.Addr + n - 1, i, together, k == 1})
			}
		}
	}
	slices.SortFunc(ends, func(a, b end) int { return cmp.Or(cmp.Compare(a.lo, b.lo), cmp.Compare(a.job, b.job)) })
	// Of each kind the two ranges that reach furthest up suffice: if any overlaps
	// what follows, one of them does, and they belong to different transfers or tiles.
	var far [2][2]*end
	var last [AXI4Stream + 1][MaxHeads]*end // the write that reaches furthest up, of each port
	for i := range ends {
		e := &ends[i]
		if e.write {
			d := &l.Jobs[e.job].Dst
			for p := range last {
				for h, o := range last[p] {
					if o != nil && o.hi >= e.lo && (Protocol(p) != d.Protocol || h != d.Head) {
						b := max(o.job, e.job)
						return &Error{File: l.Name, Line: l.Jobs[b].Line, Job: b, Want: fmt.Sprintf(
							"it writes what transfer %d writes through another port, at %#x: launched back to back, the result would depend on timing; wait on overlap",
							min(o.job, e.job), e.lo)}
					}
				}
			}
			if f := &last[d.Protocol][d.Head]; *f == nil || e.hi > (*f).hi {
				*f = e
			}
		}
		k, other := 0, 1
		if e.write {
			k, other = 1, 0
		}
		for _, o := range far[other] {
			if o == nil || o.hi < e.lo || o.tile == e.tile {
				continue
			}
			a, b := min(o.job, e.job), max(o.job, e.job)
			return &Error{File: l.Name, Line: l.Jobs[b].Line, Job: b, Want: fmt.Sprintf(
				"it reads what transfer %d writes or writes what that one reads, at %#x: launched back to back, the result would depend on timing; "+
					"wait on overlap, or give source and destination separate memories", a, e.lo)}
		}
		switch f := &far[k]; {
		case f[0] != nil && f[0].tile == e.tile:
			if e.hi > f[0].hi {
				f[0] = e
			}
		case f[0] == nil || e.hi > f[0].hi:
			f[0], f[1] = e, f[0]
		case f[1] == nil || e.hi > f[1].hi:
			f[1] = e
		}
	}
	return nil
}
