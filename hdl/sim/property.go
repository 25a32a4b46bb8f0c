package sim

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/millrace-hdl/millrace/hdl/ir"
)

// Checker is an [Engine] that checks the properties of its design: at every edge of
// their domain but those of Reset.
type Checker interface {
	Engine
	// Violated is how many assertions and assumptions have been violated so far.
	Violated() int
	// Checks lists all properties with what is known of them. The order is fixed.
	Checks() []Check
}

// Check is a property and what has become of it.
type Check struct {
	Path string // instance names and the property's name joined by dots, without the top's name
	Kind ir.PropertyKind
	Note string
	Pos  ir.Pos
	// Hit tells that an assertion or assumption was violated, or that what was to be
	// covered happened; Cycle is when for the first time.
	Hit   bool
	Cycle uint64
}

// String says what happened, for example "cycle 12: assert u_fifo.no_overflow is violated".
func (c Check) String() string {
	what := "is violated"
	switch {
	case c.Kind == ir.Cover && c.Hit:
		what = "happened"
	case c.Kind == ir.Cover:
		return fmt.Sprintf("cover %s never happened", c.Path)
	case !c.Hit:
		return fmt.Sprintf("%v %s holds", c.Kind, c.Path)
	}
	s := fmt.Sprintf("cycle %d: %v %s %s", c.Cycle, c.Kind, c.Path, what)
	if c.Note != "" {
		s += ": " + c.Note
	}
	return s
}

// CheckerOf is the checker that an engine is, or that it wraps: an engine around
// another one has a method Unwrap. It is nil if there is none.
func CheckerOf(e Engine) Checker {
	for e != nil {
		if c, ok := e.(Checker); ok {
			return c
		}
		w, ok := e.(interface{ Unwrap() Engine })
		if !ok {
			return nil
		}
		e = w.Unwrap()
	}
	return nil
}

// Violations is an error, a [*ViolationError], that names the violated assertions
// and assumptions of an engine, the first one first. It is nil if there are none,
// or if the engine checks nothing.
func Violations(e Engine) error {
	c := CheckerOf(e)
	if c == nil || c.Violated() == 0 {
		return nil
	}
	v := &ViolationError{}
	for _, x := range c.Checks() {
		if x.Hit && x.Kind != ir.Cover {
			v.Checks = append(v.Checks, x)
		}
	}
	slices.SortStableFunc(v.Checks, func(a, b Check) int { return cmp.Compare(a.Cycle, b.Cycle) })
	return v
}

// ViolationError is what [Violations] found.
type ViolationError struct{ Checks []Check }

func (e *ViolationError) Error() string {
	lines := make([]string, len(e.Checks))
	for i, c := range e.Checks {
		lines[i] = c.String()
	}
	return strings.Join(lines, "\n")
}

// property is one property of one scope.
type property struct {
	decl  *ir.Property
	scope *scope
	known int // slot of a bit that says that it has been hit: from then on it costs nothing
	hit   bool
	cycle uint64
}

func (c *property) clock() int { return c.scope.clocks[c.decl.Domain] }

// cond lowers the condition of a property.
func (l *lowering) cond(c *property) id { return l.ref(c.scope.resolve(c.decl.Cond), 0, 1) }

// event lowers whether this edge is the first hit of any property.
func (l *lowering) event() id {
	hit := l.small(1, 0)
	for _, c := range l.h.checks {
		x := l.cond(c)
		if c.decl.Kind != ir.Cover {
			x = l.not(x)
		}
		hit = l.or(hit, l.ticking(c.clock(), l.and(x, l.not(l.loc(1, c.known)))))
	}
	return hit
}

// check records which properties this edge, not taken yet, hits.
func (m *Model) check() {
	for i, c := range m.checks {
		one := m.slots[m.observe(len(m.vars)+i)] == 1
		if !c.hit && m.ticks(c.clock()) && one == (c.decl.Kind == ir.Cover) {
			c.hit, c.cycle = true, m.cycle
			m.slots[c.known] = 1
			if c.decl.Kind != ir.Cover {
				m.violated++
			}
		}
	}
}

// Violated implements [Checker].
func (m *Model) Violated() int { return m.violated }

// Checks implements [Checker]: in the order of the description, a module before its
// instances.
func (m *Model) Checks() []Check {
	all := make([]Check, len(m.checks))
	for i, c := range m.checks {
		p := c.decl
		all[i] = Check{c.scope.path + p.Name, p.Kind, p.Note, p.Pos, c.hit, c.cycle}
	}
	return all
}
