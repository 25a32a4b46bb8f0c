package lib_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/millrace-hdl/millrace/hdl"
	"github.com/millrace-hdl/millrace/hdl/ir"
	"github.com/millrace-hdl/millrace/hdl/lib"
	"github.com/millrace-hdl/millrace/hdl/sim"
	"github.com/millrace-hdl/millrace/verilator"
)

// variants are the queues under test.
func variants() (ps []lib.FIFOParams) {
	for _, depth := range []int{1, 2, 3, 4, 5, 6, 7, 8, 9, 16, 17} {
		for _, block := range []bool{false, true} {
			ps = append(ps, lib.FIFOParams{Width: 13, Depth: depth, Block: block})
		}
		ps = append(ps, lib.FIFOParams{Width: 13, Depth: depth, FallThrough: true})
	}
	return ps
}

func fifo(t testing.TB, p lib.FIFOParams) *ir.Design {
	t.Helper()
	d, err := hdl.Elaborate(lib.FIFO, p)
	require.NoError(t, err)
	return d
}

// capacity is how many elements a queue holds.
func capacity(p lib.FIFOParams) int {
	if p.Block {
		return p.Depth + 1
	}
	return p.Depth
}

// bench drives a queue and compares it with the contract: the reference is a slice
// of elements with the cycle in which each was accepted.
type bench struct {
	p     lib.FIFOParams
	e     sim.Engine
	port  map[string]sim.Port
	items []entry
	moved int // elements that left
}

type entry struct {
	data  uint64
	cycle int
}

func newBench(t testing.TB, p lib.FIFOParams, e sim.Engine) *bench {
	t.Helper()
	b := &bench{p: p, e: e, port: map[string]sim.Port{}}
	for _, n := range []string{"in_valid", "in_ready", "in_data", "out_valid", "out_ready", "out_data", "busy"} {
		var err error
		b.port[n], err = e.Layout().Port(n)
		require.NoError(t, err)
	}
	require.NoError(t, e.Reset(2))
	return b
}

func (b *bench) out(name string) uint64 { return b.e.Out()[b.port[name].Offset] }

func (b *bench) set(name string, v uint64) { b.e.In()[b.port[name].Offset] = v }

func bit(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

// cycle offers data, or not, and takes, or not, and reports whether data was
// accepted. It checks everything that the queue promises about the cycle.
func (b *bench) cycle(t testing.TB, now int, data uint64, offer, take bool) (accepted bool) {
	t.Helper()
	b.set("in_valid", bit(offer))
	b.set("in_data", data)
	b.set("out_ready", bit(take))
	require.NoError(t, b.e.Step())
	at := fmt.Sprintf("%+v, cycle %d, %d inside", b.p, now, len(b.items))
	require.Equal(t, bit(len(b.items) > 0), b.out("busy"), "busy; %s", at)
	ready, valid := b.out("in_ready") == 1, b.out("out_valid") == 1
	latency := 1
	if b.p.Block {
		latency = 2
	}
	if b.p.FallThrough && offer && len(b.items) == 0 {
		require.True(t, ready && valid, "what is offered falls through; %s", at)
		require.Equal(t, data, b.out("out_data"), "out_data; %s", at)
		if take {
			b.moved++
		} else {
			b.items = append(b.items, entry{data, now})
		}
		return true
	}
	// The oldest element is offered as early as the latency allows.
	due := len(b.items) > 0 && now >= b.items[0].cycle+latency
	require.Equal(t, due, valid, "out_valid; %s", at)
	inMemory := len(b.items)
	if b.p.Block && valid {
		inMemory-- // in the output register
	}
	require.Equal(t, inMemory < b.p.Depth, ready, "in_ready; %s", at)
	if valid {
		require.Equal(t, b.items[0].data, b.out("out_data"), "out_data; %s", at)
		if take {
			b.items = b.items[1:]
			b.moved++
		}
	}
	if offer && ready {
		b.items = append(b.items, entry{data, now})
		return true
	}
	return false
}

func model(t testing.TB, d *ir.Design, seed uint64) *sim.Model {
	t.Helper()
	m, err := sim.New(d, sim.Options{Seed: seed})
	require.NoError(t, err)
	return m
}

// random runs a queue under phases of different pressure on either side.
func (b *bench) random(t testing.TB, seed uint64, cycles int) {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 1))
	var data uint64
	offering := false
	for now := range cycles {
		phase := now / 64 % 4
		rates := [4][2]int{{100, 100}, {90, 20}, {20, 90}, {50, 50}}[phase]
		if !offering { // valid stays until the element is accepted
			offering, data = r.IntN(100) < rates[0], r.Uint64N(1<<b.p.Width)
		}
		if b.cycle(t, now, data, offering, r.IntN(100) < rates[1]) {
			offering = false
		}
	}
	require.Greater(t, b.moved, cycles/8)
	require.NoError(t, sim.Violations(b.e))
}

func TestFIFOKeepsItsContract(t *testing.T) {
	for _, p := range variants() {
		t.Run(p.Suffix(), func(t *testing.T) {
			for seed := range uint64(4) {
				newBench(t, p, model(t, fifo(t, p), seed)).random(t, seed, 2000)
			}
		})
	}
}

// A queue takes exactly as many elements as it holds, then none.
func TestFIFOFillsAndDrains(t *testing.T) {
	for _, p := range variants() {
		t.Run(p.Suffix(), func(t *testing.T) {
			b := newBench(t, p, model(t, fifo(t, p), 1))
			accepted := 0
			for now := range 60 {
				if b.cycle(t, now, uint64(now), true, false) {
					accepted++
				}
			}
			require.Equal(t, capacity(p), accepted)
			for now := 60; now < 120; now++ {
				b.cycle(t, now, 0, false, true)
			}
			require.Equal(t, accepted, b.moved)
		})
	}
}

func TestFIFOThroughput(t *testing.T) {
	const cycles = 200
	for _, p := range variants() {
		t.Run(p.Suffix(), func(t *testing.T) {
			b := newBench(t, p, model(t, fifo(t, p), 1))
			for now := range cycles {
				b.cycle(t, now, uint64(now), true, true)
			}
			want := cycles - 1
			switch {
			case p.FallThrough:
				want = cycles
			case p.Block:
				want = cycles - 2
			}
			if p.Depth == 1 && !p.FallThrough {
				want = (want + 1) / 2
			}
			require.Equal(t, want, b.moved)
		})
	}
}

// No output of either side depends combinationally on the other side, and ready
// on none at all; but what falls through depends on what comes in.
func TestFIFOHasNoPathThrough(t *testing.T) {
	for _, p := range variants() {
		var want []string
		if p.FallThrough {
			want = []string{"out_valid<-in_valid", "out_data<-in_data"}
		}
		require.Equal(t, want, paths(t, fifo(t, p)), p.Suffix())
	}
}

func TestFIFOParams(t *testing.T) {
	for _, p := range []lib.FIFOParams{{Width: 0, Depth: 1}, {Width: 1, Depth: 0}, {Width: -1, Depth: 4}} {
		_, err := hdl.Elaborate(lib.FIFO, p)
		require.ErrorContains(t, err, "both must be at least 1")
	}
	_, err := hdl.Elaborate(lib.FIFO, lib.FIFOParams{Width: 1, Depth: 1, Block: true, FallThrough: true})
	require.ErrorContains(t, err, "choose one")
	require.Equal(t, "4x8_fall", lib.FIFOParams{Width: 8, Depth: 4, FallThrough: true}.Suffix())
	require.Equal(t, "4x8_block", lib.FIFOParams{Width: 8, Depth: 4, Block: true}.Suffix())
}

// couple lints the RTL of a design and runs it in lockstep with the model.
func couple(t *testing.T, d *ir.Design) *verilator.Lockstep {
	t.Helper()
	lintClean(t, d)
	cache, err := verilator.OpenCache(cacheDir(t))
	require.NoError(t, err)
	l, err := verilator.Couple(context.Background(), d, 7, verilator.Options{Cache: cache, Quick: true}, verilator.LockstepOptions{})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, l.Close()) })
	return l
}

func cacheDir(t *testing.T) string {
	if dir := os.Getenv("MILLRACE_CACHE"); dir != "" {
		return dir
	}
	return t.TempDir()
}

func TestFIFOInRTL(t *testing.T) {
	for _, p := range []lib.FIFOParams{{Width: 13, Depth: 1}, {Width: 13, Depth: 5}, {Width: 70, Depth: 4, Block: true}, {Width: 13, Depth: 3, Block: true}, {Width: 13, Depth: 3, FallThrough: true}} {
		t.Run(p.Suffix(), func(t *testing.T) {
			l := couple(t, fifo(t, p))
			if p.Width > 63 {
				p.Width = 63 // the elements that the bench makes
			}
			newBench(t, p, l).random(t, 3, 1000)
		})
	}
}
