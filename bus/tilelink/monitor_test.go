package tilelink

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/millrace-hdl/millrace/bus"
)

// trace feeds a monitor of a 32-bit link cycle by cycle.
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

type part = func(*Sample)

// step is one cycle with what the given parts put on the link.
func (t *trace) step(parts ...part) *trace {
	var s Sample
	for _, p := range parts {
		p(&s)
	}
	t.m.Cycle(t.cycle, &s)
	t.cycle++
	return t
}

func idle(*Sample) {}

func ask(r Request, change ...func(*AChannel)) part {
	return func(s *Sample) {
		lanes := r.Lanes(4)
		s.A = AChannel{Valid: true, Ready: true, Request: r, Mask: lanes[:1], Data: []uint64{7}}
		for _, c := range change {
			c(&s.A)
		}
	}
}

func get(source, addr uint64, size uint8) Request {
	return Request{Opcode: bus.TLGet, Size: size, Source: source, Address: addr}
}

func put(source, addr uint64, size uint8) Request {
	return Request{Opcode: bus.TLPutFull, Size: size, Source: source, Address: addr}
}

func give(r Request, change ...func(*DChannel)) part {
	return func(s *Sample) {
		s.D = DChannel{Valid: true, Ready: true, Answer: Answer{Opcode: r.Answer(), Size: r.Size, Source: r.Source}, Data: []uint64{5}}
		for _, c := range change {
			c(&s.D)
		}
	}
}

// wait is a part whose channels are not ready.
func wait(p part) part {
	return func(s *Sample) { p(s); s.A.Ready, s.D.Ready = false, false }
}

// whole is a message and its answer.
func (t *trace) whole(r Request) *trace {
	for range r.Beats(4) {
		t.step(ask(r))
	}
	for range r.AnswerBeats(4) {
		t.step(give(r))
	}
	return t
}

// Each rule has one trace that keeps it and one that breaks it and nothing else.
func TestRules(t *testing.T) {
	word, long, half := get(1, 0x10, 2), get(1, 0x40, 4), get(1, 0x12, 1)
	for _, c := range []struct {
		name    string
		rule    Rule
		channel Channel
		cfg     Config
		good    func(*trace)
		bad     func(*trace)
		message string
	}{
		{"A held", ValidDropped, A, Config{},
			func(t *trace) { t.step(wait(ask(word))).whole(word) },
			func(t *trace) { t.step(wait(ask(word))).step(idle) }, "valid of A fell"},
		{"D held", ValidDropped, D, Config{},
			func(t *trace) { t.step(ask(word)).step(wait(give(word))).step(give(word)) },
			func(t *trace) { t.step(ask(word)).step(wait(give(word))).step(idle).step(give(word)) }, "valid of D fell"},
		{"A stable", PayloadChanged, A, Config{},
			func(t *trace) { t.step(wait(ask(word))).whole(word) },
			func(t *trace) { t.step(wait(ask(word))).whole(get(1, 0x20, 2)) }, "the control part of A changed"},
		{"mask stable", PayloadChanged, A, Config{},
			func(t *trace) { t.step(wait(ask(put(1, 0, 2)))).whole(put(1, 0, 2)) },
			func(t *trace) {
				t.step(wait(ask(put(1, 0, 2)))).step(ask(put(1, 0, 2), func(a *AChannel) { a.Mask = []uint64{3} })).step(give(put(1, 0, 2)))
			}, "mask of A changed from 0xf to 0x3"},
		{"data of A stable", PayloadChanged, A, Config{},
			func(t *trace) { t.step(wait(ask(put(1, 0, 2)))).whole(put(1, 0, 2)) },
			func(t *trace) {
				t.step(wait(ask(put(1, 0, 2)))).step(ask(put(1, 0, 2), func(a *AChannel) { a.Data = []uint64{8} })).step(give(put(1, 0, 2)))
			}, "data of A changed from 0x7 to 0x8"},
		{"data of D stable", PayloadChanged, D, Config{},
			func(t *trace) { t.step(ask(word)).step(wait(give(word))).step(give(word)) },
			func(t *trace) {
				t.step(ask(word)).step(wait(give(word))).step(give(word, func(d *DChannel) { d.Data = []uint64{6} }))
			}, "data of D changed from 0x5 to 0x6"},
		{"corrupt of D stable", PayloadChanged, D, Config{},
			func(t *trace) { t.step(ask(word)).step(wait(give(word))).step(give(word)) },
			func(t *trace) {
				t.step(ask(word)).step(wait(give(word))).step(give(word, func(d *DChannel) { d.Corrupt = true }))
			}, "corrupt of D changed from false to true"},
		{"reset", ValidInReset, A, Config{},
			func(t *trace) { t.m.Reset(0, &Sample{}) },
			func(t *trace) { t.m.Reset(0, &Sample{A: AChannel{Valid: true}}) }, "A is valid during reset"},
		{"atomics are UH", Opcode, A, Config{MaxSize: 8},
			func(t *trace) { t.whole(Request{Opcode: bus.TLLogical, Param: 3, Size: 2}) },
			func(t *trace) { t.whole(Request{Opcode: 6, Size: 2}) }, "opcode 6 is none of TileLink UH"},
		{"UL", Opcode, A, Config{},
			func(t *trace) { t.whole(word) },
			func(t *trace) { t.whole(Request{Opcode: bus.TLIntent, Size: 2}) }, "opcode 5 is none of TileLink UL"},
		{"answer's opcode", Opcode, D, Config{},
			func(t *trace) { t.whole(word) },
			func(t *trace) {
				t.step(ask(word)).step(give(word, func(d *DChannel) { d.Opcode = bus.TLAccessAck }))
			}, "opcode 0 answers source 1, whose request wants 1"},
		{"param of Get", Param, A, Config{},
			func(t *trace) { t.whole(word) },
			func(t *trace) { t.whole(Request{Opcode: bus.TLGet, Param: 1, Size: 2}) }, "param is 1 with opcode 4"},
		{"param of D", Param, D, Config{},
			func(t *trace) { t.whole(word) },
			func(t *trace) { t.step(ask(word)).step(give(word, func(d *DChannel) { d.Param = 1 })) }, "param of an answer is 1"},
		{"size of UL", Size, A, Config{},
			func(t *trace) { t.whole(word) },
			func(t *trace) { t.whole(get(0, 0x40, 3)) }, "a message of 2^3 bytes, at most 4 are allowed"},
		{"size of UH", Size, A, Config{MaxSize: 16},
			func(t *trace) { t.whole(long) },
			func(t *trace) { t.whole(get(0, 0x40, 5)) }, "a message of 2^5 bytes, at most 16"},
		{"size of the answer", Size, D, Config{},
			func(t *trace) { t.whole(half) },
			func(t *trace) { t.step(ask(half)).step(give(half, func(d *DChannel) { d.Size = 2 })) }, "size is 2 in the answer to source 1, whose request has 1"},
		{"alignment", Alignment, A, Config{},
			func(t *trace) { t.whole(half) },
			func(t *trace) { t.whole(get(0, 0x12, 2)) }, "0x12 is no multiple of 2^2 bytes"},
		{"mask of a Get", Mask, A, Config{},
			func(t *trace) { t.whole(half) },
			func(t *trace) { t.step(ask(half, func(a *AChannel) { a.Mask = []uint64{0xf} })).step(give(half)) }, "mask is 0xf for 2^1 bytes at 0x12 with opcode 4, their lanes are 0xc"},
		{"PutPartialData may leave out lanes", Mask, A, Config{},
			func(t *trace) {
				r := Request{Opcode: bus.TLPutPartial, Size: 2}
				t.step(ask(r, func(a *AChannel) { a.Mask = []uint64{5} })).step(give(r))
			},
			func(t *trace) {
				t.step(ask(put(0, 0, 2), func(a *AChannel) { a.Mask = []uint64{5} })).step(give(put(0, 0, 2)))
			}, "mask is 0x5"},
		{"lanes of PutPartialData", Mask, A, Config{},
			func(t *trace) { t.whole(Request{Opcode: bus.TLPutPartial, Size: 1, Address: 2}) },
			func(t *trace) {
				r := Request{Opcode: bus.TLPutPartial, Size: 1, Address: 2}
				t.step(ask(r, func(a *AChannel) { a.Mask = []uint64{6} })).step(give(r))
			}, "their lanes are 0xc"},
		{"corrupt Get", Corrupt, A, Config{},
			func(t *trace) {
				t.step(ask(put(0, 0, 2), func(a *AChannel) { a.Corrupt = true })).step(give(put(0, 0, 2)))
			},
			func(t *trace) { t.step(ask(word, func(a *AChannel) { a.Corrupt = true })).step(give(word)) }, "corrupt with opcode 4"},
		{"denied data are corrupt", Corrupt, D, Config{},
			func(t *trace) {
				t.step(ask(word)).step(give(word, func(d *DChannel) { d.Denied, d.Corrupt = true, true }))
			},
			func(t *trace) { t.step(ask(word)).step(give(word, func(d *DChannel) { d.Denied = true })) }, "denied data for source 1"},
		{"AccessAck has no data", Corrupt, D, Config{},
			func(t *trace) {
				t.step(ask(put(0, 0, 2))).step(give(put(0, 0, 2), func(d *DChannel) { d.Denied = true }))
			},
			func(t *trace) {
				t.step(ask(put(0, 0, 2))).step(give(put(0, 0, 2), func(d *DChannel) { d.Corrupt = true }))
			}, "corrupt in an answer to source 0 without data"},
		{"beats of a Put", BeatChanged, A, Config{MaxSize: 16},
			func(t *trace) { t.whole(put(1, 0x40, 4)) },
			func(t *trace) {
				t.step(ask(put(1, 0x40, 4))).step(ask(put(1, 0x44, 4))).step(ask(put(1, 0x40, 4))).step(ask(put(1, 0x40, 4))).step(give(put(1, 0x40, 4)))
			}, "beat 1 of the message"},
		{"beats of data", BeatChanged, D, Config{MaxSize: 16},
			func(t *trace) { t.whole(long) },
			func(t *trace) {
				other := get(2, 0x80, 4)
				t.step(ask(long)).step(ask(other)).step(give(long)).step(give(other)).step(give(long)).step(give(long))
				for range 4 {
					t.step(give(other))
				}
			}, "beat 1 of the answer"},
		{"sources", SourceBusy, A, Config{},
			func(t *trace) {
				t.step(ask(word)).step(ask(get(2, 0, 2)), give(word)).step(give(get(2, 0, 2))).whole(word)
			},
			func(t *trace) { t.step(ask(word)).step(ask(get(1, 0x20, 2))).step(give(word)).step(give(word)) }, "source 1 asks at 0x20, and its request at 0x10 is not answered"},
		{"answer without request", NoRequest, D, Config{},
			func(t *trace) { t.whole(word) },
			func(t *trace) { t.whole(word).step(give(word)) }, "source 1, which has asked for nothing"},
		{"answer before its request", NoRequest, D, Config{},
			func(t *trace) { t.step(wait(ask(word)), wait(give(word))).step(ask(word), give(word)) },
			func(t *trace) {
				t.step(func(s *Sample) { ask(word)(s); give(word)(s); s.A.Ready = false }).whole(word)
			}, "the answer to source 1 was taken before its request"},
		{"order", Order, D, Config{InOrder: true},
			func(t *trace) { t.step(ask(word)).step(ask(get(2, 0, 2))).step(give(word)).step(give(get(2, 0, 2))) },
			func(t *trace) { t.step(ask(word)).step(ask(get(2, 0, 2))).step(give(get(2, 0, 2))).step(give(word)) }, "source 2 is answered before source 1"},
		{"outstanding", Outstanding, A, Config{MaxOutstanding: 1},
			func(t *trace) { t.whole(word).whole(word) },
			func(t *trace) { t.step(ask(word)).step(ask(get(2, 0, 2))).step(give(word)).step(give(get(2, 0, 2))) }, "2 requests outstanding, 1 allowed"},
		{"unanswered", Unanswered, D, Config{MaxSize: 16},
			func(t *trace) { t.whole(long) },
			func(t *trace) { t.step(ask(long)).step(give(long)) }, "source 1 at 0x40: 3 of 4 beats of its answer never came"},
		{"unfinished", Unfinished, A, Config{MaxSize: 16},
			func(t *trace) { t.whole(put(1, 0x40, 4)) },
			func(t *trace) { t.step(ask(put(1, 0x40, 4))).step(give(put(1, 0x40, 4))) }, "ends after 1 of 4 beats"},
	} {
		t.Run(c.name, func(t *testing.T) {
			good := watch(c.cfg)
			c.good(good)
			good.m.Finish(good.cycle)
			require.Empty(t, good.m.Violations())

			bad := watch(c.cfg)
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

// Answers may come out of order, with their request, and to a Put before its last beat.
func TestWhatTileLinkAllows(t *testing.T) {
	m := watch(Config{MaxSize: 16})
	first, second, written := get(1, 0x40, 4), get(2, 0x12, 1), put(3, 0x80, 4)
	m.step(ask(first)).step(ask(second), give(second))
	for k := range 4 {
		m.step(ask(written), give(first))
		if k == 0 {
			require.Equal(t, 2, m.m.Outstanding())
		}
	}
	m.step(give(written))
	m.step(ask(written)).step(ask(written), give(written)).step(ask(written)).step(ask(written))
	m.m.Finish(m.cycle)
	require.Empty(t, m.m.Violations())
	require.Equal(t, Stats{Accepted: [2]uint64{10, 7}, Messages: [2]uint64{4, 4}, MaxOutstanding: 2}, m.m.Stats())
}

func TestRetract(t *testing.T) {
	m := watch(Config{Retract: true})
	m.step(wait(ask(get(1, 0, 2)))).step(idle).step(wait(ask(get(2, 4, 2)))).whole(get(3, 8, 2))
	m.m.Finish(m.cycle)
	require.Empty(t, m.m.Violations())
}

func TestViolationsAreKeptByRule(t *testing.T) {
	m := watch(Config{Keep: 2})
	for range 5 {
		m.whole(get(0, 1, 2))
	}
	require.Equal(t, 5, m.m.Count())
	require.Len(t, m.m.Violations(), 2)
	require.Equal(t, "cycle 0, A: 0x1 is no multiple of 2^2 bytes [alignment]", m.m.Violations()[0].String())
}
