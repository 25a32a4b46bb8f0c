package tb

import "github.com/millrace-hdl/millrace/tb/job"

// course is the linear transfers of a run, in the order in which they are launched, and
// how far they are. Those of one back-end end in order; those of several do not.
type course struct {
	jobs     []job.Job
	units    []int  // the back-end of each; nil for one that does all
	accepted int    // those before are launched
	done     int    // those before are answered
	ended    []bool // of each, whether it is answered
}

func newCourse(jobs []job.Job, units []int) *course {
	return &course{jobs: jobs, units: units, ended: make([]bool, len(jobs))}
}

// unit is the back-end of transfer i.
func (c *course) unit(i int) int {
	if c.units == nil {
		return 0
	}
	return c.units[i]
}

// runs reports whether transfer i is launched and not answered.
func (c *course) runs(i int) bool { return i < c.accepted && !c.ended[i] }

// finished reports whether all transfers are answered.
func (c *course) finished() bool { return c.done == len(c.jobs) }

// end is transfer i answered.
func (c *course) end(i int) {
	c.ended[i] = true
	for c.done < len(c.jobs) && c.ended[c.done] {
		c.done++
	}
}
