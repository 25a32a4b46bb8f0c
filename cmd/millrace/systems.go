package main

import (
	"fmt"
	"slices"

	"github.com/jedib0t/go-pretty/v6/table"

	"github.com/millrace-hdl/millrace/tb"
	"github.com/millrace-hdl/millrace/tb/job"
)

// systemsCmd is `millrace bench systems`.
type systemsCmd struct {
	Engine string `enum:"go,verilator,lockstep" default:"go" placeholder:"ENGINE" help:"go, verilator or lockstep; cycle counts are the same on all."`
	JSON   bool   `name:"json" help:"Print one JSON object."`
}

// Help is what --help adds.
func (systemsCmd) Help() string {
	return `A typical job of each system, through its front-end: software writes registers, descriptors or instructions, and asks
until the job has ended. "cycles" is all of that. "bound" is a beat a cycle on the channel that has the most of them, on
every back-end at once. "streaming" is the fewest write beats over the cycles from the first to the last one, on every back-end,
which passes at 99 percent.

Examples:
  millrace bench systems
  millrace bench systems --json`
}

// systemsRow is one measurement.
type systemsRow struct {
	System       string  `json:"system"`
	Job          string  `json:"job"`
	Bytes        uint64  `json:"bytes"`
	Width        int     `json:"width"` // bits
	Backends     int     `json:"backends"`
	ReadLatency  int     `json:"read_latency"`
	WriteLatency int     `json:"write_latency"`
	Cycles       uint64  `json:"cycles"`
	Bound        uint64  `json:"bound"`       // cycles
	Utilisation  float64 `json:"utilisation"` // bound over cycles
	Streaming    float64 `json:"streaming"`
}

func (r systemsRow) passes() bool { return r.Streaming >= 0.99 }

// systemJob is what a system does all day.
type systemJob struct {
	system, what string
	// Latencies of the memories in cycles: a scratchpad 1, an SRAM behind the interconnect 3,
	// an RPC DRAM 13, HBM 100. A job that goes from one to another has that of either.
	readLatency, writeLatency int
	list                      []job.Job
}

func systemJobs() []systemJob {
	over := func(src, dst job.Protocol, length, from, to uint64, dims ...job.Dim) job.Job {
		j := job.New(length, from, to)
		j.Src.Protocol, j.Dst.Protocol, j.Dims = src, dst, dims
		j.DecoupleAW = true
		return j
	}
	var pages []job.Job
	for i := range uint64(32) {
		pages = append(pages, over(job.AXI4, job.AXI4, 4096, 0x8000_0000+i<<13, 0x9000_0000+(i*7%32)<<12))
	}
	return []systemJob{
		{"system.pulp_open", "8 KiB of the cluster's memory to L2", 1, 3, []job.Job{over(job.OBI, job.AXI4, 8<<10, 0x1000_0000, 0x1c00_0000)}},
		{"system.controlpulp", "16 blocks of 16 rows of 64 bytes, from L2 to the cluster", 3, 1,
			[]job.Job{over(job.AXI4, job.OBI, 64, 0x1c00_0000, 0x1000_0000, job.Dim{Reps: 16, SrcStride: 256, DstStride: 64}, job.Dim{Reps: 16, SrcStride: 512, DstStride: 64})}},
		{"system.cheshire", "32 pages of 4 KiB in DRAM, scattered", 13, 13, pages},
		{"system.mempool", "512 KiB from L2 over the cluster's memory", 13, 1, []job.Job{over(job.AXI4, job.OBI, 512<<10, 0x8000_0000, 0)}},
		{"system.manticore", "a tile of 128 rows of 512 bytes, from HBM to the cluster", 100, 1,
			[]job.Job{over(job.AXI4, job.OBI, 512, 0x8000_0000, 0x1000_0000, job.Dim{Reps: 128, SrcStride: 8192, DstStride: 512})}},
	}
}

// Run carries out the command.
func (c systemsCmd) Run(a *app) error {
	jobs := systemJobs()
	rows := make([]systemsRow, len(jobs))
	bar := a.bar(len(jobs), "measuring")
	for i, j := range jobs {
		if err := a.system(c.Engine, j, &rows[i]); err != nil {
			return fmt.Errorf("%s: %w", j.system, err)
		}
		_ = bar.Add(1)
	}
	_ = bar.Clear()
	return show(a, c.JSON, rows, systemsTable(rows), "99 percent")
}

// system fills in a row.
func (a *app) system(engine string, j systemJob, r *systemsRow) error {
	d, err := find(j.system)
	if err != nil {
		return err
	}
	of := configured{d, d.defaults()}
	built, err := of.build()
	if err != nil {
		return err
	}
	mk, err := a.newMaker(engine, built)
	if err != nil {
		return err
	}
	const seed = 1
	eng, err := mk.run(seed)
	if err != nil {
		return err
	}
	defer func() { _ = eng.Close() }()
	t := of.target()
	res, err := tb.Run(a.ctx, eng, &job.List{Name: j.what, Jobs: j.list}, tb.RunConfig{ReadLatency: j.readLatency, WriteLatency: j.writeLatency, Seed: seed, Software: t})
	if err == nil {
		err = res.Err()
	}
	if err != nil {
		return err
	}
	*r = systemsRow{System: j.system, Job: j.what, Bytes: res.Bytes, Width: t.Backend().DataWidth, Backends: t.Streams() * t.Backends(),
		ReadLatency: j.readLatency, WriteLatency: j.writeLatency, Cycles: res.Cycles, Streaming: res.Utilisation}
	r.Bound = (max(res.ReadBeats, res.WriteBeats)-1)/uint64(r.Backends) + 1
	r.Utilisation = float64(r.Bound) / float64(r.Cycles)
	return nil
}

func systemsTable(rows []systemsRow) table.Writer {
	numbers := []string{"bytes", "bits", "back-ends", "L", "BL", "cycles", "bound", "of bound", "streaming"}
	t := newTable(slices.Concat([]any{"system", "job"}, anys(numbers), []any{""}), numbers...)
	for _, r := range rows {
		mark := "✓"
		if !r.passes() {
			mark = "✗"
		}
		t.AppendRow(table.Row{r.System, r.Job, r.Bytes, r.Width, r.Backends, r.ReadLatency, r.WriteLatency, r.Cycles, r.Bound, percent(r.Utilisation), percent(r.Streaming), mark})
	}
	t.SetTitle("Whole engines on a typical job")
	return t
}

func anys(names []string) []any {
	var all []any
	for _, n := range names {
		all = append(all, n)
	}
	return all
}
