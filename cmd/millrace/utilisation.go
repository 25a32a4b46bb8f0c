package main

import (
	"fmt"

	"github.com/jedib0t/go-pretty/v6/table"

	"github.com/millrace-hdl/millrace/tb"
)

// utilisationCmd is `millrace bench utilisation`.
type utilisationCmd struct {
	Engine string `enum:"go,verilator,lockstep" default:"go" placeholder:"ENGINE" help:"go, verilator or lockstep; cycle counts are the same on all."`
	Quick  bool   `help:"A subset that takes seconds; all takes several minutes."`
	Pairs  bool   `help:"Only the pairs of protocols, left out otherwise."`
	JSON   bool   `name:"json" help:"Print one JSON object."`
}

// Help is what --help adds.
func (utilisationCmd) Help() string {
	return `Utilisation is the fewest possible write beats over the cycles from the first to the last one, for transfers
of one size, back to back and contiguous. A figure passes if it is at most half a percent below the bound,
min(1, N·n / (L+1+n)) with N outstanding bursts of n beats, and no write beat was wasted. Where bursts differ, as
in misaligned streams, the bound follows each burst with the beats that it really has.

With --pairs it is the figures of every pair of protocols, which pass at 99 percent of their bound.

Examples:
  millrace bench utilisation --quick
  millrace bench utilisation --pairs --quick
  millrace bench utilisation --json
  millrace bench utilisation --engine verilator`
}

// below is how far under the bound a utilisation may lie: cycles of the first
// and the last burst.
const below = 0.005

// utilisationRow is one measurement.
type utilisationRow struct {
	Width            int     `json:"width"` // bits
	Outstanding      int     `json:"outstanding"`
	Size             int     `json:"size"` // bytes
	Aligned          bool    `json:"aligned"`
	Decoupled        bool    `json:"decoupled"`
	ReadLatency      int     `json:"read_latency"`
	WriteLatency     int     `json:"write_latency"`
	Utilisation      float64 `json:"utilisation"`
	Bound            float64 `json:"bound"`
	WriteBeats       uint64  `json:"write_beats"`
	FewestWriteBeats uint64  `json:"fewest_write_beats"`
}

func (r utilisationRow) passes() bool {
	return r.Utilisation >= r.Bound-below && r.WriteBeats == r.FewestWriteBeats
}

// line is all but the size: one line of the table.
func (r utilisationRow) line() utilisationRow {
	return utilisationRow{Width: r.Width, Outstanding: r.Outstanding, Aligned: r.Aligned, Decoupled: r.Decoupled,
		ReadLatency: r.ReadLatency, WriteLatency: r.WriteLatency}
}

func (c utilisationCmd) rows() (rows []utilisationRow, sizes []int) {
	outstanding, latencies, sizes := []int{1, 2, 8, 32}, []int{3, 13, 100, 200}, benchSizes
	if c.Quick {
		outstanding, latencies, sizes = []int{8}, []int{13, 100}, []int{8, 64, 1 << 10}
	}
	for _, width := range benchWidths {
		for _, n := range outstanding {
			for _, latency := range latencies {
				for _, writeLatency := range []int{latency, 1} {
					for _, kind := range []struct{ aligned, decoupled bool }{{true, false}, {false, false}, {false, true}} {
						for _, size := range sizes {
							rows = append(rows, utilisationRow{Width: width, Outstanding: n, Size: size, Aligned: kind.aligned,
								Decoupled: kind.decoupled, ReadLatency: latency, WriteLatency: writeLatency})
						}
					}
				}
			}
		}
	}
	return rows, sizes
}

// Run carries out the command.
func (c utilisationCmd) Run(a *app) error {
	if c.Pairs {
		return c.runPairs(a)
	}
	rows, sizes := c.rows()
	type variant struct{ width, outstanding int }
	makers := map[variant]*maker{}
	for _, r := range rows {
		v := variant{r.Width, r.Outstanding}
		if makers[v] != nil {
			continue
		}
		mk, err := a.newEngineMaker(c.Engine, engineConfig(v.width, v.outstanding))
		if err != nil {
			return err
		}
		makers[v] = mk
	}
	err := a.each(len(rows), a.bar(len(rows), "measuring"), func(i int) error {
		r := &rows[i]
		return a.utilisation(makers[variant{r.Width, r.Outstanding}], r)
	})
	if err != nil {
		return err
	}
	return show(a, c.JSON, rows, utilisationTable(rows, sizes), "their bound")
}

// show prints rows, and is an error if some of them do not pass.
func show[R interface{ passes() bool }](a *app, json bool, rows []R, t table.Writer, bound string) error {
	failed := 0
	for _, r := range rows {
		if !r.passes() {
			failed++
		}
	}
	var err error
	if json {
		err = a.printJSON(struct {
			Rows []R `json:"rows"`
		}{rows})
	} else {
		err = a.printTable(t)
	}
	if err == nil && failed > 0 {
		err = fmt.Errorf("%d of %d figures are below %s or waste write beats", failed, len(rows), bound)
	}
	return err
}

// utilisation fills in a row.
func (a *app) utilisation(mk *maker, r *utilisationRow) error {
	list, err := tb.Stream(tb.StreamConfig{
		Size: uint64(r.Size), Bytes: r.Width / 8, AddrWidth: engineConfig(r.Width, 1).AddrWidth,
		Misaligned: !r.Aligned, DecoupleAW: r.Decoupled, DecoupleRW: r.Decoupled,
	})
	if err != nil {
		return err
	}
	res, err := a.measure(mk, list, r.ReadLatency, r.WriteLatency)
	if err != nil {
		return fmt.Errorf("%s on %d bits with %d outstanding, L %d, BL %d: %w", list.Name, r.Width, r.Outstanding, r.ReadLatency, r.WriteLatency, err)
	}
	r.Utilisation, r.WriteBeats, r.FewestWriteBeats = res.Utilisation, res.WriteBeats, res.FewestWriteBeats
	r.Bound = tb.Bound(list, r.Width/8, r.Outstanding, r.ReadLatency)
	if r.Aligned { // all bursts are alike
		r.Bound = tb.AlignedBound(r.Outstanding, tb.ReadBursts(&list.Jobs[0], r.Width/8)[0], r.ReadLatency)
	}
	return nil
}

// utilisationTable has a column a size, in percent; a figure that does not pass is
// followed by the bound it misses.
func utilisationTable(rows []utilisationRow, sizes []int) table.Writer {
	titles, numbers := []any{"bits", "N", "L", "BL", "stream"}, []string{"bits", "N", "L", "BL"}
	for _, s := range sizes {
		titles, numbers = append(titles, sizeName(s)), append(numbers, sizeName(s))
	}
	t := newTable(append(titles, "over bound", ""), append(numbers, "over bound")...)
	for i := 0; i < len(rows); i += len(sizes) {
		r := rows[i].line()
		stream := "aligned"
		switch {
		case r.Decoupled:
			stream = "misaligned, decoupled"
		case !r.Aligned:
			stream = "misaligned"
		}
		cells := table.Row{r.Width, r.Outstanding, r.ReadLatency, r.WriteLatency, stream}
		least, mark := 1.0, "✓"
		for _, r := range rows[i : i+len(sizes)] {
			cell := fmt.Sprintf("%.1f", 100*r.Utilisation)
			if !r.passes() {
				cell, mark = fmt.Sprintf("%s < %.1f", cell, 100*r.Bound), "✗"
			}
			least = min(least, r.Utilisation-r.Bound)
			cells = append(cells, cell)
		}
		t.AppendRow(append(cells, fmt.Sprintf("%+.2f", 100*least), mark))
	}
	t.SetTitle("Utilisation in percent, by transfer size in bytes")
	t.SetCaption("N outstanding reads, read latency L, write latency BL. \"over bound\" is the least of the line's figures minus their bounds.")
	return t
}

func sizeName(bytes int) string {
	if bytes >= 1<<10 {
		return fmt.Sprintf("%dK", bytes>>10)
	}
	return fmt.Sprint(bytes)
}
