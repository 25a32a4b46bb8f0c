package irtest

import (
	"slices"

	"github.com/millrace-hdl/millrace/hdl/ir"
)

// check records the properties that an edge of the domains hits for the first time.
func (r *Reference) check(domains []*ir.Domain) {
	for _, p := range r.places {
		for _, c := range p.mod.Properties {
			path := p.path + c.Name
			if _, known := r.hits[path]; known || !slices.Contains(domains, p.clock[c.Domain]) {
				continue
			}
			if one := p.value[c.Cond].Sign() != 0; one == (c.Kind == ir.Cover) {
				r.hits[path] = r.cycle
			}
		}
	}
}

// Hit is the cycle in which an assertion or assumption was violated, or what was to
// be covered happened, for the first time. The path is made of the names of
// instances and of the property, joined by dots.
func (r *Reference) Hit(path string) (cycle uint64, ok bool) {
	cycle, ok = r.hits[path]
	return cycle, ok
}
