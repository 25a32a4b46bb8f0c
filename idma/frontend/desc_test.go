package frontend_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/millrace-hdl/millrace/bus/axi4"
	"github.com/millrace-hdl/millrace/idma/backend"
	"github.com/millrace-hdl/millrace/idma/frontend"
	"github.com/millrace-hdl/millrace/tb/mem"
	"github.com/millrace-hdl/millrace/tb/regbus"
)

func TestDescRandomChains(t *testing.T) {
	for i, c := range descSpread() {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			for seed := uint64(1); seed <= 4; seed++ {
				randomChains(t, descModel(t, c, seed), c, seed*10+uint64(i), 40)
			}
		})
	}
}

func TestDescInLockstep(t *testing.T) {
	for i, c := range []frontend.DescConfig{editDesc(), editDesc(fetching(frontend.FetchOBI, 32))} {
		d, err := frontend.ElaborateDesc(c)
		require.NoError(t, err)
		randomChains(t, both(t, d, 3), c, uint64(i+3), 25)
	}
}

// Hazard 35: links that skip forward, into what was fetched ahead and beyond it, closed a
// loop of logic. Elaboration refuses loops; here such chains are followed.
func TestHazard35LinksThatSkipForward(t *testing.T) {
	for skip := uint64(2); skip <= 7; skip++ {
		for _, bus := range []frontend.FetchBus{frontend.FetchAXI4, frontend.FetchAXILite, frontend.FetchOBI} {
			c := editDesc(fetching(bus, 64))
			b := newDescBench(t, descModel(t, c, 1), c, skip, 20, 6)
			at := uint64(0x1000)
			for i := range uint64(24) {
				next := at + 32*(1+i%2*(skip-1)) // every second one is skipped to
				if i == 23 {
					next = endOfChain
				}
				b.put(at, next, uint32(i), 0x0a, i, 2*i)
				at = next
			}
			b.start(0x1000)
			b.finish()
		}
	}
}

// Hazard 36: gaps between the beats of a descriptor doubled interrupts.
func TestHazard36OneInterruptForEachFlag(t *testing.T) {
	for _, stall := range []int{0, 40, 80} {
		c := editDesc()
		b := newDescBench(t, descModel(t, c, 1), c, 1, stall, 3)
		for i := range uint64(30) {
			next := 0x1000 + 32*(i+1)
			if i == 29 {
				next = endOfChain
			}
			b.put(0x1000+32*i, next, 8, 0x0a|uint32(i%3&1), 0, 0)
		}
		b.start(0x1000)
		b.finish()
		require.Equal(t, 10, b.irqs)
	}
}

// A chain that is launched may lie where a speculative fetch was before software wrote
// it: what was fetched then must not be used.
func TestDescriptorsWrittenAfterASpeculativeFetch(t *testing.T) {
	for _, bus := range []frontend.FetchBus{frontend.FetchAXILite, frontend.FetchOBI} { // these memories answer with what was there when they were asked
		c := editDesc(fetching(bus, 64))
		e := descModel(t, c, 1)
		for delay := range 60 {
			b := newDescBench(t, e, c, 1, 0, 30)
			b.put(0x1000, endOfChain, 8, 0x0a, 1, 2)
			b.start(0x1000)
			for range delay {
				b.step()
			}
			b.put(0x1020, endOfChain, 16, 0x0a, 3, 4)
			b.start(0x1020)
			b.finish()
		}
	}
}

// Chains that lie behind each other and wait already are one to the fetching ahead.
func TestSpeculationGoesOverTheEndOfChains(t *testing.T) {
	run := func(speculation int) int {
		c := editDesc(func(c *frontend.DescConfig) { c.Speculation, c.Heads = speculation, 8 })
		b := newDescBench(t, descModel(t, c, 1), c, 1, 0, 60)
		const n = 7
		for i := range uint64(n) {
			b.put(0x1000+32*i, endOfChain, 8, 0x0a, 0, 0)
			b.start(0x1000 + 32*i)
		}
		b.finish()
		got := b.streams[0].got
		return got[n-1].cycle - got[0].cycle
	}
	require.Equal(t, 6*65, run(0), "a round trip each")
	require.Less(t, run(4), 3*65)
}

// Descriptors in a row come as fast as their beats: fetching ahead hides the latency of
// the memory. A link elsewhere costs no more than without.
func TestSpeculationHidesLatency(t *testing.T) {
	run := func(speculation int, stride uint64) int {
		c := editDesc(func(c *frontend.DescConfig) { c.Speculation, c.Pending = speculation, 16 })
		b := newDescBench(t, descModel(t, c, 1), c, 1, 0, 20)
		const n = 20
		for i := range uint64(n) {
			next := 0x1000 + stride*(i+1)
			if i == n-1 {
				next = endOfChain
			}
			b.put(0x1000+stride*i, next, 8, 0x0a, 0, 0)
		}
		b.start(0x1000)
		b.until("requests", 5000, func() bool { return len(b.streams[0].got) == n })
		got := b.streams[0].got
		cycles := got[n-1].cycle - got[0].cycle
		b.finish()
		return cycles
	}
	// Without, a round trip a descriptor: 20 cycles of latency, 3 more beats, and 2 cycles
	// from the last beat over the link to the next request on the bus.
	require.Equal(t, 19*25, run(0, 32))
	require.Equal(t, 19*25, run(0, 64))
	require.LessOrEqual(t, run(4, 32), 19*25/4)
	require.Equal(t, 19*25, run(4, 64), "what was fetched in vain costs nothing")
	require.Equal(t, 3+19*4, run(12, 32), "after a few as fast as the beats")
}

// What is fetched ahead in vain costs not a cycle, whatever the latency, on every bus; and it
// pays where the chain goes on there.
func TestSpeculationNeverCosts(t *testing.T) {
	shapes := map[string]func(k, at uint64) uint64{
		"over one": func(_, at uint64) uint64 { return at + 64 }, "backwards": func(_, at uint64) uint64 { return at - 32 },
		"every third elsewhere": func(k, at uint64) uint64 {
			if k%3 == 2 {
				return at + 0x1000
			}
			return at + 32
		},
		"in a row": func(_, at uint64) uint64 { return at + 32 },
	}
	for _, bus := range []struct {
		fetch frontend.FetchBus
		width int
	}{{frontend.FetchAXI4, 32}, {frontend.FetchAXI4, 64}, {frontend.FetchAXI4, 128}, {frontend.FetchAXI4, 256}, {frontend.FetchAXILite, 64}, {frontend.FetchOBI, 32}} {
		t.Run(fmt.Sprint(bus.fetch, " ", bus.width), func(t *testing.T) {
			t.Parallel()
			without := map[string]int{}
			for _, speculation := range []int{0, 1, 4, 16} {
				c := editDesc(fetching(bus.fetch, bus.width), func(c *frontend.DescConfig) { c.Speculation, c.Pending = speculation, 40 })
				e := descModel(t, c, 1)
				for _, latency := range []int{1, 2, 3, 4, 5, 6, 7, 8, 9, 13, 20, 50} {
					for name, next := range shapes {
						b := newDescBench(t, e, c, 1, 0, latency)
						const n = 12
						at := uint64(0x10000)
						for k := range uint64(n) {
							to := next(k, at)
							if k == n-1 {
								to = endOfChain
							}
							b.put(at, to, 8, 0x0a, 0, 0)
							at = to
						}
						b.start(0x10000)
						b.finish()
						got := b.streams[0].got
						cycles, what := got[n-1].cycle-got[0].cycle, fmt.Sprintf("%s, latency %d", name, latency)
						switch {
						case speculation == 0:
							without[what] = cycles
						case name == "in a row" && latency >= 2*32/(bus.width/8):
							require.Less(t, cycles, without[what], what)
						case name == "over one" || name == "backwards":
							require.Equal(t, without[what], cycles, what)
						}
						require.LessOrEqual(t, cycles, without[what], what)
					}
				}
			}
		})
	}
}

// Cycles from the write of desc_addr to the first fetch, and from the last beat of a
// descriptor to its request.
func TestLatencyOfDescriptors(t *testing.T) {
	c := editDesc()
	b := newDescBench(t, descModel(t, c, 1), c, 1, 0, 1)
	b.put(0x1000, endOfChain, 8, 0x0a, 0, 0)
	accepted := 0
	b.ports[0].Do(regbus.Access{Write: true, Addr: 0, Data: 0x1000, Strb: 255}, func(r regbus.Result) { accepted = r.Accepted })
	fetched, came := 0, 0
	b.until("request", 50, func() bool {
		if fetched == 0 && len(b.mem.reads) > 0 {
			fetched = b.cycle - 1
		}
		if came == 0 && b.on("m_axi_desc_rvalid") && b.on("m_axi_desc_rlast") {
			came = b.cycle - 1
		}
		return len(b.streams[0].got) > 0
	})
	require.Equal(t, 2, fetched-accepted)
	require.Equal(t, 1, b.streams[0].got[0].cycle-came)
	b.finish()
}

// Errors are told with the address of the descriptor, and end nothing but their chain.
func TestDescErrors(t *testing.T) {
	for _, c := range []frontend.DescConfig{editDesc(), editDesc(fetching(frontend.FetchAXILite, 32)), editDesc(fetching(frontend.FetchOBI, 64), func(c *frontend.DescConfig) { c.RegWidth = 32 })} {
		b := newDescBench(t, descModel(t, c, 1), c, 1, 10, 4)
		where := func() uint64 {
			v := b.access(0, regbus.Access{Addr: 0x10, Strb: 255}).Read
			if c.RegWidth == 32 {
				v |= b.read(0, 0x14) << 32
			}
			return v
		}
		clear := func() {
			require.False(t, b.access(0, regbus.Access{Write: true, Addr: 8, Data: 12, Strb: 1}).Err)
			require.Zero(t, b.status()&12)
		}
		idle := func() {
			for i := 0; b.status()&1 == 1; i++ {
				require.Less(t, i, 500, "busy for ever")
			}
		}
		b.put(0x1000, 0x1020, 8, 0x0a, 0, 0)
		b.put(0x1020, 0x1040, 0, 0x0b, 0, 0)
		b.put(0x1040, endOfChain, 8, 0x0a, 0, 0)
		b.streams[0].errors = []reply{{}, {kind: backend.ErrRefused}}
		b.start(0x1000)
		b.finish()
		require.EqualValues(t, 4, b.status())
		require.EqualValues(t, 0x1020, where())
		clear()

		// The second descriptor of a chain cannot be fetched; the next chain is not touched.
		if b.mem.axi != nil {
			b.mem.axi.AddFault(mem.Fault{Lo: 0x2030, Hi: 0x2030, Resp: axi4.SlvErr})
		}
		b.mem.fail = func(a uint64) bool { return a == 0x2020 }
		n := len(b.want)
		b.put(0x2000, 0x2020, 8, 0x0a, 0, 0)
		b.start(0x2000)
		b.put(0x3000, endOfChain, 8, 0x0a, 0, 0)
		b.start(0x3000)
		b.until("both", 3000, func() bool { return len(b.mem.marks) == n+2 })
		idle()
		require.EqualValues(t, 8, b.status())
		require.EqualValues(t, 0x2020, where())
		b.flag++ // an interrupt tells of it
		clear()

		// A descriptor cannot be marked.
		if b.mem.axi != nil {
			b.mem.axi.AddFault(mem.Fault{Write: true, Lo: 0x4000, Hi: 0x4000, Resp: axi4.SlvErr})
		}
		b.mem.fail = func(a uint64) bool { return a == 0x4000 && len(b.streams[0].got) > n+2 }
		b.put(0x4000, endOfChain, 8, 0x0a, 0, 0)
		b.start(0x4000)
		b.until("the answer", 3000, func() bool { return len(b.mem.marks) == n+3 })
		idle()
		require.EqualValues(t, 8, b.status())
		require.EqualValues(t, 0x4000, where())
		require.Equal(t, b.flag, b.irqs)
	}
}

// While too many chains wait, the write waits, and status says so before.
func TestDescWritesWaitForAPlace(t *testing.T) {
	c := editDesc(func(c *frontend.DescConfig) { c.Heads, c.Pending, c.Speculation, c.InFlight = 2, 1, 0, 1 })
	b := newDescBench(t, descModel(t, c, 1), c, 1, 0, 2)
	b.streams[0].percent = 0
	for i := range uint64(5) {
		b.put(0x1000*(i+1), endOfChain, uint32(i), 0x0a, 0, 0)
	}
	for i := range uint64(3) {
		b.start(0x1000 * (i + 1))
		for range 20 {
			b.step()
		}
	}
	require.EqualValues(t, 3, b.status(), "one is fetched, two wait")
	b.start(0x4000)
	b.start(0x5000)
	for range 50 {
		b.step()
	}
	require.Equal(t, 2, b.ports[0].Open())
	b.streams[0].percent = 100
	b.finish()
}
