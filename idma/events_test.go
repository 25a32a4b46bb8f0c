package idma_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/millrace-hdl/millrace/bus/axi4"
	"github.com/millrace-hdl/millrace/hdl/sim"
	"github.com/millrace-hdl/millrace/idma"
	"github.com/millrace-hdl/millrace/idma/backend"
	"github.com/millrace-hdl/millrace/idma/midend"
	"github.com/millrace-hdl/millrace/tb/mem"
	"github.com/millrace-hdl/millrace/verilator"
)

// slot is how long the bus belongs to one event, where they do not get into each other's
// way. Periods are multiples of four slots.
const slot = 200

// sensors are four events: two planes of rows, columns of words, a row backwards and a
// single row, whose rows do not touch each other.
func sensors() []sensor {
	loop := func(reps uint64, src, dst int64) midend.Loop {
		return midend.Loop{Reps: reps, SrcStride: src, DstStride: dst}
	}
	return []sensor{
		{0x10_0003, 0x80_0041, 37, [2]midend.Loop{loop(3, 48, 40), loop(2, 0x400, 0x200)}, 4 * slot},
		{0x11_0004, 0x81_0044, 4, [2]midend.Loop{loop(4, 32, 8), loop(3, 4, 0x80)}, 4 * slot},
		{0x12_0f00, 0x82_0050, 50, [2]midend.Loop{loop(5, -64, 64), loop(1, 0, 0)}, 8 * slot},
		{0x13_0010, 0x83_0061, 111, [2]midend.Loop{loop(1, 0, 0), loop(1, 0, 0)}, 12 * slot},
	}
}

// byHand are two transfers that software launches beside them.
func byHand() []sensor {
	return []sensor{
		{0x20_0001, 0x90_0043, 33, [2]midend.Loop{{Reps: 2, SrcStride: 64, DstStride: 48}, {Reps: 2, SrcStride: 0x200, DstStride: 0x100}}, 0},
		{0x21_0002, 0x91_0040, 90, [2]midend.Loop{{Reps: 1}, {Reps: 1}}, 0},
	}
}

func eventConfig(edits ...func(*idma.Config)) idma.Config {
	return edit(idma.Reg32RT3D, append([]func(*idma.Config){func(c *idma.Config) {
		c.Registers.Events, c.Registers.ErrorInfo, c.Backend.ErrorHandling = 4, true, true
	}}, edits...)...)
}

func goEngine(t *testing.T, c idma.Config, seed uint64) sim.Engine {
	t.Helper()
	d, err := idma.Elaborate(c)
	require.NoError(t, err)
	m, err := sim.New(d, sim.Options{Seed: seed})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, m.Close()) })
	return m
}

// inSlots enables each event in a slot of its own, and returns when it should be seen first.
func (b *eventBench) inSlots() (first []int) {
	b.t.Helper()
	begin := b.cycle + slot
	for i := range b.events {
		b.until(begin + i*slot)
		first = append(first, enabled(b.enable(i, 1)))
	}
	return first
}

// quiet goes to where a slot is over but for the time of an access.
func (b *eventBench) quiet(first []int) {
	b.t.Helper()
	b.until(b.cycle + ((first[0]-20-b.cycle)%slot+slot)%slot)
}

// exactly requires that each event was launched in its cycle from the first on.
func (b *eventBench) exactly(first []int) {
	b.t.Helper()
	for i, e := range b.events {
		want := []int{}
		for at := first[i]; at < b.cycle; at += e.period {
			want = append(want, at)
		}
		require.Equal(b.t, want, e.launches, "event %d", i)
		require.Zero(b.t, b.missed[i])
	}
}

// beside runs events for some rounds of slots, in which software launches transfers as well,
// and requires each launch in its cycle and each byte in its place.
func (b *eventBench) beside(rounds int) {
	b.t.Helper()
	b.program()
	first := b.inSlots()
	hand := byHand()
	for k := range rounds {
		s := hand[k%len(hand)]
		if k < len(hand) {
			b.to.Paint(b.seed, s.dst-64, 0x1000)
		}
		b.describe("", 0, s)
		for (b.cycle-first[0])%slot < slot/2 || (b.cycle-first[0])%slot > slot/2+10 { // when no event is due
			b.step()
		}
		b.launch(s)
		b.quiet(first)
		require.True(b.t, b.idle())
		b.settled()
		b.exactly(first)
	}
	require.GreaterOrEqual(b.t, len(b.events[0].launches), rounds/4)
	for i := range b.events {
		b.enable(i, 0)
	}
	b.finish()
	require.Empty(b.t, nonZero(b.failed))
}

func nonZero(all []int) (some []int) {
	for i, n := range all {
		if n != 0 {
			some = append(some, i)
		}
	}
	return some
}

// Events with shapes of their own move memory, in the cycles in which they are due, while
// software launches transfers in between.
func TestEventsMoveMemoryInTheirCycles(t *testing.T) {
	for seed := uint64(1); seed <= 2; seed++ {
		c := eventConfig(func(c *idma.Config) { c.Backend.ErrorHandling = seed == 1 })
		newEventBench(t, goEngine(t, c, seed), c, seed, sensors()).beside(60)
	}
}

func TestEventsMoveMemoryInLockstep(t *testing.T) {
	c := eventConfig()
	d, err := idma.Elaborate(c)
	require.NoError(t, err)
	e, err := verilator.Couple(t.Context(), d, 3, verilator.Options{Quick: true}, verilator.LockstepOptions{Dir: t.TempDir()})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, e.Close()) })
	newEventBench(t, e, c, 3, sensors()).beside(20)
}

// With transfers of software all the time, and events that get into each other's way, launches
// wait for their turn, and are neither lost nor do they drift: the bound is the same for the
// last as for the first.
func TestEventsBesideManyTransfersDoNotDrift(t *testing.T) {
	c := eventConfig()
	all := sensors()
	for i, period := range []int{397, 401, 613, 1009} {
		all[i].period = period
	}
	b := newEventBench(t, goEngine(t, c, 5), c, 5, all)
	b.program()
	var first []int
	for i := range b.events {
		first = append(first, enabled(b.enable(i, 1)))
	}
	for k := uint64(0); b.cycle < 30000; k++ {
		s := sensor{0x20_0000 + b.rng.Uint64N(0x1000), 0x90_0040 + 0x1000*k, 1 + b.rng.Uint64N(120), [2]midend.Loop{}, 0}
		for i, pitch := range []int64{320, 1100} {
			s.loops[i] = midend.Loop{Reps: 1 + b.rng.Uint64N(2), SrcStride: b.rng.Int64N(500), DstStride: pitch}
		}
		b.to.Paint(b.seed, s.dst-64, 0x1000)
		b.describe("", 0, s)
		b.launch(s)
	}
	for i := range b.events {
		b.enable(i, 0)
	}
	for !b.idle() {
		b.step()
	}
	latest := 0
	for i, e := range b.events {
		require.InDelta(t, (b.cycle-first[i])/e.period, len(e.launches), 2)
		for k, at := range e.launches {
			due := first[i] + k*e.period
			require.GreaterOrEqual(t, at, due, "launch %d of event %d", k, i)
			latest = max(latest, at-due)
		}
	}
	require.Empty(t, nonZero(b.missed))
	t.Log("at most", latest, "cycles late")
	require.Greater(t, latest, 50, "launches do meet other transfers")
	require.Less(t, latest, 397, "less than a period")
	b.finish()
}

// A bus error in a row of an event: what the configuration says is done about it, event_failed
// tells once, and the rows and events beside it and the launches after it are as ever.
func TestErrorsOfEventsInWholeEngines(t *testing.T) {
	for action, name := range map[int]string{backend.ActionContinue: "continue", backend.ActionAbort: "abort", backend.ActionReplay: "replay"} {
		for _, write := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, write %v", name, write), func(t *testing.T) {
				c := eventConfig(func(c *idma.Config) { c.RT.Action = action })
				b := newEventBench(t, goEngine(t, c, 1), c, 1, sensors())
				b.program()
				first := b.inSlots()
				b.quiet(first)
				b.settled()
				e := b.events[0]
				bad := e.all[4]
				fault := mem.Fault{Write: write, Lo: bad.src, Hi: bad.src, Resp: axi4.SlvErr}
				if write {
					fault.Lo, fault.Hi = bad.dst, bad.dst
				}
				b.data.AddFault(fault)
				b.onFail = func(event int) { // before the row is read or written again
					require.Zero(t, event)
					b.data.RemoveFault(fault)
				}
				for i := range e.length {
					switch {
					case action == backend.ActionReplay:
					case write || action == backend.ActionAbort:
						e.differs[bad.dst+i] = -1
					case (bad.src+i)/4 == bad.src/4: // the data that came with the error
						e.differs[bad.dst+i] = int(^b.from.Byte(bad.src + i))
					}
				}
				for i := range e.length { // the row behind may be there before the answer
					b.twice[e.all[5].dst+i] = write && action != backend.ActionContinue
				}
				for b.failed[0] == 0 {
					b.step()
				}
				b.until(first[0] + slot - 20 + 4*slot*(len(e.launches)-1))
				b.settled()
				for range 12 {
					b.quiet(first)
					b.step()
					b.until(b.cycle + 25)
				}
				b.quiet(first)
				require.Equal(t, []int{1, 0, 0, 0}, b.failed)
				rewound := []int{0, 0, 0, 0}
				if action != backend.ActionContinue {
					rewound[0] = 1
				}
				for i, e := range b.events {
					require.Equal(t, rewound[i], e.rewinds)
				}
				b.exactly(first)
				for i := range b.events {
					b.enable(i, 0)
				}
				b.finish()
			})
		}
	}
}

// An event that is disabled stands still: its next launch is as many cycles later as it was
// disabled for, and the others do not notice.
func TestDisabledEventsStandStill(t *testing.T) {
	c := eventConfig()
	b := newEventBench(t, goEngine(t, c, 2), c, 2, sensors())
	b.program()
	first := b.inSlots()
	e := b.events[0]
	for _, pause := range []int{1, 30, 4 * slot, 10 * slot} {
		b.quiet(first)
		n := len(e.launches)
		off := b.enable(0, 0)
		b.until(off + pause)
		on := b.enable(0, 1)
		for len(e.launches) == n {
			b.step()
		}
		require.Equal(t, e.launches[n-1]+e.period+on-off, e.launches[n], "%d cycles", on-off)
		first[0] = e.launches[n] // the slots of the others are where they were
		b.until(b.cycle + 300)
	}
	b.until(b.cycle + 100)
	for i, e := range b.events[1:] {
		for k := range e.launches[1:] {
			require.GreaterOrEqual(t, e.launches[k+1]-e.launches[k], e.period-slot, "event %d", i+1)
		}
	}
	for i := range b.events {
		b.enable(i, 0)
	}
	b.until(b.cycle + slot)
	b.finish()
}

// Behind a transfer longer than many periods launches wait: as many as may be owed, with
// those that come due meanwhile told as missed, or all, which are made up for.
func TestEventsBehindALongTransfer(t *testing.T) {
	for _, owed := range []int{1, 15} {
		c := eventConfig(func(c *idma.Config) { c.RT.Owed = owed })
		all := sensors()[:1]
		all[0].period = 500
		c.Registers.Events = 1
		b := newEventBench(t, goEngine(t, c, 4), c, 4, all)
		b.program()
		long := sensor{0x30_0000, 0xa0_0040, 16000, [2]midend.Loop{{Reps: 1}, {Reps: 1}}, 0}
		b.to.Paint(b.seed, long.dst-64, 0x5000)
		b.describe("", 0, long)
		b.launch(long)
		first := enabled(b.enable(0, 1))
		for !b.idle() {
			b.step()
		}
		b.until(b.cycle + 1200)
		e := b.events[0]
		due := (b.cycle-5-first)/e.period + 1
		t.Log("due", due, "launched", len(e.launches), "missed", b.missed[0])
		require.Equal(t, due, len(e.launches)+b.missed[0])
		require.Equal(t, owed == 1, b.missed[0] > 0)
		b.enable(0, 0)
		b.until(b.cycle + slot)
		b.finish()
	}
}
