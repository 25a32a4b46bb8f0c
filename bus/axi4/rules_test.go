package axi4

import (
	"testing"

	"github.com/stretchr/testify/require"
)

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
			require.Equal(t, c.channel.String(), v.Channel, v.String())
			require.Contains(t, v.String(), c.message)
			for _, v := range bad.m.Violations() {
				require.Equal(t, c.rule, v.Rule, v.String())
			}
		})
	}
}
