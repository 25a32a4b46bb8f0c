package axistream

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func beat(ready bool, data uint64, edits ...func(*Sample)) Sample {
	s := Sample{Valid: true, Ready: ready, Data: []uint64{data}, Strb: []uint64{15}, Keep: []uint64{15}, User: []uint64{0}}
	for _, e := range edits {
		e(&s)
	}
	return s
}

func last(s *Sample) { s.Last = true }
func keep(v uint64) func(*Sample) {
	return func(s *Sample) { s.Keep, s.Strb = []uint64{v}, []uint64{v} }
}
func strb(v uint64) func(*Sample) { return func(s *Sample) { s.Strb = []uint64{v} } }
func id(v uint64) func(*Sample)   { return func(s *Sample) { s.ID = v } }
func dest(v uint64) func(*Sample) { return func(s *Sample) { s.Dest = v } }
func user(v uint64) func(*Sample) { return func(s *Sample) { s.User = []uint64{v} } }

func watch(cfg Config, samples ...Sample) *Monitor {
	cfg.Bytes = 4
	m := NewMonitor(cfg)
	for i := range samples {
		m.Cycle(uint64(i), &samples[i])
	}
	m.Finish(uint64(len(samples)))
	return m
}

func TestRules(t *testing.T) {
	var idle Sample
	free, packets := Config{}, Config{Packets: true}
	for _, c := range []struct {
		name    string
		cfg     Config
		trace   []Sample
		rule    Rule // empty: nothing is wrong
		message string
	}{
		{"packets", packets, []Sample{beat(false, 1, keep(12)), beat(true, 1, keep(12)), beat(true, 2, keep(3), last), beat(true, 3, last, id(1), dest(2))}, "", ""},
		{"a beat without bytes ends a packet", packets, []Sample{beat(true, 1, keep(1)), beat(true, 1, keep(0), last)}, "", ""},
		{"null and position bytes", free, []Sample{beat(true, 1, keep(5)), beat(true, 1, strb(1)), beat(true, 1, id(4))}, "", ""},
		{"TVALID falls", free, []Sample{beat(false, 1), idle}, ValidDropped, "TVALID fell before TREADY"},
		{"TDATA changes", free, []Sample{beat(false, 1), beat(true, 2)}, PayloadChanged, "TDATA changed from [0x1] to [0x2]"},
		{"TKEEP changes", free, []Sample{beat(false, 1, strb(1)), beat(true, 1, keep(3), strb(1))}, PayloadChanged, "TKEEP changed from [0xf] to [0x3]"},
		{"TSTRB changes", free, []Sample{beat(false, 1), beat(true, 1, strb(7))}, PayloadChanged, "TSTRB changed"},
		{"TLAST changes", free, []Sample{beat(false, 1), beat(true, 1, last)}, PayloadChanged, "TLAST changed"},
		{"TID changes", free, []Sample{beat(false, 1), beat(true, 1, id(1))}, PayloadChanged, "TID changed"},
		{"TDEST changes", free, []Sample{beat(false, 1), beat(true, 1, dest(1))}, PayloadChanged, "TDEST changed"},
		{"TUSER changes", free, []Sample{beat(false, 1), beat(true, 1, user(1))}, PayloadChanged, "TUSER changed"},
		{"strobe without keep", free, []Sample{beat(true, 1, keep(3), strb(7))}, StrobeReserved, "TSTRB is [0x7] where TKEEP is [0x3]"},
		{"position byte", packets, []Sample{beat(true, 1, strb(7), last)}, Position, "position bytes are not expected"},
		{"null byte inside a beat", packets, []Sample{beat(true, 1, keep(5), last)}, NullInside, "lane 2 follows null bytes"},
		{"null bytes between beats", packets, []Sample{beat(true, 1, keep(3)), beat(true, 1, last)}, NullInside, "lane 0 follows null bytes"},
		{"other TID in a packet", packets, []Sample{beat(true, 1), beat(true, 1, id(3), last)}, Interleaved, "TID 0x3 and TDEST 0x0 in a packet that began with 0x0 and 0x0"},
		{"other TDEST in a packet", packets, []Sample{beat(true, 1), beat(true, 1, dest(3), last)}, Interleaved, "TDEST 0x3"},
		{"packet left open", packets, []Sample{beat(true, 1, last), beat(true, 1)}, PacketOpen, "never ended"},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := watch(c.cfg, c.trace...)
			if c.rule == "" {
				require.Empty(t, m.Violations())
				return
			}
			require.Len(t, m.Violations(), 1)
			require.Equal(t, c.rule, m.Violations()[0].Rule)
			require.Contains(t, m.Violations()[0].String(), c.message)
		})
	}
}

func TestResetStatsAndKeep(t *testing.T) {
	m := watch(Config{Keep: 1}, beat(false, 1), beat(true, 1), beat(true, 2, keep(3), last), beat(true, 1, keep(0), strb(1)), beat(true, 1, keep(0), strb(1)))
	require.Equal(t, Stats{Beats: 4, Bytes: 6, Packets: 1, Waited: 1}, m.Stats())
	require.Equal(t, 2, m.Count())
	require.Len(t, m.Violations(), 1, "no more than Keep are stored")

	m = NewMonitor(Config{Bytes: 4, Packets: true})
	s := beat(true, 1)
	m.Cycle(0, &s)
	m.Reset(1, &Sample{})
	m.Finish(2)
	require.Zero(t, m.Count(), "a packet before the reset needs no end")
	m.Reset(3, &s)
	require.Equal(t, ValidInReset, m.Violations()[0].Rule)
}
