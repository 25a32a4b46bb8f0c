package verilator_test

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/millrace-hdl/millrace/hdl/ir"
	"github.com/millrace-hdl/millrace/hdl/sim"
	"github.com/millrace-hdl/millrace/verilator"
)

// benchDesigns are a design that does next to nothing, so that what is measured
// is the call, and one with 110 ports and registers up to 1024 bits wide.
func benchDesigns(b *testing.B) map[string]*ir.Design {
	return map[string]*ir.Design{
		"counter": elaborate(b, counter, width{8}),
		"ports":   elaborate(b, manyPorts, noParams{}),
	}
}

func benchmarkStep(b *testing.B, make func(b *testing.B, d *ir.Design) sim.Engine) {
	for _, name := range []string{"counter", "ports"} {
		b.Run(name, func(b *testing.B) {
			e := make(b, benchDesigns(b)[name])
			require.NoError(b, e.Reset(1))
			in := e.In()
			for b.Loop() {
				in[0] ^= 1
				if err := e.Step(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkStep(b *testing.B) {
	benchmarkStep(b, func(b *testing.B, d *ir.Design) sim.Engine { return start(b, build(b, d, verilator.Options{}), 0) })
}

func BenchmarkStepWithState(b *testing.B) {
	benchmarkStep(b, func(b *testing.B, d *ir.Design) sim.Engine {
		return start(b, build(b, d, verilator.Options{State: true}), 0)
	})
}

func BenchmarkModel(b *testing.B) {
	benchmarkStep(b, func(b *testing.B, d *ir.Design) sim.Engine {
		m, err := sim.New(d, sim.Options{})
		require.NoError(b, err)
		return m
	})
}

func BenchmarkLockstep(b *testing.B) {
	benchmarkStep(b, func(b *testing.B, d *ir.Design) sim.Engine { return couple(b, d, 1, verilator.Options{}) })
}

func BenchmarkRun(b *testing.B) {
	e := start(b, build(b, elaborate(b, counter, width{8}), verilator.Options{}), 0)
	require.NoError(b, e.Reset(1))
	for b.Loop() {
		require.NoError(b, e.Run(1000))
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/1000, "ns/cycle")
}

func BenchmarkBuild(b *testing.B) {
	d := elaborate(b, counter, width{8})
	b.Run("first", func(b *testing.B) {
		b.Setenv("CCACHE_DISABLE", "1")
		for b.Loop() {
			cache, err := verilator.OpenCache(b.TempDir())
			require.NoError(b, err)
			build(b, d, verilator.Options{Cache: cache})
		}
	})
	b.Run("changed", func(b *testing.B) {
		b.Setenv("CCACHE_DISABLE", "1")
		cache, err := verilator.OpenCache(b.TempDir())
		require.NoError(b, err)
		build(b, elaborate(b, counter, width{9}), verilator.Options{Cache: cache})
		for b.Loop() {
			build(b, d, verilator.Options{Cache: cache})
			b.StopTimer()
			for _, p := range under(b, cache, "entries", "counter-") {
				require.NoError(b, os.RemoveAll(p))
			}
			b.StartTimer()
		}
	})
	b.Run("cached", func(b *testing.B) {
		for b.Loop() {
			build(b, d, verilator.Options{})
		}
	})
}
