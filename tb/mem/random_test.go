package mem

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/millrace-hdl/millrace/bus/axi4"
)

// manager is a random manager that keeps the protocol: what it offers, it holds.
type manager struct {
	rng    *rand.Rand
	bytes  int
	ar, aw []axi4.Request // to be sent, in order
	w      []axi4.DataChannel
}

// burst is a random legal burst within a few pages.
func (m *manager) burst() axi4.Request {
	r := axi4.Request{ID: m.rng.Uint64N(4), Addr: m.rng.Uint64N(1 << 14), Cache: 3}
	for r.Size = uint8(m.rng.IntN(8)); 1<<r.Size > m.bytes; r.Size-- {
	}
	switch r.Burst = axi4.Burst(m.rng.IntN(3)); r.Burst {
	case axi4.Fixed:
		r.Len = uint8(m.rng.IntN(16))
	case axi4.Wrap:
		r.Len = uint8(1<<(1+m.rng.IntN(4)) - 1)
		r.Addr &^= 1<<r.Size - 1
	case axi4.Incr:
		room := (axi4.Boundary - r.Addr%axi4.Boundary + 1<<r.Size - 1) >> r.Size
		r.Len = uint8(m.rng.Uint64N(min(room, 256)))
	}
	return r
}

// TestRandomTraffic sends bursts of every type, size and alignment under stalls
// and compares memory and read data with a map of bytes. Writes come first, then
// reads, so that the order between them plays no part.
func TestRandomTraffic(t *testing.T) {
	for seed := range uint64(40) {
		t.Run(fmt.Sprintf("seed %d", seed), func(t *testing.T) {
			rng := rand.New(rand.NewPCG(seed, 0))
			bytes := 1 << rng.IntN(8)
			b := newBench(t, Config{Bytes: bytes, ReadLatency: 1 + rng.IntN(20), WriteLatency: 1 + rng.IntN(20),
				Reads: 1 + rng.IntN(8), Writes: 1 + rng.IntN(8), Stalls: AllStalls(rng.IntN(60)), Seed: seed})
			m := &manager{rng: rng, bytes: bytes}
			want := map[uint64]byte{}
			for range 30 {
				r := m.burst()
				m.aw = append(m.aw, r)
				for k := range r.Beats() {
					m.w = append(m.w, m.beat(&r, k, want))
				}
				m.ar = append(m.ar, m.burst())
			}
			reads := append([]axi4.Request(nil), m.ar...)
			m.ar = nil
			m.run(b, func() bool { return len(b.resps) == 30 })
			for a, v := range want {
				require.Equal(t, v, b.m.To.Byte(a), "at %#x", a)
			}
			m.ar = reads
			var expect []axi4.Request // one a beat
			for _, r := range reads {
				for range r.Beats() {
					expect = append(expect, r)
				}
			}
			m.run(b, func() bool { return len(b.beats) == len(expect) })
			k := 0
			for i, s := range b.beats {
				require.Equal(t, expect[i].ID, s.id)
				if i > 0 && b.beats[i-1].last {
					k = 0
				}
				a := expect[i].BeatAddr(k) &^ uint64(bytes-1)
				for lane := range min(bytes, 8) {
					require.Equal(t, b.m.From.Byte(a+uint64(lane)), byte(s.data>>(8*lane)), "beat %d, lane %d", i, lane)
				}
				k++
			}
			b.clean()
		})
	}
}

// beat is random data with random strobes within the lanes of beat k.
func (m *manager) beat(r *axi4.Request, k int, want map[uint64]byte) axi4.DataChannel {
	c := axi4.DataChannel{Valid: true, Data: make([]uint64, (m.bytes+7)/8), Strb: make([]uint64, 2), Last: k == int(r.Len)}
	lanes := r.BeatLanes(m.bytes, k)
	word := r.BeatAddr(k) &^ uint64(m.bytes-1)
	for lane := range m.bytes {
		v := byte(m.rng.Uint32())
		c.Data[lane/8] |= uint64(v) << (lane % 8 * 8)
		if lanes[lane/64]>>(lane%64)&1 != 0 && m.rng.IntN(4) > 0 {
			c.Strb[lane/64] |= 1 << (lane % 64)
			want[word+uint64(lane)] = v
		}
	}
	return c
}

// run sends what there is until done.
func (m *manager) run(b *bench, done func() bool) {
	for n := 0; !done(); n++ {
		require.Less(b.t, n, 200_000, "the subordinate hangs")
		okAR, okAW, okW := b.step(func(s *axi4.Sample) {
			if s.AR.Valid = len(m.ar) > 0; s.AR.Valid {
				s.AR.Request = m.ar[0]
			}
			if s.AW.Valid = len(m.aw) > 0; s.AW.Valid {
				s.AW.Request = m.aw[0]
			}
			s.W.Valid = false
			if len(m.w) > 0 {
				ready := s.W.Ready
				s.W = m.w[0]
				s.W.Ready = ready
			}
		})
		if okAR {
			m.ar = m.ar[1:]
		}
		if okAW {
			m.aw = m.aw[1:]
		}
		if okW {
			m.w = m.w[1:]
		}
	}
}
