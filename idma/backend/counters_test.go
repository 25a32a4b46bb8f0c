package backend_test

import (
	"fmt"
	"maps"
	"math/bits"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"github.com/millrace-hdl/millrace/hdl/sim"
	"github.com/millrace-hdl/millrace/idma/backend"
	"github.com/millrace-hdl/millrace/tb"
	"github.com/millrace-hdl/millrace/tb/job"
	"github.com/millrace-hdl/millrace/tb/mem"
)

// traced counts what happens at the ports of an engine, by the rules of the buses and by
// the names of their signals.
type traced struct {
	sim.Engine
	lanes  int
	counts map[string]uint64
	asked  map[string]int       // beats that are to come, by the prefix of a bus
	first  map[string]int       // beats of the access of a TileLink port that are still to come
	before [2]map[string]uint64 // counts up to one and two cycles ago
	shown  map[string]uint64
}

func trace(e sim.Engine, lanes int) *traced {
	return &traced{e, lanes, map[string]uint64{}, map[string]int{}, map[string]int{}, [2]map[string]uint64{{}, {}}, map[string]uint64{}}
}

func (t *traced) words(name string) []uint64 {
	p, err := t.Layout().Port(name)
	if err != nil {
		return nil
	}
	if p.Input {
		return t.In()[p.Offset : p.Offset+p.Words()]
	}
	return t.Out()[p.Offset : p.Offset+p.Words()]
}

func (t *traced) get(name string) uint64 { return t.words(name)[0] }

// on is a signal of one bit; those that a bus does not have are one.
func (t *traced) on(name string) bool { w := t.words(name); return w == nil || w[0] == 1 }

func (t *traced) add(name string, when bool) {
	if when {
		t.counts[name]++
	}
}

// channel counts what is taken and what is not.
func (t *traced) channel(valid, ready, taken, stalls string) bool {
	v, r := t.on(valid), t.on(ready)
	t.add(taken, v && r)
	t.add(stalls, v && !r)
	return v && r
}

func (t *traced) reads(p, valid, ready string) {
	v, r := t.on(p+valid), t.on(p+ready)
	t.add("read_beats", v && r)
	t.add("read_holds", v && !r)
	t.add("read_waits", r && !v && t.asked[p] > 0)
	if v && r {
		t.asked[p]--
	}
}

func (t *traced) written(name string) {
	for _, w := range t.words(name) {
		t.counts["bytes"] += uint64(bits.OnesCount64(w))
	}
}

// Step is a cycle of the engine, and its events.
func (t *traced) Step() error {
	if err := t.Engine.Step(); err != nil {
		return err
	}
	t.before[1], t.before[0] = t.before[0], maps.Clone(t.counts)
	t.add("busy", t.get("busy") != 0)
	if t.on("rsp_valid") && t.on("rsp_ready") {
		asks := t.words("rsp_asks") != nil && t.get("rsp_asks") == 1
		t.add("transfers", !asks)
		t.add("errors", asks || t.get("rsp_error") == 1)
	}
	for _, port := range append(append([]sim.Port{}, t.Layout().Outputs...), t.Layout().Inputs...) {
		if p, ok := strings.CutSuffix(port.Name, "arvalid"); ok {
			t.reads(p, "rvalid", "rready")
			if t.channel(p+"arvalid", p+"arready", "reads", "read_stalls") {
				t.asked[p]++
				if w := t.words(p + "arlen"); w != nil {
					t.asked[p] += int(w[0])
				}
			}
		}
		if p, ok := strings.CutSuffix(port.Name, "awvalid"); ok {
			t.channel(p+"awvalid", p+"awready", "writes", "addr_stalls")
			if t.channel(p+"wvalid", p+"wready", "write_beats", "data_stalls") {
				t.written(p + "wstrb")
			}
			t.add("responses", t.on(p+"bvalid") && t.on(p+"bready"))
		}
		if p, ok := strings.CutSuffix(port.Name, "read_req"); ok {
			p += "read_"
			t.reads(p, "rvalid", "rready")
			if t.channel(p+"req", p+"gnt", "reads", "read_stalls") {
				t.asked[p]++
			}
		}
		if p, ok := strings.CutSuffix(port.Name, "write_req"); ok {
			p += "write_"
			t.channel(p+"req", p+"gnt", "writes", "addr_stalls")
			if t.channel(p+"req", p+"gnt", "write_beats", "data_stalls") {
				t.written(p + "be")
			}
			t.add("responses", t.on(p+"rvalid") && t.on(p+"rready"))
		}
		if p, ok := strings.CutSuffix(port.Name, "read_a_valid"); ok {
			p += "read_"
			t.reads(p, "d_valid", "d_ready")
			if t.channel(p+"a_valid", p+"a_ready", "reads", "read_stalls") {
				t.asked[p] += max(1, 1<<t.get(p+"a_size")/t.lanes)
			}
		}
		if p, ok := strings.CutSuffix(port.Name, "write_a_valid"); ok {
			p += "write_"
			if t.first[p] == 0 {
				t.channel(p+"a_valid", p+"a_ready", "writes", "addr_stalls")
			}
			if t.channel(p+"a_valid", p+"a_ready", "write_beats", "data_stalls") {
				t.written(p + "a_mask")
				if t.first[p] == 0 {
					t.first[p] = max(1, 1<<t.get(p+"a_size")/t.lanes)
				}
				t.first[p]--
			}
			t.add("responses", t.on(p+"d_valid") && t.on(p+"d_ready"))
		}
		if p, ok := strings.CutSuffix(port.Name, "tvalid"); ok && port.Input {
			t.asked[p] = 1
			t.reads(p, "tvalid", "tready")
		} else if ok {
			if t.channel(p+"tvalid", p+"tready", "write_beats", "data_stalls") {
				t.written(p + "tstrb")
			}
		}
		if name, ok := strings.CutPrefix(port.Name, "count_"); ok {
			t.shown[name] = t.get(port.Name)
		}
	}
	return nil
}

// The counters agree with what a trace of the buses says, on every protocol, with errors
// and stalls.
func TestCountersAgreeWithATrace(t *testing.T) {
	total := map[string]uint64{}
	for i, ports := range [][2]string{
		{"axi4", "axi4"}, {"axi_lite", "obi"}, {"obi", "axi_lite"}, {"tilelink", "tilelink"}, {"axi_stream", "axi_stream"}, {"init", "axi4"}, {"axi4", "init"},
		{"axi4, axi4, obi, tilelink, init", "axi4, axi4, obi, tilelink, axi_stream"}, {"axi_stream, axi4, obi, obi", "obi, obi, axi_lite, tilelink, tilelink"},
	} {
		for k, ready := range []bool{false, true} {
			c := edit(func(c *backend.Config) {
				require.NoError(t, c.ReadProtocols.UnmarshalText([]byte(ports[0])))
				require.NoError(t, c.WriteProtocols.UnmarshalText([]byte(ports[1])))
				c.CombinedShifter, c.OBIReady, c.CounterWidth, c.ErrorHandling = false, ready, 40, ready && i == 0
				if c.TLMaxSize = 0; ready {
					c.TLMaxSize = 64
				}
			})
			t.Run(fmt.Sprintf("%s to %s %v", ports[0], ports[1], ready), func(t *testing.T) {
				seed := uint64(10*i + k + 1)
				t.Logf("seed %d", seed)
				lanes, r := c.DataWidth/8, rand.New(rand.NewPCG(seed, 40))
				list := tb.Random(seed, tb.RandomConfig{Jobs: 60, Bytes: lanes, AddrWidth: c.AddrWidth, LengthWidth: c.LengthWidth, MaxLength: uint64(40 * lanes), Zero: 4})
				overPorts(r, list, c)
				if c.ErrorHandling {
					tb.AddErrors(seed, list, tb.ErrorConfig{Bytes: lanes, Percent: 30, Most: 2, Actions: []job.Action{job.Continue, job.Abort, job.Replay}})
				}
				e := trace(start(t, goModel, elaborate(t, c), seed), lanes)
				res, err := tb.Run(t.Context(), e, list, tb.RunConfig{ReadLatency: 7, WriteLatency: 9, Memory: tb.PerPort, Stalls: mem.AllStalls(25), NullBytes: 20, Seed: seed})
				require.NoError(t, err)
				require.NoError(t, res.Err())
				require.Len(t, e.shown, 14)
				want := e.before[1] // a count shows an event two cycles later
				for name := range e.shown {
					want[name] += 0
				}
				require.Empty(t, cmp.Diff(want, e.shown), "- what the trace says, + what was counted")
				require.EqualValues(t, len(list.Jobs), e.counts["transfers"])
				for name, n := range e.shown {
					total[name] += n
				}
			})
		}
	}
	require.Len(t, total, 14)
	for name, n := range total {
		require.Positive(t, n, "nothing was counted as %s", name)
	}
}

// Counters wrap.
func TestCountersWrap(t *testing.T) {
	c := edit(func(c *backend.Config) { c.CounterWidth = 8 })
	e := trace(start(t, goModel, elaborate(t, c), 1), c.DataWidth/8)
	run(t, e, tiny(700, 4), latency(3))
	require.NoError(t, e.Step())
	require.NoError(t, e.Step())
	require.EqualValues(t, 700%256, e.shown["transfers"])
	require.EqualValues(t, 2800%256, e.shown["bytes"])
}

func TestCountersInLockstep(t *testing.T) {
	c := edit(func(c *backend.Config) {
		c.ReadProtocols, c.WriteProtocols = backend.PortsOf(backend.AXI4, backend.OBI), backend.PortsOf(backend.OBI, backend.AXI4, backend.TileLink)
		c.CombinedShifter, c.CounterWidth, c.TLMaxSize = false, 32, 64
	})
	r := rand.New(rand.NewPCG(3, 40))
	list := tb.Random(3, tb.RandomConfig{Jobs: 60, Bytes: c.DataWidth / 8, AddrWidth: c.AddrWidth, LengthWidth: c.LengthWidth, MaxLength: 200})
	overPorts(r, list, c)
	run(t, start(t, lockstep, elaborate(t, c), 3), list, tb.RunConfig{ReadLatency: 7, WriteLatency: 9, Memory: tb.PerPort, Stalls: mem.AllStalls(25), Seed: 3})
}
