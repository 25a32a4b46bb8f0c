package backend_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/millrace-hdl/millrace/hdl/sim"
	"github.com/millrace-hdl/millrace/idma/backend"
	"github.com/millrace-hdl/millrace/verilator"
)

func tileLinkWatched(read, write string, size int) backend.Config {
	return edit(func(c *backend.Config) {
		c.Watchdog, c.TLMaxSize, c.BufferDepth = 300, size, 8
		if err := c.ReadProtocols.UnmarshalText([]byte(read)); err != nil {
			panic(err)
		}
		if err := c.WriteProtocols.UnmarshalText([]byte(write)); err != nil {
			panic(err)
		}
	})
}

// The guards of TileLink take no cycle.
func TestWatchdogOfTileLinkCostsNoCycle(t *testing.T) {
	for _, size := range []int{0, 16} {
		c := tileLinkWatched("tilelink", "tilelink", size)
		cycles := func(c backend.Config) int {
			b := newPortBench(t, goModel, c, 5)
			b.stall = 20
			b.move(b.random(80))
			return b.cycle
		}
		with := cycles(c)
		c.Watchdog = 0
		require.Equal(t, cycles(c), with)
	}
}

// A subordinate may answer in the cycle of the request. The guards count it, so they never wait
// for another answer: long after their time they have cut off nothing.
func TestWatchdogCountsAnswersInTheCycleOfTheirRequest(t *testing.T) {
	c := tileLinkWatched("tilelink", "tilelink", 0)
	e := start(t, goModel, elaborate(t, c), 1)
	b := portBenchOf(t, e, c, 1)
	set := func(name string, v uint64) { b.pin(name).set(v) }
	require.NoError(t, e.Reset(2))
	b.request(move{length: 40, src: 0x1000, dst: 0x2000, decouple: true}, false)
	set("req_valid", 1)
	set("rsp_ready", 1)
	answers := 0
	for cycle := range 2000 {
		if cycle == 1000 {
			set("req_valid", 1)
		}
		for _, side := range []string{"read", "write"} {
			set("m_tl_"+side+"_a_ready", 1)
			set("m_tl_"+side+"_d_valid", 0)
		}
		require.NoError(t, e.Eval())
		for i, side := range []string{"read", "write"} {
			p := "m_tl_" + side + "_"
			set(p+"d_valid", b.pin(p+"a_valid").get())
			set(p+"d_opcode", uint64(1-i))
			set(p+"d_size", b.pin(p+"a_size").get())
			set(p+"d_source", b.pin(p+"a_source").get())
		}
		require.NoError(t, e.Step())
		if b.pin("req_valid").on() && b.pin("req_ready").on() {
			set("req_valid", 0)
		}
		if b.pin("rsp_valid").on() {
			require.False(t, b.pin("rsp_error").on())
			answers++
		}
	}
	require.Equal(t, 2, answers)
	require.Zero(t, b.pin("busy").get())
	require.NoError(t, sim.Violations(e))
}

// putGuardMutations are mistakes in the emitted RTL of the guards of TileLink.
var putGuardMutations = []mutation{
	{"beat withdrawn", "idma_put_guard_16x82_300cycles_bursts.sv", "isolated_q ? beat_held_q :", "isolated_q ? 1'b0 :"},
	{"burst not ended", "idma_put_guard_16x82_300cycles_bursts.sv", "beat_held_q <= !bus_last;", "beat_held_q <= 1'b0;"},
	{"fillers not marked", "idma_put_guard_16x82_300cycles_bursts.sv", "filler_q <= 1'b1;", "filler_q <= 1'b0;"},
	{"lost writes without an error", "idma_put_guard_16x82_300cycles_bursts.sv", "assign reply_lost = isolated_q;", "assign reply_lost = 1'b0;"},
	{"late answers not taken", "idma_put_guard_16x82_300cycles_bursts.sv", "assign answer_ready = isolated_q || reply_ready;", "assign answer_ready = reply_ready && !isolated_q;"},
	{"never open again", "idma_put_guard_16x82_300cycles_bursts.sv", "assign returns = isolated_q &&", "assign returns = 1'b0 &&"},
}

// TestMutationsOfPutGuardsAreFound requires the bench alone to find each of them.
func TestMutationsOfPutGuardsAreFound(t *testing.T) {
	c := tileLinkWatched("axi4", "tilelink", 32)
	d := elaborate(t, c)
	search := func(o verilator.Options) string {
		return found(t, func(f testing.TB) {
			for _, what := range []refusal{requests, replies} {
				for seed := range uint64(16) {
					s := survival{death{"axi4", "tilelink", portEnd{true, 0}, what}, seed, seed == 0}
					s.on(f, startWith(t, rtl, d, seed, o), c)
				}
			}
		})
	}
	require.Empty(t, search(verilator.Options{Quick: true}))
	each(t, putGuardMutations, func(t *testing.T, m mutation) {
		why := search(verilator.Options{Quick: true, Patch: m.patch(t)})
		require.NotEmpty(t, why)
		t.Log(why)
	})
}
