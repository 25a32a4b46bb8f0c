package tb

import (
	"fmt"
	"strings"

	"github.com/millrace-hdl/millrace/tb/job"
)

// HangError ends a run in which nothing moves any more, or which does not end.
type HangError struct {
	Cycle  uint64 // of the run
	Idle   uint64 // cycles without a transfer on any channel
	Detail string // what was outstanding
}

func (e *HangError) Error() string {
	if e.Idle == 0 {
		return fmt.Sprintf("the run has not ended after %d cycles, many times what its transfers need; %s", e.Cycle, e.Detail)
	}
	return fmt.Sprintf("the engine hangs: no transfer on any channel for %d cycles up to cycle %d; %s", e.Idle, e.Cycle, e.Detail)
}

// unseen is the cycles of the longest transfer that no bus shows anything of: one that is
// made in the engine and dropped there.
func unseen(list *job.List, bytes int) int {
	most := uint64(0)
	for i := range list.Jobs {
		if j := &list.Jobs[i]; j.Src.Protocol == job.Init && j.Dst.Protocol == job.Init {
			most = max(most, max(j.Length, j.Writes())/uint64(bytes)+1)
		}
	}
	return int(most)
}

// outstanding says what a run waits for.
func (r *run) outstanding() string {
	var b strings.Builder
	d := r.course
	fmt.Fprintf(&b, "%d of %d transfers answered", d.done, len(d.jobs))
	if d.accepted > d.done {
		fmt.Fprintf(&b, ", %d running, the oldest is transfer %d (%s)", d.accepted-d.done, d.done, describe(&d.jobs[d.done]))
	}
	if r.drv.offered {
		fmt.Fprintf(&b, ", transfer %d (%s) waits for req_ready", d.accepted, describe(&d.jobs[d.accepted]))
	}
	reads, writes := r.pending()
	fmt.Fprintf(&b, "; %d reads and %d writes outstanding", reads, writes)
	for _, p := range r.b.all {
		b.WriteString(p.stuck())
	}
	if r.p.busy.has {
		fmt.Fprintf(&b, "; busy 0b%08b", r.p.busy.get())
	}
	return b.String()
}
