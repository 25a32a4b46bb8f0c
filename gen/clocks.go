package gen

import (
	"fmt"

	"github.com/millrace-hdl/millrace/hdl/ir"
)

// clockPort is a clock or reset input of the module.
type clockPort struct {
	sig  *ir.Signal // for its name and place
	used bool
}

// styleOf is how the reset of a domain acts in this emission.
func (o Options) styleOf(d *ir.Domain) ResetStyle {
	if d != nil {
		switch d.Style {
		case ir.SyncHigh:
			return SyncHigh
		case ir.SyncLow:
			return SyncLow
		case ir.AsyncHigh:
			return AsyncHigh
		case ir.AsyncLow:
			return AsyncLow
		}
	}
	return o.Reset
}

// clockName is the clock input of a domain of any module.
func clockName(d *ir.Domain) string {
	if d == nil {
		return Clock
	}
	return d.Clock
}

// ResetPort is the name of the reset input of a domain, nil for the implicit one, in
// this emission. It is empty where a named domain has none. Where the level is that
// of the emission, _n marks an active low one.
func (o Options) ResetPort(d *ir.Domain) string {
	switch {
	case d == nil:
		return o.Reset.Port()
	case d.Style == ir.DefaultReset && d.Reset != "" && !o.Reset.High():
		return d.Reset + "_n"
	}
	return d.Reset
}

// clocksOf lists the clock and reset inputs of a module: those of the implicit
// domain where it is used, then those of the named ones.
func (o Options) clocksOf(m *ir.Module) []domainPort {
	var list []domainPort
	if m.Clocked() {
		list = append(list, domainPort{nil, false})
	}
	if m.Resettable() {
		list = append(list, domainPort{nil, true})
	}
	for _, d := range m.Domains {
		list = append(list, domainPort{d, false})
		if d.Reset != "" {
			list = append(list, domainPort{d, true})
		}
	}
	return list
}

// domainPort is the clock or the reset of a domain.
type domainPort struct {
	domain *ir.Domain
	reset  bool
}

func (o Options) portName(p domainPort) string {
	if p.reset {
		return o.ResetPort(p.domain)
	}
	return clockName(p.domain)
}

// claimClocks takes the names of the clocks and resets.
func (u *unit) claimClocks(clocks []domainPort) error {
	for _, p := range clocks {
		name := u.o.portName(p)
		if err := u.claim(name, "clock domain port"); err != nil {
			return err
		}
		s := &ir.Signal{Name: name, Kind: ir.Input, Type: ir.Type{Width: 1}, Module: u.m}
		if p.domain != nil {
			s.Pos = p.domain.Pos
		}
		u.clocks = append(u.clocks, clockPort{sig: s})
	}
	for _, i := range u.m.Instances {
		for _, p := range u.o.clocksOf(i.Of) {
			outer := i.Outer(p.domain)
			if !p.reset || outer == nil || outer.Reset != "" {
				continue
			}
			if _, needed := i.Of.Uses(p.domain, false); needed {
				return fmt.Errorf("instance %s needs a reset %s, and its clock domain %s has none; give the domain a reset",
					i.Name, u.o.portName(p), outer.Name)
			}
		}
	}
	return nil
}

// clockOf is what a clock or reset of an instance is connected to. Edges and levels
// that differ are inverted: a domain is its active edges.
func (u *unit) clockOf(i *ir.Instance, p domainPort) string {
	outer := i.Outer(p.domain)
	name, invert := u.o.portName(domainPort{outer, p.reset}), false
	if p.reset {
		invert = u.o.styleOf(outer).High() != u.o.styleOf(p.domain).High()
	} else {
		invert = falling(outer) != falling(p.domain)
	}
	switch {
	case !u.hasClock(name):
		// Nothing below reacts to it.
		if p.reset && !u.o.styleOf(p.domain).High() {
			return "1'b1"
		}
		return "1'b0"
	case invert:
		return "!" + name
	}
	return name
}

func falling(d *ir.Domain) bool { return d != nil && d.Falling }

func (u *unit) hasClock(name string) bool {
	for _, c := range u.clocks {
		if c.sig.Name == name {
			return true
		}
	}
	return false
}

// useClock notes that something reacts to a clock or reset of the module.
func (u *unit) useClock(p domainPort) {
	for i := range u.clocks {
		if u.clocks[i].sig.Name == u.o.portName(p) {
			u.clocks[i].used = true
		}
	}
}

// unusedClocks lists the clocks and resets of named domains that nothing reacts to.
func (u *unit) unusedClocks() []ir.Expr {
	for _, b := range u.blocks {
		if q, ok := b.(*seq); ok {
			u.useClock(domainPort{q.domain, false})
			if q.reset {
				u.useClock(domainPort{q.domain, true})
			}
		}
	}
	for _, i := range u.m.Instances {
		for _, p := range u.o.clocksOf(i.Of) {
			u.useClock(domainPort{i.Outer(p.domain), p.reset})
		}
	}
	var list []ir.Expr
	for _, c := range u.clocks {
		if !c.used {
			list = append(list, ref(c.sig))
		}
	}
	return list
}
