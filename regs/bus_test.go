package regs_test

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/millrace-hdl/millrace/bus/apb"
	"github.com/millrace-hdl/millrace/hdl/sim"
)

// managerOf makes the manager of a bus.
func managerOf(bus string, h *hooks) (manager, func()) {
	switch bus {
	case "apb":
		m := &apbManager{hooks: h, monitor: apb.NewMonitor(apb.Config{Bytes: 4})}
		return m, func() {
			m.monitor.Finish(m.cycle)
			require.Empty(h.t, m.monitor.Violations())
			require.Positive(h.t, m.monitor.Stats().Errors)
			require.Positive(h.t, m.monitor.Stats().MostWaits)
		}
	case "axil":
		return &liteManager{hooks: h, waiting: map[string]uint64{}}, func() {}
	}
	return &obiManager{hooks: h, rready: bus == "obi_rready"}, func() {}
}

// answer is what an access must bring.
type answer struct {
	data uint32
	err  bool
}

// overBus runs random accesses over a bus while reads and writes are held up at random,
// and compares every answer, every strobe and what the registers hold in the end.
func overBus(t *testing.T, bus string, e sim.Engine, seed uint64, accesses int) {
	t.Helper()
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 6))
	p, o := pins{t, e}, newOracle()
	ready := drawInputs(r)
	ready.sets, ready.load = 0, false
	always := ready
	always.ready = map[uint32][2]bool{8: {true, true}, 16: {true, true}, 20: {true, true}}

	due := map[bool][]answer{}
	told, expected := map[string]int{}, map[string]int{}
	asked, got := 0, 0
	h := &hooks{pins: p, r: r, idle: r.IntN(60)}
	h.next = func() (access, bool) {
		if asked == accesses {
			return access{}, false
		}
		asked++
		a := drawAccess(r)
		a.valid = true
		return a, true
	}
	h.done = func(a access) {
		want := o.cycle(a, always)
		due[a.write] = append(due[a.write], answer{want.data, want.err})
		for _, s := range strobes {
			if a.addr&^3 == s.at && (s.write && want.write || !s.write && want.read) {
				expected[s.port]++
			}
		}
	}
	h.answered = func(write bool, data uint32, err bool) {
		want := due[write][0]
		due[write] = due[write][1:]
		got++
		require.Equal(t, want.err, err)
		if !write && !err {
			require.Equal(t, want.data, data)
		}
	}
	require.NoError(t, e.Reset(2))
	m, finish := managerOf(bus, h)
	for cycle := 0; got < accesses; cycle++ {
		require.Less(t, cycle, 60*accesses, "the bus hangs: %d of %d accesses were answered", got, accesses)
		for _, at := range []uint32{8, 16, 20} {
			ready.ready[at] = [2]bool{r.IntN(3) > 0, r.IntN(3) > 0}
		}
		p.give(ready)
		m.drive()
		p.step()
		m.edge()
		for _, s := range strobes {
			if p.on(s.port) {
				told[s.port]++
			}
		}
	}
	finish()
	require.Equal(t, expected, told, "strobes")
	p.step()
	for _, x := range held {
		require.Equal(t, o.held[x.at]>>x.lo&(1<<(x.hi-x.lo+1)-1), uint32(p.get(x.port)), x.port)
	}
}

func TestBlocksOnEveryBus(t *testing.T) {
	for bus, d := range blocks(t) {
		for seed := uint64(1); seed <= 6; seed++ {
			overBus(t, bus, model(t, d, seed), seed, 1500)
		}
	}
}

func TestBlocksInLockstep(t *testing.T) {
	for bus, d := range blocks(t) {
		overBus(t, bus, both(t, d, 3), 3, 1000)
	}
}

// Cycles from the first cycle in which an access is offered to that in which hardware is
// told of it, and to its answer.
func TestLatency(t *testing.T) {
	for _, c := range []struct {
		bus           string
		told, replied int
	}{
		{"apb", 1, 1}, // the setup phase before
		{"axil", 0, 2},
		{"obi", 0, 1},
		{"obi_rready", 0, 1},
	} {
		for _, write := range []bool{false, true} {
			p := pins{t, model(t, blocks(t)[c.bus], 1)}
			require.NoError(t, p.Reset(2))
			toldAt, repliedAt, asked, cycle := -1, -1, false, 0
			h := &hooks{pins: p, r: rand.New(rand.NewPCG(1, 1)), done: func(access) {}}
			h.next = func() (access, bool) {
				first := !asked
				asked = true
				return access{addr: 0x10, strb: 15, write: write}, first
			}
			h.answered = func(bool, uint32, bool) { repliedAt = cycle }
			m, _ := managerOf(c.bus, h)
			p.set("loaded_read_ready", 1)
			p.set("loaded_write_ready", 1)
			for ; repliedAt < 0 && cycle < 10; cycle++ {
				m.drive()
				p.step()
				m.edge()
				if p.on("loaded_read") || p.on("loaded_written") {
					toldAt = cycle
				}
			}
			require.Equal(t, [2]int{c.told, c.replied}, [2]int{toldAt, repliedAt}, "%s, write %t", c.bus, write)
		}
	}
}

// A read of AXI4-Lite that is held up does not hold up writes: software may need them to
// let it go on.
func TestWritesPassAReadThatWaits(t *testing.T) {
	p := pins{t, model(t, blocks(t)["axil"], 1)}
	require.NoError(t, p.Reset(2))
	p.set("s_axil_arvalid", 1)
	p.set("s_axil_araddr", 8)
	p.set("s_axil_bready", 1)
	p.set("s_axil_awaddr", 0x40)
	p.set("s_axil_wdata", 0x12345678)
	p.set("s_axil_wstrb", 15)
	written := 0
	for range 40 {
		p.set("s_axil_awvalid", 1)
		p.set("s_axil_wvalid", 1)
		p.step()
		require.False(t, p.on("s_axil_arready"))
		if p.on("s_axil_bvalid") {
			written++
		}
	}
	require.Greater(t, written, 8)
	require.Equal(t, uint64(0x123), p.get("slot_0_high"))
	p.set("level_read_ready", 1)
	answered := false
	for range 4 {
		p.step()
		answered = answered || p.on("s_axil_arready")
	}
	require.True(t, answered)
}
