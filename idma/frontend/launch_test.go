package frontend_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/millrace-hdl/millrace/hdl/sim"
	"github.com/millrace-hdl/millrace/idma/frontend"
	"github.com/millrace-hdl/millrace/tb/regbus"
)

// launch queues a read of next_id.
func (b *bench) launch(port, stream int, then func(regbus.Result)) {
	b.ports[port].Do(regbus.Access{Addr: nextID + 4*uint64(stream), Strb: 15}, then)
}

// Hazard 33: a launch was dropped while another was pending. Here the read waits, and
// nothing is lost, in queues of any depth.
func TestHazard33LaunchesUnderBackPressureAreNotLost(t *testing.T) {
	for bus := range frontend.Bus(3) {
		for _, depth := range []int{1, 2, 5} {
			c := edit(frontend.Reg32, on(bus), func(c *frontend.Config) { c.Queue = depth })
			b := newBench(t, model(t, elaborate(t, c), 1), c, 1, 0)
			s := b.streams[0]
			s.percent = 0
			var ids []uint64
			for i := range depth + 1 {
				b.write(0, 0xd0, uint64(100+i))
				b.launch(0, 0, func(r regbus.Result) { ids = append(ids, r.Read) })
				if i < depth {
					b.until("launch", 20, func() bool { return len(ids) == i+1 })
				}
			}
			for range 50 {
				b.step()
			}
			require.Len(t, ids, depth, "the read waits while the queue is full")
			s.percent = 100
			b.until("the waiting launch", 20, func() bool { return len(s.got) == depth+1 && len(ids) == depth+1 })
			for i, id := range ids {
				require.EqualValues(t, i+2, id)
				require.EqualValues(t, 100+i, s.got[i].fields["dst_addr"])
			}
		}
	}
}

// Hazard 33: two ports that read next_id in one cycle got one number.
func TestHazard33SimultaneousPortsGetDifferentIDs(t *testing.T) {
	for bus := range frontend.Bus(3) {
		const ports = 4
		c := edit(frontend.Reg32, on(bus), sized(ports, 1))
		b := newBench(t, model(t, elaborate(t, c), 1), c, 1, 0)
		for p := range ports {
			b.write(p, 0xd0, uint64(p))
		}
		for round := range 5 {
			results := map[int]regbus.Result{}
			for p := range ports {
				b.launch(p, 0, func(r regbus.Result) { results[p] = r })
			}
			b.until("all launches", 60, func() bool { return len(results) == ports })
			seen := map[uint64]int{}
			for p, r := range results {
				require.Equal(t, results[0].Offered, r.Offered, "all ask in one cycle")
				require.NotContains(t, seen, r.Read)
				seen[r.Read] = p
			}
			b.until("all requests", 20, func() bool { return len(b.streams[0].got) == ports*(round+1) })
			for i := range ports {
				id := uint64(2 + ports*round + i)
				require.Contains(t, seen, id, "numbers have no gaps")
				require.EqualValues(t, seen[id], b.streams[0].got[id-2].fields["dst_addr"], "number %d belongs to the port that got it", id)
			}
		}
	}
}

// Hazard 33: with several streams the number was that of the wrong one.
func TestHazard33StreamOneFirst(t *testing.T) {
	c := edit(frontend.Reg32, sized(2, 3))
	b := newBench(t, model(t, elaborate(t, c), 1), c, 1, 0)
	b.write(0, 0xd0, 77)
	require.EqualValues(t, 2, b.read(0, nextID+4))
	require.EqualValues(t, 3, b.read(0, nextID+4))
	require.EqualValues(t, 2, b.read(1, nextID))
	require.EqualValues(t, 2, b.read(0, nextID+8))
	require.EqualValues(t, 4, b.read(1, nextID+4))
	b.until("requests", 50, func() bool {
		return len(b.streams[0].got) == 1 && len(b.streams[1].got) == 3 && len(b.streams[2].got) == 1
	})
	b.until("answers", 50, func() bool {
		return b.streams[1].answers == 3 && b.streams[0].answers == 1 && b.streams[2].answers == 1
	})
	b.step()
	for s, id := range []uint64{2, 4, 2} {
		require.Equal(t, id, b.read(1, doneID+4*uint64(s)))
	}
	require.EqualValues(t, 77, b.streams[1].got[0].fields["dst_addr"])
}

// Hazard 33: an earlier version that let the read wait came to a deadlock. A stream that
// is stuck holds up neither other ports nor other streams, nor the writes of its own
// port where the bus has them apart.
func TestHazard33AWaitingReadHoldsUpNobodyElse(t *testing.T) {
	c := edit(frontend.Reg32, on(frontend.AXILite), sized(2, 2))
	b := newBench(t, model(t, elaborate(t, c), 1), c, 1, 0)
	b.streams[0].percent = 0
	ended := false
	b.read(0, nextID)
	b.read(0, nextID)
	b.launch(0, 0, func(regbus.Result) { ended = true })
	b.write(0, 0xd0, 5)
	require.EqualValues(t, 2, b.read(1, nextID+4))
	b.until("the other stream", 20, func() bool { return b.streams[1].answers == 1 })
	require.False(t, ended)
	b.streams[0].percent = 100
	b.until("the read", 20, func() bool { return ended })
}

// Hazard 34: what an unused dimension holds must not matter.
func TestHazard34UnusedDimensionsAreDoneOnce(t *testing.T) {
	for l, bits := range map[frontend.Layout]int{frontend.Reg32x2D: 1, frontend.Reg64x2D: 1, frontend.Reg32x3D: 2} {
		c := edit(l)
		b := newBench(t, model(t, elaborate(t, c), 1), c, 1, 0)
		reps := []string{"dim_0_reps", "dim_1_reps"}[:bits]
		for i, stale := range []uint64{0, 1, 7, 1<<32 - 1} {
			for _, r := range reps {
				b.write(0, written[l].at[r], stale)
			}
			for enable := range uint64(1) << bits {
				b.write(0, conf, enable<<10)
				b.read(0, nextID)
				n := i<<bits + int(enable)
				b.until("request", 20, func() bool { return len(b.streams[0].got) > n })
				for k, r := range reps {
					want := uint64(1)
					if enable > uint64(k) {
						want = stale
					}
					require.Equal(t, want, b.streams[0].got[n].fields[r], "%s with enable_nd %d and %d in the register", r, enable, stale)
				}
			}
		}
	}
}

// The cycle in which a request is offered, after that in which the bus carries out the
// read that launches it: always the next. Software sees the read offered before.
func TestLatencyOfALaunch(t *testing.T) {
	for _, c := range []struct {
		bus                    frontend.Bus
		accepted, req, replied int // after the cycle in which the read is first offered
	}{
		{frontend.APB, 1, 2, 1},
		{frontend.AXILite, 1, 1, 2},
		{frontend.OBI, 0, 1, 1},
	} {
		for _, l := range layouts {
			cfg := edit(l, on(c.bus), sized(2, 2))
			b := newBench(t, model(t, elaborate(t, cfg), 1), cfg, 1, 0)
			var got *regbus.Result
			b.launch(1, 1, func(r regbus.Result) { got = &r })
			b.until("launch", 20, func() bool { return got != nil && len(b.streams[1].got) == 1 })
			require.Equal(t, []int{c.accepted, c.req, c.replied},
				[]int{got.Accepted - got.Offered, b.streams[1].got[0].cycle - got.Offered, got.Answered - got.Offered}, "%s %s", c.bus, l)
		}
	}
}

// Numbers go past zero, and what has ended can be told across that.
func TestIDsWrapPastZero(t *testing.T) {
	c := edit(frontend.Reg32, func(c *frontend.Config) { c.TransferIDBits = 8 })
	b := newBench(t, model(t, elaborate(t, c), 1), c, 1, 0)
	want := uint64(2)
	for range 600 {
		id := b.read(0, nextID)
		require.Equal(t, want, id)
		b.until("the end", 20, func() bool { return b.streams[0].open == 0 && len(b.streams[0].got) > 0 && b.streams[0].waiting == nil })
		b.until("done", 50, func() bool { return int8(uint8(b.read(0, doneID)-id)) >= 0 })
		require.Equal(t, id, b.read(0, doneID))
		if want++; want == 256 {
			want = 1
		}
	}
}

// randomLaunches has all ports launch transfers on all streams, and compares numbers,
// requests and what ended.
func randomLaunches(t *testing.T, e sim.Engine, c frontend.Config, seed uint64, rounds int) {
	t.Helper()
	b := newBench(t, e, c, seed, int(seed*17%50))
	all := make([]map[uint64]map[string]uint64, c.Streams) // by number
	for s := range all {
		all[s] = map[uint64]map[string]uint64{}
		b.streams[s].percent = 5 + b.rng.IntN(90)
	}
	left := make([]int, c.Ports)
	busy := 0
	var next func(p int)
	next = func(p int) {
		if left[p]++; left[p] > rounds {
			busy--
			return
		}
		s := b.rng.IntN(c.Streams)
		dst := b.rng.Uint64N(1 << 30)
		b.ports[p].Do(regbus.Access{Write: true, Addr: 0xd0, Data: dst, Strb: 15}, func(regbus.Result) {
			b.launch(p, s, func(r regbus.Result) {
				require.NotZero(t, r.Read)
				require.NotContains(t, all[s], r.Read, "stream %d", s)
				all[s][r.Read] = map[string]uint64{"dst_addr": dst}
				next(p)
			})
		})
	}
	for p := range c.Ports {
		busy++
		next(p)
	}
	idle := func() bool {
		for _, s := range b.streams {
			if s.open > 0 || s.waiting != nil {
				return false
			}
		}
		return busy == 0
	}
	b.until("all launches", 2000*rounds, idle)
	for range 100 { // what is in the queues
		b.step()
	}
	b.until("all answers", 2000, idle)
	total := 0
	for s, launches := range all {
		require.Len(t, b.streams[s].got, len(launches))
		total += len(launches)
		for i, got := range b.streams[s].got {
			id := uint64(i + 2)
			require.Contains(t, launches, id, "numbers have no gaps")
			require.Equal(t, launches[id]["dst_addr"], got.fields["dst_addr"], "stream %d, number %d", s, id)
		}
		require.EqualValues(t, len(launches)+1, b.read(0, doneID+4*uint64(s)))
	}
	require.Equal(t, rounds*c.Ports, total)
}

func TestRandomLaunches(t *testing.T) {
	for seed := uint64(1); seed <= 12; seed++ {
		c := edit(layouts[seed%3], on(frontend.Bus(seed%3)), sized(1+int(seed*7%5), 1+int(seed*5%4)), func(c *frontend.Config) { c.Queue = 1 + int(seed%4) })
		t.Run(fmt.Sprint(seed), func(t *testing.T) { randomLaunches(t, model(t, elaborate(t, c), seed), c, seed, 60) })
	}
}

func TestRandomLaunchesInLockstep(t *testing.T) {
	for i, l := range []frontend.Layout{frontend.Reg32x3D, frontend.Reg32, frontend.Reg32x2D} {
		c := edit(l, on(frontend.Bus(i)), sized(1+i, 3-i), everything)
		randomLaunches(t, both(t, elaborate(t, c), 5), c, 5, 25)
	}
}
