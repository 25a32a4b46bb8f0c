package midend_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/millrace-hdl/millrace/hdl/ir"
	"github.com/millrace-hdl/millrace/hdl/sim"
	"github.com/millrace-hdl/millrace/idma/midend"
)

func tensorOf(t testing.TB, dims int, edits ...func(*midend.TensorConfig)) (midend.TensorConfig, *ir.Design) {
	t.Helper()
	c := midend.DefaultTensor()
	c.Dims = dims
	for _, e := range edits {
		e(&c)
	}
	d, err := midend.ElaborateTensor(c)
	require.NoError(t, err)
	return c, d
}

func registered(c *midend.TensorConfig) { c.Registered = true }

// randomTensors runs random requests with zeros, negative and overlapping strides, and
// failing pieces.
func randomTensors(t *testing.T, e sim.Engine, c midend.TensorConfig, seed uint64, n, stall int) {
	t.Helper()
	b := newBench(t, e, seed, stall)
	for range n {
		src, dst, length, id, last := uint64(b.rng.Uint32()), uint64(b.rng.Uint32()), b.rng.Uint64N(100), b.rng.Uint64N(16), b.rng.Uint64N(2)
		var dims []dim
		for range c.Dims - 1 {
			d := dim{b.rng.Uint64N(5), uint64(b.rng.Uint32()), uint64(b.rng.Uint32())}
			if b.rng.IntN(8) == 0 {
				d.reps = 0
			}
			dims = append(dims, d)
		}
		if b.rng.IntN(10) == 0 {
			for i := range dims {
				dims[i].reps = 0
			}
		}
		b.ask(tensorRequest(src, dst, length, id, last, dims), tensor(src, dst, length, id, dims, c.Backend.AddrWidth), 6, only)
	}
	b.check()
}

func TestTensorMakesWhatTheSpecificationSays(t *testing.T) {
	for dims := 2; dims <= 6; dims++ {
		for i, edit := range []func(*midend.TensorConfig){func(*midend.TensorConfig) {}, registered, func(c *midend.TensorConfig) { c.InFlight = 1 }} {
			c, d := tensorOf(t, dims, edit)
			for seed := uint64(1); seed <= 4; seed++ {
				randomTensors(t, model(t, d, seed), c, seed+uint64(10*i), 60, []int{0, 20, 50, 80}[seed-1])
			}
		}
	}
}

func TestTensorInLockstep(t *testing.T) {
	c, d := tensorOf(t, 4)
	randomTensors(t, both(t, d, 7), c, 7, 100, 30)
}

// The examples of the specification, §3.2.
func TestTensorExamples(t *testing.T) {
	for _, x := range []struct {
		dims []dim
		want []uint64
	}{
		{[]dim{{3, 0x40, 0}, {2, 0x200, 0}}, []uint64{0x1000, 0x1040, 0x1080, 0x1280, 0x12c0, 0x1300}},
		{[]dim{{2, 1, 0}, {3, 10, 0}, {2, 100, 0}}, []uint64{0x1000, 0x1001, 0x100b, 0x100c, 0x1016, 0x1017, 0x107b, 0x107c, 0x1086, 0x1087, 0x1091, 0x1092}},
	} {
		_, d := tensorOf(t, len(x.dims)+1)
		b := newBench(t, model(t, d, 1), 1, 0)
		b.todo = append(b.todo, tensorRequest(0x1000, 0, 4, 0, 0, x.dims))
		b.run(1)
		var got []uint64
		for _, p := range b.got[0] {
			got = append(got, p.src)
		}
		require.Equal(t, x.want, got)
	}
}

// The first linear transfer goes in the cycle of the request, the others follow one a
// cycle, and so does the next request.
func TestTensorLatency(t *testing.T) {
	for latency, edit := range []func(*midend.TensorConfig){func(*midend.TensorConfig) {}, registered} {
		_, d := tensorOf(t, 3, edit)
		b := newBench(t, model(t, d, 1), 1, 0)
		for range 5 {
			b.todo = append(b.todo, tensorRequest(0, 0, 4, 0, 0, []dim{{3, 4, 4}, {2, 8, 8}}))
		}
		b.run(5)
		require.Equal(t, latency, b.at[0]-b.offered[0], fmt.Sprint("registered ", latency == 1))
		require.Len(t, b.at, 30)
		require.Equal(t, 29, b.at[29]-b.at[0])
	}
}
