package main

import (
	"fmt"

	"github.com/jedib0t/go-pretty/v6/table"

	"github.com/millrace-hdl/millrace/idma/backend"
	"github.com/millrace-hdl/millrace/tb"
	"github.com/millrace-hdl/millrace/tb/job"
)

// pairRow is one measurement of a pair of protocols.
type pairRow struct {
	Read             string  `json:"read"`
	Write            string  `json:"write"`
	Width            int     `json:"width"` // bits
	Outstanding      int     `json:"outstanding"`
	Size             int     `json:"size"` // bytes
	Aligned          bool    `json:"aligned"`
	ReadLatency      int     `json:"read_latency"`
	WriteLatency     int     `json:"write_latency"`
	Utilisation      float64 `json:"utilisation"`
	Bound            float64 `json:"bound"`
	WriteBeats       uint64  `json:"write_beats"`
	FewestWriteBeats uint64  `json:"fewest_write_beats"`
}

func (r pairRow) passes() bool {
	return r.Utilisation >= 0.99*r.Bound && r.WriteBeats == r.FewestWriteBeats
}

// What pairs are measured with: enough outstanding for protocols without bursts.
const (
	pairOutstanding = 32
	pairLatency     = 13
)

var pairSizes = []int{64, 1 << 10, 4 << 10}

// pairConfig is the back-end between two protocols.
func pairConfig(read, write backend.Protocol, width int) backend.Config {
	c := engineConfig(width, pairOutstanding)
	c.ReadProtocols, c.WriteProtocols = backend.PortsOf(read), backend.PortsOf(write)
	if read == backend.TileLink && write == backend.TileLink {
		// Both sides take parts of words one after the other, at different times; words wait
		// for that in the buffer.
		c.BufferDepth = 16
	}
	return c
}

// pairReads and pairWrites are the protocols of the pairs.
var (
	pairReads  = []backend.Protocol{backend.AXI4, backend.OBI, backend.AXILite, backend.TileLink, backend.Init, backend.AXIStream}
	pairWrites = []backend.Protocol{backend.AXI4, backend.OBI, backend.AXILite, backend.TileLink, backend.Init, backend.AXIStream}
)

// pairs measures every pair of protocols.
func (c utilisationCmd) pairs(a *app) ([]pairRow, error) {
	type design struct {
		read, write backend.Protocol
		width       int
	}
	var designs []design
	widths := benchWidths
	if c.Quick {
		widths = widths[:1]
	}
	for _, r := range pairReads {
		for _, w := range pairWrites {
			for _, width := range widths {
				designs = append(designs, design{r, w, width})
			}
		}
	}
	each := 2 * len(pairSizes)
	rows := make([]pairRow, each*len(designs))
	err := a.each(len(designs), a.bar(len(designs), "pairs of protocols"), func(i int) error {
		d := designs[i]
		mk, err := a.newEngineMaker(c.Engine, pairConfig(d.read, d.write, d.width))
		if err != nil {
			return err
		}
		for k := range each {
			r := &rows[each*i+k]
			*r = pairRow{Read: d.read.String(), Write: d.write.String(), Width: d.width, Outstanding: pairOutstanding,
				Size: pairSizes[k/2], Aligned: k%2 == 0, ReadLatency: pairLatency, WriteLatency: pairLatency}
			if err := a.pair(mk, d.read, d.write, r); err != nil {
				return fmt.Errorf("%v to %v on %d bits: %w", d.read, d.write, d.width, err)
			}
		}
		return nil
	})
	return rows, err
}

// runPairs measures the pairs and shows them.
func (c utilisationCmd) runPairs(a *app) error {
	rows, err := c.pairs(a)
	if err != nil {
		return err
	}
	return show(a, c.JSON, rows, pairTable(rows), "99 percent of their bound")
}

// pair fills in a row.
func (a *app) pair(mk *maker, read, write backend.Protocol, r *pairRow) error {
	list, err := tb.Stream(tb.StreamConfig{Size: uint64(r.Size), Bytes: r.Width / 8, AddrWidth: engineConfig(r.Width, 1).AddrWidth, Misaligned: !r.Aligned})
	if err != nil {
		return err
	}
	for i := range list.Jobs {
		list.Jobs[i].Src.Protocol, list.Jobs[i].Dst.Protocol = job.Protocol(read), job.Protocol(write)
	}
	res, err := a.measure(mk, list, r.ReadLatency, r.WriteLatency)
	if err != nil {
		return err
	}
	r.Utilisation, r.WriteBeats, r.FewestWriteBeats = res.Utilisation, res.WriteBeats, res.FewestWriteBeats
	r.Bound = tb.Bound(list, r.Width/8, r.Outstanding, r.ReadLatency)
	switch {
	case write == backend.Init && read == backend.Init: // seen on no bus
		words := 0
		for i := range list.Jobs {
			for _, n := range tb.ReadBursts(&list.Jobs[i], r.Width/8) {
				words += n
			}
		}
		r.Utilisation, r.Bound = float64(words)/float64(res.Cycles), 1
	case write == backend.Init:
		r.Utilisation, r.Bound = res.ReadUtilisation, tb.ReadBound(list, r.Width/8, r.Outstanding, r.ReadLatency)
	}
	return nil
}

// pairTable has a line a pair and width, a column a size and alignment.
func pairTable(rows []pairRow) table.Writer {
	titles, numbers := []any{"from", "to", "bits"}, []string{"bits"}
	for _, s := range pairSizes {
		for _, kind := range []string{"", " +3+5"} {
			titles, numbers = append(titles, sizeName(s)+kind), append(numbers, sizeName(s)+kind)
		}
	}
	t := newTable(append(titles, "of bound", ""), append(numbers, "of bound")...)
	each := 2 * len(pairSizes)
	for i := 0; i+each <= len(rows); i += each {
		cells, least, mark := table.Row{rows[i].Read, rows[i].Write, rows[i].Width}, 1.0, "✓"
		for _, r := range rows[i : i+each] {
			cell := fmt.Sprintf("%.1f", 100*r.Utilisation)
			if !r.passes() {
				cell, mark = fmt.Sprintf("%s < %.1f", cell, 100*r.Bound), "✗"
			}
			least = min(least, r.Utilisation/r.Bound)
			cells = append(cells, cell)
		}
		t.AppendRow(append(cells, fmt.Sprintf("%.1f", 100*least), mark))
	}
	t.SetTitle("Utilisation in percent between protocols, by transfer size in bytes")
	t.SetCaption("%d outstanding reads, read and write latency %d. \"+3+5\" is misaligned at the source by 3 and at the destination by 5 bytes;\n"+
		"streams have no alignment. What goes to init is measured where it is read, or, made and dropped inside, over all cycles. \"of bound\" is the least of the line's figures in percent of its bound.", pairOutstanding, pairLatency)
	return t
}
