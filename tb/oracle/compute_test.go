package oracle

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/millrace-hdl/millrace/bus/axi4"
	"github.com/millrace-hdl/millrace/tb/computed"
	"github.com/millrace-hdl/millrace/tb/job"
	"github.com/millrace-hdl/millrace/tb/mem"
)

// on is a list as an engine with all operations takes it, on a bus of so many bytes.
func on(t *testing.T, bytes int, l *job.List) *job.List {
	t.Helper()
	lim := job.Limits{AddrWidth: 32, LengthWidth: 32, Bytes: bytes, Read: []job.Protocol{job.AXI4}, Write: []job.Protocol{job.AXI4}}
	for o := job.Transpose; o <= job.FillMask; o++ {
		lim.Compute = append(lim.Compute, job.Capability{Op: o, SignedScale: o == job.MXQuantiseFP16 || o == job.MXDequantiseFP32})
	}
	l, err := l.For(lim)
	require.NoError(t, err)
	return l
}

func with(length, src, dst uint64, c job.Compute) job.Job {
	j := job.New(length, src, dst)
	j.Compute = c
	return j
}

// bytesAt is n bytes of a memory.
func bytesAt(s *mem.Store, a uint64, n int) (b []byte) {
	for k := range n {
		b = append(b, s.Byte(a+uint64(k)))
	}
	return b
}

// The tiles of the job file make whole matrices the other way round.
func TestTilesOfTheJobFileMakeMatrices(t *testing.T) {
	l, err := job.ReadFile(filepath.Join("..", "testdata", "jobs", "compute-transpose.yaml"), 1)
	require.NoError(t, err)
	for _, bytes := range []int{4, 8, 64} {
		s := mem.NewStore(5)
		o, err := New(on(t, bytes, l), s, s, Options{Bytes: bytes, Guard: 16, Seed: 1})
		require.NoError(t, err)
		for _, m := range []struct {
			rows, columns, size int
			src, dst            uint64
		}{{10, 7, 1, 0x1001, 0x80001003}, {3, 5, 2, 0x2000, 0x80002001}} {
			for r := range m.rows {
				for c := range m.columns {
					want := bytesAt(s, m.src+uint64((r*m.columns+c)*m.size), m.size)
					require.Equal(t, want, bytesAt(o.spaces[0].want, m.dst+uint64((c*m.rows+r)*m.size), m.size), "row %d, column %d", r, c)
				}
			}
		}
		for _, r := range o.Expect {
			require.False(t, r.Error())
		}
	}
}

func TestWhatOperationsLeave(t *testing.T) {
	s := mem.NewStore(3)
	in := bytesAt(s, 0x1001, 256)
	for _, c := range []struct {
		length  uint64
		compute job.Compute
		want    []byte
	}{
		{256, job.Compute{Op: job.MXQuantiseFP32}, computed.MX{}.Quantise(in)},
		{256, job.Compute{Op: job.MXQuantiseFP32, Mode: 1}, computed.MX{E4M3: true}.Quantise(in)},
		{256, job.Compute{Op: job.MXQuantiseFP16, Mode: 2}, computed.MX{Half: true, SignedScale: true}.Quantise(in)},
		{231, job.Compute{Op: job.MXDequantiseFP32, Mode: 1}, computed.MX{E4M3: true, SignedScale: true}.Dequantise(in[:231])},
		{231, job.Compute{Op: job.MXDequantiseFP16}, computed.MX{Half: true}.Dequantise(in[:231])},
		{7, job.Compute{Op: job.CRC32C, M: 1}, append(append([]byte{}, in[:7]...), computed.CRC32C{FromZero: true}.Value(in[:7])...)},
		{7, job.Compute{Op: job.CRC32C, Mode: 1, M: 2}, computed.CRC32C{NotInverted: true}.Value(in[:7])},
		{4, job.Compute{Op: job.ByteSwap, Mode: 1}, []byte{in[1], in[0], in[3], in[2]}},
		{3, job.Compute{Op: job.FillMask, Mode: 3, M: 0xf0, N: 0x101}, []byte{in[0] ^ 0xf0, in[1] ^ 1, in[2] ^ 0xf0}},
	} {
		from, to := mem.NewStore(3), mem.NewStore(4)
		o, err := New(on(t, 8, list(with(c.length, 0x1001, 0x2003, c.compute))), from, to, opt)
		require.NoError(t, err)
		require.Equal(t, []Response{{Last: true}}, o.Expect)
		_, missing := o.Compare(to, 1)
		require.Equal(t, len(c.want), missing, "%+v", c.compute)
		for k, v := range c.want {
			to.SetByte(0x2003+uint64(k), v)
		}
		first, wrong := o.Compare(to, 5)
		require.Zero(t, wrong, "%+v: %v", c.compute, first)
		to.SetByte(0x2003+uint64(len(c.want)), 1)
		first, _ = o.Compare(to, 5)
		require.Len(t, first, 1)
		require.Equal(t, Outside, first[0].Kind, "a byte too many")
	}
}

func TestResponsesOfOperations(t *testing.T) {
	s := mem.NewStore(1)
	appended := computed.CRC32C{}.Value(bytesAt(s, 0x1000, 8))
	for k, v := range appended {
		s.SetByte(0x1008+uint64(k), v)
	}
	check := func(src uint64, mode uint8) job.Job {
		return with(12, src, 0x8000, job.Compute{Op: job.CRC32C, Mode: mode})
	}
	o := opt
	o.Faults = []mem.Fault{{Lo: 0x3000, Hi: 0x3000, Resp: axi4.SlvErr}, {Lo: 0x5010, Hi: 0x5010, Resp: axi4.DecErr}}
	l := list(
		check(0x1000, 2), check(0x1000, 3), // right
		check(0x2000, 2), check(0x2000, 3), // wrong
		check(0x3000, 2),           // and read with an error
		job.New(4, 0x3000, 0x4000), // leaves bytes open
		check(0x4000, 3), with(12, 0x4000, 0x8000, job.Compute{Op: job.CRC32C}),
		with(7, 0x1000, 0x8000, job.Compute{Op: job.ByteSwap, Mode: 1}),
		// A tile of three rows, of which the last is read with an error, and two columns.
		with(2, 0x5000, 0x9000, job.Compute{Op: job.Transpose, M: 3, N: 2, DstLength: 3}),
		with(2, 0x5008, 0x9010, job.Compute{Op: job.Transpose, M: 3, N: 2, DstLength: 3}),
		with(2, 0x5010, 0, job.Compute{Op: job.Transpose, M: 3, N: 2}),
	)
	or, err := New(on(t, 4, l), s, s, o)
	require.NoError(t, err)
	bad := Response{Last: true, ReadFails: true}
	require.Equal(t, []Response{{Last: true}, {Last: true}, {Last: true, Wrong: true}, {Last: true, Wrong: true}, {Last: true, ReadFails: true, Wrong: true}, bad,
		{Last: true, Wrong: true, Open: true}, {Last: true}, {Last: true, Refused: true, Cause: job.RefusedCompute}, bad, bad, {Last: true}}, or.Expect)
	wrong, open := or.Expect[2], or.Expect[6]
	require.True(t, wrong.Error())
	require.True(t, wrong.Allows(ErrTypeRead))
	require.False(t, wrong.Allows(ErrTypeWrite))
	require.False(t, wrong.Allows(ErrTypeEngine))
	require.True(t, wrong.AllowsCause(CauseWrong))
	require.False(t, wrong.AllowsCause(3))
	require.True(t, or.Expect[4].AllowsCause(3), "the bus's error comes first")
	require.True(t, open.Allows(ErrTypeRead))
	require.False(t, or.Expect[8].AllowsCause(job.RefusedBurst))
}
