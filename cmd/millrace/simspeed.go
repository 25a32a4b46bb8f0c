package main

import (
	"fmt"
	"slices"
	"time"

	"github.com/jedib0t/go-pretty/v6/table"

	"github.com/millrace-hdl/millrace/cmd/millrace/internal/config"
	"github.com/millrace-hdl/millrace/hdl/sim"
	"github.com/millrace-hdl/millrace/idma/backend"
)

// simspeedCmd is `millrace bench simspeed`.
type simspeedCmd struct {
	Widths    []int    `default:"64,512" placeholder:"BITS" help:"Data widths to measure."`
	Workloads []string `enum:"busy,waiting,many" default:"busy,waiting,many" help:"busy: small transfers, memory answers after 13 cycles; waiting: after 200; many: 16 engines, at the first width."`
	Best      bool     `default:"true" negatable:"" help:"Build Verilator's model with the flags that make it fastest, too."`
	Rounds    int      `default:"9" help:"How often each engine runs; figures are medians."`
	JSON      bool     `name:"json" help:"Print one JSON object."`
}

// Help is what --help adds.
func (simspeedCmd) Help() string {
	return `The inputs of a real run are recorded and then replayed on each engine in turn, so that only the engines are
measured, all ports in every cycle, in time of the processor. "start-up" is from the description to the first cycle,
with nothing cached. The Go model runs compiled and interpreted; Verilator's model is built with -O3, by Verilator and
the compiler, and with what is known to make it faster: not inlined, for this processor.

Examples:
  millrace bench simspeed
  millrace bench simspeed --json
  millrace bench simspeed --widths 64 --workloads busy --no-best --rounds 3 --json`
}

// simspeedRow is the speed of one engine on one design.
type simspeedRow struct {
	Design           string  `json:"design"`
	Width            int     `json:"width"` // bits
	Instances        int     `json:"instances"`
	Workload         string  `json:"workload"`
	Engine           string  `json:"engine"`
	Variant          string  `json:"variant"`
	CyclesPerSecond  float64 `json:"cycles_per_second"`
	StartupSeconds   float64 `json:"startup_seconds"`
	RatioToVerilator float64 `json:"ratio_to_verilator"`      // built with -O3
	RatioToBest      float64 `json:"ratio_to_best_verilator"` // the fastest of all that are built
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
	loads := c.workloads()
	var rows []simspeedRow
	bar := a.bar(len(loads)*c.Rounds, "measuring")
	for _, w := range loads {
		of, err := a.simspeed(w, c.contenders(a), c.Rounds, func() { _ = bar.Add(1) })
		if err != nil {
			return err
		}
		rows = append(rows, of...)
	}
	_ = bar.Clear()
	if c.JSON {
		return a.printJSON(struct {
			Rows []simspeedRow `json:"rows"`
		}{rows})
	}
	t := newTable([]any{"design", "bits", "instances", "workload", "engine", "variant", "cycles/s", "start-up, s", "× Verilator", "× best"},
		"bits", "instances", "cycles/s", "start-up, s", "× Verilator", "× best")
	for _, r := range rows {
		t.AppendRow(table.Row{r.Design, r.Width, r.Instances, r.Workload, r.Engine, r.Variant, fmt.Sprintf("%.0f", r.CyclesPerSecond),
			fmt.Sprintf("%.3f", r.StartupSeconds), fmt.Sprintf("%.2f", r.RatioToVerilator), fmt.Sprintf("%.2f", r.RatioToBest)})
	}
	t.SetTitle("Simulation speed, engines in turn")
	return a.printTable(t)
}

// contender is one way to run a design.
type contender struct {
	engine, variant string
	start           func(load workload) (sim.Engine, error)
}

// contenders are the engines to compare. The first of Verilator's is the one that
// ratios refer to.
func (c simspeedCmd) contenders(a *app) []contender {
	list := []contender{
		{engineGo, "compiled", coldGo(sim.Compiled)},
		{engineGo, "interpreter", coldGo(sim.Interpreter)},
		{engineVerilator, "-O3", a.coldVerilator([]string{"-O3"}, "-O3")},
	}
	if c.Best {
		fast := []string{"-O3", "--x-assign", "fast", "--x-initial", "fast"}
		list = append(list,
			contender{engineVerilator, "-O3 -march=native", a.coldVerilator(fast, "-O3", "-march=native")},
			contender{engineVerilator, "-O3 -march=native -fno-inline", a.coldVerilator(append(fast[:len(fast):len(fast)], "-fno-inline"), "-O3", "-march=native")})
	}
	return list
}

// simspeed measures all engines on one workload.
func (a *app) simspeed(w workload, list []contender, rounds int, tick func()) ([]simspeedRow, error) {
	s, err := a.record(w)
	if err != nil {
		return nil, err
	}
	engines, rows, speeds := make([]sim.Engine, len(list)), make([]simspeedRow, len(list)), make([][]float64, len(list))
	for i, c := range list {
		begin := time.Now()
		if engines[i], err = c.start(w); err != nil {
			return nil, err
		}
		defer func() { _ = engines[i].Close() }()
		rows[i] = simspeedRow{Design: "idma.backend", Width: w.width, Instances: w.instances, Workload: w.name,
			Engine: c.engine, Variant: c.variant, StartupSeconds: time.Since(begin).Seconds()}
	}
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
		tick()
	}
	compare(rows, speeds)
	return rows, nil
}

// compare fills in the medians of speeds and of ratios in the same round.
func compare(rows []simspeedRow, speeds [][]float64) {
	ratio := func(i, j int) float64 {
		var rs []float64
		for k := range speeds[i] {
			rs = append(rs, speeds[i][k]/speeds[j][k])
		}
		return median(rs)
	}
	first, best := -1, -1
	for i := range rows {
		rows[i].CyclesPerSecond = median(speeds[i])
		if rows[i].Engine != engineVerilator {
			continue
		}
		if first < 0 {
			first, best = i, i
		} else if rows[i].CyclesPerSecond > rows[best].CyclesPerSecond {
			best = i
		}
	}
	for i := range rows {
		rows[i].RatioToVerilator, rows[i].RatioToBest = ratio(i, first), ratio(i, best)
	}
}

func median(xs []float64) float64 {
	s := slices.Sorted(slices.Values(xs))
	return (s[(len(s)-1)/2] + s[len(s)/2]) / 2
}
