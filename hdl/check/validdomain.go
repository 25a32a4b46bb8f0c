package check

import (
	"fmt"

	"github.com/millrace-hdl/millrace/hdl/diag"
	"github.com/millrace-hdl/millrace/hdl/ir"
)

// domains checks the list of clock domains.
func (v *validator) domains() {
	v.clocksOf = map[*ir.Domain]bool{nil: true}
	for i, d := range v.m.Domains {
		switch {
		case d == nil:
			v.misuse(v.m.Pos, "clock domain %d of module %s is nil", i, v.m.Name)
			continue
		case v.clocksOf[d]:
			v.misuse(d.Pos, "clock domain %s is listed twice", d.Name)
		case d.Name == "" || d.Clock == "":
			v.misuse(d.Pos, "clock domain %q has the clock %q; both need a name", d.Name, d.Clock)
		case d.Style > ir.AsyncLow:
			v.misuse(d.Pos, "clock domain %s has a reset style that does not exist", d.Name)
		}
		v.clocksOf[d] = true
	}
}

// domain checks that a domain is one of the module's.
func (v *validator) domain(d *ir.Domain, pos ir.Pos, of string) {
	if !v.clocksOf[d] {
		v.report(diag.Owner, pos, fmt.Sprintf("%s is in clock domain %s, which is none of module %s", of, d.Name, v.m.Name),
			"declare the domain in the module")
	}
}

// clocks checks the domains that an instance is bound to.
func (v *validator) clocks(i *ir.Instance) {
	of := "instance " + i.Name
	v.domain(i.Domain, i.Pos, of)
	if len(i.Domains) != len(i.Of.Domains) {
		v.misuse(i.Pos, "%s binds %s, module %s has %d", of, count(len(i.Domains), "clock domain"), i.Of.Name, len(i.Of.Domains))
		return
	}
	for _, d := range i.Domains {
		v.domain(d, i.Pos, of)
	}
}

// signalFlags checks what only some kinds of signals may be.
func (v *validator) signalFlags(s *ir.Signal) {
	port := s.Kind == ir.Input || s.Kind == ir.Output
	state := s.Kind == ir.Reg || s.Kind == ir.SyncRead
	for _, f := range []struct {
		set  bool
		fits bool
		text string
	}{
		{s.Domain != nil, port || state, "has a clock domain; only registers, read data and ports have one"},
		{s.Async, port, "is asynchronous; only ports are"},
		{s.Crossing != "", state, "may cross clock domains; only registers and read data may"},
		{s.Ghost, s.Kind == ir.Wire || s.Kind == ir.Reg, "is a ghost; only wires and registers are"},
		{s.Registered, s.Kind == ir.Output && v.m.Extern != nil, "is marked as registered; only outputs of black boxes are"},
	} {
		if f.set && !f.fits {
			v.misuse(s.Pos, "%s %s", what(s), f.text)
		}
	}
	if s.Init != nil && s.Domain != nil && s.Domain.Reset == "" && s.Kind == ir.Reg {
		v.misuse(s.Pos, "%s has a reset value; clock domain %s has no reset", what(s), s.Domain.Name)
	}
}

func (v *validator) properties() {
	for i, p := range v.m.Properties {
		switch {
		case p == nil:
			v.misuse(v.m.Pos, "property %d of module %s is nil", i, v.m.Name)
			continue
		case p.Kind > ir.Cover:
			v.misuse(p.Pos, "property %s is of a kind that does not exist", p.Name)
		case p.Cond == nil || !v.owns[p.Cond] || !p.Cond.Ghost || p.Cond.Kind != ir.Wire || p.Cond.Type.Width != 1:
			v.misuse(p.Pos, "property %s is not a ghost wire of 1 bit of this module", p.Name)
		}
		v.domain(p.Domain, p.Pos, "property "+p.Name)
	}
}

// blackBox checks that a black box has ports and domains only.
func (v *validator) blackBox() {
	m := v.m
	if m.Extern == nil {
		return
	}
	if len(m.Mems)+len(m.Instances)+len(m.Body)+len(m.Properties) > 0 {
		v.misuse(m.Pos, "black box %s has contents", m.Name)
	}
	for _, s := range m.Signals {
		if s.Kind != ir.Input && s.Kind != ir.Output {
			v.misuse(s.Pos, "%s of black box %s is no port", what(s), m.Name)
		}
	}
}
