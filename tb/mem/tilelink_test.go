package mem

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/millrace-hdl/millrace/bus"
	"github.com/millrace-hdl/millrace/bus/axi4"
	"github.com/millrace-hdl/millrace/bus/tilelink"
)

// tlBench drives a subordinate by hand and keeps a monitor on it.
type tlBench struct {
	t     *testing.T
	m     *TileLink
	mon   *tilelink.Monitor
	s     tilelink.Sample
	cycle uint64
	got   []tlSeen
	rng   *rand.Rand // if set, D waits now and then
}

// tlSeen is a beat of answer.
type tlSeen struct {
	cycle, source, data uint64
	denied, corrupt     bool
}

func newTLBench(t *testing.T, cfg TileLinkConfig) *tlBench {
	t.Helper()
	cfg.Bytes, cfg.ReadLatency, cfg.WriteLatency = max(cfg.Bytes, 4), max(cfg.ReadLatency, 1), max(cfg.WriteLatency, 1)
	store := NewStore(1)
	m, err := NewTileLink(cfg, store, store)
	require.NoError(t, err)
	b := &tlBench{t: t, m: m, mon: tilelink.NewMonitor(tilelink.Config{Bytes: cfg.Bytes, MaxSize: 64 * cfg.Bytes, InOrder: !cfg.Reorder})}
	b.s.D.Data = make([]uint64, (cfg.Bytes+7)/8)
	b.s.D.Ready = true
	return b
}

// step is one cycle with a beat on A, if any; it reports whether that was accepted.
func (b *tlBench) step(a *tilelink.AChannel) bool {
	b.m.Drive(&b.s)
	if b.rng != nil {
		b.s.D.Ready = b.rng.IntN(3) > 0
	}
	ready := b.s.A.Ready
	b.s.A = tilelink.AChannel{}
	if a != nil {
		b.s.A = *a
		b.s.A.Valid = true
	}
	b.s.A.Ready = ready
	b.mon.Cycle(b.cycle, &b.s)
	if d := &b.s.D; d.Valid && d.Ready {
		b.got = append(b.got, tlSeen{b.cycle, d.Source, d.Data[0], d.Denied, d.Corrupt})
	}
	b.m.Edge(&b.s)
	b.cycle++
	return a != nil && ready
}

func (b *tlBench) idle(n int) {
	for range n {
		b.step(nil)
	}
}

// send offers a beat until it is accepted.
func (b *tlBench) send(a tilelink.AChannel) {
	for !b.step(&a) {
	}
}

func (b *tlBench) clean() {
	b.t.Helper()
	b.mon.Finish(b.cycle)
	require.Empty(b.t, b.mon.Violations())
	require.Zero(b.t, b.m.Pending())
}

// beat is a beat of a message with every lane of the access.
func beat(op uint8, source, addr uint64, size uint8, data ...uint64) tilelink.AChannel {
	r := tilelink.Request{Opcode: op, Size: size, Source: source, Address: addr}
	lanes := r.Lanes(4)
	if data == nil {
		data = []uint64{0}
	}
	return tilelink.AChannel{Request: r, Mask: lanes[:], Data: data}
}

func TestTileLinkLatencies(t *testing.T) {
	for _, latency := range []int{1, 3, 20} {
		b := newTLBench(t, TileLinkConfig{ReadLatency: latency, WriteLatency: 2 * latency})
		b.send(beat(bus.TLGet, 1, 0x100, 4)) // in cycle 0, 4 beats
		b.send(beat(bus.TLGet, 2, 0x200, 2))
		b.idle(latency + 10)
		l := uint64(latency)
		for k, s := range b.got {
			require.Equal(t, l+uint64(k), s.cycle)
		}
		require.Len(t, b.got, 5)
		require.EqualValues(t, 2, b.got[4].source)
		require.Equal(t, b.m.From.ReadWord(0x108)>>32, b.got[3].data)

		b.got = nil
		for _, x := range []uint64{0x11111111, 0x22222222} {
			b.send(beat(bus.TLPutFull, 3, 0x300, 3, x))
		}
		last := b.cycle - 1
		b.idle(2*latency + 2)
		require.Len(t, b.got, 1)
		require.Equal(t, last+2*l, b.got[0].cycle)
		require.EqualValues(t, 0x2222222211111111, b.m.To.ReadWord(0x300))
		b.clean()
	}
}

func TestTileLinkEarlyAnswers(t *testing.T) {
	b := newTLBench(t, TileLinkConfig{Early: true})
	for range 4 {
		b.send(beat(bus.TLPutFull, 3, 0x300, 4))
	}
	require.EqualValues(t, 1, b.got[0].cycle, "after the first of four beats")
	b.clean()
}

func TestTileLinkTight(t *testing.T) {
	b := newTLBench(t, TileLinkConfig{Tight: true})
	b.s.D.Ready = false
	b.send(beat(bus.TLGet, 1, 0, 2))
	b.step(nil)
	get := beat(bus.TLGet, 2, 0, 2)
	for range 5 {
		require.False(t, b.step(&get), "an answer waits")
	}
	b.s.D.Ready = true
	b.send(get)
	b.idle(3)
	b.clean()
}

func TestTileLinkOutstanding(t *testing.T) {
	b := newTLBench(t, TileLinkConfig{Outstanding: 3, ReadLatency: 50})
	n := 0
	for k := range uint64(10) {
		if get := beat(bus.TLGet, k, 0, 2); b.step(&get) {
			n++
		}
	}
	require.Equal(t, 3, n)
}

func TestTileLinkFaults(t *testing.T) {
	b := newTLBench(t, TileLinkConfig{Faults: []Fault{
		{Lo: 0x104, Hi: 0x105, Resp: axi4.SlvErr}, {Lo: 0x208, Hi: 0x208, Resp: axi4.DecErr}, {Write: true, Lo: 0x308, Hi: 0x308, Resp: axi4.SlvErr},
	}})
	b.send(beat(bus.TLGet, 1, 0x100, 3))
	b.send(beat(bus.TLGet, 2, 0x106, 1))
	b.send(beat(bus.TLGet, 3, 0x200, 4))
	for range 4 {
		b.send(beat(bus.TLPutFull, 4, 0x300, 4, 5))
	}
	b.send(beat(bus.TLPutFull, 5, 0x30c, 2, 6))
	b.send(beat(bus.TLArithmetic, 6, 0x30c, 2, 6))
	b.send(beat(bus.TLIntent, 7, 0x30c, 2))
	b.idle(10)
	var answers []tlSeen
	for _, s := range b.got {
		answers = append(answers, tlSeen{source: s.source, denied: s.denied, corrupt: s.corrupt})
	}
	all := tlSeen{source: 3, denied: true, corrupt: true}
	require.Equal(t, []tlSeen{{source: 1}, {source: 1, corrupt: true}, {source: 2}, all, all, all, all,
		{source: 4, denied: true}, {source: 5}, {source: 6, denied: true, corrupt: true}, {source: 7}}, answers)
	require.Equal(t, b.m.From.ReadWord(0x100)>>32^0xffffffff, b.got[1].data, "corrupt data are wrong")
	require.Zero(t, b.m.To.Writes(0x300), "a denied Put stores nothing")
	require.EqualValues(t, 6, b.m.To.Byte(0x30c))
	require.Equal(t, Beats{Reads: 4, Writes: 3, ReadBeats: 8, WriteBeats: 6, ReadErrors: 6, WriteErrors: 2}, b.m.Count())
	b.clean()
}

func TestTileLinkReset(t *testing.T) {
	b := newTLBench(t, TileLinkConfig{ReadLatency: 5})
	b.send(beat(bus.TLGet, 1, 0, 2))
	b.m.Reset()
	b.idle(20)
	require.Empty(t, b.got)
}

// Random messages, in and out of order, with stalls: the monitor is silent, and memory
// is what the Puts say.
func TestTileLinkRandom(t *testing.T) {
	for seed := range uint64(40) {
		r := rand.New(rand.NewPCG(seed, 0))
		width := 1 << (2 + r.IntN(6))
		b := newTLBench(t, TileLinkConfig{Bytes: width, ReadLatency: 1 + r.IntN(9), WriteLatency: 1 + r.IntN(9), StallA: r.IntN(50), StallD: r.IntN(50),
			Early: r.IntN(2) == 0, Tight: r.IntN(2) == 0, Reorder: r.IntN(2) == 0, Seed: seed})
		b.m.From, b.rng = NewStore(2), r
		want, answered := map[uint64]byte{}, 0
		for source := range uint64(60) {
			q := tilelink.Request{Opcode: []uint8{bus.TLGet, bus.TLPutFull, bus.TLPutPartial}[r.IntN(3)], Size: uint8(r.IntN(9)), Source: source}
			q.Address = r.Uint64N(1<<14) &^ (q.Bytes() - 1)
			answered += q.AnswerBeats(width)
			for k := range q.Beats(width) {
				lanes := q.Lanes(width)
				a := tilelink.AChannel{Request: q, Mask: lanes[:], Data: make([]uint64, 16)}
				for i := range a.Data {
					a.Data[i] = r.Uint64()
				}
				if q.Opcode == bus.TLPutPartial {
					a.Mask = []uint64{lanes[0] & r.Uint64(), lanes[1] & r.Uint64()}
				}
				for i := 0; q.Writes() && i < width; i++ {
					if a.Mask[i/64]>>(i%64)&1 == 1 {
						want[q.Address&^uint64(width-1)+uint64(k*width+i)] = byte(a.Data[i/8] >> (i % 8 * 8))
					}
				}
				b.send(a)
			}
		}
		for b.m.Pending() > 0 {
			b.step(nil)
		}
		require.Len(t, b.got, answered, "seed %d", seed)
		for a, x := range want {
			require.Equal(t, x, b.m.To.Byte(a), "seed %d, at %#x", seed, a)
		}
		b.clean()
	}
}

func TestTileLinkConfigNamesTheFieldOutOfRange(t *testing.T) {
	for _, c := range []struct {
		cfg  TileLinkConfig
		want string
	}{
		{TileLinkConfig{Bytes: 3, ReadLatency: 1, WriteLatency: 1}, "bus of 3 bytes"},
		{TileLinkConfig{Bytes: 4, WriteLatency: 1}, "read latency is 0"},
		{TileLinkConfig{Bytes: 4, ReadLatency: 1, WriteLatency: 1, StallD: 100}, "D stalls is 100; 0…99"},
	} {
		_, err := NewTileLink(c.cfg, nil, nil)
		require.ErrorContains(t, err, c.want)
	}
}
