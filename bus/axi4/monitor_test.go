package axi4

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// trace feeds a 32-bit monitor cycle by cycle.
type trace struct {
	m     *Monitor
	cycle uint64
}

func watch(cfg Config) *trace {
	if cfg.Bytes == 0 {
		cfg.Bytes = 4
	}
	return &trace{m: NewMonitor(cfg)}
}

// step is one cycle with what the given parts put on the bus.
func (t *trace) step(parts ...func(*Sample)) *trace {
	var s Sample
	for _, p := range parts {
		p(&s)
	}
	t.m.Cycle(t.cycle, &s)
	t.cycle++
	return t
}

type part = func(*Sample)

func req(id, addr uint64, beats int) Request {
	return Request{ID: id, Addr: addr, Len: uint8(beats - 1), Size: 2, Burst: Incr, Cache: 3}
}

func aw(r Request) part {
	return func(s *Sample) { s.AW = AddrChannel{Valid: true, Ready: true, Request: r} }
}
func ar(r Request) part {
	return func(s *Sample) { s.AR = AddrChannel{Valid: true, Ready: true, Request: r} }
}

func w(strb uint64, last bool) part {
	return func(s *Sample) {
		s.W = DataChannel{Valid: true, Ready: true, Data: []uint64{0x11223344}, Strb: []uint64{strb}, Last: last}
	}
}

func b(id uint64, resp Resp) part {
	return func(s *Sample) { s.B = RespChannel{Valid: true, Ready: true, ID: id, Resp: resp} }
}

func r(id uint64, last bool) part {
	return func(s *Sample) { s.R = ReadChannel{Valid: true, Ready: true, ID: id, Data: []uint64{5}, Last: last} }
}

// wait is a part whose channels are not ready.
func wait(p part) part {
	return func(s *Sample) {
		p(s)
		s.AW.Ready, s.W.Ready, s.B.Ready, s.AR.Ready, s.R.Ready = false, false, false, false, false
	}
}

// with changes what a part puts on the bus.
func with(p part, change part) part {
	return func(s *Sample) { p(s); change(s) }
}

func idle(*Sample) {}

// write and read are whole one-beat transactions.
func (t *trace) write(r Request) *trace { return t.step(aw(r), w(15, true)).step(b(r.ID, Okay)) }
func (t *trace) read(q Request) *trace  { return t.step(ar(q)).step(r(q.ID, true)) }

func edit(q Request, f func(*Request)) Request { f(&q); return q }

// drain is all beats of the one read outstanding.
func (t *trace) drain(beats int) {
	for k := range beats {
		t.step(r(0, k == beats-1))
	}
}

func TestOrderIsKeptPerID(t *testing.T) {
	m := watch(Config{})
	// Two ids answered out of order and interleaved; one id in order.
	m.step(ar(req(1, 0, 2))).step(ar(req(2, 0x100, 2))).step(ar(req(1, 0x200, 1)))
	m.step(r(2, false)).step(r(1, false)).step(r(2, true)).step(r(1, true)).step(r(1, true))
	m.step(aw(req(1, 0, 1)), w(15, true)).step(aw(req(2, 0, 1)), w(15, true)).step(b(2, Okay)).step(b(1, Okay))
	m.m.Finish(m.cycle)
	require.Empty(t, m.m.Violations())

	// The second burst of id 1 answered first: its length gives it away.
	m = watch(Config{})
	m.step(ar(req(1, 0, 2))).step(ar(req(1, 0x200, 1))).step(r(1, true))
	require.Equal(t, LastEarly, m.m.Violations()[0].Rule)
}

func TestWriteDataFollowRequestOrder(t *testing.T) {
	m := watch(Config{})
	m.step(aw(req(1, 0, 2))).step(aw(req(2, 0x102, 1)))
	m.step(w(15, false)).step(w(15, true)) // the first request's
	m.step(w(0b1100, true))                // the second's, unaligned
	m.step(b(2, Okay)).step(b(1, Okay))
	m.m.Finish(m.cycle)
	require.Empty(t, m.m.Violations())
}

func TestOutstandingLimit(t *testing.T) {
	m := watch(Config{MaxReads: 2, MaxWrites: 1})
	m.step(ar(req(0, 0, 1))).step(ar(req(0, 0, 1)))
	require.Empty(t, m.m.Violations())
	m.step(ar(req(0, 0, 1)), aw(req(0, 0, 1))).step(aw(req(0, 0, 1)))
	require.Len(t, m.m.Violations(), 2)
	require.Contains(t, m.m.Violations()[0].String(), "3 reads outstanding, 2 allowed [outstanding]")
	require.Contains(t, m.m.Violations()[1].String(), "2 writes outstanding, 1 allowed [outstanding]")
}

func TestStatistics(t *testing.T) {
	m := watch(Config{})
	m.step(wait(ar(req(0, 0, 1)))).step(ar(req(0, 0, 1))).step(ar(req(0, 0, 2)), aw(req(0, 0, 1)))
	require.Equal(t, 2, m.m.OutstandingReads())
	require.Equal(t, 1, m.m.OutstandingWrites())
	m.step(r(0, true), w(15, true)).step(wait(r(0, false)), b(0, Okay)).step(r(0, false)).step(r(0, true))
	s := m.m.Stats()
	require.Equal(t, [5]uint64{AW: 1, W: 1, B: 1, AR: 2, R: 3}, s.Accepted)
	require.Equal(t, [5]uint64{AR: 1, R: 1}, s.Waited)
	require.Equal(t, 2, s.MaxReads)
	require.Equal(t, 1, s.MaxWrites)
	require.Zero(t, m.m.Count())
}

func TestResetForgets(t *testing.T) {
	m := watch(Config{})
	m.step(ar(req(0, 0, 4)), aw(req(0, 0, 4)), w(15, false)).step(wait(ar(req(0, 0, 1))))
	m.m.Reset(m.cycle, &Sample{})
	m.step(idle).read(req(0, 0, 1)).write(req(0, 0, 1))
	m.m.Finish(m.cycle)
	require.Empty(t, m.m.Violations())
}

func TestViolationsOfOneRuleDoNotHideOthers(t *testing.T) {
	m := watch(Config{Keep: 2})
	for range 5 {
		m.step(b(0, Okay)).step(idle)
	}
	m.step(ar(req(0, 0xffc, 2)))
	require.Equal(t, 6, m.m.Count())
	require.Len(t, m.m.Violations(), 3)
	require.Equal(t, CrossesPage, m.m.Violations()[2].Rule)
}

func TestWideBus(t *testing.T) {
	// 1024 bits: strobes need both words, data are compared over all of them.
	q := Request{Addr: 0x1040 + 3, Size: 7, Burst: Incr, Cache: 3}
	beat := func(lo, hi uint64) part {
		return func(s *Sample) {
			s.W = DataChannel{Valid: true, Ready: true, Data: make([]uint64, 16), Strb: []uint64{lo, hi}, Last: true}
		}
	}
	m := watch(Config{Bytes: 128})
	m.step(aw(q), beat(0, ^uint64(7))).step(b(0, Okay))
	require.Empty(t, m.m.Violations())
	m.step(aw(q), beat(1<<63, ^uint64(3))).step(b(0, Okay))
	require.Len(t, m.m.Violations(), 1)
	require.Contains(t, m.m.Violations()[0].Message, "strobes 0xfffffffffffffffc8000000000000000, outside its lanes by 0x48000000000000000")
	changed := func(s *Sample) { s.W.Data[15] = 1 }
	m.step(wait(beat(0, 8))).step(with(beat(0, 8), changed))
	require.Len(t, m.m.Violations(), 2)
	require.True(t, strings.HasPrefix(m.m.Violations()[1].Message, "WDATA changed from 0x0 to 0x1000"))
}

func TestCycleDoesNotAllocate(t *testing.T) {
	m := watch(Config{})
	var s [2]Sample
	ar(req(0, 0, 1))(&s[0])
	aw(req(0, 0, 1))(&s[0])
	w(15, true)(&s[0])
	r(0, true)(&s[1])
	b(0, Okay)(&s[1])
	m.m.Cycle(0, &s[0])
	m.m.Cycle(1, &s[1])
	require.Zero(t, testing.AllocsPerRun(1000, func() {
		m.m.Cycle(2, &s[0])
		m.m.Cycle(3, &s[1])
	}))
	require.Zero(t, m.m.Count())
}

// BenchmarkMonitor is the common cycle of a stream: a beat on R and one on W.
func BenchmarkMonitor(b *testing.B) {
	m := NewMonitor(Config{Bytes: 4})
	var request, beats, answer Sample
	ar(req(0, 0, 256))(&request)
	aw(req(0, 0, 256))(&request)
	r(0, false)(&beats)
	w(15, false)(&beats)
	answer.B = RespChannel{Valid: true, Ready: true}
	n := 0
	for b.Loop() {
		switch n {
		case 0:
			m.Cycle(0, &request)
		case 257:
			m.Cycle(0, &answer)
			n = -1
		default:
			beats.R.Last, beats.W.Last = n == 256, n == 256
			m.Cycle(0, &beats)
		}
		n++
	}
	if m.Count() > 0 {
		b.Fatal(m.Violations()[0])
	}
}
