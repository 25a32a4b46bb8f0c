package hdl

import (
	"fmt"
	"slices"

	"github.com/millrace-hdl/millrace/hdl/diag"
	"github.com/millrace-hdl/millrace/hdl/ir"
)

// Domain is a clock domain of a module: a clock and a reset that come in through
// ports of their own. Every module has one implicit domain with the ports clk and
// rst; what says nothing else belongs to it. A value of one domain reaches a
// register of another only through one that [Crosses], such as the first stage of
// a synchroniser: anything else is a mistake.
type Domain struct {
	m  *Module
	ir *ir.Domain // nil is the implicit domain
}

// ResetKind is how the reset of a domain acts.
type ResetKind = ir.ResetStyle

const (
	DefaultReset = ir.DefaultReset // as the options of the emission say
	SyncHigh     = ir.SyncHigh     // sampled at the clock edge, active high
	SyncLow      = ir.SyncLow      // sampled at the clock edge, active low
	AsyncHigh    = ir.AsyncHigh    // acts at once, active high
	AsyncLow     = ir.AsyncLow     // acts at once, active low
)

// Falling makes the falling edge of a domain's clock the active one.
func Falling() Option { return option("Falling", func(o *options) { o.falling = true }) }

// WithReset says how the reset of a domain acts.
func WithReset(k ResetKind) Option {
	return option("WithReset", func(o *options) { o.resetKind = k })
}

// WithoutReset gives a domain no reset input: its registers have none.
func WithoutReset() Option { return option("WithoutReset", func(o *options) { o.noPort = true }) }

// ClockName names the clock input of a domain; the default is its name and _clk.
func ClockName(s string) Option { return option("ClockName", func(o *options) { o.clockName = s }) }

// ResetName names the reset input of a domain, for a kind of reset that [WithReset]
// says, since the name tells the level. The default is the domain's name and _rst,
// or _rst_n where it is active low.
func ResetName(s string) Option { return option("ResetName", func(o *options) { o.resetName = s }) }

// On puts a register, a port, a port of a memory, a property or the implicit domain
// of an instance into a clock domain.
func On(d *Domain) Option { return option("On", func(o *options) { o.on = d }) }

// Crosses lets a register or a synchronous read port take values of other domains,
// and says why that is safe: the text becomes a comment in the RTL.
func Crosses(why string) Option { return option("Crosses", func(o *options) { o.crossing = why }) }

// Async says that an input belongs to no clock domain, so that only a register that
// [Crosses] may take it, or that an output may carry values of any domain.
func Async() Option { return option("Async", func(o *options) { o.async = true }) }

type bind struct {
	child string
	to    *Domain
}

// Bind clocks the named domain of an instance's module by a domain of this one.
// Without it, that is the domain of the same name.
func Bind(child string, to *Domain) Option {
	return option("Bind", func(o *options) { o.binds = append(o.binds, bind{child, to}) })
}

// Domain declares a clock domain of the module with a clock and a reset input.
// [Falling], [WithReset], [WithoutReset], [ClockName], [ResetName] and [Doc] are its
// options.
func (m *Module) Domain(name string, opts ...Option) *Domain {
	o := apply(opts)
	d := &ir.Domain{Name: name, Clock: o.clockName, Reset: o.resetName, Falling: o.falling, Style: o.resetKind, Pos: m.here()}
	if d.Clock == "" {
		d.Clock = name + "_clk"
	}
	switch {
	case o.noPort:
		d.Reset = ""
	case d.Reset == "" && (d.Style == SyncLow || d.Style == AsyncLow):
		d.Reset = name + "_rst_n"
	case d.Reset == "":
		d.Reset = name + "_rst"
	}
	if m.live() {
		if o.resetName != "" && o.resetKind == DefaultReset {
			m.report(diag.Misuse, fmt.Sprintf("the reset of domain %s is called %s, and the emission chooses its level", name, o.resetName), "say its kind with WithReset too, or leave the name to the language")
		}
		m.allow("domain "+name, o, "Falling", "WithReset", "WithoutReset", "ClockName", "ResetName", "Doc")
		if name == "" {
			m.report(diag.Name, "a clock domain has no name", "give it one; the implicit domain needs no declaration")
			d.Name = "_"
		}
		for _, other := range m.ir.Domains {
			if other.Name == name {
				m.report(diag.Name, fmt.Sprintf("two clock domains are called %s", name), "rename one of them", diag.Related{Pos: other.Pos, Message: "the other one"})
			}
		}
		m.ir.Domains = append(m.ir.Domains, d)
	}
	return &Domain{m, d}
}

// DefaultDomain is the module's implicit domain, with the ports clk and rst.
func (m *Module) DefaultDomain() *Domain { return &Domain{m: m} }

// Within makes d the domain of all that f declares without [On].
func (m *Module) Within(d *Domain, f func()) {
	outer := m.within
	m.within = m.clockOf(d)
	defer func() { m.within = outer }()
	m.run("Within", f)
}

// clock is the domain that the options ask for.
func (o *options) clock(m *Module) *ir.Domain {
	if !slices.Contains(o.given, "On") {
		return m.within
	}
	return m.clockOf(o.on)
}

// clockOf checks that the domain is one of the module's.
func (m *Module) clockOf(d *Domain) *ir.Domain {
	switch {
	case d == nil:
		m.report(diag.Unbound, "a clock domain is missing", "pass what Domain or DefaultDomain returned")
	case d.m != m:
		m.report(diag.Owner, fmt.Sprintf("a clock domain of module %s is used in %s", d.m.ir.Name, m.ir.Name), "declare it in this module too, and Bind it where that is placed")
	default:
		return d.ir
	}
	return nil
}
