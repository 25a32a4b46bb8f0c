package main

import (
	_ "embed" // the meanings of the keys
	"reflect"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"

	"github.com/millrace-hdl/millrace/cmd/millrace/internal/config"
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

// inventory is what there is: every design, the protocols of ports, and again the
// designs that are a part or a system, as configurations name them.
type inventory struct {
	Designs   []item `json:"designs"`
	Protocols []item `json:"protocols"`
	Frontends []item `json:"frontends"`
	Midends   []item `json:"midends"`
	Backends  []item `json:"backends"`
	Systems   []item `json:"systems"`
}

func takeInventory() inventory {
	inv := inventory{Protocols: []item{
		{"axi4", "AMBA AXI4, all five channels with every sideband signal; INCR bursts, 16 to 1024 bits"},
		{"axi_lite", "AMBA AXI4-Lite: single beats"},
		{"axi_stream", "AMBA AXI4-Stream: packets, with null bytes on the way in"},
		{"obi", "Open Bus Interface 1.5, with and without rready"},
		{"tilelink", "TileLink UL, or UH up to 4 KiB a burst; naturally aligned accesses of exactly the bytes of a transfer"},
		{"init", "no bus: reads are a value, an increment or pseudorandom, writes are dropped"},
	}}
	for _, d := range catalogue() {
		inv.Designs = append(inv.Designs, item{d.name, d.summary})
		part, name, _ := strings.Cut(d.name, ".")
		switch part {
		case "frontend":
			inv.Frontends = append(inv.Frontends, item{name, d.summary})
		case "midend":
			inv.Midends = append(inv.Midends, item{name, d.summary})
		case "system":
			inv.Systems = append(inv.Systems, item{name, d.summary})
		case "idma":
			if name != "" {
				inv.Backends = append(inv.Backends, item{name, d.summary})
			}
		}
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
	group := ""
	for _, g := range []struct {
		kind  string
		items []item
	}{{"design", inv.Designs}, {"protocol", inv.Protocols}} {
		for _, i := range g.items {
			part, _, _ := strings.Cut(i.Name, ".")
			if g.kind != "design" {
				part = g.kind
			}
			if group != "" && part != group {
				t.AppendSeparator()
			}
			group = part
			t.AppendRow(table.Row{g.kind, i.Name, i.Summary})
		}
	}
	t.SetCaption("gen takes any design, sim those that begin with idma or system; millrace list DESIGN shows the keys of one.\n" +
		"Protocols are values of the keys read_protocols and write_protocols.")
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
	t := newTable([]any{"key", "default", "type", "meaning"}, "default")
	meanings := meaningsOf(cfg)
	for _, k := range config.Keys(cfg) {
		t.AppendRow(table.Row{k.Name, k.Value, k.Type, text.WrapSoft(meanings[k.Name], 72)})
	}
	t.SetTitle(d.name + ": " + d.summary)
	t.SetCaption("--set KEY=VALUE sets one, and a file for -c has a line KEY: VALUE for each.")
	return a.printTable(t)
}

// keyMeanings has a line for each key of each type of configuration: both, and what the
// comment of the field says. The test of the reference writes it.
//
//go:embed keys.tsv
var keyMeanings string

// meaningsOf is what the keys of a configuration mean.
func meaningsOf(cfg any) map[string]string {
	of := configType(cfg)
	meanings := map[string]string{}
	for line := range strings.Lines(keyMeanings) {
		if f := strings.SplitN(strings.TrimSpace(line), "\t", 3); f[0] == of {
			meanings[f[1]] = f[2]
		}
	}
	return meanings
}

// configType names the type of a configuration that a pointer leads to.
func configType(cfg any) string { return reflect.TypeOf(cfg).Elem().String() }
