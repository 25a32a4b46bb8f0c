package lib_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/millrace-hdl/millrace/hdl/check"
	"github.com/millrace-hdl/millrace/hdl/ir"
	"github.com/millrace-hdl/millrace/hdl/sim"
)

// rig drives the streams of an engine at given rates, records what moves, and
// checks the stream contract on every output: what was offered and not taken is
// offered again, unchanged.
type rig struct {
	t       testing.TB
	e       sim.Engine
	r       *rand.Rand
	now     int
	sources []*source
	sinks   []*sink
}

// event is a transfer.
type event struct {
	cycle int
	data  uint64
}

// source drives a stream into the engine.
type source struct {
	name     string
	percent  int               // of the cycles in which an idle source begins to offer
	next     func() uint64     // what it offers
	onOffer  func(data uint64) // called when an element is first offered
	offering bool
	data     uint64
	moved    []event
}

// sink takes a stream out of the engine. Its data are the named ports side by side,
// the first on top.
type sink struct {
	name    string
	data    []string
	percent int // of the cycles in which it is ready
	waiting bool
	last    uint64
	moved   []event
	offered int // cycles with valid
}

func newRig(t testing.TB, e sim.Engine, seed uint64) *rig {
	t.Helper()
	t.Logf("seed %d", seed)
	require.NoError(t, e.Reset(2))
	return &rig{t: t, e: e, r: rand.New(rand.NewPCG(seed, 77))}
}

func (g *rig) port(name string) sim.Port {
	p, err := g.e.Layout().Port(name)
	require.NoError(g.t, err)
	return p
}

func (g *rig) set(name string, v uint64) { g.e.In()[g.port(name).Offset] = v }

func (g *rig) get(name string) uint64 { return g.e.Out()[g.port(name).Offset] }

// source adds a source of random data.
func (g *rig) source(name string, percent int) *source {
	w := g.port(name + "_data").Type.Width
	s := &source{name: name, percent: percent, next: func() uint64 { return g.r.Uint64() >> (64 - w) }}
	g.sources = append(g.sources, s)
	return s
}

// sink adds a sink; without data ports it takes that of the stream's name.
func (g *rig) sink(name string, percent int, data ...string) *sink {
	if len(data) == 0 {
		data = []string{name + "_data"}
	}
	s := &sink{name: name, data: data, percent: percent}
	g.sinks = append(g.sinks, s)
	return s
}

// step runs one cycle.
func (g *rig) step() {
	g.t.Helper()
	for _, s := range g.sources {
		if !s.offering && g.r.IntN(100) < s.percent {
			s.offering, s.data = true, s.next()
			if s.onOffer != nil {
				s.onOffer(s.data)
			}
		}
		g.set(s.name+"_valid", bit(s.offering))
		g.set(s.name+"_data", s.data)
	}
	ready := make([]bool, len(g.sinks))
	for i, s := range g.sinks {
		ready[i] = g.r.IntN(100) < s.percent
		g.set(s.name+"_ready", bit(ready[i]))
	}
	require.NoError(g.t, g.e.Step())
	for i, s := range g.sinks {
		valid, data := g.get(s.name+"_valid") == 1, uint64(0)
		for _, d := range s.data {
			data = data<<g.port(d).Type.Width | g.get(d)
		}
		if s.waiting {
			require.True(g.t, valid, "cycle %d: %s_valid fell before the element was taken", g.now, s.name)
			require.Equal(g.t, s.last, data, "cycle %d: the data of %s changed before the element was taken", g.now, s.name)
		}
		if valid {
			s.offered++
		}
		s.waiting, s.last = valid && !ready[i], data
		if valid && ready[i] {
			s.moved = append(s.moved, event{g.now, data})
		}
	}
	for _, s := range g.sources {
		if s.offering && g.get(s.name+"_ready") == 1 {
			s.moved, s.offering = append(s.moved, event{g.now, s.data}), false
		}
	}
	g.now++
}

// run is step many times; no property may be violated.
func (g *rig) run(cycles int) {
	g.t.Helper()
	for range cycles {
		g.step()
	}
	require.NoError(g.t, sim.Violations(g.e))
}

// phases runs with changing rates of all sources and sinks, and then lets all that
// is inside leave.
func (g *rig) phases(cycles int) {
	g.t.Helper()
	rates := []int{0, 10, 50, 90, 100}
	for range cycles / 40 {
		for _, s := range g.sources {
			s.percent = rates[g.r.IntN(len(rates))]
		}
		for _, s := range g.sinks {
			s.percent = rates[g.r.IntN(len(rates))]
		}
		g.run(40)
	}
}

// drain stops the sources and opens the sinks.
func (g *rig) drain(cycles int) {
	g.t.Helper()
	for _, s := range g.sources {
		s.percent = 0
	}
	for _, s := range g.sinks {
		s.percent = 100
	}
	g.run(cycles)
}

func data(events []event) []uint64 {
	ds := make([]uint64, len(events))
	for i, e := range events {
		ds[i] = e.data
	}
	return ds
}

// paths are the combinational paths of a design, as output<-input.
func paths(t testing.TB, d *ir.Design) []string {
	t.Helper()
	found, err := check.CombPaths(d)
	require.NoError(t, err)
	var out []string
	for _, p := range found {
		out = append(out, p.Output.Name+"<-"+p.Input.Name)
	}
	return out
}

// noValidWaits requires that no valid, and no data, depends on a ready within a
// cycle.
func noValidWaits(t testing.TB, d *ir.Design) {
	t.Helper()
	for _, p := range paths(t, d) {
		to, from, _ := strings.Cut(p, "<-")
		require.False(t, strings.HasSuffix(from, "_ready") && !strings.HasSuffix(to, "_ready"), "path %s", p)
	}
}

// coversHit requires that all that was to be covered happened.
func coversHit(t testing.TB, e sim.Engine) {
	t.Helper()
	c := sim.CheckerOf(e)
	require.NotNil(t, c)
	for _, x := range c.Checks() {
		if x.Kind == ir.Cover {
			require.True(t, x.Hit, "%s", x)
		}
	}
}

// The checker of the contract finds a stream that breaks it.
func TestRigFindsBrokenStreams(t *testing.T) {
	for _, c := range []struct{ name, body, want string }{
		{"valid falls", "(set out_valid tick)\n (set out_data 3:u8)", "out_valid fell"},
		{"data change", "(set out_valid 1:u1)\n (set out_data (cat 0:u7 tick))", "the data of out changed"},
	} {
		text := `(design broken)
(module broken
  (output out_valid u1)
  (input out_ready u1)
  (output out_data u8)
  (reg tick u1 (init 0:u1))
  (body
    (set tick (not tick))
    ` + c.body + `))`
		d, err := ir.Parse("broken.ir", text)
		require.NoError(t, err)
		f := &failure{TB: t}
		func() {
			defer func() { _ = recover() }()
			g := newRig(f, model(t, d, 1), 1)
			g.sink("out", 0)
			g.run(4)
		}()
		require.Contains(t, f.text, c.want, c.name)
	}
}

// failure records the failure of a test within a test.
type failure struct {
	testing.TB
	text string
}

func (f *failure) Errorf(format string, args ...any) { f.text += sprintf(format, args...) }
func (f *failure) FailNow()                          { panic("failed") }
func (f *failure) Logf(string, ...any)               {}

// inOrder requires that what left is what was accepted, in order.
func inOrder(t testing.TB, in *source, out *sink, left int) {
	t.Helper()
	require.Len(t, out.moved, len(in.moved)-left)
	require.True(t, slices.Equal(data(in.moved)[:len(out.moved)], data(out.moved)))
}
