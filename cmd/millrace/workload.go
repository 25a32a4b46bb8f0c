package main

import (
	"fmt"
	"os"
	"time"

	"github.com/millrace-hdl/millrace/hdl/ir"
	"github.com/millrace-hdl/millrace/hdl/sim"
	"github.com/millrace-hdl/millrace/hdl/sim/wave"
	"github.com/millrace-hdl/millrace/idma/backend"
	"github.com/millrace-hdl/millrace/tb"
	"github.com/millrace-hdl/millrace/verilator"
)

// workload is what the speed of engines is measured with.
type workload struct {
	name             string
	width, instances int
	size, latency    int // bytes of a transfer, cycles of the memory
}

// workloads are those that the command line asks for.
func (c simspeedCmd) workloads() []workload {
	var list []workload
	for _, name := range c.Workloads {
		for i, width := range c.Widths {
			switch name {
			case "busy":
				list = append(list, workload{name, width, 1, 64, 13})
			case "waiting":
				list = append(list, workload{name, width, 1, width / 8, 200})
			case "many":
				if i == 0 {
					list = append(list, workload{name, width, 16, 64, 13})
				}
			}
		}
	}
	return list
}

// design elaborates the design of a workload: one engine, or several side by side.
func (w workload) design() (*ir.Design, error) {
	d, err := backend.Elaborate(engineConfig(w.width, 8))
	if err != nil || w.instances == 1 {
		return d, err
	}
	return sideBySide(d, w.instances), nil
}

// sideBySide is a top with n instances of a design, whose ports it has n times.
func sideBySide(d *ir.Design, n int) *ir.Design {
	top := &ir.Module{Name: "side_by_side"}
	for i := range n {
		inst := &ir.Instance{Name: fmt.Sprintf("u%d", i), Of: d.Top}
		top.Instances = append(top.Instances, inst)
		for _, p := range d.Top.Ports() {
			outer := &ir.Signal{Name: fmt.Sprintf("u%d_%s", i, p.Name), Kind: p.Kind, Type: p.Type}
			inner := &ir.Signal{Name: fmt.Sprintf("i%d_%s", i, p.Name), Kind: ir.InstIn, Type: p.Type, Inst: inst, Port: p}
			to, from := inner, outer
			if p.Kind == ir.Output {
				inner.Kind, to, from = ir.InstOut, outer, inner
			}
			inst.Conns = append(inst.Conns, inner)
			top.Signals = append(top.Signals, outer, inner)
			top.Body = append(top.Body, &ir.Assign{Target: to, Width: p.Type.Width, Value: &ir.Ref{Signal: from}})
		}
	}
	return &ir.Design{Top: top, Modules: append(append([]*ir.Module(nil), d.Modules...), top)}
}

// stimulus is the input words of every cycle of a run.
type stimulus struct {
	words, cycles int
	in            []uint64
}

// recorder takes the inputs of an engine as a stimulus.
type recorder struct {
	stimulus
	eng sim.Engine
}

// Sample implements wave.Tracer.
func (r *recorder) Sample(next wave.Edge) error {
	if !next.Reset {
		r.in = append(r.in, r.eng.In()...)
		r.cycles++
	}
	return nil
}

// replay runs the stimulus and returns the time it took.
func (s *stimulus) replay(e sim.Engine) (time.Duration, error) {
	if err := e.Reset(2); err != nil {
		return 0, err
	}
	in := e.In()
	start := cpuTime()
	for c := range s.cycles {
		copy(in, s.in[c*s.words:][:s.words])
		if err := e.Step(); err != nil {
			return 0, err
		}
	}
	return cpuTime() - start, nil
}

// record takes the inputs of a stream of misaligned transfers. Several engines get
// them at different times.
func (a *app) record(w workload) (*stimulus, error) {
	one := w
	one.instances = 1
	eng, err := coldGo(sim.Auto)(one)
	if err != nil {
		return nil, err
	}
	defer func() { _ = eng.Close() }()
	list, err := tb.Stream(tb.StreamConfig{Size: uint64(w.size), Bytes: w.width / 8, AddrWidth: engineConfig(w.width, 8).AddrWidth, Misaligned: true})
	if err != nil {
		return nil, err
	}
	r := &recorder{stimulus{words: len(eng.In())}, eng}
	if _, err = tb.Run(a.ctx, wave.Trace(eng, r), list, tb.RunConfig{
		ReadLatency: w.latency, WriteLatency: w.latency, Memory: tb.Separate, Launch: tb.BackToBack, ReadyCheck: -1,
	}); err != nil || w.instances == 1 {
		return &r.stimulus, err
	}
	const most, apart = 1000, 37 // cycles
	all := &stimulus{words: r.words * w.instances, cycles: min(most, r.cycles)}
	for c := range all.cycles {
		for i := range w.instances {
			all.in = append(all.in, r.in[(c+i*apart)%r.cycles*r.words:][:r.words]...)
		}
	}
	return all, nil
}

func coldGo(kind sim.Kind) func(workload) (sim.Engine, error) {
	return func(w workload) (sim.Engine, error) {
		d, err := w.design()
		if err != nil {
			return nil, err
		}
		return sim.New(d, sim.Options{Kind: kind, Unchecked: true}) // as the RTL is measured
	}
}

// coldVerilator builds in a cache of its own, which is removed, and without the
// compiler's.
func (a *app) coldVerilator(flags []string, level ...string) func(workload) (sim.Engine, error) {
	return func(w workload) (sim.Engine, error) {
		const noCcache = "CCACHE_DISABLE"
		if before, set := os.LookupEnv(noCcache); !set {
			defer func() { _ = os.Unsetenv(noCcache) }()
		} else {
			defer func() { _ = os.Setenv(noCcache, before) }()
		}
		if err := os.Setenv(noCcache, "1"); err != nil {
			return nil, err
		}
		d, err := w.design()
		if err != nil {
			return nil, err
		}
		dir, err := os.MkdirTemp("", "millrace-simspeed-*")
		if err != nil {
			return nil, err
		}
		defer func() { _ = os.RemoveAll(dir) }()
		cache, err := verilator.OpenCache(dir)
		if err != nil {
			return nil, err
		}
		lib, err := verilator.Build(a.ctx, d, verilator.Options{Cache: cache, Flags: flags, Level: level})
		if err != nil {
			return nil, err
		}
		return lib.New(0)
	}
}
