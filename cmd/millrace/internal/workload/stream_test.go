package workload

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/millrace-hdl/millrace/tb/job"
)

func TestStreamSize(t *testing.T) {
	for _, c := range []struct{ width, size, n int }{
		{32, 8, 8192},        // 64 KiB
		{32, 16, 4096},       // 4 beats: 4096 beats are 1024 transfers, 64 KiB more
		{32, 64 << 10, 4},    // 4 transfers
		{64, 64, 1024},       // 64 KiB
		{512, 64, 1024},      // one beat each
		{512, 256, 1024},     // 4096 beats
		{512, 1 << 10, 256},  // 4096 beats
		{512, 64 << 10, 4},   // both
		{1024, 4 << 10, 128}, // 4096 beats
	} {
		l := Stream(c.width, c.size, false)
		require.Len(t, l.Jobs, c.n, "%d bits, %d bytes", c.width, c.size)
		require.EqualValues(t, 3, l.Jobs[0].Src.Addr%128)
		require.EqualValues(t, 5, l.Jobs[0].Dst.Addr%128)
		require.Equal(t, l.Jobs[0].Src.Addr+uint64(c.size), l.Jobs[1].Src.Addr, "contiguous")
		require.Zero(t, Stream(c.width, c.size, true).Jobs[0].Dst.Addr%4096)
	}
}

func TestFewestWriteBeats(t *testing.T) {
	l := &job.List{Jobs: []job.Job{job.New(1, 0, 3), job.New(2, 0, 3), job.New(0, 0, 3), job.New(4096, 0, 5), job.New(4, 0, 0)}}
	require.Equal(t, 1+2+0+1025+1, FewestWriteBeats(32, l))
	require.Equal(t, 1+1+0+65+1, FewestWriteBeats(512, l))
}

func TestReadBursts(t *testing.T) {
	l := &job.List{Jobs: []job.Job{job.New(5000, 0xff8, 0), job.New(3, 0xffe, 0), job.New(2048, 3, 0)}}
	require.Equal(t, []int{1, 256, 256, 112, 1, 1, 256, 1}, readBursts(64, l))
}

// The closed form is the figure that published tables use; unequal bursts cannot
// reach it.
func TestBound(t *testing.T) {
	for _, c := range []struct {
		width, size          int
		aligned              bool
		outstanding, latency int
		want                 float64
	}{
		{32, 8, true, 8, 13, 1},
		{32, 8, true, 8, 100, 8 * 2 / 103.0},
		{32, 64, true, 8, 100, 1},
		{32, 64 << 10, true, 1, 100, 256 / 357.0},
		{512, 64 << 10, true, 2, 200, 2 * 64 / 265.0},
		{512, 8, true, 32, 3, 1},
		{32, 8, false, 8, 100, 8 * 3 / 104.0},
	} {
		require.InDelta(t, c.want, Bound(c.width, Stream(c.width, c.size, c.aligned), c.outstanding, c.latency), 1e-3)
	}
	mixed := Bound(32, Stream(32, 1<<10, false), 2, 100) // bursts of 256 beats and of one, in turn
	require.Less(t, mixed, 257/(257+90.0))
	require.Greater(t, mixed, 257/(257+110.0))
}
