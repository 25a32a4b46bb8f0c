package lib_test

import (
	"math/bits"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/millrace-hdl/millrace/hdl"
	"github.com/millrace-hdl/millrace/hdl/lib"
	"github.com/millrace-hdl/millrace/hdl/sim"
)

type grantIO struct {
	Req    hdl.Var `hdl:"in"`
	Served hdl.Var `hdl:"in"`
	Round  hdl.Var
	Fixed  hdl.Var
}

func grants(m *hdl.Module, n int) grantIO {
	io := hdl.Ports(m, "", hdl.Source, grantIO{hdl.U(n), hdl.Bool(), hdl.U(n), hdl.U(n)})
	io.Round.Set(lib.RoundRobin(m, "turn", io.Req.Signal, io.Served.Signal))
	io.Fixed.Set(lib.FixedPriority(io.Req.Signal))
	return io
}

func TestGrants(t *testing.T) {
	for _, n := range []int{2, 3, 4, 7} {
		d := elaborated(t, grants, n)
		for seed := range uint64(seeds) {
			g := newRig(t, model(t, d, seed), seed)
			last := -1 // served last: after reset, the lowest comes first
			waited := make([]int, n)
			for range 1000 {
				req, served := g.r.Uint64N(1<<n), g.r.IntN(2) == 1
				if g.r.IntN(4) == 0 {
					req = 1<<n - 1
				}
				g.set("req", req)
				g.set("served", bit(served))
				g.run(1)
				require.Equal(t, req&-req, g.get("fixed"))
				want := -1
				for k := 1; k <= n && want < 0; k++ {
					if i := (last + k) % n; req>>i&1 == 1 {
						want = i
					}
				}
				if want < 0 {
					require.Zero(t, g.get("round"))
					continue
				}
				require.Equal(t, uint64(1)<<want, g.get("round"), "req %b after %d", req, last)
				for i := range n {
					switch {
					case req>>i&1 == 0 || served && i == want:
						waited[i] = 0
					case served:
						waited[i]++
						require.Less(t, waited[i], n, "request %d waits for all others at most once", i)
					}
				}
				if served {
					last = want
				}
			}
		}
	}
}

func arbiters() (ps []lib.ArbiterParams) {
	for _, n := range []int{2, 3, 5} {
		for _, policy := range []lib.Policy{lib.Round, lib.Fixed} {
			for _, packets := range []bool{false, true} {
				ps = append(ps, lib.ArbiterParams{Width: 8, Inputs: n, Policy: policy, Packets: packets})
			}
		}
	}
	return ps
}

func TestStreamArbiter(t *testing.T) {
	for _, p := range arbiters() {
		t.Run(p.Suffix(), func(t *testing.T) {
			d := elaborated(t, lib.StreamArbiter, p)
			noValidWaits(t, d)
			for seed := range uint64(seeds) {
				m := model(t, d, seed)
				arbitrate(t, m, p, seed, 2000)
				coversHit(t, m)
			}
		})
	}
}

// arbitrate compares an arbiter with a reference that chooses whenever something is
// offered and nothing is held. The last element of a packet has its top bit set.
func arbitrate(t testing.TB, e sim.Engine, p lib.ArbiterParams, seed uint64, cycles int) {
	g := newRig(t, e, seed)
	n := p.Inputs
	for i := range n {
		g.source(sprintf("in_%d", i), 0)
	}
	out := g.sink("out", 0)
	held, last, moved := -1, -1, 0
	rates := []int{10, 50, 100}
	for now := range cycles {
		if now%50 == 0 {
			out.percent = rates[g.r.IntN(3)]
			for _, s := range g.sources {
				s.percent = rates[g.r.IntN(3)]
			}
		}
		if p.Packets { // the bits for what is offered: decided as soon as the data are
			var ends uint64
			for i, s := range g.sources {
				if !s.offering && g.r.IntN(100) < s.percent {
					s.offering, s.data = true, s.next()
				}
				ends |= s.data >> 7 << i
			}
			for _, s := range g.sources {
				s.percent = 0
			}
			g.set("last", ends)
		}
		g.step()
		if p.Packets {
			for i, s := range g.sources {
				s.percent = rates[(now/50+i)%3]
			}
		}
		var req uint64
		for i, s := range g.sources {
			if s.offering || len(s.moved) > 0 && s.moved[len(s.moved)-1].cycle == now {
				req |= 1 << i
			}
		}
		if held < 0 && req != 0 {
			held = bits.TrailingZeros64(req)
			if above := req >> (last + 1) << (last + 1); p.Policy == lib.Round && above != 0 {
				held = bits.TrailingZeros64(above)
			}
			last = held
		}
		offered := held >= 0 && req>>held&1 == 1
		require.Equal(t, bit(offered), g.get("out_valid"), "cycle %d", now)
		if !offered {
			continue
		}
		require.EqualValues(t, held, g.get("from"), "cycle %d", now)
		if len(out.moved) > moved {
			s := g.sources[held]
			require.Equal(t, s.moved[len(s.moved)-1], out.moved[moved])
			moved++
			if !p.Packets || out.moved[moved-1].data>>7 == 1 {
				held = -1
			}
		}
	}
	require.NoError(t, sim.Violations(e))
	total := 0
	for _, s := range g.sources {
		total += len(s.moved)
	}
	require.Equal(t, total, moved)
	require.Greater(t, moved, cycles/5)
}

func TestStreamArbiterThroughputAndFairness(t *testing.T) {
	for _, p := range arbiters() {
		if p.Packets {
			continue
		}
		g := newRig(t, model(t, elaborated(t, lib.StreamArbiter, p), 1), 1)
		for i := range p.Inputs {
			g.source(sprintf("in_%d", i), 100)
		}
		out := g.sink("out", 100)
		g.run(10 * p.Inputs)
		require.Len(t, out.moved, 10*p.Inputs, "an element every cycle")
		for i, s := range g.sources {
			want := 10
			if p.Policy == lib.Fixed {
				want = []int{10 * p.Inputs, 0, 0, 0, 0}[i]
			}
			require.Len(t, s.moved, want, "input %d of %s", i, p.Suffix())
		}
	}
}
