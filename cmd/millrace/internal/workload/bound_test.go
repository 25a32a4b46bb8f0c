package workload

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/millrace-hdl/millrace/tb"
	"github.com/millrace-hdl/millrace/tb/job"
)

func TestReadBursts(t *testing.T) {
	capped := job.New(40, 0x10, 0)
	capped.Src.MaxBeats = 2
	l := &job.List{Jobs: []job.Job{
		job.New(5000, 0xff8, 0), job.New(3, 0xffe, 0), job.New(2048, 3, 0), job.New(0, 5, 0), capped,
	}}
	require.Equal(t, []int{1, 256, 256, 112, 1, 1, 256, 1, 2, 2, 1}, readBursts(l, 8))
}

// The closed form is the figure that published tables use; unequal bursts cannot
// reach it.
func TestBound(t *testing.T) {
	for _, c := range []struct {
		bytes                int
		size                 uint64
		misaligned           bool
		outstanding, latency int
		want                 float64
	}{
		{4, 8, false, 8, 13, 1},
		{4, 8, false, 8, 100, 8 * 2 / 103.0},
		{4, 64, false, 8, 100, 1},
		{4, 64 << 10, false, 1, 100, 256 / 357.0},
		{64, 64 << 10, false, 2, 200, 2 * 64 / 265.0},
		{64, 8, false, 32, 3, 1},
		{4, 8, true, 8, 100, 8 * 3 / 104.0},
	} {
		l, err := tb.Stream(tb.StreamConfig{Size: c.size, Bytes: c.bytes, AddrWidth: 32, Misaligned: c.misaligned})
		require.NoError(t, err)
		require.InDelta(t, c.want, Bound(l, c.bytes, c.outstanding, c.latency), 1e-3)
	}
	mixed, err := tb.Stream(tb.StreamConfig{Size: 1 << 10, Bytes: 4, AddrWidth: 32, Misaligned: true})
	require.NoError(t, err) // bursts of 256 beats and of one, in turn
	got := Bound(mixed, 4, 2, 100)
	require.Less(t, got, 257/(257+90.0))
	require.Greater(t, got, 257/(257+110.0))

	require.Zero(t, Bound(&job.List{Jobs: []job.Job{job.New(0, 0, 0)}}, 4, 2, 100))
}
