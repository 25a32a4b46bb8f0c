package mem

import (
	"math/bits"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestPatternsNeverCoincide(t *testing.T) {
	seen := map[byte]bool{}
	for a := uint64(0); a < 1<<14; a += 8 {
		s, c := SourceWord(1, a), CanaryWord(2, a)
		for k := range 8 {
			sb, cb := byte(s>>(8*k)), byte(c>>(8*k))
			require.Zero(t, bits.OnesCount8(sb)%2)
			require.Equal(t, 1, bits.OnesCount8(cb)%2)
			require.NotEqual(t, byte(0xff), cb)
			require.NotEqual(t, byte(0), cb)
			seen[sb], seen[cb] = true, true
		}
	}
	require.Len(t, seen, 256, "both patterns use all the bytes that they may")
	require.NotEqual(t, SourceWord(1, 0), SourceWord(2, 0))
	require.NotEqual(t, SourceWord(1, 0), SourceWord(1, 1<<63))
}

func TestStoreAgainstMap(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	s := NewStore(7)
	data, writes := map[uint64]byte{}, map[uint64]int{}
	bases := []uint64{0, 0xf8, 0x1_0000_0000_0000, ^uint64(0) - 511}
	byteAt := func(a uint64) byte {
		if v, ok := data[a]; ok {
			return v
		}
		return byte(SourceWord(7, a) >> (a % 8 * 8))
	}
	for range 20000 {
		a := bases[rng.IntN(len(bases))] + rng.Uint64N(512)
		switch rng.IntN(4) {
		case 0:
			v := byte(rng.Uint32())
			s.SetByte(a, v)
			data[a] = v
			writes[a]++
		case 1:
			v, strb := rng.Uint64(), uint8(rng.Uint32())
			s.WriteWord(a&^7, v, strb)
			for k := range uint64(8) {
				if strb>>k&1 != 0 {
					data[a&^7+k] = byte(v >> (8 * k))
					writes[a&^7+k]++
				}
			}
		case 2:
			require.Equal(t, byteAt(a), s.Byte(a))
			require.Equal(t, min(writes[a], 255), s.Writes(a))
		case 3:
			w := s.ReadWord(a &^ 7)
			for k := range uint64(8) {
				require.Equal(t, byteAt(a&^7+k), byte(w>>(8*k)))
			}
		}
	}
}

func TestPaint(t *testing.T) {
	for _, c := range []struct{ a, n uint64 }{{0x101, 1}, {0xfd, 7}, {0, 1000}, {0x1003, 8}, {^uint64(0) - 4, 100}} {
		s := NewStore(1)
		s.Paint(9, c.a, c.n)
		in := func(a uint64) bool { return a-c.a < c.n && a >= c.a }
		for a := c.a - 20; a != c.a+c.n+20; a++ {
			want := byte(SourceWord(1, a&^7) >> (a % 8 * 8))
			if in(a) {
				want = byte(CanaryWord(9, a&^7) >> (a % 8 * 8))
			}
			require.Equal(t, want, s.Byte(a), "paint %#x+%d, at %#x", c.a, c.n, a)
			require.Zero(t, s.Writes(a))
		}
	}
}

func TestCountStopsAt255(t *testing.T) {
	s := NewStore(0)
	for range 300 {
		s.SetByte(5, 1)
		s.WriteWord(8, 0, 1)
	}
	require.Equal(t, 255, s.Writes(5))
	require.Equal(t, 255, s.Writes(8))
}

func TestCloneIsIndependent(t *testing.T) {
	s := NewStore(3)
	s.SetByte(0x10, 1)
	c := s.Clone()
	c.SetByte(0x10, 2)
	c.SetByte(0x1000, 2)
	require.EqualValues(t, 1, s.Byte(0x10))
	require.Nil(t, s.Page(0x1000))
	require.EqualValues(t, 2, c.Byte(0x10))
	var bases []uint64
	c.Pages(func(b uint64, _ *Page) bool { bases = append(bases, b); return len(bases) < 2 })
	require.Equal(t, []uint64{0, 0x1000}, bases)
}
