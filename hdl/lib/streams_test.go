package lib_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/millrace-hdl/millrace/hdl"
	"github.com/millrace-hdl/millrace/hdl/ir"
	"github.com/millrace-hdl/millrace/hdl/lib"
	"github.com/millrace-hdl/millrace/hdl/sim"
)

var sprintf = fmt.Sprintf

const seeds = 4

func elaborated[P, IO any](t testing.TB, b hdl.Build[P, IO], p P) *ir.Design {
	t.Helper()
	d, err := hdl.Elaborate(b, p)
	require.NoError(t, err)
	return d
}

func TestSpill(t *testing.T) {
	for _, c := range []struct {
		cut     lib.Cut
		latency int
		paths   []string
	}{
		{lib.CutBoth, 1, nil},
		{lib.CutValid, 1, []string{"in_ready<-out_ready"}},
		{lib.CutReady, 0, []string{"out_valid<-in_valid", "out_data<-in_data"}},
	} {
		t.Run(c.cut.String(), func(t *testing.T) {
			d := elaborated(t, lib.Spill, lib.SpillParams{Width: 13, Cut: c.cut})
			require.ElementsMatch(t, c.paths, paths(t, d))
			for seed := range uint64(seeds) {
				m := model(t, d, seed)
				spill(t, m, seed, 2000)
				coversHit(t, m)
			}
			g := newRig(t, model(t, d, 1), 1)
			in, out := g.source("in", 100), g.sink("out", 100)
			g.run(100)
			require.Len(t, in.moved, 100, "an element every cycle")
			require.Len(t, out.moved, 100-c.latency)
			require.Equal(t, c.latency, out.moved[0].cycle)
		})
	}
}

func spill(t testing.TB, e sim.Engine, seed uint64, cycles int) {
	g := newRig(t, e, seed)
	in, out := g.source("in", 0), g.sink("out", 0)
	g.phases(cycles)
	g.drain(5)
	require.Greater(t, len(out.moved), cycles/10)
	inOrder(t, in, out, 0)
}

func TestStreamFork(t *testing.T) {
	for _, n := range []int{2, 3, 5} {
		d := elaborated(t, lib.StreamFork, lib.ForkParams{Width: 9, Outputs: n})
		noValidWaits(t, d)
		for seed := range uint64(seeds) {
			m := model(t, d, seed)
			fork(t, m, n, seed, 2000)
			coversHit(t, m)
		}
		g := newRig(t, model(t, d, 1), 1)
		in, out := g.source("in", 100), g.sink("out_0", 100)
		for i := 1; i < n; i++ {
			g.sink(sprintf("out_%d", i), 100)
		}
		g.run(50)
		require.Len(t, in.moved, 50, "an element every cycle")
		require.Len(t, out.moved, 50)
		g.sinks[n-1].percent = 0 // the others are served all the same, once
		g.run(10)
		require.Len(t, out.moved, 51)
		require.Len(t, in.moved, 50)
	}
}

func fork(t testing.TB, e sim.Engine, n int, seed uint64, cycles int) {
	g := newRig(t, e, seed)
	in := g.source("in", 0)
	for i := range n {
		g.sink(sprintf("out_%d", i), 0)
	}
	g.phases(cycles)
	g.drain(5)
	require.Greater(t, len(in.moved), cycles/50)
	for _, out := range g.sinks {
		inOrder(t, in, out, 0)
	}
}

func TestStreamJoin(t *testing.T) {
	d := elaborated(t, lib.StreamJoin, lib.JoinParams{Left: 7, Right: 12})
	noValidWaits(t, d)
	for seed := range uint64(seeds) {
		join(t, model(t, d, seed), seed, 2000)
	}
	m := model(t, d, 1)
	g := newRig(t, m, 1)
	g.source("left", 100)
	g.source("right", 100)
	out := g.sink("out", 100, "out_left_data", "out_right_data")
	g.run(50)
	require.Len(t, out.moved, 50, "a pair every cycle, without latency")
	coversHit(t, m)
}

func join(t testing.TB, e sim.Engine, seed uint64, cycles int) {
	g := newRig(t, e, seed)
	left, right := g.source("left", 0), g.source("right", 0)
	out := g.sink("out", 0, "out_left_data", "out_right_data")
	g.phases(cycles)
	require.Greater(t, len(out.moved), cycles/20)
	require.Len(t, left.moved, len(out.moved))
	require.Len(t, right.moved, len(out.moved))
	for i, pair := range out.moved {
		require.Equal(t, event{left.moved[i].cycle, left.moved[i].data<<12 | right.moved[i].data}, pair)
		require.Equal(t, pair.cycle, right.moved[i].cycle)
	}
}

func TestStreamMux(t *testing.T) {
	for _, n := range []int{2, 3, 4, 5} {
		d := elaborated(t, lib.StreamMux, lib.MuxParams{Width: 8, Inputs: n})
		noValidWaits(t, d)
		for seed := range uint64(seeds) {
			mux(t, model(t, d, seed), n, seed, 2000)
		}
	}
}

func mux(t testing.TB, e sim.Engine, n int, seed uint64, cycles int) {
	g := newRig(t, e, seed)
	for i := range n {
		g.source(sprintf("in_%d", i), 50)
	}
	out := g.sink("out", 60)
	places := 1 << g.port("sel").Type.Width
	sel, moved := 0, 0
	for range cycles {
		if !out.waiting {
			sel = g.r.IntN(places)
		}
		g.set("sel", uint64(sel))
		g.step()
		offered := sel < n && (g.sources[sel].offering || len(g.sources[sel].moved) > 0 && g.sources[sel].moved[len(g.sources[sel].moved)-1].cycle == g.now-1)
		require.Equal(t, bit(offered), g.get("out_valid"), "cycle %d, sel %d", g.now-1, sel)
		if len(out.moved) > moved {
			moved++
			require.Equal(t, out.moved[moved-1], g.sources[sel].moved[len(g.sources[sel].moved)-1])
		}
	}
	require.NoError(t, sim.Violations(e))
	total := 0
	for _, s := range g.sources {
		require.NotEmpty(t, s.moved)
		total += len(s.moved)
	}
	require.Equal(t, total, moved, "no other input moved")
	require.Greater(t, moved, cycles/20)
}

func TestStreamDemux(t *testing.T) {
	for _, n := range []int{2, 3, 4, 5} {
		d := elaborated(t, lib.StreamDemux, lib.DemuxParams{Width: 8, Outputs: n})
		noValidWaits(t, d)
		for seed := range uint64(seeds) {
			demux(t, model(t, d, seed), n, seed, 2000)
		}
	}
}

func demux(t testing.TB, e sim.Engine, n int, seed uint64, cycles int) {
	g := newRig(t, e, seed)
	in := g.source("in", 70)
	for i := range n {
		g.sink(sprintf("out_%d", i), 60)
	}
	var to []int // output of each element
	in.onOffer = func(uint64) {
		to = append(to, g.r.IntN(n))
		g.set("sel", uint64(to[len(to)-1]))
	}
	g.run(cycles)
	in.percent = 0
	g.drain(5)
	require.Len(t, in.moved, len(to))
	require.Greater(t, len(to), cycles/4)
	want := make([][]event, n)
	for i, e := range in.moved {
		want[to[i]] = append(want[to[i]], e)
	}
	for i, s := range g.sinks {
		require.Equal(t, want[i], s.moved, "output %d, in the same cycles", i)
	}
	if 1<<g.port("sel").Type.Width > n { // an output that is not there
		in.onOffer, in.percent = func(uint64) { g.set("sel", uint64(n)) }, 100
		before := len(in.moved)
		g.run(5)
		require.Len(t, in.moved, before)
	}
}

// Streams of any payload go through every module that the generic functions place.
func TestGenericStreams(t *testing.T) {
	type sample struct{ Tag, Level hdl.Var }
	type streamsIO struct {
		In   hdl.Stream[sample] `hdl:"in"`
		Sel  hdl.Var            `hdl:"in"`
		Out  hdl.Stream[lib.Both[sample, sample]]
		From hdl.Var
	}
	d := elaborated(t, func(m *hdl.Module, _ struct{}) streamsIO {
		typ := sample{hdl.U(3), hdl.S(5)}
		io := hdl.Ports(m, "", hdl.Source, streamsIO{hdl.StreamOf(typ), hdl.U(1), hdl.StreamOf(lib.Both[sample, sample]{Left: typ, Right: typ}), hdl.U(1)})
		two := lib.Fork(m, "u_fork", lib.CutStream(m, "u_cut", lib.CutReady, io.In), 2)
		parted := lib.Demux(m, "u_demux", io.Sel.Signal, two[0], 2)
		merged, from := lib.Arbitrate(m, "u_arbiter", lib.Fixed, parted...)
		other := lib.Mux(m, "u_mux", hdl.Const(1, 0), two[1], hdl.Stream[sample]{Valid: hdl.V(hdl.Const(1, 0)), Ready: m.Wire("nobody", hdl.Bool(), hdl.MayBeUnused()), Data: io.In.Data})
		hdl.Connect(io.Out, lib.Join(m, "u_join", merged, other))
		io.From.Set(from)
		return io
	}, struct{}{})
	e := model(t, d, 1)
	g := newRig(t, e, 1)
	for i := range uint64(32) {
		g.set("in_valid", 1)
		g.set("in_tag", i%8)
		g.set("in_level", i)
		g.set("sel", i%2)
		g.set("out_ready", 1)
		require.NoError(t, e.Step())
		require.EqualValues(t, 1, g.get("in_ready"))
		require.EqualValues(t, 1, g.get("out_valid"), "through five modules without latency")
		for _, side := range []string{"left", "right"} {
			require.Equal(t, i%8, g.get("out_"+side+"_tag"))
			require.Equal(t, i, g.get("out_"+side+"_level"))
		}
		require.Equal(t, i%2, g.get("from"))
	}
	require.NoError(t, sim.Violations(e))
}
