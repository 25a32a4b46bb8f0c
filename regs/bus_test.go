package regs_test

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/millrace-hdl/millrace/hdl/sim"
	"github.com/millrace-hdl/millrace/tb/regbus"
)

// ports are how the blocks of the sample map are driven.
var ports = map[string]struct {
	bus, prefix string
	rready      bool
}{"apb": {"apb", "s_apb_", false}, "axil": {"axi_lite", "s_axil_", false}, "obi": {"obi", "s_obi_", false}, "obi_rready": {"obi", "s_obi_", true}}

func drive(t testing.TB, block string, e sim.Engine, o regbus.Options) *regbus.Port {
	t.Helper()
	o.RReady = ports[block].rready
	p, err := regbus.New(e, ports[block].bus, ports[block].prefix, o)
	require.NoError(t, err)
	return p
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
	port := drive(t, bus, e, regbus.Options{Idle: r.IntN(60), Seed: seed, Accepted: func(x regbus.Access) {
		a := access{true, x.Write, uint32(x.Addr), uint32(x.Data), uint32(x.Strb)}
		want := o.cycle(a, always)
		due[a.write] = append(due[a.write], answer{want.data, want.err})
		for _, s := range strobes {
			if a.addr&^3 == s.at && (s.write && want.write || !s.write && want.read) {
				expected[s.port]++
			}
		}
	}})
	errors := 0
	for range accesses {
		a := drawAccess(r)
		a.addr &^= 3
		port.Do(regbus.Access{Write: a.write, Addr: uint64(a.addr), Data: uint64(a.data), Strb: uint64(a.strb)}, func(got regbus.Result) {
			want := due[a.write][0]
			due[a.write] = due[a.write][1:]
			require.Equal(t, want.err, got.Err)
			if got.Err {
				errors++
			} else if !a.write {
				require.Equal(t, want.data, uint32(got.Read))
			}
		})
	}
	require.NoError(t, e.Reset(2))
	for cycle := 0; port.Open() > 0; cycle++ {
		require.Less(t, cycle, 60*accesses, "the bus hangs: %d accesses were not answered", port.Open())
		for _, at := range []uint32{8, 16, 20} {
			ready.ready[at] = [2]bool{r.IntN(3) > 0, r.IntN(3) > 0}
		}
		p.give(ready)
		port.Drive()
		p.step()
		require.NoError(t, port.Edge())
		for _, s := range strobes {
			if p.on(s.port) {
				told[s.port]++
			}
		}
	}
	require.NoError(t, port.Finish())
	require.Positive(t, errors)
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
			port := drive(t, c.bus, p.Engine, regbus.Options{})
			toldAt, cycle := -1, 0
			var got regbus.Result
			port.Do(regbus.Access{Addr: 0x10, Strb: 15, Write: write}, func(r regbus.Result) { got = r })
			p.set("loaded_read_ready", 1)
			p.set("loaded_write_ready", 1)
			for ; port.Open() > 0 && cycle < 10; cycle++ {
				port.Drive()
				p.step()
				require.NoError(t, port.Edge())
				if p.on("loaded_read") || p.on("loaded_written") {
					toldAt = cycle
				}
			}
			require.Equal(t, [2]int{c.told, c.replied}, [2]int{toldAt, got.Answered}, "%s, write %t", c.bus, write)
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
