package main

import (
	"fmt"
	"time"

	"github.com/millrace-hdl/millrace/hdl/ir"
	"github.com/millrace-hdl/millrace/hdl/sim"
	"github.com/millrace-hdl/millrace/verilator"
)

// The engines by the names that --engine takes.
const (
	engineGo        = "go"
	engineVerilator = "verilator"
	engineLockstep  = "lockstep"
)

// maker makes running models of one design on one engine.
type maker struct {
	engine  string
	design  *ir.Design
	library *verilator.Library // nil for the Go model
	startup time.Duration      // what the preparation took
	kind    sim.Kind           // of the Go model
}

// newMaker prepares an engine: Verilator compiles, or finds its build in the cache.
func (a *app) newMaker(engine string, d *ir.Design) (*maker, error) {
	m := &maker{engine: engine, design: d}
	if engine == engineGo {
		return m, nil
	}
	start := time.Now()
	bar := a.bar(-1, "building the model")
	defer func() { _ = bar.Clear() }()
	lib, err := verilator.Build(a.ctx, d, verilator.Options{
		State: engine == engineLockstep,
		Progress: func(stage string) {
			bar.Describe(stage)
			_ = bar.RenderBlank()
		},
	})
	if err != nil {
		return nil, err
	}
	m.library, m.startup = lib, time.Since(start)
	return m, nil
}

// run makes a model whose state without reset starts from the seed.
func (m *maker) run(seed uint64) (sim.Engine, error) {
	if m.engine == engineVerilator {
		return m.library.New(seed)
	}
	model, err := sim.New(m.design, sim.Options{Seed: seed, Kind: m.kind})
	if err != nil || m.engine == engineGo {
		return model, err
	}
	rtl, err := m.library.New(seed)
	if err != nil {
		return nil, fmt.Errorf("starting the RTL: %w", err)
	}
	return verilator.NewLockstep(model, rtl, verilator.LockstepOptions{})
}
