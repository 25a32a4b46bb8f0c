package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/schollz/progressbar/v3"

	"github.com/millrace-hdl/millrace/hdl/sim"
	"github.com/millrace-hdl/millrace/tb"
	"github.com/millrace-hdl/millrace/tb/job"
	"github.com/millrace-hdl/millrace/tb/mem"
)

// simCmd is `millrace sim`.
type simCmd struct {
	target
	Jobs         string   `required:"" placeholder:"FILE" help:"Transfers to run: YAML, or the line format of the public iDMA job files."`
	Dims         int      `default:"1" placeholder:"N" help:"Dimensions of the transfers of a file in the line format, 1 to 16."`
	Engine       string   `enum:"go,verilator,lockstep" default:"go" placeholder:"ENGINE" help:"go: the model in process; verilator: the emitted RTL; lockstep: both, compared in every cycle."`
	Model        string   `enum:"auto,compiled,interpreter" default:"auto" placeholder:"KIND" help:"How the Go model computes: compiled, interpreter, or auto: compiled where that is possible."`
	ReadLatency  int      `default:"1" placeholder:"L" help:"Cycles from a read request to its first data, at least 1."`
	WriteLatency int      `default:"1" placeholder:"L" help:"Cycles from the last write data to the response, at least 1."`
	Stall        int      `default:"0" placeholder:"PCT" help:"Percent of cycles in which each channel of the memory holds back, 0 to 99."`
	Seed         uint64   `default:"1" placeholder:"N" help:"Seed of memory contents, stalls and state without reset."`
	Wave         string   `placeholder:"FILE" help:"Write the waves of the run, as VCD or FST by the ending, with views for GTKWave (.gtkw) and Surfer (.sucl)."`
	WaveMem      []string `name:"wave-mem" placeholder:"PATTERN" help:"Show elements of memories as well: u_fifo.mem[0:7], *.mem[3]. Not with --engine verilator."`
	JSON         bool     `name:"json" help:"Print one JSON object."`
}

// Help is what --help adds.
func (simCmd) Help() string {
	return `Memory is compared byte for byte afterwards, every bus is watched for protocol errors, and responses are
checked. Packets of streams are compared as well: their bytes, ends, TDEST and TID. A whole engine is driven by its front-end,
as software does it: by a core at each register port, and over all streams in turn, or that which a transfer names
(stream). Exits with 1 when anything is wrong.

Examples:
  millrace example jobs.yaml >jobs.yaml
  millrace sim idma.backend --jobs jobs.yaml
  millrace sim idma.backend --set data_width=64 --jobs jobs.yaml --engine lockstep
  millrace sim idma.backend --jobs jobs.yaml --read-latency 100 --write-latency 100 --json
  millrace sim idma.backend --jobs jobs.yaml --stall 30 --seed 7 --wave run.vcd
  millrace example ports.yaml >ports.yaml
  millrace sim idma.backend --set read_protocols=axi4,obi --set write_protocols=axi_stream --jobs ports.yaml
  millrace sim idma --set frontend=reg_32_3d --jobs jobs.yaml
  millrace sim system.cheshire --jobs jobs.yaml --engine lockstep
  millrace sim system.mempool --jobs jobs.yaml --json
  millrace example errors.yaml >errors.yaml
  millrace sim idma.backend --set error_handling=true --jobs errors.yaml
  millrace sim system.pulp_open --set error_handling=true --set registers.error_info=true --jobs errors.yaml`
}

// simResult is what sim --json prints.
type simResult struct {
	Design string         `json:"design"`
	Engine string         `json:"engine"`
	Model  string         `json:"model,omitempty"` // how the Go model computed; empty where another engine ran
	Config map[string]any `json:"config"`
	tb.Result
}

func (c simCmd) check() error {
	const longest = 1 << 20
	for _, f := range []struct {
		flag      string
		v, lo, hi int
		unit      string
	}{
		{"dims", c.Dims, 1, job.MaxDims, ""},
		{"read-latency", c.ReadLatency, 1, longest, " cycles"},
		{"write-latency", c.WriteLatency, 1, longest, " cycles"},
		{"stall", c.Stall, 0, 99, " percent"},
	} {
		if f.v < f.lo || f.v > f.hi {
			return usagef("--%s is %d; allowed: %d to %d%s", f.flag, f.v, f.lo, f.hi, f.unit)
		}
	}
	return nil
}

// Run carries out the command.
func (c simCmd) Run(a *app) error {
	if err := c.check(); err != nil {
		return err
	}
	d, err := c.load()
	if err != nil {
		return err
	}
	if !d.engine {
		return usagef("%s moves no bytes and so runs no job file; choose an engine, such as idma.backend", d.name)
	}
	list, err := job.ReadFile(c.Jobs, c.Dims)
	if err != nil {
		return usage(err)
	}
	built, err := d.build()
	if err != nil {
		return err
	}
	if _, err := tb.Check(list, sim.NewLayout(built), tb.RunConfig{Software: d.target(), Compute: d.operations()}); err != nil {
		return usage(err)
	}
	mk, err := a.newMaker(c.Engine, built)
	if err != nil {
		return err
	}
	if c.Model != "auto" {
		mk.kind = sim.Kind(c.Model)
	}
	eng, err := mk.run(c.Seed)
	if err != nil {
		return err
	}
	defer func() { _ = eng.Close() }()
	w, err := newWave(c.Wave, built.Top.Name, eng, c.WaveMem)
	if err != nil {
		return err
	}
	bar := a.bar(len(list.Jobs), "transfers")
	res, err := tb.Run(a.ctx, w.engine(eng), list, tb.RunConfig{
		ReadLatency: c.ReadLatency, WriteLatency: c.WriteLatency, Stalls: mem.AllStalls(c.Stall), Seed: c.Seed,
		Progress: steps(bar), Software: d.target(), Compute: d.operations(),
	})
	_ = bar.Clear()
	if err := w.finish(); err != nil {
		return err
	}
	if err != nil {
		return err
	}
	r := simResult{Design: d.name, Engine: c.Engine, Config: d.settings(), Result: res}
	if m, ok := eng.(*sim.Model); ok {
		kind, _ := m.Kind()
		r.Model = string(kind)
	}
	if c.JSON {
		err = a.printJSON(r)
	} else {
		err = a.printTable(r.table())
	}
	return errors.Join(err, res.Err())
}

// steps moves a bar along with a run.
func steps(bar *progressbar.ProgressBar) func(tb.Progress) {
	return func(p tb.Progress) { _ = bar.Set(p.Done) }
}

// table shows the figures of a run, one a line.
func (r simResult) table() table.Writer {
	t := newTable([]any{"figure", "value", "meaning"}, "value")
	bytes, fewest := "moved", "would be the fewest"
	if r.ErrorResponses > 0 { // what was aborted or refused is among them
		bytes, fewest = "asked for", fewest+" without errors"
	}
	over := "fewest write beats over the cycles from first to last"
	if n := len(r.Backends); n > 0 {
		over += fmt.Sprintf(", and over %d back-ends", n)
	}
	type row struct {
		name    string
		value   any
		meaning string
	}
	rows := []row{
		{"jobs", r.Jobs, "transfers"},
		{"bytes", r.Bytes, bytes},
		{"cycles", r.Cycles, "first request accepted to last response"},
		{"read beats", r.ReadBeats, fmt.Sprintf("in %d bursts", r.ReadBursts)},
		{"write beats", r.WriteBeats, fmt.Sprintf("in %d bursts; %d %s", r.WriteBursts, r.FewestWriteBeats, fewest)},
		{"utilisation", percent(r.Utilisation), over},
		{"mismatches", r.Mismatches, "bytes, responses and bursts that are not as they must be"},
		{"protocol errors", r.ProtocolErrors, "rules of the bus broken"},
		{"error responses", r.ErrorResponses, "bus errors and refused transfers"},
		{"seed", r.Seed, "of memory contents and stalls"},
		{"cycles per second", fmt.Sprintf("%.0f", r.CyclesPerSec), "engine and bench together"},
	}
	for _, b := range r.Backends {
		rows = append(rows, row{fmt.Sprintf("back-end %d", b.Backend), percent(b.Utilisation),
			fmt.Sprintf("stream %d: %d bytes in %d read and %d write beats", b.Stream, b.Bytes, b.ReadBeats, b.WriteBeats)})
	}
	for _, row := range rows {
		t.AppendRow(table.Row{row.name, row.value, row.meaning})
	}
	t.SetTitle(strings.Join([]string{r.Design, r.Engine}, ", "))
	return t
}

func percent(x float64) string { return fmt.Sprintf("%.1f %%", 100*x) }
