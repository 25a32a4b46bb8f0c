package midend_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/millrace-hdl/millrace/hdl/sim"
	"github.com/millrace-hdl/millrace/idma/backend"
	"github.com/millrace-hdl/millrace/idma/midend"
)

// rtEvent is an event as the specification has it: launches are due at 0, period, twice
// that, and so on, and can be taken from the cycle after.
type rtEvent struct {
	period, waiting, lost uint64
}

// rtOracle decides which events' launches are taken, cycle by cycle.
type rtOracle struct {
	events []rtEvent
	most   uint64 // that may wait
	last   int    // event served last
	held   int    // whose launch is offered, or -1
}

// step is a cycle in which the launch that is offered is taken, or not.
func (o *rtOracle) step(now uint64, goes bool) {
	free := o.held < 0 || goes
	chosen := -1
	n := len(o.events)
	if free {
		for k := 1; k <= n && chosen < 0; k++ {
			if i := (o.last + k) % n; o.events[i].waiting > 0 {
				chosen = i
			}
		}
		o.held = chosen
		if chosen >= 0 {
			o.events[chosen].waiting--
			o.last = chosen
		}
	}
	for i := range o.events {
		e := &o.events[i]
		if now%e.period != 0 {
			continue
		}
		if e.waiting == o.most {
			e.lost++
		} else {
			e.waiting++
		}
	}
}

// exactly runs cycles of random back-pressure, with the launches held against the oracle in
// every one of them. Nothing comes over the bypass. It returns how many launches were lost.
func exactly(t *testing.T, e sim.Engine, c midend.RTConfig, seed uint64, cycles, stall int, least uint64) (lost uint64) {
	t.Helper()
	b := newBench(t, e, seed, stall)
	o := rtOracle{most: uint64(c.Owed), last: -1, held: -1, events: make([]rtEvent, c.Events)}
	for i := range o.events {
		x := &o.events[i]
		x.period = least + b.rng.Uint64N(3*least)
		n := fmt.Sprintf("event%d_", i)
		for name, v := range map[string]uint64{
			"period": x.period, "length": uint64(i + 1), "src_addr": uint64(0x1000 * i), "src_burst": 1, "dst_burst": 1, "user": uint64(i & 1),
			"dim_0_reps": uint64(10 + i), "dim_1_reps": uint64(50 + i), "dim_0_src_stride": uint64(100 + i), "dim_1_src_stride": uint64(200 + i), "enable": 1,
		} {
			b.set(n+name, v)
		}
	}
	b.set("down_rsp_valid", 0)
	made, missed := make([]uint64, c.Events), make([]uint64, c.Events)
	flight := 0
	for now := range uint64(cycles) {
		ready, answers := b.now(), flight > 0 && (b.on("down_rsp_valid") || b.now())
		b.set("down_req_ready", bit(ready))
		b.set("down_rsp_valid", bit(answers))
		require.NoError(t, b.Step())
		require.Equal(t, bit(o.held >= 0), b.get("down_req_valid"), "cycle %d", now)
		if o.held >= 0 {
			h := uint64(o.held)
			require.Equal(t, h+1, b.get("down_req_length"), "cycle %d", now)
			require.Equal(t, 0x1000*h, b.get("down_req_src_addr"))
			if now%64 == 0 { // hazard 31: the loops have shapes of their own, bursts are INCR, user is driven
				for name, want := range map[string]uint64{"dim_0_reps": 10 + h, "dim_1_reps": 50 + h, "dim_0_src_stride": 100 + h, "dim_1_src_stride": 200 + h, "src_burst": 1, "dst_burst": 1, "user": h & 1} {
					require.Equal(t, want, b.get("down_req_"+name), name)
				}
			}
		}
		for i := range missed {
			missed[i] += b.get(fmt.Sprintf("missed%d", i))
		}
		goes := o.held >= 0 && ready
		if goes {
			made[o.held]++
			flight++
		}
		if answers && b.on("down_rsp_ready") {
			flight--
			b.set("down_rsp_valid", 0)
		}
		o.step(now, goes)
		require.False(t, b.on("up_rsp_valid"), "responses of launches are absorbed")
	}
	require.NoError(t, sim.Violations(b.Engine))
	for i, x := range o.events {
		held := bit(o.held == i)
		require.Equal(t, (uint64(cycles)-1)/x.period+1, made[i]+held+x.waiting+x.lost, "event %d: none lost or doubled", i)
		require.Equal(t, x.lost, missed[i], "event %d", i)
		lost += x.lost
	}
	return lost
}

// Those that come due while too many wait are lost; with more that may wait, fewer are.
func TestEventsLaunchInTheExactCycle(t *testing.T) {
	lost := map[int]uint64{}
	for seed := uint64(1); seed <= 3; seed++ {
		for _, owed := range []int{1, 4, 255} {
			c, d := rtOf(t, func(c *midend.RTConfig) { c.InFlight, c.Owed, c.Events = 1024, owed, int(3*seed-1) })
			lost[owed] += exactly(t, model(t, d, seed), c, seed, 3000, int(20*seed), uint64(c.Events)+1)
		}
	}
	require.Greater(t, lost[1], lost[4])
	require.Positive(t, lost[4])
	require.Zero(t, lost[255])
}

// The same for eight events over a million cycles.
func TestEventsLaunchInTheExactCycleForAMillion(t *testing.T) {
	t.Parallel()
	c, d := rtOf(t, func(c *midend.RTConfig) { c.InFlight = 1024 })
	exactly(t, model(t, d, 9), c, 9, 1_000_000, 10, 20)
}

// Errors of launches are shown, and what asks about them gets the action of the
// configuration.
func TestErrorsOfLaunches(t *testing.T) {
	for _, action := range []int{backend.ActionContinue, backend.ActionAbort, backend.ActionReplay} {
		_, d := rtOf(t, func(c *midend.RTConfig) { c.Backend.ErrorHandling, c.Action = true, action })
		b := newBench(t, model(t, d, 1), 1, 0)
		b.set("event3_period", 1000)
		b.set("event3_enable", 1)
		for _, name := range []string{"down_req_ready", "down_action_ready", "up_rsp_ready"} {
			b.set(name, 1)
		}
		for !b.on("down_req_valid") {
			require.NoError(t, b.Step())
		}
		for name, v := range map[string]uint64{"valid": 1, "error": 1, "asks": 1} {
			b.set("down_rsp_"+name, v)
		}
		require.NoError(t, b.Step())
		for e := range 8 {
			require.Equal(t, bit(e == 3), b.get(fmt.Sprintf("failed%d", e)))
		}
		b.set("down_rsp_valid", 0)
		require.NoError(t, b.Step())
		require.True(t, b.on("down_action_valid"))
		require.EqualValues(t, action, b.get("down_action_kind"))
		require.NoError(t, b.Step())
		require.False(t, b.on("down_action_valid"), "one action")
		require.True(t, b.on("busy"))
		b.set("down_rsp_valid", 1)
		b.set("down_rsp_asks", 0)
		require.NoError(t, b.Step())
		require.False(t, b.on("up_rsp_valid"))
		b.set("down_rsp_valid", 0)
		require.NoError(t, b.Step())
		require.False(t, b.on("busy"))
	}
}

// The bypass passes in the cycle in which it comes, and gets every other place while
// launches wait.
func TestBypassOfEvents(t *testing.T) {
	_, d := rtOf(t, func(c *midend.RTConfig) { c.InFlight = 1024 })
	b := newBench(t, model(t, d, 1), 1, 0)
	b.set("up_req_valid", 1)
	b.set("up_req_length", 99)
	b.set("down_req_ready", 1)
	require.NoError(t, b.Step())
	require.True(t, b.on("down_req_valid"))
	require.EqualValues(t, 99, b.get("down_req_length"))
	for e := range 8 {
		b.set(fmt.Sprintf("event%d_period", e), 1)
		b.set(fmt.Sprintf("event%d_enable", e), 1)
	}
	for range 3 {
		require.NoError(t, b.Step())
	}
	bypass := 0
	for range 100 {
		require.NoError(t, b.Step())
		require.True(t, b.on("down_req_valid"))
		bypass += int(bit(b.get("down_req_length") == 99))
	}
	require.Equal(t, 50, bypass)
}
