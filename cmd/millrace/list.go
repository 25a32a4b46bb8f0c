package main

import (
	"github.com/jedib0t/go-pretty/v6/table"

	"github.com/millrace-hdl/millrace/cmd/millrace/internal/config"
	"github.com/millrace-hdl/millrace/idma/frontend"
)

// listCmd is `millrace list`.
type listCmd struct {
	Design string `arg:"" optional:"" help:"Show this design's configuration keys instead."`
	JSON   bool   `name:"json" help:"Print one JSON object."`
}

// Help is what --help adds.
func (listCmd) Help() string {
	return `Examples:
  millrace list
  millrace list --json
  millrace list idma.backend`
}

// item is a line of the list.
type item struct {
	Name    string `json:"name"`
	Summary string `json:"summary"`
}

// inventory is what there is, by kind.
type inventory struct {
	Designs   []item `json:"designs"`
	Protocols []item `json:"protocols"`
	Frontends []item `json:"frontends"`
	Midends   []item `json:"midends"`
	Backends  []item `json:"backends"`
	Systems   []item `json:"systems"`
}

func takeInventory() inventory {
	inv := inventory{
		Designs: []item{},
		Protocols: []item{
			{"axi4", "AMBA AXI4, all five channels with every sideband signal; INCR bursts, 16 to 1024 bits"},
			{"axi_lite", "AMBA AXI4-Lite: single beats"},
			{"axi_stream", "AMBA AXI4-Stream: packets, with null bytes on the way in"},
			{"obi", "Open Bus Interface 1.5, with and without rready"},
			{"tilelink", "TileLink UL, or UH up to 4 KiB a burst; naturally aligned accesses of exactly the bytes of a transfer"},
			{"init", "no bus: reads are a value, an increment or pseudorandom, writes are dropped"},
		},
		Frontends: []item{},
		Midends:   []item{},
		Backends: []item{
			{"any_to_any", "reads and writes over ports of any of the protocols, several of each, any alignment on both sides"},
		},
		Systems: []item{},
	}
	for _, f := range frontend.Catalogue() {
		inv.Frontends = append(inv.Frontends, item{f.Name, f.Summary})
	}
	for _, d := range catalogue() {
		inv.Designs = append(inv.Designs, item{d.name, d.summary})
	}
	return inv
}

// Run carries out the command.
func (c listCmd) Run(a *app) error {
	if c.Design != "" {
		return c.keys(a)
	}
	inv := takeInventory()
	if c.JSON {
		return a.printJSON(inv)
	}
	t := newTable([]any{"kind", "name", "what it is"})
	for _, g := range []struct {
		kind  string
		items []item
	}{
		{"design", inv.Designs}, {"protocol", inv.Protocols}, {"front-end", inv.Frontends},
		{"mid-end", inv.Midends}, {"back-end", inv.Backends}, {"system", inv.Systems},
	} {
		for _, i := range g.items {
			t.AppendRow(table.Row{g.kind, i.Name, i.Summary})
		}
	}
	return a.printTable(t)
}

// keys shows how a design can be configured.
func (c listCmd) keys(a *app) error {
	d, err := find(c.Design)
	if err != nil {
		return err
	}
	cfg := d.defaults()
	if c.JSON {
		return a.printJSON(struct {
			Design string         `json:"design"`
			Config map[string]any `json:"config"`
		}{d.name, config.Values(cfg)})
	}
	t := newTable([]any{"key", "default", "type"}, "default")
	for _, k := range config.Keys(cfg) {
		t.AppendRow(table.Row{k.Name, k.Value, k.Type})
	}
	t.SetTitle(d.name + ": " + d.summary)
	return a.printTable(t)
}
