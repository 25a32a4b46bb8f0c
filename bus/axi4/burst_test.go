package axi4

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestBeatAddresses(t *testing.T) {
	for _, c := range []struct {
		name string
		req  Request
		want []uint64
		last uint64
	}{
		{"INCR, aligned", Request{Addr: 0x100, Len: 2, Size: 2, Burst: Incr}, []uint64{0x100, 0x104, 0x108}, 0x10b},
		{"INCR, unaligned", Request{Addr: 0x103, Len: 2, Size: 2, Burst: Incr}, []uint64{0x103, 0x104, 0x108}, 0x10b},
		{"WRAP", Request{Addr: 0x108, Len: 3, Size: 2, Burst: Wrap}, []uint64{0x108, 0x10c, 0x100, 0x104}, 0x10f},
		{"FIXED", Request{Addr: 0x105, Len: 2, Size: 2, Burst: Fixed}, []uint64{0x105, 0x105, 0x105}, 0x107},
		{"top of memory", Request{Addr: ^uint64(0) - 3, Len: 0, Size: 2, Burst: Incr}, []uint64{^uint64(0) - 3}, ^uint64(0)},
		{"beyond the top", Request{Addr: ^uint64(0) - 3, Len: 1, Size: 2, Burst: Incr}, []uint64{^uint64(0) - 3}, ^uint64(0)},
	} {
		for k, a := range c.want {
			require.Equal(t, a, c.req.BeatAddr(k), "%s, beat %d", c.name, k)
		}
		require.Equal(t, c.last, c.req.LastByte(), c.name)
	}
}

func TestSpan(t *testing.T) {
	require.Equal(t, Lanes{0b1100, 0}, Span(2, 4))
	require.Equal(t, Lanes{^uint64(0), 0}, Span(0, 64))
	require.Equal(t, Lanes{1 << 63, 1}, Span(63, 65))
	require.Equal(t, Lanes{0, ^uint64(3)}, Span(66, 128))
	require.Equal(t, Lanes{}, Span(5, 5))
}
