package irtest

import (
	"fmt"

	"github.com/millrace-hdl/millrace/hdl/ir"
)

// box places a black box: one without a clock, or a counter in a domain of the
// module.
func (b *builder) box() {
	if d := b.boxDomain(); d != nil && b.r.IntN(2) == 0 {
		b.instance("box", b.counter(b.kinds[d]))
		return
	}
	b.instance("box", b.rotate())
}

// boxDomain is a named domain that can clock the counter: its reset acts in a way
// that is known.
func (b *builder) boxDomain() *ir.Domain {
	for _, d := range b.m.Domains {
		if k := b.menus[b.kinds[d]]; k.style != ir.DefaultReset && !k.noReset {
			return d
		}
	}
	return nil
}

// blackBox is the module of that name, made the first time.
func (g *generator) blackBox(name string, fill func(m *ir.Module)) *ir.Module {
	m := g.boxes[name]
	if m == nil {
		m = &ir.Module{Name: name, Extern: &ir.Extern{}}
		fill(m)
		g.boxes[name] = m
		g.d.Modules = append(g.d.Modules, m)
	}
	return m
}

func port(m *ir.Module, name string, k ir.Kind, width int, d *ir.Domain) *ir.Signal {
	s := &ir.Signal{Name: name, Kind: k, Type: ir.Type{Width: width}, Domain: d, Module: m}
	m.Signals = append(m.Signals, s)
	return s
}

// rotate is a box that turns a word by BY bits.
func (b *builder) rotate() *ir.Module {
	return b.blackBox("box_rotate", func(m *ir.Module) {
		port(m, "a", ir.Input, 8, nil)
		port(m, "y", ir.Output, 8, nil)
		m.Extern.Params = []ir.Param{{Name: "BY", Value: "3"}}
		m.Extern.Source = `module box_rotate #(
  parameter BY = 1
) (
  input wire [7:0] a,
  output wire [7:0] y
);
  assign y = {a[7-BY:0], a[7:8-BY]};
endmodule
`
		m.Extern.Model = func() ir.ExternModel { return rotator{} }
	})
}

type rotator struct{}

func (rotator) Reset(*ir.Domain) {}
func (rotator) Eval(in, out [][]uint64) {
	out[0][0] = (in[0][0]<<3 | in[0][0]>>5) & 255
}
func (rotator) Edge(*ir.Domain, [][]uint64) {}

// counter is a box that adds up a word; one output is registered, one is not.
func (b *builder) counter(k int) *ir.Module {
	name := fmt.Sprintf("box_counter%d", k)
	return b.blackBox(name, func(m *ir.Module) {
		kind := b.menus[k]
		d := &ir.Domain{Name: "c", Clock: "ck", Reset: "init", Falling: kind.falling, Style: kind.style}
		b.kinds[d] = k
		m.Domains = []*ir.Domain{d}
		port(m, "step", ir.Input, 40, d)
		port(m, "count", ir.Output, 40, d).Registered = true
		port(m, "next", ir.Output, 40, d)
		edge, level, active := "posedge ck", "posedge init", "init"
		if kind.falling {
			edge = "negedge ck"
		}
		if kind.style == ir.SyncLow || kind.style == ir.AsyncLow {
			level, active = "negedge init", "!init"
		}
		if kind.style == ir.AsyncHigh || kind.style == ir.AsyncLow {
			edge += " or " + level
		}
		m.Extern.Source = fmt.Sprintf(`module %s (
  input wire ck,
  input wire init,
  input wire [39:0] step,
  output reg [39:0] count,
  output wire [39:0] next
);
  initial count = 40'd5;
  assign next = count + step;
  always @(%s)
    if (%s) count <= 40'd5;
    else count <= next;
endmodule
`, name, edge, active)
		m.Extern.Model = func() ir.ExternModel { return &counter{count: 5} }
	})
}

type counter struct{ count uint64 }

const counterMask = 1<<40 - 1

func (c *counter) Reset(*ir.Domain) { c.count = 5 }
func (c *counter) Eval(in, out [][]uint64) {
	out[0][0], out[1][0] = c.count, (c.count+in[0][0])&counterMask
}
func (c *counter) Edge(_ *ir.Domain, in [][]uint64) { c.count = (c.count + in[0][0]) & counterMask }
