package main

import (
	"fmt"
	"slices"

	"github.com/millrace-hdl/millrace/cmd/millrace/internal/config"
	"github.com/millrace-hdl/millrace/gen"
	"github.com/millrace-hdl/millrace/hdl/ir"
	"github.com/millrace-hdl/millrace/hdl/lib"
	"github.com/millrace-hdl/millrace/idma"
	"github.com/millrace-hdl/millrace/idma/backend"
	"github.com/millrace-hdl/millrace/idma/compute"
	"github.com/millrace-hdl/millrace/idma/frontend"
	"github.com/millrace-hdl/millrace/idma/midend"
	"github.com/millrace-hdl/millrace/internal/near"
	"github.com/millrace-hdl/millrace/tb/software"
)

// design is an entry of the catalogue.
type design struct {
	name    string // dotted
	summary string
	// defaults returns a pointer to a fresh configuration struct.
	defaults func() any
	// check says what is out of range in a configuration that defaults returned.
	check func(cfg any) error
	// elaborate builds the design for it.
	elaborate func(cfg any) (*ir.Design, error)
	// facts are files beside the RTL, such as a C header; nil if there are none.
	facts  func(cfg any) ([]gen.File, error)
	engine bool // it moves bytes and so runs job files
	// software is the front-end that launches the transfers of a whole engine; nil for
	// others.
	software func(cfg any) software.Target
}

// catalogue is every design, in the order of the list.
func catalogue() []design {
	all := []design{
		entry("idma.backend", "the engine: moves bytes from any to any address, between ports of any of its protocols",
			backend.Default(), backend.Elaborate),
	}
	for _, p := range idma.Catalogue() {
		all = append(all, whole(p))
	}
	for i := range all {
		all[i].engine = true
	}
	for _, e := range frontend.Catalogue() {
		all = append(all, design{name: "frontend." + e.Name, summary: e.Summary, defaults: e.Defaults, check: e.Check, elaborate: e.Elaborate, facts: e.Facts})
	}
	for _, e := range midend.Catalogue() {
		all = append(all, design{name: "midend." + e.Name, summary: e.Summary, defaults: e.Defaults, check: e.Check, elaborate: e.Elaborate})
	}
	for _, e := range compute.Catalogue() {
		all = append(all, design{name: "compute." + e.Name, summary: e.Summary, defaults: e.Defaults, check: e.Check, elaborate: e.Elaborate})
	}
	for _, e := range lib.Catalogue() {
		all = append(all, design{name: "lib." + e.Name, summary: e.Summary, defaults: e.Defaults, check: e.Check, elaborate: e.Elaborate})
	}
	return all
}

// entry makes a catalogue entry from a package's configuration type.
func entry[C interface{ Validate() error }](name, summary string, defaults C, elaborate func(C) (*ir.Design, error)) design {
	return design{
		name:      name,
		summary:   summary,
		defaults:  func() any { c := defaults; return &c },
		check:     func(cfg any) error { return (*cfg.(*C)).Validate() },
		elaborate: func(cfg any) (*ir.Design, error) { return elaborate(*cfg.(*C)) },
	}
}

// whole is the entry of a whole engine.
func whole(p idma.Preset) design {
	d := entry(p.Name, p.Summary, p.Config, idma.Elaborate)
	d.facts = func(cfg any) ([]gen.File, error) { return cfg.(*idma.Config).Facts() }
	d.software = func(cfg any) software.Target { return software.Of(*cfg.(*idma.Config)) }
	return d
}

// find returns the design of that name, or an error that lists near names.
func find(name string) (design, error) {
	all := catalogue()
	i := slices.IndexFunc(all, func(d design) bool { return d.name == name })
	if i < 0 {
		names := make([]string, len(all))
		for i, d := range all {
			names[i] = d.name
		}
		return design{}, usagef("unknown design %q; %s (millrace list shows all)", name, near.Hint("design", name, names))
	}
	return all[i], nil
}

// target is the argument and the flags that choose and shape a design.
type target struct {
	Design string   `arg:"" help:"Dotted name of the design; millrace list shows all."`
	Config string   `short:"c" placeholder:"FILE.yaml" help:"Configuration: a mapping of snake_case keys."`
	Set    []string `placeholder:"KEY=VALUE" sep:"none" help:"Set one key, after the file; may be repeated."`
}

// configured is a design with its checked configuration.
type configured struct {
	design
	cfg any
}

func (t target) load() (configured, error) {
	d, err := find(t.Design)
	if err != nil {
		return configured{}, err
	}
	cfg := d.defaults()
	if err := config.Load(cfg, t.Config, t.Set); err != nil {
		return configured{}, usagef("%s: %s", d.name, oneLine(err))
	}
	if err := d.check(cfg); err != nil {
		return configured{}, usagef("%s cannot be built with this configuration: %s", d.name, config.InKeys(cfg, err))
	}
	return configured{d, cfg}, nil
}

// target is the front-end that launches transfers, or nil.
func (c configured) target() *software.Target {
	if c.software == nil {
		return nil
	}
	t := c.software(c.cfg)
	return &t
}

// operations are those of a back-end.
func (c configured) operations() compute.Set {
	if b, ok := c.cfg.(*backend.Config); ok {
		return b.Compute
	}
	return compute.Set{}
}

func (c configured) build() (*ir.Design, error) {
	d, err := c.elaborate(c.cfg)
	if err != nil {
		return nil, fmt.Errorf("%s does not elaborate: %w", c.name, err)
	}
	return d, nil
}

// settings are the configuration's keys and values, for results.
func (c configured) settings() map[string]any { return config.Values(c.cfg) }
