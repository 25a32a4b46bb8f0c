package lib_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/millrace-hdl/millrace/hdl/lib"
	"github.com/millrace-hdl/millrace/hdl/sim"
)

func TestCredits(t *testing.T) {
	for _, n := range []int{1, 2, 5, 8} {
		d := elaborated(t, lib.Credits, lib.CreditParams{Credits: n})
		require.Empty(t, paths(t, d))
		for seed := range uint64(seeds) {
			m := model(t, d, seed)
			credits(t, m, n, seed, 500)
			coversHit(t, m)
		}
	}
	// Whoever takes what is not there is named.
	m := model(t, elaborated(t, lib.Credits, lib.CreditParams{Credits: 1}), 1)
	g := newRig(t, m, 1)
	g.set("take", 1)
	require.NoError(t, m.Run(2))
	require.ErrorContains(t, sim.Violations(m), "take_what_is_available")
}

func credits(t testing.TB, e sim.Engine, n int, seed uint64, cycles int) {
	g := newRig(t, e, seed)
	left := n
	for now := range cycles {
		take, give := 0, 0
		eager := g.r.IntN(100) < 90
		if now/20%2 == 0 {
			eager = !eager
		}
		if left > 0 && eager {
			take = 1
		}
		if left < n && g.r.IntN(3) == 0 {
			give = 1
		}
		g.set("take", uint64(take))
		g.set("give", uint64(give))
		g.run(1)
		require.EqualValues(t, left, g.get("left"), "cycle %d", now)
		require.Equal(t, bit(left > 0), g.get("available"), "cycle %d", now)
		left += give - take
	}
}

func counters() []lib.CounterParams {
	return []lib.CounterParams{
		{Max: 1}, {Max: 7}, {Max: 9}, {Min: 3, Max: 12}, {Min: 1, Max: 15},
		{Max: 7, Saturate: true}, {Max: 9, Saturate: true}, {Min: 3, Max: 12, Saturate: true},
	}
}

func TestCounter(t *testing.T) {
	for _, p := range counters() {
		t.Run(p.Suffix(), func(t *testing.T) {
			d := elaborated(t, lib.Counter, p)
			require.Empty(t, paths(t, d))
			for seed := range uint64(seeds) {
				m := model(t, d, seed)
				counter(t, m, p, seed, 1000)
				coversHit(t, m)
			}
		})
	}
}

func counter(t testing.TB, e sim.Engine, p lib.CounterParams, seed uint64, cycles int) {
	g := newRig(t, e, seed)
	count := p.Min
	for now := range cycles {
		up, down, load := g.r.IntN(4) > 0, g.r.IntN(4) == 0, g.r.IntN(30) == 0
		if now/100%2 == 1 {
			up, down = down, up
		}
		value := p.Min + g.r.IntN(p.Max-p.Min+1)
		g.set("up", bit(up))
		g.set("down", bit(down))
		g.set("load", bit(load))
		g.set("value", uint64(value))
		g.run(1)
		require.EqualValues(t, count, g.get("count"), "cycle %d", now)
		require.Equal(t, bit(count == p.Min), g.get("at_min"))
		require.Equal(t, bit(count == p.Max), g.get("at_max"))
		switch {
		case load:
			count = value
		case up == down:
		case up && count < p.Max:
			count++
		case up && !p.Saturate:
			count = p.Min
		case down && count > p.Min:
			count--
		case down && !p.Saturate:
			count = p.Max
		}
	}
}
