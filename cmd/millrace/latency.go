package main

import (
	"fmt"

	"github.com/jedib0t/go-pretty/v6/table"

	"github.com/millrace-hdl/millrace/tb/job"
)

// latencyCmd is `millrace bench latency`.
type latencyCmd struct {
	Engine string `enum:"go,verilator,lockstep" default:"go" placeholder:"ENGINE" help:"go, verilator or lockstep; cycle counts are the same on all."`
	JSON   bool   `name:"json" help:"Print one JSON object."`
}

// Help is what --help adds.
func (latencyCmd) Help() string {
	return `"request to read" is the cycles from a request's acceptance to the first read request. "overhead" is the cycles of one
transfer alone, from its acceptance to its response, beyond L + BL + beats, which the memory itself takes. "for the
shift" is how many of them no engine could avoid, because the first bus word to write needs more than one word
read. Without the legalizer (legalizer = false) requests are legal bursts already and the read goes out in the same cycle.

Examples:
  millrace bench latency
  millrace bench latency --json`
}

// latencyRow is one measurement.
type latencyRow struct {
	Width         int  `json:"width"` // bits
	Size          int  `json:"size"`  // bytes
	RequestToRead int  `json:"request_to_read"`
	Overhead      int  `json:"overhead"`
	ForShift      int  `json:"for_shift"`
	Aligned       bool `json:"aligned"`
	Legalizer     bool `json:"legalizer"`
	ReadLatency   int  `json:"read_latency"`
	WriteLatency  int  `json:"write_latency"`
}

// The most cycles that a figure passes with.
const (
	mostRequestToRead = 1 // 0 without legalizer
	mostOverhead      = 1
)

func (r latencyRow) passes() bool {
	most := mostRequestToRead
	if !r.Legalizer {
		most = 0
	}
	return r.RequestToRead <= most && r.Overhead <= mostOverhead+r.ForShift
}

func latencyRows() []latencyRow {
	const latency = 10
	var rows []latencyRow
	for _, legalizer := range []bool{true, false} {
		for _, width := range benchWidths {
			for _, aligned := range []bool{true, false} {
				for _, size := range benchSizes {
					if !legalizer && (size > 1<<10 || size+64 > width/8*256) {
						continue // more than one burst
					}
					rows = append(rows, latencyRow{Width: width, Size: size, Aligned: aligned, Legalizer: legalizer,
						ReadLatency: latency, WriteLatency: latency})
				}
			}
		}
	}
	return rows
}

// Run carries out the command.
func (c latencyCmd) Run(a *app) error {
	rows := latencyRows()
	type variant struct {
		width     int
		legalizer bool
	}
	makers := map[variant]*maker{}
	for _, r := range rows {
		v := variant{r.Width, r.Legalizer}
		if makers[v] != nil {
			continue
		}
		cfg := engineConfig(v.width, 8)
		cfg.Legalizer = v.legalizer
		mk, err := a.newEngineMaker(c.Engine, cfg)
		if err != nil {
			return err
		}
		makers[v] = mk
	}
	err := a.each(len(rows), a.bar(len(rows), "measuring"), func(i int) error {
		r := &rows[i]
		return a.latency(makers[variant{r.Width, r.Legalizer}], r)
	})
	if err != nil {
		return err
	}
	failed := 0
	t := newTable([]any{"bits", "bytes", "stream", "legalizer", "request to read", "overhead", "for the shift", ""},
		"bits", "bytes", "request to read", "overhead", "for the shift")
	for _, r := range rows {
		mark, stream := "✓", "aligned"
		if !r.passes() {
			failed++
			mark = "✗"
		}
		if !r.Aligned {
			stream = "misaligned"
		}
		t.AppendRow(table.Row{r.Width, r.Size, stream, r.Legalizer, r.RequestToRead, r.Overhead, r.ForShift, mark})
	}
	t.SetTitle("Latency of a transfer alone, in cycles")
	if c.JSON {
		err = a.printJSON(struct {
			Rows []latencyRow `json:"rows"`
		}{rows})
	} else {
		err = a.printTable(t)
	}
	if err == nil && failed > 0 {
		err = fmt.Errorf("%d of %d figures are above %d cycle from request to read or %d of overhead beside the shift", failed, len(rows), mostRequestToRead, mostOverhead)
	}
	return err
}

// latency fills in a row.
func (a *app) latency(mk *maker, r *latencyRow) error {
	src, dst := uint64(0x1000), uint64(0x8000_0000)
	if !r.Aligned {
		src, dst = src+3, dst+5
	}
	list := &job.List{Name: fmt.Sprintf("one transfer of %d bytes", r.Size), Jobs: []job.Job{job.New(uint64(r.Size), src, dst)}}
	res, err := a.measure(mk, list, r.ReadLatency, r.WriteLatency)
	if err != nil {
		return fmt.Errorf("%s on %d bits: %w", list.Name, r.Width, err)
	}
	r.RequestToRead = res.RequestToRead
	beats := int(max(res.ReadBeats, res.WriteBeats))
	r.Overhead = int(res.Cycles) - r.ReadLatency - r.WriteLatency - beats
	r.ForShift = beatTimes(r.Width/8, &list.Jobs[0]) - beats
	return nil
}

// beatTimes is the least number of cycles from the first read beat to the last
// write beat of one transfer, counting as if a write beat could leave with the
// read beat that completes it.
func beatTimes(bytes int, j *job.Job) int {
	lanes := uint64(bytes)
	src, dst := j.Src.Addr%lanes, j.Dst.Addr%lanes
	beats := func(offset, n uint64) int { return int((offset + n + lanes - 1) / lanes) }
	first := beats(src, min(lanes-dst, j.Length)) // read beats that the first write beat needs
	return max(beats(src, j.Length), first+beats(dst, j.Length)-1)
}
