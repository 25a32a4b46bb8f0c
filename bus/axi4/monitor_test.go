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

// Each rule has one trace that keeps it and one that breaks it and nothing else.
func TestRules(t *testing.T) {
	narrow := edit(req(0, 0x102, 2), func(r *Request) { r.Size = 1 })
	fixed := edit(req(0, 0x101, 2), func(r *Request) { r.Burst = Fixed })
	for _, c := range []struct {
		name    string
		rule    Rule
		channel Channel
		good    func(*trace)
		bad     func(*trace)
		message string
	}{
		{"AWVALID held", ValidDropped, AW,
			func(t *trace) { t.step(wait(aw(req(0, 0, 1)))).write(req(0, 0, 1)) },
			func(t *trace) { t.step(wait(aw(req(0, 0, 1)))).step(idle) }, "AWVALID fell before AWREADY"},
		{"ARVALID held", ValidDropped, AR,
			func(t *trace) { t.step(wait(ar(req(0, 0, 1)))).read(req(0, 0, 1)) },
			func(t *trace) { t.step(wait(ar(req(0, 0, 1)))).step(idle) }, "ARVALID fell"},
		{"WVALID held", ValidDropped, W,
			func(t *trace) {
				t.step(aw(req(0, 0, 1))).step(wait(w(1, true))).step(wait(w(1, true))).step(w(1, true)).step(b(0, Okay))
			},
			func(t *trace) { t.step(wait(w(1, true))).step(idle) }, "WVALID fell"},
		{"BVALID held", ValidDropped, B,
			func(t *trace) { t.step(aw(req(0, 0, 1)), w(1, true)).step(wait(b(0, Okay))).step(b(0, Okay)) },
			func(t *trace) {
				t.step(aw(req(0, 0, 1)), w(1, true)).step(wait(b(0, Okay))).step(idle).step(b(0, Okay))
			}, "BVALID fell"},
		{"RVALID held", ValidDropped, R,
			func(t *trace) { t.step(ar(req(0, 0, 1))).step(wait(r(0, true))).step(r(0, true)) },
			func(t *trace) { t.step(ar(req(0, 0, 1))).step(wait(r(0, true))).step(idle).step(r(0, true)) }, "RVALID fell"},
		{"AWADDR stable", PayloadChanged, AW,
			func(t *trace) {
				t.step(wait(aw(req(0, 0x40, 1)))).step(wait(aw(req(0, 0x40, 1)))).write(req(0, 0x40, 1))
			},
			func(t *trace) { t.step(wait(aw(req(0, 0x40, 1)))).write(req(0, 0x80, 1)) }, "AWADDR changed from 0x40 to 0x80"},
		{"ARLEN stable", PayloadChanged, AR,
			func(t *trace) { t.step(wait(ar(req(0, 0, 1)))).read(req(0, 0, 1)) },
			func(t *trace) { t.step(wait(ar(req(0, 0, 2)))).read(req(0, 0, 1)) }, "ARLEN changed from 0x1 to 0x0"},
		{"AWUSER stable", PayloadChanged, AW,
			func(t *trace) {
				u := func(s *Sample) { s.AW.User = []uint64{7} }
				t.step(with(wait(aw(req(0, 0, 1))), u)).step(with(aw(req(0, 0, 1)), u), w(1, true)).step(b(0, Okay))
			},
			func(t *trace) {
				t.step(with(wait(aw(req(0, 0, 1))), func(s *Sample) { s.AW.User = []uint64{7} })).
					step(with(aw(req(0, 0, 1)), func(s *Sample) { s.AW.User = []uint64{6} }), w(1, true)).step(b(0, Okay))
			}, "AWUSER changed from 0x7 to 0x6"},
		{"WDATA stable", PayloadChanged, W,
			func(t *trace) { t.step(aw(req(0, 0, 1))).step(wait(w(15, true))).step(w(15, true)).step(b(0, Okay)) },
			func(t *trace) {
				t.step(aw(req(0, 0, 1))).step(wait(w(15, true))).step(with(w(15, true), func(s *Sample) { s.W.Data = []uint64{9} })).step(b(0, Okay))
			}, "WDATA changed from 0x11223344 to 0x9"},
		{"WSTRB stable", PayloadChanged, W,
			func(t *trace) { t.step(aw(req(0, 0, 1))).step(wait(w(3, true))).step(w(3, true)).step(b(0, Okay)) },
			func(t *trace) { t.step(aw(req(0, 0, 1))).step(wait(w(3, true))).step(w(1, true)).step(b(0, Okay)) }, "WSTRB changed from 0x3 to 0x1"},
		{"WLAST stable", PayloadChanged, W,
			func(t *trace) { t.step(aw(req(0, 0, 1))).step(wait(w(3, true))).step(w(3, true)).step(b(0, Okay)) },
			func(t *trace) { t.step(aw(req(0, 0, 1))).step(wait(w(3, false))).step(w(3, true)).step(b(0, Okay)) }, "WLAST changed from 0x0 to 0x1"},
		{"BRESP stable", PayloadChanged, B,
			func(t *trace) { t.step(aw(req(0, 0, 1)), w(1, true)).step(wait(b(0, SlvErr))).step(b(0, SlvErr)) },
			func(t *trace) { t.step(aw(req(0, 0, 1)), w(1, true)).step(wait(b(0, Okay))).step(b(0, SlvErr)) }, "BRESP changed from 0x0 to 0x2"},
		{"RDATA stable", PayloadChanged, R,
			func(t *trace) { t.step(ar(req(0, 0, 1))).step(wait(r(0, true))).step(r(0, true)) },
			func(t *trace) {
				t.step(ar(req(0, 0, 1))).step(wait(r(0, true))).step(with(r(0, true), func(s *Sample) { s.R.Data = []uint64{6} }))
			}, "RDATA changed from 0x5 to 0x6"},
		{"RLAST stable", PayloadChanged, R,
			func(t *trace) { t.step(ar(req(0, 0, 1))).step(wait(r(0, true))).step(r(0, true)) },
			func(t *trace) {
				t.step(ar(req(0, 0, 2))).step(wait(r(0, false))).step(r(0, false)).step(wait(r(0, true))).step(with(r(0, true), func(s *Sample) { s.R.Last = false }))
			}, "RLAST changed from 0x1 to 0x0"},
		{"reset", ValidInReset, AW,
			func(t *trace) { t.m.Reset(0, &Sample{}) },
			func(t *trace) { t.m.Reset(0, &Sample{AW: AddrChannel{Valid: true}}) }, "AWVALID is high during reset"},
		{"4 KiB", CrossesPage, AR,
			func(t *trace) { t.read(req(0, 0xffc, 1)).read(req(0, 0x1000, 1)) },
			func(t *trace) { t.step(ar(req(0, 0xffc, 2))).step(r(0, false)).step(r(0, true)) }, "burst of 2 beats of 4 bytes from 0xffc reaches 0x1003"},
		{"4 KiB, unaligned start", CrossesPage, AW,
			func(t *trace) { t.step(aw(req(0, 0xfff, 1)), w(8, true)).step(b(0, Okay)) },
			func(t *trace) {
				t.step(aw(req(0, 0xffe, 2)), w(8, false)).step(w(15, true)).step(b(0, Okay))
			}, "from 0xffe reaches 0x1003"},
		{"burst type", BurstType, AR,
			func(t *trace) { t.read(edit(req(0, 0, 1), func(r *Request) { r.Burst = Fixed })) },
			func(t *trace) { t.read(edit(req(0, 0, 1), func(r *Request) { r.Burst = 3 })) }, "ARBURST is 3, which is reserved"},
		{"FIXED length", BurstLength, AR,
			func(t *trace) { t.step(ar(edit(req(0, 0, 16), func(r *Request) { r.Burst = Fixed }))); t.drain(16) },
			func(t *trace) { t.step(ar(edit(req(0, 0, 17), func(r *Request) { r.Burst = Fixed }))); t.drain(17) }, "FIXED burst of 17 beats"},
		{"WRAP length", BurstLength, AR,
			func(t *trace) { t.step(ar(edit(req(0, 8, 4), func(r *Request) { r.Burst = Wrap }))); t.drain(4) },
			func(t *trace) { t.step(ar(edit(req(0, 8, 3), func(r *Request) { r.Burst = Wrap }))); t.drain(3) }, "WRAP burst of 3 beats"},
		{"WRAP alignment", WrapAlign, AR,
			func(t *trace) { t.step(ar(edit(req(0, 0xffc, 4), func(r *Request) { r.Burst = Wrap }))); t.drain(4) },
			func(t *trace) { t.step(ar(edit(req(0, 9, 4), func(r *Request) { r.Burst = Wrap }))); t.drain(4) }, "WRAP burst from 0x9"},
		{"INCR of 256", CrossesPage, AR,
			func(t *trace) { t.step(ar(req(0, 0x400, 256))); t.drain(256) },
			func(t *trace) { t.step(ar(req(0, 0xc04, 256))); t.drain(256) }, "burst of 256 beats"},
		{"size", BeatSize, AR,
			func(t *trace) { t.read(edit(req(0, 0, 1), func(r *Request) { r.Size = 0 })) },
			func(t *trace) { t.read(edit(req(0, 0, 1), func(r *Request) { r.Size = 3 })) }, "ARSIZE 3 asks for 8 bytes a beat, the bus has 4"},
		{"cache", CacheReserved, AW,
			func(t *trace) { t.write(edit(req(0, 0, 1), func(r *Request) { r.Cache = 0b1110 })) },
			func(t *trace) { t.write(edit(req(0, 0, 1), func(r *Request) { r.Cache = 0b0101 })) }, "AWCACHE 0b0101"},
		{"exclusive size", Exclusive, AR,
			func(t *trace) { t.step(ar(edit(req(0, 0x10, 4), func(r *Request) { r.Lock = true }))); t.drain(4) },
			func(t *trace) { t.step(ar(edit(req(0, 0, 3), func(r *Request) { r.Lock = true }))); t.drain(3) }, "exclusive access of 3 beats, 12 bytes"},
		{"exclusive alignment", Exclusive, AR,
			func(t *trace) { t.step(ar(edit(req(0, 0x20, 8), func(r *Request) { r.Lock = true }))); t.drain(8) },
			func(t *trace) { t.step(ar(edit(req(0, 8, 4), func(r *Request) { r.Lock = true }))); t.drain(4) }, "at 0x8, not aligned"},
		{"WLAST early", LastEarly, W,
			func(t *trace) { t.step(aw(req(0, 0, 2)), w(15, false)).step(w(15, true)).step(b(0, Okay)) },
			func(t *trace) { t.step(aw(req(0, 0, 2)), w(15, true)).step(b(0, Okay)) }, "WLAST on beat 1 of 2"},
		{"WLAST missing", LastMissing, W,
			func(t *trace) { t.step(aw(req(0, 0, 1)), w(15, true)).step(b(0, Okay)) },
			func(t *trace) { t.step(aw(req(0, 0, 1)), w(15, false)).step(b(0, Okay)) }, "no WLAST on beat 1 of 1"},
		{"WLAST early, data first", LastEarly, W,
			func(t *trace) { t.step(w(15, false)).step(w(15, true)).step(aw(req(0, 0, 2))).step(b(0, Okay)) },
			func(t *trace) { t.step(w(15, true)).step(aw(req(0, 0, 2))).step(b(0, Okay)) }, "WLAST on beat 1 of 2"},
		{"RLAST early", LastEarly, R,
			func(t *trace) { t.step(ar(req(0, 0, 2))).step(r(0, false)).step(r(0, true)) },
			func(t *trace) { t.step(ar(req(0, 0, 2))).step(r(0, true)) }, "RLAST on beat 1 of 2"},
		{"RLAST missing", LastMissing, R,
			func(t *trace) { t.read(req(0, 0, 1)) },
			func(t *trace) { t.step(ar(req(0, 0, 1))).step(r(0, false)) }, "no RLAST on beat 1 of 1"},
		{"strobes of the first beat", StrobeLanes, W,
			func(t *trace) { t.step(aw(req(0, 0x102, 2)), w(0b1100, false)).step(w(15, true)).step(b(0, Okay)) },
			func(t *trace) { t.step(aw(req(0, 0x102, 2)), w(0b1110, false)).step(w(15, true)).step(b(0, Okay)) }, "beat 0 of the write at 0x102 strobes 0xe, outside its lanes by 0x2"},
		{"strobes of narrow beats", StrobeLanes, W,
			func(t *trace) { t.step(aw(narrow), w(0b1100, false)).step(w(0b0011, true)).step(b(0, Okay)) },
			func(t *trace) { t.step(aw(narrow), w(0b1100, false)).step(w(0b0111, true)).step(b(0, Okay)) }, "beat 1 of the write at 0x102 strobes 0x7, outside its lanes by 0x4"},
		{"strobes of FIXED beats", StrobeLanes, W,
			func(t *trace) { t.step(aw(fixed), w(0b1110, false)).step(w(0b1110, true)).step(b(0, Okay)) },
			func(t *trace) { t.step(aw(fixed), w(0b1110, false)).step(w(0b1111, true)).step(b(0, Okay)) }, "beat 1 of the write at 0x101"},
		{"strobes of data that came first", StrobeLanes, W,
			func(t *trace) { t.step(w(0b1100, true)).step(aw(req(0, 2, 1))).step(b(0, Okay)) },
			func(t *trace) { t.step(w(0b0100, true)).step(aw(req(0, 3, 1))).step(b(0, Okay)) }, "beat 0 of the write at 0x3"},
		{"B without request", NoRequest, B,
			func(t *trace) { t.write(req(3, 0, 1)) },
			func(t *trace) { t.step(b(3, Okay)) }, "response with id 3"},
		{"B with another id", NoRequest, B,
			func(t *trace) { t.write(req(3, 0, 1)) },
			func(t *trace) { t.write(req(3, 0, 1)).step(b(3, Okay)) }, "response with id 3"},
		{"R without request", NoRequest, R,
			func(t *trace) { t.read(req(1, 0, 1)) },
			func(t *trace) { t.read(req(1, 0, 1)).step(r(1, true)) }, "read data with id 1"},
		{"R in the cycle of its request", NoRequest, R,
			func(t *trace) { t.step(ar(req(1, 0, 1))).step(r(1, true)) },
			func(t *trace) {
				t.step(ar(req(1, 0, 1)), wait(r(1, true))).step(ar(req(1, 0, 1)), r(1, true)).step(r(1, true))
			}, "read data with id 1"},
		{"B before the data", EarlyResponse, B,
			func(t *trace) { t.step(aw(req(0, 0, 1))).step(w(15, true)).step(b(0, Okay)) },
			func(t *trace) { t.step(aw(req(0, 0, 1))).step(wait(b(0, Okay)), w(15, true)).step(b(0, Okay)) }, "after 0 of 1 beats"},
		{"write EXOKAY", RespCode, B,
			func(t *trace) {
				t.step(aw(edit(req(0, 0, 1), func(r *Request) { r.Lock = true })), w(1, true)).step(b(0, ExOkay))
			},
			func(t *trace) { t.step(aw(req(0, 0, 1)), w(1, true)).step(b(0, ExOkay)) }, "EXOKAY to the write"},
		{"read EXOKAY", RespCode, R,
			func(t *trace) {
				t.step(ar(edit(req(0, 0, 1), func(r *Request) { r.Lock = true }))).step(with(r(0, true), func(s *Sample) { s.R.Resp = ExOkay }))
			},
			func(t *trace) { t.step(ar(req(0, 0, 1))).step(with(r(0, true), func(s *Sample) { s.R.Resp = ExOkay })) }, "EXOKAY to the read"},
		{"read unanswered", Unanswered, R,
			func(t *trace) { t.read(req(0, 0, 1)) },
			func(t *trace) { t.step(ar(req(0, 0, 3))).step(r(0, false)) }, "read of 3 beats at 0x0, id 0: 2 beats never came"},
		{"write unanswered", Unanswered, B,
			func(t *trace) { t.write(req(0, 0, 1)) },
			func(t *trace) { t.step(aw(req(0, 0, 1)), w(1, true)) }, "no response came"},
		{"write without data", Unanswered, W,
			func(t *trace) { t.write(req(0, 0, 1)) },
			func(t *trace) { t.step(aw(req(0, 0, 2)), w(1, false)) }, "1 beats of data never came"},
		{"data without request", DataLeft, W,
			func(t *trace) { t.write(req(0, 0, 1)) },
			func(t *trace) { t.step(w(1, true)) }, "1 beats of write data belong to no request"},
	} {
		t.Run(c.name, func(t *testing.T) {
			good := watch(Config{})
			c.good(good)
			good.m.Finish(good.cycle)
			require.Empty(t, good.m.Violations())

			bad := watch(Config{})
			c.bad(bad)
			bad.m.Finish(bad.cycle)
			require.NotEmpty(t, bad.m.Violations())
			v := bad.m.Violations()[0]
			require.Equal(t, c.rule, v.Rule, v.String())
			require.Equal(t, c.channel, v.Channel, v.String())
			require.Contains(t, v.String(), c.message)
			for _, v := range bad.m.Violations() {
				require.Equal(t, c.rule, v.Rule, v.String())
			}
		})
	}
}

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
