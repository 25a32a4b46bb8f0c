package average_test

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/millrace-hdl/millrace/examples/average"
	"github.com/millrace-hdl/millrace/hdl"
	"github.com/millrace-hdl/millrace/hdl/ir"
	"github.com/millrace-hdl/millrace/hdl/sim"
	"github.com/millrace-hdl/millrace/verilator"
)

// reference says what the answers must be, without regard to cycles.
func reference(samples []uint64, taps int) []uint64 {
	means := make([]uint64, len(samples))
	for i := range samples {
		sum := uint64(0)
		for _, s := range samples[max(0, i-taps+1) : i+1] {
			sum += s
		}
		means[i] = sum / uint64(taps)
	}
	return means
}

// drive sends the samples through a running design. Either side pauses at random.
func drive(t *testing.T, e sim.Engine, samples []uint64, seed uint64) (answers []uint64) {
	t.Helper()
	port := func(words []uint64, name string) *uint64 {
		p, err := e.Layout().Port(name)
		require.NoError(t, err)
		return &words[p.Offset]
	}
	inValid, inData, outReady := port(e.In(), "in_valid"), port(e.In(), "in_data"), port(e.In(), "out_ready")
	inReady, outValid, outData := port(e.Out(), "in_ready"), port(e.Out(), "out_valid"), port(e.Out(), "out_data")

	r := rand.New(rand.NewPCG(seed, 0))
	require.NoError(t, e.Reset(2))
	sent := 0
	for cycle := 0; len(answers) < len(samples); cycle++ {
		require.Less(t, cycle, 10*len(samples)+10, "the design hangs")
		if *inValid == 0 && sent < len(samples) { // once offered, a sample stays
			*inValid, *inData = r.Uint64N(2), samples[sent]
		}
		*outReady = r.Uint64N(2)
		require.NoError(t, e.Step()) // the outputs are those before the edge
		if *outValid&*outReady == 1 {
			answers = append(answers, *outData)
		}
		if *inValid&*inReady == 1 {
			*inValid, sent = 0, sent+1
		}
	}
	return answers
}

func elaborate(t *testing.T, p average.Params) *ir.Design {
	t.Helper()
	d, err := hdl.Elaborate(average.Average, p)
	require.NoError(t, err)
	return d
}

func random(p average.Params, n int, seed uint64) []uint64 {
	r := rand.New(rand.NewPCG(seed, 1))
	samples := make([]uint64, n)
	for i := range samples {
		samples[i] = r.Uint64N(1 << p.Width)
	}
	return samples
}

func TestAverageOnTheModel(t *testing.T) {
	for _, p := range []average.Params{{Width: 1, Taps: 2}, {Width: 8, Taps: 4}, {Width: 12, Taps: 64}} {
		for seed := range uint64(10) {
			e, err := sim.New(elaborate(t, p), sim.Options{Seed: seed})
			require.NoError(t, err)
			samples := random(p, 200, seed)
			require.Equal(t, reference(samples, p.Taps), drive(t, e, samples, seed), "%+v, seed %d", p, seed)
		}
	}
}

// In lockstep the model and the Verilated RTL run side by side, and a difference
// in any output or register of any cycle is an error.
func TestAverageInLockstep(t *testing.T) {
	p := average.Params{Width: 8, Taps: 4}
	l, err := verilator.Couple(context.Background(), elaborate(t, p), 1, verilator.Options{}, verilator.LockstepOptions{})
	require.NoError(t, err)
	defer func() { require.NoError(t, l.Close()) }()
	samples := random(p, 500, 1)
	require.Equal(t, reference(samples, p.Taps), drive(t, l, samples, 1))
}

func TestAverageRefusesParameters(t *testing.T) {
	for p, want := range map[average.Params]string{
		{Width: 0, Taps: 4}: "parameter Width is 0; the range is 1 to 64",
		{Width: 8, Taps: 3}: "parameter Taps is 3; it must be a power of two from 2 to 64",
	} {
		_, err := hdl.Elaborate(average.Average, p)
		require.ErrorContains(t, err, want)
	}
}
