package job

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
)

// inside compares what is known of a job as well.
var inside = cmp.AllowUnexported(Job{}, judged{})

// all is an engine on a bus of 8 bytes with all operations but one.
var all = Limits{AddrWidth: 32, LengthWidth: 16, Bytes: 8, Read: []Protocol{AXI4}, Write: []Protocol{AXI4, OBI}, Compute: []Capability{
	{Op: Transpose}, {Op: MXQuantiseFP32}, {Op: MXQuantiseFP16, SignedScale: true}, {Op: MXDequantiseFP32}, {Op: MXDequantiseFP16}, {Op: CRC32C}, {Op: ByteSwap}}}

func with(length uint64, c Compute) Job {
	j := New(length, 0x1000, 0x8000)
	j.Compute = c
	return j
}

func TestReadOperations(t *testing.T) {
	l, err := ReadYAML(strings.NewReader(`
defaults: {compute: {op: byte_swap, mode: 1}}
transfers:
  - {length: 8, src: 0x1000, dst: 0x8000}
  - {length: 128, src: 0x1000, dst: 0x8000, compute: {op: mx_quantise_fp32, mode: 1, m: 0, n: 0}}
  - {length: 4, src: 0x1000, dst: 0x8000, compute: {op: 1, m: 0x5, n: 4095, dst_length: 5}, repeat: {count: 2}}
  - {length: 4, src: 0x1000, dst: 0x8000, compute: {op: 15}}
  - {length: 4, src: 0x1000, dst: 0x8000, compute: {op: none}}
`), "f")
	require.NoError(t, err)
	tile := Compute{Op: Transpose, M: 5, N: 4095, DstLength: 5}
	want := []Job{with(8, Compute{Op: ByteSwap, Mode: 1}), with(128, Compute{Op: MXQuantiseFP32, Mode: 1}), with(4, tile), with(4, tile), with(4, Compute{Op: 15}), with(4, Compute{})}
	for i := range want {
		want[i].Line = []int{4, 5, 6, 6, 7, 8}[i]
	}
	require.Empty(t, cmp.Diff(want, l.Jobs, inside))
}

func TestMalformedOperations(t *testing.T) {
	for text, want := range map[string]string{
		"{op: crc32}": `f:1: transfer 0: compute.op is "crc32"; expected one of none, transpose, mx_quantise_fp32, mx_quantise_fp16, mx_dequantise_fp32, ` +
			`mx_dequantise_fp16, crc32c, byte_swap, fill_mask, or a code from 0 to 15`,
		"{op: 16}":                          `compute.op is "16"; expected one of`,
		"{mode: 1}":                         "compute.op is missing; expected one of",
		"{op: crc32c, mode: 4}":             `compute.mode is "4"; expected a number from 0 to 0x3`,
		"{op: crc32c, m: 4096}":             `compute.m is "4096"; expected a number from 0 to 0xfff`,
		"{op: crc32c, n: -1}":               `compute.n is "-1"; expected a number from 0 to 0xfff`,
		"{op: crc32c, dst_length: 4}":       "compute.dst_length is 4; only for transpose; what others write follows from what they read",
		"{op: transpose, dst_length: four}": `compute.dst_length is "four"; expected a number`,
		"{op: crc32c, lenght: 1}":           `key is "lenght"; unknown in compute`,
		"crc32c":                            `compute is "crc32c"; expected a mapping with keys among op, mode, m, n, dst_length`,
	} {
		_, err := ReadYAML(strings.NewReader("transfers: [{length: 8, src: 0, dst: 9, compute: "+text+"}]"), "f")
		require.ErrorContains(t, err, want, text)
	}
}

func TestOperationsThatAnEngineLacks(t *testing.T) {
	require.EqualError(t, of(with(8, Compute{Op: FillMask})).Check(all),
		"list: transfer 0: compute.op is fill_mask; not by this engine; it has transpose, mx_quantise_fp32, mx_quantise_fp16, mx_dequantise_fp32, mx_dequantise_fp16, crc32c, byte_swap")
	require.EqualError(t, of(New(1, 2, 3), with(8, Compute{Op: ByteSwap})).Check(axi32),
		"list: transfer 1: compute.op is byte_swap; not by this engine; it is built without operations, which compute=byte_swap adds")
	own := all
	own.Compute = []Capability{{Op: 12}}
	require.ErrorContains(t, of(with(8, Compute{Op: 12})).Check(own), "compute.op is operation 12; none that the bench knows")
	l, err := of(with(8, Compute{Op: 13})).For(own)
	require.NoError(t, err)
	cause, refused := l.Jobs[0].Refusal()
	require.True(t, refused, "a code of no operation")
	require.EqualValues(t, RefusedCompute, cause)
	require.ErrorContains(t, of(with(1, Compute{Op: Transpose, M: 1, N: 1, DstLength: 1 << 16})).Check(all), "compute.dst_length is 65536; at most 65535 with 16 length bits")
	high := with(128, Compute{Op: MXDequantiseFP32})
	high.Length, high.Dst.Addr = 33, 0xffff_ff81
	require.ErrorContains(t, of(high).Check(all), "length is 128; from dst 0xffffff81 it wraps around the 32-bit address space; at most 127 bytes fit")
}

func TestRulesOfOperations(t *testing.T) {
	for _, c := range []struct {
		length uint64
		c      Compute
		writes uint64 // 0: it is refused
		signed bool
	}{
		{128, Compute{Op: MXQuantiseFP32}, 33, false},
		{127, Compute{Op: MXQuantiseFP32}, 0, false},
		{64 * 9, Compute{Op: MXQuantiseFP16, Mode: 3}, 33 * 9, true},
		{32, Compute{Op: MXQuantiseFP16}, 0, true},
		{33 * 511, Compute{Op: MXDequantiseFP32}, 128 * 511, false},
		{33 * 512, Compute{Op: MXDequantiseFP32}, 0, false},
		{34, Compute{Op: MXDequantiseFP32}, 0, false},
		{33 * 1023, Compute{Op: MXDequantiseFP16}, 64 * 1023, false},
		{33 * 1024, Compute{Op: MXDequantiseFP16}, 0, false},
		{1, Compute{Op: CRC32C}, 5, false},
		{0xfffb, Compute{Op: CRC32C}, 0xffff, false},
		{0xfffc, Compute{Op: CRC32C}, 0, false},
		{0xffff, Compute{Op: CRC32C, Mode: 1}, 4, false},
		{5, Compute{Op: CRC32C, Mode: 2}, 1, false},
		{4, Compute{Op: CRC32C, Mode: 2}, 0, false},
		{4, Compute{Op: CRC32C, Mode: 3}, 4, false},
		{3, Compute{Op: CRC32C, Mode: 3}, 0, false},
		{24, Compute{Op: ByteSwap, Mode: 3}, 24, false},
		{20, Compute{Op: ByteSwap, Mode: 3}, 0, false},
		{7, Compute{Op: ByteSwap}, 7, false},
		{7, Compute{Op: 9}, 0, false},
		{3, Compute{Op: Transpose, M: 0, N: 3, DstLength: 3}, 0, false},
		{3, Compute{Op: Transpose, M: 9, N: 3, DstLength: 9}, 0, false},
		{9, Compute{Op: Transpose, M: 3, N: 9, DstLength: 3}, 0, false},
		{4, Compute{Op: Transpose, M: 3, N: 3, DstLength: 3}, 0, false},
		{3, Compute{Op: Transpose, M: 3, N: 3, DstLength: 4}, 0, false},
		{0, Compute{Op: Transpose, M: 3, N: 3, DstLength: 3}, 0, false},
		{3, Compute{Op: Transpose, M: 3, N: 3}, 0, false},
		{4, Compute{Op: Transpose, M: 1, N: 1, Mode: 2, DstLength: 4}, 4, false},
		{8, Compute{Op: Transpose, M: 2, N: 1, Mode: 3, DstLength: 8}, 0, false},
	} {
		t.Run(fmt.Sprintf("%d bytes, %+v", c.length, c.c), func(t *testing.T) {
			l, err := of(with(c.length, c.c)).For(all)
			require.NoError(t, err)
			j := &l.Jobs[0]
			cause, refused := j.Refusal()
			require.Equal(t, c.writes == 0, refused)
			require.Equal(t, c.writes, j.Writes())
			require.Equal(t, c.writes, l.Written())
			require.Equal(t, c.signed, j.SignedScale())
			if refused {
				require.EqualValues(t, RefusedCompute, cause)
				require.Zero(t, j.Reads())
			}
		})
	}
	l, err := of(with(0, Compute{Op: Transpose}), with(0, Compute{Op: CRC32C, Mode: 1})).For(all)
	require.NoError(t, err)
	for i := range l.Jobs {
		cause, refused := l.Jobs[i].Refusal()
		require.True(t, refused)
		require.EqualValues(t, RefusedZeroLength, cause)
	}
	wide := all
	wide.Bytes = 4
	l, err = of(with(16, Compute{Op: ByteSwap, Mode: 3})).For(wide)
	require.NoError(t, err)
	require.True(t, l.Jobs[0].Refused(), "an element is wider than the bus")
}

// tileOf is the transfers of a tile of so many rows and columns of bytes.
func tileOf(rows, columns int) (js []Job) {
	for i := range max(rows, columns) {
		j := with(0, Compute{Op: Transpose, M: uint16(rows), N: uint16(columns)})
		if i < rows {
			j.Length, j.Src.Addr = uint64(columns), 0x1000+uint64(16*i)
		}
		if i < columns {
			j.Compute.DstLength, j.Dst.Addr = uint64(rows), 0x8000+uint64(16*i)
		}
		js = append(js, j)
	}
	return js
}

func TestTiles(t *testing.T) {
	for _, size := range [][2]int{{1, 1}, {8, 8}, {3, 5}, {5, 3}, {1, 8}, {8, 1}} {
		l, err := of(append(append(tileOf(size[0], size[1]), New(4, 0, 0x100)), tileOf(size[1], size[0])...)...).For(all)
		require.NoError(t, err)
		n := max(size[0], size[1])
		for i := range l.Jobs {
			first, place, ok := l.Jobs[i].Tile()
			require.Equal(t, i != n, ok)
			if ok {
				require.Equal(t, [2]int{i / (n + 1) * (n + 1), i % (n + 1)}, [2]int{first, place})
			}
			require.False(t, l.Jobs[i].Refused())
		}
	}
	// What comes between is refused, and so is a transfer without the row or column of its
	// place; the tile goes on.
	js := tileOf(3, 2)
	noRow, other := js[1], js[1]
	noRow.Length = 0
	other.Compute.Mode = 1
	l, err := of(js[0], New(4, 0, 0x100), noRow, with(4, Compute{Op: ByteSwap}), New(0, 0, 0), other, js[1], js[2], New(4, 0, 0x100)).For(all)
	require.NoError(t, err)
	var places []int
	for i := range l.Jobs {
		_, place, ok := l.Jobs[i].Tile()
		require.Equal(t, i > 0 && i < 6, l.Jobs[i].Refused(), i)
		if ok {
			places = append(places, place)
		}
	}
	require.Equal(t, []int{0, 1, 2}, places)

	err = of(append([]Job{New(4, 0, 0x100)}, js[:2]...)...).Check(all)
	require.EqualError(t, err, "list: transfer 1: compute is a tile of 3 rows and 2 columns, of which the list has 2 transfers; "+
		"expected 3, each with a row to read, a column to write, or both; others are refused until the tile is whole")
}

func TestOverlapOfOperations(t *testing.T) {
	// A tile in its own place: what it reads and writes is no conflict, but for others.
	tile := tileOf(4, 4)
	for i := range tile {
		tile[i].Dst.Addr = tile[i].Src.Addr
	}
	reads := New(4, 0x1010, 0x2000)
	l, err := of(append(tile, reads)...).For(all)
	require.NoError(t, err)
	require.NoError(t, l.CheckOverlap())
	require.False(t, l.Jobs[3].DependsOn(&l.Jobs[0]))
	require.False(t, l.Jobs[3].DependsOn(&l.Jobs[3]))
	require.True(t, l.Jobs[4].DependsOn(&l.Jobs[1]))
	require.ErrorContains(t, l.CheckIndependent(), "transfer 4: it reads what transfer 1 writes")
	l, err = of(tile...).For(all)
	require.NoError(t, err)
	require.NoError(t, l.CheckIndependent())

	// What is written counts, not what is read.
	quantise, dequantise := with(256, Compute{Op: MXQuantiseFP32}), with(66, Compute{Op: MXDequantiseFP32})
	behind := New(1, 0x8000+66, 0x9000)
	require.False(t, behind.DependsOn(&quantise))
	require.True(t, behind.DependsOn(&dequantise))
	behind.Src.Addr = 0x8041
	require.True(t, behind.DependsOn(&quantise))

	// Blocks may be written over the numbers, but not the other way round.
	quantise.Dst.Addr, dequantise.Dst.Addr = quantise.Src.Addr, dequantise.Src.Addr
	require.NoError(t, of(quantise).CheckOverlap())
	require.ErrorContains(t, of(dequantise).CheckOverlap(), "it overlaps the transfer's own source with more bytes than it reads")
	dequantise.Dst.Addr -= 255
	require.Error(t, of(dequantise).CheckOverlap())
	dequantise.Dst.Addr--
	require.NoError(t, of(dequantise).CheckOverlap())
}
