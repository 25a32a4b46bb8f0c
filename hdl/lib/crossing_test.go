package lib_test

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/millrace-hdl/millrace/hdl"
	"github.com/millrace-hdl/millrace/hdl/ir"
	"github.com/millrace-hdl/millrace/hdl/lib"
	"github.com/millrace-hdl/millrace/hdl/sim"
)

// pins are the ports of a running design by name.
type pins struct {
	t testing.TB
	sim.Engine
}

func pinsOf(t testing.TB, e sim.Engine) pins {
	t.Helper()
	require.NoError(t, e.Reset(2))
	return pins{t, e}
}

func (p pins) set(name string, v uint64) {
	p.t.Helper()
	p.In()[mustPort(p.t, p.Engine, name).Offset] = v
}

func (p pins) get(name string) uint64 {
	p.t.Helper()
	return p.Out()[mustPort(p.t, p.Engine, name).Offset]
}

// Edges of the domains from and to, which follow the implicit one.
const (
	fromEdge = 2
	toEdge   = 4
)

func (p pins) tick(edges uint64) {
	p.t.Helper()
	require.NoError(p.t, p.Tick(edges))
}

// clocks says which of two clocks has an edge at each instant: clock k every
// period[k] units of time, each with its phase, so that edges coincide now and then.
type clocks struct{ period, next [2]int }

func newClocks(r *rand.Rand, from, to int) *clocks {
	return &clocks{[2]int{from, to}, [2]int{r.IntN(from), r.IntN(to)}}
}

func (c *clocks) edges() uint64 {
	now := min(c.next[0], c.next[1])
	var mask uint64
	for k := range c.next {
		if c.next[k] == now {
			c.next[k] += c.period[k]
			mask |= fromEdge << k
		}
	}
	return mask
}

// ratios are periods of two clocks, from equal to 1:20 either way.
var ratios = [][2]int{{1, 1}, {2, 3}, {3, 2}, {7, 10}, {1, 5}, {5, 1}, {3, 20}, {20, 1}, {1, 20}}

func built[P, IO any](t testing.TB, build hdl.Build[P, IO], p P) *ir.Design {
	t.Helper()
	d, err := hdl.Elaborate(build, p)
	require.NoError(t, err)
	return d
}

// levels is a module of one synchroniser.
func levels(m *hdl.Module, stages int) ports {
	to := m.Domain("to")
	x, y := m.In("x", hdl.U(3), hdl.Async()), m.Out("y", hdl.U(3), hdl.On(to))
	y.Set(lib.Sync(m, "x", to, x.Signal, stages, hdl.Init(5)))
	return ports{x, y}
}

func TestSyncDelaysByItsStages(t *testing.T) {
	for _, stages := range []int{0, 2, 3, 8} {
		n := stages
		if n == 0 {
			n = 2
		}
		p := pinsOf(t, model(t, built(t, levels, stages), 1))
		r := rand.New(rand.NewPCG(uint64(stages), 9))
		line := make([]uint64, n)
		for i := range line {
			line[i] = 5
		}
		for range 200 {
			x := r.Uint64N(8)
			p.set("x", x)
			p.tick(2)
			require.Equal(t, line[n-1], p.get("y"), "%d stages", stages)
			line = append([]uint64{x}, line[:n-1]...)
		}
	}
}

func TestSyncRefusesStages(t *testing.T) {
	for _, stages := range []int{-1, 1, 9} {
		_, err := hdl.Elaborate(levels, stages)
		require.ErrorContains(t, err, "Stages: they are 2 to 8, or 0 for 2")
		for _, v := range []hdl.Validator{lib.PulseSyncParams{Stages: stages}, lib.WordSyncParams{Width: 1, Stages: stages}, lib.ResetSyncParams{Stages: stages}} {
			require.ErrorContains(t, v.Validate(), "Stages: they are 2 to 8, or 0 for 2")
		}
	}
	require.ErrorContains(t, lib.WordSyncParams{}.Validate(), "Width 0")
}

// pulses sends pulses where they are allowed and counts them on both sides, and
// holds the time of each to the contract.
func pulses(t testing.TB, e sim.Engine, stages int, c *clocks, r *rand.Rand, instants int) {
	t.Helper()
	p := pinsOf(t, e)
	sent, arrived := 0, 0
	var waiting []int // edges of to since each pulse under way
	for range instants {
		edges := c.edges()
		require.NoError(t, p.Eval())
		send := p.get("busy") == 0 && edges&fromEdge != 0 && r.IntN(3) == 0
		p.set("in", bit(send))
		p.tick(edges)
		if edges&toEdge != 0 {
			due := len(waiting) > 0 && waiting[0] == stages
			require.Equal(t, bit(due), p.get("out"), "under way for these edges: %v", waiting)
			if due {
				waiting = waiting[1:]
				arrived++
			}
			for i := range waiting {
				waiting[i]++
			}
		}
		if send {
			waiting = append(waiting, 0)
			sent++
		}
	}
	require.Greater(t, arrived, instants/150)
	require.NoError(t, sim.Violations(e))
}

func TestPulsesArriveOnce(t *testing.T) {
	for i, ratio := range ratios {
		for _, stages := range []int{2, 4} {
			t.Logf("seed %d, periods %v", i, ratio)
			r := rand.New(rand.NewPCG(uint64(i), 5))
			d := built(t, lib.PulseSync, lib.PulseSyncParams{Stages: stages})
			pulses(t, model(t, d, uint64(i)), stages, newClocks(r, ratio[0], ratio[1]), r, 3000)
		}
	}
}

// A pulse that comes too soon is dropped, and is a violation.
func TestPulseTooSoon(t *testing.T) {
	p := pinsOf(t, model(t, built(t, lib.PulseSync, lib.PulseSyncParams{}), 1))
	arrived := 0
	for i := range 20 {
		p.set("in", bit(i < 2))
		p.tick(fromEdge | toEdge)
		arrived += int(p.get("out"))
	}
	require.Equal(t, 1, arrived)
	require.ErrorContains(t, sim.Violations(p.Engine), "pulse_not_while_busy")
}

// words moves random words through a stream between two domains and holds them to
// order, loss, duplication and latency: a word that finds nothing before it is
// offered after the given number of edges. It returns the number of words moved.
func words(t testing.TB, e sim.Engine, latency int, c *clocks, r *rand.Rand, instants int, offerRate, takeRate int) (moved int) {
	t.Helper()
	p := pinsOf(t, e)
	type entry struct {
		data  uint64
		edges int // of to, since it was taken
		alone bool
	}
	var queue []entry
	offering, data := false, uint64(0)
	for range instants {
		edges := c.edges()
		if !offering {
			offering, data = r.IntN(100) < offerRate, r.Uint64N(1<<13)
		}
		take := r.IntN(100) < takeRate
		p.set("in_valid", bit(offering))
		p.set("in_data", data)
		p.set("out_ready", bit(take))
		p.tick(edges)
		empty := len(queue) == 0
		if edges&toEdge != 0 {
			valid := p.get("out_valid") == 1
			require.False(t, valid && empty, "a word from nowhere")
			if !empty && queue[0].alone {
				require.Equal(t, queue[0].edges >= latency, valid, "offered %d edges after it was taken", queue[0].edges)
			}
			if valid {
				require.Equal(t, queue[0].data, p.get("out_data"))
				if take {
					queue = queue[1:]
					moved++
				}
			}
			for i := range queue {
				queue[i].edges++
			}
		}
		if edges&fromEdge != 0 && offering && p.get("in_ready") == 1 {
			queue = append(queue, entry{data, 0, empty})
			offering = false
		}
	}
	require.NoError(t, sim.Violations(e))
	return moved
}

func TestWordsCross(t *testing.T) {
	for i, ratio := range ratios {
		for _, stages := range []int{2, 3} {
			t.Logf("seed %d, periods %v", i, ratio)
			r := rand.New(rand.NewPCG(uint64(i), 6))
			d := built(t, lib.WordSync, lib.WordSyncParams{Width: 13, Stages: stages})
			for _, take := range []int{100, 30} {
				const instants = 3000
				moved := words(t, model(t, d, uint64(i)), stages+1, newClocks(r, ratio[0], ratio[1]), r, instants, 80, take)
				require.Greater(t, moved, instants/150, "%v", ratio)
			}
		}
	}
}

// With equal clocks the pace is exact.
func TestPaceOfCrossings(t *testing.T) {
	for _, stages := range []int{2, 3, 5} {
		const moves = 10
		r := rand.New(rand.NewPCG(1, 1))
		d := built(t, lib.WordSync, lib.WordSyncParams{Width: 13, Stages: stages})
		cycles := moves*(2*stages+2) - stages + 1 // the last one leaves in the last cycle
		require.Equal(t, moves, words(t, model(t, d, 1), stages+1, newClocks(r, 1, 1), r, cycles, 100, 100), "%d stages", stages)

		p := pinsOf(t, model(t, built(t, lib.PulseSync, lib.PulseSyncParams{Stages: stages}), 1))
		for i := range 3 * (2*stages + 1) {
			begins := i%(2*stages+1) == 0
			p.set("in", bit(begins))
			p.tick(fromEdge | toEdge)
			require.Equal(t, bit(!begins), p.get("busy"), "cycle %d of %d stages", i, stages)
		}
		require.NoError(t, sim.Violations(p.Engine))
	}
}

type routeIO struct {
	In  hdl.Stream[pixel] `hdl:"in"`
	Out hdl.Stream[pixel]
	Go  hdl.Var `hdl:"in"`
	Ack hdl.Var
}

// route takes pixels and pulses from one domain into the implicit one, and pixels on
// into a third.
func route(m *hdl.Module, _ struct{}) routeIO {
	from, to := m.Domain("camera"), m.Domain("display")
	t := hdl.StreamOf(pixel{X: hdl.U(10), Y: hdl.S(10), Level: hdl.U(8)})
	io := routeIO{
		In:  hdl.Ports(m, "in", hdl.Sink, t, hdl.On(from)),
		Out: hdl.Ports(m, "out", hdl.Source, t, hdl.On(to)),
		Go:  m.In("go", hdl.Bool(), hdl.On(from)),
		Ack: m.Out("ack", hdl.Bool()),
	}
	between := lib.AsyncQueue(m, "u_queue", lib.AsyncFIFOParams{Depth: 4}, from, m.DefaultDomain(), io.In)
	hdl.Connect(io.Out, lib.SyncWord(m, "u_word", m.DefaultDomain(), to, between, 0))
	ack, _ := lib.SyncPulse(m, "u_go", from, m.DefaultDomain(), io.Go, 0)
	io.Ack.Set(ack)
	return io
}

// Bundles go through the crossings as they are, in any domains of a module.
func TestBundlesCross(t *testing.T) {
	d := built(t, route, struct{}{})
	run := func(t *testing.T, e sim.Engine) {
		p := pinsOf(t, e)
		r := rand.New(rand.NewPCG(12, 1))
		t.Log("seed 12")
		type pix [3]uint64
		var queue []pix
		var next pix
		moved, acks, offering := 0, 0, false
		for i := range 1500 {
			edges := 1 + r.Uint64N(7)
			if !offering {
				offering, next = true, pix{r.Uint64N(1 << 10), r.Uint64N(1 << 10), r.Uint64N(1 << 8)}
			}
			for k, n := range []string{"in_x", "in_y", "in_level"} {
				p.set(n, next[k])
			}
			p.set("in_valid", 1)
			p.set("out_ready", r.Uint64N(2))
			p.set("go", bit(i%100 == 0))
			if i%100 == 0 {
				edges |= 2
			}
			p.tick(edges)
			if edges&4 != 0 && p.get("out_valid") == 1 && p.In()[mustPort(t, e, "out_ready").Offset] == 1 {
				require.Equal(t, queue[0], pix{p.get("out_x"), p.get("out_y"), p.get("out_level")})
				queue, moved = queue[1:], moved+1
			}
			if edges&2 != 0 && p.get("in_ready") == 1 {
				queue, offering = append(queue, next), false
			}
			if edges&1 != 0 {
				acks += int(p.get("ack"))
			}
		}
		require.Greater(t, moved, 80)
		require.Equal(t, 15, acks)
		require.NoError(t, sim.Violations(e))
	}
	t.Run("model", func(t *testing.T) { run(t, model(t, d, 1)) })
	t.Run("rtl", func(t *testing.T) { run(t, couple(t, d)) })
}

func mustPort(t testing.TB, e sim.Engine, name string) sim.Port {
	t.Helper()
	p, err := e.Layout().Port(name)
	require.NoError(t, err)
	return p
}

// A domain without reset takes a synchroniser without one, and no other.
func TestSyncWithoutReset(t *testing.T) {
	build := func(opts ...hdl.Option) hdl.Build[struct{}, ports] {
		return func(m *hdl.Module, _ struct{}) ports {
			to := m.Domain("to", hdl.WithoutReset())
			x, y := m.In("x", hdl.Bool(), hdl.Async()), m.Out("y", hdl.Bool(), hdl.On(to))
			y.Set(lib.Sync(m, "x", to, x.Signal, 2, opts...))
			return ports{x, y}
		}
	}
	_, err := hdl.Elaborate(build(), struct{}{})
	require.ErrorContains(t, err, "x_1_q")
	p := pinsOf(t, model(t, built(t, build(hdl.NoReset()), struct{}{}), 1))
	p.set("x", 1)
	for i := range 4 {
		p.tick(2)
		if i >= 2 {
			require.EqualValues(t, 1, p.get("y"))
		}
	}
}

// What is not a register reaches no synchroniser of another domain.
func TestSyncTakesNoLogic(t *testing.T) {
	_, err := hdl.Elaborate(func(m *hdl.Module, _ struct{}) ports {
		to := m.Domain("to")
		x, y := m.In("x", hdl.U(2)), m.Out("y", hdl.Bool(), hdl.On(to))
		y.Set(lib.Sync(m, "x", to, x.All(), 2))
		return ports{x, y}
	}, struct{}{})
	require.ErrorContains(t, err, "through logic, in which glitches arise")
}
