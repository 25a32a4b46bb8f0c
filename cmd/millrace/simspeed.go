package main

import (
	"fmt"
	"os"
	"slices"
	"time"

	"github.com/jedib0t/go-pretty/v6/table"

	"github.com/millrace-hdl/millrace/cmd/millrace/internal/config"
	"github.com/millrace-hdl/millrace/hdl/sim"
	"github.com/millrace-hdl/millrace/hdl/sim/wave"
	"github.com/millrace-hdl/millrace/idma/backend"
	"github.com/millrace-hdl/millrace/tb"
	"github.com/millrace-hdl/millrace/verilator"
)

// simspeedCmd is `millrace bench simspeed`.
type simspeedCmd struct {
	Widths []int `default:"32,512" placeholder:"BITS" help:"Data widths to measure."`
	Rounds int   `default:"9" help:"How often each engine runs; figures are medians."`
	JSON   bool  `name:"json" help:"Print one JSON object."`
}

// Help is what --help adds.
func (simspeedCmd) Help() string {
	return `The inputs of a real run are recorded and then replayed on each engine in turn, so that only the engines are
measured, all ports in every cycle. "start-up" is from the description to the first cycle, with nothing cached.

Examples:
  millrace bench simspeed
  millrace bench simspeed --widths 64 --rounds 3 --json`
}

// simspeedRow is the speed of one engine on one design.
type simspeedRow struct {
	Design           string  `json:"design"`
	Width            int     `json:"width"` // bits
	Engine           string  `json:"engine"`
	CyclesPerSecond  float64 `json:"cycles_per_second"`
	StartupSeconds   float64 `json:"startup_seconds"`
	RatioToVerilator float64 `json:"ratio_to_verilator"`
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
	start := time.Now()
	for c := range s.cycles {
		copy(in, s.in[c*s.words:])
		if err := e.Step(); err != nil {
			return 0, err
		}
	}
	return time.Since(start), nil
}

// Run carries out the command.
func (c simspeedCmd) Run(a *app) error {
	if c.Rounds < 1 {
		return usagef("--rounds is %d; at least 1", c.Rounds)
	}
	for _, width := range c.Widths {
		if err := engineConfig(width, 8).Validate(); err != nil {
			return usagef("--widths %d: %s", width, config.InKeys(&backend.Config{}, err))
		}
	}
	var rows []simspeedRow
	bar := a.bar(len(c.Widths)*c.Rounds, "measuring")
	for _, width := range c.Widths {
		pair, err := a.simspeed(width, c.Rounds, func() { _ = bar.Add(1) })
		if err != nil {
			return err
		}
		rows = append(rows, pair...)
	}
	_ = bar.Clear()
	if c.JSON {
		return a.printJSON(struct {
			Rows []simspeedRow `json:"rows"`
		}{rows})
	}
	t := newTable([]any{"design", "bits", "engine", "cycles/s", "start-up, s", "× Verilator"}, "bits", "cycles/s", "start-up, s", "× Verilator")
	for _, r := range rows {
		t.AppendRow(table.Row{r.Design, r.Width, r.Engine, fmt.Sprintf("%.0f", r.CyclesPerSecond),
			fmt.Sprintf("%.3f", r.StartupSeconds), fmt.Sprintf("%.3f", r.RatioToVerilator)})
	}
	t.SetTitle("Simulation speed, engines in turn")
	return a.printTable(t)
}

// simspeed measures both engines at one width.
func (a *app) simspeed(width, rounds int, tick func()) ([]simspeedRow, error) {
	cfg := engineConfig(width, 8)
	s, err := a.record(cfg)
	if err != nil {
		return nil, err
	}
	names := []string{engineGo, engineVerilator}
	engines, startup := make([]sim.Engine, 2), make([]float64, 2)
	for i, start := range []func(backend.Config) (sim.Engine, error){coldGo, a.coldVerilator} {
		begin := time.Now()
		if engines[i], err = start(cfg); err != nil {
			return nil, err
		}
		defer func() { _ = engines[i].Close() }()
		startup[i] = time.Since(begin).Seconds()
	}
	speeds, ratios := make([][]float64, 2), []float64(nil)
	for range rounds {
		for i, e := range engines {
			if err := a.ctx.Err(); err != nil {
				return nil, err
			}
			took, err := s.replay(e)
			if err != nil {
				return nil, err
			}
			speeds[i] = append(speeds[i], float64(s.cycles)/took.Seconds())
		}
		ratios = append(ratios, speeds[0][len(speeds[0])-1]/speeds[1][len(speeds[1])-1])
		tick()
	}
	rows := make([]simspeedRow, 2)
	for i, name := range names {
		rows[i] = simspeedRow{Design: "idma.backend", Width: width, Engine: name, CyclesPerSecond: median(speeds[i]),
			StartupSeconds: startup[i], RatioToVerilator: 1}
	}
	rows[0].RatioToVerilator = median(ratios)
	return rows, nil
}

// record takes the inputs of a stream of small misaligned transfers.
func (a *app) record(cfg backend.Config) (*stimulus, error) {
	eng, err := coldGo(cfg)
	if err != nil {
		return nil, err
	}
	list, err := tb.Stream(tb.StreamConfig{Size: 64, Bytes: cfg.DataWidth / 8, AddrWidth: cfg.AddrWidth, Misaligned: true})
	if err != nil {
		return nil, err
	}
	r := &recorder{stimulus{words: len(eng.In())}, eng}
	_, err = tb.Run(a.ctx, wave.Trace(eng, r), list, tb.RunConfig{
		ReadLatency: 13, WriteLatency: 13, Memory: tb.Separate, Launch: tb.BackToBack, ReadyCheck: -1,
	})
	return &r.stimulus, err
}

func coldGo(cfg backend.Config) (sim.Engine, error) {
	d, err := backend.Elaborate(cfg)
	if err != nil {
		return nil, err
	}
	return sim.New(d, sim.Options{})
}

// coldVerilator builds in a cache of its own, which is removed, and without the
// compiler's.
func (a *app) coldVerilator(cfg backend.Config) (sim.Engine, error) {
	const noCcache = "CCACHE_DISABLE"
	if before, set := os.LookupEnv(noCcache); !set {
		defer func() { _ = os.Unsetenv(noCcache) }()
	} else {
		defer func() { _ = os.Setenv(noCcache, before) }()
	}
	if err := os.Setenv(noCcache, "1"); err != nil {
		return nil, err
	}
	d, err := backend.Elaborate(cfg)
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
	lib, err := verilator.Build(a.ctx, d, verilator.Options{Cache: cache})
	if err != nil {
		return nil, err
	}
	return lib.New(0)
}

func median(xs []float64) float64 {
	s := slices.Sorted(slices.Values(xs))
	return (s[(len(s)-1)/2] + s[len(s)/2]) / 2
}
