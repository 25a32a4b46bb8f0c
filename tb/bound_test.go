package tb

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/millrace-hdl/millrace/tb/job"
)

func TestFewestWriteBeats(t *testing.T) {
	fixed := job.New(100, 0, 0)
	fixed.Dst.Burst = 0
	l := list(job.New(4, 9, 0), job.New(4, 9, 3), job.New(1, 9, 3), job.New(0, 9, 3), fixed, job.New(5, 0, ^uint64(0)-4))
	require.EqualValues(t, 1+2+1+2, FewestWriteBeats(l, 4))
	require.EqualValues(t, 1+1+1+1, FewestWriteBeats(l, 8))
}

func TestReadBursts(t *testing.T) {
	capped := job.New(40, 0x1003, 0)
	capped.Src.MaxBeats = 4
	for _, c := range []struct {
		job   job.Job
		bytes int
		want  []int
	}{
		{job.New(16, 0, 0), 4, []int{4}},
		{job.New(16, 3, 0), 4, []int{5}},
		{job.New(2048, 0, 0), 4, []int{256, 256}},
		{job.New(2048, 0x3ff, 0), 4, []int{256, 256, 1}},
		{job.New(5000, 0xff8, 0), 8, []int{1, 256, 256, 112}},
		{job.New(5000, 0xff8, 0), 64, []int{1, 64, 14}},
		{capped, 4, []int{4, 4, 3}},
		{job.New(0, 0, 0), 4, nil},
		{job.New(1, ^uint64(0), 0), 4, []int{1}},
	} {
		require.Equal(t, c.want, ReadBursts(&c.job, c.bytes), "%d bytes from %#x", c.job.Length, c.job.Src.Addr)
	}
}

// A few values of the published table, which the formula fits.
func TestAlignedBound(t *testing.T) {
	require.InDelta(t, 1, AlignedBound(8, 4, 3), 0)
	require.InDelta(t, 8.0*2/(100+1+2), AlignedBound(8, 2, 100), 1e-12)
	require.InDelta(t, 8.0*16/(100+1+16), 1.094, 1e-3)
	require.InDelta(t, 1, AlignedBound(8, 16, 100), 0)
}

// The behavioural engine needs no cycle more than the bound allows, so both must
// agree for every size, width, latency and alignment of the published tables.
func TestBoundAgainstEngine(t *testing.T) {
	for _, width := range []int{32, 512} {
		for _, outstanding := range []int{1, 2, 8} {
			for _, size := range []uint64{8, 64, 1024, 4096} {
				for _, misaligned := range []bool{false, true} {
					t.Run(fmt.Sprintf("%d bits, %d outstanding, %d bytes, misaligned %t", width, outstanding, size, misaligned), func(t *testing.T) {
						const latency = 13
						l, err := Stream(StreamConfig{Size: size, Bytes: width / 8, AddrWidth: 32, Misaligned: misaligned})
						require.NoError(t, err)
						l.Jobs = l.Jobs[:min(len(l.Jobs), 64)]
						res := good(t, width, outstanding, l, RunConfig{ReadLatency: latency, WriteLatency: latency, ReadyCheck: -1})
						bound := Bound(l, width/8, outstanding, latency)
						require.LessOrEqual(t, res.Utilisation, bound+0.1, "the bound is one")
						require.GreaterOrEqual(t, res.Utilisation, bound-0.1, "and it can be reached")
						reads := ReadBound(l, width/8, outstanding, latency)
						require.InDelta(t, reads, res.ReadUtilisation, 0.1, "the same of reads")
						require.Equal(t, res.FewestReadBeats, res.ReadBeats)
						bursts := ReadBursts(&l.Jobs[0], width/8)
						if !misaligned && len(bursts) == 1 && len(l.Jobs) >= 8*outstanding {
							require.InDelta(t, AlignedBound(outstanding, bursts[0], latency), bound, 0.08)
						}
						t.Logf("utilisation %.4f, bound %.4f", res.Utilisation, bound)
					})
				}
			}
		}
	}
}

func TestStream(t *testing.T) {
	for _, c := range []struct {
		size  uint64
		bytes int
		n     uint64
	}{
		{8, 4, 8192}, {16, 4, 4096}, {1024, 4, 64}, {1 << 16, 4, 4}, {1 << 20, 4, 4}, {3, 4, 21846},
		{64, 64, 1024}, {128, 64, 512}, {256, 64, 1024}, {4096, 64, 64}, {1 << 16, 64, 4},
	} {
		cfg := StreamConfig{Size: c.size, Bytes: c.bytes, AddrWidth: 32}
		l, err := Stream(cfg)
		require.NoError(t, err)
		require.Len(t, l.Jobs, int(c.n), "%d bytes on %d", c.size, c.bytes)
		require.EqualValues(t, 0, l.Jobs[0].Src.Addr)
		require.EqualValues(t, 1<<31, l.Jobs[0].Dst.Addr)
		require.EqualValues(t, 3*c.size, l.Jobs[3].Src.Addr)
		require.EqualValues(t, 1<<31+3*c.size, l.Jobs[3].Dst.Addr)
		cfg.Misaligned, cfg.DecoupleRW = true, true
		l, err = Stream(cfg)
		require.NoError(t, err)
		require.EqualValues(t, 3+c.size, l.Jobs[1].Src.Addr)
		require.EqualValues(t, 1<<31+5+c.size, l.Jobs[1].Dst.Addr)
		require.True(t, l.Jobs[0].DecoupleRW)
		require.NoError(t, l.CheckIndependent())
	}
	for _, c := range []struct {
		cfg  StreamConfig
		want string
	}{
		{StreamConfig{Bytes: 4, AddrWidth: 32}, "stream: transfers of 0 bytes on a bus of 4 bytes"},
		{StreamConfig{Size: 4, Bytes: 4, AddrWidth: 70}, "stream: 70 address bits; 12…64"},
		{StreamConfig{Size: 1 << 16, Bytes: 4, AddrWidth: 16}, "do not fit into half of a 16-bit address space"},
		{StreamConfig{Size: 1 << 63, Bytes: 4, AddrWidth: 64}, "do not fit into half of a 64-bit address space"},
	} {
		_, err := Stream(c.cfg)
		require.ErrorContains(t, err, c.want)
	}
}
