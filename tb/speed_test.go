package tb

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/millrace-hdl/millrace/tb/job"
)

// replay is an engine that costs nothing: it plays back what a sound engine drove
// in an earlier run, so that a benchmark measures the bench alone.
type replay struct {
	*fake
	outs  [][]uint64
	cycle int
}

func (r *replay) Reset(int) error { r.cycle = 0; clear(r.out); return nil }
func (r *replay) Eval() error     { return nil }
func (r *replay) Step() error {
	copy(r.out, r.outs[r.cycle])
	r.cycle++
	return nil
}

// recorder keeps the outputs of every step.
type recorder struct {
	*fake
	outs [][]uint64
}

func (r *recorder) Step() error {
	err := r.fake.Step()
	r.outs = append(r.outs, append([]uint64(nil), r.out...))
	return err
}

func BenchmarkBench(b *testing.B) {
	stream := func(size uint64) *job.List {
		l, err := Stream(StreamConfig{Size: size, Bytes: 4, AddrWidth: 32})
		require.NoError(b, err)
		return l
	}
	for _, c := range []struct {
		name string
		list *job.List
		cfg  RunConfig
	}{
		{"long bursts", stream(1 << 16), RunConfig{ReadLatency: 3, WriteLatency: 3}},
		{"8-byte transfers", stream(8), RunConfig{ReadLatency: 3, WriteLatency: 3}},
		{"8-byte transfers, latency 100", stream(8), RunConfig{ReadLatency: 100, WriteLatency: 100}},
	} {
		b.Run(c.name, func(b *testing.B) {
			c.cfg.ReadyCheck = -1
			rec := &recorder{fake: newFake(32, 8, sound)}
			res, err := Run(context.Background(), rec, c.list, c.cfg)
			require.NoError(b, err)
			require.NoError(b, res.Err())
			play := &replay{fake: newFake(32, 8, sound), outs: rec.outs}
			cycles := 0.0
			b.ReportAllocs()
			for b.Loop() {
				res, err := Run(context.Background(), play, c.list, c.cfg)
				require.NoError(b, err)
				require.NoError(b, res.Err())
				cycles += float64(res.TotalCycles)
			}
			b.ReportMetric(cycles/b.Elapsed().Seconds(), "cycles/s")
		})
	}
}
